"""Kept rows as the members of a model file, and back: plain data for choices, an array for every column of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Numeric
from hornbeam.data.table import Table
from hornbeam.model.base.errors import ModelError
from hornbeam.model.files.plain import recipe_from_plain
from hornbeam.model.neighbors.distance import ARRAYS, OPTIONAL_ARRAYS, Distance
from hornbeam.model.neighbors.instances import Instances

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema

    ReadArray = Callable[[str, str], NDArray[Any]]  # given a name and a type
    HasArray = Callable[[str], bool]

WHOLE = ("knot_start", "table_start")  # arrays of the distance that are whole numbers
STORED_AS = {"center": "centre"}  # the spelling in model files of version 1


def _member(name: str) -> str:
    return f"distance/{STORED_AS.get(name, name)}"


def kept_arrays(kept: Table) -> dict[str, NDArray[Any]]:
    """The columns of kept rows, by the names of their members."""
    return {f"kept/{place}": array for place, array in enumerate(kept.columns)}


def kept_from(schema: Schema, read: ReadArray) -> Table:
    """The kept rows; their values are checked as those of any table are."""
    types = ["<f8" if isinstance(column, Numeric) else "<i4" for column in schema.columns]
    return Table(schema, [read(f"kept/{place}", dtype) for place, dtype in enumerate(types)], copy=False)


def distance_arrays(distance: Distance) -> dict[str, NDArray[Any]]:
    """The arrays of a distance, by the names of their members."""
    return {_member(name): array for name, array in distance.arrays().items()}


def distance_from(choices: Any, schema: Schema, read: ReadArray, has: HasArray) -> Distance:  # noqa: ANN401 - whatever the file holds
    """A distance from its choices and its members."""
    arrays: dict[str, Any] = {
        name: read(_member(name), "<i8" if name in WHOLE else "<f8")
        for name in ARRAYS
        if name not in OPTIONAL_ARRAYS or has(_member(name))
    }
    return Distance(schema, **dict(choices), **arrays)


def instances_to_plain(model: Instances) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is no array as plain data, and the arrays by name."""
    plain = {"choices": model.choices(), "distance": model.distance.choices(), "recipe": dict(model.recipe)}
    arrays = kept_arrays(model.kept) | distance_arrays(model.distance)
    if model.class_columns is not None:
        arrays["class_columns"] = model.class_columns
    if model.seen_as is not None:
        arrays["seen_as"] = model.seen_as
    return plain, arrays


def instances_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> Instances:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    choices = dict(plain["choices"])
    pseudo_count = choices.get("pseudo_count")
    if isinstance(pseudo_count, bool) or not isinstance(pseudo_count, int | float):
        msg = "pseudo_count is not a number"
        raise ModelError(msg)
    model = Instances(
        schema,
        kept_from(schema, read),
        distance_from(plain["distance"], schema, read, has),
        **choices,
        class_columns=read("class_columns", "<f8") if has("class_columns") else None,
        recipe=recipe_from_plain(plain["recipe"]),
        seen_as=read("seen_as", "<i8") if has("seen_as") else None,
    )
    model.validate()
    return model
