"""Alerts: reasons for caution in a report, by severity: serious, worth a look, for information."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hornbeam.data.examine import LEAKS, count_duplicates
from hornbeam.data.in_words import percent, printable
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain
from hornbeam.report.baseline import only_by_rows
from hornbeam.report.form import used_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.data.examine import Finding
    from hornbeam.report.result import Report

Severity = Literal["serious", "look", "information"]
SEVERITIES: dict[Severity, str] = {"serious": "Serious", "look": "Worth a look", "information": "For information"}
OF_FINDINGS: dict[str, Severity] = {
    "gives-away": "serious",
    "identifier": "look",
    "constant": "information",
    "all-missing": "information",
    "duplicates": "look",
}
VERY_FEW_ROWS, FEW_ROWS = 50, 200  # held-out rows
MOSTLY_ONE, NEARLY_ONE = 0.8, 0.95  # fraction of the most common class
MANY_MISSING, MOSTLY_MISSING = 0.2, 0.5  # fraction of a column
NEARLY_PERFECT = 0.995  # accuracy or R²
ROWS_PER_CATEGORY, MANY_CATEGORIES = 5, 50
FEW_DUPLICATES = 0.01  # fraction of the rows
MOST_NAMED = 5  # columns named in one alert


@dataclass(frozen=True, slots=True)
class Alert(Plain):
    """One thing to know."""

    severity: Severity  # {"serious", "look", "information"}: how much it matters
    kind: str  # what it is about, in one word for programs
    message: str  # a sentence or two
    leak: bool = False  # whether the main score cannot be trusted because of it


def alerts_of(report: Report) -> tuple[Alert, ...]:
    """Collect the alerts of a report, the most serious first."""
    found = [*_of_findings(report), *_of_target(report), *_of_columns(report), *_of_model(report)]
    return tuple(sorted(found, key=lambda one: (list(SEVERITIES).index(one.severity), not one.leak)))


def _of_findings(report: Report) -> Iterator[Alert]:
    used = used_names(report.estimator.model_)
    for finding in report.findings:
        severity = OF_FINDINGS.get(finding.kind, "look")
        if finding.kind == "duplicates" and count_duplicates(report.table) < FEW_DUPLICATES * report.table.n_rows:
            severity = "information"
        message = _sentence(finding.message)
        if finding.kind not in LEAKS or finding.column is None:
            yield Alert(severity, finding.kind, message)
            continue
        if finding.kind == "groups":
            yield Alert("serious", finding.kind, message, leak=True)
            continue
        in_model = used is None or finding.column in used
        where = "uses it" if in_model else "does not use it"
        yield Alert(
            "serious" if in_model else "look", finding.kind, f"{message} The model {where}.{_remedy(finding)}", in_model
        )


def _remedy(finding: Finding) -> str:
    name = printable(finding.column or "", 40)
    if finding.kind == "gives-away":
        return f" Is '{name}' known before the target is? If not, leave it out: --ignore."
    return ""


def _of_target(report: Report) -> Iterator[Alert]:
    rows = report.metrics.score.n_rows
    if rows < FEW_ROWS:
        severity: Severity = "look" if rows < VERY_FEW_ROWS else "information"
        yield Alert(severity, "few-rows", f"There are only {rows} held-out rows: the scores are uncertain.")
    if isinstance(report.table.schema.target_column, Nominal):
        name, most = max(report.description.balance.items(), key=lambda one: one[1])
        if most >= MOSTLY_ONE:
            yield Alert(
                "serious" if most >= NEARLY_ONE else "look",
                "imbalance",
                f"{percent(most)} of the rows are of the class '{printable(name, 40)}': accuracy says little here. "
                "Look at the recall of the other classes.",
            )


def _of_columns(report: Report) -> Iterator[Alert]:
    rows = max(report.description.rows, 1)
    features = [column for column in report.description.columns if column.role == "feature"]
    mostly = [one.name for one in features if MOSTLY_MISSING <= one.missing / rows < 1]
    many = [one.name for one in features if MANY_MISSING <= one.missing / rows < MOSTLY_MISSING]
    if mostly:
        yield Alert("look", "missing", f"Missing in at least half of the rows: {_named(mostly)}.")
    if many:
        yield Alert("information", "missing", f"Missing in 20% to 50% of the rows: {_named(many)}.")
    named = {finding.column for finding in report.findings}
    wide = [
        one.name
        for one in features
        if one.distinct > MANY_CATEGORIES
        and one.categories
        and rows < ROWS_PER_CATEGORY * one.distinct
        and one.name not in named
    ]
    if wide:
        yield Alert("look", "categories", f"Many categories, with fewer than 5 rows each on average: {_named(wide)}.")


def _of_model(report: Report) -> Iterator[Alert]:
    verdict = report.verdict
    usual = "the most common class" if report.predicts == "category" else "the mean"
    if verdict.better is False and verdict.severity == "bad":
        yield Alert("serious", "verdict", f"For new rows the model is not better than always predicting {usual}.")
    elif verdict.better is not True:
        yield Alert("look", "verdict", f"It is not certain that the model is better than always predicting {usual}.")
    elif uncertain := only_by_rows(report):
        yield Alert("look", "folds", uncertain)
    if verdict.value >= NEARLY_PERFECT and not any(one.kind in LEAKS for one in report.findings):
        yield Alert(
            "look",
            "too-good",
            "The predictions are almost perfect, which is rare: check that no column is known only after the target.",
        )
    if report.size is not None and report.size.largest > report.choice.max_size:
        yield Alert(
            "look",
            "size",
            f"The model has {report.size}, more than the {report.choice.max_size} that a person can read.",
        )
    failed = [one for one in report.compared.outcomes if one.problem]
    if failed:
        names = ", ".join(one.method for one in failed)
        yield Alert("information", "failed", f"Could not be compared: {names} (see the models compared).")


def _sentence(text: str) -> str:
    start = text[:1].upper() + text[1:]
    return start if start.endswith((".", "?", "!")) else f"{start}."


def _named(names: list[str]) -> str:
    shown = ", ".join(f"'{printable(name, 40)}'" for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more columns" if more > 0 else shown
