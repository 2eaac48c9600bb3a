"""Mixtures from sums over partitions are those in memory, but for rounding, and the same for any partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import write_parts

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from pathlib import Path

MODELS = [
    hornbeam.MixtureModel(3, random_state=1, tol=1e-9, max_iter=500),
    hornbeam.MixtureModel(3, covariance_type="spherical", prior="conjugate", random_state=1, tol=1e-9, max_iter=500),
    hornbeam.MixtureModel(
        3, covariance_type="diagonal", distributions={"visits": "poisson", "price": ("log-normal", 0.0)},
        joint=[["color", "size"]], weights="equal", prior=None, random_state=1, tol=1e-9, max_iter=500,
    ),
]  # fmt: skip


def heaps(rows: int = 900, *, missing: float = 0.0, seed: int = 3) -> Table:
    """Three heaps of rows, in numbers of different sizes, counts and categories."""
    random = np.random.default_rng(seed)
    heap = random.integers(0, 3, rows)
    numbers: list[Any] = [
        1e3 * heap + random.normal(size=rows) * 50,
        np.exp(heap + random.normal(size=rows) * 0.3),
        random.poisson(2 + 6 * heap).astype(float),
    ]
    for column in numbers:
        column[random.random(rows) < missing] = np.nan
    codes = [np.where(random.random(rows) < 0.8, heap, random.integers(0, 3, rows)).astype(np.int32) for _ in range(2)]
    for column in codes:
        column[random.random(rows) < missing] = -1
    columns = (
        Numeric("length"), Numeric("price"), Numeric("visits"),
        Nominal("color", ("red", "green", "blue")), Nominal("size", ("s", "m", "l")),
    )  # fmt: skip
    return Table(Schema(columns), [*numbers, *codes])


def scanned(table: Table, folder: Path, parts: int, seed: int | None = None, **options: Any) -> Any:
    pattern = write_parts(table, folder / str(parts), parts, seed)
    return hornbeam.scan(pattern, **{"workers": 0, "local_rows": 300, **options})


def fitted(model: Any, rows: Any) -> Any:
    return type(model)(**model.get_params()).fit(rows)


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_mixtures_are_those_in_memory(tmp_path: Path, model: Any, missing: float) -> None:
    table = heaps(missing=missing)
    found = fitted(model, scanned(table, tmp_path, 3))
    expected = fitted(model.set_params(init=found.predict_proba(table)), table)  # the same maximum
    model.set_params(init="k-means")
    assert found.lower_bound_ >= expected.lower_bound_ - 1e-8
    for name in ("weights_", "means_", "covariances_", "rates_"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-4, abs=1e-9), name
    assert found.lower_bound_ == pytest.approx(expected.lower_bound_, abs=1e-8)
    assert found.n_parameters_ == expected.n_parameters_
    assert found.converged_
    assert (np.diff(found.log_posteriors_) > -1e-6).all()
    for name in ("rows", "known", "mean", "deviation", "shares"):
        one, two = getattr(expected.model_.profile, name), getattr(found.model_.profile, name)
        assert two == pytest.approx(one, rel=1e-9, abs=1e-9), name
    if hasattr(expected, "log_evidence_"):
        assert found.log_evidence_ == pytest.approx(expected.log_evidence_, rel=1e-6)
    from_start = fitted(model, table)
    assert found.lower_bound_ > from_start.lower_bound_ - 0.01


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_one_step_is_that_in_memory(tmp_path: Path, model: Any) -> None:
    """From the same components, the likelihood of all rows is the same up to rounding."""
    table = heaps(missing=0.05)
    found = fitted(model, scanned(table, tmp_path, 2))
    assert found.log_likelihoods_[-1] == pytest.approx(found.score_samples(table).sum(), rel=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_model_file_does_not_depend_on_partitions(tmp_path: Path, model: Any) -> None:
    table = heaps(missing=0.05)
    files = set()
    for parts, workers in ((1, 0), (3, 0), (7, 2)):
        source = scanned(table, tmp_path, parts, workers=workers)
        fitted(model, source).save(tmp_path / "model")
        source.close()
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1


def test_the_number_of_components_is_chosen_on_the_sample(tmp_path: Path) -> None:
    found = fitted(hornbeam.MixtureModel("auto", max_components=5, random_state=1), scanned(heaps(), tmp_path, 2))
    assert len(found.weights_) == 3
    assert len(found.validation_) >= 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pca": 1}, "pca=1"),
        ({"covariance_type": "full"}, "covariance_type='full'"),
        ({"init": np.zeros(900, int)}, "init as an"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        hornbeam.MixtureModel(2, **options).fit(scanned(heaps(), tmp_path, 2))


def test_impossible_values_are_named(tmp_path: Path) -> None:
    model = hornbeam.MixtureModel(2, distributions={"length": "poisson"}, random_state=1)
    with pytest.raises(ValueError, match="column 'length', row 1: found"):
        model.fit(scanned(heaps(), tmp_path, 2))
