"""What clusters are like, against sums over the rows; as text, as a table and as JSON."""

from __future__ import annotations

import json
from typing import Any

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
from hornbeam.model.clusters.clustering import Profile, Trait

CATEGORIES = ("red", "green <b>", "blue\x1b[31m")


def drawn(seed: int, n_rows: int, *, weighted: bool = False) -> Table:
    random = np.random.default_rng(seed)
    number = np.where(random.random(n_rows) < 0.2, np.nan, random.normal(size=n_rows) * 3 + 1e6)
    code = np.where(random.random(n_rows) < 0.2, -1, random.integers(0, 3, n_rows)).astype(np.int32)
    columns: list[Any] = [Numeric("number"), Nominal("code", CATEGORIES)]
    roles: list[Any] = ["feature", "feature"]
    arrays: list[Any] = [number, code]
    if weighted:
        columns, roles = [*columns, Numeric("weight")], [*roles, "weight"]
        arrays.append(random.integers(1, 4, n_rows).astype(float))
    return Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)


def parts(table: Table, place: int, inside: np.ndarray) -> tuple[Any, ...]:
    """Values and weights of a column's known values inside a cluster, and outside."""
    values = table.columns[place]
    known = values >= 0 if values.dtype.kind == "i" else ~np.isnan(values)
    weights = np.ones(len(values)) if table.weights is None else np.asarray(table.weights)
    return tuple((values[known & side], weights[known & side]) for side in (inside, ~inside))


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 4), st.booleans())
def test_traits_are_sums_over_the_rows(seed: int, n_rows: int, k: int, weighted: bool) -> None:
    table = drawn(seed, n_rows, weighted=weighted)
    labels = np.random.default_rng(seed).integers(0, k, n_rows)
    told = Profile.of(table, labels, k).describe(table.schema)
    assert sum(one.rows for one in told) == n_rows
    assert sum(one.share for one in told) == pytest.approx(1)
    for one in told:
        traits = {trait.column: trait for trait in one.traits}
        assert [abs(t.apart) for t in one.traits] == sorted((abs(t.apart) for t in one.traits), reverse=True)
        (here, w), (other, v) = parts(table, 0, labels == one.cluster)
        check_number(traits["number"], here, w, other, v)
        (here, w), (other, v) = parts(table, 1, labels == one.cluster)
        check_category(traits["code"], here, w, other, v)


def check_number(trait: Trait, here: Any, w: Any, other: Any, v: Any) -> None:
    if not len(here):
        assert trait.typical is None
        assert trait.apart == 0
        return
    assert trait.typical == pytest.approx(np.average(here, weights=w))
    if not len(other):
        assert (trait.rest, trait.apart) == (None, 0)
        return
    both, weights = np.concatenate([here, other]), np.concatenate([w, v])
    width = np.sqrt(np.average((both - np.average(both, weights=weights)) ** 2, weights=weights))
    assert trait.rest == pytest.approx(np.average(other, weights=v))
    apart = (np.average(here, weights=w) - np.average(other, weights=v)) / width
    assert trait.apart == pytest.approx(apart, abs=1e-6)


def check_category(trait: Trait, here: Any, w: Any, other: Any, v: Any) -> None:
    if not len(here):
        assert (trait.typical, trait.distinctive, trait.apart) == (None, None, 0)
        return
    inside = np.bincount(here, w, minlength=3) / w.sum()
    assert trait.typical == CATEGORIES[int(inside.argmax())]
    assert trait.spread == pytest.approx(inside.max())
    if not len(other):
        assert (trait.rest, trait.distinctive, trait.apart) == (None, None, 0)
        return
    outside = np.bincount(other, v, minlength=3) / v.sum()
    whole = (inside * w.sum() + outside * v.sum()) / (w.sum() + v.sum())
    width = np.sqrt(whole * (1 - whole))
    apart = np.divide(inside - outside, width, out=np.zeros(3), where=width > 0)
    assert abs(trait.apart) == pytest.approx(np.abs(apart).max(), abs=1e-9)
    assert trait.distinctive is not None
    code = CATEGORIES.index(trait.distinctive)
    assert trait.apart == pytest.approx(apart[code], abs=1e-9)
    assert (trait.distinctive_share, trait.distinctive_rest) == pytest.approx((inside[code], outside[code]))
    assert trait.rest == pytest.approx(outside[int(inside.argmax())])


