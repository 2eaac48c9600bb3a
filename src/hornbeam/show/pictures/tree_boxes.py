"""How the nodes of a drawn tree look: boxes with text and a bar, small boxes, ticks; in the colors of one theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.criterion import standard_deviation
from hornbeam.show.pictures import palette
from hornbeam.show.pictures.svg_parts import box, safe, safe_lines, short, text_width, write_text
from hornbeam.show.pictures.tree_detail import FULL, SMALL, TICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.pictures.palette import Theme
    from hornbeam.show.pictures.tree_cards import Card
    from hornbeam.show.pictures.tree_rows import NodeRows

HEAD, LETTERS, NOTE = 13.0, 11.5, 10.5  # font sizes
PAD, BAR = 10.0, 5.0
PILL, SMALL_PILL, PILL_GAP = 19.0, 15.0, 5.0  # height of a branch's label, and its distance from the box
LINE_HEIGHT = 14.0
LEAST_BOX = {True: 76.0, False: 120.0}  # minimum width of a box, with details below the header and beside it
HISTOGRAM = 20.0  # height of a histogram in a box
SMALL_PAD, SMALL_BOX, SMALL_BAR = 5.0, 20.0, 2.5
TICK_LONG, TICK_MORE, TICK_THICK, DOT = 6.0, 16.0, 4.6, 2.6  # of ticks: minimum length, additional length, thickness
STEPS = 24  # shades of blue
LEAST_SEEN = 0.05  # a narrower part of a bar is not drawn


def measure(card: Card, tree: Tree | ConceptTree, *, stacked: bool, down: bool, histogram: bool) -> None:
    """Set the size of a card, from its text."""
    if card.detail == TICK:
        heavy = (float(tree.weight[card.node]) / (float(tree.weight[0]) or 1.0)) ** 0.5
        long = 2 * DOT if card.children else TICK_LONG + TICK_MORE * min(4 * heavy, 1.0)
        thick = 2 * DOT if card.children else TICK_THICK
        card.width, card.height = (thick, long) if down else (long, thick)
        return
    if card.detail == SMALL:
        card.width = max(text_width(card.head, NOTE), 24.0) + 2 * SMALL_PAD
        card.height = SMALL_BOX
        card.label_width = text_width(card.label, NOTE) + 8 if card.label else 0.0
        return
    head, details = text_width(card.head, HEAD, bold=True), text_width(card.details, LETTERS)
    notes = [text_width(note, NOTE) for note in card.notes]
    body = max(head, details) if stacked else head + 12 + details
    card.width = max([body, *notes, LEAST_BOX[stacked]]) + 2 * PAD
    lines = (2 * LINE_HEIGHT + 3 if stacked else LINE_HEIGHT + 1) + LINE_HEIGHT * len(card.notes)
    card.height = PAD - 1 + lines + 5 + BAR + PAD - 2 + (HISTOGRAM + 3 if histogram else 0.0)
    card.label_width = text_width(card.label, LETTERS) + 14 if card.label else 0.0


def pill_height(card: Card) -> float:
    """The height of the label of the branch to a node; 0 if there is no label."""
    return 0.0 if not card.label else PILL if card.detail == FULL else SMALL_PILL


class Boxes:
    """Draws nodes in one theme."""

    def __init__(self, tree: Tree, theme: Theme, rows: NodeRows | None) -> None:
        self.tree, self.theme, self.rows = tree, theme, rows
        target = tree.schema.target_column
        self.classes = target.categories if isinstance(target, Nominal) else ()
        self.value: Floats = tree.value if rows is None or not self.classes else rows.weights
        self.colors = palette.of_classes(tree.value[0], theme) if self.classes else []
        self.range = (0.0, 1.0)
        if not self.classes:
            reached = [node for node in range(tree.n_nodes) if tree.weight[node] > 0] or [0]
            means = [float(tree.value[node, 1]) for node in reached]
            around = [standard_deviation(tree.value[node]) for node in reached]
            self.range = min(map(float.__sub__, means, around)), max(map(float.__add__, means, around))
            self.range = self.range if rows is None else rows.range

    def label(self, card: Card, *, down: bool) -> Iterator[str]:
        """Draw the label of the branch to a node."""
        high = pill_height(card)
        if not high:
            return
        if down:
            x, y = card.x + card.width / 2 - card.label_width / 2, card.y - PILL_GAP - high
        else:
            x, y = card.x - card.lead, card.y + card.height / 2 - high / 2
        line = f'stroke="{self.theme.edge}"' if card.detail == FULL else 'fill-opacity="0.85"'
        size = LETTERS if card.detail == FULL else NOTE
        yield f'<g data-branch="{card.node}">'
        yield f"<title>{safe(card.label_tooltip)}</title>"
        yield f'<rect {box(x, y, card.label_width, high)} rx="{short(high / 2)}" fill="{self.theme.ground}" {line}/>'
        middle, base = x + card.label_width / 2, y + high / 2 + 0.34 * size
        yield write_text(card.label, middle, base, size, anchor="middle")
        yield "</g>"

    def node(self, card: Card, *, stacked: bool) -> Iterator[str]:
        """Draw a node, with a tooltip."""
        yield f'<g class="node" data-node="{card.node}">'
        yield f"<title>{safe_lines(card.tooltip)}</title>"
        if card.detail == TICK:
            yield self._tick(card)
        elif card.detail == SMALL:
            yield self._frame(card, 3)
            yield write_text(card.head, card.x + SMALL_PAD, card.y + 12.5, NOTE)
            y = card.y + card.height - SMALL_BAR - 2
            yield from self.bar(card.node, card.x + SMALL_PAD, y, card.width - 2 * SMALL_PAD, SMALL_BAR)
        else:
            yield from self._full(card, stacked=stacked)
        yield "</g>"

    def _full(self, card: Card, *, stacked: bool) -> Iterator[str]:
        yield self._frame(card, 6)
        x, y = card.x + PAD, card.y + PAD + HEAD - 3
        yield write_text(card.head, x, y, HEAD, bold=True)
        if stacked:
            y += LINE_HEIGHT + 3
            yield write_text(card.details, x, y, LETTERS, color=self.theme.muted)
        else:
            end = card.x + card.width - PAD
            yield write_text(card.details, end, y, LETTERS, color=self.theme.muted, anchor="end")
        for note in card.notes:
            y += LINE_HEIGHT
            yield write_text(note, x, y, NOTE, color=self.theme.muted)
        y, full = card.y + card.height - PAD - BAR + 2, card.width - 2 * PAD
        if self.rows is not None and not self.classes:
            yield from self._histogram(card.node, x, y - 3, full)
        yield from self.bar(card.node, x, y, full, BAR)

    def _frame(self, card: Card, corner: float) -> str:
        fill, line, dash = self._box_colors(card)
        shape = box(card.x, card.y, card.width, card.height)
        return f'<rect {shape} rx="{short(corner)}" fill="{fill}" stroke="{line}" stroke-width="1.2"{dash}/>'

    def _tick(self, card: Card) -> str:
        color = self.color_of(card.node)
        if card.children:
            x, y = short(card.x + card.width / 2), short(card.y + card.height / 2)
            return f'<circle cx="{x}" cy="{y}" r="{short(DOT)}" fill="{color}"/>'
        hollow = f'fill="{self.theme.ground}" stroke="{color}"' if card.closed else f'fill="{color}"'
        return f"<rect {box(card.x, card.y, card.width, card.height)} {hollow}/>"

    def color_of(self, node: int) -> str:
        """The color of the prediction of a node."""
        if not self.classes:
            return self._blue(float(self.tree.value[node, 1]))
        label = int(self.tree.label[node])
        return self.colors[label] if label >= 0 and self.tree.weight[node] > 0 else self.theme.other

    def _box_colors(self, card: Card) -> tuple[str, str, str]:
        """Fill and line of a box; a leaf has the color of its prediction."""
        ground = self.theme.ground
        if card.closed:
            return ground, self.theme.line, ' stroke-dasharray="4 3"'
        if card.children:
            return ground, self.theme.line, ""
        color, pale, line = self.color_of(card.node), 0.86, 0.25
        if not self.classes:  # the darkest blue would be too dark behind letters
            pale, line = 0.9, 0.3
        return palette.mix(color, ground, pale), palette.mix(color, ground, line), ""

    def bar(self, node: int, x: float, y: float, full: float, high: float) -> Iterator[str]:
        """Draw the class proportions as a bar, or the mean on a scale that is the same in all nodes."""
        tree = self.tree
        if not self.classes:
            if tree.weight[node] > 0:
                yield from self.mark(x, y, full, high, float(tree.value[node, 1]), standard_deviation(tree.value[node]))
            return
        total = float(self.value[node].sum())
        parts: dict[str, float] = {}
        if total > 0:
            for color, weight in zip(self.colors, self.value[node].tolist(), strict=True):
                parts[color] = parts.get(color, 0.0) + weight / total
        if max(parts.values(), default=0.0) * full < full - LEAST_SEEN:
            yield f'<rect {box(x, y, full, high)} fill="{self.theme.faint}"/>'
        for color in sorted(parts, key=lambda color: color == self.theme.other):
            wide = full * parts[color]
            if wide > LEAST_SEEN:
                yield f'<rect {box(x, y, wide, high)} fill="{color}"/>'
            x += wide

    def mark(self, x: float, y: float, full: float, high: float, mean: float, sd: float) -> Iterator[str]:
        """Draw a mean with one standard deviation to either side, on the scale of all nodes."""
        start, end = (x + full * self._share(value) for value in (mean - sd, mean + sd))
        share = self._share(mean)
        for left, wide, color in ((x, full, self.theme.faint), (start, end - start, self.theme.line)):
            yield f'<rect {box(left, y, wide, high)} rx="{short(high / 2)}" fill="{color}"/>'
        circle = f'cx="{short(x + full * share)}" cy="{short(y + high / 2)}" r="{short(0.84 * high)}"'
        yield f'<circle {circle} fill="{self._blue(mean)}" stroke="{self.theme.ground}"/>'

    def _histogram(self, node: int, x: float, foot: float, full: float) -> Iterator[str]:
        """Draw the distribution of the target of the rows at a node, over the same range in all nodes."""
        assert self.rows is not None
        counts = self.rows.weights[node]
        most, step = float(counts.max()), full / len(counts)
        way = "".join(
            f"M{short(x + i * step + 0.3)} {short(foot)}v{short(-HISTOGRAM * count / most)}"
            f"h{short(step - 0.6)}V{short(foot)}"
            for i, count in enumerate(counts.tolist())
            if count > 0
        )
        if way:
            yield f'<path d="{way}" fill="{self.color_of(node)}"/>'

    def _blue(self, mean: float) -> str:
        """The color of a mean, in steps; the lightest blues are too faint for a line."""
        share = round(STEPS * self._share(mean)) / STEPS
        return palette.mix(self.theme.low, self.theme.high, 0.3 + 0.7 * share)

    def _share(self, value: float) -> float:
        """The position of a number in the range of the means, from 0 to 1."""
        low, high = self.range
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
