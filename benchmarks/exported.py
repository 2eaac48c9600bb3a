"""Races of exported models: the clock runs inside the runtime, over rows that it already has.

A tree of ten levels and boosting models are learned from some rows; the rest of the measurement is prediction alone.
Every peer gives the probability of the second class, which is compared with the accuracy of its own model.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows
    from benchmarks.peer import Measurement

LEARNED_ROWS = 100_000  # that a model is learned from
DEPTH = 10
LEAVES = 31
TREES = {"export_tree": 1, "export_boost": 500, "export_sql": 100}
REPEATS = 3
FLAGS = ("-O3", "-march=native", "-ffp-contract=off")  # of every compiled peer; the last keeps digits as they are

# Reads rows of doubles, predicts them, and writes the seconds of CPU of the fastest run; then the probabilities.
DRIVER = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}
int main(int argc, char **argv) {
    size_t n = strtoul(argv[1], 0, 10), columns = strtoul(argv[2], 0, 10);
    VALUE *rows = (VALUE *)malloc(n * columns * sizeof(VALUE));
    double *found = (double *)malloc(n * sizeof(double)), best = 1e30;
    FILE *file = fopen(argv[3], "rb");
    if (!file || fread(rows, sizeof(VALUE), n * columns, file) != n * columns) return 1;
    fclose(file);
    for (int run = 0; run < REPEATS; run++) {
        double start = seconds(), taken;
        predict_all(rows, n, columns, found);
        taken = seconds() - start;
        if (taken < best) best = taken;
    }
    printf("%.9f\\n", best);
    file = fopen(argv[4], "wb");
    return fwrite(found, sizeof(double), n, file) != n || fclose(file);
}
"""


def training_and_query_rows(measurement: Measurement) -> tuple[Rows, Rows]:
    """The rows to learn from, and the rows to predict."""
    train, _ = load(measurement.data, measurement.rows)
    return train.part(slice(None, LEARNED_ROWS)), train


def result(seconds: float, probabilities: NDArray[Any], rows: Rows) -> dict[str, Any]:
    """What a peer is compared by."""
    right = (probabilities > 0.5) == rows.target  # noqa: PLR2004 - the more probable of two classes
    return {
        "rows_per_second": len(rows) / seconds,
        "row_ns": 1e9 * seconds / len(rows),
        "accuracy": float(right[LEARNED_ROWS:].mean() if len(right) > LEARNED_ROWS else right.mean()),
    }


def compiled(
    measurement: Measurement, program: Callable[[Rows], str], *, value: str = "double", cplusplus: bool = False
) -> dict[str, Any]:
    """Compile a program that defines `predict_all`, and run it over the rows."""
    train, rows = training_and_query_rows(measurement)
    ending, compiler = (".cc", "g++") if cplusplus else (".c", "gcc")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = f"#define VALUE {value}\n#define REPEATS {REPEATS}\n{program(train)}\n{DRIVER}"
        (folder / f"model{ending}").write_text(source, encoding="utf-8")
        standard = [] if cplusplus else ["-std=gnu11"]
        subprocess.run(  # noqa: S603 - our own words
            [_path(compiler), *FLAGS, *standard, "-o", folder / "model", folder / f"model{ending}", "-lm"], check=True
        )
        np.ascontiguousarray(rows.numbers, np.float64 if value == "double" else np.float32).tofile(folder / "rows")
        shape = [str(size) for size in rows.numbers.shape]
        done = subprocess.run(  # noqa: S603 - our own words
            [folder / "model", *shape, folder / "rows", folder / "found"], check=True, capture_output=True, text=True
        )
        return result(float(done.stdout), np.fromfile(folder / "found"), rows)


def timed(predict: Callable[[], NDArray[Any]], rows: Rows) -> dict[str, Any]:
    """The fastest of several calls, by CPU."""
    from benchmarks.measure import Clock  # noqa: PLC0415 - it imports the peers

    best = float("inf")
    for _ in range(REPEATS):
        with Clock() as clock:
            found = predict()
        best = min(best, clock.cpu)
    return result(best, found, rows)


def _path(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        message = f"{program} is not on the path"
        raise FileNotFoundError(message)
    return found
