"""Our models in other runtimes: C, SQL in DuckDB, ONNX Runtime; and `predict` itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np

import hornbeam
from benchmarks.exported import DEPTH, LEAVES, TREES, compiled, timed, training_and_query_rows

if TYPE_CHECKING:
    from benchmarks.data import Rows
    from benchmarks.peer import Measurement

# The header gives the probabilities of every class; the driver wants that of the second.
C_ROW = """
static void predict_all(const double *rows, size_t n, size_t columns, double *found) {
    for (size_t row = 0; row < n; row++) {
        double probabilities[MODEL_CLASSES];
        model_predict_proba(rows + row * columns, probabilities);
        found[row] = probabilities[1];
    }
}
"""
C_ROWS = """
#include <stdlib.h>
static void predict_all(const double *rows, size_t n, size_t columns, double *found) {
    double *outputs = malloc(n * MODEL_CLASSES * sizeof(double));
    int *classes = malloc(n * sizeof(int));
    model_predict_rows(rows, n, outputs, classes);
    for (size_t row = 0; row < n; row++) found[row] = outputs[row * MODEL_CLASSES + 1];
    free(outputs);
    free(classes);
}
"""


def why_absent() -> str | None:
    """Why the exports cannot take part, or None."""
    return None if shutil.which("gcc") else "gcc is not on the path"


def measure(measurement: Measurement) -> dict[str, Any]:
    """Run one of the ways to use a model."""
    ways = {"ours_predict": _predict, "ours_c": _c, "ours_sql": _sql, "ours_onnx": _onnx}
    return ways[measurement.peer](measurement)


def model(task: str, rows: Rows) -> Any:  # noqa: ANN401 - a tree or boosting
    """What a task exports."""
    if TREES[task] == 1:
        learner: Any = hornbeam.TreeClassifier(max_depth=DEPTH, prune=None, n_jobs=1)
    else:
        learner = hornbeam.GradientBoostingClassifier(TREES[task], max_leaf_nodes=LEAVES, n_jobs=1, random_state=0)
    return learner.fit(rows.numbers.astype(np.float64), rows.target)


def _predict(measurement: Measurement) -> dict[str, Any]:
    """`predict_proba` on one thread."""
    train, rows = training_and_query_rows(measurement)
    learned, numbers = model(measurement.task, train), rows.numbers.astype(np.float64)
    return timed(lambda: np.asarray(learned.predict_proba(numbers))[:, 1], rows)


def _c(measurement: Measurement) -> dict[str, Any]:
    """The C header, compiled by gcc: row by row for a tree, many rows at once for boosting."""
    calls = C_ROW if TREES[measurement.task] == 1 else C_ROWS
    return compiled(measurement, lambda rows: hornbeam.export.c(model(measurement.task, rows)) + calls)


def _sql(measurement: Measurement) -> dict[str, Any]:
    """The query in DuckDB, on one thread, from a table in its memory to an Arrow table."""
    import duckdb  # noqa: PLC0415 - only here
    import pyarrow as pa  # noqa: PLC0415

    train, rows = training_and_query_rows(measurement)
    query = hornbeam.export.sql(model(measurement.task, train), dialect="duckdb", table="rows", keep=["row"])
    columns = {f"x{i}": rows.numbers[:, i].astype(np.float64) for i in range(rows.numbers.shape[1])}
    given = pa.table({"row": np.arange(len(rows)), **columns})
    with duckdb.connect(config={"threads": 1}) as database:
        database.register("given", given)
        database.execute("CREATE TABLE rows AS SELECT * FROM given")

        def predict() -> Any:  # noqa: ANN401 - an array
            found = database.sql(query).to_arrow_table()
            return found["probability_1"].to_numpy()[np.argsort(found["row"].to_numpy())]

        return timed(predict, rows)


def _onnx(measurement: Measurement) -> dict[str, Any]:
    """The ONNX file in ONNX Runtime, on one thread."""
    import onnxruntime  # noqa: PLC0415 - only here

    train, rows = training_and_query_rows(measurement)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(hornbeam.export.onnx(model(measurement.task, train)), options)
    kinds = {"tensor(double)": np.float64, "tensor(float)": np.float32}
    given = {
        entry.name: np.ascontiguousarray(rows.numbers[:, i : i + 1], kinds[entry.type])
        for i, entry in enumerate(session.get_inputs())
    }
    return timed(lambda: np.asarray(session.run(["probabilities"], given)[0])[:, 1], rows)
