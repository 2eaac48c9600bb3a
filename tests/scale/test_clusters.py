"""k-means from sums over partitions is that in memory, but for rounding, and the same for any partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.scale.clusters.sums import as_numbers, sums_by

if TYPE_CHECKING:
    from pathlib import Path


def heaps(rows: int = 900, *, missing: float = 0.0, categories: bool = False) -> Table:
    """Four heaps of rows, far apart, in numbers of different sizes."""
    random = np.random.default_rng(3)
    heap = random.integers(0, 4, rows)
    numbers = [1e3 * heap + random.normal(size=rows) * 50, (heap % 2) * 0.01 + random.normal(size=rows) * 1e-3]
    for column in numbers:
        column[random.random(rows) < missing] = np.nan
    columns: list[Any] = [Numeric("large"), Numeric("small")]
    if categories:
        color = np.where(random.random(rows) < 0.9, heap % 3, 2).astype(np.int32)
        color[random.random(rows) < missing] = -1
        size = np.minimum(heap, 2).astype(np.int32)
        columns += [Nominal("color", ("red", "green", "blue")), Nominal("size", ("s", "m", "l"), ordered=True)]
        numbers += [color, size]
    return Table(Schema(tuple(columns)), numbers)


def scanned(table: Table, folder: Path, parts: int, **options: Any) -> Any:
    return hornbeam.scan(write_parts(table, folder / str(parts), parts), **{"workers": 0, "local_rows": 200, **options})


@pytest.mark.parametrize("numeric", ["range", "deviation", "as-is"])
def test_clusters_are_those_in_memory(tmp_path: Path, numeric: str) -> None:
    for categories in (False, True):
        table = heaps(categories=categories)
        expected = hornbeam.KMeans(4, numeric=numeric, random_state=1).fit(table)
        found = hornbeam.KMeans(4, numeric=numeric, random_state=1).fit(scanned(table, tmp_path / str(categories), 3))
        assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)
        order = np.argsort(expected.model_.centers[:, 0])
        other = np.argsort(found.model_.centers[:, 0])
        assert found.model_.centers[other] == pytest.approx(expected.model_.centers[order], rel=1e-9)
        assert np.array_equal(found.model_.codes[other], expected.model_.codes[order])
        for name, array in expected.model_.distance.arrays().items():
            assert found.model_.distance.arrays()[name] == pytest.approx(array, rel=1e-9, abs=1e-12), name
        every = [*order, 4], [*other, 4]
        for name in ("rows", "weight", "known", "mean", "deviation", "shares"):
            one, two = getattr(expected.model_.profile, name), getattr(found.model_.profile, name)
            assert two[every[1]] == pytest.approx(one[every[0]], rel=1e-7, abs=1e-9), name
        assert np.argsort(other)[found.predict(table)].tolist() == np.argsort(order)[expected.labels_].tolist()


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_given_centers_descend_as_in_memory(tmp_path: Path, missing: float) -> None:
    table = heaps(missing=missing)
    start = np.array([[0.0, 0.0], [500.0, 0.01], [900.0, 0.0], [3000.0, 0.02]])
    expected = hornbeam.KMeans(4, init=start).fit(table)
    found = hornbeam.KMeans(4, init=start).fit(scanned(table, tmp_path, 3))
    assert found.model_.centers == pytest.approx(expected.model_.centers, rel=1e-9)
    assert found.n_iter_ == expected.n_iter_
    assert found.predict(table).tolist() == expected.labels_.tolist()
    few = hornbeam.KMeans(4, init=start, max_iter=1).fit(scanned(table, tmp_path, 2))
    one = hornbeam.KMeans(4, init=start, max_iter=1).fit(table)
    assert (few.n_iter_, few.restarts_.converged.tolist()) == (1, [False])
    assert few.inertia_ == pytest.approx(one.inertia_, rel=1e-9)


def test_the_model_file_depends_on_nothing_but_the_rows(tmp_path: Path) -> None:
    table = heaps(missing=0.05, categories=True)
    files = set()
    for parts, workers in ((1, 0), (3, 0), (7, 2)):
        source = scanned(table, tmp_path, parts, workers=workers)
        hornbeam.KMeans(5, random_state=1).fit(source).save(tmp_path / "model")
        source.close()
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1


def test_other_options(tmp_path: Path) -> None:
    table = heaps()
    chosen = hornbeam.KMeans("auto", max_clusters=6, random_state=1).fit(scanned(table, tmp_path, 2))
    assert chosen.model_.n_clusters == 4
    rough = hornbeam.KMeans(3, algorithm="bisecting", tol=0.1, random_state=1).fit(scanned(table, tmp_path, 2))
    assert rough.restarts_.converged.tolist() == [True]
    with pytest.raises(ValueError, match="pca=1 does not learn from scanned data"):
        hornbeam.KMeans(3, pca=1).fit(scanned(table, tmp_path, 2))
    same = hornbeam.KMeans(3, random_state=1).fit(scanned(table, tmp_path, 2, local_rows=900))
    assert same.model_.same_as(hornbeam.KMeans(3, random_state=1).fit(table).model_)
    labeled = made_table(400)  # the target is not a feature
    names = hornbeam.KMeans(3).fit(scanned(labeled, tmp_path / "y", 2, target="y")).model_.schema.names
    assert names == labeled.schema.names[:-1]
    large = heaps().assign({"large": "target"})  # the first column
    expected = hornbeam.KMeans(2, random_state=1, tol=0.001).fit(large)
    found = hornbeam.KMeans(2, random_state=1, tol=0.001).fit(scanned(large, tmp_path / "l", 2, target="large"))
    assert found.inertia_ == pytest.approx(expected.inertia_, rel=1e-9)
    assert sorted(found.model_.profile.deviation[:, 0]) == pytest.approx(
        sorted(expected.model_.profile.deviation[:, 0])
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(-1e4, 1e4))), st.randoms())
def test_sums_do_not_depend_on_the_order(pairs: list[tuple[int, float]], random: Any) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)
    found = []
    for some in (pairs, shuffled):
        labels = np.array([label for label, _ in some], np.int32)
        found.append(sums_by(labels, np.array([value for _, value in some], float), 3))
    assert found[0].tolist() == found[1].tolist()
    sums = [sum(value for label, value in pairs if label == k) for k in range(3)]
    assert as_numbers(found[0], np.ones(3, int)) == pytest.approx(sums, abs=1e-9)
