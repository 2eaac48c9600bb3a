"""k-means: exactly Lloyd's labels, mixed tables, weights, starts, and what may go wrong."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.clusters.choose import _log_likelihoods
from hornbeam.learn.clusters.ground import Ground
from hornbeam.learn.clusters.kmeans import ALGORITHMS, KMeans
from hornbeam.learn.clusters.lloyd import Lloyd
from hornbeam.model.clusters.centers import Crew, nearest_centers
from hornbeam.model.clusters.partition import Measure
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.neighbors.distance import Distance

if TYPE_CHECKING:
    from numpy.typing import NDArray


def by_hand(rows: NDArray[Any], centers: NDArray[Any], max_iter: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lloyd's iteration as the textbook has it; no cluster may lose all its rows."""
    labels = np.full(len(rows), -1)
    for _ in range(max_iter):
        apart = np.array(
            [[sum((x - c) ** 2 for x, c in zip(row, center, strict=True)) for center in centers] for row in rows]
        )
        found = apart.argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        centers = np.array([rows[labels == k].mean(axis=0) for k in range(len(centers))])
    return labels, centers


@st.composite
def drawn(draw: st.DrawFn) -> tuple[NDArray[Any], int, int]:
    seed = draw(st.integers(0, 10_000))
    n, d, k = draw(st.integers(20, 400)), draw(st.integers(1, 9)), draw(st.integers(1, 80))
    random = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["normal", "grid", "far", "tiny", "heavy", "repeated"]))
    rows = random.normal(size=(n, d))
    if kind == "grid":
        rows = random.integers(0, 4, size=(n, d)).astype(float)
    elif kind == "far":
        rows = rows + 1e7
    elif kind == "tiny":
        rows = rows * 1e-200
    elif kind == "heavy":
        rows = rows * np.exp(3 * random.normal(size=(n, 1)))
    elif kind == "repeated":
        rows = rows[random.integers(0, n // 4 + 1, size=n)]
    return rows, min(k, n), seed


@settings(max_examples=60, deadline=None)
@given(drawn())
def test_spared_comparisons_change_nothing(case: tuple[NDArray[Any], int, int]) -> None:
    rows, k, seed = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fast, plain, threaded, tight = (
            KMeans(k, n_init=2, random_state=seed, numeric="as-is", **how).fit(rows)
            for how in ({}, {"algorithm": "lloyd"}, {"n_jobs": 2}, {"memory_mb": 0})
        )
    for other in (plain, threaded, tight):
        assert np.array_equal(fast.labels_, other.labels_)
        assert np.array_equal(fast.cluster_centers_, other.cluster_centers_)
        assert np.array_equal(fast.restarts_.errors, other.restarts_.errors)
        assert np.array_equal(fast.restarts_.steps, other.restarts_.steps)
    assert np.array_equal(fast.predict(rows), fast.labels_)


@pytest.mark.parametrize("seed", range(5))
def test_the_textbook_iteration(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(120, 3)) + 4 * random.integers(0, 2, size=(120, 1))
    start = rows[random.choice(120, 5, replace=False)]
    labels, centers = by_hand(rows, start, 300)
    fitted = KMeans(5, init=start, numeric="as-is").fit(rows)
    assert np.array_equal(fitted.labels_, labels)
    np.testing.assert_allclose(fitted.cluster_centers_, centers, rtol=1e-12)


def test_many_centers_are_compared_exactly() -> None:
    random = np.random.default_rng(3)
    rows, centers = random.normal(size=(3000, 7)), random.normal(size=(700, 7))
    apart = np.zeros((3000, 700))
    for j in range(7):
        apart += (rows[:, j, np.newaxis] - centers[:, j]) ** 2
    assert np.array_equal(nearest_centers(rows, centers), apart.argmin(axis=1))
    assert np.array_equal(nearest_centers(rows, centers, 2), apart.argmin(axis=1))


def test_error_never_rises() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(500, 3))
    start = rows[:6]
    errors = [KMeans(6, init=start, max_iter=steps, numeric="as-is").fit(rows).inertia_ for steps in range(1, 15)]
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(errors))
    assert errors[0] > errors[-1]


