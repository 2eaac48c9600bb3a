"""Equations, errors and pruning of the nodes with many rows.

The sums of products of a node are those of its branches; only the sums of leaves with many rows are computed from
partitions. One more pass sums the errors of the equations. All sums over partitions are exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.core.trees.model_tree.equations import solve_sums
from hornbeam.learn.trees.model_trees.model_tree import COLLINEAR, NO_ERROR, grows_by, standardized
from hornbeam.scale.linear.exact import BLOCK_ROWS, LOW, as_number, exact_sum
from hornbeam.scale.model_trees.columns import unranked
from hornbeam.scale.model_trees.subtrees import Moments, standard_target
from hornbeam.scale.trees.coded import RowsAsCoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Uints8
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.model_trees.subtrees import Equations
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.trees.bins import Coding
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.coded import Way
    from hornbeam.scale.trees.top import Top

Sums = dict[Any, Any]


class Equation(NamedTuple):
    """An equation in standardized inputs."""

    inputs: Ints32
    coefficients: Floats
    intercept: float


class Fits(NamedTuple):
    """By node with many rows: its equation, and the sums of its absolute and squared errors."""

    equations: dict[int, Equation]
    absolute: dict[int, float]
    squared: dict[int, float]


def paths(tree: Tree, asked: Ints32, n_top: int, n_inputs: int, *, above: bool) -> dict[int, Ints32]:
    """How many splits above each of the first nodes test each input; 0 if equations may not use them (`above`)."""
    found = {0: np.zeros(n_inputs + 1, np.int32)}
    for node in range(1, n_top):
        parent = int(tree.parent[node])
        found[node] = found[parent].copy()
        if above and asked[parent] >= 0:
            found[node][asked[parent]] += 1
    return found


def fit_top(
    executor: Executor, rows: Handle, problem: Problem, top: Top, tree: Tree, fits: Mapping[int, dict[str, Any]],
    below: dict[int, Uints8], equations: Equations,
) -> Fits:  # fmt: skip
    """The equations of all nodes that were not fitted with their rows, from the leaves up.

    `fits` and `below` have the nodes with few rows: what `fitted` returns, and which inputs their subtrees test.
    """
    n_inputs, choices = len(equations.inputs.factors), equations.choices
    moments = {node: Moments(one["weight"], one["means"], np.tril(one["products"])) for node, one in fits.items()}
    leaves = frozenset(set(range(top.n_nodes)) - set(top.pieces) - set(fits))
    moments |= _moments(executor, rows, top.way, problem.codings, leaves, equations)
    found: dict[int, Equation] = {}
    below = below | {leaf: np.zeros(n_inputs + 1, np.uint8) for leaf in leaves}
    for node in range(top.n_nodes - 1, -1, -1):
        if node in fits:
            continue
        if node in top.pieces:
            one = int(tree.first_child[node])
            moments[node] = moments.pop(one).plus(moments.pop(one + 1))
            below[node] = below[one] | below[one + 1]
            asked = int(equations.inputs.of_split[node])
            if asked >= 0:
                below[node][asked] = 1
        own = moments[node]
        found[node] = Equation(np.empty(0, np.int32), np.empty(0), float(own.means[-1]))
        if choices.linear and (choices.above or node in top.pieces):
            found[node] = Equation(
                *solve_sums(
                    own.weight,
                    own.means,
                    np.ascontiguousarray(own.products),
                    below[node],
                    equations.path[node],
                    COLLINEAR,
                )
            )
    arguments = (top.way, problem.codings, found, equations)
    errors: Sums = executor.map_reduce(rows, _errors, arguments, _add) or {}
    absolute, squared = ({node: as_number(errors[node, which]) for node in found} for which in (0, 1))
    return Fits(found, absolute, squared)


def _moments(
    executor: Executor, rows: Handle, way: Way, codings: tuple[Coding, ...], leaves: frozenset[int],
    equations: Equations,
) -> dict[int, Moments]:  # fmt: skip
    """The moments of leaves with many rows, from partitions."""
    if not leaves:
        return {}
    sums: Sums = executor.map_reduce(rows, _products, (way, codings, leaves, equations), _add) or {}
    size = len(equations.inputs.factors) + 1
    found = {}
    for leaf in leaves:
        n_rows = sums[leaf, "rows"]
        first = [sums[leaf, i] for i in range(size)]
        products = np.zeros((size, size))
        for i in range(size):
            for j in range(i + 1):
                apart = n_rows * (sums[leaf, i, j] << LOW) - first[i] * first[j]
                products[i, j] = apart / (n_rows << (2 * LOW))
        found[leaf] = Moments(float(n_rows), np.array([as_number(one, n_rows) for one in first]), products)
    return found


def _add(one: Sums, other: Sums) -> Sums:
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}


def _standard(
    rows: Rows, way: Way, codings: tuple[Coding, ...], nodes: frozenset[int], equations: Equations
) -> Iterator[tuple[int, Floats, Floats]]:
    """Standardized inputs and targets of the rows that reach some nodes, a block of rows at a time."""
    ranked = rows.table(rows.usable)
    plain = unranked(ranked, equations.schema, equations.columns)
    target = standard_target(equations, ranked.target_values())
    for node, numbers, _ in way.visits(RowsAsCoded(rows, codings)):
        if node in nodes:
            for start in range(0, len(numbers), BLOCK_ROWS):
                some = numbers[start : start + BLOCK_ROWS]
                yield node, standardized(equations.inputs.factors, plain, some, equations.places), target[some]


def _products(rows: Rows, way: Way, codings: tuple[Coding, ...], leaves: frozenset[int], equations: Equations) -> Sums:
    found: Sums = {}

    def add(key: Any, value: int) -> None:
        found[key] = found.get(key, 0) + value

    for leaf, values, target in _standard(rows, way, codings, leaves, equations):
        columns = [*values.T, target]
        add((leaf, "rows"), len(target))
        for i, one in enumerate(columns):
            add((leaf, i), exact_sum(one))
            for j in range(i + 1):
                add((leaf, i, j), exact_sum(one * columns[j]))
    return found


def _errors(
    rows: Rows, way: Way, codings: tuple[Coding, ...], found: dict[int, Equation], equations: Equations
) -> Sums:
    """Sums of absolute and squared errors by node."""
    sums: Sums = {(node, which): 0 for node in found for which in (0, 1)}
    for node, values, target in _standard(rows, way, codings, frozenset(found), equations):
        own = found[node]
        off = own.intercept - target
        for place, coefficient in zip(own.inputs.tolist(), own.coefficients.tolist(), strict=True):
            off += coefficient * values[:, place]
        sums[node, 0] += exact_sum(np.abs(off))
        sums[node, 1] += exact_sum(off * off)
    return sums


class Everywhere:
    """What `Fitter.fit` returns for a tree in memory, for the whole tree: put together from all nodes."""

    def __init__(self, n_nodes: int) -> None:
        self.numbers = {name: np.zeros(n_nodes) for name in ("intercept", "squared", "parameters")}
        self.pruned = np.zeros(n_nodes, np.uint8)
        self.ends = {name: np.zeros(n_nodes, np.int64) for name in ("term_start", "term_end")}
        self.inputs: list[AnyArray] = []
        self.coefficients: list[AnyArray] = []
        self.used = 0
        self.left = np.zeros(n_nodes)  # absolute errors of the remaining tree at and below a node

    def add_subtree(self, subtree: Tree, number: AnyArray, fit: dict[str, Any]) -> None:
        """Add the nodes of a subtree; `number` has their numbers in the whole tree."""
        for name, values in self.numbers.items():
            values[number] = fit[name]
        self.pruned[number] = fit["pruned"]
        for name, starts in self.ends.items():
            starts[number] = fit[name] + self.used
        self._store(fit["inputs"], fit["coefficients"])
        left = fit["absolute"].copy()
        for node in range(subtree.n_nodes - 1, -1, -1):
            child = int(subtree.first_child[node])
            if child >= 0 and not fit["pruned"][node]:
                left[node] = left[child] + left[child + 1]
        self.left[number] = left

    def _store(self, inputs: AnyArray, coefficients: AnyArray) -> None:
        self.inputs.append(inputs)
        self.coefficients.append(coefficients)
        self.used += len(inputs)

    def add_top(self, tree: Tree, fits: Fits, equations: Equations) -> None:
        """Add the nodes with many rows, and prune them, from the leaves up."""
        choices = equations.choices
        for node in sorted(fits.equations, reverse=True):
            own, weight = fits.equations[node], float(tree.weight[node])
            self.numbers["intercept"][node], self.numbers["squared"][node] = own.intercept, fits.squared[node]
            self.ends["term_start"][node], self.ends["term_end"][node] = self.used, self.used + len(own.inputs)
            self._store(own.inputs, own.coefficients)
            parameters, self.left[node] = len(own.inputs) + 1.0, fits.absolute[node]
            child = int(tree.first_child[node])
            if child >= 0:
                below = float(self.numbers["parameters"][child : child + 2].sum()) + choices.split_price
                least = float(self.left[child : child + 2].sum())
                allowed = least * grows_by(weight, below) + NO_ERROR * weight
                if choices.prune and fits.absolute[node] * grows_by(weight, parameters) <= allowed:
                    self.pruned[node] = 1
                else:
                    parameters, self.left[node] = below, least
            self.numbers["parameters"][node] = parameters

    def found(self) -> dict[str, Any]:
        """All arrays."""
        return {
            **self.numbers,
            **self.ends,
            "pruned": self.pruned,
            "inputs": np.concatenate(self.inputs).astype(np.int32),
            "coefficients": np.concatenate(self.coefficients),
        }
