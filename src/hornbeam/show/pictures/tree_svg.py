"""`hornbeam.show.svg`: a tree as a picture that needs nothing installed.

Inner nodes name the column they split on; edges are labeled with their condition and are thicker for more rows; leaves
have the color of their class. In every node a bar shows the classes, or the mean. The tooltip of a node has the rest:
its path, class weights, runner-up splits, surrogates, how missing values are routed. The module is not called `svg`,
because a submodule would hide the function. Only plain SVG 1.1 with attributes is written, so that all browsers,
editors and converters draw the same picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from hornbeam.data.in_words import plural, shortened, with_commas
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.base.several import SeveralModels
from hornbeam.model.clusters.clustering import Clustering
from hornbeam.model.clusters.concepts import ConceptTree
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.clusters.projected import ProjectedClusters
from hornbeam.model.forests.forest import Forest
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.show.pictures import concepts_svg, dendrogram_svg, rule_svg
from hornbeam.show.pictures.svg_parts import MARGIN, SMALL, box, document, heading, short, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.pictures.tree_boxes import BAR, Boxes, measure
from hornbeam.show.pictures.tree_cards import NAME_CHARS, add_notes, make_cards
from hornbeam.show.pictures.tree_detail import TICK, levels_of_detail
from hornbeam.show.pictures.tree_places import edges, place_cards
from hornbeam.show.pictures.tree_rows import rows_at_nodes
from hornbeam.show.texts.calibrated import beside_nodes
from hornbeam.show.texts.trees.indented import summary
from hornbeam.show.texts.trees.node_notes import tests_of
from hornbeam.show.texts.wording import printable, short_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hornbeam.data.table import Table
    from hornbeam.show.pictures.palette import Theme
    from hornbeam.show.pictures.tree_cards import Card
    from hornbeam.show.pictures.tree_rows import NodeRows

Direction = Literal["auto", "down", "right"]
Detail = Literal["auto", "full"]

MOST_TIMES_WIDER = 2.2  # maximum ratio of width to height
LEAST_WIDTH = 440.0  # for the heading
MOST_LEAVES_DOWN = 9  # a broader tree is drawn from left to right
SCALE = 110.0  # width of the legend's bar


@takes_rows()
def svg(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    max_depth: int | None = None,
    direction: Direction = "auto",
    title: str | None = None,
    p_values: bool = False,
    table: Table | None = None,
    detail: Detail = "auto",
    notes: Mapping[int, Sequence[str]] | None = None,
    theme: str = "auto",
    calibration: Any = None,  # noqa: ANN401 - a result, or what it holds
    stability: Any = None,  # noqa: ANN401 - the same
) -> str:
    """Draw a tree, or a list of rules, as SVG.

    Parameters
    ----------
    model : Tree, RuleList, ConceptTree, Dendrogram or fitted estimator
        What to draw; for an estimator, its `model_`. Title and theme are for all models; the other parameters are for
        trees (`max_depth` also for trees of concepts). `hornbeam.show.dendrogram` has more options for dendrograms.
    max_depth : int, optional
        Draw no deeper, and show how many leaves were left out.
    direction : {"auto", "down", "right"}
        From the root downwards, or from left to right, which is easier to read for large trees; by default chosen
        by the number of leaves.
    title : str, optional
        The title; by default the names of table and target.
    p_values : bool
        Trees of classes: write into every node that is split the p-value of the split by the chi-square test, which is
        not corrected for the search.
    table : Table, optional
        Rows with the target. Every node drawn in full then has a histogram of the target of the rows that reach it, or,
        for classes, a bar of these rows instead of the training rows.
    detail : {"auto", "full"}
        In large trees, nodes that most rows go through are drawn in full, lighter ones as small boxes, the lightest as
        ticks in the color of their prediction. ``"full"`` draws every node in full.
    notes : mapping of int to sequence of str, optional
        Small lines to add to nodes drawn in full.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.
    calibration, stability : optional
        As for `hornbeam.show.text`: written into the leaves and the nodes that are split.

    Returns
    -------
    str
        A complete SVG document without an XML declaration, for a file or a web page. Every node
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
    if isinstance(tree, ProjectedClusters):  # a tree of clusters on axes
        tree = tree.inner
    if isinstance(tree, ConceptTree):
        return concepts_svg.draw(tree, max_depth=max_depth, title=title, theme=theme)
    if isinstance(tree, Dendrogram):
        return dendrogram_svg.dendrogram(tree, title=title, theme=theme)
    if isinstance(tree, RuleList):
        return rule_svg.draw_rules(tree, title=title, theme=theme)
    if not isinstance(tree, Tree):
        one = ", such as one tree of it: forest.tree(0)" if isinstance(tree, Forest) else ""
        one = ", such as the model of one target: model.members[0]" if isinstance(tree, SeveralModels) else one
        one = "; hornbeam.show.cluster_map draws clusters" if isinstance(tree, Clustering) else one
        raise TypeError(f"cannot draw a {type(tree).__name__}; expected a Tree, a RuleList or a fitted estimator{one}")
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth is {max_depth}; expected 0 or more, or None")
    if direction not in ("auto", "down", "right"):
        raise ValueError(f"direction is {direction!r}; expected 'auto', 'down' or 'right'")
    if detail not in ("auto", "full"):
        raise ValueError(f"detail is {detail!r}; expected 'auto' or 'full'")
    levels = levels_of_detail(tree, max_depth, everything=detail == "full")
    cards = make_cards(tree, levels, tests_of(tree) if p_values else None, notes)
    add_notes(cards, beside_nodes(calibration, stability))
    down = direction == "down"
    if direction == "auto":
        down = sum(not card.children for card in cards) <= MOST_LEAVES_DOWN
    drawing = _Drawing(tree, cards, None if table is None else rows_at_nodes(tree, table), down=down, title=title)
    return in_theme(drawing.write, theme)


