"""What a report holds: plain data, and the ways to write it down."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.data.replacing import replacing

if TYPE_CHECKING:
    import os

    from hornbeam.data.examine import Description, Finding
    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import Comparison, HeldOut, TableComparison
    from hornbeam.report.blocks import Section
    from hornbeam.report.choice import Choice
    from hornbeam.report.examples import Example
    from hornbeam.report.figures import ClassFigures, NumberFigures
    from hornbeam.report.listing import Line
    from hornbeam.report.origin import Origin
    from hornbeam.report.relations import Relation
    from hornbeam.report.slices import Slice
    from hornbeam.schemes import Predicts

MOST_SCRIPT = 6_000_000  # letters of a model that a page carries
Form = Literal["html", "markdown", "json"]
BY_ENDING: dict[str, Form] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}


class Document:
    """What every report can do: give its sections and its main figures, and write itself as a page or Markdown."""

    @property
    def title(self) -> str:
        """What it is about."""
        raise NotImplementedError

    @property
    def version(self) -> str:
        """The version of hornbeam that made it."""
        raise NotImplementedError

    def sections(self) -> tuple[Section, ...]:
        """What it says, section by section."""
        raise NotImplementedError

    def cards(self) -> list[tuple[str, str, str]]:
        """Its main figures: a name, a figure and what it means, a few times."""
        raise NotImplementedError

    def scripts(self) -> list[str]:
        """Script elements at the end of its page."""
        return []

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        raise NotImplementedError

    def html(self) -> str:
        """One page that needs nothing but itself."""
        from hornbeam.report.page import page  # noqa: PLC0415 - it builds on this module

        return page(self)

    def markdown(self) -> str:
        """The same as Markdown, without pictures."""
        from hornbeam.report.markdown import markdown  # noqa: PLC0415 - as above

        return markdown(self)

    def save(self, path: str | os.PathLike[str], form: Form | None = None) -> None:
        """Write the report to a file, whole or not at all.

        Parameters
        ----------
        path : path
            Where to.
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
    """What `hornbeam.report.build` gives.

    Parameters
    ----------
    table : Table
        The data.
    predicts : {"category", "number"}
        What its target holds.
    description : Description
        Its columns in figures.
    findings : tuple of Finding
        What may spoil learning from it.
    relations : tuple of Relation
        How much each column alone tells of the target, the most first.
    comparison : Comparison
        The schemes on the same folds.
    left_out : tuple of str
        Schemes that are usually compared, but take too long for so many rows.
    choice : Choice
        Which of them the rest is about, and why.
    estimator : estimator
        That one, learned from all rows.
    lines : tuple of Line
        Its leaves or rules.
    held_out : HeldOut
        What it answered to rows that it had not seen (of the first repeat); all figures are worked out from these.
    figures : ClassFigures or NumberFigures
        How good these answers are.
    slices : tuple of Slice
        Where they are wrong, those slices first that stand out.
    examples : tuple of Example
        Rows to trace, the most wrong first.
    origin : Origin
        How to get the same again.
    """

    table: Table
    predicts: Predicts
    description: Description
    findings: tuple[Finding, ...]
    relations: tuple[Relation, ...]
    comparison: Comparison
    left_out: tuple[str, ...]
    choice: Choice
    estimator: Any
    lines: tuple[Line, ...]
    held_out: HeldOut
    figures: ClassFigures | NumberFigures
    slices: tuple[Slice, ...]
    examples: tuple[Example, ...]
    origin: Origin

    @property
    def title(self) -> str:
        """The names of table and target."""
        return f"{self.table.schema.name}: {self.table.schema.target_column.name}"

    @property
    def version(self) -> str:
        """The version of hornbeam that made it."""
        return self.origin.versions["hornbeam"]

    def sections(self) -> tuple[Section, ...]:
        """What it says, section by section."""
        from hornbeam.report.content import sections  # noqa: PLC0415 - it builds on this module

        return sections(self)

    def cards(self) -> list[tuple[str, str, str]]:
        """Its main figures: a name, a figure and what it means, a few times."""
        from hornbeam.report.content import cards  # noqa: PLC0415 - as above

        return cards(self)

    def scripts(self) -> list[str]:
        """The data, the model and the form that uses them."""
        from hornbeam.report.page import scripts  # noqa: PLC0415 - as above

        return scripts(self)

    @property
    def compared(self) -> TableComparison:
        """The comparison on the one table."""
        return self.comparison.tables[0]

    @cached_property
    def script(self) -> str | None:
        """The model as JavaScript; None where there is no such way to write it, or it would swell the page."""
        from hornbeam.export import javascript  # noqa: PLC0415 - only a page needs it

        try:
            written = javascript(self.estimator)
        except TypeError:
            return None
        return written if len(written) <= MOST_SCRIPT else None

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        from hornbeam.show import text  # noqa: PLC0415 - needed here alone

        return {
            "title": self.title,
            "target": self.table.schema.target_column.name,
            "predicts": self.predicts,
            "data": self.description.to_json(),
            "warnings": [finding.message for finding in self.findings],
            "relations": [relation.to_json() for relation in self.relations],
            "comparison": self.comparison.to_json(),
            "left_out": list(self.left_out),
            "choice": self.choice.to_json(),
            "model": {"text": text(self.estimator), "lines": [line.to_json() for line in self.lines]},
            "figures": self.figures.to_json(),
            "slices": [one.to_json() for one in self.slices],
            "examples": [one.to_json() for one in self.examples],
            "origin": self.origin.to_json(),
        }

    def _repr_html_(self) -> str:
        """What a notebook shows: the model and its figures in short; the whole is a page of its own."""
        from hornbeam.report.compact import compact_report  # noqa: PLC0415 - as above

        return compact_report(self)


def form_of(path: str | os.PathLike[str]) -> Form:
    """What a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in BY_ENDING:
        msg = f"the report's file {Path(path).name!r} ends in {suffix!r}; expected {', '.join(BY_ENDING)}"
        raise ValueError(msg)
    return BY_ENDING[suffix]
