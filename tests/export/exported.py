"""What the tests of several formats share: estimators of every scheme, and exported Python files as modules."""

from __future__ import annotations

import types
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from node_answers import other_rows

import hornbeam
from hornbeam.data.examples import names
from hornbeam.data.schema import Nominal
from hornbeam.export.judges.check import check_many
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from hornbeam.export.judges.check import Check

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


@cache
def checked(write: Any, ending: str, runtime: str, name: str) -> dict[Any, Check]:
    """What is found by scheme where the exports of all schemes on an example set are compiled and run together."""
    mine = [scheme for scheme, its in (case.values for case in CASES) if its == name and not is_refused(scheme)]
    models = [learned(scheme, name) for scheme in mine]
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{scheme.name}{ending}" for scheme in mine]
        for path, model in zip(paths, models, strict=True):
            path.write_text(write(model), "utf-8")
        found = check_many(paths, models, other_rows(hornbeam.read(name), 60, seed=5), runtime)
    return dict(zip(mine, found, strict=True))


def run_module(text: str) -> Any:
    """An exported Python file as a module."""
    module = types.ModuleType("exported")
    exec(compile(text, "exported.py", "exec"), module.__dict__)  # noqa: S102 - what is tested
    return module
