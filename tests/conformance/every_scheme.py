"""Every learner with a target, by the list of schemes, and small random tables that all of them can learn from."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from hornbeam.schemes.scheme import Scheme

QUICK: dict[str, Any] = {"n_estimators": 5, "committees": 2}
CLASSIFIERS = [scheme for scheme in SCHEMES if scheme.predicts == "category"]
REGRESSORS = [scheme for scheme in SCHEMES if scheme.predicts == "number"]


def label(scheme: Scheme) -> str:
    """The name of a scheme's estimator, for test names."""
    return scheme.estimator


def made(scheme: Scheme, **given: Any) -> Any:
    """An estimator of a scheme: few members, a fixed seed, and what is given."""
    names = {parameter.name for parameter in scheme.parameters}
    quick = {name: value for name, value in QUICK.items() if name in names}
    if "random_state" in names:
        quick["random_state"] = 0
    chosen = getattr(importlib.import_module(scheme.module), scheme.estimator)
    return chosen(**(quick | given))


def random_table(seed: int, target: str, *, missing: bool = True, weights: Any = None, rows: int = 60) -> Table:
    """Numbers with ties, categories, and a target that depends on them: ``"category"`` or ``"number"``."""
    source = np.random.default_rng(seed)
    first = source.integers(0, 6, rows).astype(float)
    second = np.round(source.normal(size=rows), 1)
    third = source.integers(0, 3, rows).astype(np.int32)
    fourth = source.integers(0, 2, rows).astype(np.int32)
    signal = first + 2.0 * second + 1.5 * third + source.normal(size=rows)
    if missing:
        for values in (first, second):
            values[source.random(rows) < 0.15] = np.nan
        third[source.random(rows) < 0.15] = -1
    columns: list[Column] = [
        Numeric("first"), Numeric("second"), Nominal("third", ("a", "b", "c")), Nominal("fourth", ("u", "v")),
    ]  # fmt: skip
    arrays: list[Any] = [first, second, third, fourth]
    if target == "number":
        columns.append(Numeric("target"))
        arrays.append(np.round(signal, 1))
    else:
        columns.append(Nominal("target", ("low", "middle", "high")))
        arrays.append(np.searchsorted(np.quantile(signal, [0.4, 0.75]), signal).astype(np.int32))
    roles: list[Role] = ["feature"] * 4 + ["target"]
    if weights is not None:
        columns.append(Numeric("weight"))
        arrays.append(np.broadcast_to(weights, (rows,)).astype(np.float64))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles)), arrays)
