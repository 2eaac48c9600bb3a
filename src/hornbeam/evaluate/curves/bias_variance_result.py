"""What splitting the expected error found: plain data, in words and as a chart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.curve_result import told
from hornbeam.evaluate.curves.decomposition import NO_NOISE, SquaredLoss, ZeroOneLoss, decimals_for
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, printable

Loss = SquaredLoss | ZeroOneLoss


@dataclass(frozen=True, slots=True)
class BiasVariance:
    """What `bias_variance` gives.

    Parameters
    ----------
    table : str
        The name of the table whose rows were answered.
    learner : str
        The estimator's class.
    rounds, seed : int
        How many samples, and their seed.
    fresh : bool
        Whether samples were fresh ones, not drawn from one table.
    loss : SquaredLoss or ZeroOneLoss
        The expected error and its parts.
    """

    table: str
    learner: str
    rounds: int
    seed: int
    fresh: bool
    loss: Loss

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return _about(self) | self.loss.to_json()

    def text(self) -> str:
        """The parts in words, without a line end after the last line."""
        return f"{_headline(self, self.loss)}\n\n{self.loss.text()}"

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """The parts as bars, drawn by matplotlib."""
        from hornbeam.show import plot  # noqa: PLC0415 - only to draw

        bars = {**self.loss.parts(), "expected error": self.loss.error}
        title = f"{printable(self.table, NAME_LIMIT)}: bias and variance"
        return plot.bar(bars, axes=axes, title=title, y_label=_unit(self.loss))


@dataclass(frozen=True, slots=True)
class BiasVarianceCurve:
    """What `bias_variance_curve` gives.

    Parameters
    ----------
    table : str
        The name of the table whose rows were answered.
    learner : str
        The estimator's class.
    of : str
        The parameter.
    rounds, seed : int
        How many samples, the same for all values, and their seed.
    fresh : bool
        Whether samples were fresh ones, not drawn from one table.
    points : tuple of (value, SquaredLoss or ZeroOneLoss)
        In the order tried.
    """

    table: str
    learner: str
    of: str
    rounds: int
    seed: int
    fresh: bool
    points: tuple[tuple[float | None, Loss], ...]

    @property
    def best(self) -> float | None:
        """The value with the least expected error; the first of equals."""
        return min(self.points, key=lambda point: point[1].error)[0]

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        points = [{"value": value} | loss.to_json() for value, loss in self.points]
        return _about(self) | {"of": self.of, "points": points, "best": self.best}

    def text(self) -> str:
        """The parts by value as a table, without a line end after the last line."""
        first = self.points[0][1]
        largest = max(loss.error for _, loss in self.points)
        write = partial(percent, decimals=2) if isinstance(first, ZeroOneLoss) else decimals_for(largest)
        names = list(first.parts())
        rows = [[printable(self.of), *names, "expected error"]]
        for value, loss in self.points:
            rows.append([told(value), *map(write, loss.parts().values()), write(loss.error)])
        lines = [_headline(self, first), "", *(line.rstrip() for line in aligned(rows, left=())), ""]
        lines.append(f"least expected error at {printable(self.of)} {told(self.best)}")
        if first.noise is None:
            lines.append(NO_NOISE)
        elif isinstance(first, SquaredLoss):
            lines.append("(the parts add up but for what noise and bias have in common by chance)")
        return "\n".join(lines)

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """The parts on top of each other against the parameter, drawn by matplotlib."""
        from hornbeam.show.charts.curve_charts import along, stacked  # noqa: PLC0415 - only to draw

        losses = [loss for _, loss in self.points]
        scale = 100.0 if isinstance(losses[0], ZeroOneLoss) else 1.0
        parts = {name: [scale * loss.parts()[name] for loss in losses] for name in losses[0].parts()}
        places, ticks = along([value for value, _ in self.points])
        return stacked(
            places,
            parts,
            {"expected error": [scale * loss.error for loss in losses]},
            ticks=ticks,
            marked=places[[value for value, _ in self.points].index(self.best)],
            mark="least expected error",
            axes=axes,
            title=f"Bias and variance: {printable(self.table, NAME_LIMIT)}",
            x_label=self.of,
            y_label=_unit(losses[0]),
        )


def _about(found: BiasVariance | BiasVarianceCurve) -> dict[str, Any]:
    names = ("table", "learner", "rounds", "seed")
    return {name: getattr(found, name) for name in names} | {"fresh_samples": found.fresh}


def _headline(found: BiasVariance | BiasVarianceCurve, loss: Loss) -> str:
    samples = f"{found.rounds} {'fresh samples' if found.fresh else 'samples drawn with replacement'}"
    answered = f"{loss.n_rows} rows answered by {loss.answers:.0f} models each"
    return (
        f"{printable(found.table, NAME_LIMIT)}: {found.learner} learned from {samples} (seed {found.seed}), {answered}"
    )


def _unit(loss: Loss) -> str:
    return "wrong answers (%)" if isinstance(loss, ZeroOneLoss) else "squared error"
