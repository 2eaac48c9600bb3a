"""`hornbeam.show.dendrogram`: nested clusters as a picture, with merges at their heights and clusters in colors.

Only the upper part is drawn if there are many rows; a branch of several rows shows how many. Every node has a tooltip
with its columns, by mean and relative to the rest. The legend shows what distinguishes each cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.clusters.projected import ProjectedClusters
from hornbeam.show.pictures.marks import badge, color_of, legend
from hornbeam.show.pictures.svg_parts import (
    MARGIN,
    SMALL,
    TEXT,
    TITLE,
    box,
    document,
    heading,
    round_numbers,
    safe_lines,
    short,
    text_width,
    write_text,
)
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.clusters.dendrogram_text import columns, headline, node_name, upper, words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.show.pictures.palette import Theme

MOST_LEAVES = 40
MOST_TRAITS = 2  # of a cluster, beside the tree
STEP, TALL = 26.0, 340.0
PAD, GAP = 8.0, 30.0
TICKS = 5


def dendrogram(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    leaves: int = MOST_LEAVES,
    tooltips: bool = True,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw the upper part of a dendrogram as SVG.

    Parameters
    ----------
    model : Dendrogram or fitted estimator
        What to draw.
    leaves : int
        The largest number of branches; more if there are more clusters.
    tooltips : bool
        Whether every node has a tooltip with its columns.
    theme : str
        As for `cluster_map`.
    title : str, optional
        The title; by default how many rows were clustered, and how.

    Returns
    -------
    str
        A complete SVG document. Below the branches are the numbers of rows, or in parentheses how many
        rows a branch has; the dashed line is the cut.

    Examples
    --------
    >>> import hornbeam
    >>> picture = hornbeam.show.dendrogram(hornbeam.HierarchicalClustering(3).fit(hornbeam.read("iris")))
    >>> "cluster 0: 50 rows" in picture, "petalwidth" in picture
    (True, True)
    """
    found = getattr(model, "model_", model)
    if isinstance(found, ProjectedClusters):
        found = found.inner
    if not isinstance(found, Dendrogram):
        raise TypeError(f"cannot draw a {type(found).__name__} as a dendrogram; expected a Dendrogram or its estimator")
    title = f"{printable(found.schema.name, NAME_LIMIT)}: {headline(found)}" if title is None else title
    return in_theme(lambda colors: _Drawing(found, leaves, colors, tooltips=tooltips).write(title), theme)


