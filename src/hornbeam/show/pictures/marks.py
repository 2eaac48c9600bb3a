"""How clusters look in pictures: each has a color and a mark, so that they do not differ by color alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.show.pictures.palette import mix
from hornbeam.show.pictures.svg_parts import box, short, text_width, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.show.pictures.palette import Theme

T = 0.4  # half the thickness of a cross
# Corners around a point at distance one, drawn one after another; the first is a circle, without corners.
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.89, -0.89), (0.89, -0.89), (0.89, 0.89), (-0.89, 0.89)),
    ((0, -1.12), (1.0, 0.75), (-1.0, 0.75)),
    ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    ((0, 1.12), (1.0, -0.75), (-1.0, -0.75)),
    ((-T, -1.2), (T, -1.2), (T, -T), (1.2, -T), (1.2, T), (T, T), (T, 1.2),
     (-T, 1.2), (-T, T), (-1.2, T), (-1.2, -T), (-T, -T)),
    ((0, -1.25), (0.38, -0.38), (1.25, 0), (0.38, 0.38), (0, 1.25), (-0.38, 0.38), (-1.25, 0), (-0.38, -0.38)),
)  # fmt: skip
LEGEND_STEP, LEGEND_MARK = 19.0, 5.0


def color_of(cluster: int, theme: Theme) -> str:
    """A cluster's color; if there are more clusters than colors, colors repeat with other marks."""
    return theme.categories[cluster % len(theme.categories)]


def shape_of(cluster: int) -> int:
    """A cluster's mark, as its index in SHAPES: no two of 49 clusters have the same color and mark.

    Examples
    --------
    >>> [shape_of(cluster) for cluster in (0, 1, 6, 7, 8, 13)]
    [0, 1, 6, 1, 2, 0]
    """
    return (cluster + cluster // len(SHAPES)) % len(SHAPES)


def mark(cluster: int, x: float, y: float, radius: float) -> str:
    """The outline of a cluster's mark, for the attribute ``d`` of a path.

    Examples
    --------
    >>> mark(1, 10, 10, 2)
    'M8.22 8.22L11.78 8.22 11.78 11.78 8.22 11.78Z'
    """
    corners = SHAPES[shape_of(cluster)]
    if not corners:
        arc = f"a{short(radius)} {short(radius)} 0 1 0"
        return f"M{short(x - radius)} {short(y)}{arc} {short(2 * radius)} 0{arc} {short(-2 * radius)} 0Z"
    places = [f"{short(x + across * radius)} {short(y + down * radius)}" for across, down in corners]
    return f"M{places[0]}L{' '.join(places[1:])}Z"


def legend(
    labels: Sequence[str],
    x: float,
    y: float,
    size: float,
    theme: Theme,
    *,
    lines: bool = False,
    below: Sequence[Sequence[str]] = (),
) -> tuple[list[str], float, float]:
    """Draw the mark of every cluster with its label, from the top.

    Parameters
    ----------
    labels : sequence of str
        One per cluster.
    x, y : float
        Where to begin.
    size : float
        The font size.
    theme : Theme
        Colors.
    lines : bool
        Whether clusters are also drawn as lines.
    below : sequence of sequence of str
        Smaller lines below each label.

    Returns
    -------
    tuple
        What is drawn, and its right and lower end.
    """
    drawn, right, at = [], x, y
    small = 0.85 * size
    for cluster, label in enumerate(labels):
        color = color_of(cluster, theme)
        if lines:
            drawn.append(f'<path d="M{short(x)} {short(at)}h20" stroke="{color}" stroke-width="3"/>')
        outline = mark(cluster, x + 10, at, LEGEND_MARK)
        drawn.append(f'<path d="{outline}" fill="{color}" stroke="{mix(color, theme.ink, 0.4)}" stroke-width="0.6"/>')
        drawn.append(write_text(label, x + 28, at + 0.35 * size, size))
        right = max(right, x + 28 + text_width(label, size))
        for more in below[cluster] if below else ():
            at += 1.35 * small
            drawn.append(write_text(more, x + 28, at + 0.35 * size, small, color=theme.muted))
            right = max(right, x + 28 + text_width(more, small))
        at += LEGEND_STEP
    return drawn, right, at


def badge(cluster: int, x: float, y: float, size: float, theme: Theme) -> list[str]:
    """A cluster's number in a box outlined in its color: the label of its center."""
    text = str(cluster)
    wide = max(text_width(text, size, bold=True) + 8, 1.6 * size)
    shape, color = box(x - wide / 2, y - 0.8 * size, wide, 1.6 * size), color_of(cluster, theme)
    return [
        f'<rect {shape} rx="{short(0.5 * size)}" fill="{theme.ground}" stroke="{color}" stroke-width="2.2"/>',
        write_text(text, x, y + 0.36 * size, size, bold=True, anchor="middle"),
    ]
