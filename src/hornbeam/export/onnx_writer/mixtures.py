"""Mixtures as ONNX: matrices of log-densities, rows x components, and probabilities made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.onnx_writer.graph import Outputs
from hornbeam.export.program_mixtures import IMPOSSIBLE
from hornbeam.model.clusters.components import LOG_TWO_PI

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.export.onnx_writer.graph import Graph

    Plain = dict[str, Any]
    Write = Callable[[Plain], Outputs]

MOST_CORRELATED = 30  # columns: the factors of their covariances are written as operators


def mixture(graph: Graph, plain: Plain, _write: Write) -> Outputs:
    """Write a mixture."""
    n = len(plain["base"])
    densities = graph.constant_rows([float(each) for each in plain["base"]])
    for group in plain["groups"]:
        densities = graph.op("Add", densities, _of_group(graph, group))
    if plain["numbers"]:
        points = [_place(graph, *each) for each in plain["numbers"]]
        far = _correlated(graph, plain, points) if "matrices" in plain else _independent(graph, plain, points)
        densities = graph.op("Sub", densities, graph.op("Mul", far, graph.real(0.5)))
    if plain["counts"]:
        densities = _with_counts(graph, plain, densities)
    most = graph.op("ReduceMax", densities, graph.integers([1]), keepdims=1)
    likely = graph.op("Exp", graph.op("Sub", densities, most))
    shares = graph.op("Div", likely, graph.total(likely))
    possible = graph.op("Greater", most, graph.real(IMPOSSIBLE))
    values = graph.op("Where", possible, shares, graph.constant([[float(each) for each in plain["weights"]]]))
    return Outputs(values, n, graph.greatest(values, n, 0.0))


def _place(graph: Graph, column: int, scale: int, low: float, high: float) -> str:
    """Transform a number to the scale on which it is normal; NaN if missing or impossible."""
    value = graph.column(column)
    if scale == 0:
        return value
    above, below = (
        graph.op("Sub", value, graph.real(float(low))),
        graph.op("Sub", graph.real(float(high)), value),
    )
    possible, placed = graph.op("Greater", above, graph.real(0.0)), graph.op("Log", above)
    if scale > 1:
        possible = graph.op("And", possible, graph.op("Greater", below, graph.real(0.0)))
        placed = graph.op("Sub", placed, graph.op("Log", below))
    return graph.op("Where", possible, placed, graph.real(np.nan))


def _of_group(graph: Graph, group: Plain) -> str:
    """Return the log-probabilities of categories, or of combinations of them."""
    tables = [
        [float(step * code) for code in range(n + 1)] for n, step in zip(group["codes"], group["steps"], strict=True)
    ]
    cell = graph.as_integer(graph.total(graph.looked_up(group["columns"], tables)))
    by_cell = np.array([[float(each) for each in row] for row in group["cells"]]).T
    return graph.entries(graph.constant(by_cell), graph.flat(cell))


def _with_counts(graph: Graph, plain: Plain, densities: str) -> str:
    """Add the logarithms of the probabilities of counts, column by column."""
    values = graph.take(graph.rows, plain["counts"])
    whole = graph.op("Equal", values, graph.op("Floor", values))
    possible = graph.op("And", whole, graph.op("GreaterOrEqual", values, graph.real(0.0)))
    rates, logarithms = (np.array([[float(each) for each in row] for row in plain[key]]).T
                         for key in ("rates", "logRates"))  # fmt: skip
    for f in range(len(plain["counts"])):
        own = graph.op("Mul", graph.take(values, [f]), graph.constant([logarithms[f]]))
        own = graph.op("Sub", own, graph.constant([rates[f]]))
        own = graph.op("Where", graph.take(possible, [f]), own, graph.real(0.0))
        densities = graph.op("Add", densities, own)
    return densities


def _independent(graph: Graph, plain: Plain, points: list[str]) -> str:
    """Return minus twice the log-densities of independent columns, added in their order."""
    figures = [np.array([list(map(float, row)) for row in plain[key]]) for key in ("means", "deviations", "logs")]
    total = ""
    for f, point in enumerate(points):
        mean, deviation, logarithm = (graph.constant([each[:, f]]) for each in figures)
        away = graph.op("Div", graph.op("Sub", point, mean), deviation)
        far = graph.op("Add", graph.op("Mul", away, away), logarithm)
        term = graph.op("Where", graph.op("IsNaN", point), graph.real(0.0), far)
        total = graph.op("Add", total, term) if total else term
    return total


def _correlated(graph: Graph, plain: Plain, points: list[str]) -> str:
    """Return minus twice the log-densities of correlated columns.

    Each row's covariance matrices, with 1 on the diagonal and 0 elsewhere for missing values, are factored as
    L D L', one column of L D after the other; every operator does all components.
    """
    d = len(points)
    if d > MOST_CORRELATED:
        msg = (
            f"cannot write a mixture with {d} columns that depend on each other as ONNX; expected at most "
            f"{MOST_CORRELATED}; use C, Rust, Python or JavaScript"
        )
        raise TypeError(msg)
    matrices = np.array([[[float(each) for each in row] for row in matrix] for matrix in plain["matrices"]])
    means = np.array([[float(each) for each in row] for row in plain["means"]])
    missing = [graph.op("IsNaN", point) for point in points]
    zero = graph.real(0.0)
    lower: dict[tuple[int, int], str] = {}  # entries of L D
    slopes: dict[tuple[int, int], str] = {}  # entries of L
    turned: list[str] = []
    total = ""
    for j in range(d):
        for i in range(j, d):
            absent = missing[j] if i == j else graph.op("Or", missing[i], missing[j])
            entry = graph.op("Where", absent, graph.real(float(i == j)), graph.constant([matrices[:, i, j]]))
            for m in range(j):
                entry = graph.op("Sub", entry, graph.op("Mul", lower[i, m], slopes[j, m]))
            lower[i, j] = entry
            if i > j:
                slopes[i, j] = graph.op("Div", entry, lower[j, j])
        away = graph.op("Sub", points[j], graph.constant([means[:, j]]))
        for m in range(j):
            away = graph.op("Sub", away, graph.op("Mul", slopes[j, m], turned[m]))
        turned.append(graph.op("Where", missing[j], zero, away))
        far = graph.op("Div", graph.op("Mul", turned[j], turned[j]), lower[j, j])
        size = graph.op("Add", graph.op("Log", lower[j, j]), graph.real(LOG_TWO_PI))
        term = graph.op("Where", missing[j], zero, graph.op("Add", far, size))
        total = graph.op("Add", total, term) if total else term
    return total
