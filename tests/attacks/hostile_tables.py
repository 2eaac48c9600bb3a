"""Tables that are hard to learn from, fitted by every estimator; run in a process of its own.

``python hostile_tables.py FIRST STEP`` takes every STEP-th estimator from FIRST on. Every case is printed before it is
tried, so that the last line of a process that ended early names it.
"""

from __future__ import annotations

import resource
import signal
import sys
import warnings
from typing import Any

import numpy as np

from hornbeam import Nominal, Numeric, Schema, Table
from hornbeam.schemes import SCHEMES

ROWS = 40
MEMORY = 6 << 30  # address space
SECONDS = 30  # a case

NUMBERS = {
    "plain": lambda random, n: random.normal(size=n),
    "constant": lambda _, n: np.full(n, 3.0),
    "missing": lambda _, n: np.full(n, np.nan),
    "half missing": lambda random, n: np.where(random.random(n) < 0.5, np.nan, random.normal(size=n)),
    "huge": lambda random, n: random.normal(size=n) * 1e307,
    "largest": lambda random, n: np.where(random.random(n) < 0.5, 1.797e308, -1.797e308),
    "large": lambda random, n: random.normal(size=n) * 1e155,
    "tiny": lambda random, n: random.normal(size=n) * 1e-310,
    "both": lambda random, n: random.normal(size=n) * 10.0 ** random.integers(-300, 300, n),
    "close": lambda random, n: 1e16 + 2.0 * random.integers(0, 4, n),
    "one apart": lambda _, n: np.concatenate([[1e300], np.zeros(n - 1)]),
    "zeros": lambda random, n: np.where(random.random(n) < 0.5, 0.0, -0.0),
}
WEIGHTS = {
    "huge weights": lambda _, n: np.full(n, 1.7e308),
    "large weights": lambda _, n: np.full(n, 1e300),
    "tiny weights": lambda _, n: np.full(n, 1e-310),
    "mixed weights": lambda random, n: 10.0 ** random.integers(-15, 16, n),
    "one weight": lambda _, n: np.concatenate([[1.0], np.zeros(n - 1)]),
}
SHAPES = ("one row", "two rows", "one class", "a class per row", "a category per row", "no features", "no categories")


def tables(predicts: str) -> dict[str, Table]:
    """The tables by name, for classes, numbers or clusters."""
    found = {name: table(predicts, numbers=name) for name in NUMBERS}
    found |= {name: table(predicts, weights=name) for name in WEIGHTS}
    found |= {name: table(predicts, shape=name) for name in SHAPES}
    if predicts == "number":
        found |= {f"target {name}": table(predicts, target=name) for name in NUMBERS if "missing" not in name}
    return found


def table(predicts: str, numbers: str = "plain", weights: str = "", shape: str = "", target: str = "plain") -> Table:
    """One of them: two numbers, a category, a target and maybe weights."""
    random = np.random.default_rng(5)
    n = {"one row": 1, "two rows": 2}.get(shape, ROWS)
    categories = tuple(f"c{i}" for i in range({"a category per row": n, "no categories": 0}.get(shape, 3)))
    codes = np.arange(n) % len(categories) if categories else np.full(n, -1)
    columns: list[Any] = [Numeric("x"), Numeric("y"), Nominal("c", categories)]
    arrays: list[Any] = [NUMBERS[numbers](random, n), random.normal(size=n), random.permutation(codes)]
    roles: list[Any] = ["feature"] * 3 if shape != "no features" else ["ignored"] * 3
    if predicts == "category":
        classes = tuple(f"t{i}" for i in range({"one class": 1, "a class per row": n}.get(shape, 3)))
        columns.append(Nominal("target", classes))
        arrays.append(np.arange(n) % len(classes))
    elif predicts == "number":
        columns.append(Numeric("target"))
        arrays.append(NUMBERS[target](random, n))
    roles += ["target"] * (len(columns) - 3)
    if weights:
        columns.append(Numeric("w"))
        arrays.append(WEIGHTS[weights](random, n))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


def tell(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def late(*_: object) -> None:
    """Say that a case takes too long."""
    raise TimeoutError


def main() -> None:
    """Fit, predict and show; exceptions are results here: what may not happen is that the process ends."""
    from hornbeam.model.files.storage import from_bytes, to_bytes
    from hornbeam.show import text

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, late)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    first, step = int(sys.argv[1]), int(sys.argv[2])
    for scheme in SCHEMES[first::step]:
        for name, rows in tables(scheme.predicts).items():
            tell(f"{scheme.name} ({scheme.predicts}), {name}")
            signal.alarm(SECONDS)
            try:
                learner = scheme.load()().fit(rows)
                learner.predict(rows)
                from_bytes(to_bytes(learner.model_)).predict(rows)
                text(learner)
            except TimeoutError:
                tell("  takes too long")
            except Exception as error:  # noqa: BLE001 - whatever it is, the process goes on
                tell(f"  {type(error).__name__}: {str(error)[:100]!r}")
            finally:
                signal.alarm(0)
    tell("done")


if __name__ == "__main__":
    main()
