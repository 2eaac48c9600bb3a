"""Results as plain data for JSON: `Plain`, the base class of results, and `plain_fields`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


class Plain:
    """A result with its attributes as plain data; `_json` lists them, in the format of `plain_fields`."""

    __slots__ = ()
    _json = ""

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; undefined numbers are None."""
        return plain_fields(self, self._json)


def plain_fields(of: object, names: str = "") -> dict[str, Any]:
    """Attributes as plain data: arrays and tuples as lists, results as dicts, undefined numbers as None.

    Parameters
    ----------
    of : object
        The object with the attributes.
    names : str
        The attributes, separated by blanks; by default all fields of a dataclass. ``key=attribute`` renames one, and
        ``key=attribute.inner`` selects an attribute of it (None if the attribute is None).

    Examples
    --------
    >>> plain_fields(2 + 1j, "real size=imag")
    {'real': 2.0, 'size': 1.0}
    """
    pairs = [name.partition("=") for name in names.split() or [field.name for field in fields(of)]]  # type: ignore[arg-type]
    return {key: plain(_reach(of, path or key)) for key, _, path in pairs}


def plain(value: Any) -> Any:  # noqa: ANN401 - any plain data
    """A value as plain data; see `plain_fields`."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return plain_fields(value)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return or_none(value) if isinstance(value, float) else value


def or_none(number: float) -> float | None:
    """Return a number, or None if it is undefined."""
    return float(number) if math.isfinite(number) else None


def _reach(of: object, path: str) -> Any:  # noqa: ANN401 - any attribute
    for name in path.split("."):
        of = None if of is None else getattr(of, name)
    return of