def mixed(n: int = 60, seed: int = 0) -> hornbeam.Table:
    random = np.random.default_rng(seed)
    side = random.integers(0, 2, n)
    number = np.where(random.uniform(size=n) < 0.2, np.nan, 5.0 * side + random.normal(size=n))
    code = np.where(random.uniform(size=n) < 0.2, -1, np.where(random.uniform(size=n) < 0.1, 1 - side, side))
    schema = Schema(
        (Numeric("number"), Nominal("code", ("a", "b")), Nominal("side", ("0", "1"))), ("feature", "feature", "target")
    )
    return hornbeam.Table(schema, [number, code, side])


def test_mixed_rows_with_missing_values() -> None:
    table = mixed()
    fitted = KMeans(2, random_state=0).fit(table)
    assert fitted.classes_to_clusters(table).wrong < 0.2
    number, code = table.column("number"), table.column("code")
    for cluster in range(2):
        inside = fitted.labels_ == cluster
        assert fitted.cluster_centers_[cluster, 0] == pytest.approx(np.nanmean(number[inside]))
        known = code[inside & (code >= 0)]
        assert fitted.model_.codes[cluster, 0] == np.bincount(known).argmax()  # type: ignore[attr-defined]
    told = fitted.describe()
    assert sum(one.rows for one in told) == 60
    assert {trait.column for trait in told[0].traits} == {"number", "code"}


@pytest.mark.parametrize("algorithm", ["auto", "lloyd", "mini-batch", "bisecting"])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_every_way_finds_clear_clusters(algorithm: str, init: str) -> None:
    table = mixed(200, 1)
    fitted = KMeans(2, algorithm=algorithm, init=init, random_state=0, batch_size=50).fit(table)
    assert fitted.classes_to_clusters(table).wrong < 0.2
    assert np.array_equal(fitted.predict(table), fitted.labels_)


def test_a_weight_is_a_repeated_row() -> None:
    random = np.random.default_rng(5)
    rows, weights = random.normal(size=(80, 2)), random.integers(0, 4, 80)
    repeated = np.repeat(rows, weights, axis=0)
    start = rows[weights > 0][:4]
    one = KMeans(4, init=start, numeric="as-is").fit(rows, sample_weight=weights)
    other = KMeans(4, init=start, numeric="as-is").fit(repeated)
    np.testing.assert_allclose(one.cluster_centers_, other.cluster_centers_, rtol=1e-12)
    assert one.inertia_ == pytest.approx(other.inertia_)
    assert np.array_equal(np.repeat(one.labels_, weights), other.labels_)


def cost(table: hornbeam.Table, scaled: NDArray[Any], labels: NDArray[Any], weights: NDArray[Any]) -> float:
    """The error of a partition, from its definition: squared differences from means, and other codes than the modes."""
    total = 0.0
    for cluster in np.unique(labels):
        inside = labels == cluster
        number, code, w = scaled[inside], table.column("code")[inside], weights[inside]
        known = ~np.isnan(number)
        if known.any():
            total += float(w[known] @ (number[known] - np.average(number[known], weights=w[known])) ** 2)
        counts = np.bincount(code[code >= 0], w[code >= 0], minlength=2)
        total += float(counts.sum() - counts.max())
    return total


@pytest.mark.parametrize("seed", range(8))
def test_no_single_row_can_be_moved_to_advantage(seed: int) -> None:
    table = mixed(25, seed)
    weights = np.random.default_rng(seed).integers(1, 4, 25).astype(float)
    number = table.column("number")
    scaled = (number - np.nanmin(number)) / (np.nanmax(number) - np.nanmin(number))
    plain, rows, swaps = (
        KMeans(4, n_init=1, init="random", random_state=seed, improve=how).fit(table, sample_weight=weights)
        for how in (None, "rows", "swaps")
    )
    assert swaps.inertia_ <= rows.inertia_ * (1 + 1e-9)
    assert rows.inertia_ <= plain.inertia_ * (1 + 1e-9)
    for fitted in (rows, swaps):
        assert cost(table, scaled, fitted.labels_, weights) == pytest.approx(fitted.inertia_)
        for row, cluster in itertools.product(range(25), range(4)):
            moved = fitted.labels_.copy()
            moved[row] = cluster
            if len(np.unique(moved)) == 4:
                assert cost(table, scaled, moved, weights) >= fitted.inertia_ * (1 - 1e-8)


