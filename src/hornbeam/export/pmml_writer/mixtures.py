"""Mixtures as PMML: computed fields for log-densities and probabilities.

PMML's clusters by distribution are only sketched in the standard, and evaluators do not support them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, total
from hornbeam.export.pmml_writer.fields import Outputs
from hornbeam.export.program_mixtures import IMPOSSIBLE
from hornbeam.model.clusters.components import LOG_TWO_PI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.pmml_writer.fields import Fields

ONE, ZERO = constant(1.0), constant(0.0)
MOST_CELLS = 100  # combinations of categories of columns with a joint distribution
MOST_CORRELATED = 30  # columns: the factors of their covariances are computed fields


def mixture_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Return the outputs of a mixture: the probabilities of its components."""
    places = [_place(fields, *each) for each in plain["numbers"]]
    counts = [_count(fields, column) for column in plain["counts"]]
    far = _correlated(fields, plain, places) if "matrices" in plain else _independent(plain, places)
    densities = []
    for k, base in enumerate(plain["base"]):
        density = total([constant(float(base)), *(_of_group(fields, group, k) for group in plain["groups"])])
        if far[k]:
            density = call("-", density, call("*", constant(0.5), total(far[k])))
        for count, rate, logarithm in zip(counts, plain["rates"][k], plain["logRates"][k], strict=True):
            own = call("-", call("*", count, constant(float(logarithm))), constant(float(rate)))
            density = call("+", density, choose(call("isMissing", count), ZERO, own))
        densities.append(fields.derived(density))
    most = densities[0] if len(densities) == 1 else fields.derived(call("max", *densities))
    likely = [fields.derived(call("exp", call("-", each, most))) for each in densities]
    whole = fields.derived(total(likely))
    possible = call("greaterThan", most, constant(IMPOSSIBLE))
    columns = [
        fields.derived(choose(possible, call("/", each, whole), constant(float(weight))))
        for each, weight in zip(likely, plain["weights"], strict=True)
    ]
    return Outputs(columns, greatest(fields, columns))


def _known(fields: Fields, column: int, then: Expression) -> Expression:
    return call("if", call("isNotMissing", fields.value(column)), then)


def _place(fields: Fields, column: int, scale: int, low: float, high: float) -> Expression:
    """Transform a number to the scale on which it is normal; missing if missing or impossible."""
    value, least, most = fields.value(column), constant(float(low)), constant(float(high))
    if scale == 0:
        return value
    above = call("ln", call("-", value, least))
    if scale == 1:
        return fields.derived(_known(fields, column, call("if", call("greaterThan", value, least), above)))
    odds = call("-", above, call("ln", call("-", most, value)))
    inside = call("if", call("lessThan", value, most), odds)
    return fields.derived(_known(fields, column, call("if", call("greaterThan", value, least), inside)))


def _count(fields: Fields, column: int) -> Expression:
    value = fields.value(column)
    whole = call("if", call("equal", value, call("floor", value)), value)
    return fields.derived(_known(fields, column, call("if", call("greaterOrEqual", value, ZERO), whole)))


def _of_group(fields: Fields, group: dict[str, Any], component: int) -> Expression:
    """Return the log-probability of a category, or of a combination of categories."""
    table: Sequence[float] = group["cells"][component]
    if len(group["columns"]) == 1:
        return fields.looked_up(group["columns"][0], table)
    if len(table) > MOST_CELLS:
        msg = (
            f"cannot write {len(table)} combinations of categories as PMML; expected at most {MOST_CELLS}; the formats "
            "c, rust, python, javascript and onnx can hold them"
        )
        raise TypeError(msg)
    parts = zip(group["columns"], group["codes"], group["steps"], strict=True)
    codes = [fields.looked_up(column, [step * code for code in range(n + 1)]) for column, n, step in parts]
    cell = fields.named(total(codes))
    found = constant(float(table[-1]))
    for code in range(len(table) - 2, -1, -1):
        found = choose(call("equal", cell, constant(float(code))), constant(float(table[code])), found)
    return fields.derived(found)


def _independent(plain: dict[str, Any], places: list[Expression]) -> list[list[Expression]]:
    """Return the terms of minus twice every component's log-density for independent columns."""
    terms = []
    for rows in zip(plain["means"], plain["deviations"], plain["logs"], strict=True):
        own = []
        for place, *figures in zip(places, *rows, strict=True):
            mean, deviation, logarithm = (constant(float(each)) for each in figures)
            away = call("/", call("-", place, mean), deviation)
            far = call("+", call("*", away, away), logarithm)
            own.append(choose(call("isMissing", place), ZERO, far))
        terms.append(own)
    return terms


def _correlated(fields: Fields, plain: dict[str, Any], places: list[Expression]) -> list[list[Expression]]:
    """Return the terms for correlated columns, by the factors L D L' of each row's covariance matrix.

    The matrix has 1 on the diagonal and 0 elsewhere for missing values.
    """
    if len(places) > MOST_CORRELATED:
        msg = (
            f"cannot write a mixture with {len(places)} columns that depend on each other as PMML; expected at most "
            f"{MOST_CORRELATED}; the formats c, rust, python and javascript can hold it"
        )
        raise TypeError(msg)
    missing = [call("isMissing", place) for place in places]
    factors = [_factors(fields, matrix, missing) for matrix in plain["matrices"]]
    terms = []
    for k, means in enumerate(plain["means"]):
        slopes, pivots = factors[min(k, len(factors) - 1)]
        turned: list[Expression] = []
        own = []
        for i, (place, mean) in enumerate(zip(places, means, strict=True)):
            away = call("-", place, constant(float(mean)))
            for m in range(i):
                away = call("-", away, call("*", slopes[i, m], turned[m]))
            turned.append(fields.derived(choose(missing[i], ZERO, away)))
            far = call("/", call("*", turned[i], turned[i]), pivots[i])
            size = call("+", call("ln", pivots[i]), constant(LOG_TWO_PI))
            own.append(choose(missing[i], ZERO, call("+", far, size)))
        terms.append(own)
    return terms


def _factors(
    fields: Fields, matrix: list[list[Any]], missing: list[Expression]
) -> tuple[dict[tuple[int, int], Expression], list[Expression]]:
    """Return the entries of L below the diagonal, and D."""
    slopes: dict[tuple[int, int], Expression] = {}
    pivots: list[Expression] = []
    for i, row in enumerate(matrix):
        left: list[Expression] = []
        for j in range(i):
            entry = choose(missing[i], ZERO, choose(missing[j], ZERO, constant(float(row[j]))))
            for m in range(j):
                entry = call("-", entry, call("*", left[m], slopes[j, m]))
            left.append(fields.derived(entry))
            slopes[i, j] = fields.derived(call("/", left[j], pivots[j]))
        pivot = choose(missing[i], ONE, constant(float(row[i])))
        for j in range(i):
            pivot = call("-", pivot, call("*", left[j], slopes[i, j]))
        pivots.append(fields.named(pivot))
    return slopes, pivots
