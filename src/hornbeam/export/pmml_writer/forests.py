"""Random forests and boosting as PMML: sums or means of trees, and how sums become outputs."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, element, number, total
from hornbeam.export.pmml_writer.fields import Outputs, is_missing, output
from hornbeam.export.pmml_writer.trees import distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.pmml_writer.fields import Fields

ONE = constant(1.0)


def single(value: float) -> float:
    """Round to single precision, as the leaves of forests are."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


class ForestWriter:
    """A forest of a program, and the fields of the file that it becomes part of."""

    def __init__(self, fields: Fields, plain: dict[str, Any]) -> None:
        self.fields, self.plain = fields, plain
        self.first: list[int] = plain["first"]

    def leaf(self, node: int) -> list[float]:
        """Return the values of a leaf."""
        return [single(float(each)) for each in self.plain["value"][node]]

    def size(self, tree: int) -> int:
        """Return how many values the leaves of a tree have."""
        node = self.plain["roots"][tree]
        while self.first[node] >= 0:
            node = self.first[node]
        return len(self.plain["value"][node])

    def predicates(self, node: int) -> tuple[str, str]:
        """Return when a row takes the first branch, and when the second."""
        test, column = self.plain["tests"][node], self.plain["column"][node]
        if isinstance(test, list):
            known = set(test)
            rest = [code for code in range(len(self.fields.columns[column]["categories"])) if code not in known]
            return self.fields.is_in(column, test).predicate(), self.fields.is_in(column, rest).predicate()
        low, high = (self.fields.compared(column, sign, float(test)) for sign in ("<=", ">"))
        if low.is_known:  # the split separates known values from missing ones
            return (low.predicate(), is_missing(low.field)) if self.plain["missing"][node] else ("<True/>", "<False/>")
        return low.predicate(), high.predicate()

    def nodes(self, node: int, end: Callable[[list[float]], tuple[str, str]], predicate: str = "<True/>") -> str:
        """Return a node and those below it."""
        if self.first[node] < 0:
            score, content = end(self.leaf(node))
            return element("Node", predicate, content, id=str(node), score=score)
        first = self.first[node]
        low, high = self.predicates(node)
        return element(
            "Node",
            predicate,
            self.nodes(first, end, low),
            self.nodes(first + 1, end, high),
            id=str(node),
            defaultChild=str(first + int(self.plain["missing"][node])),
        )

    def together(
        self, trees: Sequence[int], end: Callable[[list[float]], tuple[str, str]], method: str, outputs: Sequence[str]
    ) -> str:
        """Return trees whose scores are summed or averaged."""
        kind = "classification" if method == "average" and len(outputs) > 1 else "regression"
        segments = [
            element(
                "Segment",
                "<True/>",
                element(
                    "TreeModel",
                    self.fields.schema(),
                    self.nodes(self.plain["roots"][tree], end),
                    functionName=kind,
                    missingValueStrategy="defaultChild",
                    noTrueChildStrategy="returnNullPrediction",
                    splitCharacteristic="binarySplit",
                ),
                id=str(tree + 1),
            )
            for tree in trees
        ]
        return element(
            "MiningModel",
            self.fields.schema(),
            element("Output", *outputs),
            element("Segmentation", *segments, multipleModelMethod=method),
            functionName=kind,
        )


def forest_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Add a forest to the models before the last one, and return its outputs."""
    writer, base = ForestWriter(fields, plain), [float(each) for each in plain["base"]]
    roots, unit = plain["roots"], plain.get("unit")
    only_ratios = plain["mean"] and len(base) > 1 and unit is None and not any(base)
    sums = _means(writer, len(base)) if only_ratios else _sums(writer, len(base))
    if plain["mean"] and not only_ratios:
        sums = [call("/", each, constant(float(len(roots)))) for each in sums]
    if unit is not None:
        sums = [
            call("+", call("*", each, constant(float(unit))), constant(b)) for each, b in zip(sums, base, strict=True)
        ]
    elif any(base):
        share = len(roots) if plain["mean"] else 1
        sums = [call("+", each, constant(b / share)) for each, b in zip(sums, base, strict=True)]
    sums = [fields.derived(each) for each in sums]
    if plain["mean"] and len(sums) > 1:
        whole = fields.derived(total(sums))
        sums = [fields.derived(call("/", each, whole)) for each in sums]
    columns = linked(fields, sums, plain["link"])
    return Outputs(columns, greatest(fields, columns) if len(columns) > 1 else None)


def _means(writer: ForestWriter, size: int) -> list[Expression]:
    """Add one model with the mean probabilities of all trees, or with halves of them.

    JPMML-Evaluator divides the probabilities of a leaf by their sum. Those of forests are in single precision, so this
    would change them. If a leaf has such probabilities, all leaves have halves, which are exact, and an additional
    class gets the rest; later steps depend only on the ratios.
    """
    fields, values = writer.fields, [str(k) for k in range(size)]
    names = [fields.fresh() for _ in values]
    outputs = [output(name, "probability", value=value) for name, value in zip(names, values, strict=True)]
    leaves = [writer.leaf(node) for node, first in enumerate(writer.first) if first < 0]
    are_exact = all(sum(leaf) == 1 for leaf in leaves)

    def end(leaf: list[float]) -> tuple[str, str]:
        score = str(leaf.index(max(leaf)))
        if are_exact:
            return score, distribution(values, leaf)
        halves = [share / 2 for share in leaf]
        return score, distribution([*values, "-1"], [*halves, 1 - sum(halves)])

    model = writer.together(range(len(writer.plain["roots"])), end, "average", outputs)
    return fields.segment(model, names)


def _sums(writer: ForestWriter, size: int) -> list[Expression]:
    """Add one model per output with the sum of its trees."""
    fields, plain = writer.fields, writer.plain
    found: list[Expression] = []
    for k in range(size):
        trees = []
        for tree in range(len(plain["roots"])):
            to = plain["output"][tree] if "output" in plain else 0
            if to <= k < to + writer.size(tree):
                trees.append((tree, k - to))
        if not trees:
            found.append(constant(0.0))
            continue
        name, place = fields.fresh(), trees[0][1]
        model = writer.together(
            [tree for tree, _ in trees],
            lambda leaf, place=place: (number(leaf[place]), ""),  # type: ignore[misc]
            "sum",
            [output(name, "predictedValue")],
        )
        found += fields.segment(model, [name])
    return found


def linked(fields: Fields, sums: list[Expression], link: str) -> list[Expression]:
    """Return the outputs of a forest, computed from its sums."""
    if link == "logistic":
        small = fields.derived(call("exp", call("*", constant(-1.0), call("abs", sums[0]))))
        above = choose(call("greaterOrEqual", sums[0], constant(0.0)), ONE, small)
        second = fields.derived(call("/", above, call("+", ONE, small)))
        return [fields.derived(call("-", ONE, second)), second]
    if link == "exp":
        return [fields.derived(call("exp", each)) for each in sums]
    if link != "softmax":
        return sums
    most = fields.derived(call("max", *sums))
    raised = [fields.derived(call("exp", call("-", each, most))) for each in sums]
    whole = fields.derived(total(raised))
    return [fields.derived(call("/", each, whole)) for each in raised]
