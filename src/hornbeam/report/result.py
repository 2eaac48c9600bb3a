"""The contents of a report, and writing it as HTML, Markdown or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.data.replacing import replacing
from hornbeam.evaluate.plain import plain_fields
from hornbeam.evaluate.verdicts.doubts import doubts_of
from hornbeam.evaluate.verdicts.verdict import verdict
from hornbeam.report.alerts import alerts_of
from hornbeam.schemes import find

if TYPE_CHECKING:
    import os

    from hornbeam.data.examine import Description, Finding
    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import Comparison, HeldOut, TableComparison
    from hornbeam.evaluate.verdicts.conclusion import Verdict
    from hornbeam.report.about import About
    from hornbeam.report.alerts import Alert
    from hornbeam.report.choice import Choice, Size
    from hornbeam.report.content.blocks import Section
    from hornbeam.report.effects import Effect, Importance
    from hornbeam.report.examples import Example
    from hornbeam.report.listing import Line
    from hornbeam.report.metrics import ClassMetrics, RegressionMetrics
    from hornbeam.report.origin import Origin
    from hornbeam.report.relations import Relation
    from hornbeam.report.slices import Slice
    from hornbeam.report.thresholds import Thresholds
    from hornbeam.schemes import Predicts

MOST_SCRIPT = 600_000  # maximum length of a model's script in a page
Form = Literal["html", "markdown", "json"]
BY_ENDING: dict[str, Form] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}


class Document:
    """The base class of reports: sections and summary, and writing as a page or Markdown."""

    @property
    def title(self) -> str:
        """The subject of the report."""
        raise NotImplementedError

    @property
    def heading(self) -> str:
        """The heading of the report."""
        return f"Report on {self.title}"

    @property
    def version(self) -> str:
        """The version of hornbeam that made it."""
        raise NotImplementedError

    def sections(self) -> tuple[Section, ...]:
        """The content, section by section."""
        raise NotImplementedError

    def cards(self) -> list[tuple[str, str, str]]:
        """The headline: names, values and notes."""
        raise NotImplementedError

    def summary(self) -> str:
        """A short summary in one paragraph; empty if there is none."""
        return ""

    def shown_alerts(self) -> tuple[Alert, ...]:
        """The most important points for a reader, the most serious first."""
        return ()

    def about_lines(self) -> list[str]:
        """Who made it and when, and notes: paragraphs at the top."""
        return []

    def scripts(self) -> list[str]:
        """Script elements at the end of its page."""
        return []

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        raise NotImplementedError

    def html(self) -> str:
        """One HTML page that loads nothing else."""
        from hornbeam.report.page import page  # noqa: PLC0415 - it builds on this module

        return page(self)

    def markdown(self) -> str:
        """The same as Markdown, without pictures."""
        from hornbeam.report.markdown import markdown  # noqa: PLC0415 - as above

        return markdown(self)

    def save(self, path: str | os.PathLike[str], form: Form | None = None) -> None:
        """Write the report to a file, which is replaced only when the report is complete.

        Parameters
        ----------
        path : path
            The file.
        form : {"html", "markdown", "json"}, optional
            What to write; by default by the path's ending, .html, .md or .json.
        """
        chosen = form or form_of(path)
        if chosen == "json":
            import json  # noqa: PLC0415 - seldom needed

            written = json.dumps(self.to_json(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        else:
            written = self.html() if chosen == "html" else self.markdown()
        with replacing(path) as file:
            file.write(written.encode())


@dataclass(frozen=True, eq=False, kw_only=True)
class Report(Document):
    """The result of `hornbeam.report.build`.

    Parameters
    ----------
    table : Table
        The data.
    predicts : {"category", "number"}
        What its target holds.
    description : Description
        Summaries of its columns.
    findings : tuple of Finding
        Problems of the data that may mislead a learner.
    relations : tuple of Relation
        The relation of each column to the target, strongest first.
    comparison : Comparison
        The schemes on the same folds.
    left_out : tuple of str
        Schemes that are usually compared, but take too long for this many rows.
    limited_tree : bool
        Whether a tree with few leaves was compared because other models are too large.
    choice : Choice
        The scheme that the rest is about, and why.
    estimator : estimator
        The estimator of that scheme, fitted on all rows.
    size : Size or None
        The size of its model.
    lines : tuple of Line
        Its leaves or rules.
    held_out : HeldOut
        Its predictions for rows that it had not seen (in the first repeat); all metrics are computed from these.
    metrics : ClassMetrics or RegressionMetrics
        How good these predictions are.
    importance : tuple of Importance
        How much worse they are when a column is shuffled, the most important column first.
    effects : tuple of Effect
        How predictions change with the most important columns.
    thresholds : Thresholds or None
        The effect of every threshold on the probability, if there are two classes.
    slices : tuple of Slice
        Where the predictions are wrong, worst first.
    examples : tuple of Example
        Rows to trace, largest errors first.
    about : About
        Title, author, date and notes.
    origin : Origin
        How to reproduce the report.
    """

    table: Table
    predicts: Predicts
    description: Description
    findings: tuple[Finding, ...]
    relations: tuple[Relation, ...]
    comparison: Comparison
    left_out: tuple[str, ...]
    limited_tree: bool
    choice: Choice
    estimator: Any
    size: Size | None
    lines: tuple[Line, ...]
    held_out: HeldOut
    metrics: ClassMetrics | RegressionMetrics
    importance: tuple[Importance, ...]
    effects: tuple[Effect, ...]
    thresholds: Thresholds | None
    slices: tuple[Slice, ...]
    examples: tuple[Example, ...]
    about: About
    origin: Origin

    @property
    def title(self) -> str:
        """The names of table and target."""
        return f"{self.table.schema.name}: {self.table.schema.target_column.name}"

    @property
    def heading(self) -> str:
        """The title that was given, if any."""
        return self.about.title or super().heading

    @property
    def version(self) -> str:
        """The version of hornbeam that made it."""
        return self.origin.versions["hornbeam"]

    def sections(self) -> tuple[Section, ...]:
        """The content, section by section."""
        from hornbeam.report.content.sections import sections  # noqa: PLC0415 - it builds on this module

        return sections(self)

    def cards(self) -> list[tuple[str, str, str]]:
        """The headline: names, values and notes."""
        from hornbeam.report.content.top import cards  # noqa: PLC0415 - as above

        return cards(self)

    def summary(self) -> str:
        """A short summary in one paragraph."""
        from hornbeam.report.content.top import summary  # noqa: PLC0415 - as above

        return summary(self)

    def shown_alerts(self) -> tuple[Alert, ...]:
        """The most important points for a reader, the most serious first."""
        return self.alerts

    def about_lines(self) -> list[str]:
        """Who made it and when, and notes: paragraphs at the top."""
        from hornbeam.report.content.top import about_lines  # noqa: PLC0415 - as above

        return about_lines(self)

    @cached_property
    def verdict(self) -> Verdict:
        """Whether the held-out predictions are better than the baseline, in one sentence."""
        from hornbeam.report.form import used_names  # noqa: PLC0415 - as above

        used = used_names(self.estimator.model_)
        bearing = (one for one in self.findings if used is None or one.column in used or one.kind == "groups")
        doubts = doubts_of(bearing)
        return verdict(self.metrics.score, noun=self.noun, doubts=doubts)

    @property
    def noun(self) -> str:
        """The noun for the model in a sentence."""
        makes = find(self.choice.scheme, self.predicts).makes
        return {"rules": "list of rules", "tree": "tree", "equation": "equation"}.get(makes, "model")

    @cached_property
    def alerts(self) -> tuple[Alert, ...]:
        """Reasons for caution, the most serious first."""
        return alerts_of(self)

    def scripts(self) -> list[str]:
        """The scripts of the form: its data and the model."""
        from hornbeam.report.page import scripts  # noqa: PLC0415 - as above

        return scripts(self)

    @property
    def compared(self) -> TableComparison:
        """The comparison on the one table."""
        return self.comparison.tables[0]

    @cached_property
    def script(self) -> str | None:
        """The model as JavaScript; None if it cannot be written as such, or is too large for a page."""
        from hornbeam.export import javascript  # noqa: PLC0415 - only a page needs it

        try:
            written = javascript(self.estimator)
        except TypeError:
            return None
        return written if len(written) <= MOST_SCRIPT else None

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        from hornbeam.show import text  # noqa: PLC0415 - needed here alone

        return (
            plain_fields(self, "title target=table.schema.target_column.name predicts data=description")
            | plain_fields(self, "about verdict alerts")
            | {"summary": self.summary(), "warnings": [finding.message for finding in self.findings]}
            | plain_fields(self, "relations comparison left_out choice")
            | {"model": {"text": text(self.estimator)} | plain_fields(self, "size lines")}
            | plain_fields(self, "metrics importance effects thresholds slices examples origin")
        )

    def _repr_html_(self) -> str:
        """The view in a notebook: the summary and the model."""
        from hornbeam.report.compact import compact_report  # noqa: PLC0415 - as above

        return compact_report(self)


def form_of(path: str | os.PathLike[str]) -> Form:
    """Return the format of a report by the ending of the file's name."""
    suffix = Path(path).suffix.lower()
    if suffix not in BY_ENDING:
        raise ValueError(f"the report's file {Path(path).name!r} ends in {suffix!r}; expected {', '.join(BY_ENDING)}")
    return BY_ENDING[suffix]
