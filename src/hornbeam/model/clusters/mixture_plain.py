"""Mixtures as plain data and arrays, for model files, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.clusters.clustering import profile_arrays, profile_from
from hornbeam.model.clusters.components import Components
from hornbeam.model.clusters.mixture import Mixture
from hornbeam.model.clusters.mixture_columns import columns_from_plain
from hornbeam.model.clusters.principal_axes import Axes
from hornbeam.model.files.plain import numbers_from_plain, recipe_from_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.model.neighbors.instances_plain import HasArray, ReadArray


def mixture_to_plain(model: Mixture) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is no array as plain data, and the arrays by name."""
    own, axes = model.components, model.columns.axes
    plain = {"form": own.form, "log_likelihood": model.log_likelihood, "recipe": dict(model.recipe)}
    plain |= model.columns.to_plain() | {"covariances": list(own.covariances.shape)}
    arrays: dict[str, NDArray[Any]] = {
        f"shares/{number}": array.reshape(len(array), -1) for number, array in enumerate(own.shares)
    }
    arrays |= {"weights": own.weights, "means": own.means, "covariances": own.covariances.reshape(-1)}
    arrays |= {"rates": own.rates, "scores": model.scores}
    members = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return plain, profile_arrays(model.profile) | members | ({} if axes is None else axes.arrays())


def mixture_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> Mixture:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    axes = None
    if has("axes/columns"):
        names = ("middle", "scale", "directions", "rest")
        axes = Axes(read("axes/columns", "<i8"), *(read(f"axes/{name}", "<f8") for name in names))
    columns = columns_from_plain(plain, schema, axes)
    flat = (read(f"shares/{number}", "<f8") for number in range(len(columns.groups)))
    shares = tuple(array.reshape(len(array), *sizes) for array, sizes in zip(flat, columns.sizes, strict=True))
    covariances = read("covariances", "<f8").reshape(tuple(int(size) for size in plain["covariances"]))
    (likelihood,) = numbers_from_plain([plain["log_likelihood"]])
    weights, means = read("weights", "<f8"), read("means", "<f8")
    components = Components(plain["form"], weights, means, covariances, shares, read("rates", "<f8"))
    recipe = recipe_from_plain(plain["recipe"])
    model = Mixture(schema, columns, components, profile_from(read), likelihood, read("scores", "<f8"), recipe)
    model.validate()
    return model
