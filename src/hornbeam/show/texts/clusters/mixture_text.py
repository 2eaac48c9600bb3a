"""Mixtures as text, beside what clusters are like: distributions that are not plain ones, and principal axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.model.clusters.mixture import ColumnFigures, Mixture


def head(model: Mixture) -> list[str]:
    """What is common to all components: the axes that columns are turned onto."""
    axes = model.columns.axes
    if axes is None:
        return []
    kinds = zip(model.columns.numeric, model.columns.distributions, strict=True)
    names = [model.schema.columns[place].name for place, kind in kinds if not kind.is_count]
    turned = ", ".join(printable(names[place], NAME_LIMIT) for place in axes.columns)
    return [f"by {axes.kept} of {len(axes.columns)} principal axes of {turned}"]


def component(model: Mixture, number: int) -> list[str]:
    """The distributions of columns that are not normal by themselves, a line each."""
    told = [one for one in model.figures(number) if one.distribution not in ("normal", "categories")]
    return [f"  {printable(one.column, NAME_LIMIT)}: {_words(one)}" for one in told]


def _words(one: ColumnFigures) -> str:
    told = {name: short_number(value) for name, value in one.figures.items()}
    if one.distribution == "poisson":
        return f"Poisson, {told['rate']} on average"
    if one.distribution == "log-normal":
        return f"log-normal above {told['minimum']}, median {told['median']}, times or over {told['factor']}"
    bounds = f"between {told['low']} and {told['high']}"
    return f"log-odds {bounds}, median {told['median']}, deviation {told['deviation']} of the log-odds"
