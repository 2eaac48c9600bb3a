"""The pruning path: every tree that a pruning method passes, from the given tree to the smallest.

A node knows the step from which on it is a leaf, and it is removed at the step at which a node above it becomes one. So
the statistics of all steps are sums over nodes. They, and the trees of the path, are only computed when needed.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from hornbeam.core.base import enums
from hornbeam.core.rows.presort import sort_known
from hornbeam.core.trees.prune.cut_back import first_above, tally_inner, tally_leaves, tally_sizes
from hornbeam.core.trees.prune.order import leaves_first
from hornbeam.data.in_words import plural
from hornbeam.learn.trees.prune.rebuild import with_leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64
    from hornbeam.learn.trees.prune.held_out import HeldOut
    from hornbeam.model.trees.tree import Tree


RECORD = [("node", "i4"), ("action", "i1"), ("leaf", "f8"), ("subtree", "f8"), ("branch", "f8")]


@dataclass(frozen=True, eq=False)
class PathStatistics:
    """Statistics of each tree of a path; see `PruningPath`."""

    n_leaves: Ints64
    size: Ints64
    train_error: Floats
    estimate: Floats
    held_out_error: Floats
    strength: Floats


class PruningPath:
    """The sequence of trees of one pruning method; step 0 is the given tree.

    Parameters
    ----------
    method : str
        The name of the method, such as "cost-complexity".
    chosen : int
        The step that the method chooses.
    trees : sequence of Tree
        The trees; each is built when it is needed.
    statistics : callable
        Computes the statistics when they are needed.

    Attributes
    ----------
    n_leaves : array of int
        Number of leaves of each tree.
    size : array of int
        Number of nodes of each tree.
    train_error : array of float
        The error rate on the training rows (the mean cost if errors differ in cost; for numbers the mean squared
        error), by the counts at the nodes.
    estimate : array of float
        The estimate of the method itself, in its own unit; NaN if it has none.
    held_out_error : array of float
        Like `train_error`, for the rows that were given to the method; NaN if there were none.
    strength : array of float
        The strength (price of a leaf, threshold, confidence) from which on the method gives this tree; NaN if it has no
        strength.

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

    def __init__(
        self, method: str, chosen: int, trees: Sequence[Tree], statistics: Callable[[], PathStatistics]
    ) -> None:
        self.method = method
        self.chosen = chosen
        self.trees = trees
        self._statistics = statistics

    @cached_property
    def statistics(self) -> PathStatistics:
        """All statistics together."""
        return self._statistics()

    @property
    def n_leaves(self) -> Ints64:
        """Number of leaves of each tree."""
        return self.statistics.n_leaves

    @property
    def size(self) -> Ints64:
        """Number of nodes of each tree."""
        return self.statistics.size

    @property
    def train_error(self) -> Floats:
        """Error of each tree on the training rows."""
        return self.statistics.train_error

    @property
    def estimate(self) -> Floats:
        """The method's estimate for each tree."""
        return self.statistics.estimate

    @property
    def held_out_error(self) -> Floats:
        """Error of each tree on the held-out rows."""
        return self.statistics.held_out_error

    @property
    def strength(self) -> Floats:
        """The strength from which on the method gives each tree."""
        return self.statistics.strength

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
    """Several nodes become leaves per step: for each node the step from which on it is a leaf; 0 for leaves."""

    leaf_from: Ints64
    n_steps: int

    def leaves(self, step: int) -> AnyArray:
        """Which nodes are leaves at a step."""
        return np.asarray(self.leaf_from <= step)


@dataclass(frozen=True, eq=False)
class OneByOne:
    """One inner node becomes a leaf per step, in the given order."""

    tree: Tree
    nodes: NDArray[np.integer[Any]]

    @property
    def n_steps(self) -> int:
        """The number of trees."""
        return len(self.nodes) + 1

    @cached_property
    def leaf_from(self) -> Ints64:
        """See `ByLevel`; the number of steps for inner nodes that stay."""
        steps = np.multiply(self.tree.n_children > 0, self.n_steps, dtype=np.int64)
        steps[self.nodes] = np.arange(1, self.n_steps)
        return steps

    def leaves(self, step: int) -> AnyArray:
        """The inner nodes that are leaves at a step."""
        return self.nodes[:step]


