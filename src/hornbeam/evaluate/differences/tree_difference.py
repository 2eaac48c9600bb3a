"""Two trees compared from the root down: where they are the same, where they differ, and what only one of them has.

Nodes are paired from the root down. The branches of two nodes with the same split are paired by their conditions; those
of two nodes with the same column first by equal conditions, then by the largest overlap. Below two nodes with different
columns nothing is paired, because the rows there differ. Every node of both trees is listed once.

Conditions and predictions are compared by name, because columns and categories may have different codes in the two
models. A category that only one of the models knows is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain
from hornbeam.model.base.condition import IsIn, IsMissing
from hornbeam.model.trees.equation import terms_of
from hornbeam.model.trees.node import branch_conditions
from hornbeam.model.trees.split import SUMS
from hornbeam.show.texts.linear.linear_text import added
from hornbeam.show.texts.wording import branch, missing_words, printable, short_number, split_words, surrogates_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.linear.linear import Term
    from hornbeam.model.trees.tree import Tree

SAME = "same"
OTHER_PREDICTION = "other prediction"  # two leaves
OTHER_CUT = "other cut"  # the same column with another cut, or another grouping of categories
OTHER_COLUMN = "other column"
OTHER_MISSING = "other way of missing values"  # the same split
SPLIT_A, SPLIT_B = "splits only in a", "splits only in b"  # a leaf in the other tree
ONLY_A, ONLY_B = "only in a", "only in b"
NO_PREDICTION = "no prediction"
FIGURES = 6  # significant digits of predicted numbers: those that are equal as shown count as the same
Shared = dict[str, frozenset[str]]  # by nominal column, the categories that both models know
Name = tuple[str, str, float | str | frozenset[str]]  # operator, column, and value


@dataclass(frozen=True, slots=True)
class NodePair:
    """A pair of corresponding nodes, or a node of one tree."""

    kind: str  # one of the names above
    depth: int  # splits above it
    # a, b: the nodes; None if only the other tree has one
    a: int | None
    b: int | None
    # branch_a, branch_b: the branch that leads there, as text; empty at the root, and if there is no node
    branch_a: str = ""
    branch_b: str = ""
    # prediction_a, prediction_b: what a leaf predicts; None at an inner node, and if there is no node
    prediction_a: str | None = None
    prediction_b: str | None = None
    # missing_a, missing_b: how missing values are routed, if that is what differs
    missing_a: str | None = None
    missing_b: str | None = None


@dataclass(frozen=True, slots=True)
class TreeDifference(Plain):
    """The result of `compare_trees`."""

    _json = "counts nodes=pairs"

    # all nodes of both trees, depth first; nodes below a pair that only one tree has follow it, those of a first
    pairs: tuple[NodePair, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs there are of each kind."""
        return dict(Counter(pair.kind for pair in self.pairs))

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return all(pair.kind == SAME for pair in self.pairs)


def compare_trees(a: Tree, b: Tree) -> TreeDifference:
    """Compare two trees.

    Parameters
    ----------
    a, b : Tree
        Trees for the same target. Columns and categories are matched by name.

    Examples
    --------
    >>> import hornbeam
    >>> weather = hornbeam.read("weather")
    >>> whole = hornbeam.C45Classifier().fit(weather).model_
    >>> stump = hornbeam.C45Classifier(min_samples_leaf=3).fit(weather).model_
    >>> compare_trees(whole, stump).counts
    {'splits only in a': 1, 'only in a': 7}
    """
    sides = _Side(a, shared := shared_categories(a.schema, b.schema)), _Side(b, shared)
    pairs: list[NodePair] = []
    waiting: list[tuple[int | None, int | None, int]] = [(0, 0, 0)]
    while waiting:
        left, right, depth = waiting.pop()
        pairs.append(_pair(sides, left, right, depth))
        below = _below(sides, left, right, pairs[-1].kind)
        waiting.extend((*both, depth + 1) for both in reversed(below))
    return TreeDifference(tuple(pairs))


