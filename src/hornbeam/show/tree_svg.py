"""`hornbeam.show.svg`: a tree as a picture that needs nothing installed.

Inner nodes name the column they ask for; edges say which rows take them and are as thick as these rows are heavy;
leaves have their class's colour. In every node a bar shows the classes, or where its mean lies. Resting the pointer on
a node tells the rest: its path, class weights, runner-up splits, surrogates, what becomes of missing values. The
module is not called `svg`, because a submodule would hide the function. Only plain SVG 1.1 with attributes is written,
so that browsers, editors and converters all draw the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hornbeam.data.schema import Nominal
from hornbeam.model.clustering import Clustering
from hornbeam.model.dendrogram import Dendrogram
from hornbeam.model.forest import Forest
from hornbeam.model.tree import Tree
from hornbeam.show import dendrogram_svg, palette
from hornbeam.show.chance import chances_of
from hornbeam.show.impurity import spread
from hornbeam.show.indented import summary
from hornbeam.show.layout import place
from hornbeam.show.svg_parts import document, room, safe, safe_lines, short, write_text
from hornbeam.show.themes import in_theme
from hornbeam.show.tree_cards import NAME_ROOM, Card, make_cards
from hornbeam.show.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.show.palette import Theme

Direction = Literal["auto", "down", "right"]

TITLE, TEXT, SMALL, NOTE = 16.0, 13.0, 11.5, 10.5  # sizes of letters
PAD, BAR, MARGIN = 10.0, 5.0, 22.0
PILL, PILL_GAP = 19.0, 5.0  # height of a branch's label, and its distance from the box
GAP, LEVEL_GAP = 16.0, 30.0  # downwards: between neighbours, between levels
TIGHT, EDGE = 7.0, 40.0  # the same to the right
LINE_HEIGHT = 14.0
LEAST_BOX = {True: 76.0, False: 120.0}  # the narrowest box, with figures under the head and beside it
MOST_TIMES_WIDER = 2.2  # than high
LEAST_WIDTH = 440.0  # room for the heading
MOST_LEAVES_DOWN = 9  # a broader tree is drawn from left to right
SCALE = 110.0  # width of the legend's bar
STEPS = 24  # shades of blue


def svg(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    max_depth: int | None = None,
    direction: Direction = "auto",
    title: str | None = None,
    chance: bool = False,
    theme: str = "auto",
) -> str:
    """Draw a tree as SVG.

    Parameters
    ----------
    model : Tree, Dendrogram or fitted estimator
        What to draw; of an estimator, its `model_`. The other parameters are about trees; `hornbeam.show.dendrogram`
        has those of dendrograms.
    max_depth : int, optional
        Draw no deeper, and tell how many leaves were left out.
    direction : {"auto", "down", "right"}
        From the root downwards, or from left to right, which is easier to read for large trees; by default by the
        number of leaves.
    title : str, optional
        A heading; by default the names of table and target.
    chance : bool
        Trees of classes: write into every node that is split how likely the split is to be chance, by the chi-square
        test.
    theme : {"auto", "light", "dark"}
        Colours; by default as the page is in which the picture stands.

    Returns
    -------
    str
        The picture, as a whole SVG document without an XML declaration, fit for a file and for a web page. Every node
        is a group of the class ``node`` with its number as ``data-node``; the edge that leads to it has ``data-child``.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    >>> picture = hornbeam.show.svg(tree)
    >>> picture.startswith("<svg xmlns="), "outlook" in picture, "sunny" in picture
    (True, True, True)
    """
    tree = getattr(model, "model_", model)
    if isinstance(tree, Dendrogram):
        return dendrogram_svg.dendrogram(tree, title=title, theme=theme)
    if not isinstance(tree, Tree):
        one = ", such as one tree of it: forest.tree(0)" if isinstance(tree, Forest) else ""
        one = "; hornbeam.show.cluster_map draws clusters" if isinstance(tree, Clustering) else one
        msg = f"cannot draw a {type(tree).__name__}; expected a Tree or a fitted estimator{one}"
        raise TypeError(msg)
    if max_depth is not None and max_depth < 0:
        msg = f"max_depth is {max_depth}; expected 0 or more, or None"
        raise ValueError(msg)
    if direction not in ("auto", "down", "right"):
        msg = f"direction is {direction!r}; expected 'auto', 'down' or 'right'"
        raise ValueError(msg)
    cards = make_cards(tree, max_depth, chances_of(tree) if chance else None)
    down = direction == "down"
    if direction == "auto":
        down = sum(not card.children for card in cards) <= MOST_LEAVES_DOWN
    drawing = _Drawing(tree, cards, down=down, title=title)
    return in_theme(drawing.write, theme)


class _Drawing:
    """One picture being made."""

    def __init__(self, tree: Tree, cards: list[Card], *, down: bool, title: str | None) -> None:
        self.tree, self.cards, self.down = tree, cards, down
        self.stacked = down  # whether figures stand under the head, or beside it
        target = tree.schema.target_column
        self.title = f"{tree.schema.name}: {target.name}" if title is None else title
        self.classes = target.categories if isinstance(target, Nominal) else ()
        if not self.classes:
            reached = [node for node in range(tree.n_nodes) if tree.weight[node] > 0] or [0]
            means = [float(tree.value[node, 1]) for node in reached]
            around = [spread(tree.value[node]) for node in reached]
            self.range = min(map(float.__sub__, means, around)), max(map(float.__add__, means, around))

        self.tree_width, self.tree_height = self._place()
        self._take(palette.LIGHT)

    def _take(self, theme: Theme) -> None:
        """Draw in these colours from now on."""
        self.theme = theme
        self.colours = palette.of_classes(self.tree.value[0], theme) if self.classes else []

    def write(self, theme: Theme) -> str:
        """Write the document in these colours."""
        self._take(theme)
        full = max(self.tree_width, LEAST_WIDTH)
        heading, top = self._heading(full)
        shift = MARGIN + ((full - self.tree_width) / 2 if self.down else 0.0)
        lines = [
            *heading,
            f'<g transform="translate({short(shift)} {short(top)})">',
            f'<g fill="none" stroke="{theme.edge}">',
            *(self._edge(card, self.cards[child]) for card in self.cards for child in card.children),
            "</g>",
            *(line for card in self.cards for line in self._card(card)),
            "</g>",
        ]
        told = summary(self.tree)
        return document(full + 2 * MARGIN, top + self.tree_height + MARGIN, self.title, lines, theme, told=told)

    def _place(self) -> tuple[float, float]:
        """Give every card its size and place; and give the whole size."""
        for card in self.cards:
            self._measure(card)
        if self.down:
            return self._place_down()
        wide, high = self._place_right()
        if wide > MOST_TIMES_WIDER * high:  # figures under the heads make narrower boxes
            self.stacked = True
            for card in self.cards:
                self._measure(card)
            return self._place_right()
        return wide, high

    def _measure(self, card: Card) -> None:
        """Give a card the size that its words need."""
        head, figures = room(card.head, TEXT, bold=True), room(card.figures, SMALL)
        notes = [room(note, NOTE) for note in card.notes]
        body = max(head, figures) if self.stacked else head + 12 + figures
        card.width = max([body, *notes, LEAST_BOX[self.stacked]]) + 2 * PAD
        lines = (2 * LINE_HEIGHT + 3 if self.stacked else LINE_HEIGHT + 1) + LINE_HEIGHT * len(card.notes)
        card.height = PAD - 1 + lines + 5 + BAR + PAD - 2
        card.label_width = room(card.label, SMALL) + 14 if card.label else 0.0

    def _place_down(self) -> tuple[float, float]:
        """Place the cards of a tree drawn downwards, each under its label; and give the whole size."""
        above = [PILL + PILL_GAP if card.label else 0.0 for card in self.cards]
        across = [max(card.width, card.label_width) for card in self.cards]
        along = [card.height + lead for card, lead in zip(self.cards, above, strict=True)]
        middle, start = place([card.children for card in self.cards], across, along, GAP, LEVEL_GAP)
        for card, centre, top, lead in zip(self.cards, middle, start, above, strict=True):
            card.x, card.y = centre - card.width / 2, top + lead
        wide = max(centre + size / 2 for centre, size in zip(middle, across, strict=True))
        return wide, max(card.y + card.height for card in self.cards)

    def _place_right(self) -> tuple[float, float]:
        """Place the cards of a tree drawn to the right, each after its label; and give the whole size."""
        for card in self.cards:
            lead = max((self.cards[child].label_width for child in card.children), default=0.0) + 12
            for child in card.children:
                self.cards[child].lead = lead
        across = [card.height for card in self.cards]
        along = [card.width + card.lead for card in self.cards]
        middle, start = place([card.children for card in self.cards], across, along, TIGHT, EDGE)
        for card, centre, left in zip(self.cards, middle, start, strict=True):
            card.x, card.y = left + card.lead, centre - card.height / 2
        return max(card.x + card.width for card in self.cards), max(card.y + card.height for card in self.cards)

    # --- heading -------------------------------------------------------------------------------------------------

    def _heading(self, width: float) -> tuple[list[str], float]:
        """Title, summary and legend; and where the tree may start."""
        y = MARGIN + TITLE - 4
        lines = [write_text(self.title, MARGIN, y, TITLE, bold=True)]
        y += 19
        lines.append(write_text(summary(self.tree), MARGIN, y, SMALL, colour=self.theme.muted))
        y += 22
        if not self.classes:
            return [*lines, *self._scale(y)], y + 26
        x = MARGIN
        for name, colour in self._legend():
            needed = 15 + room(name, SMALL) + 14
            if x > MARGIN and x + needed > width + MARGIN:
                x, y = MARGIN, y + 18
            lines.append(f'<rect x="{short(x)}" y="{short(y - 9)}" width="10" height="10" rx="2" fill="{colour}"/>')
            lines.append(write_text(name, x + 15, y, SMALL))
            x += needed
        return lines, y + 24

    def _legend(self) -> Iterator[tuple[str, str]]:
        others = 0
        for name, colour, weight in zip(self.classes, self.colours, self.tree.value[0], strict=True):
            if colour == self.theme.other:
                others += int(weight > 0)
            elif weight > 0:
                yield printable(name, NAME_ROOM), colour
        if others:
            yield f"{others} other class{'' if others == 1 else 'es'}", self.theme.other

    def _scale(self, y: float) -> list[str]:
        """The range of means, as the bars in the nodes have it."""
        low, high = map(short_number, self.range)
        start = MARGIN + room(low, SMALL) + 8
        middle = sum(self.range) / 2
        return [
            write_text(low, MARGIN, y, SMALL, colour=self.theme.muted),
            *self._mark(start, y - 6.5, SCALE, middle, (self.range[1] - self.range[0]) / 6),
            write_text(high, start + SCALE + 8, y, SMALL, colour=self.theme.muted),
            write_text(
                "mean ± one standard deviation",
                start + SCALE + 8 + room(high, SMALL) + 16,
                y,
                SMALL,
                colour=self.theme.muted,
            ),
        ]

    # --- nodes and edges -----------------------------------------------------------------------------------------

    def _edge(self, parent: Card, child: Card) -> str:
        total = float(self.tree.weight[0])
        share = min(float(self.tree.weight[child.node]) / total, 1.0) if total > 0 else 0.0
        # An edge bends only between the levels, so that it cannot run over a larger box beside its start.
        if self.down:
            x, y = short(parent.x + parent.width / 2), short(parent.y + parent.height)
            end, low = short(child.x + child.width / 2), child.y - PILL_GAP - PILL
            bend = short(low - LEVEL_GAP / 2)
            way = f"M{x} {y}V{short(low - LEVEL_GAP)}C{x} {bend} {end} {bend} {end} {short(low)}V{short(child.y)}"
        else:
            x, y = short(parent.x + parent.width), short(parent.y + parent.height / 2)
            left, level = child.x - child.lead, short(child.y + child.height / 2)
            bend = short(left - EDGE / 2)
            way = f"M{x} {y}H{short(left - EDGE)}C{bend} {y} {bend} {level} {short(left)} {level}H{short(child.x)}"
        return f'<path data-child="{child.node}" d="{way}" stroke-width="{short(1.2 + 5.3 * share**0.75)}"/>'

    def _card(self, card: Card) -> Iterator[str]:
        """The branch's label, and the box with its words and its bar."""
        if card.label:
            if self.down:
                x, y = card.x + card.width / 2 - card.label_width / 2, card.y - PILL_GAP - PILL
            else:
                x, y = card.x - card.lead, card.y + card.height / 2 - PILL / 2
            yield f'<g data-branch="{card.node}">'
            yield f"<title>{safe(card.label_tooltip)}</title>"
            yield (
                f'<rect x="{short(x)}" y="{short(y)}" width="{short(card.label_width)}" height="{short(PILL)}" '
                f'rx="{short(PILL / 2)}" fill="{self.theme.ground}" stroke="{self.theme.edge}"/>'
            )
            yield write_text(card.label, x + card.label_width / 2, y + 13.4, SMALL, anchor="middle")
            yield "</g>"
        fill, line, dash = self._box_colours(card)
        yield f'<g class="node" data-node="{card.node}">'
        yield f"<title>{safe_lines(card.tooltip)}</title>"
        yield (
            f'<rect x="{short(card.x)}" y="{short(card.y)}" width="{short(card.width)}" '
            f'height="{short(card.height)}" rx="6" fill="{fill}" stroke="{line}" stroke-width="1.2"{dash}/>'
        )
        x, y = card.x + PAD, card.y + PAD + TEXT - 3
        yield write_text(card.head, x, y, TEXT, bold=True)
        if self.stacked:
            y += LINE_HEIGHT + 3
            yield write_text(card.figures, x, y, SMALL, colour=self.theme.muted)
        else:
            yield write_text(card.figures, card.x + card.width - PAD, y, SMALL, colour=self.theme.muted, anchor="end")
        for note in card.notes:
            y += LINE_HEIGHT
            yield write_text(note, x, y, NOTE, colour=self.theme.muted)
        yield from self._bar(card)
        yield "</g>"

    def _box_colours(self, card: Card) -> tuple[str, str, str]:
        """Fill and line of a box: a leaf's in the colour of its answer."""
        if card.closed:
            return self.theme.ground, self.theme.line, ' stroke-dasharray="4 3"'
        if card.children or self.tree.n_children[card.node]:
            return self.theme.ground, self.theme.line, ""
        colour = self.theme.other
        if not self.classes:
            colour = self._blue(float(self.tree.value[card.node, 1]))
            return palette.mix(colour, self.theme.ground, 0.9), palette.mix(colour, self.theme.ground, 0.3), ""
        label = int(self.tree.label[card.node])
        if label >= 0 and self.tree.weight[card.node] > 0:
            colour = self.colours[label]
        return palette.mix(colour, self.theme.ground, 0.86), palette.mix(colour, self.theme.ground, 0.25), ""

    def _bar(self, card: Card) -> Iterator[str]:
        """Class shares side by side, or the mean on a line that is the same in all nodes."""
        tree, node = self.tree, card.node
        x, y, full = card.x + PAD, card.y + card.height - PAD - BAR + 2, card.width - 2 * PAD
        if not self.classes:
            if tree.weight[node] > 0:
                yield from self._mark(x, y, full, float(tree.value[node, 1]), spread(tree.value[node]))
            return
        total = float(tree.value[node].sum())
        box = f'y="{short(y)}" height="{short(BAR)}"'
        yield f'<rect x="{short(x)}" width="{short(full)}" {box} fill="{self.theme.faint}"/>'
        if total <= 0:
            return
        shares: dict[str, float] = {}
        for colour, weight in zip(self.colours, tree.value[node].tolist(), strict=True):
            shares[colour] = shares.get(colour, 0.0) + weight / total
        for colour in sorted(shares, key=lambda colour: colour == self.theme.other):
            wide = full * shares[colour]
            if wide > 0.05:  # noqa: PLR2004 - less cannot be seen
                yield f'<rect x="{short(x)}" width="{short(wide)}" {box} fill="{colour}"/>'
            x += wide

    def _mark(self, x: float, y: float, full: float, mean: float, sd: float) -> Iterator[str]:
        start, end = (x + full * self._share(value) for value in (mean - sd, mean + sd))
        share = self._share(mean)
        box = f'y="{short(y)}" height="{short(BAR)}" rx="{short(BAR / 2)}"'
        yield f'<rect x="{short(x)}" width="{short(full)}" {box} fill="{self.theme.faint}"/>'
        yield f'<rect x="{short(start)}" width="{short(end - start)}" {box} fill="{self.theme.line}"/>'
        yield (
            f'<circle cx="{short(x + full * share)}" cy="{short(y + BAR / 2)}" r="4.2" fill="{self._blue(mean)}" '
            f'stroke="{self.theme.ground}"/>'
        )

    def _blue(self, mean: float) -> str:
        """The colour of a mean, in steps; the lightest blues are too faint for a line."""
        return palette.mix(self.theme.low, self.theme.high, 0.3 + 0.7 * round(STEPS * self._share(mean)) / STEPS)

    def _share(self, value: float) -> float:
        """Where a number lies in the range of the means."""
        low, high = self.range
        return min(max((value - low) / (high - low), 0.0), 1.0) if high > low else 0.5
