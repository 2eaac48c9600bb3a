"""The blocks that a report is made of, before it is a page or Markdown: headings, texts, tables, pictures.

Also how numbers and names are written in them.

The content is made once (`content.py`), as plain text; the writer of each format escapes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_P = 0.0001  # smaller p-values are written as "< 0.0001"


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """Warnings."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose first column names its rows.

    Parameters
    ----------
    caption : str
        What it shows.
    head : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        The cells.
    numbers : tuple of int
        Columns of numbers.
    keys : tuple of str
        Keys of the rows, for the page's script; empty: no row has one.
    marked : tuple of int
        Rows to highlight.
    bars : tuple of int, tuple of float
        The column whose numbers have bars beside them in a page, and the lengths of the bars from 0 to 1.
    pictures : tuple of str
        One more column in a page: an SVG per row.
    picture_head : str
        Its name.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()
    marked: tuple[int, ...] = ()
    bars: tuple[int, tuple[float, ...]] | None = None
    pictures: tuple[str, ...] = ()
    picture_head: str = ""


@dataclass(frozen=True, slots=True)
class Charts:
    """Pictures side by side, each an SVG with a caption; only on a page."""

    pictures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Preformatted text: a model as text, commands."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks folded behind a line."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Columns of blocks side by side, where there is room."""

    columns: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """Markup that is only on a page, such as a key of colors."""

    markup: str


@dataclass(frozen=True, slots=True)
class Try:
    """The form, which is only on a page, and the blocks beside it that it highlights."""

    form: str
    beside: tuple[Block, ...]


Block = Words | Heading | Warned | Grid | Charts | Verbatim | Folded | Beside | Raw | Try


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report.

    Parameters
    ----------
    key : str
        Its name in links.
    title : str
        Its heading.
    blocks : tuple of Block
        What it says.
    wide : bool
        Whether it takes the whole window of a page.
    """

    key: str
    title: str
    blocks: tuple[Block, ...]
    wide: bool = False


def number_text(value: float) -> str:
    """Write a number with a few digits, or a dash for NaN."""
    if math.isnan(value):
        return "-"
    return "infinite" if math.isinf(value) else short_number(value)


def p_text(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_text(0.0312), p_text(1e-9), p_text(1.0)
    ('0.031', '< 0.0001', '1.000')
    """
    if math.isnan(p_value):
        return "-"
    if p_value < LEAST_P:
        return f"< {LEAST_P:.4f}"
    return f"{p_value:.4f}" if p_value < 0.001 else f"{p_value:.3f}"  # noqa: PLR2004 - one more digit for small values


def distinct(names: Sequence[str], room: int) -> list[str]:
    """Shorten names to `room` characters, and number those that become the same.

    Examples
    --------
    >>> distinct(["a long name", "a long gone one", "short"], 7)
    ['a long…', 'a long… (2)', 'short']
    """
    seen: dict[str, int] = {}
    shortened = []
    for name in names:
        short = printable(name, room)
        seen[short] = seen.get(short, 0) + 1
        shortened.append(short if seen[short] == 1 else f"{short} ({seen[short]})")
    return shortened
