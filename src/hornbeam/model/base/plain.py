"""Readers of plain data (from JSON): each returns a checked value, or raises a `ModelError` that names what was found.

Model files are not trusted; a value is checked where it is read, not later during prediction.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats


class ModelError(ValueError):
    """A model is inconsistent: for example, its arrays do not form a tree, or its rules use unknown columns."""


class ModelFileError(ModelError):
    """A file is not a model file, is damaged, or holds an inconsistent model."""


class UnseenCategoryWarning(UserWarning):
    """Rows to be predicted have categories that did not occur in training; they are read as missing."""


_JSON_CHOICES = ("category_order", "deviations")


def unchecked(plain: Any) -> Any:  # noqa: ANN401 - checked by `validate` of the model
    """Return the value as it is; the model checks it itself."""
    return plain


def entry(plain: Any, name: str) -> Any:  # noqa: ANN401
    """Return an entry of an object."""
    if not isinstance(plain, dict) or name not in plain:
        msg = f"expected an object with an entry {name!r}"
        raise ModelError(msg)
    return plain[name]


def sequence(plain: Any) -> list[Any]:  # noqa: ANN401
    """Read a list."""
    if not isinstance(plain, list):
        msg = f"found {type(plain).__name__}; expected a list"
        raise ModelError(msg)
    return plain


def number(plain: Any) -> float:  # noqa: ANN401
    """Read a finite number."""
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        msg = f"found {plain!r:.40}; expected a number"
        raise ModelError(msg)
    try:
        found = float(plain)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise ModelError("found a number that is not finite")
    return found


def number_or_none(plain: Any) -> float | None:  # noqa: ANN401
    """Read a finite number, or null."""
    return None if plain is None else number(plain)


def numbers(plain: Any) -> list[float]:  # noqa: ANN401
    """Read a list of finite numbers."""
    return [number(value) for value in sequence(plain)]


def number_array(plain: Any) -> Floats:  # noqa: ANN401
    """Read a list of finite numbers as an array."""
    return np.array(numbers(plain), np.float64)


def numbers_or_none(plain: Any) -> tuple[float, ...] | None:  # noqa: ANN401
    """Read a list of finite numbers, or null."""
    return None if plain is None else tuple(numbers(plain))


def whole(plain: Any) -> int:  # noqa: ANN401
    """Read a whole number of 32 bits."""
    if isinstance(plain, bool) or not isinstance(plain, int) or abs(plain) >= 2**31:
        msg = f"found {type(plain).__name__}; expected a whole number of 32 bits"
        raise ModelError(msg)
    return plain


def named_whole(name: str, plain: Any) -> int:  # noqa: ANN401
    """Read a whole number of 32 bits, which may be written as 3 or 3.0; errors begin with its name."""
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    try:
        return whole(plain)
    except ModelError as error:
        msg = f"{name}: {error}"
        raise ModelError(msg) from None


def codes(plain: Any) -> tuple[int, ...]:  # noqa: ANN401
    """Read a list of whole numbers."""
    return tuple(whole(code) for code in sequence(plain))


def provenance(plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """Read the provenance of a model; the meaning of the parameters is not checked."""
    if not isinstance(plain, dict) or not isinstance(plain.get("parameters", {}), dict):
        raise ModelError("the provenance is not an object, or its parameters are not")
    return plain


def recipe(plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """Read the parameters that a model was learned with."""
    if not isinstance(plain, dict) or not all(isinstance(v, str | int | float | None) for v in plain.values()):
        raise ModelError("the recipe is not a list of named choices")
    for name, value in plain.items():
        if not isinstance(value, str | bool | None):
            number(value)
        if name in _JSON_CHOICES and isinstance(value, str):
            _check_json_choice(name, value)
    return plain


def _check_json_choice(name: str, text: str) -> None:
    """Check a parameter that a recipe holds as JSON text: orders of categories, and lists of numbers."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        msg = f"the choice {name!r} of the recipe is not JSON"
        raise ModelError(msg) from None
    if name == "category_order":
        for order in (found if isinstance(found, dict) else {"": found}).values():
            codes(order)
    else:
        numbers(found)
