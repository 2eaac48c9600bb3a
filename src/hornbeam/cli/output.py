"""How the commands print: results on standard output, notes and progress on the error stream.

Control characters in the data are never sent to the terminal: names go through `printable`, and rich's markup is off.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import PRINT_ALL, fitted, verbosity
from hornbeam.cli.options import check_folder as check_folder  # noqa: PLC0414 - for the commands
from hornbeam.cli.options import remark as remark  # noqa: PLC0414 - the same
from hornbeam.cli.options import warn as warn  # noqa: PLC0414 - the same
from hornbeam.data.in_words import percent, plural, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console

    from hornbeam.data.examine import Finding
    from hornbeam.evaluate import ClassificationScore, RegressionScore
    from hornbeam.evaluate.verdicts.conclusion import Verdict
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.learn.trees.prune.complexity import CpTable
    from hornbeam.show.texts.styles import Room

NAME_LIMIT = 40
NOUNS = ("tree", "forest", "ensemble", "equation")  # kinds of models that can follow "this" in a sentence
PIPE_WIDTH = 1_000  # a pipe has no width: tables are not wrapped
MODEL_LINES, SECTION_LINES, WHY_LINES = 100, 50, 150  # more lines are printed only with --all; the last: with --why
MOST_NOTES = 15
MOSTLY_ONE = 0.9  # fraction of the most common class above which accuracy is misleading
LEAST_WIDTH, USUAL_WIDTH = 60, 100  # width of the text of a model; the second if the output is not a terminal


def console(*, err: bool = False) -> Console:
    """Return a console that prints plain text: no markup, no emoji, no highlighting of numbers."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=True)


def text_width() -> int:
    """Return the line width for models: that of the terminal, or of COLUMNS."""
    if not sys.stdout.isatty() and not os.environ.get("COLUMNS"):
        return USUAL_WIDTH
    return max(shutil.get_terminal_size((USUAL_WIDTH, 0)).columns, LEAST_WIDTH)


def room(lines: int = MODEL_LINES) -> Room:
    """Return the space for a text, by the terminal and --all; see `Room`."""
    from hornbeam.show.texts.styles import Room

    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    more = "--all to print them" + (", --save to keep the model" if given.get("save", "") is None else "")
    return Room(None if prints_all() else lines, text_width(), more)


def prints_all() -> bool:
    """Whether --all was given."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(PRINT_ALL))


def write_json(result: Any) -> None:  # noqa: ANN401 - plain data
    """Write a result for programs."""
    click.echo(json.dumps(result, indent=2, allow_nan=False))


def print_notes(notes: Sequence[str], cautions: Sequence[str], *, quiet: bool) -> None:
    """Print what was guessed about the data, and warnings about it; long lists only with --verbose."""
    for texts, say, word in () if quiet else ((notes, remark, "note"), (cautions, warn, "warning")):
        most = len(texts) if verbosity.verbose else MOST_NOTES
        for text in texts[:most]:
            say(text)
        if len(texts) > most:
            remark(f"… {plural(len(texts) - most, f'more {word}')}; --verbose to print them")


def tree_style(style: str | None) -> str:
    """Return the given text style; by default one that the output's encoding supports."""
    if style is not None:
        return style
    try:
        "│├└─…".encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "ascii"
    return "default"


def without_controls(text: str) -> str:
    r"""Return the same JSON with control characters escaped, as in "\u001b"."""
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)


