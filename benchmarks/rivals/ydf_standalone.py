"""YDF's standalone C++, an optional peer (``pip install ydf``): a header without dependencies, compiled by g++."""

from __future__ import annotations

import importlib.util
import shutil
from typing import TYPE_CHECKING, Any

from benchmarks.boosted import LEARNING_RATE
from benchmarks.exported import LEAVES, TREES, compiled

if TYPE_CHECKING:
    from benchmarks.data import Rows
    from benchmarks.peer import Measurement

# An instance is one float per column, in their order.
CALLS = """
#include <cstddef>
static void predict_all(const float *rows, size_t n, size_t columns, double *found) {
    static_assert(sizeof(model::Instance) == model::kNumFeatures * sizeof(float), "one float per column");
    for (size_t row = 0; row < n; row++)
        found[row] = model::Predict(*reinterpret_cast<const model::Instance *>(rows + row * columns));
}
"""


def why_absent() -> str | None:
    """Why YDF cannot take part, or None."""
    if not shutil.which("g++"):
        return "g++ is not on the path"
    return None if importlib.util.find_spec("ydf") else "YDF is not installed (pip install ydf)"


def _program(task: str, rows: Rows) -> str:
    import ydf  # noqa: PLC0415 - optional

    learner = ydf.GradientBoostedTreesLearner(
        label="target",
        num_trees=TREES[task],
        shrinkage=LEARNING_RATE,
        growing_strategy="BEST_FIRST_GLOBAL",
        max_num_nodes=LEAVES,
        max_depth=-1,
        validation_ratio=0.0,
        num_threads=1,
    )
    columns = {f"x{i:02}": rows.numbers[:, i] for i in range(rows.numbers.shape[1])}
    model = learner.train({**columns, "target": rows.target}, verbose=0)
    text = model.to_standalone_cc(name="model", algorithm="ROUTING", classification_output="PROBABILITY")
    return str(text) + CALLS


def measure(measurement: Measurement) -> dict[str, Any]:
    """Predict row by row with the function that it writes."""
    return compiled(measurement, lambda rows: _program(measurement.task, rows), value="float", cplusplus=True)
