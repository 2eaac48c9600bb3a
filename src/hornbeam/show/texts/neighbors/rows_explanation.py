"""Why a row gets its prediction from rows or boxes: by K*, the rows with the most weight; of boxes, the nearest."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.align import align
from hornbeam.model.base.condition import AtLeast, AtMost, describe_number
from hornbeam.show.texts.linear.linear_text import FIGURES
from hornbeam.show.texts.neighbors.instances_text import MOST_COLUMNS, value_words
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.neighbors.exemplars import Exemplars
    from hornbeam.model.neighbors.kstar import KStarModel

MOST_ROWS = 10
LEAST = 0.0005  # less would be written as 0.0%
MOST_BOXES = 5


def explain_kstar(model: KStarModel, table: Table, row: int) -> str:
    """Write the kept rows with the greatest weights, which add up to 100%; classes and numbers are averaged by them."""
    one = align(model.schema, table.take(np.array([row])))
    target = model.schema.target_column
    weights = model.row_weights(one)[0]
    lines = [f"row {row + 1}: {_values(model.schema, one, 0)}"]
    if not weights.any():
        lines.append("  no kept row is likely enough to count")
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] > 0]
    shown = min(max(1, int((weights >= LEAST).sum())), MOST_ROWS)
    for place in order[:shown].tolist():
        truth = value_words(target, model.kept.target_values()[place])
        values = _values(model.schema, model.kept, place)
        lines.append(f"  {_percent(float(weights[place]))} kept row {place + 1}, {truth}: {values}")
    rest = order[shown:]
    if len(rest):
        lines.append(f"  {_percent(float(weights[rest].sum()))} {len(rest)} row{'s' * (len(rest) != 1)} more")
    name = printable(target.name, NAME_LIMIT)
    if not isinstance(target, Nominal):
        return "\n".join(
            [*lines, f"so {name} = {short_number(float(model.predict_codes(one)[0]), FIGURES)}, their mean"]
        )
    shares = model.predict_proba(one)[0]
    told = ", ".join(
        f"{printable(category, NAME_LIMIT)} {_percent(float(share)).strip()}"
        for category, share in zip(target.categories, shares, strict=True)
        if share >= LEAST
    )
    return "\n".join([*lines, f"so {name} = {value_words(target, int(model.predict_codes(one)[0]))} ({told})"])


def explain_boxes(model: Exemplars, table: Table, row: int) -> str:
    """Write the nearest boxes, nearest first: the first decides. Columns outside of a box add to its distance."""
    one = align(model.schema, table.take(np.array([row])))
    apart = model.differences(one)[0]
    order = model.by_distance(one)[0]
    target = model.schema.target_column
    lines = [f"row {row + 1}: {_values(model.schema, one, 0)}"]
    for box in order[:MOST_BOXES].tolist():
        squared = apart[box]
        label = value_words(target, model.label[box])
        (rows,) = amounts([float(model.rows[box])])
        what = f"box {box + 1}, {label}, of {rows} row{'s' * (rows != '1')}"
        if not squared.any():
            lines.append(f"  in {what}: {_conditions(model, box)}")
            continue
        features = np.argsort(-squared, kind="stable")
        outside = [
            f"{printable(model.schema.columns[model.schema.features[f]].name, NAME_LIMIT)} "
            f"({short_number(float(np.sqrt(squared[f])))})"
            for f in features.tolist()
            if squared[f] > 0
        ]
        more = [f"{len(outside) - MOST_COLUMNS} more"] if len(outside) > MOST_COLUMNS else []
        told = ", ".join([*outside[:MOST_COLUMNS], *more])
        lines.append(f"  {short_number(float(np.sqrt(squared.sum())))} from {what}, outside of it in {told}")
    if len(order) > MOST_BOXES:
        lines.append(f"  and {len(order) - MOST_BOXES} boxes farther away")
    answer = value_words(target, model.label[order[0]])
    return "\n".join([*lines, f"so {printable(target.name, NAME_LIMIT)} = {answer}, as box {order[0] + 1}"])


def _conditions(model: Exemplars, box: int) -> str:
    """The limits of a box; a range of one number is written as that number."""
    told: list[str] = []
    before: Condition | None = None
    for condition in model.conditions(box):
        column = model.schema.columns[condition.column]
        if isinstance(column, Numeric) and isinstance(condition, AtMost) and before == AtLeast(*astuple(condition)):
            told[-1] = f"{printable(column.name)} = {describe_number(column, condition.value)}"
        else:
            told.append(condition.describe(model.schema))
        before = condition
    return " and ".join(told) or "all rows"


def _values(schema: Schema, table: Table, row: int) -> str:
    """The features of a row, by name."""
    return ", ".join(
        f"{printable(schema.columns[place].name, NAME_LIMIT)} "
        f"{value_words(schema.columns[place], table.columns[place][row])}"
        for place in schema.features
    )


def _percent(share: float) -> str:
    """A share as a percentage with one decimal, in a column of its own."""
    return f"{100 * share:5.1f}%"
