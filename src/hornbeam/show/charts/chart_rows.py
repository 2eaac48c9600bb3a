"""Charts with one row per name: bars, and dots with intervals. Part of `chart_svg.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.charts.chart_field import NAME_CHARS, PAD, WIDE, axis_of, below, dashed, small_width
from hornbeam.show.pictures.marks import color_of
from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, TEXT, box, document, heading, safe, short, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.show.charts.chart_field import Axis, Range
    from hornbeam.show.pictures.palette import Theme

ROW = 23.0  # height of a bar with the space around it
CAP = 4.5


def bar_chart(
    names: Sequence[str],
    values: ArrayLike,
    *,
    title: str,
    x_label: str = "",
    subtitle: str = "",
    texts: Sequence[str] | None = None,
    colors: Sequence[int] | None = None,
    x_range: Range | None = None,
    theme: str = "auto",
    wide: float = WIDE,
) -> str:
    """Draw named values as horizontal bars from zero, the first on top, each with its number.

    Parameters
    ----------
    names : sequence of str
        The names of the bars.
    values : array
        Their lengths; bars below zero go to the left.
    title, x_label, subtitle : str
        Texts.
    texts : sequence of str, optional
        The text beside each bar; by default its number.
    colors : sequence of int, optional
        The index of the color of each bar; by default all have the first.
    x_range : pair of float, optional
        The smallest range to draw.
    theme : {"auto", "light", "dark"}
        Colors.
    wide : float
        Width of the field.

    Examples
    --------
    >>> picture = bar_chart(["yes", "no"], [9, 5], title="play", x_label="rows")
    >>> "yes: 9" in picture
    True
    """
    lengths = np.asarray(values, np.float64)
    shown = [short_number(value) for value in lengths.tolist()] if texts is None else list(texts)
    across = axis_of([lengths, np.zeros(1)], x_range, tight=True)

    def draw(theme: Theme) -> str:
        rows = Rows(names, across, title, subtitle, x_label, theme, wide, max(map(small_width, shown), default=0.0))
        start = rows.across(0.0)
        for i, value in enumerate(lengths.tolist()):
            if not math.isfinite(value):
                continue
            end, y = rows.across(value), rows.middle(i)
            shape = box(min(start, end), y - 0.34 * ROW, abs(end - start), 0.68 * ROW)
            color = color_of(0 if colors is None else colors[i], theme)
            tip = f"<title>{safe(f'{names[i]}: {shown[i]}')}</title>"
            rows.add(f'<rect {shape} fill="{color}">{tip}</rect>')
            rows.add(write_text(shown[i], max(start, end) + 5, y + 0.35 * SMALL, SMALL, color=theme.muted))
        rows.add(_vertical(rows, start, theme.muted))
        return rows.write(_listing(names, shown))

    return in_theme(draw, theme)


def interval_chart(
    names: Sequence[str],
    means: ArrayLike,
    intervals: Sequence[Range],
    *,
    title: str,
    x_label: str = "",
    subtitle: str = "",
    level: float | None = None,
    colors: Sequence[int] | None = None,
    x_range: Range | None = None,
    theme: str = "auto",
    wide: float = WIDE,
) -> str:
    """Draw named numbers as dots with their intervals, the first on top.

    Parameters
    ----------
    names : sequence of str
        The names of the rows.
    means : array
        The numbers.
    intervals : sequence of pairs of float
        The interval of each number.
    level : float, optional
        Draw a vertical dashed line here, such as the score of the baseline.
    title, x_label, subtitle, colors, x_range, theme, wide
        As for `bar_chart`.

    Examples
    --------
    >>> picture = interval_chart(["tree", "rules"], [0.9, 0.8], [(0.85, 0.95), (0.7, 0.9)], title="accuracy")
    >>> "tree: 0.9 (0.85 to 0.95)" in picture
    True
    """
    centers, ends = np.asarray(means, np.float64), np.asarray(intervals, np.float64).reshape(-1, 2)
    shown = [
        f"{short_number(value)} ({short_number(low)} to {short_number(high)})"
        for value, (low, high) in zip(centers.tolist(), ends.tolist(), strict=True)
    ]
    extra = [np.array([level])] if level is not None else []
    across = axis_of([centers, ends.ravel(), *extra], x_range)

    def draw(theme: Theme) -> str:
        rows = Rows(names, across, title, subtitle, x_label, theme, wide, 0.0)
        if level is not None:
            rows.add(dashed(f"M{short(rows.across(level))} {short(rows.top)}v{short(rows.high)}", theme))
        for i, value in enumerate(centers.tolist()):
            if not math.isfinite(value):
                continue
            y, color = rows.middle(i), color_of(0 if colors is None else colors[i], theme)
            low, high = (rows.across(end if math.isfinite(end) else value) for end in ends[i])
            caps = "".join(f"M{short(at)} {short(y - CAP)}v{short(2 * CAP)}" for at in (low, high))
            rows.add(f"<g><title>{safe(f'{names[i]}: {shown[i]}')}</title>")
            rows.add(f'<path d="M{short(low)} {short(y)}H{short(high)}{caps}" stroke="{color}" stroke-width="1.8"/>')
            look = f'fill="{color}" stroke="{theme.ground}"'
            rows.add(f'<circle cx="{short(rows.across(value))}" cy="{short(y)}" r="5" {look}/></g>')
        return rows.write(_listing(names, shown))

    return in_theme(draw, theme)


class Rows:
    """A field with a name beside each row and numbers below, to be filled."""

    def __init__(
        self,
        names: Sequence[str],
        x: Axis,
        title: str,
        subtitle: str,
        x_label: str,
        theme: Theme,
        wide: float,
        beside: float,
    ) -> None:
        self.x, self.title, self.theme, self.wide = x, title, theme, wide
        self.lines, y, needed = heading(title, subtitle, theme)
        self.top = y + 1.9 * TEXT - SMALL
        labels = [printable(str(name), NAME_CHARS) for name in names]
        self.left = MARGIN + max(map(small_width, labels), default=0.0) + PAD
        self.high = ROW * len(labels)
        foot = self.top + self.high
        for tick in x.ticks:
            self.add(_vertical(self, self.across(tick), theme.faint))
        for i, label in enumerate(labels):
            y = self.middle(i) + 0.35 * SMALL
            self.add(write_text(label, self.left - PAD, y, SMALL, anchor="end"))
        self.add(*below(x, self.across, foot, theme))
        self.bottom = foot + 1.8 * SMALL
        if x_label:
            self.bottom += 1.5 * SMALL
            middle = self.left + wide / 2
            self.add(write_text(x_label, middle, self.bottom, SMALL, color=theme.muted, anchor="middle"))
        self.right = max(self.left + wide + beside, needed)

    def add(self, *lines: str) -> None:
        """Add drawn lines."""
        self.lines += lines

    def across(self, value: float) -> float:
        """The horizontal position of a number."""
        return self.left + PAD + (self.wide - 2 * PAD) * self.x.share(value)

    def middle(self, row: int) -> float:
        """The middle of a row."""
        return self.top + ROW * (row + 0.5)

    def write(self, description: str) -> str:
        """Write the complete picture."""
        wide, high = self.right + MARGIN, self.bottom + MARGIN
        return document(wide, high, self.title, self.lines, self.theme, description=description)


def _vertical(rows: Rows, x: float, color: str) -> str:
    return f'<path d="M{short(x)} {short(rows.top)}v{short(rows.high)}" stroke="{color}"/>'


def _listing(names: Sequence[str], texts: Sequence[str]) -> str:
    return "; ".join(f"{name}: {text}" for name, text in zip(names, texts, strict=True))