class _Drawing:
    """The state of one drawing."""

    def __init__(self, model: Dendrogram, leaves: int, theme: Theme, *, tooltips: bool) -> None:
        self.model, self.theme, self.tooltips = model, theme, tooltips
        self.n, self.root = model.n_rows, 2 * model.n_rows - 2
        self.opened = upper(model, max(leaves, model.n_clusters, 1))
        self.order = self._ends()
        self.highest = float(model.heights.max(initial=0.0)) or 1.0
        self.ticks = [tick for tick in round_numbers(0.0, self.highest, TICKS) if tick <= self.highest]
        self.left = MARGIN + max(text_width(short_number(tick, 3), SMALL) for tick in self.ticks) + PAD
        self.top = MARGIN + TITLE + 1.6 * TEXT
        self.lowest = self.top + TALL
        self.place = {node: self.left + STEP * (i + 0.5) for i, node in enumerate(self.order)}

    def write(self, title: str) -> str:
        """Write the complete picture."""
        right = self.left + STEP * len(self.order)
        lines, _, title_end = heading(title, "", self.theme)
        lines += self._scale(right)
        lines += [line for node in sorted(self.opened) for line in self._merge(node)]
        lines += [line for node in self.order for line in self._end(node)]
        legend, legend_end, below = self._clusters(right + GAP)
        wide, high = max(legend_end, title_end) + MARGIN, max(below, self.lowest + 5.2 * TEXT)
        return document(wide, high, title, [*lines, *self._bands(), *legend], self.theme)

    def _ends(self) -> list[int]:
        """The nodes at which the drawing ends, from left to right."""
        found, stack = [], [self.root]
        while stack:
            node = stack.pop()
            if node in self.opened:
                one, other = self.model.pairs[node - self.n]
                stack += [int(other), int(one)]
            else:
                found.append(node)
        return found

    def _height(self, value: float) -> float:
        return self.lowest - TALL * max(value, 0.0) / self.highest

    def _level(self, node: int) -> float:
        """Where the line from above to a node ends: at its own height, or at the bottom."""
        return self._height(float(self.model.heights[node - self.n])) if node in self.opened else self.lowest

    def _scale(self, right: float) -> list[str]:
        """Draw the axis of heights, and the line where the tree is cut."""
        lines = []
        for tick in self.ticks:
            y = self._height(tick)
            lines.append(f'<path d="M{short(self.left)} {short(y)}H{short(right)}" stroke="{self.theme.faint}"/>')
            text = write_text(
                short_number(tick, 3), self.left - PAD, y + 0.36 * SMALL, SMALL, color=self.theme.muted, anchor="end"
            )
            lines.append(text)
        cut = self.model.cut_height()
        if cut is not None and 0 <= cut <= self.highest:
            way = f"M{short(self.left)} {short(self._height(cut))}H{short(right)}"
            lines.append(f'<path d="{way}" stroke="{self.theme.muted}" stroke-dasharray="5 4"/>')
        return lines

    def _merge(self, node: int) -> list[str]:
        one, other = (int(part) for part in self.model.pairs[node - self.n])
        self.place[node] = (self.place[one] + self.place[other]) / 2
        way = f"M{short(self.place[one])} {short(self._level(one))}V{short(self._level(node))}"
        way += f"H{short(self.place[other])}V{short(self._level(other))}"
        return [f'<path d="{way}" fill="none" stroke="{self._color(node)}" stroke-width="1.7">{self._tip(node)}</path>']

    def _end(self, node: int) -> list[str]:
        text = str(node + 1) if node < self.n else f"({int(self.model.sizes[node])})"
        label = write_text(text, self.place[node], self.lowest + 1.4 * SMALL, SMALL, anchor="middle")
        return [f"<g>{self._tip(node)}{label}</g>"]

    def _tip(self, node: int) -> str:
        if not self.tooltips:
            return ""
        lines = [node_name(self.model, node), *columns(self.model, node).splitlines()]
        return f"<title>{safe_lines(lines)}</title>"

    def _color(self, node: int) -> str:
        cluster = int(self.model.cluster_of_nodes[node])
        return self.theme.muted if cluster < 0 else color_of(cluster, self.theme)

    def _bands(self) -> list[str]:
        """Draw a bar in the color of each cluster below its branches, with its number."""
        spans: dict[int, list[float]] = {}
        for node in self.order:
            cluster = int(self.model.cluster_of_nodes[node])
            if cluster >= 0:
                spans.setdefault(cluster, []).append(self.place[node])
        lines, y = [], self.lowest + 2.4 * TEXT
        for cluster, places in spans.items():
            start, wide = min(places) - 0.4 * STEP, max(places) - min(places) + 0.8 * STEP
            lines.append(f'<rect {box(start, y, wide, 5)} rx="2" fill="{color_of(cluster, self.theme)}"/>')
            lines += badge(cluster, start + wide / 2, y + 2.5, SMALL, self.theme)
        return lines

    def _clusters(self, x: float) -> tuple[list[str], float, float]:
        """Draw a legend with what distinguishes each cluster; also return its right and lower end."""
        schema, clusters = self.model.schema, self.model.describe()
        labels = [f"cluster {one.cluster}: {plural(one.rows, 'row')}" for one in clusters]
        traits = [[words(trait, schema) for trait in one.traits[:MOST_TRAITS] if trait.apart] for one in clusters]
        return legend(labels, x, self.top + 10, TEXT, self.theme, below=traits)
