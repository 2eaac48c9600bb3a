"""Numbers and conditions as JSON. Numbers that are infinite or not a number are null."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import MOST, SIGNS, AtMost, IsIn, IsMissing

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition


def dumps(value: Any, *, indent: int | None = None) -> str:  # noqa: ANN401 - plain data
    """Write plain data as JSON.

    Examples
    --------
    >>> dumps({"mean": float("inf"), "rows": [1, float("nan")]})
    '{"mean": null, "rows": [1, null]}'
    """
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    except ValueError:  # rare, so replace the numbers only then
        return json.dumps(_finite(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:  # noqa: ANN401 - plain data
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def number_plain(value: float) -> float | int | None:
    """Convert a number for JSON: whole numbers without a decimal point, None if it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def condition_plain(condition: Condition, schema: Schema) -> dict[str, Any]:
    """Convert a condition to plain data, with names in place of positions and codes."""
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
        if isinstance(column, Nominal):  # cuts of an ordered column are between the positions of its categories
            plain["of"] = list(column.categories)
    return plain | {"if_missing": number_plain(condition.if_missing)}