class _Side:
    """One of the trees, with its conditions by name."""

    def __init__(self, tree: Tree, shared: Shared) -> None:
        self.tree, self.shared = tree, shared

    def is_leaf(self, node: int) -> bool:
        return bool(self.tree.n_children[node] == 0)

    def children(self, node: int) -> list[int]:
        first = int(self.tree.first_child[node])
        return list(range(first, first + int(self.tree.n_children[node])))

    def columns(self, node: int) -> tuple[str, ...]:
        """The column of a split; for a sum, the columns with coefficients."""
        splits, split, columns = self.tree.splits, int(self.tree.split[node]), self.tree.schema.columns
        return tuple(columns[place].name for place in splits.columns_of(split).tolist())

    def questions(self, node: int) -> list[tuple[Any, ...]]:
        """The condition of each branch by name, in the order of the branches."""
        splits, split = self.tree.splits, int(self.tree.split[node])
        if splits.kind[split] == SUMS:
            terms = splits.terms_of(split)
            assert terms is not None
            cut, low = float(splits.cuts[splits.cut_start[split]]), bool(splits.equal_low[split])
            said = (tuple(terms[1].tolist()), cut, low)
            return [(splits.interval(split, place), *said) for place in range(int(self.tree.n_children[node]))]
        return [
            tuple(
                name_of(condition, self.tree.schema, self.shared)
                for condition in branch_conditions(self.tree, node, place)
            )
            for place in range(int(self.tree.n_children[node]))
        ]

    def words(self, node: int | None) -> str:
        return "" if node is None or node == 0 else str(branch(self.tree, node))

    def prediction(self, node: int | None) -> str | None:
        if node is None or not self.is_leaf(node):
            return None
        tree, source = self.tree, int(self.tree.predicting_node[node])
        if tree.intercept is not None:
            return prediction_in_words(tree.schema, -1, float(tree.intercept[source]), terms_of(tree, source))
        value = float(tree.value[source, 1]) if tree.task == "regression" else 0.0
        return prediction_in_words(tree.schema, int(tree.label[node]), value)

    def missing(self, node: int) -> str:
        """How a row with a missing value is routed."""
        instead = [split_words(self.tree, split, shorten=False) for split in surrogates_of(self.tree, node).tolist()]
        last = missing_words(self.tree, node)
        return f"uses {', then '.join(instead)}; then it {last}" if instead else last


def _pair(sides: tuple[_Side, _Side], left: int | None, right: int | None, depth: int) -> NodePair:
    a, b = sides
    kind = _kind(sides, left, right)
    text: tuple[str | None, str | None] = (None, None)
    if kind == OTHER_MISSING:
        assert left is not None
        assert right is not None
        text = a.missing(left), b.missing(right)
    return NodePair(
        kind, depth, left, right, a.words(left), b.words(right), a.prediction(left), b.prediction(right), *text
    )


def _kind(sides: tuple[_Side, _Side], left: int | None, right: int | None) -> str:  # noqa: PLR0911 - one for each kind
    a, b = sides
    if left is None or right is None:
        return ONLY_A if right is None else ONLY_B
    if a.is_leaf(left) or b.is_leaf(right):
        if not a.is_leaf(left):
            return SPLIT_A
        if not b.is_leaf(right):
            return SPLIT_B
        return SAME if a.prediction(left) == b.prediction(right) else OTHER_PREDICTION
    if a.columns(left) != b.columns(right):
        return OTHER_COLUMN
    if Counter(a.questions(left)) != Counter(b.questions(right)):
        return OTHER_CUT
    return SAME if a.missing(left) == b.missing(right) else OTHER_MISSING


