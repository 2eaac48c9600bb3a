"""Support vector machines as the members of a model file, and back; see `hornbeam.model.files.storage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.files.plain import (
    numbers_from_plain,
    recipe_from_plain,
    terms_from_plain,
    terms_to_plain,
    whole_from_plain,
)
from hornbeam.model.linear.linear import Term
from hornbeam.model.neighbors.axes import Axes
from hornbeam.model.neighbors.instances_plain import kept_arrays, kept_from
from hornbeam.model.svm.kernel import Kernel
from hornbeam.model.svm.svm import ARRAYS, OPTIONAL_ARRAYS, SVM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.model.neighbors.instances_plain import HasArray, ReadArray


def svm_to_plain(model: SVM) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is no array as plain data, and the arrays by name."""
    axes, sparse = model.axes, model.sparse
    plain = {
        "kernel": model.kernel.name,
        "figures": [model.kernel.degree, model.kernel.gamma, model.kernel.coef0],
        "axes": None if axes is None else terms_to_plain(Term(1.0, (factor,)) for factor in axes.factors),
        "n_factors": 1 if axes is None else axes.n_factors,
        "kept": model.kept is not None,
        "sparse_columns": None if sparse is None else sparse[3],
        "recipe": dict(model.recipe),
    }
    return plain, {**({} if model.kept is None else kept_arrays(model.kept)), **model.arrays()}


def svm_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> SVM:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    degree, gamma, coef0 = numbers_from_plain(plain["figures"])
    arrays: dict[str, Any] = {name: read(name, dtype) for name, dtype in ARRAYS.items()}
    arrays |= {name: read(name, dtype) for name, dtype in OPTIONAL_ARRAYS.items() if has(name)}
    sparse = axes = None
    if plain["sparse_columns"] is not None:
        wide = whole_from_plain("sparse_columns", plain["sparse_columns"])
        sparse = (read("sparse/start", "<i8"), read("sparse/columns", "<i4"), read("sparse/values", "<f8"), wide)
    if plain["axes"] is not None:
        factors = tuple(term.factors[0] for term in terms_from_plain(plain["axes"]))
        n_factors = whole_from_plain("n_factors", plain["n_factors"])
        axes = Axes(factors, read("axes/shift", "<f8"), read("axes/width", "<f8"), n_factors)
    model = SVM(
        schema,
        Kernel(plain["kernel"], whole_from_plain("degree", degree), gamma, coef0),
        **arrays,
        axes=axes,
        kept=kept_from(schema, read) if plain["kept"] else None,
        sparse=sparse,
        recipe=recipe_from_plain(plain["recipe"]),
    )
    model.validate()
    return model
