"""What every format needs: the model of an estimator, the writer for its type, and its decision rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

Writer = TypeVar("Writer")


def unwrap(model: Any) -> tuple[Any, Any]:  # noqa: ANN401 - a model or an estimator
    """Return the estimator that decides (the model itself if there is no estimator) and its model."""
    learner = getattr(model, "learner_", model)  # of an estimator that chooses its parameters itself
    return learner, getattr(learner, "model_", learner)


def writer_for(
    model: Any,  # noqa: ANN401 - dispatches on it
    writers: Mapping[type, Writer],
    name: str,
    *,
    expected: str,
    reason: str = "",
) -> Writer:
    """Return the writer for the type of a model.

    Parameters
    ----------
    model : model
        The model to write.
    writers : mapping of type to writer
        What a format can write; a subclass is written as its base class.
    name, expected, reason : str
        For the error message: the name of the format, what it can write, and why not this model.

    Returns
    -------
    writer
        The entry of the mapping.

    Raises
    ------
    TypeError
        If there is none.
    """
    for kind in type(model).__mro__:
        if kind in writers:
            return writers[kind]
    raise TypeError(f"cannot write a {type(model).__name__} as {name}{reason}; expected {expected}")


def decision_rule(
    learner: Any,  # noqa: ANN401 - an estimator, or a model
    model: Any,  # noqa: ANN401
    costs: ArrayLike | None = None,
    threshold: float | None = None,
) -> dict[str, Any]:
    """Return how a class is chosen from the probabilities, where the model's own label is not enough.

    Parameters
    ----------
    learner, model : estimator and model
        As `unwrap` returns them.
    costs, threshold : optional
        Misclassification costs, and the decision threshold of two classes; by default those of the estimator or of
        the model.

    Returns
    -------
    dict
        ``costs`` (an array) or ``threshold``, where there is one; ``always``, if every row gets a class, even where the
        model has no label. Empty if the target is a number.
    """
    if not isinstance(model.schema.target_column, Nominal):
        return {}
    rule: dict[str, Any] = {}
    decision = model.decision
    if learner is not model:
        rule["always"] = True
        decision = learner._decision() if hasattr(learner, "_decision") else None
    if costs is None and threshold is None and decision is not None:
        costs, threshold = decision.costs, decision.threshold
    if costs is not None:
        rule["costs"] = np.asarray(costs, np.float64)
    elif threshold is not None:
        rule["threshold"] = float(threshold)
    return rule