def test_what_is_beyond_the_end_of_a_descent() -> None:
    # Three near pairs and a far one: started inside one pair, Lloyd's iteration never leaves it.
    rows = np.array([[0.0], [1.0], [100.0], [101.0], [200.0], [201.0]])
    start = [[0.0], [1.0], [150.0]]
    stuck, freed = (KMeans(3, init=start, numeric="as-is", improve=how, random_state=0) for how in (None, "swaps"))
    assert stuck.fit(rows).inertia_ > 10_000
    assert freed.fit(rows).inertia_ == pytest.approx(1.5)
    # A row nearer to its own center, but for its share of it.
    rows = np.array([[0.0], [4.0], [7.0], [7.0], [7.0]])
    stuck, freed = (KMeans(2, init=[[2.0], [7.0]], numeric="as-is", improve=how) for how in (None, "rows"))
    assert stuck.fit(rows).inertia_ == pytest.approx(8.0)
    assert freed.fit(rows).inertia_ == pytest.approx(6.75)
    with pytest.raises(ValueError, match="mini-batch"):
        KMeans(2, algorithm="mini-batch", improve="rows").fit(rows)


def test_empty_clusters_get_the_farthest_row() -> None:
    rows = np.array([[0.0], [1.0], [10.0], [11.0], [50.0]])
    fitted = KMeans(3, init=[[0.5], [10.5], [1000.0]], numeric="as-is").fit(rows)
    assert sorted(np.bincount(fitted.labels_).tolist()) == [1, 2, 2]
    assert fitted.inertia_ == pytest.approx(1.0)


def test_fewer_different_rows_than_clusters() -> None:
    rows = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    for init in ("k-means++", "random"):
        with pytest.warns(ConvergenceWarning, match="only 2 different rows"):
            fitted = KMeans(4, init=init, random_state=0).fit(rows)
        assert fitted.model_.n_clusters == 2  # type: ignore[attr-defined]
        assert fitted.inertia_ == 0


def test_odd_tables() -> None:
    assert KMeans(1).fit([[1.0, 2.0]]).labels_.tolist() == [0]
    with pytest.raises(ValueError, match="n_samples=1"):
        KMeans(2).fit([[1.0, 2.0]])
    constant = np.column_stack([np.ones(20), np.arange(20.0)])
    assert KMeans(2, random_state=0).fit(constant).inertia_ > 0
    missing = np.array([[np.nan, np.nan], [0.0, 0.0], [0.1, 0.0], [1.0, 1.0], [1.0, 0.9]])
    fitted = KMeans(2, random_state=0).fit(missing)
    assert fitted.labels_[1] == fitted.labels_[2] != fitted.labels_[3]
    huge = np.array([[1e200], [-1e200], [1.0], [1.1e200]])
    assert KMeans(2, random_state=0, numeric="range").fit(huge).labels_.max() == 1
    for wrong in ({"init": "nowhere"}, {"algorithm": "magic"}, {"n_init": 0}, {"init": [[1.0]]}, {"numeric": "rank"}):
        with pytest.raises(ValueError, match="expected"):
            KMeans(2, **wrong).fit(constant)
    with pytest.raises(ValueError, match="nominal"):
        KMeans(2, init=[[1.0], [2.0]]).fit(hornbeam.read("weather.numeric"))


@pytest.mark.parametrize("choose", ["silhouette", "elbow", "gap", "likelihood"])
def test_the_number_of_clusters(choose: str) -> None:
    random = np.random.default_rng(0)
    rows = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 30, axis=0) + random.normal(size=(90, 2)) / 2
    fitted = KMeans("auto", choose=choose, random_state=0, max_clusters=6, n_init=3).fit(rows)
    assert fitted.choice_.best == 3
    assert fitted.labels_.max() == 2
    same = KMeans("auto", choose=choose, random_state=0, max_clusters=1).fit(np.ones((5, 1)))
    assert same.choice_.best == 1


