"""Bagging of trees from partitions: the same for any partitions, of rows that are drawn as they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.scale.forests.bagging import Draw

if TYPE_CHECKING:
    from pathlib import Path

ESTIMATORS = [
    hornbeam.BaggingClassifier(n_estimators=4, random_state=1),
    hornbeam.BaggingClassifier(hornbeam.TreeClassifier(max_depth=4), n_estimators=3, max_features=3, random_state=2),
    hornbeam.BaggingClassifier(n_estimators=3, bootstrap=False, max_samples=0.5, decide="vote", random_state=3),
    hornbeam.BaggingClassifier(hornbeam.CartClassifier(folds=0, max_surrogates=0), n_estimators=2, random_state=4),
]


def learned(estimator: Any, pattern: str, **options: Any) -> Any:
    source = hornbeam.scan(pattern, target="y", **{"workers": 0, "local_rows": 100, **options})
    found = type(estimator)(**estimator.get_params(deep=False)).fit(source)
    if "workers" not in options and source.executor._folder is not None:
        assert [list(one.iterdir()) for one in source.executor._folder.iterdir()] == []
    source.close()
    return found


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_the_model_file_does_not_depend_on_partitions(tmp_path: Path, estimator: Any) -> None:
    table = made_table(700, missing=0.05, values=None)
    files = set()
    for parts, workers in ((1, 0), (3, 0), (7, 2)):
        found = learned(estimator, write_parts(table, tmp_path / f"{parts}", parts), bins=32, workers=workers)
        found.save(tmp_path / "model")
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1
    assert len(found.model_.members) == estimator.n_estimators
    held = made_table(1000, seed=1, values=None)
    exact = type(estimator)(**estimator.get_params(deep=False)).fit(table)
    assert abs(found.score(held) - exact.score(held)) < 0.06
    assert [len(one) for one in found.estimators_features_] == [len(one) for one in exact.estimators_features_]


def test_numbers(tmp_path: Path) -> None:
    table = made_table(700).assign({"x0": "target", "y": "feature"})
    source = hornbeam.scan(write_parts(table, tmp_path, 3), target="x0", workers=0, local_rows=100)
    bagged = hornbeam.BaggingRegressor(n_estimators=3, random_state=1).fit(source)
    exact = hornbeam.BaggingRegressor(n_estimators=3, random_state=1).fit(table)
    assert abs(bagged.score(table) - exact.score(table)) < 0.1
    assert bagged.model_.default[0] == pytest.approx(table.target_values().mean(), abs=1.0)


def test_a_member_is_the_tree_of_its_rows(tmp_path: Path) -> None:
    table = made_table(500)
    bagged = learned(hornbeam.BaggingClassifier(n_estimators=2, random_state=5), write_parts(table, tmp_path, 3))
    seed = int(np.random.RandomState(5).randint(2**31 - 1, size=2)[1])
    rows = np.repeat(np.arange(500), Draw(seed, 1.0, repeated=True).counts(0, 500))
    expected = hornbeam.C45Classifier(prune=None).fit(table.take(rows)).model_
    assert hornbeam.show.text(bagged.model_.members[1]) == hornbeam.show.text(expected)


def test_draws() -> None:
    draws = np.array([Draw(seed, 0.7, repeated=True).counts(0, 20_000) for seed in range(4)])
    assert draws.mean(axis=1) == pytest.approx(0.7, abs=0.03)
    assert draws.var(axis=1) == pytest.approx(0.7, abs=0.05)
    assert np.corrcoef(draws)[~np.eye(4, dtype=bool)] == pytest.approx(0, abs=0.03)
    assert (Draw(1, 0.7, repeated=True).counts(500, 100) == draws[1, 500:600]).all()
    once = Draw(1, 0.3, repeated=False).counts(0, 20_000)
    assert set(once) == {0, 1}
    assert once.mean() == pytest.approx(0.3, abs=0.02)
    assert (Draw(1, 1.0, repeated=False).counts(0, 1000) == 1).all()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"estimator": "ripper"}, "estimator=RipperClassifier"),
        ({"oob_score": True}, "oob_score=True"),
        ({"class_weight": "balanced"}, "class_weight='balanced'"),
        ({"estimator": hornbeam.CartClassifier()}, "max_surrogates=5"),
    ],
    ids=str,
)
def test_what_is_not_supported_is_named(tmp_path: Path, options: dict[str, Any], found: str) -> None:
    pattern = write_parts(made_table(200), tmp_path, 2)
    with pytest.raises(ValueError, match=found):
        learned(hornbeam.BaggingClassifier(n_estimators=2, **options), pattern)
