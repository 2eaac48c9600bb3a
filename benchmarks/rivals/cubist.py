"""Quinlan's Cubist in its Python wrapping, an optional peer (``pip install cubist``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows

COMMITTEES = 5


def why_absent() -> str | None:
    """Why Cubist cannot take part, or None."""
    return None if importlib.util.find_spec("cubist") else "Cubist is not installed (pip install cubist)"


def committees(threads: int) -> Learner:
    """As it comes, with five committees; it knows one thread only."""
    import cubist  # type: ignore[import-not-found]  # noqa: PLC0415 - optional

    assert threads == 1

    def fit(ready: tuple[Any, NDArray[np.float64]]) -> Any:  # noqa: ANN401 - Cubist's model
        return cubist.Cubist(n_committees=COMMITTEES).fit(*ready)

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401
        return np.asarray(model.predict(frame(rows)))

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"leaves": len(model.coeffs_)}

    return Learner(fit, predict, facts, ready=lambda rows: (frame(rows), rows.target))


def frame(rows: Rows) -> Any:  # noqa: ANN401 - a data frame
    """A data frame with texts for categories; made before the clock starts, since its users have one to begin with."""
    import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415 - Cubist brings it along

    numbers = {f"x{j}": rows.numbers[:, j].astype(np.float64) for j in range(rows.numbers.shape[1])}
    names = np.array([f"v{code}" for code in range(max(rows.n_categories, default=0))], object)
    return pd.DataFrame(numbers | {f"c{j}": names[rows.codes[:, j]] for j in range(rows.codes.shape[1])})
