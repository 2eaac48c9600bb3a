"""Mixtures give the same clusters and probabilities in every runtime."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from node_answers import other_rows
from sklearn.base import clone

import hornbeam
from hornbeam import export
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES: dict[str, tuple[Any, dict[str, str]]] = {  # by runtime
    "python": (export.python, {}),
    "node": (export.javascript, {}),
    "gcc": (export.c, {}),
    "clang": (export.c, {}),
    "rustc": (export.rust, {}),
    "wasm": (export.rust, {}),
    "duckdb": (export.sql, {"dialect": "duckdb"}),
    "sqlite": (export.sql, {"dialect": "sqlite"}),
    "onnxruntime": (export.onnx, {}),
    "onnx": (export.onnx, {}),
    "jpmml": (export.pmml, {}),
    "pypmml": (export.pmml, {}),
}
ABSENT = "the runtime of the export is not on this machine"


def _every_kind() -> Table:
    """Columns of every distribution, two nominal ones that depend on each other, and one without any category."""
    random = np.random.default_rng(0)
    n = 300
    member = random.integers(0, 2, n)
    kind = (member + random.integers(0, 2, n)) % 3
    values: list[Any] = [
        random.normal(member * 3, 1),
        random.normal(member * 2, 0.5),
        2 + np.exp(random.normal(member, 0.5)),
        1 / (1 + np.exp(-random.normal(member * 2 - 1, 1))) * 4 - 1,
        random.poisson(3 + 4 * member).astype(np.float64),
        kind.astype(np.int32),
        np.where(random.random(n) < 0.7, kind > 0, random.integers(0, 2, n)).astype(np.int32),
        np.full(n, -1, np.int32),
    ]
    values[0][::7], values[5][::11] = np.nan, -1
    columns = (*map(Numeric, ("x", "cluster", "above 2", "within", "count")), Nominal("k", ("a", 'b"', "c'")),
               Nominal("yes", ("no", "yes")), Nominal("empty", ()))  # fmt: skip
    return Table(Schema(columns, name="rows"), values)


DISTRIBUTIONS = {"above 2": ("log-normal", 2.0), "within": ("log-odds", -1.0, 3.0), "count": "poisson"}
MIXTURES: dict[str, tuple[Any, Any]] = {
    "diagonal, missing values and categories": (hornbeam.MixtureModel(3, random_state=0), "labor"),
    "one component": (hornbeam.MixtureModel(1), "labor"),
    "spherical": (hornbeam.MixtureModel(4, covariance_type="spherical", random_state=0), "iris"),
    "tied": (hornbeam.MixtureModel(3, covariance_type="tied", random_state=0), "iris"),
    "full": (hornbeam.MixtureModel(3, covariance_type="full", random_state=0), "iris"),
    "every kind of column": (
        hornbeam.MixtureModel(2, distributions=DISTRIBUTIONS, joint=[["k", "yes"]], random_state=0),
        None,
    ),
    "every kind of column, full": (
        hornbeam.MixtureModel(2, covariance_type="full", distributions=DISTRIBUTIONS, random_state=0),
        None,
    ),
}


def _learned(name: str) -> tuple[Any, Table]:
    """A mixture, and rows: some with values that are missing, never seen or not possible, and one with no value."""
    estimator, given = MIXTURES[name]
    table = _every_kind() if given is None else hornbeam.read(given)
    rows = other_rows(table, 60, seed=1)
    arrays = [array.copy() for array in rows.columns]
    for array in arrays:
        array[0] = -1 if array.dtype.kind == "i" else np.nan
    if given is None:
        arrays[rows.schema.position("count")][1:4] = [-1.0, 2.5, 1000.0]
        arrays[rows.schema.position("above 2")][4:6] = [2.0, 2 + 1e-9]
        arrays[rows.schema.position("within")][6:8] = [-1.0, 3.0]
    return clone(estimator).fit(table), Table(rows.schema, arrays)


def _agrees(path: Path, model: Any, rows: Table, runtime: str) -> None:
    write, options = LANGUAGES[runtime]
    judge = next(each for each in JUDGES if each.name == runtime)
    if judge.missing():
        pytest.skip(f"{ABSENT}: {judge.missing()}")
    text = write(model, **options)
    (path / "exported").write_bytes(text if isinstance(text, bytes) else text.encode())
    found = check(path / "exported", model, rows, runtime)
    assert found.is_equal, str(found)
    assert found.largest < 1e-12


@pytest.mark.parametrize("runtime", LANGUAGES)
def test_clusters_and_probabilities_are_those_of_the_model(runtime: str, tmp_path: Path) -> None:
    for name in MIXTURES:
        _agrees(tmp_path, *_learned(name), runtime)


def test_far_from_all_components_probabilities_are_the_same(tmp_path: Path) -> None:
    """There, log-densities are large and nearly equal: sums in another order would differ by far more than 1e-12."""
    random = np.random.default_rng(0)
    values: list[Any] = [random.normal(size=200) for _ in range(9)]
    table = Table(Schema((*(Numeric(f"x{i}") for i in range(9)),), name="rows"), values)
    learned = hornbeam.MixtureModel(3, random_state=0).fit(table).model_
    means, covariances = learned.components.means.copy(), learned.components.covariances.copy()
    means[:, :5], covariances[:, :5] = means[0, :5], covariances[0, :5]  # the same in all components
    model = replace(learned, components=replace(learned.components, means=means, covariances=covariances))
    rows = Table(table.schema, [np.where(i < 5, array * 1e6, array) for i, array in enumerate(values)])
    shares = model.predict_proba(rows)
    assert np.mean((shares > 0.01) & (shares < 0.99)) > 0.2
    for runtime in LANGUAGES:
        judge = next(each for each in JUDGES if each.name == runtime)
        if not judge.missing():
            _agrees(tmp_path, model, rows, runtime)


def test_a_column_may_be_far_away(tmp_path: Path) -> None:
    """A row that no component can have has the weights; one that is far from all is of the one that is least far."""
    table = hornbeam.read("iris")
    model = hornbeam.MixtureModel(3, prior=None, random_state=0).fit(table)
    rows = [array[:4].copy() for array in table.columns]
    rows[0][:2] = [1e200, 60.0]
    far = Table(table.schema, rows)
    assert model.predict_proba(far)[0] == pytest.approx(model.weights_)
    for runtime in ("python", "duckdb", "onnx"):
        _agrees(tmp_path, model, far, runtime)


@pytest.mark.parametrize(
    ("estimator", "language", "message"),
    [
        (hornbeam.MixtureModel(2, pca=1.0, random_state=0), "c", "principal axes as C.*without pca"),
        (hornbeam.MixtureModel(2, covariance_type="full", random_state=0), "sql", "more than 1000 columns.*javascript"),
        (hornbeam.MixtureModel(2, covariance_type="tied", random_state=0), "onnx", "at most 30; use C"),
        (hornbeam.MixtureModel(2, covariance_type="tied", random_state=0), "pmml", "at most 30; the formats c"),
    ],
)
def test_what_cannot_be_written_says_why(estimator: Any, language: str, message: str) -> None:
    random = np.random.default_rng(0)
    columns = tuple(Numeric(f"x{j}") for j in range(31))
    table = Table(Schema(columns, name="rows"), [random.normal(size=200) for _ in columns])
    with pytest.raises(TypeError, match=message):
        getattr(export, language)(clone(estimator).fit(table))
