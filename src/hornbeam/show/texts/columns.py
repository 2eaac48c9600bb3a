"""Rows of cells as lines of text: in columns for a terminal, or as a Markdown table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import width

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~&])")  # characters with a meaning in Markdown


def aligned(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    """Write rows with their cells in columns, right-aligned except for the columns `left`.

    Examples
    --------
    >>> aligned([["method", "leaves"], ["none", "8.4"]])
    ['method  leaves', 'none       8.4']
    """
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = []
        for i, (cell, wide) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (wide - width(cell))
            cells.append(cell + blanks if i in left else blanks + cell)
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown(rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> list[str]:
    r"""Write rows as a Markdown table, the first as its header; the text of a cell is never markup.

    Examples
    --------
    >>> markdown([["method", "leaves"], ["a|b", "8.4"]])
    ['| method | leaves |', '|---|---:|', '| a\\|b | 8.4 |']
    """
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in rows]
    marks = "|".join("---" if i in left else "---:" for i in range(len(rows[0])))
    return [lines[0], f"|{marks}|", *lines[1:]]


def plain(cell: str) -> str:
    """Escape a text for Markdown."""
    return MARKUP.sub(r"\\\1", cell)
