"""Histograms as plain SVG, to be put into a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.show.pictures.palette import LIGHT
from hornbeam.show.pictures.svg_parts import SMALL, box, round_numbers, safe_lines, short, text_width, write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.show.pictures.palette import Theme

WIDE, HIGH, PAD = 380.0, 200.0, 8.0  # of the field
TICKS = 5  # about this many on each axis


@dataclass(frozen=True)
class Histogram:
    """What to draw."""

    edges: Sequence[float]  # the edges of the bars: one more than there are bars
    counts: Sequence[int]  # their heights
    notes: Sequence[str]  # the tooltip of each bar
    # x_label, y_label: the column that is shown, and what is counted
    x_label: str
    y_label: str
    text: Callable[[float], str]  # writes a number of the horizontal axis
    mark: tuple[float, str] | None = None  # a number to mark by a dashed line, and its name
    whole: bool = False  # whether only whole numbers are written below
    size: tuple[float, float] = (WIDE, HIGH)  # width and height of the field


def draw_histogram(shown: Histogram, left: float, top: float, theme: Theme = LIGHT) -> tuple[list[str], float, float]:
    """Draw bars with their axes.

    Parameters
    ----------
    shown : Histogram
        What to draw.
    left, top : float
        The upper left corner.
    theme : Theme
        Its colors.

    Returns
    -------
    tuple
        Lines of SVG, their width, and their lower end.

    Examples
    --------
    >>> shown = Histogram([0, 1, 2], [3, 1], ["<a>", "b"], "steps", "runs", str)
    >>> lines, wide, end = draw_histogram(shown, 0, 0)
    >>> sum(line.startswith("<rect") for line in lines), any("&lt;a&gt;" in line for line in lines)
    (2, True)
    """
    wide, high_field = shown.size
    upward = [tick for tick in round_numbers(0, max(*shown.counts, 1), TICKS) if tick == int(tick) and tick >= 0]
    beside = max(text_width(f"{tick:.0f}", SMALL) for tick in upward) + PAD
    start, above = left + beside, top + 1.2 * SMALL
    low, high = shown.edges[0], shown.edges[-1]
    if shown.mark is not None:
        low, high = min(low, shown.mark[0]), max(high, shown.mark[0])
    reach = high - low or 1.0

    def across(value: float) -> float:
        return start + PAD + (wide - 2 * PAD) * (value - low) / reach

    def height(count: float) -> float:
        return above + high_field * (1 - count / upward[-1])

    lines = [write_text(shown.y_label, left, top, SMALL, color=theme.muted)]
    for tick in upward:
        lines.append(f'<path d="M{short(start)} {short(height(tick))}h{short(wide)}" stroke="{theme.faint}"/>')
        lines.append(write_text(f"{tick:.0f}", start - PAD, height(tick) + 0.35 * SMALL, SMALL, anchor="end"))
    for i, count in enumerate(shown.counts):
        x, end = across(shown.edges[i]), across(shown.edges[i + 1])
        shape = box(x, height(count), max(end - x - 1, 0.5), height(0) - height(count))
        lines += [
            f"<g><title>{safe_lines(shown.notes[i].splitlines())}</title>",
            f'<rect {shape} fill="{theme.categories[0]}"/>',
            "</g>",
        ]
    foot = height(0)
    lines.append(f'<path d="M{short(start)} {short(foot)}h{short(wide)}" stroke="{theme.muted}"/>')
    taken = start - PAD
    for tick in round_numbers(low, high, TICKS):
        half, x = text_width(shown.text(tick), SMALL) / 2, across(tick)
        if low <= tick <= high and x - half > taken and (not shown.whole or tick == int(tick)):
            lines.append(f'<path d="M{short(x)} {short(foot)}v4" stroke="{theme.muted}"/>')
            lines.append(write_text(shown.text(tick), x, foot + 1.5 * SMALL, SMALL, anchor="middle"))
            taken = x + half + PAD / 2
    if shown.mark is not None:
        x, color = across(shown.mark[0]), theme.categories[5]
        look = f'stroke="{color}" stroke-width="1.6" stroke-dasharray="5 3"'
        lines.append(f'<path d="M{short(x)} {short(above)}V{short(foot)}" {look}/>')
        room = text_width(shown.mark[1], SMALL)
        least = left + text_width(shown.y_label, SMALL) + 2 * PAD  # to the right of the axis label
        lines.append(write_text(shown.mark[1], max(least, min(x, start + wide - room)), top, SMALL))
    below = foot + 3.2 * SMALL
    lines.append(write_text(shown.x_label, start + wide / 2, below, SMALL, color=theme.muted, anchor="middle"))
    return lines, beside + wide, below
