"""The pruning path: every tree that a pruning method passes, from the one given to the smallest it reaches.

A node knows the step from which on it is a leaf, and goes at the step at which a node above it becomes one. So the
figures of all steps are sums over nodes. These, and the trees of the path, are made only when somebody asks for them.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.core.trees.prune.cut_back import first_above, tally_inner, tally_leaves, tally_sizes
from hornbeam.data.in_words import plural
from hornbeam.learn.trees.prune.rebuild import with_leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.learn.trees.prune.held_out import HeldOut
    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class Figures:
    """What is told of each tree of a path; see `PruningPath`."""

    n_leaves: NDArray[np.int64]
    size: NDArray[np.int64]
    train_error: NDArray[np.float64]
    estimate: NDArray[np.float64]
    held_out_error: NDArray[np.float64]
    strength: NDArray[np.float64]


class PruningPath:
    """The sequence of trees of one pruning method; step 0 is the tree given.

    Parameters
    ----------
    method : str
        Which method, e.g. "cost-complexity".
    chosen : int
        The step that the method chooses.
    trees : sequence of Tree
        The trees; each is built when it is asked for.
    tell : callable
        Works out the figures, when one of them is asked for.

    Attributes
    ----------
    n_leaves : array of int
        Leaves of each tree.
    size : array of int
        Nodes of each tree.
    train_error : array of float
        Share of the training weight that its leaves get wrong (the mean cost, where errors differ in cost; the mean
        squared error of numbers), by the figures at the nodes.
    estimate : array of float
        What the method itself estimates, in its own unit; NaN where it estimates nothing.
    held_out_error : array of float
        As `train_error`, of the rows that were given to the method; NaN where none were. A row in pieces counts by its
        pieces.
    strength : array of float
        From which strength on (price of a leaf, threshold, confidence) this is the method's tree; NaN where it has
        none.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("iris")).model_
    >>> path = hornbeam.prune.cost_complexity(tree)
    >>> path
    PruningPath('cost-complexity': 6 trees of 9 to 1 leaves; chosen: 0, 9 leaves)
    >>> path.n_leaves.tolist(), path.trees[4]
    ([9, 7, 4, 3, 2, 1], Tree('iris': 3 nodes, 2 leaves, depth 1))
    """

    def __init__(self, method: str, chosen: int, trees: Sequence[Tree], tell: Callable[[], Figures]) -> None:
        self.method = method
        self.chosen = chosen
        self.trees = trees
        self._tell = tell

    @cached_property
    def figures(self) -> Figures:
        """All figures together."""
        return self._tell()

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        """Leaves of each tree."""
        return self.figures.n_leaves

    @property
    def size(self) -> NDArray[np.int64]:
        """Nodes of each tree."""
        return self.figures.size

    @property
    def train_error(self) -> NDArray[np.float64]:
        """Error of each tree on the training rows."""
        return self.figures.train_error

    @property
    def estimate(self) -> NDArray[np.float64]:
        """What the method estimates of each tree."""
        return self.figures.estimate

    @property
    def held_out_error(self) -> NDArray[np.float64]:
        """Error of each tree on the rows held out."""
        return self.figures.held_out_error

    @property
    def strength(self) -> NDArray[np.float64]:
        """From which strength on each tree is the method's."""
        return self.figures.strength

    def __len__(self) -> int:
        return len(self.trees)

    def __repr__(self) -> str:
        leaves = plural(self.n_leaves[self.chosen], "leaf", "leaves")
        return (
            f"PruningPath({self.method!r}: {plural(len(self), 'tree')} of {self.n_leaves[0]} "
            f"to {self.n_leaves[-1]} leaves; chosen: {self.chosen}, {leaves})"
        )

    @property
    def best(self) -> Tree:
        """The tree that the method chooses."""
        return self.trees[self.chosen]


