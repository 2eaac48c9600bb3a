"""Mixtures as SQL: columns of log-densities, and probabilities made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.program_mixtures import IMPOSSIBLE
from hornbeam.export.sql_writer.trees import Outputs, greatest
from hornbeam.model.clusters.components import LOG_TWO_PI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.sql_writer.layers import Layers

MOST_COLUMNS = 1000  # maximum number for the factors of covariance matrices
MOST_CELLS = 1000  # combinations of categories of columns with a joint distribution


def mixture_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of a mixture: the probabilities of its components."""
    number, add, in_order = layers.dialect.number, layers.dialect.sum_of, layers.dialect.sum_in_order
    n = len(plain["base"])
    several = [group for group in plain["groups"] if len(group["columns"]) > 1]
    cells = [_cell(layers, group) for group in several]
    *made, _ = layers.add([*_places(layers, plain), *_counts(layers, plain), *cells, "0"], kept)
    places, made = made[: len(plain["numbers"])], made[len(plain["numbers"]) :]
    counts, cells = made[: len(plain["counts"])], made[len(plain["counts"]) :]
    needed = [*places, *counts, *cells, *kept]
    normal = _correlated if "matrices" in plain else _independent
    far, more = normal(layers, plain, places, needed)
    densities = []
    for k in range(n):
        terms = [number(float(plain["base"][k]))]
        named = iter(cells)
        for group in plain["groups"]:
            table = group["cells"][k]
            one = len(group["columns"]) == 1
            terms.append(layers.looked_up(group["columns"][0], table) if one else _by_cell(layers, next(named), table))
        density = in_order(terms)
        if far[k]:
            density = f"{density} - {number(0.5)} * ({in_order(far[k])})"
        for count, rate, logarithm in zip(counts, plain["rates"][k], plain["logRates"][k], strict=True):
            density += f" + COALESCE({count} * {number(float(logarithm))} - {number(float(rate))}, {number(0.0)})"
        densities.append(density)
    names = layers.add(densities, [*needed, *more])
    (most,) = layers.add([names[0] if n == 1 else layers.dialect.greatest(names)], [*names, *kept])
    likely = layers.add([layers.dialect.exp(f"({name} - {most})") for name in names], [*names, most, *kept])
    total = add(list(likely))
    shares = [
        f"CASE WHEN {most} > {number(IMPOSSIBLE)} THEN {each} / ({total}) ELSE {number(float(weight))} END"
        for each, weight in zip(likely, plain["weights"], strict=True)
    ]
    columns = layers.add(shares, [*likely, most, *kept])
    best, *needed = greatest(layers, columns, 0.0, [*columns, *kept])
    (label,) = layers.add([best], [*columns, *needed, *kept])
    return Outputs(columns, label)


def _places(layers: Layers, plain: dict[str, Any]) -> list[str]:
    """Transform the numbers to the scales on which they are normal; NULL if missing or impossible."""
    number, log = layers.dialect.number, layers.dialect.log
    found = []
    for column, scale, low, high in plain["numbers"]:
        value = layers.values[column]
        above, below = f"{value} - {number(float(low))}", f"{number(float(high))} - {value}"
        is_above, is_below = f"{value} > {number(float(low))}", f"{value} < {number(float(high))}"
        logarithms = (
            value,
            f"CASE WHEN {is_above} THEN {log(above)} END",
            f"CASE WHEN {is_above} AND {is_below} THEN {log(above)} - {log(below)} END",
        )
        found.append(logarithms[scale])
    return found


def _counts(layers: Layers, plain: dict[str, Any]) -> list[str]:
    values = [layers.values[column] for column in plain["counts"]]
    zero = layers.dialect.number(0.0)
    return [f"CASE WHEN {value} >= {zero} AND {value} = FLOOR({value}) THEN {value} END" for value in values]


