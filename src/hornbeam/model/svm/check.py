"""Checks of a support vector machine before a kernel reads its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.indices import check_starts, indices_below
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.kept_predictions import check_kept
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.model.svm.svm import SVM, SparseRows

REST = -1  # instead of a class: all other classes


def check_svm(model: SVM) -> None:
    """Check shapes and ranges; raise a `ModelError` if they are wrong."""
    model.kernel.validate()
    if model.axes is not None:
        model.axes.validate(model.schema)
    _check_machines(model)
    if model.task == "classification":
        _check_pairs(model)
    _check_form(model)
    n, features = len(model), len(model.schema.features)
    if model.kept is not None:
        if n:
            check_kept(model.schema, model.kept)
        if model.kept.n_rows != n:
            msg = f"{model.kept.n_rows} rows are kept, and {n} have coefficients"
            raise ModelError(msg)
    if model.sparse is not None:
        check_sparse(model.sparse, n, features)
    if model.places is not None and not ((model.places >= 0) & (model.places < features)).all():
        msg = f"a support vector has a position that is not within 0 and {features - 1}"
        raise ModelError(msg)


def _check_form(model: SVM) -> None:
    """Check that there is exactly one form of support vectors or weights, and that kernel and axes match it."""
    forms = {
        "kept rows": model.kept,
        "sparse rows": model.sparse,
        "places of training rows": model.places,
        "weights": model.weights,
    }
    found = [name for name, form in forms.items() if form is not None]
    if len(found) != 1:
        msg = f"found {' and '.join(found) or 'no support vectors'}; expected one of {', '.join(forms)}"
        raise ModelError(msg)
    if (model.axes is None) != (model.kept is None) and (model.weights is None):
        msg = f"axes go with kept rows or weights; {found[0]} were found {'with' if model.axes else 'without'} axes"
        raise ModelError(msg)
    if (model.kernel.name == "precomputed") != (model.places is not None):
        msg = f"the kernel is {model.kernel.name!r} and there are {found[0]}; only given kernel values have places"
        raise ModelError(msg)
    if model.weights is not None and (not model.kernel.is_linear or len(model)):
        msg = f"weights need the linear kernel and no support vectors; found {model.kernel.name!r} and {len(model)}"
        raise ModelError(msg)
    if model.axes is None:
        for place in model.schema.features:
            column = model.schema.columns[place]
            if not isinstance(column, Numeric):
                msg = f"the column {column.name!r} is nominal, and has no indicator columns"
                raise ModelError(msg)


def _check_machines(model: SVM) -> None:
    m, features = len(model.intercepts), len(model.schema.features)
    wide = features if model.axes is None else len(model.axes)
    model.check_arrays(machines=m, two=2, four=4, wide=wide)
    n = len(model)
    numbers = (model.coefficients, model.intercepts, model.slopes, model.weights)
    if not m or not all(each is None or np.isfinite(each).all() for each in numbers):
        raise ModelError("there are no machines, or a coefficient, an intercept, a slope or a weight is not finite")
    if not (model.limits > 0).all():
        raise ModelError("the limit of a support vector is not above zero")
    if not ((model.runs >= 0) & (model.runs <= n)).all():
        msg = f"a run of support vectors is not within 0 and {n}"
        raise ModelError(msg)
    if model.task == "regression" and (model.slopes is not None or len(model.pairs) or m != 1):
        msg = f"numbers have one machine, and no slopes and no pairs; found {m} machines and {len(model.pairs)} pairs"
        raise ModelError(msg)


def _check_pairs(model: SVM) -> None:
    target = model.schema.target_column
    assert isinstance(target, Nominal)
    m, classes = model.n_machines, len(target.categories)
    first, second = (model.pairs[:, 0], model.pairs[:, 1]) if model.pairs.shape == (m, 2) else (None, None)
    if first is None or second is None or not (
        (second >= 0).all() and (model.pairs < classes).all() and (first != second).all()
        and ((first >= 0).all() or (first == REST).all())
    ):  # fmt: skip
        msg = f"machines separate {model.pairs.tolist()!r:.60}; expected {m} pairs of {classes} classes"
        raise ModelError(msg)


def check_sparse(rows: SparseRows, n: int, n_columns: int) -> None:
    """Check the number of sparse rows and their column indices; raise a `ModelError` if they are wrong."""
    start, columns, values, wide = rows
    if wide != n_columns:
        msg = f"sparse rows have {wide} columns; expected one for each of the {n_columns} features"
        raise ModelError(msg)
    if values.ndim != 1 or columns.shape != values.shape or not np.isfinite(values).all():
        msg = f"{n} sparse rows have {values.size} values and {columns.size} columns, or values that are not finite"
        raise ModelError(msg)
    try:
        check_starts("the starts of sparse rows", start, n, len(values))
        indices_below("the columns of sparse rows", columns, wide)
    except IndexError as error:
        raise ModelError(str(error)) from None
    if start[-1] != len(values):
        msg = f"indptr ends at {start[-1]}; expected {len(values)}"
        raise ModelError(msg)
