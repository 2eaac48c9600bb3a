"""Every estimator, and settings of it that run other kernels; tables for them of any size."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.files.storage import to_bytes
from hornbeam.schemes import ALL_SCHEMES


@dataclass(frozen=True)
class Setting:
    """An estimator with parameters.

    `rows` are enough for a fit that takes longer than anyone waits; `asked` for predictions that do. 0: they are quick
    whatever the rows, as one pass over them is.
    """

    estimator: str
    parameters: dict[str, Any]
    rows: int = 0
    asked: int = 0
    columns: int = 6
    categories: int = 0  # columns of so many categories instead of numbers

    def new(self, **more: Any) -> Any:
        """A new estimator, on one thread unless told otherwise."""
        kind = getattr(hornbeam, self.estimator)
        names = kind().get_params()
        fixed = {name: value for name, value in (("random_state", 1), ("n_jobs", 1)) if name in names}
        return kind(**{**fixed, **self.parameters, **{name: value for name, value in more.items() if name in names}})

    def table(self, n_rows: int) -> Table:
        """A table that the estimator takes."""
        predicts = next(scheme.predicts for scheme in ALL_SCHEMES if scheme.estimator == self.estimator)
        rng = np.random.default_rng(7)
        numbers = rng.normal(size=(self.columns, n_rows))
        signal = 2 * numbers[0] + numbers[1] * numbers[2] + rng.normal(size=n_rows) * 0.7
        columns: list[Any] = [Numeric(f"x{i}") for i in range(self.columns)]
        arrays: list[Any] = list(numbers)
        if self.categories:
            names = tuple(f"v{i}" for i in range(self.categories))
            columns = [Nominal(f"x{i}", names) for i in range(self.columns)]
            arrays = list(rng.integers(0, self.categories, (self.columns, n_rows)).astype(np.int32))
            signal = signal + (arrays[0] > self.categories / 2)
        if predicts == "number":
            columns.append(Numeric("y"))
            arrays.append(signal)
        elif predicts == "category":
            columns.append(Nominal("y", ("a", "b", "c")))
            arrays.append(np.digitize(signal, [-1, 1]).astype(np.int32))
        roles = ("feature",) * self.columns + (() if predicts == "cluster" else ("target",))
        return Table(Schema(tuple(columns), roles), arrays)


FEW, ASKED = 120, 25  # rows of a small table, and how many of them are predicted


def settings() -> dict[str, Setting]:
    """Every estimator, by name."""
    found = {}
    for scheme in ALL_SCHEMES:
        found.setdefault(scheme.estimator, Setting(scheme.estimator, {}, *LONG.get(scheme.estimator, ())))
    return {**found, **VARIANTS}


# Rows of long fits, and of long predictions.
LONG: dict[str, tuple[int, ...]] = {
    "C45Classifier": (1_000_000,),
    "CartClassifier": (600_000,),
    "CartRegressor": (1_000_000,),
    "TreeClassifier": (1_000_000,),
    "TreeRegressor": (1_000_000,),
    "ID3Classifier": (400_000, 0, 12, 5),
    "OptimalTreeClassifier": (60_000,),
    "OptimalTreeRegressor": (60_000,),
    "PolynomialRegressor": (1_000_000,),
    "DiscretizedRegressor": (1_000_000,),
    "M5Regressor": (600_000,),
    "M5RulesRegressor": (60_000,),
    "OneRClassifier": (400_000,),
    "PrismClassifier": (60_000, 0, 6, 5),
    "InductClassifier": (60_000, 0, 6, 30),
    "ExceptionRulesClassifier": (60_000,),
    "RipperClassifier": (300_000,),
    "IrepClassifier": (60_000,),
    "PartClassifier": (300_000,),
    "C45RulesClassifier": (300_000,),
    "BaggingClassifier": (200_000,),
    "BaggingRegressor": (200_000,),
    "RandomForestClassifier": (100_000, 200_000),
    "RandomForestRegressor": (100_000, 200_000),
    "GradientBoostingClassifier": (300_000,),
    "GradientBoostingRegressor": (800_000,),
    "NeighborsClassifier": (0, 200_000),
    "NeighborsRegressor": (0, 200_000),
    "IB2Classifier": (600_000,),
    "IB3Classifier": (60_000,),
    "IB5Classifier": (60_000,),
    "KStarClassifier": (0, 30_000),
    "KStarRegressor": (0, 30_000),
    "LocallyWeightedClassifier": (0, 30_000),
    "LocallyWeightedRegressor": (0, 30_000),
    "ExemplarsClassifier": (60_000,),
    "SVMClassifier": (60_000,),
    "SVMRegressor": (60_000,),
    "KMeans": (400_000,),
    "MixtureModel": (1_000_000,),
    "HierarchicalClustering": (60_000,),
    "SpectralClustering": (30_000,),
}

VARIANTS = {
    "C45 with reduced errors": Setting("C45Classifier", {"prune": "reduced-error"}, 1_000_000),
    "tree of combinations": Setting("TreeClassifier", {"combinations": True}, 100_000),
    "tree of groups": Setting("TreeClassifier", {"nominal": "grouped"}, 30_000, 0, 4, 1500),
    "tree of medians": Setting("CartRegressor", {"criterion": "absolute-error"}, 200_000),
    "tree of several cuts": Setting("TreeClassifier", {"numeric": "multi-cut"}, 400_000),
    "tree of equations": Setting("TreeRegressor", {"leaf": "linear"}, 1_000_000),
    "M5 as in WEKA": Setting("M5Regressor", {"compat": "weka"}, 60_000),
    "M5 by equations": Setting("M5Regressor", {"criterion": "linear-error"}, 300_000),
    "M5 committees and neighbors": Setting("M5Regressor", {"committees": 5, "neighbors": 5}, 60_000),
    "neighbors of categories": Setting("NeighborsClassifier", {}, 0, 100_000, 6, 30),
    "neighbors in many columns": Setting("NeighborsClassifier", {}, 0, 100_000, 20),
    "K* of categories": Setting("KStarClassifier", {}, 0, 30_000, 6, 30),
    "SVM with probabilities": Setting("SVMClassifier", {"probability": True}, 60_000),
    "linear SVM": Setting("SVMClassifier", {"kernel": "linear", "solver": "pairs"}, 60_000),
    "SVM planes": Setting("SVMClassifier", {"kernel": "linear", "solver": "planes", "tol": 1e-9}, 1_000_000),
    "average linkage": Setting("HierarchicalClustering", {"linkage": "average"}, 15_000),
    "clusters from the top": Setting("HierarchicalClustering", {"direction": "top-down"}, 15_000),
    "k-means, rows moved": Setting("KMeans", {"improve": "rows"}, 200_000),
    "k-means, centers swapped": Setting("KMeans", {"improve": "swaps"}, 100_000),
    "bisecting k-means": Setting("KMeans", {"algorithm": "bisecting"}, 400_000),
    "concepts that differ little": Setting("Cobweb", {"acuity": 0.01}, 30_000),
    "mixture of several": Setting("MixtureModel", {"n_components": 6}, 200_000),
}


def fingerprint(estimator: Any, table: Table) -> str:
    """A hash of the model and of its predictions for some rows."""
    found = hashlib.sha256(to_bytes(estimator.model_))
    asked = table.take(np.arange(ASKED))
    for ask in ("predict", "predict_proba"):
        if hasattr(estimator, ask):
            found.update(np.ascontiguousarray(getattr(estimator, ask)(asked)).astype("U32").tobytes())
    return found.hexdigest()
