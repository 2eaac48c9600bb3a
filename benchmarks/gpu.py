"""Learning on a GPU: the same models as on the processor, and how fast (`make gpu`).

The models of every data set of the tests are compared bit for bit, with many options; then times are measured. The log
of a run is kept in GPU.md beside this file.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import hornbeam
from hornbeam.core.forests.boost.boost import LOSSES, Booster
from hornbeam.data.schema import Nominal
from hornbeam.gpu.boost import CudaBooster
from hornbeam.gpu.device import cupy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.data.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

ARRAYS = ("roots", "feature", "cut", "first_child", "missing", "weight", "value", "gain", "set_start", "codes", "base")
SHARED: tuple[dict[str, Any], ...] = (
    {},
    {"max_leaf_nodes": None, "max_depth": 6, "min_samples_leaf": 1},
    {"max_leaf_nodes": 255, "min_samples_leaf": 3, "l2_regularization": 1.0},
    {"subsample": 0.6, "max_features": 0.5, "random_state": 7},
    {"l1_regularization": 0.5, "max_bins": 16},
    {"early_stopping": True, "n_estimators": 40},
)
FOR_NUMBERS: tuple[dict[str, Any], ...] = ({"loss": "huber"}, {"loss": "poisson"})
FOR_CLASSES: tuple[dict[str, Any], ...] = ({"loss": "multinomial"},)


# ---- the same models ----


def settings(table: Table) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The estimators to compare on a table, and their parameters."""
    if isinstance(table.schema.target_column, Nominal):
        for options in (*SHARED, *FOR_CLASSES):
            yield hornbeam.GradientBoostingClassifier, options
        return
    numbers = table.target_values()
    for options in (*SHARED, *FOR_NUMBERS):
        if options.get("loss") != "poisson" or np.nanmin(numbers) >= 0:
            yield hornbeam.GradientBoostingRegressor, options


def same(one: Any, other: Any) -> bool:
    """Whether two forests have the same arrays, bit for bit."""
    for name in ARRAYS:
        a, b = getattr(one, name), getattr(other, name)
        if (a is None) != (b is None) or (a is not None and (a.dtype != b.dtype or a.tobytes() != b.tobytes())):
            return False
    return True


def compare() -> int:
    """Compare the models of all data sets; returns how many differ."""
    from oracle import evidence  # noqa: PLC0415 - among the tests

    n_compared = n_different = n_refused = 0
    for name in evidence.sets():
        table = hornbeam.read(evidence.arff(name), target=-1)
        for estimator, options in settings(table):
            given = {"n_estimators": 15} | options
            try:
                on_gpu = estimator(**given, device="cuda").fit(table)
            except ValueError as error:
                if "does not support" not in str(error) and "expected rows to learn from" not in str(error):
                    raise
                n_refused += 1
                continue
            n_compared += 1
            if not same(on_gpu.model_, estimator(**given).fit(table).model_):
                n_different += 1
                print(f"DIFFERENT: {name} {estimator.__name__} {options}")
    print(f"{n_compared} models compared with the processor's, {n_different} different; {n_refused} refused")
    return n_different


# ---- how fast ----


