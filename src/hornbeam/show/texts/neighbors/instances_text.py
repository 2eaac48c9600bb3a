"""Kept rows as text: how many, by which distance they are compared; and the rows nearest to one, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.neighbors.instances import NOISY, WAITING
from hornbeam.model.neighbors.scales import is_number
from hornbeam.show.texts.wording import NAME_LIMIT, date, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.instances import Instances

SCALES = {"range": "by range", "deviation": "by standard deviation", "rank": "by rank", "as-is": "as they are"}
CATEGORIES = {"overlap": "same or not", "value-difference": "by how the target differs"}
MISSING = {"farthest": "as far as can be", "ignore": "not counted", "average": "as far as on average"}
SAYS = {"uniform": "alike", "inverse": "by 1 / distance", "similarity": "by 1 - distance"}
MOST_NEIGHBORS = 10  # rows told of one answer
MOST_COLUMNS = 6  # by which a row differs


def write(model: Instances) -> str:
    """Write what answers, how rows are compared, and the columns whose weight is not 1."""
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    seen = model.recipe.get("rows_seen")
    of = f" of {seen} seen" if isinstance(seen, int | float) else ""
    rows = "row" if model.k == 1 else f"{model.k} rows"
    tied = ", and those as far as the last" if model.all_tied else ", the first of those as far"
    distance = model.distance
    lines = [
        f"{name}: the nearest {rows}{tied}, {SAYS[model.weighting]}",
        f"rows kept: {model.kept.n_rows}{of}, {model.n_bytes} bytes",
        *_others(model),
        f"distance: {'Euclidean' if distance.squared else 'Manhattan'}; {', '.join(_ways(model))}",
    ]
    columns = [model.schema.columns[place] for place in model.schema.features]
    if model.class_columns is None:
        told = {printable(c.name, NAME_LIMIT): w for c, w in zip(columns, distance.weight, strict=True) if w != 1.0}
        if told:
            lines += ["", "weights of columns (1 where not told):"]
            lines += [f"  {column}: {short_number(float(weight))}" for column, weight in told.items()]
        return "\n".join(lines)
    target = model.schema.target_column
    assert isinstance(target, Nominal)
    lines += ["", "weights of columns, by class:"]
    for category, weights in zip(target.categories, model.class_columns, strict=True):
        pairs = zip(columns, weights, strict=True)
        told_here = ", ".join(f"{printable(c.name, NAME_LIMIT)} {short_number(float(w))}" for c, w in pairs)
        lines.append(f"  {printable(category, NAME_LIMIT)}: {told_here}")
    return "\n".join(lines)


def _others(model: Instances) -> list[str]:
    """How many rows are kept but do not predict, and how many were dropped, where records decide about that."""
    if model.seen_as is None or model.recipe.get("kept") != "by record":
        return []
    waiting, noisy = (int((model.seen_as[:, 1] == state).sum()) for state in (WAITING, NOISY))
    return [f"further rows kept that do not predict yet: {waiting}; rows dropped as noise: {noisy}"]


def _ways(model: Instances) -> list[str]:
    """How each kind of column is compared, of those that there are."""
    distance = model.distance
    numbers = [is_number(model.schema.columns[place]) for place in model.schema.features]
    ways = [f"numbers {SCALES[distance.numeric]}"] if any(numbers) else []
    ways += [] if all(numbers) else [f"categories {CATEGORIES[distance.nominal]}"]
    return [*ways, f"missing values {MISSING[distance.missing]}"]


def explain_neighbors(model: Instances, table: Table, row: int) -> str:
    """Write the rows that answer for one row, and what every column adds to their distance.

    Of columns by which a neighbor differs, the greatest difference comes first; values are those of the neighbor.
    """
    one = align(model.schema, table.take(np.array([row])))
    rows, far = model.neighbors(one).of(0)
    answers = model.combined(model.neighbors(one))[0]
    target = model.schema.target_column
    answer = int(answers.argmax()) if isinstance(target, Nominal) else float(answers[0])
    columns = [model.schema.columns[place] for place in model.schema.features]
    asked = ", ".join(
        f"{printable(column.name, NAME_LIMIT)} {value_words(column, one.columns[place][0])}"
        for place, column in zip(model.schema.features, columns, strict=True)
    )
    lines = [f"row {row + 1}: {asked}"]
    for place, distance in zip(rows[:MOST_NEIGHBORS].tolist(), far[:MOST_NEIGHBORS].tolist(), strict=True):
        truth = value_words(target, model.kept.target_values()[place])
        lines.append(f"  {short_number(distance)} from kept row {place + 1}, {truth}{differing(model, one, place)}")
    if len(rows) > MOST_NEIGHBORS:
        lines.append(f"  and {len(rows) - MOST_NEIGHBORS} more")
    return "\n".join([*lines, f"so {printable(target.name, NAME_LIMIT)} = {value_words(target, answer)}"])


def differing(model: Instances, one: Table, place: int) -> str:
    """The columns by which a kept row differs, greatest difference first."""
    distance = model.distance
    if model.class_columns is not None:
        distance = distance.weighted(model.class_columns[model.kept.target_values()[place]])
    apart = distance.differences(distance.points(one), model.points.take([place]))[:, 0, 0]
    order = np.argsort(-np.nan_to_num(apart), kind="stable")
    told = []
    for f in order.tolist():
        if not apart[f] > 0:
            continue
        position = model.schema.features[f]
        column = model.schema.columns[position]
        value = value_words(column, model.kept.columns[position][place])
        told.append(f"{printable(column.name, NAME_LIMIT)} {value} ({short_number(float(apart[f]))})")
    more = [f"{len(told) - MOST_COLUMNS} more"] if len(told) > MOST_COLUMNS else []
    return ": " + ", ".join([*told[:MOST_COLUMNS], *more]) if told else ": no difference"


def value_words(column: Column, value: Any) -> str:  # noqa: ANN401 - a number or a code
    """A value as it is read: a number, a date, a category, or a question mark."""
    if isinstance(column, Nominal):
        return "?" if value < 0 else printable(column.categories[int(value)], NAME_LIMIT)
    if np.isnan(value):
        return "?"
    return short_number(float(value)) if column.format is None else date(float(value), column.format)
