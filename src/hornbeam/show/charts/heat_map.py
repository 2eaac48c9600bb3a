"""Tables of numbers as colored cells: the effect of two parameters on a score. Plain SVG, nothing to install.

Light is worse and dark is better, in one hue, so that color-blind readers and gray printers see the same. Every cell
contains its number, and marked cells have an outline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hornbeam.show.pictures import palette
from hornbeam.show.pictures.svg_parts import (
    MARGIN,
    SMALL,
    TEXT,
    box,
    document,
    heading,
    safe_lines,
    text_width,
    write_text,
)
from hornbeam.show.pictures.themes import in_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.show.pictures.palette import Theme

GAP, PAD = 34.0, 8.0
CELL_HEIGHT, LEAST_CELL = 30.0, 46.0
MARKS = {"best": 5, "simplest": 1}  # indices of colors: vermilion; orange, dashed
DASHES = {"best": "", "simplest": ' stroke-dasharray="5 3"'}
LEGEND_WIDTH, LEGEND_HEIGHT, LEGEND_STEPS = 150.0, 10.0, 30


@dataclass(frozen=True)
class Cells:
    """One table of a heat map."""

    title: str  # a line above it
    # columns, rows: labels, from left to right and from bottom to top
    columns: Sequence[str]
    rows: Sequence[str]
    values: Sequence[Sequence[float]]  # by row and column; NaN if there is no number
    # texts, notes: the text in each cell, and its tooltip
    texts: Sequence[Sequence[str]]
    notes: Sequence[Sequence[str]]
    # row and column of the cells to outline: ``"best"``, ``"simplest"``
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)


def heat_map(
    tables: Sequence[Cells],
    *,
    title: str,
    subtitle: str,
    x_label: str,
    y_label: str,
    measure: str,
    ends: tuple[str, str],
    higher_is_better: bool,
    theme: str = "auto",
) -> str:
    """Draw tables of numbers side by side, all on one scale of colors.

    Parameters
    ----------
    tables : sequence of Cells
        What to draw.
    title, subtitle : str
        Above everything.
    x_label, y_label : str
        The names of the axes.
    measure : str
        What the numbers are.
    ends : tuple of str
        The worst and the best of them, as text, for the legend.
    higher_is_better : bool
        Whether a higher number is darker.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.

    Examples
    --------
    >>> cells = Cells("", ["1", "2"], ["a"], [[0.5, 0.9]], [["50", "90"]], [["", ""]], {"best": (0, 1)})
    >>> picture = heat_map([cells], title="<t>", subtitle="", x_label="x", y_label="y", measure="accuracy",
    ...                    ends=("50", "90"), higher_is_better=True)
    >>> picture.startswith("<svg xmlns="), "&lt;t&gt;" in picture
    (True, True)
    """
    known = [value for table in tables for row in table.values for value in row if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)

    def draw(theme: Theme) -> str:
        lines, top, right = heading(title, subtitle, theme)
        top += 2.2 * TEXT
        left, bottom = MARGIN, top
        for table in tables:
            drawn, wide, end = draw_cells(table, left, top, x_label, y_label, (low, high), higher_is_better, theme)
            lines += drawn
            left += wide + GAP
            bottom = max(bottom, end)
        legend, legend_end = _legend(MARGIN, bottom + 1.6 * TEXT, measure, ends, _marked(tables), theme)
        wide = max(left - GAP, right, legend_end) + MARGIN
        return document(wide, bottom + 1.6 * TEXT + LEGEND_HEIGHT + MARGIN, title, [*lines, *legend], theme)

    return in_theme(draw, theme)


def _marked(tables: Sequence[Cells]) -> list[str]:
    """The marks that are drawn: a cell with both has the outline of the best only."""
    seen: dict[str, None] = {}
    for table in tables:
        for name, cell in table.marks.items():
            if name == "best" or cell != table.marks.get("best"):
                seen[name] = None
    return sorted(seen)  # the best first


def draw_cells(
    table: Cells,
    left: float,
    top: float,
    x_label: str,
    y_label: str,
    scale: tuple[float, float],
    higher: bool,
    theme: Theme = palette.LIGHT,
) -> tuple[list[str], float, float]:
    """Draw one table; also return its width and its lower end."""
    beside = max(text_width(label, SMALL) for label in [*table.rows, y_label]) + PAD
    cell = max(
        LEAST_CELL,
        *(text_width(text, SMALL, bold=True) + PAD for row in table.texts for text in row),
        *(text_width(label, SMALL) + PAD for label in table.columns),
    )
    start, head = left + beside, top + 1.5 * SMALL
    lines = [
        write_text(table.title, start, top - 0.4 * SMALL, SMALL, bold=True),
        write_text(y_label, start - PAD, head - 0.4 * SMALL, SMALL, color=theme.muted, anchor="end"),
    ]
    count = len(table.rows)
    for row, label in enumerate(table.rows):
        y = head + (count - 1 - row) * CELL_HEIGHT
        lines.append(write_text(label, start - PAD, y + CELL_HEIGHT / 2 + 0.35 * SMALL, SMALL, anchor="end"))
        for column, value in enumerate(table.values[row]):
            x = start + column * cell
            best = table.marks.get("best") == (row, column)
            texts = table.texts[row][column], table.notes[row][column]
            color = _shade(value, scale, theme, higher=higher)
            lines += _cell(box(x, y, cell, CELL_HEIGHT), x + cell / 2, y, color, *texts, best, theme)
    for name, (row, column) in sorted(table.marks.items(), reverse=True):  # the best lies on top
        if name != "best" and (row, column) == table.marks.get("best"):
            continue
        x, y = start + column * cell, head + (count - 1 - row) * CELL_HEIGHT
        lines.append(_outline(name, x, y, cell, CELL_HEIGHT, theme))
    below = head + count * CELL_HEIGHT + 1.2 * SMALL
    for column, label in enumerate(table.columns):
        lines.append(write_text(label, start + (column + 0.5) * cell, below, SMALL, anchor="middle"))
    below += 1.5 * SMALL
    middle = start + len(table.columns) * cell / 2
    lines.append(write_text(x_label, middle, below, SMALL, color=theme.muted, anchor="middle"))
    needed = max(len(table.columns) * cell, text_width(table.title, SMALL, bold=True))
    return lines, beside + needed, below


def _shade(value: float, scale: tuple[float, float], theme: Theme, *, higher: bool) -> str:
    """The color of a number; faint if it is not a number."""
    if not math.isfinite(value):
        return theme.faint
    low, high = scale
    share = (value - low) / (high - low) if high > low else 0.0
    return palette.mix(*_ends(theme), share if higher or high == low else 1 - share)


def _cell(
    shape: str, middle: float, top: float, color: str, text: str, note: str, bold: bool, theme: Theme
) -> list[str]:
    ink = theme.muted if color == theme.faint else palette.letters_on(color)
    y = top + CELL_HEIGHT / 2 + 0.35 * SMALL
    return [
        f"<g><title>{safe_lines(note.splitlines())}</title>",
        f'<rect {shape} fill="{color}" stroke="{theme.ground}"/>',
        write_text(text, middle, y, SMALL, bold=bold, color=ink, anchor="middle"),
        "</g>",
    ]


def _ends(theme: Theme) -> tuple[str, str]:
    """The palest and the strongest color; on a dark background, text is easy to read on the first color."""
    return (theme.low, theme.high) if theme is palette.LIGHT else (theme.faint, theme.categories[0])


def _outline(name: str, x: float, y: float, wide: float, high: float, theme: Theme) -> str:
    shape = box(x + 1.5, y + 1.5, wide - 3, high - 3)
    return f'<rect {shape} fill="none" stroke="{theme.categories[MARKS[name]]}" stroke-width="3"{DASHES[name]}/>'


def _legend(
    x: float, y: float, measure: str, ends: tuple[str, str], marks: Sequence[str], theme: Theme
) -> tuple[list[str], float]:
    """Draw the scale of colors and what the outlines mean; also return the right end."""
    base, at = y + LEGEND_HEIGHT, x
    lines = [write_text(measure, at, base, SMALL, color=theme.muted)]
    at += text_width(measure, SMALL) + PAD
    lines.append(write_text(ends[0], at, base, SMALL))
    at += text_width(ends[0], SMALL) + PAD / 2
    step = LEGEND_WIDTH / LEGEND_STEPS
    for i in range(LEGEND_STEPS):
        color = palette.mix(*_ends(theme), i / (LEGEND_STEPS - 1))
        lines.append(f'<rect {box(at + i * step, y, step + 0.5, LEGEND_HEIGHT)} fill="{color}"/>')
    at += LEGEND_WIDTH + PAD / 2
    lines.append(write_text(ends[1], at, base, SMALL))
    at += text_width(ends[1], SMALL) + 2 * PAD
    words = {"best": "best", "simplest": "simplest within one standard error of it"}
    for name in marks:
        lines += [
            _outline(name, at, y - 3, 24.0, LEGEND_HEIGHT + 6, theme),
            write_text(words[name], at + 30, base, SMALL),
        ]
        at += 30 + text_width(words[name], SMALL) + 2 * PAD
    return lines, at
