"""What a peer is: a module with a function for each task it takes part in.

A module of `rivals` (and `ours`) may have `purity`, `pruned`, `direct`, `shallow`, `regression`, `cart`, `model_tree`,
`committees`, `optimal_two`,
`optimal_three`, `forest`, `forest_leaves`, the rule learners `ripper`, `part`, `c45rules`, `prism` and `induct`, the
learners of clusters `cobweb` and `ward`, `svm_rbf`, `svm_planes` and `report`, each of which takes a number of threads
and gives a Learner, and `read(path)`. Tasks in which predictions are timed too give a Predictor (`queries.py`):
`neighbors`, `neighbors_mixed`, `kstar`, `lwr` and `lwr_all`. `why_absent()` says why the peer cannot take part, or
gives None. A peer that is not a Python library has `measure(measurement)` instead.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from numpy.typing import NDArray

    from benchmarks.data import Rows


FOREST_TREES = 10  # of every forest: rivals take too long for more, and times are compared tree by tree
FOREST_LEAVES = 255  # of a tree whose leaves are limited
FOREST_MANY = (
    100  # of ours; of all where accuracy is compared: with ten it depends on the seed more than on the program
)
LEAVES_TREES = 30  # of a forest of such trees: with ten, accuracy depends on the seed more than on the program


def forest_columns(n_columns: int) -> int:
    """The number of columns that a node chooses from: the square root of their number, rounded up."""
    return math.ceil(math.sqrt(n_columns))


@dataclass(frozen=True)
class Learner:
    """One way to learn. The clock runs during `fit` alone, which starts from arrays and so converts them too."""

    fit: Callable[[Any], Any]
    predict: Callable[[Any, Rows], NDArray[Any]]  # class codes, or numbers
    facts: Callable[[Any], dict[str, Any]]  # leaves and other facts
    ready: Callable[[Rows], Any] = lambda rows: rows  # not timed: what the peer's users would have in hand
    stages: Callable[[Rows], dict[str, float]] | None = None  # seconds of parts of `fit`
    loss: Callable[[Any, Rows], float] | None = None  # mean loss of rows, where that is what is learned by
    rate: Callable[[Any, Rows], float] | None = None  # rows a second by the peer's own measurement of its engine
    report_training_error: bool = False  # of the rows learned from, to compare trees that should be the same


@dataclass(frozen=True)
class Measurement:
    """What is run in one process. No threads stated (0): as many as the peer likes."""

    peer: str
    task: str
    data: str = ""
    rows: int = 0
    threads: int = 1
    text: str = ""  # ending of the file that must be there

    def module(self) -> ModuleType:
        """The peer's module."""
        if self.peer.startswith("ours"):
            place = "ours" if self.peer == "ours" else "our_exports"
        else:
            place = f"rivals.{self.peer}"
        return importlib.import_module(f"benchmarks.{place}")


NAMES = {
    "ours": "hornbeam",
    "ours_predict": "hornbeam's predict",
    "ours_c": "hornbeam's C",
    "ours_sql": "hornbeam's SQL in DuckDB",
    "ours_onnx": "hornbeam's ONNX in ONNX Runtime",
    "tl2cgen": "LightGBM by tl2cgen",
    "m2cgen": "LightGBM by m2cgen",
    "ydf_standalone": "YDF's standalone C++",
    "scikit_learn": "scikit-learn",
    "ydf": "YDF",
    "faiss": "faiss",
    "weka": "WEKA J48",
    "weka_m5p": "WEKA M5P",
    "weka_jrip": "WEKA JRip",
    "weka_part": "WEKA PART",
    "weka_kstar": "WEKA KStar",
    "wittgenstein": "wittgenstein",
    "pycontree": "ConTree",
    "cubist": "Cubist",
    "arrow": "pyarrow",
    "rpart": "R's rpart",
    "ranger": "R's ranger",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "hist_gradient": "scikit-learn's histogram boosting",
    "lightgbm_forest": "LightGBM's forest",
    "scipy_tree": "SciPy's cKDTree",
    "sklearn_neighbors": "scikit-learn's neighbors",
    "faiss_flat": "faiss",
    "numpy_loop": "a loop over NumPy's lstsq",
    "svc": "scikit-learn's SVC",
    "linear_svc": "scikit-learn's LinearSVC",
    "weka_cobweb": "WEKA Cobweb",
    "weka_smo": "WEKA SMO",
    "fastcluster": "fastcluster",
}
