"""One measurement in a process of its own, so that its peak memory is its own: ``python -m benchmarks.measure JSON``.

The last line printed is what was measured: seconds of CPU and on the wall, peak memory in MB, accuracy on held-out rows
(or the root of the mean squared error, of numbers), and facts on the tree.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmarks.data import load, text_path
from benchmarks.peer import Learner, Measurement
from benchmarks.queries import Predictor

if TYPE_CHECKING:
    from types import ModuleType

    from benchmarks.data import Rows

WARM_UP_ROWS = 1_000
WARM_UP_QUERIES = 100
SHALLOW_ROWS = 100_000  # that a tree to predict with is learned from
STARTS = 10
CALLS, BATCHES = 200, 10
PREDICTORS = {"predict": "shallow", "predict_forest": "forest_leaves", "predict_boost": "boost_31"}


@dataclass
class Clock:
    """Seconds spent inside a ``with`` block."""

    cpu: float = 0.0
    wall: float = 0.0
    _start: tuple[float, float] = field(default=(0.0, 0.0), repr=False)

    def __enter__(self) -> Self:
        self._start = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu, self.wall = time.process_time() - self._start[0], time.perf_counter() - self._start[1]

    def seconds(self) -> dict[str, float]:
        """Both, by name."""
        return {"cpu": self.cpu, "wall": self.wall}


def peak_memory() -> float:
    """The most memory this process has held, in MB."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    except (OSError, StopIteration):  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def learning(learner: Learner, measurement: Measurement) -> dict[str, Any]:
    """Learn a tree once, after a warm-up with few rows, and predict held-out rows."""
    train, held_out = load(measurement.data, measurement.rows)
    few = train.part(slice(None, WARM_UP_ROWS))
    learner.predict(learner.fit(learner.ready(few)), few)
    ready = learner.ready(train)
    with Clock() as clock:
        model = learner.fit(ready)
    memory = peak_memory()
    found = {**clock.seconds(), "memory": memory, **quality(learner, model, held_out), **learner.facts(model)}
    if learner.loss is not None:
        found["loss"] = learner.loss(model, held_out)
    if learner.report_training_error:
        of_training = quality(learner, model, train)
        found["training_error"] = of_training.get("rmse", 1 - of_training.get("accuracy", 0.0))
    if learner.stages is not None:
        del model
        found |= learner.stages(train)
    return found


def learning_and_predicting(predictor: Predictor, measurement: Measurement) -> dict[str, Any]:
    """Learn and predict held-out rows, after the same with few rows: both are timed."""
    train, held_out = load(measurement.data, measurement.rows)
    queries = held_out.part(slice(None, predictor.n_queries))
    few = predictor.ready(train.part(slice(None, WARM_UP_ROWS)), queries.part(slice(None, WARM_UP_QUERIES)))
    predictor.predict(predictor.fit(few[0]), few[1])
    ready = predictor.ready(train, queries)
    with Clock() as clock:
        predictions = predictor.predict(predictor.fit(ready[0]), ready[1])
    return {**clock.seconds(), "memory": peak_memory(), **predictor.check(train, queries, predictions)}


def quality(learner: Learner, model: Any, rows: Rows) -> dict[str, float]:  # noqa: ANN401 - whatever the peer has
    """How right a tree is about some rows: the share of classes, or the root of the mean squared error."""
    predictions = learner.predict(model, rows)
    if rows.n_classes:
        return {"accuracy": float((predictions == rows.target).mean())}
    squared = float(((predictions - rows.target) ** 2).mean())
    return {"rmse": squared**0.5, "r2": 1 - squared / float(rows.target.var())}


def predicting(peer: ModuleType, measurement: Measurement) -> dict[str, Any]:
    """Predict many rows at once, and one row at a time, from a row-major array."""
    learner: Learner = getattr(peer, PREDICTORS[measurement.task])(measurement.threads)
    train, _ = load(measurement.data, measurement.rows)
    model = learner.fit(learner.ready(train.part(slice(None, SHALLOW_ROWS))))
    right = learner.predict(model, train) == train.target  # the warm-up, too
    many, one = [], []
    if learner.rate is not None:
        return {"rows_per_second": learner.rate(model, train), **learner.facts(model)}
    for _ in range(3):
        with Clock() as clock:
            learner.predict(model, train)
        many.append(clock.cpu)
    single = [train.part(slice(i, i + 1)) for i in range(CALLS)]
    for _ in range(BATCHES):
        with Clock() as clock:
            for row in single:
                learner.predict(model, row)
        one.append(clock.cpu / CALLS)
    return {
        "rows_per_second": len(train) / min(many),
        "one_row": 1e6 * min(one),
        "accuracy": float(right[SHALLOW_ROWS:].mean()) if len(right) > SHALLOW_ROWS else float(right.mean()),
        **learner.facts(model),
    }


def reading(peer: ModuleType, measurement: Measurement) -> dict[str, Any]:
    """Read a text file, after reading a small one."""
    path = text_path(measurement.data, measurement.rows, measurement.text)
    with path.open("rb") as file:
        small = path.with_suffix(f".{measurement.peer}.small.csv")
        small.write_bytes(b"".join(line for line, _ in zip(file, range(WARM_UP_ROWS), strict=False)))
    peer.read(small)
    small.unlink()
    with Clock() as clock:
        table = peer.read(path)
    return {**clock.seconds(), "rows_read": len(table)}


def starting() -> dict[str, Any]:
    """Start the interpreter with nothing to do, with an import, and as the command line: seconds on the wall."""
    script = Path(sys.executable).with_name("hornbeam")
    commands = {
        "bare": [sys.executable, "-c", "pass"],
        "importing": [sys.executable, "-c", "import hornbeam"],
        "helping": [*([str(script)] if script.exists() else [sys.executable, "-m", "hornbeam.cli.main"]), "--help"],
    }
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(STARTS):
        for name, command in commands.items():
            with Clock() as clock:
                subprocess.run(command, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own words
            best[name] = min(best[name], clock.wall)
    return best


def measure(measurement: Measurement) -> dict[str, Any]:
    """Do what the measurement says."""
    peer = measurement.module()
    reason = peer.why_absent()
    if reason:
        return {"absent": reason}
    if hasattr(peer, "measure"):
        return dict(peer.measure(measurement))
    match measurement.task:
        case task if task in PREDICTORS:
            return predicting(peer, measurement)
        case "read":
            return reading(peer, measurement)
        case "start":
            return starting()
        case task:
            made = getattr(peer, task)(measurement.threads)
            return (
                learning_and_predicting(made, measurement)
                if isinstance(made, Predictor)
                else learning(made, measurement)
            )


if __name__ == "__main__":
    print(json.dumps(measure(Measurement(**json.loads(sys.argv[1])))))
