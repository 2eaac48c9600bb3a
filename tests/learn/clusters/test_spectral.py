"""Spectral clustering: rings and moons as scikit-learn finds them, exact spectra, graphs in parts, bad rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn.cluster import SpectralClustering as Theirs
from sklearn.datasets import make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph

import hornbeam
from hornbeam import GraphClusters, Nominal, Numeric, Schema, SpectralClustering, Table
from hornbeam.data.array import from_array
from hornbeam.learn.clusters import graph as solver
from hornbeam.learn.clusters.graph import (
    bell_graph,
    join_nearest,
    neighbor_graph,
    parts_of,
    reach_of,
    spectrum,
    suggested_count,
)
from hornbeam.model.base.plain import ModelError
from hornbeam.model.clusters.clustering import as_they_appear
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.neighbors.distance import Distance

SHAPES = {
    "moons": make_moons(300, noise=0.05, random_state=0),
    "rings": make_circles(300, noise=0.04, factor=0.4, random_state=0),
}


def ready(rows: np.ndarray) -> tuple[Distance, Any]:
    table = from_array(np.asarray(rows, np.float64))
    distance = Distance.of(table, numeric="as-is")
    return distance, distance.points(table)


def laplacian(graph: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the graph in which a row of weight w is there w times, brought back to one row; and what rows weigh in it."""
    pull = graph @ weights
    mass = np.sqrt(weights / pull)
    return np.eye(len(graph)) - graph * mass * mass[:, np.newaxis], weights * pull


# ---- beside scikit-learn ----


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("graph", ["neighbors", "rbf"])
def test_shapes_are_found_as_scikit_learn_finds_them(shape: str, graph: str) -> None:
    rows, truth = SHAPES[shape]
    ours = SpectralClustering(2, graph=graph, gamma=40.0, numeric="as-is", random_state=0).fit(rows)
    affinity = "nearest_neighbors" if graph == "neighbors" else "rbf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a graph in two parts
        theirs = Theirs(2, affinity=affinity, n_neighbors=10, gamma=40.0, random_state=0).fit(rows)
    assert adjusted_rand_score(ours.labels_, truth) == 1
    assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1
    assert adjusted_rand_score(hornbeam.KMeans(2, random_state=0).fit(rows).labels_, truth) < 0.6  # which is why
    found = SpectralClustering("auto", graph=graph, numeric="as-is", random_state=0).fit(
        rows
    )  # by the reach of each row
    assert adjusted_rand_score(found.labels_, truth) == 1


@pytest.mark.parametrize("k", [1, 4, 10])
def test_graphs_are_scikit_learn_s(k: int) -> None:
    rows = np.random.default_rng(k).normal(size=(60, 3))
    distance, points = ready(rows)
    nearest = kneighbors_graph(rows, k).toarray()
    expected = (nearest + nearest.T) / 2 + np.eye(60)
    assert np.array_equal(neighbor_graph(distance, points, k, 1).toarray(), expected)
    assert bell_graph(distance, points, 0.7, 1) == pytest.approx(rbf_kernel(rows, gamma=0.7), rel=1e-12)
    reach = kneighbors_graph(rows, k, mode="distance").max(axis=1).toarray().ravel()
    assert reach_of(distance, points, k, 1) == pytest.approx(reach, rel=1e-12)
    squares = -np.log(rbf_kernel(rows, gamma=1.0))
    own = bell_graph(distance, points, reach, 1)
    assert own == pytest.approx(np.exp(-squares / np.outer(reach, reach)), rel=1e-9)


