"""A report as Markdown: the same texts and tables as the page, without pictures and the form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hornbeam.report.alerts import SEVERITIES
from hornbeam.report.content.blocks import Beside, Charts, Folded, Grid, Heading, Raw, Try, Verbatim, Warned, Words
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.report.content.blocks import Block
    from hornbeam.report.result import Document

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")


def markdown(report: Document) -> str:
    """Write a report as Markdown.

    Parameters
    ----------
    report : Document
        What to write.

    Returns
    -------
    str
        Text that ends with a line end. Names from data are escaped: none of them is markup.
    """
    parts = [f"# {plain(report.heading)}", *map(plain, report.about_lines()), plain(report.summary())]
    cards = [(name, f"{value}, {note}" if note else value) for name, value, note in report.cards()]
    parts.append("\n".join(f"- **{plain(name)}**: {plain(value)}" for name, value in cards))
    parts.append("\n".join(f"- **{SEVERITIES[one.severity]}:** {plain(one.message)}" for one in report.shown_alerts()))
    for one in report.sections():
        parts += [f"## {plain(one.title)}", *_blocks(one.blocks)]
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: str) -> str:
    r"""Escape a text for Markdown.

    Examples
    --------
    >>> plain("<b>|*x*")
    '\\<b\\>\\|\\*x\\*'
    """
    return SPECIAL.sub(r"\\\1", printable(text))


def _blocks(content: Iterable[Block]) -> list[str]:
    return [_block(block) for block in content]


def _block(block: Block) -> str:  # noqa: PLR0911 - one case per kind of block
    match block:
        case Words():
            return plain(block.text)
        case Heading():
            return f"### {plain(block.text)}"
        case Warned():
            return "\n".join(f"- **Note:** {plain(item)}" for item in block.items)
        case Grid():
            return _grid(block)
        case Verbatim():
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", block.text)), default=0))
            return f"{fence}{block.language}\n{block.text}\n{fence}"
        case Folded():
            return "\n\n".join([f"**{plain(block.summary)}**", *filter(None, _blocks(block.blocks))])
        case Beside():
            return "\n\n".join(part for column in block.columns for part in _blocks(column) if part)
        case Try():
            return "\n\n".join(filter(None, _blocks(block.beside)))
        case Charts() | Raw():
            return ""


def _grid(block: Grid) -> str:
    def line(cells: Iterable[str]) -> str:
        return f"| {' | '.join(cells)} |"

    marks = ["---:" if place in block.numbers else "---" for place in range(len(block.head))]
    rows = []
    for number, row in enumerate(block.rows):
        cells = [plain(cell) for cell in row]
        rows.append(line([f"**{cells[0]}**", *cells[1:]] if number in block.marked and cells[0] else cells))
    caption = [plain(block.caption), ""] if block.caption else []
    return "\n".join([*caption, line(plain(word) or " " for word in block.head), line(marks), *rows])
