"""The top of a report: who made it, a short summary, and the main scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, printable
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.evaluate.verdicts.of_score import explained
from hornbeam.report.content.blocks import counted, number_text
from hornbeam.schemes import find

if TYPE_CHECKING:
    from hornbeam.report.result import Report

NAME_ROOM = 40
MOST_NAMED = 3  # columns in the summary
SEE = "see the alert"


def about_lines(report: Report) -> list[str]:
    """Return who made the report and when, and the notes, one paragraph each."""
    about = report.about
    made = ", ".join(text for text in (about.author, about.date) if text)
    notes = [" ".join(part.split()) for part in (about.notes or "").split("\n\n")]
    return [line for line in (made, *notes) if line]


def summary(report: Report) -> str:
    """Summarize what is predicted, from which columns, how well, what matters most, and the alerts."""
    schema = report.table.schema
    target = f"'{printable(schema.target_column.name, NAME_ROOM)}'"
    rows, columns = counted(report.metrics.score.n_rows, "row"), counted(len(schema.features), "column")
    text = [f"{_model(report)}, learned from {rows}, predicts {target} from {columns}."]
    text.append(report.verdict.text)
    named = [f"'{printable(one.column, NAME_ROOM)}'" for one in report.importance if one.matters][:MOST_NAMED]
    if len(named) == 1:
        text.append(f"The column that matters most is {named[0]}.")
    elif named:
        text.append(f"The columns that matter most are {', '.join(named[:-1])} and {named[-1]}.")
    elif report.importance:
        text.append("No single column clearly matters for held-out rows.")
    if report.choice.trade:
        text.append(report.choice.trade.partition(". Use --scheme")[0] + ".")
    said = report.verdict.text
    caution = next((one for one in report.alerts if one.message not in said and one.kind != "verdict"), None)
    if caution is not None and not report.verdict.doubts and caution.severity != "information":
        text.append(f"Main caution: {caution.message}")
    return " ".join(text)


def cards(report: Report) -> list[tuple[str, str, str]]:
    """Return the headline of a report: names, values and notes."""
    described, metrics, schema = report.description, report.metrics, report.table.schema
    features = counted(len(schema.features), "feature column")
    shown = [("rows", f"{described.rows:,}", f"{features}, target {schema.target_column.name}")]
    size = "" if report.size is None else str(report.size)
    shown.append(("model", find(report.choice.scheme, report.predicts).heading, size))
    score = metrics.score
    warned = f"; {SEE}" if any(one.leak for one in report.alerts) else ""
    if isinstance(score, ClassificationScore):
        interval = "95% interval {} to {}".format(*map(percent, score.interval)) + warned
        shown.append(("accuracy", percent(metrics.measures["accuracy"]), interval))
        shown.append(("most common class", percent(score.baseline), "accuracy of always predicting it"))
        return shown
    error = number_text(metrics.measures["root mean squared error"])
    shown.append(("typical error", error, f"root mean squared error of held-out rows{warned}"))
    share, interval = explained(score)  # the figures of the verdict
    shown.append(("variance explained", share, f"95% interval {interval}{warned}"))
    return shown


def _model(report: Report) -> str:
    """Return the name and the size of the model."""
    if report.size is not None and report.size.unit == "rule":
        return f"A list of {report.size}"
    model = f"{'An' if report.noun[0] in 'aeiou' else 'A'} {report.noun}"
    return model if report.size is None else f"{model} with {report.size}"
