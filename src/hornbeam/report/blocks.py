"""What a report is made of, before it is a page or Markdown: headings, words, tables, pictures.

The content is put together once (`content.py`), in plain words; a writer for each form knows how to escape them.
"""

from __future__ import annotations

from dataclasses import dataclass


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
    """Sentences that deserve a look."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table whose first column names its rows.

    Parameters
    ----------
    caption : str
        What it tells.
    head : tuple of str
        Names of the columns.
    rows : tuple of tuple of str
        The cells.
    numbers : tuple of int
        Columns of figures.
    keys : tuple of str
        Of each row, by which the page's script finds it; empty: no row has one.
    marked : tuple of int
        Rows that stand out.
    bars : tuple of int, tuple of float
        The column that has a bar beside its figure in a page, and the bars' lengths from 0 to 1.
    pictures : tuple of str
        One more column in a page: SVG, one a row.
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
    """Pictures beside one another, each an SVG with words below; a page only."""

    pictures: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Lines as they are: a model as text, commands."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks behind a line, to be unfolded by those who want them."""

    summary: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """Columns of blocks beside one another, where there is room."""

    columns: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """Markup of our own that only a page has, such as the form."""

    markup: str


@dataclass(frozen=True, slots=True)
class Try:
    """The form, which is markup that only a page has, and what is lit up beside it."""

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
