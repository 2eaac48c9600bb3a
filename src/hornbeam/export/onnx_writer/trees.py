"""Trees and forests as ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import LEAST_SHARE, TIE
from hornbeam.export.compiled_writer.models import tree_values
from hornbeam.export.onnx_writer.graph import Outputs
from hornbeam.export.onnx_writer.routes import Routes
from hornbeam.export.onnx_writer.rules import Equations
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL

if TYPE_CHECKING:
    from hornbeam.export.onnx_writer.graph import Graph

    Plain = dict[str, Any]


def tree(graph: Graph, plain: Plain, _write: Any) -> Outputs:  # noqa: ANN401 - a function
    """Write a tree."""
    return Tree(graph, plain).outputs()


class Tree:
    """A tree under construction: first the branch that every split chooses, then where rows end."""

    def __init__(self, graph: Graph, plain: Plain) -> None:
        self.graph, self.plain = graph, plain
        self.first, self.children, self.missing = plain["first"], plain["children"], plain["missing"]
        self.inner = [node for node, first in enumerate(self.first) if first >= 0]
        self.surrogates = plain.get("surrogates") or [[] for _ in self.first]
        self.ends: list[int] = []  # the nodes where rows end, in the order of their weights
        self.is_divided = any(self.missing[node] == FRACTIONAL and self._divided(node) for node in self.inner)

    def _divided(self, node: int) -> list[int]:
        """Return the children that get a fraction of a row without a value."""
        share, first = self.plain["share"], self.first[node]
        return [child for child in range(first, first + self.children[node]) if float(share[child]) > LEAST_SHARE]

    def outputs(self) -> Outputs:
        """Return the outputs: those of the leaf of every row, or sums over the leaves that it is divided among."""
        rows, values = tree_values(self.plain)
        labels = self.plain.get("label")
        n = len(self.plain["pseudo"])
        if not self.is_divided:
            leaf = self._leaf()
            if "equations" in self.plain:
                return self._by_equation(leaf, rows, values)
            found = self.graph.entries(self.graph.constant(np.array(values)[rows]), self.graph.flat(leaf))
            label = self.graph.entries(self.graph.integers(labels), leaf) if labels else None
            return Outputs(found, n, label)
        weights = self._weights()
        if "equations" in self.plain:
            return Outputs(self._weighed_equations(weights, rows, values), 1)
        return self._summed(weights, np.array(values)[[rows[node] for node in self.ends]], rows, values)

    def _summed(self, weights: str, at_ends: Any, rows: list[int], values: Any) -> Outputs:  # noqa: ANN401 - matrices
        graph, labels, n = self.graph, self.plain.get("label"), len(self.plain["pseudo"])
        reached = graph.is_true(graph.op("Greater", weights, graph.real(0.0)))
        alone = graph.op("Equal", graph.total(reached), graph.real(1.0))
        total = graph.total(weights)
        summed = graph.op("Div", graph.op("MatMul", weights, graph.constant(at_ends)), total)
        summed = graph.op(
            "Where", graph.op("Greater", total, graph.real(0.0)), summed, graph.constant([values[rows[0]]])
        )
        single = graph.op("MatMul", reached, graph.constant(at_ends))
        found = graph.op("Where", alone, single, summed)
        if not labels:
            return Outputs(found, n)
        of_ends = graph.constant([[float(labels[node])] for node in self.ends])
        own = graph.as_integer(graph.op("MatMul", reached, of_ends))
        return Outputs(found, n, graph.op("Where", alone, own, graph.greatest(found, n, TIE)))

    # ---- branches ----

    def _branches(self, nodes: list[int]) -> str:
        """Return the branch that each row takes at inner nodes, by the split or a surrogate; -1 where none is known."""
        graph, splits = self.graph, self.plain["splits"]
        of_surrogates = {split for node in nodes for split in self.surrogates[node]}
        used = sorted({self.plain["split"][node] for node in nodes} | of_surrogates)
        chosen, place = self._chosen([splits[split] for split in used]), {split: i for i, split in enumerate(used)}
        found = graph.take(chosen, [place[self.plain["split"][node]] for node in nodes])
        for rank in range(max(len(self.surrogates[node]) for node in nodes)):
            ranked = [
                place[(self.surrogates[node][rank : rank + 1] or [self.plain["split"][node]])[0]] for node in nodes
            ]
            unknown = graph.op("Less", found, graph.real(0.0))
            found = graph.op("Where", unknown, graph.take(chosen, ranked), found)
        return found

    def _chosen(self, splits: list[list[Any]]) -> str:
        """Return the branch that each split chooses, rows x splits; -1 where the value is missing."""
        graph = self.graph
        sums = [split for split in splits if split[0] not in (CUTS, CODES, CODE_SETS)]
        matrix = graph.rows
        if sums:
            matrix = graph.op("Concat", graph.rows, *map(self._sum, sums), axis=1)
        parts, order = [], []
        cut = [
            (i, (s[1], s[2], s[3]) if s[0] == CUTS else (len(graph.columns) + sums.index(s), s[1], s[2]))
            for i, s in enumerate(splits)
            if s[0] not in (CODES, CODE_SETS)
        ]
        if cut:
            parts.append(self._by_cuts(matrix, [each for _, each in cut]))
            order += [i for i, _ in cut]
        coded = [(i, s) for i, s in enumerate(splits) if s[0] in (CODES, CODE_SETS)]
        if coded:
            parts.append(graph.looked_up([s[1] for _, s in coded], [self._table(s) for _, s in coded]))
            order += [i for i, _ in coded]
        joined = parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)
        return graph.take(joined, np.argsort(order))

    def _sum(self, split: list[Any]) -> str:
        """Return a weighted sum of columns, added in order."""
        graph, total = self.graph, ""
        for column, coefficient in zip(split[3], split[4], strict=True):
            term = graph.op("Mul", graph.column(column), graph.real(float(coefficient)))
            total = graph.op("Add", total, term) if total else term
        return total

    def _by_cuts(self, matrix: str, splits: list[tuple[int, int, list[Any]]]) -> str:
        graph = self.graph
        columns = [column for column, _, cuts in splits for _ in cuts]
        cuts = [[float(cut) for _, _, own in splits for cut in own]]
        equal_above = [[not sides & 1 for _, sides, own in splits for _ in own]]
        asked = graph.take(matrix, columns)
        above = graph.op("Greater", asked, graph.constant(cuts))
        if any(equal_above[0]):
            equal = graph.op(
                "And", graph.op("Equal", asked, graph.constant(cuts)), graph.constant(equal_above, np.bool_)
            )
            above = graph.op("Or", above, equal)
        counts = graph.is_true(above)
        if any(len(own) != 1 for _, _, own in splits):
            belongs = np.zeros((len(columns), len(splits)))
            owners = [place for place, (_, _, own) in enumerate(splits) for _ in own]
            belongs[np.arange(len(columns)), owners] = 1
            counts = graph.op("MatMul", counts, graph.constant(belongs))
        flipped = np.array([[sides >> 1 for _, sides, _ in splits]], np.float64)
        if flipped.any():
            most = np.array([[len(own) for _, _, own in splits]], np.float64)
            signed = graph.op("Mul", counts, graph.constant(1 - 2 * flipped))
            counts = graph.op("Add", signed, graph.constant(most * flipped))
        missing = graph.op("IsNaN", graph.take(matrix, [column for column, _, _ in splits]))
        return graph.op("Where", missing, graph.real(-1.0), counts)

    def _table(self, split: list[Any]) -> list[float]:
        """Return the branch of every code, and -1 for a missing value."""
        n = len(self.graph.columns[split[1]]["categories"])
        if split[0] == CODES:
            return [float(split[2][code]) if code < len(split[2]) else -1.0 for code in range(n)] + [-1.0]
        table = [float(split[2])] * n + [-1.0]
        for code, branch in zip(split[3], split[4], strict=True):
            if code < n:
                table[code] = float(branch)
        return table

    # ---- rows that are not divided ----

    def _leaf(self) -> str:
        """Return the node where every row ends, as a column of integers."""
        graph = self.graph
        if not self.inner:
            return graph.zeros()
        simple = {node for node in self.inner if self._is_simple(node)}
        others = [node for node in self.inner if node not in simple]
        values, place = graph.rows, {}
        if others:
            branches = self._branches(others)
            default = [[float(max(self.missing[node], -1)) for node in others]]
            unknown = graph.op("Less", branches, graph.real(0.0))
            branches = graph.op("Where", unknown, graph.constant(default), branches)
            values = graph.op("Concat", graph.rows, branches, axis=1)
            place = {node: len(graph.columns) + i for i, node in enumerate(others)}
        routes, at = Routes(), {}
        for node in reversed(range(len(self.first))):  # children follow their parent
            if self.first[node] < 0:
                at[node] = ~node
            elif node in simple:
                at[node] = self._simple_test(routes, node, at)
            else:
                at[node] = self._chain(routes, node, place[node], at)
        routes.roots.append(at[0])
        return graph.as_integer(routes.write(graph, values))

    def _is_simple(self, node: int) -> bool:
        """Whether a node has one cut of a column, and rows with a missing value take one of the branches."""
        split = self.plain["splits"][self.plain["split"][node]]
        return split[0] == CUTS and len(split[3]) == 1 and not self.surrogates[node] and self.missing[node] >= 0

    def _simple_test(self, routes: Routes, node: int, at: dict[int, int]) -> int:
        _, column, sides, cuts = self.plain["splits"][self.plain["split"][node]]
        cut = float(cuts[0]) if sides & 1 else float(np.nextafter(float(cuts[0]), -np.inf))
        low, high = (1, 0) if sides >> 1 else (0, 1)
        test = routes.add_test(column, cut, missing_first=self.missing[node] == low)
        routes.below[test] = [at[self.first[node] + low], at[self.first[node] + high]]
        return test

    def _chain(self, routes: Routes, node: int, column: int, at: dict[int, int]) -> int:
        """Add tests of the branch index, one after the other; if it is negative, the row ends here."""
        branches = [~node, *(at[self.first[node] + branch] for branch in range(self.children[node]))]
        following = branches[-1]
        for branch in range(self.children[node] - 2, -2, -1):
            test = routes.add_test(column, branch + 0.5, missing_first=True)
            routes.below[test] = [branches[branch + 1], following]
            following = test
        return following

    # ---- rows that are divided ----

    def _weights(self) -> str:
        """Return the weight with which every row ends at each of `ends`, level by level."""
        graph = self.graph
        level, weights, parts = [0], graph.ones, []
        while level:
            leaves = [i for i, node in enumerate(level) if self.first[node] < 0]
            if leaves:
                parts.append(graph.take(weights, leaves))
                self.ends += [level[i] for i in leaves]
            inner = [node for node in level if self.first[node] >= 0]
            if not inner:
                break
            branches = self._branches(inner)
            entries = []  # index of the parent in the level, its index among the inner nodes, branch, weight if missing
            for i, node in enumerate(inner):
                weight = self._missing_weights(node)
                above = level.index(node)
                entries += [(above, i, branch, weight[branch]) for branch in range(self.children[node])]
                if weight[-1]:
                    entries.append((above, i, -2, 1.0))
            held = graph.take(branches, [i for _, i, _, _ in entries])
            unknown = graph.op("Less", held, graph.real(0.0))
            equal = graph.is_true(graph.op("Equal", held, graph.constant([[float(b) for _, _, b, _ in entries]])))
            factor = graph.op("Where", unknown, graph.constant([[w for _, _, _, w in entries]]), equal)
            weights = graph.op("Mul", graph.take(weights, [above for above, _, _, _ in entries]), factor)
            stays = [i for i, (_, _, branch, _) in enumerate(entries) if branch < 0]
            if stays:
                parts.append(graph.take(weights, stays))
                self.ends += [inner[entries[i][1]] for i in stays]
            goes = [i for i, (_, _, branch, _) in enumerate(entries) if branch >= 0]
            level = [self.first[inner[entries[i][1]]] + entries[i][2] for i in goes]
            weights = graph.take(weights, goes) if stays else weights
        return parts[0] if len(parts) == 1 else graph.op("Concat", *parts, axis=1)

    def _missing_weights(self, node: int) -> list[float]:
        """Return the weight of a row without a value on each branch, and of staying at the node."""
        n, to = self.children[node], self.missing[node]
        if to >= 0:
            return [float(branch == to) for branch in range(n)] + [0.0]
        if to != FRACTIONAL:
            return [0.0] * n + [1.0]
        divided = self._divided(node)
        shares = [
            float(self.plain["share"][c]) if c in divided else 0.0
            for c in range(self.first[node], self.first[node] + n)
        ]
        return [*shares, float(not divided)]

    # ---- equations ----

    def _equations(self) -> Equations:
        return Equations(self.graph, [each or {"intercept": 0, "parts": []} for each in self.plain["equations"]])

    def _by_equation(self, leaf: str, rows: list[int], values: Any) -> Outputs:  # noqa: ANN401 - a matrix
        graph = self.graph
        computed = self._equations().of(leaf)
        fallback = graph.entries(graph.constant(np.array(values)[rows, 0]), leaf)
        return Outputs(graph.finite_or(computed, fallback), 1)

    def _weighed_equations(self, weights: str, rows: list[int], values: Any) -> str:  # noqa: ANN401 - a matrix
        graph = self.graph
        computed = graph.take(self._equations().all(), self.ends)
        fallback = graph.constant([[values[rows[node]][0] for node in self.ends]])
        product = graph.op("Mul", weights, graph.finite_or(computed, fallback))
        none = graph.op("Equal", weights, graph.real(0.0))
        return graph.total(graph.op("Where", none, graph.real(0.0), product))


def forest(graph: Graph, plain: Plain, _write: Any) -> Outputs:  # noqa: ANN401 - a function
    """Write a forest: the leaf of every tree, then the sum of their values."""
    first, columns, tests = plain["first"], plain["column"], plain["tests"]
    sets = [node for node, test in enumerate(tests) if isinstance(test, list) and first[node] >= 0]
    values, place = graph.rows, {}
    if sets:
        held = graph.looked_up([columns[node] for node in sets], [_set_table(graph, plain, node) for node in sets])
        values = graph.op("Concat", graph.rows, held, axis=1)
        place = {node: len(graph.columns) + i for i, node in enumerate(sets)}
    routes, at = Routes(), {}
    leaves = [node for node in range(len(first)) if first[node] < 0]
    number = {node: i for i, node in enumerate(leaves)}
    for node in reversed(range(len(first))):
        if first[node] < 0:
            at[node] = ~number[node]
            continue
        column, cut = (place[node], 0.5) if node in place else (columns[node], float(tests[node]))
        test = routes.add_test(column, cut, missing_first=not plain["missing"][node])
        routes.below[test] = [at[first[node]], at[first[node] + 1]]
        at[node] = test
    routes.roots = [at[root] for root in plain["roots"]]
    leaf = graph.as_integer(routes.write(graph, values))
    n_sums = len(plain["base"])
    table = _leaf_values(plain, leaves, n_sums)
    found = graph.op("Gather", graph.constant(table), leaf, axis=0)  # rows x trees x sums
    sums = graph.op("ReduceSum", found, graph.integers([1]), keepdims=0)
    return _linked(graph, plain, sums, n_sums)


def _set_table(graph: Graph, plain: Plain, node: int) -> list[float]:
    """Return 1 for the codes that go to the second branch, 0 for others."""
    n, to = len(graph.columns[plain["column"][node]]["categories"]), set(plain["tests"][node])
    return [float(code not in to) for code in range(n)] + [float(plain["missing"][node])]


def _leaf_values(plain: Plain, leaves: list[int], n_sums: int) -> Any:  # noqa: ANN401 - a matrix
    """Return the values of every leaf, in single precision as they are stored, at the sums that its tree adds to."""
    roots = np.array(plain["roots"])
    table = np.zeros((len(leaves), n_sums))
    for i, node in enumerate(leaves):
        own = np.array([float(each) for each in plain["value"][node]], np.float32).astype(np.float64)
        to = plain["output"][int(np.searchsorted(roots, node, "right")) - 1] if "output" in plain else 0
        table[i, to : to + len(own)] = own
    return table


def _linked(graph: Graph, plain: Plain, sums: str, n_sums: int) -> Outputs:
    base = graph.constant([[float(each) for each in plain["base"]]])
    if "unit" not in plain:
        sums = graph.op("Add", sums, base)
    if plain["mean"]:
        sums = graph.op("Div", sums, graph.real(float(len(plain["roots"]))))
    if "unit" in plain:
        sums = graph.op("Add", graph.op("Mul", sums, graph.real(float(plain["unit"]))), base)
    if plain["mean"] and n_sums > 1:
        sums = graph.op("Div", sums, graph.total(sums))
    if plain["link"] == "logistic":
        small = graph.op("Exp", graph.op("Neg", graph.op("Abs", sums)))
        above = graph.op("GreaterOrEqual", sums, graph.real(0.0))
        top = graph.op("Where", above, graph.real(1.0), small)
        second = graph.op("Div", top, graph.op("Add", small, graph.real(1.0)))
        sums = graph.op("Concat", graph.op("Sub", graph.real(1.0), second), second, axis=1)
        n_sums = 2
    elif plain["link"] == "exp":
        sums = graph.op("Exp", sums)
    elif plain["link"] == "softmax":
        most = graph.op("ReduceMax", sums, graph.integers([1]), keepdims=1)
        raised = graph.op("Exp", graph.op("Sub", sums, most))
        sums = graph.op("Div", raised, graph.total(raised))
    return Outputs(sums, n_sums, graph.greatest(sums, n_sums, 0.0))