def _below(
    sides: tuple[_Side, _Side], left: int | None, right: int | None, kind: str
) -> list[tuple[int | None, int | None]]:
    """The children of a pair, paired if possible."""
    a, b = sides
    ours = [] if left is None else a.children(left)
    theirs = [] if right is None else b.children(right)
    if kind in (OTHER_COLUMN, SPLIT_A, SPLIT_B, ONLY_A, ONLY_B) or left is None or right is None or not ours:
        return [*((child, None) for child in ours), *((None, child) for child in theirs)]
    partner = _partners(a.questions(left), b.questions(right))
    matched = set(partner.values())
    return [
        *((child, theirs[partner[place]] if place in partner else None) for place, child in enumerate(ours)),
        *((None, child) for place, child in enumerate(theirs) if place not in matched),
    ]


def _partners(ours: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]]) -> dict[int, int]:
    """Pair the branches of two splits: first those with equal conditions, then the most similar."""
    found = matched(np.array([[float(one == other) for other in theirs] for one in ours]), least=1.0)
    left = [place for place in range(len(ours)) if place not in found]
    right = [place for place in range(len(theirs)) if place not in set(found.values())]
    if len(left) == len(right) and not any(_categories(said) for said in (*ours, *theirs)):
        return found | dict(zip(left, right, strict=True))  # intervals, in ascending order
    rest = matched(np.array([[_overlap(ours[i], theirs[j]) for j in right] for i in left]), least=1e-9)
    return found | {left[one]: right[other] for one, other in rest.items()}


def _categories(said: tuple[Any, ...]) -> frozenset[str]:
    return said[0][2] if said and isinstance(said[0], tuple) and said[0][0] == "is in" else frozenset()


def _overlap(one: tuple[Any, ...], other: tuple[Any, ...]) -> float:
    """The overlap of two branches: the Jaccard index of their categories, or of their bounds."""
    ours, theirs = _categories(one), _categories(other)
    if ours or theirs:
        return len(ours & theirs) / len(ours | theirs)
    return len(set(one) & set(other)) / max(len(set(one) | set(other)), 1)


def matched(alike: Floats, least: float) -> dict[int, int]:
    """Pair the entries of two lists by similarity, the most similar first; pairs below `least` are left out.

    In a tie, pairs nearer to the start of both lists go first, then those at similar positions. The order of the two
    lists does not matter: pairs that are equal in all this have no entry in common.
    """
    places = np.argwhere(alike >= least) if alike.size else np.empty((0, 2), np.int64)
    i, j = places.T
    found: dict[int, int] = {}
    taken: set[int] = set()
    for one, other in places[np.lexsort((abs(i - j), i + j, -alike[i, j]))].tolist() if len(places) else ():
        if one not in found and other not in taken:
            found[one] = other
            taken.add(other)
    return found


def shared_categories(one: Schema, other: Schema) -> Shared:
    """Return the categories that both schemas have, by column."""
    found: Shared = {}
    for column in one.columns:
        if isinstance(column, Nominal) and column.name in other.names:
            beside = other.columns[other.position(column.name)]
            found[column.name] = frozenset(column.categories) & frozenset(getattr(beside, "categories", ()))
    return found


def name_of(condition: Condition, schema: Schema, shared: Mapping[str, frozenset[str]]) -> Name:
    """Return a condition with names; the routing of missing values is not part of it."""
    column = schema.columns[condition.column]
    if isinstance(condition, IsMissing):
        return "is missing", column.name, ""
    if isinstance(condition, IsIn):
        assert isinstance(column, Nominal)
        named = frozenset(column.categories[code] for code in condition.codes)
        return "is in", column.name, named & shared.get(column.name, frozenset())
    if isinstance(column, Nominal):  # cuts are between codes: use the named category
        return type(condition).__name__, column.name, condition.describe(schema)
    return type(condition).__name__, column.name, condition.value


def prediction_in_words(schema: Schema, label: int, value: float, terms: Iterable[Term] = ()) -> str:
    """Write a prediction: a class, a number, or an equation."""
    target = schema.target_column
    if isinstance(target, Nominal):
        return printable(target.categories[label]) if label >= 0 else NO_PREDICTION
    return short_number(value, FIGURES) + "".join(added(term, schema) for term in terms)
