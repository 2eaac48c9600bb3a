"""A small part of what ``python -m exactness`` runs, and the page that is written from its results."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from exactness import results, runs
from exactness.rows import collect

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exactness.py"
QUICK = ["json", "plain", "python", "sqlite", "duckdb", "onnxruntime", "onnx"]


@pytest.mark.parametrize("name", ["weather.numeric", "labor", "pyrim"])
def test_every_kind_of_model_is_exact(name: str) -> None:
    pytest.importorskip("sqlglot")
    here = [runtime for runtime in runs.runtimes() if runtime in QUICK]
    found = dict(runs.of_set(name, here))
    assert len(found["json"]) > 15
    wrong = [
        (key, runtime, result)
        for runtime, models in found.items()
        for key, result in models.items()
        if isinstance(result, str) and not result.startswith((runs.REFUSED, runs.NOT_LEARNED))
    ]
    assert wrong == []
    assert all(result <= 1e-12 for each in found.values() for result in each.values() if not isinstance(result, str))


def test_cuts_are_found_in_trees_forests_and_rules() -> None:
    cuts: dict[int, set[float]] = {}
    collect({"splits": [[0, 2, 1, [1.5, 2.5]]], "rules": [{"conditions": [["<=", 1, 7.0, 0]]}]}, cuts)
    collect({"tests": [3.0, 0], "column": [0, 0], "first": [1, -1]}, cuts)
    assert cuts == {2: {1.5, 2.5}, 1: {7.0}, 0: {3.0}}


def test_the_page_has_the_stored_results() -> None:
    before = list(sys.path)
    assert runpy.run_path(str(PAGE))["main"](["--check"]) == 0
    sys.path[:] = before
    assert results.load()["sets"]
