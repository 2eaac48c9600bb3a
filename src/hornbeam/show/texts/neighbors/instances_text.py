"""Models of kept rows as text: neighbors, K*, local models, boxes, and models corrected by neighbors.

`write` describes what predicts and how rows are compared; `list_rows` lists the rows that a learner kept, and those
that it dropped as noise, by number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.neighbors.exemplars import Exemplars
from hornbeam.model.neighbors.instances import NOISY, PREDICTING, WAITING, Instances
from hornbeam.model.neighbors.kstar import KStarModel
from hornbeam.model.neighbors.scales import is_number
from hornbeam.show.texts.rules import rule_list
from hornbeam.show.texts.wording import NAME_LIMIT, date, printable, short_number

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table
    from hornbeam.model.base.kept_predictions import OutputModel
    from hornbeam.model.neighbors.corrected import CorrectedModel
    from hornbeam.show.texts.styles import Request

SCALES = {"range": "by range", "deviation": "by standard deviation", "rank": "by rank", "as-is": "as they are"}
CATEGORIES = {"overlap": "same or not", "value-difference": "by how the target differs"}
MISSING = {"farthest": "at the maximum distance", "ignore": "not counted", "average": "at the average distance"}
WEIGHTINGS = {"uniform": "equal weights", "inverse": "weights 1 / distance", "similarity": "weights 1 - distance"}
LIKELIHOODS = {  # of a missing value
    "average": "as likely as the others on average",
    "farthest": "as the least likely",
    "exclude": "impossible",
    "equal": "as the most likely",
}
MADE_OF = "a box has the weight of the training rows that it was made from"
BY_RECORD = "by record"  # a learner that uses a row only once it has a good record, and drops rows
STATES = {
    PREDICTING: ("kept", "rows kept, which predict"),
    WAITING: ("waiting", "rows kept, which do not predict yet"),
    NOISY: ("noise", "rows dropped as noise"),
}


def in_style(model: OutputModel, request: Request) -> str:
    """Write a model of kept rows in a style."""
    request.expect("an instance-based model", ("default", "ascii"))
    return write(model)


def corrected_in_style(model: CorrectedModel, request: Request) -> str:
    """Write a model in a style, and how it is corrected by neighbors."""
    return f"{request.text(model.base)}\n\n{correction_line(model)}"


def write(model: OutputModel) -> str:
    """Write what predicts, and how rows are compared."""
    if isinstance(model, Instances):
        return _nearest(model)
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    if isinstance(model, Exemplars):
        how_many = f"{plural(len(model), 'box', 'boxes')}, {model.n_points} of them single points"
        head = f"{name}: the box that holds the row, or the nearest; {how_many}"
        if model.divisors is not None:
            head += "\n" + divided_line(model.schema.target_column, model.divisors)
        return f"{head}\n\n{rule_list.write(replace(model.to_rules(), default=None), closing=MADE_OF)}"
    n_kept = model.kept.n_rows  # type: ignore[attr-defined]
    if isinstance(model, KStarModel):
        how = "the kept rows, weighted by the probability of turning into the query row"
        reach = f"blend {short_number(model.blend)}; missing values {LIKELIHOODS[model.missing]}"
    else:
        near: Any = model.near  # type: ignore[attr-defined]
        how = f"a model for every query row; {near.kernel} weights"
        rows = "the farthest row" if near.k >= n_kept else f"the nearest {near.k} rows"
        reach = f"reach: {short_number(near.reach) if near.reach > 0 else rows}"
    return f"{name}: {how}\nrows kept: {n_kept}\n{reach}"


def _nearest(model: Instances) -> str:
    """Write how many neighbors predict, how rows are compared, and the columns whose weight is not 1."""
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    seen = model.recipe.get("rows_seen")
    of = f" of {seen} seen" if isinstance(seen, int | float) else ""
    rows = "row" if model.k == 1 else f"{model.k} rows"
    tied = " and all tied with the last" if model.all_tied else ", the first of those tied"
    distance = model.distance
    lines = [
        f"{name}: the nearest {rows}{tied}, {WEIGHTINGS[model.weighting]}",
        f"rows kept: {model.kept.n_rows}{of}, {model.n_bytes} bytes",
        *_others(model),
        f"distance: {'Euclidean' if distance.squared else 'Manhattan'}; {', '.join(_ways(model))}",
    ]
    names = [printable(model.schema.columns[place].name, NAME_LIMIT) for place in model.schema.features]
    if model.divisors is not None:
        lines.append(divided_line(model.schema.target_column, model.divisors))
    if model.class_columns is None or model.divisors is not None:
        weighted = [(column, w) for column, w in zip(names, distance.weight, strict=True) if w != 1.0]
        if weighted:
            lines += ["", "column weights (1 if not listed):"]
            lines += [f"  {column}: {short_number(float(weight))}" for column, weight in weighted]
        return "\n".join(lines)
    target = model.schema.target_column
    assert isinstance(target, Nominal)
    lines += ["", "column weights by class:"]
    for category, weights in zip(target.categories, model.class_columns, strict=True):
        words = ", ".join(f"{column} {short_number(float(w))}" for column, w in zip(names, weights, strict=True))
        lines.append(f"  {printable(category, NAME_LIMIT)}: {words}")
    return "\n".join(lines)


def divided_line(target: Column, divisors: Floats) -> str:
    """Write the divisors of the distances to the rows or boxes of each class."""
    words = ", ".join(f"{value_words(target, code)} by {short_number(float(w))}" for code, w in enumerate(divisors))
    return f"class weights divide the distances to each class: {words}"


def _others(model: Instances) -> list[str]:
    """How many rows are kept but do not predict, and how many were dropped, if records decide that."""
    if model.seen_as is None or model.recipe.get("kept") != BY_RECORD:
        return []
    waiting, noisy = (int((model.seen_as[:, 1] == state).sum()) for state in (WAITING, NOISY))
    return [f"further rows kept that do not predict yet: {waiting}; rows dropped as noise: {noisy}"]


def _ways(model: Instances) -> list[str]:
    """How each kind of column is compared, for the kinds that occur."""
    distance = model.distance
    numbers = [is_number(model.schema.columns[place]) for place in model.schema.features]
    ways = [f"numbers {SCALES[distance.numeric]}"] if any(numbers) else []
    ways += [] if all(numbers) else [f"categories {CATEGORIES[distance.nominal]}"]
    return [*ways, f"missing values {MISSING[distance.missing]}"]


def correction_line(model: CorrectedModel) -> str:
    """Write the line about neighbors that follows the model itself."""
    k = model.near.k
    rows = "training row" if k == 1 else f"{k} training rows"
    kept, reach = len(model.near), short_number(model.reach)
    how = f"then corrected by the mean residual of the nearest {rows} of {kept}, within a distance of {reach}"
    return f"{how}; the figures above are without this correction"


def row_numbers(model: Instances, numbers: Ints64 | None = None) -> dict[str, list[int]]:
    """Return the rows that were kept, that do not predict yet, and that were dropped, counted from 1.

    Parameters
    ----------
    model : Instances
        The model of a learner that keeps some of the training rows.
    numbers : array, optional
        The index of every training row, from 0, if rows were left out before learning.

    Raises
    ------
    ValueError
        If the model does not record which rows it was learned from.
    """
    seen = getattr(model, "seen_as", None)
    if seen is None:
        raise ValueError("the model does not choose among rows; rows kept and dropped are listed for IB2, IB3 and IB5")
    by_state = {}
    for state, (name, _) in STATES.items():
        rows = np.sort(seen[seen[:, 1] == state, 0])
        by_state[name] = ((rows if numbers is None else numbers[rows]) + 1).tolist()
    return by_state


def list_rows(model: Instances, table: Table | None = None, numbers: Ints64 | None = None) -> str:
    """Write all rows kept and dropped.

    Parameters
    ----------
    model : Instances
        The model of a learner that keeps some of the training rows.
    table : Table, optional
        The rows that it was learned from, for their values. Without it, only rows that predict are listed with their
        values.
    numbers : array, optional
        As for `row_numbers`.
    """
    listed = row_numbers(model, numbers)
    first = {number: place for place, number in enumerate(listed["kept"])}
    lines: list[str] = []
    for name, title in STATES.values():
        if name != "kept" and model.recipe.get("kept") != BY_RECORD:
            continue
        lines += ["", f"{title}: {len(listed[name])}"]
        for number in listed[name]:
            if table is not None:
                lines.append(f"  row {number}{_class_and_values(table, number - 1)}")
            elif name == "kept":
                lines.append(f"  row {number}{_class_and_values(model.kept, first[number])}")
            else:
                lines.append(f"  row {number}")
    return "\n".join(lines[1:])


def _class_and_values(table: Table, row: int) -> str:
    label = value_words(table.schema.target_column, table.target_values()[row])
    return f", {label}: {row_words(table, row)}"


def row_words(table: Table, row: int) -> str:
    """The features of a row, by name."""
    columns = table.schema.columns
    return ", ".join(
        f"{printable(columns[place].name, NAME_LIMIT)} {value_words(columns[place], table.columns[place][row])}"
        for place in table.schema.features
    )


def value_words(column: Column, value: Any) -> str:  # noqa: ANN401 - a number or a code
    """A value as text: a number, a date, a category, or a question mark."""
    if isinstance(column, Nominal):
        return "?" if value < 0 else printable(column.categories[int(value)], NAME_LIMIT)
    if np.isnan(value):
        return "?"
    return short_number(float(value)) if column.format is None else date(float(value), column.format)
