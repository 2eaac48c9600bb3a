"""Maps and parallel coordinates of clusters: what is drawn is so, the same every time, and names do no harm."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hornbeam
from hornbeam import (
    Cobweb,
    HierarchicalClustering,
    KMeans,
    MixtureModel,
    Nominal,
    Numeric,
    Schema,
    SpectralClustering,
    Table,
)
from hornbeam.show import cluster_map, parallel_coordinates
from hornbeam.show.pictures.cluster_rows import sample
from hornbeam.show.pictures.map_svg import components
from hornbeam.show.pictures.marks import SHAPES, color_of, mark, shape_of
from hornbeam.show.pictures.palette import DARK, LIGHT
from hornbeam.show.pictures.parallel_svg import HIGH
from hornbeam.show.pictures.svg_parts import round_numbers

SPACE = "{http://www.w3.org/2000/svg}"
DRAWERS = [cluster_map, parallel_coordinates]
EVIL = "<script>alert('\x1b[31m')</script>"


def mixed(n_rows: int = 60, seed: int = 0) -> Table:
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, n_rows)
    gap = random.random((4, n_rows)) < 0.15
    columns = (
        Numeric("income"),
        Nominal(f"color {EVIL}", ("red", EVIL, "blue & green")),
        Numeric("day", "%Y-%m-%d"),
        Nominal("city", tuple(f"town {place}" for place in range(20))),
    )
    arrays = [
        np.where(gap[0], np.nan, 1000 * group + random.normal(size=n_rows)),
        np.where(gap[1], -1, group).astype(np.int32),
        np.where(gap[2], np.nan, 86_400.0 * (100 * group + random.integers(0, 9, n_rows))),
        random.integers(0, 20, n_rows).astype(np.int32),
    ]
    return Table(Schema(columns, name=EVIL), arrays)


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - our own


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in parsed(picture).iter(f"{SPACE}text")]


@pytest.mark.parametrize("draw", DRAWERS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_from_data_do_no_harm(draw: Any, theme: str) -> None:
    table = mixed()
    fitted = KMeans(3, random_state=0).fit(table)
    picture = draw(fitted, table, theme=theme)
    assert "<script" not in picture
    assert "\x1b" not in picture
    assert "&lt;script&gt;" in picture
    told = texts(picture)
    counts = np.bincount(fitted.labels_)
    assert all(f"cluster {number}: {count} rows" in told for number, count in enumerate(counts))
    colors = {element.get("fill") for element in parsed(picture).iter()} | {
        element.get("stroke") for element in parsed(picture).iter()
    }
    wanted = LIGHT if theme == "light" else DARK
    assert {wanted.ground, *wanted.categories[:3]} <= colors
    assert not ({LIGHT.ground, LIGHT.ink, LIGHT.muted} & colors) or theme == "light"


@pytest.mark.parametrize("draw", DRAWERS)
def test_the_same_bytes_every_time(draw: Any) -> None:
    table = mixed(700)
    fitted = KMeans(3, random_state=0).fit(table)
    assert draw(fitted, table, most=100) == draw(fitted.model_, table, labels=fitted.labels_, most=100)
    assert draw(fitted, table, most=100) != draw(fitted, table, most=200)
    assert "of 700 rows drawn" in draw(fitted, table, most=100)
    assert draw(fitted, table, title="<b>").count("&lt;b&gt;") == 2


@pytest.mark.parametrize(
    "learner",
    [
        KMeans(2, random_state=0),
        MixtureModel(2, tol=1e-3, random_state=0),
        HierarchicalClustering(2),
        Cobweb(),
        SpectralClustering(2, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("draw", DRAWERS)
def test_every_learner_is_drawn(learner: Any, draw: Any) -> None:
    table = hornbeam.read("weather.numeric")
    fitted = learner.fit(table)
    told = texts(draw(fitted, table))
    assert sum(text.startswith("cluster ") for text in told) == fitted.model_.n_clusters


def test_a_dendrogram_brings_its_rows() -> None:
    fitted = HierarchicalClustering(3).fit(hornbeam.read("iris"))
    for draw in DRAWERS:
        assert draw(fitted) == draw(fitted, hornbeam.read("iris").renamed("iris"))


@pytest.mark.parametrize("draw", DRAWERS)
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_odd_tables_are_drawn(draw: Any, n_rows: int) -> None:
    columns = (Numeric("same"), Numeric("none"), Nominal("no", ()), Nominal("one", ("a",)), Numeric("wide"))
    arrays = [
        np.ones(n_rows),
        np.full(n_rows, np.nan),
        np.full(n_rows, -1, np.int32),
        np.zeros(n_rows, np.int32),
        np.array([1e300, -1e300, 0.0])[:n_rows],
    ]
    table = Table(Schema(columns), arrays)
    picture = draw(HierarchicalClustering(1).fit(table), table)
    assert "nan" not in picture
    assert "inf" not in picture.replace("info", "")
    parsed(picture)


def test_what_cannot_be_drawn_is_refused() -> None:
    iris = hornbeam.read("iris")
    clusters = KMeans(3, random_state=0).fit(iris)
    for draw in DRAWERS:
        with pytest.raises(TypeError, match="clusters of a Tree"):
            draw(hornbeam.C45Classifier().fit(iris), iris)
        with pytest.raises(ValueError, match="give a table"):
            draw(clusters)
        with pytest.raises(ValueError, match="no rows to draw"):
            draw(clusters, iris.take(np.zeros(0, np.int64)))
        with pytest.raises(ValueError, match="150 numbers of clusters, from 0 to 2"):
            draw(clusters, iris, labels=np.full(150, 3))
        with pytest.raises(ValueError, match="most is 0"):
            draw(clusters, iris, most=0)
        with pytest.raises(ValueError, match="theme is 'blue'"):
            draw(clusters, iris, theme="blue")


# ---- the map ----


def test_components_are_those_of_the_correlations() -> None:
    iris = hornbeam.read("iris")
    matrix = np.column_stack([iris.columns[place] for place in iris.schema.features])
    values, vectors = np.linalg.eigh(np.corrcoef(matrix.T))
    found = components(iris)
    assert found.fractions == pytest.approx(values[::-1][:2] / 4)
    scaled = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    for place in range(2):
        direction = vectors[:, -1 - place]
        assert np.abs(found.places[:, place]) == pytest.approx(np.abs(scaled @ direction))
        assert found.weights[np.abs(found.weights[:, place]).argmax(), place] > 0
    assert found.places.var(axis=0) == pytest.approx(values[::-1][:2])


def test_fewer_rows_than_columns_give_the_same_as_more() -> None:
    random = np.random.default_rng(0)
    few = random.normal(size=(6, 9))
    names = tuple(Numeric(f"x{place}") for place in range(9))
    found = components(Table(Schema(names), list(few.T)))
    twice = components(Table(Schema(names), list(np.repeat(few, 3, axis=0).T)))
    assert found.fractions == pytest.approx(twice.fractions)
    assert found.places == pytest.approx(twice.places[::3])


def test_missing_values_are_means_and_categories_indicators() -> None:
    gaps = Table(Schema((Numeric("x"), Numeric("y"))), [np.array([1.0, 3.0, np.nan]), np.array([5.0, 5.0, 5.0])])
    found = components(gaps)
    assert found.names == ["x"]  # what does not differ has no direction
    assert found.places[2].tolist() == pytest.approx([0, 0])
    assert found.fractions.tolist() == [1.0, 0.0]
    nominal = Table(
        Schema((Nominal("two", ("n", "y")), Nominal("three", ("a", "b", "c")))),
        [np.array([0, 1, 1, 0, -1], np.int32), np.array([0, 1, 2, 0, 0], np.int32)],
    )
    found = components(nominal)
    assert found.names == ["two = y", "three = a", "three = b", "three = c"]
    assert found.fractions.sum() <= 1


def test_the_map_tells_its_axes_and_draws_every_row() -> None:
    iris = hornbeam.read("iris")
    fitted = KMeans(3, random_state=1).fit(iris)
    picture = cluster_map(fitted, iris)
    told = texts(picture)
    assert "component 1: 73% of the variance" in told
    assert "component 2: 23% of the variance" in told
    assert "+ petallength, + petalwidth, + sepallength" in told
    tips = [
        (path.findtext(f"{SPACE}title") or "").split(": row")[1].lstrip("s ")
        for path in parsed(picture).iter(f"{SPACE}path")
        if path.find(f"{SPACE}title") is not None
    ]
    assert sorted(int(row) for tip in tips for row in tip.split(", ")) == list(range(1, 151))
    assert {"0", "1", "2"} <= set(told)  # the centers


def test_rows_at_one_place_are_one_larger_mark() -> None:
    table = Table(Schema((Numeric("x"),)), [np.array([0.0, 0.0, 0.0, 0.0, 1.0])])
    picture = cluster_map(HierarchicalClustering(2).fit(table))
    marks = [path for path in parsed(picture).iter(f"{SPACE}path") if path.find(f"{SPACE}title") is not None]
    assert len(marks) == 2
    assert {path.findtext(f"{SPACE}title") for path in marks} == {"cluster 0: rows 1, 2, 3, 4", "cluster 1: row 5"}
    assert "larger marks" in picture
    assert "larger marks" not in cluster_map(HierarchicalClustering(2).fit(table.take([0, 4])))
    assert "missing value" not in picture
    assert "a missing value counts as the mean" in cluster_map(KMeans(2, random_state=0).fit(mixed()), mixed())


# ---- parallel coordinates ----


def ways(picture: str) -> list[list[tuple[float, float]]]:
    found = []
    for line in parsed(picture).iter(f"{SPACE}polyline"):
        points = [point.split(",") for point in (line.get("points") or "").split()]
        found.append([(float(x), float(y)) for x, y in points])
    return found


def test_every_row_is_a_line_at_its_values() -> None:
    iris = hornbeam.read("iris")
    fitted = KMeans(3, random_state=1).fit(iris)
    lines = ways(parallel_coordinates(fitted, iris))
    assert len(lines) == 150
    order = np.argsort(-np.bincount(fitted.labels_), kind="stable")
    rows = np.concatenate([np.flatnonzero(fitted.labels_ == cluster) for cluster in order])
    for place, feature in enumerate(iris.schema.features):
        values = np.asarray(iris.columns[feature])[rows]
        share = (values - values.min()) / (values.max() - values.min())
        heights = np.array([line[place][1] for line in lines])
        assert heights.max() - heights == pytest.approx(HIGH * share, abs=0.02)
    told = texts(parallel_coordinates(fitted, iris))
    assert {"sepallength", "sepalwidth", "petallength", "petalwidth"} <= set(told)


def test_categories_stand_by_name_and_missing_values_below() -> None:
    table = mixed()
    fitted = KMeans(3, random_state=0).fit(table)
    picture = parallel_coordinates(fitted, table)
    told = texts(picture)
    assert {"red", "blue & green", "town 3", "1970-01-01"} <= set(told)
    assert told.count("missing") == 3  # the city is always known
    lines = ways(picture)
    bottom = max(y for line in lines for _, y in line)
    for place in range(4):
        gaps = np.isnan(table.columns[place]) if place in (0, 2) else table.columns[place] < 0
        assert sum(line[place][1] == bottom for line in lines) == gaps.sum()
    codes = table.columns[1]
    heights = [sorted({line[1][1] for line in lines if line[1][1] != bottom})]
    assert len(heights[0]) == (codes >= 0).sum()  # spread, so that each is seen


def test_many_columns_are_chosen_by_what_they_tell() -> None:
    random = np.random.default_rng(0)
    matrix = random.normal(size=(100, 20))
    group = random.integers(0, 2, 100)
    matrix[:, [3, 17]] += 8 * group[:, np.newaxis]
    table = Table(Schema(tuple(Numeric(f"x{place}") for place in range(20))), list(matrix.T))
    picture = parallel_coordinates(KMeans(2, random_state=0).fit(table), table)
    told = texts(picture)
    named = [text for text in told if text.startswith("x")]
    assert len(named) == 12
    assert {"x3", "x17"} <= set(named)
    assert named == sorted(named, key=lambda name: int(name[1:]))
    assert "the 12 of 20 columns that distinguish clusters most" in picture


# ---- marks and samples ----


def test_no_two_clusters_look_the_same() -> None:
    looks = {(color_of(cluster, LIGHT), shape_of(cluster)) for cluster in range(49)}
    assert len(looks) == 49
    assert len({mark(cluster, 0, 0, 5) for cluster in range(len(SHAPES))}) == len(SHAPES)
    assert len(set(DARK.categories)) == len(LIGHT.categories) == len(SHAPES)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=300), st.integers(1, 200))
def test_samples_hold_something_of_every_cluster(labels: list[int], most: int) -> None:
    clusters = np.array(labels)
    chosen = sample(clusters, most)
    assert len(np.unique(chosen)) == len(chosen)
    assert (np.diff(chosen) > 0).all()
    counts, kept = np.bincount(clusters, minlength=6), np.bincount(clusters[chosen], minlength=6)
    assert (kept >= np.minimum(counts, 5)).all()
    assert len(chosen) <= max(most, 0) + 6 * 5
    if len(labels) <= most:
        assert len(chosen) == len(labels)


@settings(max_examples=100)
@given(st.floats(-1e12, 1e12), st.floats(1e-6, 1e12))
def test_round_numbers_span_what_they_should(low: float, width: float) -> None:
    high = low + width
    if not high - low > 1e-9 * abs(low):
        return
    found = round_numbers(low, high, 5)
    assert found == sorted(set(found))
    assert 2 <= len(found) <= 8
    step = found[1] - found[0]
    assert found[0] <= low + 1e-6 * step
    assert found[-1] >= high - 1e-6 * step


def test_pictures_need_nothing_installed() -> None:
    code = (
        "import sys; from hornbeam.show import cluster_map, dendrogram, parallel_coordinates; "
        "print([name for name in ('sklearn', 'scipy', 'pandas', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
