"""What all formats share: the model of an estimator, the writer for its kind, and its decision rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

Exportable: TypeAlias = Any  # a model, or a fitted estimator with its decision rule
Writer = TypeVar("Writer")


def unwrap(model: Exportable) -> tuple[Any, Any]:
    """Return the estimator that decides (the model itself if there is no estimator) and its model."""
    learner = getattr(model, "learner_", model)  # of an estimator that chooses its parameters itself
    return learner, getattr(learner, "model_", learner)


def exact_bytes(model: Exportable) -> bytes:
    """Return the model file of a model, or of an estimator with its decision rule and its provenance."""
    from hornbeam.model.files.storage import to_bytes

    learner, plain = unwrap(model)
    if not hasattr(learner, "_deciding"):  # a model, or a result that holds one
        return to_bytes(plain)
    return to_bytes(learner._deciding(plain), learner.provenance())


def writer_for(
    model: Exportable, writers: Mapping[str, Writer], name: str, *, expected: str, reason: str = ""
) -> Writer:
    """Return the writer for the kind of a model.

    Parameters
    ----------
    model : model
        The model to write.
    writers : mapping of kind to writer
        What a format can write. The kinds are those of model files (`hornbeam.model.files.members`).
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
    kind = getattr(model, "KIND", "")
    if kind in writers:
        return writers[kind]
    found = type(model).__name__
    article = "an" if found.startswith(("A", "E", "I", "O", "SVM")) else "a"
    msg = f"cannot write {article} {found} as {name}{reason}; expected {expected}"
    raise TypeError(msg)


def decision_rule(
    learner: Any,  # noqa: ANN401 - an estimator, or a model
    model: Exportable,
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
        ``costs`` (an array) or ``threshold``, where there is one, with ``with_rows`` (which classes may be predicted,
        if that is known). Empty if the model's own label decides, or the target is a number.
    """
    if not isinstance(model.schema.target_column, Nominal):
        return {}
    rule: dict[str, Any] = {}
    decision = model.decision
    if learner is not model:
        decision = learner._decision() if hasattr(learner, "_decision") else None
    if costs is None and threshold is None and decision is not None:
        costs, threshold = decision.costs, decision.threshold
    if costs is not None:
        rule["costs"] = np.asarray(costs, np.float64)
    elif threshold is not None:
        rule["threshold"] = float(threshold)
    else:
        return rule
    if decision is not None and decision.with_rows is not None and not all(decision.with_rows):
        rule["with_rows"] = list(decision.with_rows)
    return rule


def writer_of_kind(kinds: Mapping[str, Writer], kind: str, language: str, reasons: Mapping[str, str]) -> Writer:
    """Return the writer for the kind of a program; a TypeError gives the reason why there is none."""
    if kind not in kinds:
        reason = reasons.get(kind, f"{language} does not support it")
        msg = f"cannot write this model as {language}: {reason}; the formats python and javascript can hold it"
        raise TypeError(msg)
    return kinds[kind]
