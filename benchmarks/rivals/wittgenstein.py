"""RIPPER of the package wittgenstein, an optional peer (``pip install wittgenstein``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner
from benchmarks.rivals.cubist import frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows


def why_absent() -> str | None:
    """Why it cannot take part, or None."""
    return None if importlib.util.find_spec("wittgenstein") else "not installed (pip install wittgenstein)"


def ripper(threads: int) -> Learner:
    """As it comes: rules for the second of two classes; it knows one thread only."""
    from wittgenstein import RIPPER  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    assert threads == 1

    def fit(ready: tuple[Any, NDArray[np.int32]]) -> Any:  # noqa: ANN401 - its model
        learner = RIPPER(random_state=0)
        learner.fit(*ready, pos_class=1)
        return learner

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401
        return np.asarray(model.predict(frame(rows)), np.int32)

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"rules": len(model.ruleset_.rules)}

    return Learner(fit, predict, facts, ready=lambda rows: (frame(rows), rows.target))