def test_the_typical_category_tells_where_another_tells_no_more() -> None:
    table = Table(Schema((Nominal("code", ("a", "b")),)), [np.array([0, 0, 1, 1, 1, 0], np.int32)])
    told = Profile.of(table, np.array([0, 0, 0, 1, 1, 1]), 2).describe(table.schema)
    assert [one.traits[0].distinctive for one in told] == ["a", "b"]
    three = Table(Schema((Nominal("code", ("a", "b", "c")),)), [np.array([0, 0, 0, 1, 1, 0, 0, 0, 2, 2], np.int32)])
    trait = Profile.of(three, np.repeat([0, 1], 5), 2).describe(three.schema)[0].traits[0]
    assert (trait.typical, trait.distinctive, trait.distinctive_rest) == ("a", "b", 0.0)


LEARNERS = [
    KMeans(2, random_state=0),
    MixtureModel(2, tol=1e-3, random_state=0),
    HierarchicalClustering(2),
    Cobweb(cutoff=0.01),
    SpectralClustering(2, random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_every_learner_describes_in_every_form(learner: Any) -> None:
    table = drawn(3, 40)
    fitted = learner.fit(table)
    described = fitted.describe()
    assert [one.rows for one in described] == np.bincount(fitted.labels_, minlength=len(described)).tolist()
    listed = hornbeam.show.text(fitted, "describe")
    assert f"40 rows in {len(described)} clusters" in listed
    for one in described:
        assert f"cluster {one.cluster}: {one.rows} row" in listed
    tabled = hornbeam.show.text(fitted, "table")
    assert "all rows" in tabled.splitlines()[2]
    for written in (listed, tabled):
        assert "\x1b" not in written
    plain = json.loads(hornbeam.export.json(fitted))
    assert plain["kind"] == "clusters"
    assert [one["rows"] for one in plain["clusters"]] == [one.rows for one in described]
    assert plain["clusters"][0]["traits"][0]["apart"] == described[0].traits[0].apart


def test_dendrograms_and_concepts_write_their_trees_as_json() -> None:
    model = HierarchicalClustering(3).fit(hornbeam.read("iris")).model_
    plain = json.loads(hornbeam.export.json(model))
    assert plain["cut"] == {"clusters": 3}
    assert len(plain["joinings"]) == 149
    told = [joining for joining in plain["joinings"] if "traits" in joining]
    assert sorted(joining["rows"] for joining in told)[-2:] == [100, 150]
    assert len(told) == 5  # three clusters and two joinings above them
    concepts = Cobweb().fit(hornbeam.read("weather")).model_
    plain = json.loads(hornbeam.export.json(concepts))
    assert [concept["parent"] for concept in plain["concepts"]] == concepts.parent.tolist()
    assert plain["concepts"][0]["rows"] == 14


def test_a_wide_table_is_cut_into_blocks_and_dates_are_dates() -> None:
    days = np.array([0.0, 1, 2, 100, 101, 102]) * 86_400
    table = Table(Schema((Numeric("day", "%Y-%m-%d"), Numeric("x"))), [days, np.arange(6.0)])
    fitted = KMeans(2, random_state=0).fit(table)
    assert "1970-01-02 ± 0.82 days" in hornbeam.show.text(fitted)
    assert "1970-04-12 elsewhere" in hornbeam.show.text(fitted)
    many = KMeans(9, random_state=0).fit(hornbeam.read("iris"))
    lines = hornbeam.show.text(many, "table").splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.startswith("petalwidth") for line in lines) > 1
    heads = [int(word) for line in lines for word in line.split("cluster ")[1:] if word.strip().isdigit()]
    assert heads == list(range(9))


def test_equal_values_have_no_deviation() -> None:
    """It read: 2009 ± 8e-16."""
    years = np.repeat([2007.1, 2009.1], [33, 31])
    table = Table(Schema((Numeric("year"), Numeric("x")), ("feature", "feature"), "t"), [years, np.arange(64.0) // 33])
    text = hornbeam.show.text(KMeans(2, random_state=0).fit(table))
    lines = [line.split() for line in text.splitlines() if line.startswith("  ")]
    assert sorted(line[:5] for line in lines) == [
        ["x", "0", "±", "0", "1"],
        ["x", "1", "±", "0", "0"],
        ["year", "2007", "±", "0", "2009"],
        ["year", "2009", "±", "0", "2007"],
    ]


def test_styles_of_clusters_are_for_clusters() -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    with pytest.raises(ValueError, match="'describe' is for clusters"):
        hornbeam.show.text(tree, "describe")
    with pytest.raises(ValueError, match="max_depth and p_values are only for trees"):
        hornbeam.show.text(Cobweb().fit(hornbeam.read("weather")), "table", max_depth=1)