# ---- spectra ----


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(1, 6), st.floats(0.05, 0.9))
def test_a_spectrum_is_that_of_the_laplacian(seed: int, n: int, count: int, share: float) -> None:
    random = np.random.default_rng(seed)
    ties = np.triu(random.random((n, n)) * (random.random((n, n)) < share), 1)
    graph = ties + ties.T + np.eye(n)
    weights = random.uniform(0.5, 3, n)
    n_parts, part = parts_of(graph)
    whole, mass = laplacian(graph, weights)
    for form in (graph, sparse.csr_array(graph)):
        found = spectrum(form, weights, part, count)
        assert found.values == pytest.approx(np.linalg.eigvalsh(whole)[:count], abs=1e-9)
        assert (found.values < 1e-9).sum() == min(n_parts, len(found.values))
        vectors = found.waves * np.sqrt(mass)[:, np.newaxis]
        assert whole @ vectors == pytest.approx(vectors * found.values, abs=1e-8)
        assert vectors.T @ vectors == pytest.approx(np.eye(len(found.values)), abs=1e-8)
        assert (found.waves[np.abs(found.waves).argmax(axis=0), range(len(found.values))] > 0).all()


@pytest.mark.parametrize("dense", [False, True])
def test_ways_to_solve_agree(dense: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, _ = make_moons(700, noise=0.12, random_state=1)
    distance, points = ready(rows)
    graph = bell_graph(distance, points, 8.0, 1) if dense else neighbor_graph(distance, points, 10, 1)
    whole, _ = laplacian(graph if dense else graph.toarray(), np.ones(700))
    expected = np.linalg.eigvalsh(whole)[:5]
    _, part = parts_of(graph)
    assert part.max() == 0
    answers = []
    for rounds, few in ((1000, 0), (1, 0), (1, 1000)):
        monkeypatch.setattr(solver, "DENSE_ROUNDS" if dense else "MOST_ROUNDS", rounds)
        monkeypatch.setattr(solver, "FEW_ROWS", few)
        answers.append(spectrum(graph, np.ones(700), part, 5))
    for found in answers:
        assert found.values == pytest.approx(expected, abs=1e-9)
        assert found.waves == pytest.approx(answers[-1].waves, abs=1e-5 * np.abs(answers[-1].waves).max())


def test_an_easy_graph_needs_no_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_shifted", lambda *_: pytest.fail("was not to be asked"))
    rows = np.random.default_rng(0).normal(size=(800, 8))
    distance, points = ready(rows)
    graph = neighbor_graph(distance, points, 10, 1)
    whole, _ = laplacian(graph.toarray(), np.ones(800))
    found = spectrum(graph, np.ones(800), parts_of(graph)[1], 4)
    assert found.values == pytest.approx(np.linalg.eigvalsh(whole)[:4], abs=1e-9)


def test_many_parts_have_as_many_zeros() -> None:
    rows = np.concatenate([np.random.default_rng(i).normal(100 * i, 1, size=(60, 2)) for i in range(12)])
    found = SpectralClustering(12, numeric="as-is").fit(rows)
    assert found.n_parts_ == 12
    assert found.eigenvalues_[:12].tolist() == [0.0] * 12
    assert found.eigenvalues_[12] > 0.01
    assert found.labels_.tolist() == np.repeat(np.arange(12), 60).tolist()


@pytest.mark.parametrize(
    ("values", "parts", "most", "expected"),
    [
        ([0, 0, 0, 0.1, 0.2], 3, 10, 3),
        ([0, 0, 0, 0.1, 0.2], 3, 2, 2),
        ([0, 0.01, 0.02, 0.5, 0.55], 1, 10, 3),
        ([0, 0.01, 0.02, 0.5, 0.55], 1, 2, 2),
        ([0, 0.01, 0.02, 0.5, 0.55], 1, 1, 1),
        ([0.0], 1, 10, 1),
        ([0, 0.3], 1, 10, 2),
    ],
)
def test_the_likely_number(values: list[float], parts: int, most: int, expected: int) -> None:
    assert suggested_count(np.array(values, np.float64), parts, most) == expected


# ---- parts ----


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(1, 8))
def test_parts_are_joined_as_single_linkage_does(seed: int, n: int, wanted: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, 2))
    wanted = min(wanted, n)
    distance, points = ready(rows)
    alone = join_nearest(distance, points, np.arange(n, dtype=np.int32), wanted, 1)
    tree = linkage(rows, "single")
    assert alone.tolist() == as_they_appear(cut_tree(tree, wanted)[:, 0]).tolist()
    coarse = cut_tree(tree, max(n // 2, wanted))[:, 0].astype(np.int32)
    again = join_nearest(distance, points, as_they_appear(coarse), wanted, 1)
    assert again.tolist() == alone.tolist()


def test_more_parts_than_clusters_are_joined_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = [
        np.random.default_rng(i).normal(size=(15, 2)) + place for i, place in enumerate(([0, 0], [20, 0], [90, 0]))
    ]
    rows = np.concatenate(groups)
    with pytest.warns(ConvergenceWarning, match="the graph has 3 connected components for 2 clusters"):
        found = SpectralClustering(2, n_neighbors=3, numeric="as-is").fit(rows)
    assert found.labels_.tolist() == [0] * 30 + [1] * 15
    monkeypatch.setattr("hornbeam.learn.clusters.graph.BLOCK", 1)  # row by row
    with pytest.warns(ConvergenceWarning):
        assert (
            SpectralClustering(2, n_neighbors=3, numeric="as-is").fit(rows).labels_.tolist() == found.labels_.tolist()
        )


def test_fewer_parts_than_clusters_are_divided() -> None:
    rows = np.concatenate(
        [np.random.default_rng(i).normal(place, 1, size=(40, 2)) for i, place in enumerate((0, 6, 200))]
    )
    found = SpectralClustering(3, numeric="as-is", random_state=0).fit(rows)
    assert found.n_parts_ == 2
    assert adjusted_rand_score(found.labels_, np.repeat(np.arange(3), 40)) == 1
    faint = SpectralClustering(2, graph="rbf", gamma=1.0, numeric="as-is").fit(rows)  # exp(-40000) is none
    assert faint.n_parts_ == 2
    assert faint.labels_.tolist() == [0] * 80 + [1] * 40


# ---- weights, seeds, orders ----


@pytest.mark.parametrize("graph", ["neighbors", "rbf"])
def test_a_row_of_weight_two_is_there_twice(graph: str) -> None:
    rows, _ = make_moons(60, noise=0.1, random_state=3)
    times = np.random.default_rng(0).integers(0, 4, 60)
    weighed = SpectralClustering(3, graph=graph, random_state=0, gamma=9.0).fit(rows, sample_weight=times)
    there = times > 0
    repeated = SpectralClustering(3, graph=graph, random_state=0, gamma=9.0).fit(np.repeat(rows, times, axis=0))
    assert weighed.eigenvalues_ == pytest.approx(repeated.eigenvalues_, abs=1e-9)
    assert weighed.labels_[there].tolist() == repeated.labels_[np.cumsum(times)[there] - 1].tolist()
    assert len(weighed.labels_) == 60
    if graph == "rbf":  # the whole graph, in which copies are rows of their own
        several = times[there][np.lexsort(rows[there].T[::-1])]  # the model has rows in the order of their values
        many = rbf_kernel(repeated.model_.points.numbers.T[np.repeat(np.arange(there.sum()), several)], gamma=9.0)  # type: ignore[attr-defined]
        whole, _ = laplacian(many, np.ones(len(many)))
        assert repeated.eigenvalues_ == pytest.approx(np.linalg.eigvalsh(whole)[:4], abs=1e-9)


def test_neither_seeds_threads_nor_order_matter_to_clear_clusters() -> None:
    rows, _ = SHAPES["moons"]
    first = SpectralClustering(2, random_state=0).fit(rows)
    assert SpectralClustering(2, random_state=5, n_jobs=2).fit(rows).labels_.tolist() == first.labels_.tolist()
    same = SpectralClustering(4, random_state=1).fit(rows), SpectralClustering(4, random_state=1, n_jobs=2).fit(rows)
    assert same[0].labels_.tolist() == same[1].labels_.tolist()
    assert np.array_equal(same[0].embedding_, same[1].embedding_)
    assert to_bytes(same[0].model_) == to_bytes(same[1].model_)
    order = np.random.default_rng(0).permutation(len(rows))
    turned = SpectralClustering(2, random_state=0).fit(rows[order])
    assert adjusted_rand_score(turned.labels_, first.labels_[order]) == 1
    assert first.embedding_.shape == (300, 2)


# ---- models ----


def test_new_rows_belong_where_the_nearest_does() -> None:
    rows, _ = SHAPES["rings"]
    found = SpectralClustering(2, numeric="as-is", random_state=0).fit(rows)
    assert found.predict(rows).tolist() == found.labels_.tolist()
    asked = np.random.default_rng(4).uniform(-1, 1, size=(50, 2))
    nearest = ((asked[:, np.newaxis] - rows) ** 2).sum(axis=2).argmin(axis=1)
    assert found.predict(asked).tolist() == found.labels_[nearest].tolist()


def mixed() -> Table:
    schema = Schema(
        (Numeric("a"), Nominal("c", ("x", "y", "z")), Nominal("class", ("u", "v"))), ("feature", "feature", "target")
    )
    random = np.random.default_rng(7)
    side = random.integers(0, 2, 80).astype(np.int32)
    number = np.where(random.random(80) < 0.1, np.nan, side * 3 + random.normal(0, 0.4, 80))
    code = np.where(random.random(80) < 0.1, -1, np.where(random.random(80) < 0.1, 2, side)).astype(np.int32)
    return Table(schema, [number, code, side])


@pytest.mark.parametrize("missing", ["average", "farthest", "ignore"])
@pytest.mark.parametrize("graph", ["neighbors", "rbf"])
def test_mixed_tables_and_missing_values(graph: str, missing: str) -> None:
    table = mixed()
    found = SpectralClustering(2, graph=graph, missing=missing, random_state=0).fit(table)
    assert found.classes_to_clusters(table).wrong < 0.15
    model = found.model_
    assert isinstance(model, GraphClusters)
    data = to_bytes(model)
    back = from_bytes(data)
    assert back.same_as(model)
    assert to_bytes(back) == data
    assert back.predict(table).tolist() == found.predict(table).tolist()
    assert "80 rows in 2 clusters" in hornbeam.show.text(back)
    assert repr(back) == "GraphClusters('table': 80 rows in 2 clusters)"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": np.full(10, 2, np.int32)}, "a cluster that is not one of the 2"),
        ({"label": np.zeros(9, np.int32)}, "label has the shape"),
        ({"eigenvalues": np.array([np.nan])}, "eigenvalue"),
        ({"eigenvalues": np.array([-1.0])}, "eigenvalue"),
        ({"waves": np.zeros((9, 2))}, "waves"),
        ({"waves": np.full((10, 2), np.inf)}, "waves"),
        ({"waves": np.zeros(10)}, "waves"),
    ],
)
def test_strange_models_are_refused(change: dict[str, Any], words: str) -> None:
    from dataclasses import replace

    model: Any = SpectralClustering(2, n_neighbors=3, random_state=0).fit(np.arange(20.0).reshape(10, 2)).model_
    model.validate()
    with pytest.raises(ModelError, match=words):
        replace(model, **change).validate()


