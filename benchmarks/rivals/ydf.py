"""YDF's CART and forest learners, an optional peer (``pip install ydf``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.boosted import LEARNING_RATE, ROUNDS
from benchmarks.peer import FOREST_LEAVES, FOREST_MANY, FOREST_TREES, LEAVES_TREES, Learner, forest_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows


TO_PURITY = {"validation_ratio": 0.0, "min_examples": 1, "max_depth": -1}


def why_absent() -> str | None:
    """Why YDF cannot take part, or None."""
    return None if importlib.util.find_spec("ydf") else "YDF is not installed (pip install ydf)"


def purity(threads: int) -> Learner:
    """No held-out part, no least number of rows, no depth limit: the same work as the others."""
    return _learner(threads, **TO_PURITY)


def regression(threads: int) -> Learner:
    """The same limits, for a numeric target."""
    return _learner(threads, **TO_PURITY)


def pruned(threads: int) -> Learner:
    """As it comes: a tenth of the rows is held out for pruning."""
    return _learner(threads)


def forest(threads: int) -> Learner:
    """A random forest, grown until leaves are pure; leaves give probabilities, as those of the others."""
    return _forest(threads, FOREST_TREES)


def forest_many(threads: int) -> Learner:
    """The same with more trees."""
    return _forest(threads, FOREST_MANY)


def forest_leaves(threads: int) -> Learner:
    """A random forest with the same number of leaves per tree as the others."""
    return _forest(threads, LEAVES_TREES, growing_strategy="BEST_FIRST_GLOBAL", max_num_nodes=FOREST_LEAVES)


def boost_31(threads: int) -> Learner:
    """Boosting with trees of 31 leaves."""
    limits: dict[str, Any] = {"max_depth": -1, "growing_strategy": "BEST_FIRST_GLOBAL", "max_num_nodes": 31}
    limits |= {"shrinkage": LEARNING_RATE, "validation_ratio": 0.0, "early_stopping": "NONE"}
    return _learner(threads, "GradientBoostedTreesLearner", num_trees=ROUNDS, **limits)


def _forest(threads: int, n_trees: int, **more: Any) -> Learner:  # noqa: ANN401 - YDF's own words
    limits = {"max_depth": -1, "min_examples": 1, "winner_take_all": False, "compute_oob_performances": False}
    return _learner(threads, "RandomForestLearner", num_trees=n_trees, **limits, **more)


def _rate(model: Any, rows: Rows) -> float:  # noqa: ANN401
    """Rows a second of its fastest engine, one thread, its own data made ready before."""
    found = model.benchmark({**_columns(rows), **_texts(rows)}, num_threads=1)
    return float(1 / found.duration_per_example)


def _learner(threads: int, kind: str = "CartLearner", **limits: Any) -> Learner:  # noqa: ANN401 - YDF's own words
    import ydf  # type: ignore[import-untyped]  # noqa: PLC0415 - optional

    ydf.verbose(0)

    def fit(ready: tuple[Rows, dict[str, NDArray[Any]]]) -> Any:  # noqa: ANN401 - YDF's model
        rows, texts = ready
        task = ydf.Task.CLASSIFICATION if rows.n_classes else ydf.Task.REGRESSION
        own = limits
        if kind == "RandomForestLearner":  # it tries one more column than requested: README.md
            own = {
                **limits,
                "num_candidate_attributes": forest_columns(rows.numbers.shape[1] + rows.codes.shape[1]) - 1,
            }
        learner = getattr(ydf, kind)(label="target", task=task, num_threads=threads, **own)
        return learner.train({**_columns(rows), **texts, "target": rows.target})

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401
        columns = {**_columns(rows), **_texts(rows)}
        return np.asarray(model.predict_class(columns), np.int32) if rows.n_classes else model.predict(columns)

    return Learner(fit, predict, _facts, ready=lambda rows: (rows, _texts(rows)), rate=_rate)


def _columns(rows: Rows) -> dict[str, NDArray[np.float32]]:
    return {f"x{j}": np.ascontiguousarray(rows.numbers[:, j]) for j in range(rows.numbers.shape[1])}


def _texts(rows: Rows) -> dict[str, NDArray[np.bytes_]]:
    """Nominal columns as YDF reads them; made before the clock starts, since its users have texts to begin with."""
    names = np.array([f"v{code}" for code in range(max(rows.n_categories, default=0))] + [""], np.bytes_)
    return {f"c{j}": names[rows.codes[:, j]] for j in range(rows.codes.shape[1])}


def _facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
    size = int(model.num_nodes())
    return {"leaves": (size + 1) // 2, "size": size}  # every split has two branches
