"""tl2cgen, an optional peer (``pip install tl2cgen treelite lightgbm``): LightGBM's trees as C, compiled by gcc."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.boosted import LEARNING_RATE
from benchmarks.exported import FLAGS, LEAVES, TREES, timed, training_and_query_rows

if TYPE_CHECKING:
    from benchmarks.data import Rows
    from benchmarks.peer import Measurement


def why_absent() -> str | None:
    """Why tl2cgen cannot take part, or None."""
    needed = ("tl2cgen", "treelite", "lightgbm")
    missing = [name for name in needed if not importlib.util.find_spec(name)]
    return f"{missing[0]} is not installed (pip install {' '.join(needed)})" if missing else None


def booster(task: str, rows: Rows) -> Any:  # noqa: ANN401 - LightGBM's model
    """LightGBM with as many trees and leaves as ours."""
    import lightgbm  # noqa: PLC0415 - optional

    learner = lightgbm.LGBMClassifier(
        n_estimators=TREES[task], num_leaves=LEAVES, learning_rate=LEARNING_RATE, n_jobs=1, verbose=-1
    )
    return learner.fit(rows.numbers, rows.target)


def measure(measurement: Measurement) -> dict[str, Any]:
    """Predict with the library that it makes; its own matrix is made before the clock starts."""
    import tl2cgen  # noqa: PLC0415 - optional
    import treelite  # noqa: PLC0415

    train, rows = training_and_query_rows(measurement)
    model = treelite.frontend.from_lightgbm(booster(measurement.task, train).booster_)
    with tempfile.TemporaryDirectory() as name:
        library = Path(name) / "model.so"
        split = {"parallel_comp": 16}  # translation units
        tl2cgen.export_lib(model, toolchain="gcc", libpath=library, params=split, options=list(FLAGS))
        predictor = tl2cgen.Predictor(library, nthread=1)
        given = tl2cgen.DMatrix(rows.numbers.astype(np.float64))
        return timed(lambda: np.ravel(predictor.predict(given)), rows)