class _Drawing:
    """The state of one drawing."""

    def __init__(self, tree: Tree, cards: list[Card], rows: NodeRows | None, *, down: bool, title: str | None) -> None:
        self.tree, self.cards, self.rows, self.down = tree, cards, rows, down
        self.stacked = down  # whether details are below the header, or beside it
        target = tree.schema.target_column
        self.title = f"{tree.schema.name}: {target.name}" if title is None else title
        self.histogram = rows is not None and not isinstance(target, Nominal)
        self.tree_width, self.tree_height = self._place()

    def write(self, theme: Theme) -> str:
        """Write the document in these colors."""
        boxes = Boxes(self.tree, theme, self.rows)
        lines, y, right = heading(self.title, self._subtitle(), theme)
        full = max(self.tree_width, LEAST_WIDTH, right - MARGIN)
        legend, top = self._legend(y + 22, full, boxes)
        shift = MARGIN + ((full - self.tree_width) / 2 if self.down else 0.0)
        lines += [
            *legend,
            f'<g transform="translate({short(shift)} {short(top)})">',
            f'<g fill="none" stroke="{theme.edge}">',
            *edges(self.tree, self.cards, down=self.down),
            "</g>",
        ]
        for card in self.cards:
            lines += boxes.label(card, down=self.down)
            lines += boxes.node(card, stacked=self.stacked)
        high = top + self.tree_height + MARGIN
        return document(full + 2 * MARGIN, high, self.title, [*lines, "</g>"], theme, description=self._subtitle())

    def _place(self) -> tuple[float, float]:
        """Set the size and the position of every card; return the size of the tree."""
        wide, high = self._placed()
        if not self.down and wide > MOST_TIMES_WIDER * high:  # details below the headers make narrower boxes
            self.stacked = True
            return self._placed()
        return wide, high

    def _placed(self) -> tuple[float, float]:
        for card in self.cards:
            measure(card, self.tree, stacked=self.stacked, down=self.down, histogram=self.histogram)
        return place_cards(self.cards, down=self.down)

    def _legend(self, y: float, width: float, boxes: Boxes) -> tuple[list[str], float]:
        """Draw the colors of the classes, or the scale of means; also return where the tree may start."""
        if not boxes.classes:
            return self._scale(y, boxes), y + 26
        x, lines = MARGIN, []
        for name, color in self._class_names(boxes):
            needed = 15 + text_width(name, SMALL) + 14
            if x > MARGIN and x + needed > width + MARGIN:
                x, y = MARGIN, y + 18
            lines.append(f'<rect {box(x, y - 9, 10, 10)} rx="2" fill="{color}"/>')
            lines.append(write_text(name, x + 15, y, SMALL))
            x += needed
        return lines, y + 24

    def _class_names(self, boxes: Boxes) -> Iterator[tuple[str, str]]:
        others = 0
        names = shortened(boxes.classes, NAME_CHARS)
        for name, color, weight in zip(names, boxes.colors, self.tree.value[0], strict=True):
            if color == boxes.theme.other:
                others += int(weight > 0)
            elif weight > 0:
                yield name, color
        if others:
            yield plural(others, "other class", "other classes"), boxes.theme.other

    def _scale(self, y: float, boxes: Boxes) -> list[str]:
        """The range of means, as in the bars of the nodes."""
        low, high = map(short_number, boxes.range)
        start = MARGIN + text_width(low, SMALL) + 8
        middle, end = sum(boxes.range) / 2, start + SCALE + 8
        texts = ((low, MARGIN), (high, end), ("mean ± one standard deviation", end + text_width(high, SMALL) + 16))
        return [
            *boxes.mark(start, y - 6.5, SCALE, BAR, middle, (boxes.range[1] - boxes.range[0]) / 6),
            *(write_text(text, x, y, SMALL, color=boxes.theme.muted) for text, x in texts),
        ]

    def _subtitle(self) -> str:
        """The size of the tree, which nodes are drawn as ticks, and the table whose rows are drawn."""
        parts = [with_commas(summary(self.tree))]
        ticks = sum(card.detail == TICK for card in self.cards)
        if ticks:
            parts.append(f"{ticks} light nodes are ticks in the color of their prediction")
        if self.rows is not None:
            what = "histograms" if self.histogram else "bars"
            parts.append(f"{what}: the rows of {printable(self.rows.table, NAME_CHARS)}")
        return "; ".join(parts)
