"""Planes for very many rows or columns: one class against all others, by dual coordinate descent."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hornbeam.core.svm.plane import Plane
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.svm.machines import present_classes
from hornbeam.model.svm.check import REST
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.learn.svm.learner import Training
    from hornbeam.learn.svm.problem import Settings

    Floats = NDArray[np.float64]

MOST_PASSES = 1000


def learn_planes(
    training: Training,
    settings: Settings,
    C: float,
    squared: bool,
    seed: int,
    recipe: dict[str, Any],
) -> tuple[SVM, NDArray[np.int64]]:
    """Find a plane for every class against all others, or one for two classes.

    Returns
    -------
    model : SVM
        With weights, without support vectors.
    passes : array
        Over the rows, of every plane.
    """
    classes = present_classes(training)
    rows = Plane(training.points)
    wide = training.points[3] if training.is_sparse else training.points.shape[1]
    two = len(classes) == 2  # noqa: PLR2004 - one plane tells both
    pairs = [tuple(classes)] if two else [(REST, code) for code in classes]
    limit = np.minimum(C * training.weights, np.finfo(np.float64).max)
    most = settings.max_iter if settings.max_iter >= 0 else MOST_PASSES

    def find(machine: int) -> tuple[Floats, int, float]:
        sign = np.where(training.target == pairs[machine][1], 1.0, -1.0)
        plane = np.zeros(wide + 1)
        found = rows.find(sign, limit, squared, settings.tol, most, seed, np.zeros(len(sign)), plane)
        return plane, *found

    found = in_order_of_arrival(find, len(pairs), min(settings.n_threads, len(pairs)))
    planes = np.array([found[machine][0] for machine in range(len(pairs))])
    passes = np.array([found[machine][1] for machine in range(len(pairs))])
    spread = max(each[2] for each in found.values())
    if spread > settings.tol:
        msg = (
            f"stopped after {int(passes.max())} passes with gradients {spread:.3g} apart (tol={settings.tol:g}); the "
            "best so far is kept. Raise max_iter, scale the columns, or lower C"
        )
        warnings.warn(msg, ConvergenceWarning, stacklevel=2)
    model = SVM(
        training.schema,
        settings.kernel,
        np.empty((len(pairs), 0)),
        np.ascontiguousarray(planes[:, -1]),
        np.empty(0),
        np.array(pairs, np.int32),
        np.zeros((len(pairs), 4), np.int64),
        axes=training.axes,
        weights=np.ascontiguousarray(planes[:, :-1]),
        recipe={**recipe, "solver": "planes", "loss": "squared_hinge" if squared else "hinge"},
    )
    return model, passes
