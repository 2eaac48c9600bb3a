"""The blocks that a report is made of, before it is a page or Markdown: headings, texts, tables, pictures.

Also how numbers and names are written in them.

The content is made once (`sections.py`), as plain text; the writer of each format escapes it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPED = 10_000  # numbers from here on have thousands separators
NOTHING = 1e-9
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
    """A table whose first column names its rows."""

    caption: str  # what it shows
    head: tuple[str, ...]  # names of the columns
    rows: tuple[tuple[str, ...], ...]  # the cells
    numbers: tuple[int, ...] = ()  # columns of numbers
    keys: tuple[str, ...] = ()  # keys of the rows, for the page's script; empty if there are none
    marked: tuple[int, ...] = ()  # rows to highlight
    # the column whose numbers have bars beside them in a page, and the lengths of the bars from 0 to 1
    bars: tuple[int, tuple[float, ...]] | None = None
    pictures: tuple[str, ...] = ()  # one more column in a page: an SVG per row
    picture_head: str = ""  # its name


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
    """Blocks folded under a summary line."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Columns of blocks side by side, if there is room."""

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
    """A part of the report."""

    key: str  # its name in links
    title: str  # its heading
    blocks: tuple[Block, ...]  # its content
    wide: bool = False  # whether it has the full width of the window


def counted(count: int, word: str, words: str = "") -> str:
    """Write a count with thousands separators and its noun; `words` is the plural, by default `word` with an s.

    Examples
    --------
    >>> counted(22272, "row"), counted(1, "leaf", "leaves")
    ('22,272 rows', '1 leaf')
    """
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def amount_text(weight: float) -> str:
    """Write the weight of some rows: a whole number with thousands separators, else with two decimals.

    Examples
    --------
    >>> amount_text(1234.0), amount_text(1.5)
    ('1,234', '1.50')
    """
    return f"{weight:,.0f}" if abs(weight - round(weight)) < NOTHING else f"{weight:,.2f}"


def number_text(value: float) -> str:
    """Write a number with a few digits, from 10,000 on with thousands separators (years have none); a dash for NaN.

    Examples
    --------
    >>> number_text(1234567.0), number_text(2013.0), number_text(0.123456)
    ('1,234,567', '2013', '0.1235')
    """
    if math.isnan(value):
        return "-"
    if math.isinf(value):
        return "infinite"
    text = short_number(value)
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}" if abs(value) >= GROUPED and whole.lstrip("-").isdigit() else text


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