def test_the_likelihood_of_rows_left_out() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(90, 2)) + 4 * random.integers(0, 2, size=(90, 1))
    table = hornbeam.Table(Schema((Numeric("a"), Numeric("b"), Nominal("c", ("x", "y")))), [*rows.T, rows[:, 0] > 2])
    measure = Measure(Distance.of(table, numeric="as-is", missing="ignore"))
    kept, left = Ground.of(table.take(np.arange(60)), measure), Ground.of(table.take(np.arange(60, 90)), measure)
    run = Lloyd(kept, Crew(1), plainly=True, memory_mb=1).descend(kept.at([0, 1, 2]), 100, 0.0)
    held = np.bincount(run.labels, minlength=3)
    variance = ((kept.numbers - run.centers.numbers[run.labels]) ** 2).mean()
    expected = np.zeros(30)
    for k in range(3):
        share = (np.bincount(kept.codes[run.labels == k, 0], minlength=2) + 1) / (held[k] + 2)
        around = multivariate_normal(run.centers.numbers[k], variance * np.eye(2)).pdf(left.numbers)
        expected += held[k] / 60 * share[left.codes[:, 0]] * around
    np.testing.assert_allclose(_log_likelihoods(kept, run, left), np.log(expected), rtol=1e-9)
    heap = KMeans("auto", choose="likelihood", random_state=0, max_clusters=4, n_init=3).fit(
        random.normal(size=(90, 2))
    )
    assert heap.choice_.best <= 2  # nothing to part
    plain = KMeans("auto", choose="likelihood", max_clusters=4, random_state=0).fit(mixed())
    assert np.isfinite(plain.choice_.scores).all()


def test_model_files() -> None:
    table = mixed()
    fitted = KMeans(3, random_state=0).fit(table)
    model = from_bytes(to_bytes(fitted.model_))
    assert model.same_as(fitted.model_)
    assert np.array_equal(model.predict(table), fitted.labels_)
    again = KMeans.from_model(model)
    assert np.array_equal(again.predict(table), fitted.labels_)
    assert hornbeam.show.text(model).startswith("table: 60 rows in 3 clusters")
    assert fitted.score(table) == pytest.approx(-fitted.inertia_)


def test_restarts_are_kept() -> None:
    fitted = KMeans(4, n_init=25, random_state=0, init="random").fit(hornbeam.read("iris"))
    assert len(fitted.restarts_.errors) == len(fitted.restarts_.steps) == 25
    assert fitted.restarts_.errors.min() == fitted.inertia_
    assert len(set(fitted.restarts_.errors.round(9))) > 1
    assert fitted.restarts_.converged.all()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("max_iter", [1, 2, 3])
@pytest.mark.parametrize("tol", [0.0, 10.0])
@pytest.mark.parametrize("gaps", [False, True])
def test_rows_are_with_the_nearest_of_the_last_centers(algorithm: str, max_iter: int, tol: float, gaps: bool) -> None:
    rows = np.random.default_rng(7).normal(size=(300, 4))
    if gaps:
        rows[::9, 1] = np.nan
    learner = KMeans(6, algorithm=algorithm, init="random", n_init=1, max_iter=max_iter, tol=tol, random_state=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(rows)
    assert np.array_equal(learner.labels_, learner.predict(rows))
    assert learner.inertia_ == pytest.approx(-learner.score(rows))


@pytest.mark.parametrize("k", [3, 40])
@pytest.mark.parametrize("size", [1e16, 1e30, 1e100])
def test_rows_far_from_all_centers_are_with_the_nearest(k: int, size: float) -> None:
    """By one row alone, the centers are too far away for single precision."""
    rows = np.outer(np.linspace(1, 2, 3 * k), [size, size])
    model = KMeans(k, numeric="as-is", random_state=0, n_init=1).fit(rows).model_
    asked = np.array([[0.5, 0.5], rows[4], rows[-1]])
    nearest = ((asked[:, np.newaxis] - model.numbers) ** 2).sum(axis=2).argmin(axis=1)
    assert [int(model.predict_codes(row[np.newaxis])[0]) for row in asked] == nearest.tolist()