class Steps(Sequence["Tree"]):
    """The trees of a path, each pruned from the given tree when it is needed."""

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
        number = operator.index(step)
        if not -len(self) <= number < len(self):
            msg = f"no step {number}; the path has steps 0 to {len(self) - 1}"
            raise IndexError(msg)
        return with_leaves(self._tree, self._order.leaves(number % len(self)))


class Tally:
    """Sums over the leaves or the inner nodes of every step of a path."""

    def __init__(self, tree: Tree, order: ByLevel | OneByOne) -> None:
        self._n_steps = order.n_steps
        self._start = order.leaf_from
        self._stop = first_above(tree.parent, order.leaf_from, order.n_steps)

    def sizes(self) -> tuple[Ints64, Ints64]:
        """The number of leaves and of inner nodes of each step."""
        return tally_sizes(self._start, self._stop, self._n_steps)

    def leaves(self, value: Floats) -> Floats:
        """The sum over the leaves of each step."""
        return tally_leaves(self._start, self._stop, value, self._n_steps)

    def inner(self, value: Floats) -> Floats:
        """The sum over the inner nodes of each step."""
        return tally_inner(self._start, self._stop, value, self._n_steps)


def path_by_steps(
    tree: Tree,
    order: ByLevel | OneByOne,
    *,
    method: str,
    chosen: int,
    leaf_cost: Floats | None = None,
    split_cost: Floats | None = None,
    scale: float = 1.0,
    strength: Floats | None = None,
    held_out: HeldOut | None = None,
) -> PruningPath:
    """The path on which nodes become leaves step by step.

    Parameters
    ----------
    tree : Tree
        The given tree.
    order : ByLevel or OneByOne
        When nodes become leaves.
    method, chosen, strength
        See `PruningPath`.
    leaf_cost, split_cost : array, optional
        What the method estimates for a leaf, and for an inner node itself; their sum, divided by `scale`, is the
        estimate. Without them it is the error on the held-out rows.
    scale : float
        The divisor of the estimate.
    held_out : HeldOut, optional
        Costs of held-out rows.
    """

    def statistics() -> PathStatistics:
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
        return PathStatistics(
            n_leaves=n_leaves,
            size=n_leaves + n_inner,
            train_error=tally.leaves(tree.error) / (weight if weight > 0 else 1.0),
            estimate=estimate,
            held_out_error=held_out_error,
            strength=unknown if strength is None else strength,
        )

    return PruningPath(method, chosen, Steps(tree, order), statistics)


def by_level(tree: Tree, level: Floats, slack: float = 0.0) -> tuple[ByLevel, Floats]:
    """The order in which inner nodes become leaves by rising level, equal levels together; and these levels.

    Neighboring levels that differ by at most `slack` count as equal.
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


def no_steps() -> Any:
    """An empty record of pruning decisions."""
    return np.zeros(0, RECORD)


def steps_of(tree: Tree, made_leaves: AnyArray, leaf: Floats, below: Floats) -> Any:
    """A record of pruning decisions for the trace, each inner node after all nodes below it.

    Parameters
    ----------
    tree : Tree
        The given tree.
    made_leaves : array of int
        Inner nodes that become leaves.
    leaf, below : array of float
        The cost of each node as a leaf, and with its pruned subtree.
    """
    order = leaves_first(tree.first_child, tree.n_children)
    chosen = np.zeros(tree.n_nodes, np.bool_)
    chosen[made_leaves] = True
    steps = np.zeros(len(order), RECORD)
    steps["node"] = order
    steps["action"] = np.where(chosen[order], enums.MADE_LEAF, enums.KEPT)
    steps["leaf"], steps["subtree"], steps["branch"] = leaf[order], below[order], np.nan
    return steps