def _cell(layers: Layers, group: dict[str, Any]) -> str:
    """Return the number of the combination of categories of columns with a joint distribution."""
    if len(group["cells"][0]) > MOST_CELLS:
        msg = (
            f"cannot write {len(group['cells'][0])} combinations of categories as SQL; expected at most {MOST_CELLS}; "
            "the formats c, rust, python, javascript and onnx can hold them"
        )
        raise TypeError(msg)
    parts = zip(group["columns"], group["codes"], group["steps"], strict=True)
    return " + ".join(layers.looked_up(column, [step * code for code in range(n + 1)]) for column, n, step in parts)


def _by_cell(layers: Layers, cell: str, table: Sequence[float]) -> str:
    number = layers.dialect.number
    whens = " ".join(f"WHEN {cell} = {code} THEN {number(float(each))}" for code, each in enumerate(table))
    return f"CASE {whens} END"


def _independent(
    layers: Layers, plain: dict[str, Any], places: list[str], _needed: list[str]
) -> tuple[list[list[str]], list[str]]:
    """Return the terms of minus twice every component's log-density for independent columns."""
    number = layers.dialect.number
    terms: list[list[str]] = []
    for means, deviations, logs in zip(plain["means"], plain["deviations"], plain["logs"], strict=True):
        own = []
        for place, mean, deviation, logarithm in zip(places, means, deviations, logs, strict=True):
            away = f"(({place} - {number(float(mean))}) / {number(float(deviation))})"
            own.append(f"COALESCE({away} * {away} + {number(float(logarithm))}, {number(0.0)})")
        terms.append(own)
    return terms, []


def _correlated(
    layers: Layers, plain: dict[str, Any], places: list[str], needed: list[str]
) -> tuple[list[list[str]], list[str]]:
    """Return the terms for correlated columns, and the columns that this needs.

    Each row's covariance matrix, with 1 on the diagonal and 0 elsewhere for missing values, is factored as
    L D L', one column of L D in every step.
    """
    number, d, n = layers.dialect.number, len(places), len(plain["base"])
    zero, one, matrices = number(0.0), number(1.0), plain["matrices"]
    if len(matrices) * d * (d + 1) // 2 + n * d > MOST_COLUMNS:
        msg = (
            f"cannot write a mixture with {len(matrices)} covariance matrices of {d} columns as SQL: a query would "
            f"have more than {MOST_COLUMNS} columns; the formats c, rust, python and javascript can hold it"
        )
        raise TypeError(msg)
    made: list[str] = []
    lower: list[dict[tuple[int, int], str]] = [{} for _ in matrices]
    turned: list[list[str]] = [[] for _ in range(n)]
    for j, place in enumerate(places):
        keys = [(q, i) for q in range(len(matrices)) for i in range(j, d)]
        steps = []
        for q, i in keys:
            absent = f"{place} IS NULL" if i == j else f"{place} IS NULL OR {places[i]} IS NULL"
            given = f"CASE WHEN {absent} THEN {one if i == j else zero} ELSE {number(float(matrices[q][i][j]))} END"
            own = lower[q]
            steps.append(" - ".join([given, *(f"{own[i, m]} * {own[j, m]} / {own[m, m]}" for m in range(j))]))
        for k in range(n):
            own = lower[min(k, len(matrices) - 1)]
            away = f"{place} - {number(float(plain['means'][k][j]))}"
            parts = [away, *(f"{own[j, m]} / {own[m, m]} * {turned[k][m]}" for m in range(j))]
            steps.append(f"CASE WHEN {place} IS NULL THEN {zero} ELSE {' - '.join(parts)} END")
        names = layers.add(steps, [*made, *needed])
        made += names
        for (q, i), name in zip(keys, names, strict=False):
            lower[q][i, j] = name
        for k, name in enumerate(names[len(keys) :]):
            turned[k].append(name)
    terms = []
    for k in range(n):
        own, mine = lower[min(k, len(matrices) - 1)], []
        for j, place in enumerate(places):
            far = f"{turned[k][j]} * {turned[k][j]} / {own[j, j]}"
            size = f"{layers.dialect.log(own[j, j])} + {number(LOG_TWO_PI)}"
            mine.append(f"CASE WHEN {place} IS NULL THEN {zero} ELSE {far} + {size} END")
        terms.append(mine)
    return terms, made
