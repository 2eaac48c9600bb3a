"""How the commands print: results on standard output, notes and progress on the error stream.

Control characters in the data are never sent to the terminal: names go through `printable`, and rich's markup is off.
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
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from hornbeam.evaluate import ClassificationScore, RegressionScore
    from hornbeam.learn.base.in_threads import Progress

PIPE_WIDTH = 1_000  # a pipe has no width: tables are not wrapped


def console(*, err: bool = False) -> Console:
    """Give a console that prints plain text: no markup, no emoji, no highlighting of numbers."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def write_json(result: Any) -> None:  # noqa: ANN401 - plain data
    """Write a result for programs."""
    click.echo(json.dumps(result, indent=2, allow_nan=False))


def remark(text: str) -> None:
    """Print a note on the error stream."""
    from hornbeam.data.in_words import printable

    click.secho(printable(text), err=True, dim=True)


def warn(text: str) -> None:
    """Print a warning about the data on the error stream."""
    from hornbeam.data.in_words import printable

    click.secho(f"warning: {printable(text)}", err=True, fg="yellow")


def print_notes(notes: Sequence[str], cautions: Sequence[str], *, quiet: bool) -> None:
    """Print what was guessed about the data, and warnings about it."""
    for text in () if quiet else notes:
        remark(text)
    for text in () if quiet else cautions:
        warn(text)


def tree_style(style: str | None) -> str:
    """Give the text style typed; by default the one that the output's encoding can write."""
    if style is not None:
        return style
    try:
        "│├└─…".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "ascii"
    return "default"


def without_controls(text: str) -> str:
    r"""Give the same JSON with control characters escaped, as in "\u001b"."""
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)


@contextmanager
def progress_bar(title: str, *, shown: bool = True) -> Iterator[Progress | None]:
    """Draw a bar on a terminal while something long runs; nothing in a pipe."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hornbeam.data.in_words import printable

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
        msg = f"{option} {path}: pictures are SVG; expected a name that ends in .svg"
        raise ValueError(msg)
    check_folder(option, path)


def check_folder(option: str, path: str) -> None:
    """Refuse, before the work, a file whose folder does not exist."""
    if not Path(path).absolute().parent.is_dir():
        msg = f"{option} {path}: there is no folder {Path(path).absolute().parent}"
        raise ValueError(msg)


def picture_of(model: Any, theme: str = "auto", **studied: Any) -> str:  # noqa: ANN401 - any model or estimator
    """Draw a model as SVG; for a forest, the importance of its columns; `studied` is about the nodes of a tree."""
    from hornbeam import show
    from hornbeam.model.forests.forest import Forest

    draw = show.importances if isinstance(getattr(model, "model_", model), Forest) else show.svg
    return draw(model, theme=theme, **studied)


def write_picture(path: str, picture: str) -> None:
    """Write a picture to a file, whole or not at all."""
    from hornbeam.data.replacing import replacing

    with replacing(path) as file:
        file.write(f"{picture}\n".encode())


def score_lines(title: str, score: ClassificationScore | RegressionScore, *, seen: bool = False) -> list[str]:
    """Describe a score in a line or two; for training rows, only how many were right."""
    from hornbeam.evaluate.scores import ClassificationScore

    if not isinstance(score, ClassificationScore):
        return _error_lines(title, score, seen=seen)
    right = float(score.confusion.trace())
    shown = f"{right:.0f}" if right == round(right) else f"{right:.2f}"
    text = f"{title}: {percent(score.accuracy)} right ({shown} of {score.n_rows} rows"
    costs = []
    if score.mean_cost is not None and score.baseline_cost is not None:
        costs = [f"  mean cost {score.mean_cost:.4g}; always predicting the cheapest class: {score.baseline_cost:.4g}"]
    if seen:
        return [f"{text})", *costs]
    interval = " to ".join(map(percent, score.interval))
    return [
        f"{text}; 95% interval {interval})",
        f"  kappa {_decimals(score.kappa)}; always predicting the most common class: {percent(score.baseline)}",
        *costs,
    ]


def _error_lines(title: str, score: RegressionScore, *, seen: bool) -> list[str]:

    errors = f"{score.mean_absolute_error:.4g}, root mean squared error {score.root_mean_squared_error:.4g}"
    text = f"{title}: mean absolute error {errors}"
    if seen:
        return [f"{text}, R² {_decimals(score.r2)} ({score.n_rows} rows)"]
    interval = " to ".join(map(_decimals, score.interval))
    relative = f"{percent(score.relative_absolute_error)} and {percent(score.root_relative_squared_error)}"
    fit = f"  R² {_decimals(score.r2)} (95% interval {interval}), correlation {_decimals(score.correlation)}"
    return [f"{text} ({score.n_rows} rows)", f"{fit}; errors are {relative} of those of always predicting the mean"]


def _decimals(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def known(values: Any) -> list[float | None]:  # noqa: ANN401 - an array
    """Give an array as a list for programs, with None for NaN."""
    return [None if math.isnan(value) else value for value in values.tolist()]


def complexity_lines(steps: Any) -> list[str]:  # noqa: ANN401 - a CpTable
    """Write a cost-complexity table: a line for each tree of the sequence, errors relative to the root's."""
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
