"""Tables that mixtures are tried on: columns of every distribution, missing values or none."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema

if TYPE_CHECKING:
    from hornbeam.learn.clusters.mixture import MixtureModel

DISTRIBUTIONS: dict[str, Any] = {"visits": "poisson", "income": ("log-normal", -1.0), "part": ("log-odds", 0.0, 2.0)}
JOINT = [("left", "right")]
COLUMNS = (
    Numeric("height"),
    Nominal("left", ("a", "b", "c")),
    Numeric("income"),
    Numeric("visits"),
    Nominal("alone", ("x", "y")),
    Numeric("part"),
    Nominal("right", ("p", "q")),
)


def of_every_kind(n: int = 120, seed: int = 0, missing: float = 0.0) -> hornbeam.Table:
    random = np.random.default_rng(seed)
    side = random.integers(0, 2, n)
    left = random.integers(0, 3, n)
    right = np.where(random.uniform(size=n) < 0.8, (left + side) % 2, random.integers(0, 2, n))
    arrays: list[Any] = [
        3.0 * side + random.normal(size=n),
        left,
        np.exp(side + 0.5 * random.normal(size=n)) - 1,
        random.poisson(np.where(side, 9, 2)).astype(float),
        np.where(random.uniform(size=n) < 0.2, 1 - side, side),
        2 / (1 + np.exp(-random.normal(size=n) + 2 * side)),
        right,
    ]
    gone = random.uniform(size=(len(COLUMNS), n)) < missing
    arrays = [
        np.where(gone[j], np.nan if isinstance(column, Numeric) else -1, arrays[j]) for j, column in enumerate(COLUMNS)
    ]
    return hornbeam.Table(Schema(COLUMNS), arrays)


def quiet(model: MixtureModel, *given: Any, **named: Any) -> MixtureModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*given, **named)
