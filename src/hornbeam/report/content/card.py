"""The model card: intended use, training data, groups with larger errors, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, printable
from hornbeam.report.content.blocks import Grid, Section, Words, counted, number_text
from hornbeam.report.metrics import ClassMetrics
from hornbeam.schemes import find

if TYPE_CHECKING:
    from hornbeam.report.result import Report

NAME_ROOM = 40
MOST_GROUPS = 5
LOW_RECALL = 0.5


def card_section(report: Report) -> Section:
    """Collect the facts of a model card."""
    about = report.about
    facts = [
        ("model", _model(report)),
        ("author", about.author or "not stated (--author)"),
        ("date", about.date or "not stated (--date)"),
        ("intended use", about.intended_use or "not stated (--intended-use)"),
        ("training data", _data(report)),
        ("evaluation", _evaluation(report)),
        ("result", report.verdict.text),
        ("groups", _groups(report)),
        ("limits", _limits(report)),
    ]
    text = "The most important facts about the model, in one table."
    return Section("card", "Model card", (Words(text), Grid("", ("", "about the model"), tuple(facts))))


def _model(report: Report) -> str:
    size = f", {report.size}" if report.size is not None else ""
    target = printable(report.table.schema.target_column.name, NAME_ROOM)
    return f"{find(report.choice.scheme, report.predicts).heading}{size}; predicts '{target}'"


def _data(report: Report) -> str:
    described = report.description
    name = printable(described.name, NAME_ROOM)
    columns = counted(len(report.table.schema.features), "feature column")
    return f"{name}: {counted(described.rows, 'row')}, {columns}; fingerprint {report.origin.fingerprint}"


def _evaluation(report: Report) -> str:
    compared = report.comparison
    how = f"{report.compared.folds}-fold cross-validation"
    if compared.order is not None:
        how += f" in the order of {printable(compared.order, NAME_ROOM)}"
    if compared.groups is not None:
        how += f", rows of one {printable(compared.groups, NAME_ROOM)} in the same fold"
    return f"{how}; {counted(report.metrics.score.n_rows, 'held-out row')}"


def _groups(report: Report) -> str:
    """List the groups of rows with larger errors."""
    standing = [one for one in report.slices if one.stands_out][:MOST_GROUPS]
    if not standing:
        return "no group of rows has significantly larger errors than the others (see Where is it wrong?)"
    write = percent if report.predicts == "category" else number_text
    what = "wrong" if report.predicts == "category" else "mean absolute error"
    named = [
        f"{printable(one.column, NAME_ROOM)} {printable(one.part, NAME_ROOM)} ({write(one.error)} {what}, "
        f"elsewhere {write(one.rest)})"
        for one in standing
    ]
    return f"worse for {'; '.join(named)}"


def _limits(report: Report) -> str:
    said = ["The model is valid for rows like its training rows; outside their ranges, predictions are unreliable."]
    if isinstance(report.metrics, ClassMetrics):
        weak = [one.name for one in report.metrics.classes if one.weight > 0 and one.recall < LOW_RECALL]
        if weak:
            named = ", ".join(f"'{printable(name, NAME_ROOM)}'" for name in weak[:MOST_GROUPS])
            said.append(f"It finds fewer than half of the rows of {named}.")
    said += [one.message for one in report.alerts if one.severity == "serious"]
    return " ".join(said)
