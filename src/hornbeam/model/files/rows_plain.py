"""Models of kept rows and boxes as the members of a model file, and back; see `hornbeam.model.files.storage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.base.errors import ModelError
from hornbeam.model.clusters.concepts import ConceptTree, concepts_from_plain, concepts_to_plain
from hornbeam.model.clusters.dendrogram import Dendrogram, dendrogram_from_plain, dendrogram_to_plain
from hornbeam.model.clusters.graph_clusters import GraphClusters, graph_from_plain, graph_to_plain
from hornbeam.model.clusters.mixture import Mixture
from hornbeam.model.clusters.mixture_plain import mixture_from_plain, mixture_to_plain
from hornbeam.model.clusters.partition import Partition, partition_from_plain, partition_to_plain
from hornbeam.model.files.plain import numbers_from_plain, recipe_from_plain
from hornbeam.model.neighbors.exemplars import Exemplars
from hornbeam.model.neighbors.instances import Instances
from hornbeam.model.neighbors.instances_plain import (
    distance_arrays,
    distance_from,
    instances_from_plain,
    instances_to_plain,
    kept_arrays,
    kept_from,
)
from hornbeam.model.neighbors.kstar import KStarModel
from hornbeam.model.neighbors.local import LocalModel, Near
from hornbeam.model.neighbors.local_learner import LocalLearner, learner_from
from hornbeam.model.svm.plain import svm_from_plain, svm_to_plain
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.model.neighbors.instances_plain import HasArray, ReadArray

    Plain = tuple[dict[str, Any], dict[str, NDArray[Any]]]

_BOX_TYPES = {
    **dict.fromkeys(("low", "high", "rows", "width", "column_weight"), "<f8"),
    **dict.fromkeys(("gaps", "sets"), "|b1"),
    "label": "<i4",
}


def kstar_to_plain(model: KStarModel) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    plain = {
        "figures": [model.blend, model.least_rate, model.raised],
        "missing": model.missing,
        "recipe": dict(model.recipe),
    }
    return plain, {**kept_arrays(model.kept), "code_costs": model.code_costs}


def kstar_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> KStarModel:  # noqa: ANN401, ARG001 - whatever the file holds
    """The model, checked in full."""
    blend, least_rate, *raised = numbers_from_plain(plain["figures"])
    recipe = recipe_from_plain(plain["recipe"])
    costs = read("code_costs", "<f8")
    whole = int(raised[0]) if raised else 0
    model = KStarModel(schema, kept_from(schema, read), blend, plain["missing"], costs, least_rate, whole, recipe)
    model.validate()
    return model


def local_to_plain(model: LocalModel) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    plain, arrays = _near_to_plain(model.near, model.ridge)
    return {**plain, "recipe": dict(model.recipe)}, {**kept_arrays(model.kept), **arrays}


def local_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> LocalModel:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    near, ridge = _near_from_plain(plain, schema, read, has)
    model = LocalModel(schema, kept_from(schema, read), near, ridge, recipe_from_plain(plain["recipe"]))
    model.validate()
    return model


def local_learner_to_plain(model: LocalLearner) -> Plain:
    """What is no array as plain data, and the arrays by name."""
    plain, arrays = _near_to_plain(model.near, 0.0)
    scheme, parameters = model.named()
    return {**plain, "scheme": scheme, "parameters": parameters}, {**kept_arrays(model.kept), **arrays}


def local_learner_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> LocalLearner:  # noqa: ANN401 - whatever the file holds
    """The model, checked as far as that goes without learning; a learner that cannot learn says so when it is used."""
    near, _ = _near_from_plain(plain, schema, read, has)
    kept = kept_from(schema, read)
    model = LocalLearner(schema, kept, near, learner_from(plain["scheme"], plain["parameters"]))
    model.validate()
    return model


def _near_to_plain(near: Near, ridge: float) -> Plain:
    plain = {"figures": [near.reach, ridge], "kernel": near.kernel, "k": near.k, "distance": near.distance.choices()}
    return plain, distance_arrays(near.distance)


def _near_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> tuple[Near, float]:  # noqa: ANN401 - as above
    reach, ridge = numbers_from_plain(plain["figures"])
    return Near(distance_from(plain["distance"], schema, read, has), plain["kernel"], reach, plain["k"]), ridge


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


# By kind: as plain data and arrays by name, and from them.
ROWS_TO_PLAIN: dict[type, tuple[str, Callable[[Any], Plain]]] = {
    Instances: ("instances", instances_to_plain),
    KStarModel: ("kstar", kstar_to_plain),
    LocalModel: ("local", local_to_plain),
    LocalLearner: ("local-learner", local_learner_to_plain),
    Exemplars: ("exemplars", exemplars_to_plain),
    SVM: ("svm", svm_to_plain),
    ConceptTree: ("concepts", concepts_to_plain),
    Dendrogram: ("dendrogram", dendrogram_to_plain),
    GraphClusters: ("graph-clusters", graph_to_plain),
    Partition: ("partition", partition_to_plain),
    Mixture: ("mixture", mixture_to_plain),
}
ROWS_FROM_PLAIN: dict[str, Callable[..., Any]] = {
    "instances": instances_from_plain,
    "kstar": kstar_from_plain,
    "local": local_from_plain,
    "local-learner": local_learner_from_plain,
    "exemplars": exemplars_from_plain,
    "svm": svm_from_plain,
    "concepts": concepts_from_plain,
    "dendrogram": dendrogram_from_plain,
    "graph-clusters": graph_from_plain,
    "partition": partition_from_plain,
    "mixture": mixture_from_plain,
}
