"""What `hornbeam learn` prints for people, and writes as JSON for programs."""

from __future__ import annotations

import math
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from hornbeam import show
from hornbeam.cli import output
from hornbeam.cli.scheme_options import DEFAULT_SCHEME, NUMBER_SCHEME
from hornbeam.data.errors import for_shell
from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.learn.base.estimator import plain_value, usable_rows
from hornbeam.show.texts.wording import date, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.data.schema import Numeric
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CalibratedModel, CrossValidation, RegressionScore, StabilityStudy, Tuning
    from hornbeam.schemes import Scheme

SMALL_CONFIDENCE = 0.1  # prunes visibly more than the default
LARGE_CP, SMALL_DEPTH = 0.05, 3  # the same for other schemes
MOST_CLASSES = 8  # listed in the line about the data


@dataclass(frozen=True, kw_only=True, eq=False)
class LearnResult:
    """A fitted estimator, its scores, and notes about the data."""

    scheme: Scheme
    estimator: Any
    table: Table
    seconds: float
    train: ClassificationScore | RegressionScore
    validation: CrossValidation | None
    test: ClassificationScore | RegressionScore | None
    notes: Sequence[str]
    cautions: Sequence[str]
    scheme_by_target: bool = False  # nobody named a scheme, and the target's kind chose it
    tuning: Tuning | None = None
    chance: bool = False  # whether to print p-values of the splits
    list_rows: bool = False  # whether to list the rows that were kept and dropped
    calibration: CalibratedModel | None = None
    stability: StabilityStudy | None = None
    covered: float | None = None  # fraction of the test rows inside their sets or intervals

    def to_json(self, style: str, *, why: bool) -> dict[str, Any]:
        """Give everything as plain data."""
        model, schema = self.estimator.model_, self.table.schema
        plain: dict[str, Any] = {
            "scheme": self.scheme.name,
            "estimator": self.scheme.estimator,
            "parameters": {name: plain_value(value) for name, value in self.estimator.get_params().items()},
            "data": {"name": schema.name, "rows": self.table.n_rows, "columns": len(schema.columns)},
            "target": schema.target_column.name,
            "text": self._text(style),
            **_size(model),
            "train": self.train.to_json(),
            "cv": None if self.validation is None else self.validation.to_json(),
            "test": None if self.test is None else self.test.to_json(),
            "seconds": self.seconds,
            "notes": list(self.notes),
            "warnings": list(self.cautions),
        }
        if self.calibration is not None:
            plain["calibration"] = self.calibration.to_json()
            if self.covered is not None:
                plain["calibration"]["covered"] = None if math.isnan(self.covered) else self.covered
        if self.stability is not None:
            plain["stability"] = self.stability.to_json()
        if self.tuning is not None:
            plain["tuning"] = self.tuning.to_json()
        if self._steps is not None:
            names = ("cp", "n_splits", "error", "cv_error", "cv_std_error")
            columns = {name: output.known(getattr(self._steps, name)) for name in names}
            plain["cp_table"] = [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if self.list_rows:
            from hornbeam.show.texts.neighbors.instances_text import row_numbers

            plain["rows"] = row_numbers(model, np.flatnonzero(usable_rows(self.table)))
        if why:
            plain["why"] = show.why(self.estimator)
        return plain

    def _text(self, style: str) -> str:
        """The model as text, with what was studied about its leaves and splits."""
        return show.text(
            self.estimator, style=style, chance=self.chance, calibration=self.calibration, stability=self.stability
        )

    @property
    def _steps(self) -> Any:  # noqa: ANN401 - the learner's own
        """The complexity table of estimators that have one."""
        return getattr(self.estimator, "cp_table_", None)

    def show(self, style: str, *, why: bool) -> None:
        """Print everything for people."""
        if self.tuning is not None:
            heading(f"Tuning of {', '.join(self.tuning.searches)}")
            click.echo(f"{self.tuning.text()}\n")
        heading(f"{self.scheme.heading} for {printable(self.table.schema.target_column.name)}")
        click.echo(f"{about(self.table)}\n\n{self._text(style)}")
        if self.calibration is not None:
            click.echo(self.calibration.promise())
        if self._steps is not None and len(self._steps) > 1:
            section("Cost-complexity table", "\n".join(output.complexity_lines(self._steps)))
        if self.list_rows:
            from hornbeam.show.texts.neighbors.instances_text import list_rows

            section("Rows", list_rows(self.estimator.model_, self.table, np.flatnonzero(usable_rows(self.table))))
        if why:
            section("Why", show.why(self.estimator))
        self._show_scores()

    def _show_scores(self) -> None:
        section("How good is it?", "\n".join(output.score_lines("On the training rows", self.train, seen=True)))
        last: ClassificationScore | RegressionScore | None = None
        if self.validation is not None:
            last = self.validation.score
            title = (
                f"{self.validation.folds}-fold cross-validation{', tuned again in each fold' if self.tuning else ''}"
            )
            click.echo("\n".join(output.score_lines(title, last)))
        if self.test is not None:
            last = self.test
            click.echo("\n".join(output.score_lines("On the test rows", last)))
        if self.covered is not None and self.calibration is not None:
            kind = "sets" if isinstance(last, ClassificationScore) else "intervals"
            click.echo(f"Inside their {kind}: {percent(self.covered)} of the test rows")
        if isinstance(last, ClassificationScore):
            click.echo()
            click.echo("\n".join(output.confusion_lines(last, output.console().width)))


def _size(model: Any) -> dict[str, int]:  # noqa: ANN401 - any model
    """Count what a model is made of: nodes of a tree, terms of an equation, rows that are kept."""
    kinds = {kind.__name__ for kind in type(model).__mro__}
    return next(count(model) for kind, count in SIZES if kind in kinds)


def _rules(model: Any) -> dict[str, int]:  # noqa: ANN401 - a RuleList
    from hornbeam.model.rules.exceptions import places

    return {"rules": sum(place[-1] >= 0 for place, _ in places(model))}  # exceptions are rules too


# By the name of the class, so that a model of one kind does not import all the others.
SIZES: tuple[tuple[str, Callable[[Any], dict[str, int]]], ...] = (
    ("LinearModel", lambda model: {"terms": len(model.terms)}),
    ("DiscretizedModel", lambda model: {"intervals": len(model.values), **_size(model.classifier)}),
    ("CorrectedModel", lambda model: {**_size(model.base), "kept": len(model)}),
    ("Ensemble", lambda model: {"members": len(model.members)}),
    ("RuleList", _rules),
    ("Forest", lambda model: {"trees": model.n_trees, "leaves": model.n_leaves}),
    ("Tree", lambda model: {"leaves": model.n_leaves, "size": model.n_nodes, "depth": model.depth}),
    ("object", lambda model: {"kept": len(model)} if hasattr(model, "__len__") else {}),
)


def heading(text: str) -> None:
    """Print a title."""
    click.secho(text, bold=True)


def section(title: str, text: str) -> None:
    """Print a blank line, a title and a text."""
    click.echo()
    heading(title)
    click.echo(text)


def about(table: Table) -> str:
    """Describe the training data in one line."""
    column, truth = table.schema.target_column, table.target_values()
    features = plural(len(table.schema.features), "feature column")
    rows = f"{printable(table.schema.name)}: {plural(table.n_rows, 'row')}, {features}"
    if not isinstance(column, Nominal):
        known = truth[~np.isnan(truth)]
        if not len(known):
            return rows
        least, mean, most = (number_text(column, float(f(known))) for f in (np.min, np.mean, np.max))
        return f"{rows}; {printable(column.name)} from {least} to {most}, mean {mean}"
    counts = np.bincount(truth[truth >= 0], minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable")
    named = [f"{printable(column.categories[code], 24)} {counts[code]}" for code in order[:MOST_CLASSES]]
    more = len(order) - len(named)
    return f"{rows}; {', '.join(named)}{f' and {more} more classes' if more > 0 else ''}"


def number_text(column: Numeric, value: float) -> str:
    """Write a number of a column: a date as a date, any other with at most six digits."""
    return f"{value:.6g}" if column.format is None else date(value, column.format)


def program_name() -> str:
    """Give what to type to run this program: its name where a shell would find it, else its path."""
    typed = Path(sys.argv[0])
    if typed.name != "hornbeam" or shutil.which("hornbeam") == str(typed.absolute()):
        return "hornbeam"
    return for_shell(str(typed))


def suggest(result: LearnResult, source: str, *, target: str | None, saved: str | None) -> None:
    """Name commands worth trying next."""
    data = for_shell(source)
    program = program_name()
    again = f"{program} learn {data}" + (f" --target {for_shell(target)}" if target else "")
    name = result.scheme.name
    same = again + ("" if name == DEFAULT_SCHEME or result.scheme_by_target else f" --scheme {name}")
    lines = [
        (f"{same} --why", "show the arithmetic"),
        (f"{same} --confidence {SMALL_CONFIDENCE}", "a smaller tree"),
        (f"{same} --save tree.hornbeam", "save the model"),
        (f"{program} predict tree.hornbeam {data}", "and predict with it"),
        (f"{program} data {data}", "describe its columns"),
        (f"{program} learn YOUR.csv --target COLUMN", "your own table"),
    ]
    if name == "cart":
        lines[1] = (f"{same} --cp {LARGE_CP}", "a smaller tree")
    elif name == "tree":
        lines[1] = (f"{same} --max-depth {SMALL_DEPTH}", "a smaller tree")
    elif name != "c45":
        lines[1] = (f"{again} --scheme c45", "a pruned tree")
    elif result.estimator.confidence <= SMALL_CONFIDENCE:
        lines[1] = (f"{again} --prune none", "the whole tree")
    if not result.scheme.has("keep_trace"):
        number = result.scheme.predicts == "number"
        other = (NUMBER_SCHEME, "a regression tree") if number else (DEFAULT_SCHEME, "a tree to read")
        lines[:2] = [(f"{again} --scheme {other[0]}", other[1])]
    if saved is not None:
        lines[-4:-2] = [(f"{program} predict {for_shell(saved)} {data}", "predict with the model")]
    width = max(len(command) for command, _ in lines)
    click.echo()
    heading("Try next")
    for command, reason in lines:
        click.echo(f"  {command.ljust(width)}  {click.style(reason, dim=True)}")
