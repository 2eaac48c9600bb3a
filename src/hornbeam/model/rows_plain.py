"""Models of kept rows and boxes as the members of a model file, and back; see `hornbeam.model.storage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.errors import ModelError
from hornbeam.model.exemplars import Exemplars
from hornbeam.model.instances_plain import distance_arrays, distance_from, kept_arrays, kept_from
from hornbeam.model.kstar import KStarModel
from hornbeam.model.local import LocalModel, Near
from hornbeam.model.plain import numbers_from_plain, recipe_from_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.model.instances_plain import HasArray, ReadArray

    Plain = tuple[dict[str, Any], dict[str, NDArray[Any]]]

_BOX_TYPES = {
    **dict.fromkeys(("low", "high", "rows", "width", "column_weight"), "<f8"),
    **dict.fromkeys(("gaps", "sets"), "|b1"),
    "label": "<i4",
}


def kstar_to_plain(model: KStarModel) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    plain = {"figures": [model.blend, model.least_rate], "missing": model.missing, "recipe": dict(model.recipe)}
    return plain, {**kept_arrays(model.kept), "code_costs": model.code_costs}


def kstar_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> KStarModel:  # noqa: ANN401, ARG001 - whatever the file holds
    """The model, checked in full."""
    blend, least_rate = numbers_from_plain(plain["figures"])
    recipe = recipe_from_plain(plain["recipe"])
    costs = read("code_costs", "<f8")
    model = KStarModel(schema, kept_from(schema, read), blend, plain["missing"], costs, least_rate, recipe)
    model.validate()
    return model


def local_to_plain(model: LocalModel) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    plain = {
        "figures": [model.near.reach, model.ridge],
        "kernel": model.near.kernel,
        "k": model.near.k,
        "distance": model.near.distance.choices(),
        "recipe": dict(model.recipe),
    }
    return plain, {**kept_arrays(model.kept), **distance_arrays(model.near.distance)}


def local_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> LocalModel:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    reach, ridge = numbers_from_plain(plain["figures"])
    near = Near(distance_from(plain["distance"], schema, read, has), plain["kernel"], reach, plain["k"])
    model = LocalModel(schema, kept_from(schema, read), near, ridge, recipe_from_plain(plain["recipe"]))
    model.validate()
    return model


def exemplars_to_plain(model: Exemplars) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    return {"recipe": dict(model.recipe)}, model.arrays()


def exemplars_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> Exemplars:  # noqa: ANN401, ARG001 - whatever the file holds
    """The model, checked in full."""
    if schema.target is None:
        msg = "boxes of classes need a target"
        raise ModelError(msg)
    arrays: dict[str, Any] = {name: read(name, dtype) for name, dtype in _BOX_TYPES.items()}
    model = Exemplars(schema, **arrays, recipe=recipe_from_plain(plain["recipe"]))
    model.validate()
    return model
