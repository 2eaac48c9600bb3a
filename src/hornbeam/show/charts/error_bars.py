"""A line with error bars: the effect of one parameter on a score. Plain SVG; nothing needs to be installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.show.charts.chart_field import PAD, Axis, Field, small_width
from hornbeam.show.pictures.svg_parts import SMALL, round_numbers, safe_lines, short, write_text
from hornbeam.show.pictures.themes import in_theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hornbeam.show.pictures.palette import Theme

SIZE = (520.0, 260.0)  # of the plotting area
DOT, CAP = 4.0, 5.0
TICKS = 5  # about this many on the vertical axis
MARKS = {"best": 5, "simplest": 1}  # indices of colors; other points have the first
LEGEND = {"": "mean and one standard error", "best": "best", "simplest": "simplest within one standard error of it"}


@dataclass(frozen=True)
class Point:
    """A score with its error."""

    place: float  # position on the axis, from 0 to 1
    label: str  # written below it, unless it would overlap another label
    # score, error: its height, and half the height of its bar
    score: float
    error: float
    note: str = ""  # its tooltip
    mark: str = ""  # ``"best"``, ``"simplest"``, or nothing


def error_bars(
    points: Sequence[Point],
    *,
    title: str,
    subtitle: str,
    x_label: str,
    y_label: str,
    text: Callable[[float], str],
    theme: str = "auto",
) -> str:
    """Draw points joined by a line, with error bars.

    Parameters
    ----------
    points : sequence of Point
        From left to right.
    title, subtitle, x_label, y_label : str
        What is shown.
    text : callable
        Writes a score.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.

    Examples
    --------
    >>> points = [Point(0, "1", 0.9, 0.02), Point(1, "2", 0.95, 0.01, mark="best")]
    >>> picture = error_bars(points, title="k", subtitle="", x_label="k", y_label="accuracy", text=str)
    >>> picture.count("<circle")  # two in the field, two in the legend
    4
    """
    low = min(point.score - point.error for point in points)
    high = max(point.score + point.error for point in points)
    ticks = round_numbers(low, high, TICKS)
    up = Axis(min(low, ticks[0]), max(high, ticks[-1]), ticks, labels={tick: text(tick) for tick in ticks})
    across = Axis(0.0, 1.0, [p.place for p in points], labels={p.place: p.label for p in points})

    def draw(theme: Theme) -> str:
        field = Field(across, up, title, subtitle, x_label, y_label, theme, SIZE)
        way = " ".join(field.at(point.place, point.score, sep=",") for point in points)
        field.add(f'<polyline points="{way}" fill="none" stroke="{theme.categories[0]}" stroke-width="1.8"/>')
        for point in points:
            field.add(*_draw_point(field, point))
        field.bottom += 1.8 * SMALL
        x, marks = field.left, {"", *(point.mark for point in points)}
        for mark, words in LEGEND.items():
            if mark in marks:
                field.add(_dot(x + 2 * DOT, field.bottom - 0.35 * SMALL, mark, theme))
                field.add(write_text(words, x + 4.5 * DOT, field.bottom, SMALL))
                field.reach(x + 4.5 * DOT, words)
                x += 4.5 * DOT + small_width(words) + 2 * PAD
        return field.write(f"{y_label} by {x_label}, with error bars.")

    return in_theme(draw, theme)


def _draw_point(field: Field, point: Point) -> Iterator[str]:
    x, color = field.across(point.place), field.theme.categories[MARKS.get(point.mark, 0)]
    ends = [field.height(point.score + point.error), field.height(point.score - point.error)]
    caps = "".join(f"M{short(x - CAP)} {short(end)}h{short(2 * CAP)}" for end in ends)
    bar = f"M{short(x)} {short(ends[0])}V{short(ends[1])}{caps}"
    yield f"<g><title>{safe_lines(point.note.splitlines())}</title>"
    yield f'<path d="{bar}" stroke="{color}" stroke-width="1.4" fill="none"/>'
    yield _dot(x, field.height(point.score), point.mark, field.theme)
    yield "</g>"


def _dot(x: float, y: float, mark: str, theme: Theme) -> str:
    """Draw a dot. Marked ones are larger and the simplest is hollow, so that they do not differ by color alone."""
    color = theme.categories[MARKS.get(mark, 0)]
    fill = f'fill="{theme.ground}" stroke="{color}" stroke-width="3"' if mark == "simplest" else f'fill="{color}"'
    return f'<circle cx="{short(x)}" cy="{short(y)}" r="{short(DOT * 1.5 if mark else DOT)}" {fill}/>'