# ---- bad input ----


def test_more_clusters_than_rows() -> None:
    rows = np.repeat(np.arange(6.0).reshape(3, 2), 4, axis=0)
    with pytest.raises(ValueError, match="n_clusters is 13; expected no more than the rows, of which there are 12"):
        SpectralClustering(13).fit(rows)
    with pytest.warns(ConvergenceWarning, match="5 clusters were requested, and the table has only 3 different rows"):
        few = SpectralClustering(5, random_state=0).fit(rows)
    assert few.labels_.tolist() == np.repeat([0, 1, 2], 4).tolist()
    assert len(few.describe()) == 3


@pytest.mark.parametrize("graph", ["neighbors", "rbf"])
def test_one_row_constant_columns_and_nothing_known(graph: str) -> None:
    assert SpectralClustering(1, graph=graph).fit(np.ones((1, 2))).labels_.tolist() == [0]
    assert SpectralClustering("auto", graph=graph).fit(np.ones((1, 2))).labels_.tolist() == [0]
    alike = SpectralClustering("auto", graph=graph).fit(np.ones((5, 2)))
    assert alike.labels_.tolist() == [0] * 5
    assert alike.model_.kept.n_rows == 1  # type: ignore[attr-defined]
    assert SpectralClustering(2, graph=graph, random_state=0).fit(np.array([[0.0, 1], [5, 1]])).labels_.tolist() == [
        0,
        1,
    ]
    rows, _ = SHAPES["moons"]
    without = SpectralClustering(4, graph=graph, random_state=0).fit(rows)
    beside = SpectralClustering(4, graph=graph, random_state=0).fit(np.column_stack([rows, np.full(300, 7.0)]))
    assert beside.labels_.tolist() == without.labels_.tolist()
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "feature"))
    for missing in ("average", "farthest", "ignore"):
        values = [np.where(np.arange(300) % 50 == 0, np.nan, rows[:, place]) for place in (0, 1)]
        some = SpectralClustering(2, graph=graph, missing=missing, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            labels = some.fit(Table(schema, values)).labels_
            nothing = SpectralClustering(1, graph=graph, missing=missing).fit(Table(schema, [np.full(4, np.nan)] * 2))
        assert labels.shape == (300,)
        assert set(labels.tolist()) == {0, 1}
        assert nothing.labels_.tolist() == [0] * 4


def test_a_row_without_any_value_is_in_the_largest_cluster() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "feature"))
    values = np.concatenate([np.arange(5.0), 100 + np.arange(12.0), [np.nan, np.nan]])
    table = Table(schema, [values, values.copy()])
    found = SpectralClustering("auto", n_neighbors=3, missing="ignore").fit(table)
    assert found.labels_.tolist() == [0] * 5 + [1] * 14
    assert found.predict(table).tolist() == found.labels_.tolist()
    assert found.n_parts_ == 2
    assert np.isnan(found.embedding_[-2:]).all()
    assert found.model_.kept.n_rows == 17  # type: ignore[attr-defined]