def shapes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Data in the shapes of well-known sets: codes of columns, and a target."""
    random = np.random.default_rng(0)
    n = 10_500_000
    codes = random.integers(0, 255, (28, n), dtype=np.uint8)
    wave = np.zeros(n)
    for turn in range(12):  # products of columns, so that there is something to learn in every round
        one, other = codes[2 * turn], codes[(7 * turn + 3) % 28]
        wave += np.sin(one / (20.0 + 3 * turn)) * np.cos(other / (15.0 + 2 * turn)) + 0.2 * np.sign(
            one.astype(float) - other
        )
    target = (wave + random.normal(size=n) * 2 > 0).astype(np.float64)
    higgs = {"codes": codes, "n_codes": np.full(28, 255), "target": target, "loss": "logistic"}
    yield "higgs-like, 10.5M x 28, 31 leaves", higgs | {"max_leaves": 31}
    yield "higgs-like, 10.5M x 28, 255 leaves", higgs | {"max_leaves": 255}
    yield "higgs-like, 10.5M x 28, numbers, 31 leaves", higgs | {"max_leaves": 31, "loss": "squared"}
    n, n_codes = 10_000_000, np.array([12, 31, 7, 255, 22, 250, 250, 255])
    codes = (random.random((8, n)) ** 2 * n_codes[:, None]).astype(np.uint8)
    target = (np.sin(codes[5] * 7.0) + codes[3] / 100 + random.normal(size=n) > 1).astype(np.float64)
    nominal = np.array([1, 1, 1, 0, 1, 1, 1, 0], bool)
    yield "airline-like, 10M x 8, 250 categories, 31 leaves", {
        "codes": codes, "n_codes": n_codes, "target": target, "loss": "logistic", "max_leaves": 31, "nominal": nominal,
    }  # fmt: skip
    n = 581_000
    n_codes = np.array([255] * 10 + [2] * 44)
    codes = (random.random((54, n)) * n_codes[:, None]).astype(np.uint8)
    target = np.minimum((codes[0] / 40.0 + codes[1] / 100 + random.random(n) * 2).astype(int), 6).astype(np.float64)
    yield "covertype-like, 581k x 54, 7 classes, 31 leaves", {
        "codes": codes, "n_codes": n_codes, "target": target, "loss": "multinomial", "max_leaves": 31,
    }  # fmt: skip


def booster(engine: Any, given: dict[str, Any], n_threads: int) -> Any:
    """An engine for some data."""
    n_columns = len(given["codes"])
    loss = given["loss"]
    options = {
        "l1": 0.0, "l2": 0.0, "min_weight": 20.0, "min_curve": 0.0 if loss == "squared" else 1e-3, "min_gain": 0.0,
        "max_leaves": given["max_leaves"], "max_depth": -1, "shrink": 0.1, "nominal_smoothing": 1.0,
        "category_charge": 2 / np.pi, "most_sums": 2**30, "seed": 1, "n_threads": n_threads,
    }  # fmt: skip
    nominal = given.get("nominal", np.zeros(n_columns, bool))
    columns = (given["codes"], {}, given["n_codes"].astype(np.int32), np.zeros(n_columns, bool), nominal, ())
    made = engine(*columns, given["target"], None, LOSSES.index(loss), 7 if loss == "multinomial" else 1, options)
    made.start(0.0)
    return made


def rounds(made: Any, given: dict[str, Any], first: int, n_rounds: int) -> list[Any]:
    """Some rounds of boosting."""
    grown = []
    n_outputs = 7 if given["loss"] == "multinomial" else 1
    for turn in range(first, first + n_rounds):
        if n_outputs > 1:
            made.take_probabilities()
        for output in range(n_outputs):
            made.slopes(output, 7 / 6 if n_outputs > 1 else 0.5, turn * n_outputs + output)
            grown.append(made.grow(output, 0.5))
    return grown


def measure(n_rounds: int, n_threads: int) -> int:
    """Time the rounds of boosting; returns how many shapes give other trees than the processor's."""
    module, n_different = cupy(), 0
    print(
        f"\n{'milliseconds per tree, bins given':52} {'first 10':>9} {f'next {n_rounds}':>9} "
        f"{f'{n_threads} threads':>11}"
    )
    for name, given in shapes():
        made = booster(CudaBooster, given, 1)
        rounds(made, given, 0, 1)  # compiles and loads the kernels
        times, trees = [], []
        for first, number in ((1, 10), (11, n_rounds)):
            module.cuda.Device().synchronize()
            start = time.perf_counter()
            trees += rounds(made, given, first, number)
            module.cuda.Device().synchronize()
            times.append((time.perf_counter() - start) / (number * made.n_outputs) * 1e3)
        other = booster(Booster, given, n_threads)
        rounds(other, given, 0, 1)
        start = time.perf_counter()
        expected = rounds(other, given, 1, 3)
        times.append((time.perf_counter() - start) / len(expected) * 1e3)
        alike = all(
            one[key].tobytes() == two[key].tobytes() for one, two in zip(expected, trees, strict=False) for key in one
        )
        n_different += not alike
        print(
            f"{name:52} {times[0]:9.2f} {times[1]:9.2f} {times[2]:11.1f}  {'same trees' if alike else 'DIFFERENT'}",
            flush=True,
        )
        del made, other, trees
        module.get_default_memory_pool().free_all_blocks()
    return n_different


def main() -> int:
    """Compare and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40, help="rounds to time after the first 10 (40)")
    parser.add_argument("--threads", type=int, default=16, help="threads of the processor to compare with (16)")
    parser.add_argument("--no-check", action="store_true", help="only measure")
    parser.add_argument("--no-speed", action="store_true", help="only compare models")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    device = cupy().cuda.runtime.getDeviceProperties(0)
    print(f"{device['name'].decode()}, {device['multiProcessorCount']} multiprocessors, CuPy {cupy().__version__}")
    n_different = 0 if given.no_check else compare()
    n_different += 0 if given.no_speed else measure(given.rounds, given.threads)
    return int(n_different > 0)


if __name__ == "__main__":
    sys.exit(main())
