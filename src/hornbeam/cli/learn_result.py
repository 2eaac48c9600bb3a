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
from hornbeam.cli.options import fitted
from hornbeam.cli.scheme_options import DEFAULT_SCHEME, NUMBER_SCHEME
from hornbeam.data.errors import for_shell
from hornbeam.data.in_words import percent, plural, shortened
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.learn.base.estimator import usable_rows
from hornbeam.learn.base.parameters import plain_value
from hornbeam.show.texts.wording import date, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.data.examine import Finding
    from hornbeam.data.schema import Numeric
    from hornbeam.data.table import Table
    from hornbeam.evaluate import CalibratedModel, CrossValidation, RegressionScore, StabilityStudy, Tuning
    from hornbeam.evaluate.verdicts.conclusion import Verdict
    from hornbeam.schemes import Scheme
    from hornbeam.show.texts.styles import Room

SMALL_CONFIDENCE = 0.1  # prunes clearly more than the default
SMALL_DEPTH = 3  # the same for other schemes
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
    findings: Sequence[Finding] = ()  # findings about the data that may affect the scores
    scheme_by_target: bool = False  # whether the scheme was chosen by the kind of the target
    tuning: Tuning | None = None
    order: str | None = None  # the column that gives the time order of folds
    p_values: bool = False  # whether to print p-values of the splits
    list_rows: bool = False  # whether to list the rows that were kept and dropped
    calibration: CalibratedModel | None = None
    stability: StabilityStudy | None = None
    covered: float | None = None  # fraction of the test rows inside their sets or intervals

    def to_json(self, style: str, *, why: bool) -> dict[str, Any]:
        """Return everything as plain data."""
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
            "verdict": None if self.verdict is None else self.verdict.to_json(),
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

    def _text(self, style: str, room: Room | None = None) -> str:
        """The model as text, with the calibration of its leaves and the stability of its splits."""
        studied: dict[str, Any] = {"calibration": self.calibration, "stability": self.stability}
        return show.text(self.estimator, style=style, p_values=self.p_values, room=room, **studied)

    @property
    def _steps(self) -> Any:  # noqa: ANN401 - the learner's own
        """The complexity table of estimators that have one."""
        return getattr(self.estimator, "cp_table_", None)

    def show(self, style: str, *, why: bool) -> None:
        """Print everything for people."""
        if self.tuning is not None:
            heading(f"Tuning of {', '.join(self.tuning.searches)}")
            click.echo(f"{output.room(output.SECTION_LINES).cut(self.tuning.text())}\n")
        heading(f"{self.scheme.heading} for {printable(self.table.schema.target_column.name)}")
        text = self._text(style, output.room())
        click.echo(f"{fitted(about(self.table))}\n\n{text}")
        if self.calibration is not None:
            click.echo(self.calibration.coverage_statement())
        if self._steps is not None and len(self._steps) > 1:
            lines = output.complexity_lines(self._steps, self.estimator.recipe().choose)
            section("Cost-complexity table", fitted("\n".join(lines)))
        if self.list_rows:
            from hornbeam.show.texts.neighbors.instances_text import list_rows

            section("Rows", list_rows(self.estimator.model_, self.table, np.flatnonzero(usable_rows(self.table))))
        if why:
            section("Why", show.why(self.estimator), output.WHY_LINES - text.count("\n"))
        self._show_scores()

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the last score of held-out rows; None if there is none."""
        if self.test is None and self.validation is None and self.tuning is None:
            return None
        from hornbeam.evaluate.verdicts.doubts import doubts_of
        from hornbeam.evaluate.verdicts.of_score import of_score

        noun = output.noun_of(self.scheme.makes)
        doubts = doubts_of(self.findings, output.used_names(self.estimator.model_, self.findings))
        if self.test is not None:
            return of_score(self.test, noun).with_doubts(doubts)
        if self.tuning is not None:
            from hornbeam.evaluate.verdicts.of_tuning import of_tuning

            return of_tuning(self.tuning, noun).with_doubts(doubts)
        assert self.validation is not None
        return of_score(self.validation.score, noun).with_doubts(doubts)

    def _show_scores(self) -> None:
        seen = "\n".join(output.score_lines("On the training rows", self.train, seen=True))
        section("How good is it?", fitted(seen))
        last: ClassificationScore | RegressionScore | None = None
        doubt = output.see_warnings(self.findings, self.estimator.model_)
        if self.validation is not None:
            last = self.validation.score
            group = self.table.schema.with_role("group")
            title = output.folds_in_words(
                self.validation.folds, None if group is None else self.table.schema.names[group], self.order
            )
            title += ", tuned again in each fold" if self.tuning else ""
            click.echo(fitted("\n".join(output.score_lines(title, last, doubt=doubt))))
        if self.test is not None:
            last = self.test
            click.echo(fitted("\n".join(output.score_lines("On the test rows", last, doubt=doubt))))
        if self.covered is not None and self.calibration is not None:
            kind = "sets" if isinstance(last, ClassificationScore) else "intervals"
            click.echo(f"Inside their {kind}: {percent(self.covered)} of the test rows")
        if isinstance(last, ClassificationScore):
            click.echo()
            click.echo("\n".join(output.class_lines(last, output.console().width)))
        verdict = self.verdict
        if verdict is not None:
            output.show_verdict(verdict)


def _size(model: Any) -> dict[str, int]:  # noqa: ANN401 - any model
    """Count the parts of a model: nodes of a tree, terms of an equation, kept rows."""
    kinds = {kind.__name__ for kind in type(model).__mro__}
    return next(count(model) for kind, count in SIZES if kind in kinds)


def _rules(model: Any) -> dict[str, int]:  # noqa: ANN401 - a RuleList
    from hornbeam.model.rules.exceptions import places

    return {"rules": sum(place[-1] >= 0 for place, _ in places(model))}  # exceptions are rules too


# By the name of the class, so that one kind of model does not import all others.
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


def section(title: str, text: str, most: int = output.SECTION_LINES) -> None:
    """Print a blank line, a title and a text, at most `most` lines of it unless --all was given."""
    click.echo()
    heading(title)
    click.echo(output.room(most).cut(text))


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
    first = order[:MOST_CLASSES].tolist()
    names = shortened([column.categories[code] for code in first], 24)
    named = [f"{name} {counts[code]}" for name, code in zip(names, first, strict=True)]
    more = len(order) - len(named)
    return f"{rows}; {', '.join(named)}{f' and {more} more classes' if more > 0 else ''}"


def number_text(column: Numeric, value: float) -> str:
    """Write a number of a column: a date as a date, any other with at most six digits."""
    return f"{value:.6g}" if column.format is None else date(value, column.format)


def program_name() -> str:
    """Return how to run this program: its name if it is on the path, else its full path."""
    typed = Path(sys.argv[0])
    if typed.name != "hornbeam" or shutil.which("hornbeam") == str(typed.absolute()):
        return "hornbeam"
    return for_shell(str(typed))


def suggest(result: LearnResult, source: str, *, target: str | None, saved: str | None) -> None:
    """Suggest commands to try next."""
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
        lines[1] = (
            f"{again} --scheme cart --choose least",
            "the tree with the least error in its own cross-validation",
        )
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
    fits = width + max(len(reason) for _, reason in lines) + 4 <= output.text_width()
    click.echo()
    heading("Try next")
    for command, reason in lines:
        if fits:
            click.echo(f"  {command.ljust(width)}  {click.style(reason, dim=True)}")
        else:
            click.echo(f"  {click.style(f'# {reason}', dim=True)}\n  {command}")
