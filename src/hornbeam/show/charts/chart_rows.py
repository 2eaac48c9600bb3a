"""Charts with a row for every name: bars, and dots with intervals. Part of `chart_svg.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.charts.chart_field import (
    NAME_CHARS,
    PAD,
    WIDE,
    axis_of,
    below,
    dashed,
    small_width,
)
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
    """Draw named values as lying bars from zero, the first on top, each with its figure.

    Parameters
    ----------
    names : sequence of str
        Of the bars.
    values : array
        How long they are; below zero they go to the left.
    title, x_label, subtitle : str
        Words.
    texts : sequence of str, optional
        What stands beside each bar; by default its figure.
    colors : sequence of int, optional
        Of every bar the place of its color among those of categories; by default all have the first.
    x_range : pair of float, optional
        What is drawn at least.
    theme : {"auto", "light", "dark"}
        Colors.
    wide : float
        Width of the field.

    Returns
    -------
    str
        A whole SVG document.

    Examples
    --------
    >>> picture = bar_chart(["yes", "no"], [9, 5], title="play", x_label="rows")
    >>> "yes: 9" in picture
    True
    """
    figures = np.asarray(values, np.float64)
    told = [short_number(figure) for figure in figures.tolist()] if texts is None else list(texts)
    across = axis_of([figures, np.zeros(1)], x_range, tight=True)

    def draw(theme: Theme) -> str:
        rows = Rows(names, across, title, subtitle, x_label, theme, wide, max(map(small_width, told), default=0.0))
        start = rows.across(0.0)
        for place, figure in enumerate(figures.tolist()):
            if not math.isfinite(figure):
                continue
            end, y = rows.across(figure), rows.middle(place)
            shape = box(min(start, end), y - 0.34 * ROW, abs(end - start), 0.68 * ROW)
            color = color_of(0 if colors is None else colors[place], theme)
            tip = f"<title>{safe(f'{names[place]}: {told[place]}')}</title>"
            rows.add(f'<rect {shape} fill="{color}">{tip}</rect>')
            rows.add(write_text(told[place], max(start, end) + 5, y + 0.35 * SMALL, SMALL, color=theme.muted))
        rows.add(_upright(rows, start, theme.muted))
        return rows.write(_listing(names, told))

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
    """Draw named figures as dots with their intervals, the first on top.

    Parameters
    ----------
    names : sequence of str
        What has the figures.
    means : array
        Where the dots lie.
    intervals : sequence of pairs of float
        From where to where each may lie.
    level : float, optional
        An upright dashed line, such as what the baseline reaches.
    title, x_label, subtitle, colors, x_range, theme, wide
        As of `bar_chart`.

    Returns
    -------
    str
        A whole SVG document.

    Examples
    --------
    >>> picture = interval_chart(["tree", "rules"], [0.9, 0.8], [(0.85, 0.95), (0.7, 0.9)], title="accuracy")
    >>> "tree: 0.9 (0.85 to 0.95)" in picture
    True
    """
    figures, ends = np.asarray(means, np.float64), np.asarray(intervals, np.float64).reshape(-1, 2)
    told = [
        f"{short_number(figure)} ({short_number(low)} to {short_number(high)})"
        for figure, (low, high) in zip(figures.tolist(), ends.tolist(), strict=True)
    ]
    extra = [np.array([level])] if level is not None else []
    across = axis_of([figures, ends.ravel(), *extra], x_range)

    def draw(theme: Theme) -> str:
        rows = Rows(names, across, title, subtitle, x_label, theme, wide, 0.0)
        if level is not None:
            rows.add(dashed(f"M{short(rows.across(level))} {short(rows.top)}v{short(rows.high)}", theme))
        for place, figure in enumerate(figures.tolist()):
            if not math.isfinite(figure):
                continue
            y, color = rows.middle(place), color_of(0 if colors is None else colors[place], theme)
            low, high = (rows.across(end) if math.isfinite(end) else rows.across(figure) for end in ends[place])
            caps = "".join(f"M{short(at)} {short(y - CAP)}v{short(2 * CAP)}" for at in (low, high))
            rows.add(f"<g><title>{safe(f'{names[place]}: {told[place]}')}</title>")
            rows.add(f'<path d="M{short(low)} {short(y)}H{short(high)}{caps}" stroke="{color}" stroke-width="1.8"/>')
            look = f'fill="{color}" stroke="{theme.ground}"'
            rows.add(f'<circle cx="{short(rows.across(figure))}" cy="{short(y)}" r="5" {look}/></g>')
        return rows.write(_listing(names, told))

    return in_theme(draw, theme)


class Rows:
    """A field with a name beside each row and numbers below, being filled."""

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
            self.add(_upright(self, self.across(tick), theme.faint))
        for place, label in enumerate(labels):
            y = self.middle(place) + 0.35 * SMALL
            self.add(write_text(label, self.left - PAD, y, SMALL, anchor="end"))
        self.add(*below(x, self.across, foot, theme))
        self.bottom = foot + 1.8 * SMALL
        if x_label:
            self.bottom += 1.5 * SMALL
            middle = self.left + wide / 2
            self.add(write_text(x_label, middle, self.bottom, SMALL, color=theme.muted, anchor="middle"))
        self.right = max(self.left + wide + beside, needed)

    def add(self, *lines: str) -> None:
        """Draw something more."""
        self.lines += lines

    def across(self, value: float) -> float:
        """Where a number lies across."""
        return self.left + PAD + (self.wide - 2 * PAD) * self.x.share(value)

    def middle(self, place: int) -> float:
        """The middle of a row."""
        return self.top + ROW * (place + 0.5)

    def write(self, description: str) -> str:
        """Write the complete picture."""
        wide, high = self.right + MARGIN, self.bottom + MARGIN
        return document(wide, high, self.title, self.lines, self.theme, description=description)


def _upright(rows: Rows, x: float, color: str) -> str:
    return f'<path d="M{short(x)} {short(rows.top)}v{short(rows.high)}" stroke="{color}"/>'


def _listing(names: Sequence[str], told: Sequence[str]) -> str:
    return "; ".join(f"{name}: {words}" for name, words in zip(names, told, strict=True))
