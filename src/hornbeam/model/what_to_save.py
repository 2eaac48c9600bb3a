"""What `save` was given: a model, or a fitted estimator, which has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.model.trace import Trace


def what_to_save(
    given: Any,  # noqa: ANN401 - whatever it is
    provenance: Mapping[str, Any] | None,
    trace: Trace | None,
    kinds: tuple[type, ...],
) -> tuple[Any, Mapping[str, Any] | None, Trace | None]:
    """Give the model, its provenance and its trace; ModelError where there is no model."""
    if hasattr(given, "model_"):
        provenance = given.provenance() if provenance is None else provenance
        trace = given.trace_ if trace is None else trace
        given = given.model_
    if not isinstance(given, kinds):
        msg = f"cannot save {type(given).__name__}: expected a model, such as `model_` of a fitted estimator"
        raise ModelError(f"{msg}; call fit first" if hasattr(given, "fit") else msg)
    return given, provenance, trace
