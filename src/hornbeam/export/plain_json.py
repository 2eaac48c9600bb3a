"""JSON texts as every program reads them: numbers that are infinite or do not exist are null."""

from __future__ import annotations

import json
import math
from typing import Any


def dumps(value: Any, *, indent: int | None = None) -> str:  # noqa: ANN401 - plain data
    """Write plain data as JSON.

    Examples
    --------
    >>> dumps({"mean": float("inf"), "rows": [1, float("nan")]})
    '{"mean": null, "rows": [1, null]}'
    """
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    except ValueError:  # rare, so that it is looked for only then
        return json.dumps(_known(value), indent=indent, ensure_ascii=False, allow_nan=False)


def _known(value: Any) -> Any:  # noqa: ANN401 - plain data
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _known(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_known(entry) for entry in value]
    return value
