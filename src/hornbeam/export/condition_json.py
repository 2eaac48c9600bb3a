"""Conditions and numbers in JSON, for trees and rules alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import MOST, SIGNS, AtMost, IsIn, IsMissing

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition


def condition_plain(condition: Condition, schema: Schema) -> dict[str, Any]:
    """Give a condition as plain data, with names in place of positions and codes."""
    column = schema.columns[condition.column]
    plain: dict[str, Any] = {"column": column.name}
    if isinstance(condition, IsIn):
        assert isinstance(column, Nominal)
        plain |= {"is": "in", "categories": [column.categories[code] for code in condition.codes]}
    elif isinstance(condition, IsMissing):
        plain["is"] = "missing"
    elif isinstance(condition, AtMost) and condition.value == MOST:
        plain["is"] = "known"
    else:
        plain |= {"is": SIGNS[type(condition)], "value": number_plain(condition.value)}
        if isinstance(column, Nominal):  # an ordered column is cut between the positions of its categories
            plain["of"] = list(column.categories)
    return plain | {"if_missing": number_plain(condition.if_missing)}


def number_plain(value: float) -> float | int | None:
    """Give a number for JSON: whole ones without a point, None for what is no number."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value
