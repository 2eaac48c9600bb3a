"""What the tests of several formats share: estimators of every scheme, and exported Python files as modules."""

from __future__ import annotations

import types
from functools import cache
from typing import Any

import pytest

import hornbeam
from hornbeam.data.examples import names
from hornbeam.data.schema import Nominal
from hornbeam.schemes import SCHEMES

REFUSED = {"kstar", "locally-weighted", "exemplars"}  # they need all rows and a search of their own
OPTIONS: dict[str, dict[str, Any]] = {
    "id3": {"missing": "own-category"},
    "bagging": {"n_estimators": 5},
    "forest": {"n_estimators": 10},
    "boosting": {"n_estimators": 10},
}
SETS = tuple(name for name in names() if name != "weather")


def is_refused(scheme: Any) -> bool:
    """Whether models of a scheme are not exported."""
    return scheme.name in REFUSED


@cache
def learned(scheme: Any, name: str) -> Any:
    """An estimator of a scheme fitted to an example set."""
    return scheme.load()(**OPTIONS.get(scheme.name, {})).fit(hornbeam.read(name))


def _predicts(name: str) -> str:
    return "category" if isinstance(hornbeam.read(name).schema.target_column, Nominal) else "number"


CASES = [
    pytest.param(scheme, name, id=f"{scheme.name}-{scheme.predicts}-{name}")
    for name, predicts in ((name, _predicts(name)) for name in SETS)
    for scheme in SCHEMES
    if scheme.predicts == predicts
]


def quick_cases(names: tuple[str, ...]) -> list[Any]:
    """`CASES`; those of other example sets than `names` are slow."""
    return [
        pytest.param(*case.values, id=case.id, marks=() if case.values[1] in names else pytest.mark.slow)
        for case in CASES
    ]


def run_module(text: str) -> Any:
    """An exported Python file as a module."""
    module = types.ModuleType("exported")
    exec(compile(text, "exported.py", "exec"), module.__dict__)  # noqa: S102 - what is tested
    return module
