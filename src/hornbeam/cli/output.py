"""How the commands print: results on standard output, remarks and progress on the error stream.

Nothing here obeys what stands in the data: names go through `printable`, and rich's markup is off.
"""

from __future__ import annotations

import json
import math
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hornbeam.data.in_words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from hornbeam.evaluate import ClassificationScore, RegressionScore
    from hornbeam.learn.base.in_threads import Progress

PIPE_WIDTH = 1_000  # a pipe has no width: tables are not squeezed


def console(*, err: bool = False) -> Console:
    """Give a console that prints plain text: no markup, no emoji, no highlighting of numbers."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def write_json(result: Any) -> None:  # noqa: ANN401 - whatever the command found
    """Write a result for programs."""
    click.echo(json.dumps(result, indent=2, allow_nan=False))


def remark(text: str) -> None:
    """Say something beside the result."""
    from hornbeam.show.texts.wording import printable

    click.secho(printable(text), err=True, dim=True)


def warn(text: str) -> None:
    """Say something about the data that deserves a look."""
    from hornbeam.show.texts.wording import printable

    click.secho(f"warning: {printable(text)}", err=True, fg="yellow")


def tree_style(style: str | None) -> str:
    """Give the text style asked for; by default the one that the output's encoding can write."""
    if style is not None:
        return style
    try:
        "│├└─…".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "ascii"
    return "default"


def without_controls(text: str) -> str:
    r"""The same JSON, with everything that a terminal would obey written as in "\u001b"."""
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)


@contextmanager
def progress_bar(title: str, *, shown: bool = True) -> Iterator[Progress | None]:
    """Draw a bar on a terminal while something long runs; nothing in a pipe."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hornbeam.show.texts.wording import printable

    title = printable(title)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report


def check_picture(option: str, path: str) -> None:
    """Refuse, before the work, a picture that could not be written after it."""
    if Path(path).suffix.lower() != ".svg":
        msg = f"{option} {path}: the picture is SVG; expected a name that ends in .svg"
        raise ValueError(msg)
    check_folder(option, path)


def check_folder(option: str, path: str) -> None:
    """Refuse, before the work, a file whose folder is not there."""
    if not Path(path).absolute().parent.is_dir():
        msg = f"{option} {path}: there is no folder {Path(path).absolute().parent}"
        raise ValueError(msg)


def picture_of(model: Any, theme: str = "auto", **figures: Any) -> str:  # noqa: ANN401 - any model or estimator
    """A model as SVG; of a forest, the importance of its columns; of a tree, figures about its nodes too."""
    from hornbeam import show
    from hornbeam.model.forests.forest import Forest

    draw = show.importances if isinstance(getattr(model, "model_", model), Forest) else show.svg
    return draw(model, theme=theme, **figures)


def write_picture(path: str, picture: str) -> None:
    """Write a picture to a file, whole or not at all."""
    from hornbeam.data.replacing import replacing

    with replacing(path) as file:
        file.write(f"{picture}\n".encode())


def score_lines(title: str, score: ClassificationScore | RegressionScore, *, seen: bool = False) -> list[str]:
    """Say in a line or two how good the predictions were; of rows seen in learning, only how many were right."""
    from hornbeam.evaluate import ClassificationScore

    if not isinstance(score, ClassificationScore):
        return _error_lines(title, score, seen=seen)
    right = float(score.confusion.trace())
    shown = f"{right:.0f}" if right == round(right) else f"{right:.2f}"
    told = f"{title}: {percent(score.accuracy)} right ({shown} of {score.n_rows} rows"
    paid = []
    if score.mean_cost is not None and score.baseline_cost is not None:
        paid = [f"  mean cost {score.mean_cost:.4g}; always the cheapest class: {score.baseline_cost:.4g}"]
    if seen:
        return [f"{told})", *paid]
    interval = " to ".join(map(percent, score.interval))
    kappa = "-" if math.isnan(score.kappa) else f"{score.kappa:.3f}"
    return [
        f"{told}; 95% interval {interval})",
        f"  kappa {kappa}; always the commonest class: {percent(score.baseline)}",
        *paid,
    ]


def _error_lines(title: str, score: RegressionScore, *, seen: bool) -> list[str]:
    errors = f"{score.mean_absolute_error:.4g}, root mean squared error {score.root_mean_squared_error:.4g}"
    told = f"{title}: mean absolute error {errors}"
    explained = "-" if math.isnan(score.r2) else f"{score.r2:.3f}"
    if seen:
        return [f"{told}, R² {explained} ({score.n_rows} rows)"]
    ends = " to ".join("-" if math.isnan(end) else f"{end:.3f}" for end in score.interval)
    correlation = "-" if math.isnan(score.correlation) else f"{score.correlation:.3f}"
    shares = f"{percent(score.relative_absolute_error)} and {percent(score.root_relative_squared_error)}"
    judged = f"  R² {explained} (95% interval {ends}), correlation {correlation}"
    return [f"{told} ({score.n_rows} rows)", f"{judged}; errors are {shares} of those of always the mean"]


def known(figures: Any) -> list[float | None]:  # noqa: ANN401 - an array
    """Give an array as a list for programs; what is not a number is None."""
    return [None if figure != figure else figure for figure in figures.tolist()]  # noqa: PLR0124 - NaN


def complexity_lines(steps: Any) -> list[str]:  # noqa: ANN401 - a CpTable
    """Draw a complexity table: a line for each tree of the sequence, errors as shares of the root's."""
    columns = [
        ("cp", [f"{value:.4g}" for value in steps.cp.tolist()]),
        ("splits", [str(value) for value in steps.n_splits.tolist()]),
        ("error", [f"{value:.4f}" for value in steps.error.tolist()]),
    ]
    if not math.isnan(steps.cv_error[0]):
        columns.append(("cross-validated", [f"{value:.4f}" for value in steps.cv_error.tolist()]))
        columns.append(("standard error", [f"{value:.4f}" for value in steps.cv_std_error.tolist()]))
    shown = [[title, *values] for title, values in columns]
    widths = [max(map(len, column)) for column in shown]
    return ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in zip(*shown, strict=True)]


def confusion_lines(score: ClassificationScore, room: int) -> list[str]:
    """Draw the confusion matrix: a line for each true class, a column for each predicted one."""
    from hornbeam.evaluate.curves.confusion import confusion_lines as lines_of

    return lines_of(score.categories, score.confusion, room)