@dataclass(frozen=True, eq=False)
class ByLevel:
    """Nodes that become leaves several at a step: by node the step from which on it would be one; 0 at leaves."""

    leaf_from: NDArray[np.int64]
    n_steps: int

    def leaves(self, step: int) -> NDArray[Any]:
        """Which nodes are leaves then."""
        return np.asarray(self.leaf_from <= step)


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Inner nodes that become leaves one a step, in the order given."""

    tree: Tree
    nodes: NDArray[np.integer[Any]]

    @property
    def n_steps(self) -> int:
        """How many trees there are."""
        return len(self.nodes) + 1

    @cached_property
    def leaf_from(self) -> NDArray[np.int64]:
        """See `ByLevel`; inner nodes that stay have the number of steps."""
        steps = np.multiply(self.tree.n_children > 0, self.n_steps, dtype=np.int64)
        steps[self.nodes] = np.arange(1, self.n_steps)
        return steps

    def leaves(self, step: int) -> NDArray[Any]:
        """The inner nodes that are leaves then."""
        return self.nodes[:step]


class Steps(Sequence["Tree"]):
    """The trees of a path, cut from the one given when they are asked for."""

    def __init__(self, tree: Tree, order: ByLevel | OneByOne) -> None:
        self._tree = tree
        self._order = order

    def __len__(self) -> int:
        return self._order.n_steps

    @overload
    def __getitem__(self, step: int) -> Tree: ...

    @overload
    def __getitem__(self, step: slice) -> Sequence[Tree]: ...

    def __getitem__(self, step: int | slice) -> Tree | Sequence[Tree]:
        if isinstance(step, slice):
            return [self[each] for each in range(*step.indices(len(self)))]
        place = operator.index(step)
        if not -len(self) <= place < len(self):
            msg = f"no step {place}; the path has steps 0 to {len(self) - 1}"
            raise IndexError(msg)
        return with_leaves(self._tree, self._order.leaves(place % len(self)))


class Tally:
    """Adds up, for every step, figures of the nodes that are leaves or inner nodes then.

    Parameters
    ----------
    tree : Tree
        As given.
    order : ByLevel or OneByOne
        When nodes become leaves.
    """

    def __init__(self, tree: Tree, order: ByLevel | OneByOne) -> None:
        self._n_steps = order.n_steps
        self._start = order.leaf_from
        self._stop = first_above(tree.parent, order.leaf_from, order.n_steps)

    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many leaves and how many inner nodes each step has."""
        return tally_sizes(self._start, self._stop, self._n_steps)

    def leaves(self, figure: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over the leaves of each step."""
        return tally_leaves(self._start, self._stop, figure, self._n_steps)

    def inner(self, figure: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over the inner nodes of each step."""
        return tally_inner(self._start, self._stop, figure, self._n_steps)


def path_by_steps(
    tree: Tree,
    order: ByLevel | OneByOne,
    *,
    method: str,
    chosen: int,
    leaf_cost: NDArray[np.float64] | None = None,
    split_cost: NDArray[np.float64] | None = None,
    scale: float = 1.0,
    strength: NDArray[np.float64] | None = None,
    held_out: HeldOut | None = None,
) -> PruningPath:
    """The path of nodes that become leaves step by step.

    Parameters
    ----------
    tree, order
        See `Tally`.
    method, chosen, strength
        See `PruningPath`.
    leaf_cost, split_cost : array, optional
        What the method estimates of a leaf, and of an inner node itself; together, divided by `scale`, the estimate.
        Without them it is the error on the rows held out.
    scale : float
        What the estimate is divided by.
    held_out : HeldOut, optional
        Figures of rows that were held out.
    """

    def tell() -> Figures:
        tally = Tally(tree, order)
        n_leaves, n_inner = tally.sizes()
        unknown = np.full(order.n_steps, np.nan)
        estimate = held_out_error = unknown
        if held_out is not None:
            held_out_error = tally.leaves(held_out.own)
            if held_out.stopped is not None:
                held_out_error = held_out_error + tally.inner(held_out.stopped)
            held_out_error = held_out_error / held_out.weight
            estimate = held_out_error if leaf_cost is None else unknown
        if leaf_cost is not None:
            estimate = tally.leaves(leaf_cost)
            if split_cost is not None:
                estimate = estimate + tally.inner(split_cost)
            estimate = estimate / scale
        weight = float(tree.weight[0])
        return Figures(
            n_leaves=n_leaves,
            size=n_leaves + n_inner,
            train_error=tally.leaves(tree.error) / (weight if weight > 0 else 1.0),
            estimate=estimate,
            held_out_error=held_out_error,
            strength=unknown if strength is None else strength,
        )

    return PruningPath(method, chosen, Steps(tree, order), tell)


def by_level(tree: Tree, level: NDArray[np.float64], slack: float = 0.0) -> tuple[ByLevel, NDArray[np.float64]]:
    """The order, and the levels, rising, where inner nodes become leaves with rising level, equal ones together.

    Levels of neighboring nodes that differ by no more than `slack`, or by no more than rounding does, are one.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    order = inner[sort_known(level[inner])]
    rising = level[order]
    leaf_from = np.zeros(tree.n_nodes, np.int64)
    if not len(order):
        return ByLevel(leaf_from, 1), np.empty(0)
    apart = np.concatenate([[True], np.diff(rising) > slack])
    leaf_from[order] = np.cumsum(apart)
    last = np.append(np.flatnonzero(apart)[1:], len(order)) - 1
    return ByLevel(leaf_from, len(last) + 1), rising[last]
