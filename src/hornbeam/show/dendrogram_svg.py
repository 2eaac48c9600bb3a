"""A dendrogram as a picture: joinings at their heights, branches of rows below, clusters in colours.

Only the upper part is drawn where there are many rows; a branch that stands for several rows says how many. Every node
has a tooltip with its columns, by mean and relative to the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.dendrogram_text import columns, upper
from hornbeam.show.palette import CATEGORIES, INK, LINE, MUTED, OTHER
from hornbeam.show.svg_parts import FONT, room, safe_lines, short, write_text
from hornbeam.show.wording import short_number

if TYPE_CHECKING:
    from hornbeam.model.dendrogram import Dendrogram

MOST_LEAVES = 40
STEP, TALL, EDGE, SIZE = 26.0, 320.0, 40.0, 11.0
TICKS = 5


def draw(model: Dendrogram, *, leaves: int = MOST_LEAVES, tooltips: bool = True) -> str:
    """Draw the upper part of the tree with as many branches as asked for, as SVG.

    Parameters
    ----------
    model : Dendrogram
        What to draw.
    leaves : int
        The most branches.
    tooltips : bool
        Whether every node carries its columns.
    """
    n, root = model.n_rows, 2 * model.n_rows - 2
    opened = upper(model, max(leaves, 1))
    order = _ends(model, opened, root)
    place = {node: EDGE + STEP * (i + 0.5) for i, node in enumerate(order)}
    top = float(model.heights.max(initial=0.0)) or 1.0
    lowest = 30 + TALL

    def level(node: int) -> float:
        """Where the line from above to a node ends: at its own joining, or below all."""
        return lowest if node not in opened else lowest - TALL * max(float(model.heights[node - n]), 0.0) / top

    body: list[str] = []
    for i in range(TICKS):
        y, value = lowest - TALL * i / (TICKS - 1), top * i / (TICKS - 1)
        body.append(
            f'<line x1="{short(EDGE - 4)}" x2="{short(EDGE)}" y1="{short(y)}" y2="{short(y)}" stroke="{LINE}"/>'
        )
        body.append(write_text(short_number(value, 3), EDGE - 6, y + 4, SIZE - 1, colour=MUTED, anchor="end"))
    for node in sorted(opened):
        one, other = (int(part) for part in model.pairs[node - n])
        place[node] = (place[one] + place[other]) / 2
        y, colour = level(node), _colour(model, node)
        path = f"M{short(place[one])} {short(level(one))}V{short(y)}H{short(place[other])}"
        path += f"V{short(level(other))}"
        tip = f"<title>{safe_lines([_title(model, node), *columns(model, node).splitlines()])}</title>" * tooltips
        body.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6">{tip}</path>')
    for node in order:
        size = int(model.sizes[node])
        text = str(node + 1) if node < n else f"({size})"
        tip = f"<title>{safe_lines([_title(model, node), *columns(model, node).splitlines()])}</title>" * tooltips
        label = write_text(text, place[node], lowest + 16, SIZE, anchor="middle", colour=_colour(model, node))
        body.append(f"<g>{tip}{label}</g>")
    if model.height is not None and 0 <= model.height <= top:
        y = lowest - TALL * model.height / top
        body.append(
            f'<line x1="{short(EDGE)}" x2="{short(EDGE + STEP * len(order))}" y1="{short(y)}" y2="{short(y)}" '
            f'stroke="{MUTED}" stroke-dasharray="4 3"/>'
        )
    how = "parted top-down" if model.linkage == "top-down" else f"{model.linkage} linkage"
    title = f"{n} rows, {how}, {model.n_clusters} cluster{'s' * (model.n_clusters != 1)}"
    wide, tall = max(EDGE + STEP * len(order) + 20, room(title, SIZE + 2, bold=True) + 20), lowest + 30
    body.insert(0, write_text(title, 10, 18, SIZE + 2, bold=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{short(wide)}" height="{short(tall)}" '
        f'viewBox="0 0 {short(wide)} {short(tall)}" font-family="{FONT}" fill="{INK}" role="img">'
        f"<title>{safe_lines([title])}</title>{''.join(body)}</svg>"
    )


def _ends(model: Dendrogram, opened: set[int], root: int) -> list[int]:
    """The nodes at which the drawing ends, from left to right."""
    found, stack = [], [root]
    while stack:
        node = stack.pop()
        if node in opened:
            one, other = model.pairs[node - model.n_rows]
            stack += [int(other), int(one)]
        else:
            found.append(node)
    return found


def _colour(model: Dendrogram, node: int) -> str:
    labels = np.unique(model.labels[model.rows_of(node)])
    if len(labels) > 1:
        return MUTED
    return CATEGORIES[int(labels[0])] if labels[0] < len(CATEGORIES) else OTHER


def _title(model: Dendrogram, node: int) -> str:
    if node < model.n_rows:
        return f"row {node + 1}"
    return f"{int(model.sizes[node])} rows, height {short_number(float(model.heights[node - model.n_rows]))}"