def test_a_row_that_no_value_connects_is_joined_all_the_same() -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "feature"))
    table = Table(schema, [np.array([0.0, 0.1, np.nan, np.nan]), np.array([np.nan, np.nan, 0.0, 0.2])])
    with pytest.warns(ConvergenceWarning, match="2 connected components"):
        found = SpectralClustering(1, missing="ignore").fit(table)
    assert found.labels_.tolist() == [0] * 4
    assert SpectralClustering("auto", missing="ignore").fit(table).labels_.tolist() == [0, 0, 1, 1]


def test_more_neighbors_than_rows_are_all_of_them() -> None:
    rows = np.random.default_rng(0).normal(size=(8, 2))
    found = SpectralClustering(2, n_neighbors=100, random_state=0).fit(rows)
    assert found.n_parts_ == 1
    assert found.eigenvalues_[1] == pytest.approx(1)  # all rows tied alike


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"n_clusters": "many"}, "n_clusters is 'many'"),
        ({"graph": "net"}, "graph is 'net'"),
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"graph": "rbf", "gamma": -1.0}, "gamma is -1"),
        ({"max_clusters": 0}, "max_clusters is 0"),
        ({"n_init": 0, "n_clusters": 3}, "n_init is 0"),
        ({"numeric": "big"}, "numeric is 'big'"),
        ({"missing": "gone"}, "missing is 'gone'"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        SpectralClustering(**{"n_clusters": 2, **parameters}).fit(np.arange(16.0).reshape(8, 2))
