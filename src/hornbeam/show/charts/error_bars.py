"""A line with error bars: what one parameter does to a score. Plain SVG, nothing needs to be installed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.show.pictures.svg_parts import document, round_numbers, safe_lines, short, text_width, write_text
from hornbeam.show.pictures.themes import in_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.show.pictures.palette import Theme

TITLE, TEXT, SMALL = 16.0, 13.0, 11.5  # sizes of letters
MARGIN, PAD = 22.0, 8.0
WIDE, HIGH = 520.0, 260.0  # of the field
DOT, CAP = 4.0, 5.0
TICKS = 5  # about so many on the upright axis
MARKS = {"best": 5, "simplest": 1}  # places of colors; others have the first


@dataclass(frozen=True)
class Point:
    """A figure with its error.

    Parameters
    ----------
    place : float
        Where on the axis, from 0 to 1.
    label : str
        Written below it, where there is room.
    figure, error : float
        Its height, and half the height of its bar.
    note : str
        Told where the pointer rests on it.
    mark : str
        ``"best"``, ``"simplest"``, or nothing.
    """

    place: float
    label: str
    figure: float
    error: float
    note: str = ""
    mark: str = ""


def error_bars(
    points: Sequence[Point],
    *,
    title: str,
    subtitle: str,
    x_label: str,
    y_label: str,
    told: Callable[[float], str],
    theme: str = "auto",
) -> str:
    """Draw points joined by a line, with error bars.

    Parameters
    ----------
    points : sequence of Point
        From left to right.
    title, subtitle, x_label, y_label : str
        What is shown.
    told : callable
        Writes a figure.
    theme : {"auto", "light", "dark"}
        Colors; by default as the page is in which the picture stands.

    Returns
    -------
    str
        A whole SVG document.

    Examples
    --------
    >>> points = [Point(0, "1", 0.9, 0.02), Point(1, "2", 0.95, 0.01, mark="best")]
    >>> picture = error_bars(points, title="k", subtitle="", x_label="k", y_label="accuracy", told=str)
    >>> picture.count("<circle")  # two in the field, two in the legend
    4
    """

    def draw(theme: Theme) -> str:
        low = min(point.figure - point.error for point in points)
        high = max(point.figure + point.error for point in points)
        ticks = round_numbers(low, high, TICKS)
        low, high = min(low, ticks[0]), max(high, ticks[-1])
        beside = max(text_width(told(tick), SMALL) for tick in ticks) + PAD
        left, top = MARGIN + beside, MARGIN + TITLE
        lines = [write_text(title, MARGIN, top, TITLE, bold=True)]
        if subtitle:
            top += 1.5 * TEXT
            lines.append(write_text(subtitle, MARGIN, top, SMALL, color=theme.muted))
        top += 2 * TEXT
        lines.append(write_text(y_label, MARGIN, top, SMALL, color=theme.muted))
        top += 1.2 * SMALL

        def height(figure: float) -> float:
            return top + HIGH * (1 - (figure - low) / (high - low))

        def across(place: float) -> float:
            return left + PAD + (WIDE - 2 * PAD) * place

        for tick in ticks:
            lines.append(f'<path d="M{short(left)} {short(height(tick))}h{short(WIDE)}" stroke="{theme.faint}"/>')
            lines.append(write_text(told(tick), left - PAD, height(tick) + 0.35 * SMALL, SMALL, anchor="end"))
        way = " ".join(f"{short(across(point.place))},{short(height(point.figure))}" for point in points)
        color = theme.categories[0]
        lines.append(f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="1.8"/>')
        taken = -math.inf
        for point in points:
            x, y = across(point.place), height(point.figure)
            end, start = height(point.figure - point.error), height(point.figure + point.error)
            dot = theme.categories[MARKS.get(point.mark, 0)]
            bar = f"M{short(x)} {short(start)}V{short(end)}"
            caps = "".join(f"M{short(x - CAP)} {short(at)}h{short(2 * CAP)}" for at in (start, end))
            lines += [
                f"<g><title>{safe_lines(point.note.splitlines())}</title>",
                f'<path d="{bar}{caps}" stroke="{dot}" stroke-width="1.4" fill="none"/>',
                _dot(x, y, point.mark, theme),
                "</g>",
            ]
            half = text_width(point.label, SMALL) / 2
            if x - half > taken:
                lines.append(write_text(point.label, x, top + HIGH + 1.6 * SMALL, SMALL, anchor="middle"))
                taken = x + half + PAD / 2
        below = top + HIGH + 3.4 * SMALL
        lines.append(write_text(x_label, left + WIDE / 2, below, SMALL, color=theme.muted, anchor="middle"))
        legend, legend_wide = _legend(left, below + 1.8 * SMALL, [point.mark for point in points], theme)
        heading = max(text_width(title, TITLE, bold=True), text_width(subtitle, SMALL), beside + legend_wide)
        wide = max(left + WIDE, heading + MARGIN) + MARGIN
        return document(wide, below + 1.8 * SMALL + MARGIN, title, [*lines, *legend], theme)

    return in_theme(draw, theme)


def _dot(x: float, y: float, mark: str, theme: Theme) -> str:
    """Draw a dot; what is marked is larger, and the simplest is hollow, so that color alone tells nothing."""
    color = theme.categories[MARKS.get(mark, 0)]
    fill = f'fill="{theme.ground}" stroke="{color}" stroke-width="3"' if mark == "simplest" else f'fill="{color}"'
    return f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(DOT * 1.5 if mark else DOT)}" {fill}/>'


def _legend(x: float, y: float, marks: Sequence[str], theme: Theme) -> tuple[list[str], float]:
    words = {"": "mean and one standard error", "best": "best", "simplest": "simplest within one standard error of it"}
    lines, at = [], x
    for name, told in words.items():
        if name and name not in marks:
            continue
        lines.append(_dot(at + 2 * DOT, y - 0.35 * SMALL, name, theme))
        lines.append(write_text(told, at + 4.5 * DOT, y, SMALL))
        at += 4.5 * DOT + text_width(told, SMALL) + 2 * PAD
    return lines, at - x
