"""Exported Python files predict as the models they are made of, without any package."""

from __future__ import annotations

import subprocess
import sys
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.exported import CASES, is_refused, learned, run_module
from node_answers import other_rows, rows_of

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.export import python
from hornbeam.model.base.plain import UnseenCategoryWarning

if TYPE_CHECKING:
    from pathlib import Path

N_OTHER = 40


@cache
def _table(name: str) -> Any:
    return hornbeam.read(name)


def _check(estimator: Any, rows: Any, text: str) -> None:
    exported = run_module(text)
    given = rows_of(rows)
    target = getattr(estimator, "model_", estimator).schema.target_column
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        expected = estimator.predict(rows)
        if isinstance(target, Nominal):
            assert exported.predict(given) == [str(each) for each in expected]
            found = [[row[name] for name in target.categories] for row in exported.predict_proba(given)]
            np.testing.assert_allclose(found, estimator.predict_proba(rows), rtol=0, atol=1e-12)
        else:
            np.testing.assert_allclose(exported.predict(given), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("scheme", "name"), CASES)
def test_every_scheme_on_every_example_set(scheme: Any, name: str) -> None:
    estimator = learned(scheme, name)
    if is_refused(scheme):
        with pytest.raises(TypeError, match="as Python"):
            python(estimator)
        return
    _check(estimator, other_rows(_table(name), N_OTHER, seed=3), python(estimator))


def test_costs_never_predict_a_class_without_rows() -> None:
    table = _table("weather")
    empty = Nominal("play", ("yes", "no", "never"))
    assert table.schema.target_column.categories == empty.categories[:2]
    rows = Table(Schema((*table.schema.columns[:-1], empty), table.schema.roles, "weather"), table.columns)
    costs = {"yes": {"no": 5, "never": 0}, "no": {"yes": 5, "never": 0}}
    estimator = hornbeam.C45Classifier(costs=costs).fit(rows)
    assert "never" not in estimator.predict(rows)
    _check(estimator, rows, python(estimator))


def test_the_file_is_a_program_for_csv_files(tmp_path: Path) -> None:
    estimator = hornbeam.C45Classifier().fit(_table("weather"))
    (tmp_path / "m.py").write_text(python(estimator), "utf-8")
    (tmp_path / "rows.csv").write_text("outlook,windy,temperature,humidity\novercast,,,\nsunny,TRUE,,95\n", "utf-8")
    command = [sys.executable, "-I", "-S", str(tmp_path / "m.py"), str(tmp_path / "rows.csv")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "prediction,yes,no"
    assert lines[1].startswith("yes,")
    assert lines[2].startswith("no,")


def test_clusters_are_numbered_as_the_model_does() -> None:
    for name in ("iris", "labor"):
        table = _table(name)
        clusters = hornbeam.KMeans(n_clusters=3, random_state=0).fit(table)
        exported = run_module(python(clusters))
        rows = other_rows(table, N_OTHER, seed=4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            assert exported.predict(rows_of(rows)) == [str(cluster) for cluster in clusters.predict(rows)]
