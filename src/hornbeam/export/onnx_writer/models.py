"""Ensembles, intervals, support vector machines and clusters as ONNX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import TIE
from hornbeam.export.onnx_writer.graph import Outputs
from hornbeam.export.onnx_writer.rules import factor_value
from hornbeam.model.svm.kernel import ON_PLANE

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.export.onnx_writer.graph import Graph

    Plain = dict[str, Any]
    Write = Callable[[Plain], Outputs]


def ensemble(graph: Graph, plain: Plain, write: Write) -> Outputs:
    """Write an ensemble: the mean of the members that predict something."""
    n, classes = len(plain["default"]), plain["classes"]
    sums, count, least, most = "", "", "", ""
    for member in plain["members"]:
        outputs = write(member)
        values = outputs.values
        if plain["decide"] == "vote":
            assert outputs.label is not None
            values = graph.is_true(graph.op("Equal", outputs.label, graph.integers([list(range(n))])))
        if classes:
            valid = graph.op("Greater", graph.total(values), graph.real(0.0))
        else:
            valid = graph.op("Not", graph.op("IsNaN", values))
            low = graph.op("Where", valid, values, graph.real(np.inf))
            high = graph.op("Where", valid, values, graph.real(-np.inf))
            least = graph.op("Min", least, low) if least else low
            most = graph.op("Max", most, high) if most else high
        part = graph.op("Where", valid, values, graph.real(0.0))
        one = graph.is_true(valid)
        sums, count = (graph.op("Add", sums, part), graph.op("Add", count, one)) if sums else (part, one)
    some = graph.op("Greater", count, graph.real(0.0))
    mean = graph.op("Div", sums, count)
    if not classes:  # a mean lies between the least and the greatest, even if the sum is rounded
        mean = graph.op("Min", graph.op("Max", mean, least), most)
    values = graph.op("Where", some, mean, graph.constant([[float(each) for each in plain["default"]]]))
    return Outputs(values, n, graph.greatest(values, n, TIE) if classes else None)


def intervals(graph: Graph, plain: Plain, write: Write) -> Outputs:
    """Write a classifier of intervals: the mean of their numbers, weighted by their probabilities."""
    classes = write(plain["classifier"]).values
    mean = graph.op("MatMul", classes, graph.constant([[float(each)] for each in plain["values"]]))
    some = graph.op("Greater", graph.total(classes), graph.real(0.0))
    return Outputs(graph.op("Where", some, mean, graph.real(float(plain["default"]))), 1)


def svm(graph: Graph, plain: Plain, _write: Write) -> Outputs:
    """Write a support vector machine with a linear kernel."""
    machines, n = plain["machines"], plain["classes"]
    by_rest = bool(n) and plain["pairs"][0][0] < 0
    if "kernel" in plain or "products" in plain:
        msg = "cannot write a support vector machine as ONNX unless its kernel is linear; use C, Python or JavaScript"
        raise TypeError(msg)
    if "slopes" in plain and len(machines) > 1 and not by_rest:
        msg = (
            "cannot write the probabilities of a support vector machine with more than two classes as ONNX: they are "
            "found by iteration; use C, Python or JavaScript, or multiclass='one-vs-rest'"
        )
        raise TypeError(msg)
    axes = [factor_value(graph, factor) for factor, _, _ in plain["axes"]]
    point = axes[0] if len(axes) == 1 else graph.op("Concat", *axes, axis=1)
    shift, width = ([[float(axis[i]) for axis in plain["axes"]]] for i in (1, 2))
    point = graph.op("Div", graph.op("Sub", point, graph.constant(shift)), graph.constant(width))
    planes = np.array([[float(each) for each in one["plane"]] for one in machines]).T
    margins = graph.op("MatMul", point, graph.constant(planes))
    margins = graph.op("Add", margins, graph.constant([[float(one["intercept"]) for one in machines]]))
    if not n:
        return Outputs(margins, 1)
    values = _of_margins(graph, plain, margins, by_rest=by_rest)
    return Outputs(values, n, graph.greatest(values, n, 0.0))


def _of_margins(graph: Graph, plain: Plain, margins: str, *, by_rest: bool) -> str:
    machines, n, pairs = plain["machines"], plain["classes"], plain["pairs"]
    if "slopes" not in plain:
        if by_rest:
            best = graph.op("ArgMax", margins, axis=1, keepdims=1)
            label = graph.entries(graph.integers([pair[1] for pair in pairs]), best)
            return graph.is_true(graph.op("Equal", label, graph.integers([list(range(n))])))
        second = graph.is_true(graph.op("Greater", margins, graph.real(ON_PLANE)))
        first = graph.op("Sub", graph.real(1.0), second)
        to_first, to_second = np.zeros((len(pairs), n)), np.zeros((len(pairs), n))
        for m, (one, other) in enumerate(pairs):
            to_first[m, one], to_second[m, other] = 1, 1
        votes = graph.op(
            "Add",
            graph.op("MatMul", first, graph.constant(to_first)),
            graph.op("MatMul", second, graph.constant(to_second)),
        )
        return graph.op("Div", votes, graph.real(float(len(machines))))
    slope, offset = ([[float(pair[i]) for pair in plain["slopes"]]] for i in (0, 1))
    z = graph.op("Add", graph.op("Mul", margins, graph.constant(slope)), graph.constant(offset))
    small = graph.op("Exp", graph.op("Neg", graph.op("Abs", z)))
    top = graph.op("Where", graph.op("GreaterOrEqual", z, graph.real(0.0)), small, graph.real(1.0))
    given = graph.op("Div", top, graph.op("Add", small, graph.real(1.0)))
    place = np.zeros((len(pairs), n))
    if by_rest:
        for m, pair in enumerate(pairs):
            place[m, pair[1]] = 1
        return graph.op("MatMul", graph.op("Div", given, graph.total(given)), graph.constant(place))
    place[0, pairs[0][1]] = 1
    rest = np.zeros((1, n))
    rest[0, pairs[0][0]] = 1
    other = graph.op("Sub", graph.real(1.0), given)
    return graph.op(
        "Add", graph.op("MatMul", given, graph.constant(place)), graph.op("MatMul", other, graph.constant(rest))
    )


def centers(graph: Graph, plain: Plain, _write: Write) -> Outputs:
    """Write the centers of clusters: 1 for the nearest, the first in a tie, and 0 for the others."""
    n, distances = len(plain["numbers"]), []
    for numbers, codes in zip(plain["numbers"], plain["codes"], strict=True):
        total = graph.op("Mul", graph.ones, graph.real(0.0))
        for (column, center, width, stretch), middle in zip(plain["scales"], numbers, strict=True):
            value = graph.column(column)
            scaled = value
            if float(width) > 0:
                scaled = graph.op("Div", graph.op("Sub", value, graph.real(float(center))), graph.real(float(width)))
            else:
                scaled = graph.op("Mul", graph.ones, graph.real(0.0))
            away = graph.op("Sub", graph.op("Mul", scaled, graph.real(float(stretch))), graph.real(float(middle)))
            square = graph.op("Mul", away, away)
            total = graph.op("Add", total, graph.op("Where", graph.op("IsNaN", value), graph.real(0.0), square))
        for (column, weight), code in zip(plain["nominal"], codes, strict=True):
            value = graph.column(column)
            same = graph.op("Or", graph.op("IsNaN", value), graph.op("Equal", value, graph.real(float(code))))
            total = graph.op("Add", total, graph.op("Where", same, graph.real(0.0), graph.real(float(weight))))
        distances.append(total)
    matrix = distances[0] if n == 1 else graph.op("Concat", *distances, axis=1)
    label = graph.op("ArgMin", matrix, axis=1, keepdims=1)
    return Outputs(graph.is_true(graph.op("Equal", label, graph.integers([list(range(n))]))), n, label)