@contextmanager
def progress_bar(title: str, *, shown: bool = True) -> Iterator[Progress | None]:
    """Draw a bar on a terminal while something long runs; nothing in a pipe."""
    if not shown or verbosity.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    title = printable(title)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(err=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield report


def check_picture(option: str, path: str) -> None:
    """Check, before a long computation, that the picture can be written."""
    if Path(path).suffix.lower() != ".svg":
        msg = f"{option} {path}: pictures are SVG; expected a name that ends in .svg"
        raise ValueError(msg)
    check_folder(option, path)


def picture_of(model: Any, theme: str = "auto", **studied: Any) -> str:  # noqa: ANN401 - any model or estimator
    """Draw a model as SVG; for a forest, the importance of its columns; `studied` has notes about nodes."""
    from hornbeam import show
    from hornbeam.model.forests.forest import Forest

    draw = show.importances if isinstance(getattr(model, "model_", model), Forest) else show.svg
    return draw(model, theme=theme, **studied)


def write_picture(path: str, picture: str) -> None:
    """Write a picture to a file, whole or not at all."""
    from hornbeam.data.replacing import replacing

    with replacing(path) as file:
        file.write(f"{picture}\n".encode())


def known(values: Any) -> list[float | None]:  # noqa: ANN401 - an array
    """Return an array as a list for programs, with None for NaN."""
    return [None if math.isnan(value) else value for value in values.tolist()]


# --- how good a model is: scores in lines and tables, and the verdict --------------------------------------------


def noun_of(makes: str) -> str:
    """Return the noun for a model in a verdict: "tree", or "model" for kinds that cannot follow "this"."""
    return makes if makes in NOUNS else "model"


def used_names(model: Any, findings: Sequence[Finding]) -> set[str] | None:  # noqa: ANN401 - any model
    """Return the columns that a model uses; None if it may use all, or if no finding depends on it."""
    if not any(finding.kind in {"identifier", "calendar"} for finding in findings):
        return None
    from hornbeam.report.form import used_names as names

    return names(model)


def see_warnings(findings: Sequence[Finding], model: Any) -> str:  # noqa: ANN401 - any model
    """Write a reference from a score to the warnings that affect it; empty if there are none."""
    from hornbeam.data.examine import LEAKS

    if not any(one.kind in LEAKS for one in findings):
        return ""
    from hornbeam.evaluate.verdicts.doubts import see_warnings as text

    return text(findings, used_names(model, findings))


def show_verdict(verdict: Verdict) -> None:
    """Print the verdict, at the end of an evaluation."""
    color = {"bad": "yellow"}.get(verdict.severity)
    title = "Verdict: "
    click.echo()
    click.secho(title, bold=True, nl=False)
    click.secho(fitted(f"{title}{verdict.text}").removeprefix(title), fg=color)


def folds_in_words(folds: int, group: str | None, order: str | None) -> str:
    """Write how rows were held out."""
    if order is not None:
        return f"{plural(folds, 'fold')} in the order of {printable(order, NAME_LIMIT)}, tested on later rows"
    by_group = "" if group is None else f" by groups of {printable(group, NAME_LIMIT)}"
    return f"{folds}-fold cross-validation{by_group}"


def score_lines(
    title: str,
    score: ClassificationScore | RegressionScore,
    *,
    seen: bool = False,
    doubt: str = "",
) -> list[str]:
    """Describe a score in a line or two; for training rows, only how many were right.

    `doubt` is the line that refers to the warnings that affect the score.
    """
    from hornbeam.evaluate.scores import ClassificationScore

    if not isinstance(score, ClassificationScore):
        return _error_lines(title, score, seen=seen, doubt=doubt)
    text = f"{title}: {percent(score.accuracy)} right ({_how_many_right(score)}"
    costs = []
    if score.mean_cost is not None and score.baseline_cost is not None:
        costs = [f"  mean cost {score.mean_cost:.4g}; always predicting the cheapest class: {score.baseline_cost:.4g}"]
    if seen:
        return [f"{text})", *costs]
    interval = " to ".join(map(percent, score.interval))
    report = score.report
    more = [f"kappa {_decimals(score.kappa)}", f"balanced accuracy {percent(report.balanced_accuracy)}"]
    more += [] if math.isnan(report.auc) else [f"AUC {report.auc:.3f}"]
    return [
        f"{text}; 95% interval {interval})",
        *([f"  {doubt}"] if doubt else []),
        *_one_class(score),
        f"  {', '.join(more)}; always predicting the most common class: {percent(score.baseline)}",
        *costs,
    ]


def _how_many_right(score: ClassificationScore) -> str:
    """How many rows are right or, if rows have weights, how much of the weight."""
    right, weight = (
        f"{amount:.0f}" if amount == round(amount) else f"{amount:.2f}"
        for amount in (float(score.confusion.trace()), score.weight)
    )
    if score.weight != score.n_rows:
        return f"weight {right} of {weight}; {score.n_rows} rows"
    return f"{right} of {score.n_rows} rows"


def _one_class(score: ClassificationScore) -> list[str]:
    """A note that accuracy is misleading if nearly all rows are of one class."""
    if not MOSTLY_ONE <= score.baseline < 1:
        return []
    rows = score.confusion.sum(axis=1)
    name = printable(score.categories[int(rows.argmax())], NAME_LIMIT)
    return [f"  but {percent(score.baseline)} of these rows are {name!r}: look at balanced accuracy and recall"]


def _error_lines(title: str, score: RegressionScore, *, seen: bool, doubt: str) -> list[str]:
    errors = f"{score.mean_absolute_error:.4g}, root mean squared error {score.root_mean_squared_error:.4g}"
    text = f"{title}: mean absolute error {errors}"
    rows = plural(score.n_rows, "row")
    if seen:
        fit = "" if math.isnan(score.r2) else f", R² {score.r2:.3f}"
        return [f"{text}{fit} ({rows})"]
    interval = " to ".join(map(_decimals, score.interval))
    relative = f"{percent(score.relative_absolute_error)} and {percent(score.root_relative_squared_error)}"
    fit = f"  R² {_decimals(score.r2)} (95% interval {interval}), correlation {_decimals(score.correlation)}"
    return [
        f"{text} ({rows})",
        *([f"  {doubt}"] if doubt else []),
        f"{fit}; errors are {relative} of those of always predicting the mean",
    ]


def _decimals(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def class_lines(score: ClassificationScore, room: int) -> list[str]:
    """Draw the confusion matrix, and the metrics of at most ten classes."""
    from hornbeam.evaluate.curves.confusion import confusion_lines

    return [*confusion_lines(score.categories, score.confusion, room), "", *score.report.lines(room, score.n_rows)]


def complexity_lines(steps: CpTable, choose: str) -> list[str]:
    """Write a cost-complexity table: a line for each tree of the sequence, errors relative to the root's.

    The last line explains which tree was chosen.
    """
    from hornbeam.learn.trees.tree_complexity import chosen_step
    from hornbeam.show.texts.columns import aligned

    validated = not math.isnan(steps.cv_error[0])
    chosen = chosen_step(steps, choose)  # type: ignore[arg-type]
    rows = [["cp", "splits", "error", *(["cross-validated", "standard error"] if validated else [])]]
    for place in range(len(steps)):
        errors = [steps.error[place], *([steps.cv_error[place], steps.cv_std_error[place]] if validated else [])]
        rows.append([f"{steps.cp[place]:.4g}", str(steps.n_splits[place]), *(f"{error:.4f}" for error in errors)])
    lines = aligned(rows, left=())
    lines[chosen + 1] += "  chosen"
    return [*lines, _why_chosen(steps, choose, chosen, validated=validated)]


def _why_chosen(steps: CpTable, choose: str, chosen: int, *, validated: bool) -> str:
    from hornbeam.learn.trees.tree_complexity import chosen_step

    splits = _splits(steps, chosen)
    if choose == "least":
        return f"The tree with {splits} was chosen: it has the least cross-validated error."
    if choose == "1-se":
        least = chosen_step(steps, "least")
        limit = f"{steps.cv_error[least]:.4f} + {steps.cv_std_error[least]:.4f}"
        return (
            f"The tree with {splits} was chosen: the smallest within one standard error of the least cross-validated "
            f"error ({limit})."
        )
    reason = f"The tree with {splits} was chosen: it is that of cp = {steps.cp[chosen]:.4g}."
    best = chosen_step(steps, "1-se") if validated else chosen
    if best == chosen:
        return reason
    return f"{reason} Cross-validation would choose {_splits(steps, best)} (--choose 1-se)."


def _splits(steps: CpTable, place: int) -> str:
    count = int(steps.n_splits[place])
    return "no split" if count == 0 else plural(count, "split")
