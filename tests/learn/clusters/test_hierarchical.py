"""Hierarchical clustering: SciPy's joinings, any cut, parting top-down, rows with weights and missing values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

import hornbeam
from hornbeam import HierarchicalClustering, Nominal, Numeric, Schema, Table
from hornbeam.core.clusters import agglomerate
from hornbeam.learn.clusters.hierarchical import joined, parted
from hornbeam.model.base.plain import ModelError
from hornbeam.model.clusters.dendrogram import LINKAGES, Dendrogram
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.neighbors.distance import Distance


def points(seed: int, n: int = 40, d: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def mixed(seed: int, n: int, missing: float = 0.0) -> Table:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, n).astype(np.int32)
    numbers = random.normal(size=(2, n))
    gone = random.random((3, n)) < missing
    columns = (Numeric("a"), Numeric("b"), Nominal("c", ("x", "y", "z")))
    arrays = [
        np.where(gone[0], np.nan, numbers[0]),
        np.where(gone[1], np.nan, numbers[1]),
        np.where(gone[2], -1, codes),
    ]
    arrays[2] = arrays[2].astype(np.int32)
    return Table(Schema(columns, ("feature",) * 3), arrays)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), d=st.integers(1, 5), how=st.sampled_from(LINKAGES))
def test_joinings_are_scipy_s(seed: int, n: int, d: int, how: str) -> None:
    matrix = points(seed, n, d)
    model = HierarchicalClustering(1, linkage=how, numeric="as-is").fit(matrix).model_
    expected = linkage(pdist(matrix), how)
    assert model.heights == pytest.approx(expected[:, 2], abs=1e-9)
    model.validate()
    if how not in ("centroid", "median"):
        for count in range(1, n + 1):
            assert adjusted_rand_score(model.cut(count), cut_tree(expected, count)[:, 0]) == 1.0


def test_large_enough_for_several_blocks() -> None:
    matrix = points(3, 700, 4)
    model = HierarchicalClustering(5, numeric="as-is").fit(matrix).model_
    expected = linkage(matrix, "ward")
    assert model.heights == pytest.approx(expected[:, 2], abs=1e-9)
    assert (model.pairs == np.sort(expected[:, :2], axis=1)).all()
    assert (model.sizes[700:] == expected[:, 3]).all()


def test_ward_by_centers_is_ward_by_distances() -> None:
    table = mixed(1, 60)
    distance = Distance.of(table, weights={"a": 2.0, "c": 0.5})
    ready = distance.points(table)
    pairs, heights = joined(distance, ready, "ward", None, 1)
    apart = distance.between(ready, ready) ** 2
    np.fill_diagonal(apart, np.inf)
    other, squares, _ = agglomerate.in_order(*agglomerate.by_matrix(apart, np.ones(60), LINKAGES.index("ward")))
    assert heights == pytest.approx(np.sqrt(squares), abs=1e-9)
    assert (pairs == other).all()


@pytest.mark.parametrize("how", ["ward", "average"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_a_row_of_weight_two_is_two_rows(how: str, missing: float) -> None:
    table = mixed(2, 30, missing)
    weights = np.random.default_rng(0).integers(1, 4, 30).astype(float)
    weighted = HierarchicalClustering(3, linkage=how, numeric="as-is", missing="ignore").fit(table, None, weights)
    repeated = table.take(np.repeat(np.arange(30), weights.astype(int)))
    plain = HierarchicalClustering(3, linkage=how, numeric="as-is", missing="ignore").fit(repeated)
    assert weighted.model_.heights == pytest.approx(plain.model_.heights[-29:], abs=1e-9)
    if missing == 0:
        assert adjusted_rand_score(np.repeat(weighted.labels_, weights.astype(int)), plain.labels_) == 1.0


@pytest.mark.parametrize("missing", ["farthest", "ignore", "average"])
@pytest.mark.parametrize("how", LINKAGES)
def test_rows_with_missing_values_are_joined_too(how: str, missing: str) -> None:
    table = mixed(5, 40, 0.4)
    fitted = HierarchicalClustering(4, linkage=how, missing=missing).fit(table)
    fitted.model_.validate()
    assert np.unique(fitted.labels_).tolist() == [0, 1, 2, 3]
    assert sum(told.rows for told in fitted.describe()) == 40
    assert fitted.predict(table).shape == (40,)


def test_cuts_by_count_and_by_height_agree() -> None:
    model = HierarchicalClustering(3, linkage="complete").fit(points(7)).model_
    for count in (1, 2, 5, 40):
        least = model.heights[40 - count - 1] if count < 40 else -1.0
        assert (model.cut(height=float(least)) == model.cut(count)).all()
    first = np.lexsort(points(7).T[::-1])[0]
    assert model.cut(3)[first] == 0  # numbered in the order of the values
    fitted = HierarchicalClustering(None, height=float(model.heights[-3]), linkage="complete").fit(points(7))
    assert fitted.model_.n_clusters == 3
    assert (model.at(count=5).labels == model.cut(5)).all()


def test_the_order_of_rows_does_not_change_the_numbers() -> None:
    rows, order = points(7), np.random.default_rng(0).permutation(40)
    labels = HierarchicalClustering(4).fit(rows).labels_
    assert HierarchicalClustering(4).fit(rows[order]).labels_.tolist() == labels[order].tolist()


def test_the_widest_gap_tells_how_many() -> None:
    random = np.random.default_rng(0)
    matrix = np.concatenate([random.normal(size=(30, 2)) + center for center in ([0, 0], [40, 0], [0, 40], [40, 40])])
    fitted = HierarchicalClustering("auto").fit(matrix)
    assert fitted.model_.n_clusters == 4
    assert adjusted_rand_score(np.repeat(np.arange(4), 30), fitted.labels_) == 1.0
    assert HierarchicalClustering("auto").fit(np.ones((2, 1))).model_.n_clusters == 1


def test_new_rows_go_with_the_nearest() -> None:
    matrix = points(4)
    fitted = HierarchicalClustering(3, linkage="single", numeric="as-is").fit(matrix)
    new = points(5, 20)
    nearest = ((new[:, np.newaxis] - matrix) ** 2).sum(axis=2).argmin(axis=1)
    assert (fitted.predict(new) == fitted.labels_[nearest]).all()


def test_parting_is_the_description_s() -> None:
    apart = np.abs(np.subtract.outer(np.array([0.0, 1, 2, 10, 11, 30]), np.array([0.0, 1, 2, 10, 11, 30])))
    pairs, heights = parted(apart)
    # The farthest row, 30, leaves alone; then 0, 1, 2 part from 10, 11, and so on.
    assert heights.tolist() == [1.0, 1.0, 2.0, 11.0, 30.0]
    table = Table(Schema((Numeric("x"),), ("feature",)), [np.array([0.0, 1, 2, 10, 11, 30])])
    model = HierarchicalClustering(3, direction="top-down", numeric="as-is").fit(table).model_
    assert model.labels.tolist() == [0, 0, 0, 1, 1, 2]
    assert (model.pairs == pairs).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 25))
def test_parting_top_down(seed: int, n: int) -> None:
    matrix = points(seed, n, 2)
    model = HierarchicalClustering(1, direction="top-down", numeric="as-is").fit(matrix).model_
    model.validate()
    apart = np.sqrt(((matrix[:, np.newaxis] - matrix) ** 2).sum(axis=2))
    for node in range(n, 2 * n - 1):
        rows = model.rows_of(node)
        assert model.heights[node - n] == pytest.approx(apart[np.ix_(rows, rows)].max())
        # Whoever left is nearer to those that left than to those that stayed, but for the last to be asked; and
        # nobody who stayed would be better off with the others.
        one, other = (model.rows_of(int(part)) for part in model.pairs[node - n])
        assert any(_stays_put(apart, a, b) for a, b in ((one, other), (other, one)))


def _stays_put(apart: np.ndarray, stayed: np.ndarray, left: np.ndarray) -> bool:
    if len(stayed) == 1:
        return True
    own = apart[np.ix_(stayed, stayed)].sum(axis=1) / (len(stayed) - 1)
    return bool((own <= apart[np.ix_(stayed, left)].mean(axis=1) + 1e-12).all())


def test_a_model_file_gives_the_same_tree() -> None:
    table = mixed(8, 30, 0.2)
    for how in ("ward", "average"):
        fitted = HierarchicalClustering(3, linkage=how).fit(table)
        read = from_bytes(to_bytes(fitted.model_))
        assert read.same_as(fitted.model_)
        assert (read.predict(table) == fitted.predict(table)).all()
        assert not read.at(count=4).same_as(fitted.model_)


@pytest.mark.parametrize("change", ["pairs", "loop", "heights", "count", "both", "kept"])
def test_a_model_that_contradicts_itself_is_refused(change: str) -> None:
    model = HierarchicalClustering(2).fit(points(1, 6)).model_
    wrong: dict[str, dict[str, Any]] = {
        "pairs": {"pairs": model.pairs[1:]},
        "loop": {"pairs": model.pairs[::-1].copy()},
        "heights": {"heights": np.full(5, np.nan)},
        "count": {"count": 7},
        "both": {"height": 1.0},
        "kept": {"kept": mixed(1, 6)},
    }
    with pytest.raises(ModelError):
        replace(model, **wrong[change]).validate()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"n_clusters": 0}, "n_clusters"), ({"n_clusters": 9}, "no more than the rows"), ({"linkage": "x"}, "linkage"),
     ({"n_clusters": None}, "one of the two"), ({"height": 1.0}, "one of the two"), ({"n_clusters": "x"}, "n_clusters"),
     ({"metric": "manhattan"}, "centers"), ({"direction": "x"}, "direction"), ({"numeric": "x"}, "numeric")],
)  # fmt: skip
def test_wrong_parameters_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        HierarchicalClustering(**parameters).fit(np.arange(16.0).reshape(8, 2))


def test_one_row_and_rows_alike() -> None:
    one = HierarchicalClustering(1).fit(np.array([[1.0, 2.0]]))
    assert one.labels_.tolist() == [0]
    one.model_.validate()
    alike = HierarchicalClustering(3).fit(np.ones((5, 2)))
    assert len(np.unique(alike.labels_)) == 3  # as asked for, whatever the heights
    assert alike.model_.heights.tolist() == [0.0] * 4
    nothing = Table(Schema((Numeric("x"),), ("feature",)), [np.full(4, np.nan)])
    for missing in ("farthest", "ignore", "average"):
        assert HierarchicalClustering(2, missing=missing).fit(nothing).labels_.shape == (4,)


def test_nodes_tell_their_columns_beside_the_rest() -> None:
    model: Dendrogram = HierarchicalClustering(2, linkage="average").fit(hornbeam.read("iris")).model_
    node = int(model.pairs[-1][0])
    rows = model.rows_of(node)
    told = model.columns_of(node)
    matrix = np.array(model.kept.columns)
    for column in told:
        values = matrix[model.schema.names.index(column.column)]
        rest = np.delete(values, rows)
        assert column.typical == pytest.approx(values[rows].mean())
        assert column.rest == pytest.approx(rest.mean())
        assert column.apart == pytest.approx((values[rows].mean() - rest.mean()) / values.std())
    assert [abs(column.apart) for column in told] == sorted((abs(column.apart) for column in told), reverse=True)


@pytest.mark.parametrize("seed", range(6))
def test_single_linkage_without_a_matrix_is_that_of_the_matrix(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.integers(0, 6, size=(60, 3)) + random.normal(size=(60, 3)) * (seed % 2)
    matrix[random.random(matrix.shape) < 0.4] = np.nan  # some pairs have no known value in common
    fitted = HierarchicalClustering(3, linkage="single", missing="ignore").fit(matrix)
    distance, points = fitted.model_.distance, fitted.model_.points
    apart = distance.between(points, points)
    apart = np.where(np.isnan(apart), np.nanmax(apart), apart)
    np.fill_diagonal(apart, 0.0)
    heights = linkage(squareform(apart, checks=False), "single")[:, 2]
    np.testing.assert_allclose(fitted.model_.heights, heights, rtol=1e-12)
    for height in np.unique(heights)[:-1]:  # clusters are what hangs together below the height, whatever the ties
        together = fitted.model_.cut(height=height)
        inside = apart <= height
        assert (together[:, np.newaxis] == together)[inside].all()
        assert together.max() + 1 == 60 - int((heights <= height).sum())


@pytest.mark.parametrize("linkage", [*LINKAGES, "top-down"])
@pytest.mark.parametrize("size", [1e155, 1e300])
def test_values_too_far_apart_are_refused_by_name(linkage: str, size: float) -> None:
    x = np.random.default_rng(0).normal(size=(40, 3)) * [1.0, size, 1.0]
    choice: dict[str, Any] = {"direction": "top-down"} if linkage == "top-down" else {"linkage": linkage}
    with pytest.raises(ValueError, match="column 'x1'"):
        hornbeam.HierarchicalClustering(numeric="as-is", **choice).fit(x)
    assert len(hornbeam.HierarchicalClustering(**choice).fit(x).labels_) == 40


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("weight", [1e300, 1e307, 1.7e308])
@pytest.mark.parametrize("rows", [3, 40])
def test_huge_weights_give_a_result_or_a_sentence(linkage: str, weight: float, rows: int) -> None:
    x = np.random.default_rng(0).normal(size=(rows, 3))
    refusal, heights = "", np.zeros(1)
    try:
        learner = hornbeam.HierarchicalClustering(linkage=linkage).fit(x, sample_weight=np.full(rows, weight))
        heights = learner.model_.heights
    except ValueError as error:
        refusal = str(error)
    assert "row" in refusal and "weight" in refusal if refusal else np.isfinite(heights).all()


def test_chains_end_where_distances_are_no_order() -> None:
    circle = np.array([[np.inf, 1, 2], [2, np.inf, 1], [1, 2, np.inf]], float)  # each one's nearest is the next
    for apart in (circle, np.full((5, 5), np.inf), np.full((5, 5), np.nan)):
        first, second, heights = agglomerate.by_matrix(apart.copy(), np.ones(len(apart)), LINKAGES.index("complete"))
        assert len(heights) == len(apart) - 1
        assert sorted({*first.tolist(), *second.tolist()}) == list(range(len(apart)))
    for columns in (np.full((2, 6), np.nan), np.array([[1e200, -1e200, 0, 3e200]])):
        first, second, _ = agglomerate.by_vectors(columns.copy(), np.ones(columns.shape[1]))
        assert sorted({*first.tolist(), *second.tolist()}) == list(range(columns.shape[1]))
