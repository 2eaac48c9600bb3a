"""Rows of cells as lines of text: in columns for a terminal, or as a Markdown table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import width

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~&])")  # what Markdown might obey


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Write rows with their cells in columns, flush right but for those at the places `left`; all lines equally long.

    Examples
    --------
    >>> aligned([["method", "leaves"], ["none", "8.4"]])
    ['method  leaves', 'none       8.4']
    """
    widths = [max(width(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for place, (cell, room) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (room - width(cell))
            cells.append(cell + blanks if place in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    longest = max(map(width, lines))
    return [line + " " * (longest - width(line)) for line in lines]


def markdown(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    r"""Write rows as a Markdown table, the first as its head; what a cell says is never markup.

    Examples
    --------
    >>> markdown([["method", "leaves"], ["a|b", "8.4"]])
    ['| method | leaves |', '|---|---:|', '| a\\|b | 8.4 |']
    """
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in rows]
    marks = "|".join("---" if place in left else "---:" for place in range(len(rows[0])))
    return [lines[0], f"|{marks}|", *lines[1:]]


def plain(cell: str) -> str:
    """Make a text harmless in Markdown."""
    return MARKUP.sub(r"\\\1", cell)
