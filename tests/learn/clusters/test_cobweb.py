"""COBWEB: the tree that the description gives, in any number of calls, and what it says of its concepts."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.concepts import Concept, Rows, add

import hornbeam
from hornbeam import Cobweb, Nominal, Numeric, Schema, Table
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes

if TYPE_CHECKING:
    from hornbeam.model.clusters.concepts import ConceptTree


def drawn(seed: int, n_rows: int, sizes: list[int], missing: float, *, spread: float = 1.0) -> Table:
    """Rows without ties among numbers: the reference and the kernel round differently."""
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, n_rows)
    columns: list[Any] = []
    arrays = []
    for place, size in enumerate(sizes):
        gone = random.random(n_rows) < missing
        if size:
            codes = np.where(random.random(n_rows) < 0.7, group % size, random.integers(0, size, n_rows))
            columns.append(Nominal(f"c{place}", tuple(f"v{code}" for code in range(size))))
            arrays.append(np.where(gone, -1, codes).astype(np.int32))
        else:
            columns.append(Numeric(f"c{place}"))
            values = spread * (3 * group + random.normal(size=n_rows)) + 100
            arrays.append(np.where(gone, np.nan, values))
    return Table(Schema(tuple(columns), ("feature",) * len(columns)), arrays)


def shape(tree: ConceptTree, leaves: np.ndarray, node: int = 0) -> Any:
    if not tree.n_children[node]:
        return tuple(np.flatnonzero(leaves == node).tolist())
    first = tree.first_child[node]
    return frozenset(shape(tree, leaves, child) for child in range(first, first + tree.n_children[node]))


def by_the_book(table: Table, acuity: float, cutoff: float, weights: list[float] | None = None) -> Any:
    sizes = [len(c.categories) if isinstance(c, Nominal) else 0 for c in table.schema.columns]
    columns = [np.where(a < 0, np.nan, a) if size else a for a, size in zip(table.columns, sizes, strict=True)]
    values = np.array(columns, np.float64).T.tolist()
    rows = Rows(values, sizes, weights or [1.0] * table.n_rows, acuity, cutoff)
    root = Concept()
    for row in range(table.n_rows):
        add(rows, root, row)
    return root.shape()


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(1, 24),
    sizes=st.sampled_from([[0], [0, 0], [3], [2, 3, 4], [0, 3], [0, 2, 0, 5], [2, 2, 2, 2, 2]]),
    missing=st.sampled_from([0.0, 0.0, 0.3]),
    acuity=st.sampled_from([0.1, 0.5, 1.0]),
    cutoff=st.sampled_from([0.0, 0.003, 0.1]),
)
def test_the_tree_is_that_of_the_description(
    seed: int, n_rows: int, sizes: list[int], missing: float, acuity: float, cutoff: float
) -> None:
    table = drawn(seed, n_rows, sizes, missing)
    model = Cobweb(acuity, cutoff=cutoff).fit(table)
    assert shape(model.model_, model.leaves_) == by_the_book(table, acuity, cutoff)
    model.model_.validate()


def test_weights_count_as_the_description_says() -> None:
    table = drawn(5, 20, [0, 3, 0], 0.1)
    weights = np.random.default_rng(0).uniform(0.5, 3, 20)
    model = Cobweb(0.5).fit(table, sample_weight=weights)
    assert shape(model.model_, model.leaves_) == by_the_book(table, 0.5, Cobweb().cutoff, weights.tolist())
    assert model.model_.weight[0] == pytest.approx(weights.sum())
    assert model.describe()[0].rows == (model.labels_ == 0).sum()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), cut=st.integers(1, 39))
def test_in_two_calls_as_in_one(seed: int, cut: int) -> None:
    table = drawn(seed, 40, [0, 3, 2], 0.1)
    once, twice = Cobweb(0.5).fit(table), Cobweb(0.5)
    twice.partial_fit(table.take(np.arange(cut)))
    twice = pickle.loads(pickle.dumps(twice))  # noqa: S301 - our own
    twice.partial_fit(table.take(np.arange(cut, 40)))
    # The origin of the first call is another, and so is the rounding: the shapes are compared, not the digits.
    assert shape(twice.model_, twice.leaves_) == shape(once.model_, once.leaves_)
    assert len(twice.labels_) == 40


def test_figures_are_those_of_the_rows_below() -> None:
    table = drawn(3, 60, [0, 4, 0], 0.2)
    fitted = Cobweb(0.3, level=None).fit(table)
    model = fitted.model_
    for node in range(model.n_nodes):
        below = {node}
        for child in range(node + 1, model.n_nodes):
            if model.parent[child] in below:
                below.add(child)
        rows = np.isin(fitted.leaves_, list(below))
        told = {trait.column: trait for trait in model.describe_nodes()[node].traits}
        assert model.describe_nodes()[node].rows == rows.sum()
        numbers = table.columns[0][rows]
        if not np.isnan(numbers).all():
            assert told["c0"].typical == pytest.approx(np.nanmean(numbers))
            assert told["c0"].spread == pytest.approx(np.nanstd(numbers), abs=1e-6)
    assert (fitted.labels_ == np.searchsorted(model.clusters, fitted.leaves_)).all()


def test_levels_are_cuts_of_one_tree() -> None:
    table = drawn(1, 50, [0, 3], 0.0)
    whole, top, second, leaves = (Cobweb(0.5, level=level).fit(table) for level in (0, 1, 2, None))
    assert whole.model_.n_clusters == 1
    assert top.model_.n_clusters == top.model_.n_children[0]
    assert top.model_.n_clusters <= second.model_.n_clusters <= leaves.model_.n_clusters
    for fitted in (top, second, leaves):
        assert len(np.unique(fitted.labels_)) == fitted.model_.n_clusters == len(fitted.describe())


def test_rows_find_their_own_concept() -> None:
    table = drawn(2, 120, [0, 0], 0.0, spread=10.0)
    fitted = Cobweb(1.0).fit(table)
    assert (fitted.predict(table) == fitted.labels_).mean() > 0.95
    matrix = np.array(table.columns).T
    again = Cobweb(1.0).fit(matrix)
    assert (again.labels_ == fitted.labels_).all()
    assert (again.predict(matrix) == fitted.predict(table)).all()


def test_rows_alike_are_one_leaf_and_one_row_is_a_tree() -> None:
    same = Cobweb().fit(np.ones((7, 2)))
    assert same.model_.n_nodes == 1
    assert same.labels_.tolist() == [0] * 7
    one = Cobweb().fit(np.array([[1.0, 2.0]]))
    assert one.model_.n_nodes == 1
    nothing = Table(Schema((Numeric("x"),), ("feature",)), [np.full(4, np.nan)])
    assert Cobweb().fit(nothing).labels_.tolist() == [0] * 4
    assert Cobweb().fit(nothing).describe()[0].traits[0].typical is None


def test_far_numbers_keep_their_digits() -> None:
    table = drawn(9, 40, [0, 0], 0.0)
    near = Cobweb(0.5).fit(np.array(table.columns).T)
    far = Cobweb(0.5).fit(np.array(table.columns).T + 1e9)
    assert shape(far.model_, far.leaves_) == shape(near.model_, near.leaves_)


def test_a_model_file_gives_the_same_tree_and_grows_on() -> None:
    table = drawn(4, 40, [0, 3], 0.1)
    fitted = Cobweb(0.5).fit(table)
    read = from_bytes(to_bytes(fitted.model_))
    assert read.same_as(fitted.model_)
    assert (read.predict(table) == fitted.predict(table)).all()
    grown = Cobweb.from_model(read).partial_fit(table)
    assert grown.model_.weight[0] == 80
    assert len(grown.labels_) == 40


@pytest.mark.parametrize("change", ["parent", "first_child", "figures", "weight", "acuity", "level"])
def test_a_model_that_contradicts_itself_is_refused(change: str) -> None:
    model = Cobweb(0.5).fit(drawn(4, 30, [0, 3], 0.0)).model_
    wrong: dict[str, Any] = {
        "parent": np.roll(model.parent, 1),
        "first_child": np.where(model.first_child > 0, 0, model.first_child),
        "figures": model.figures[:, 1:],
        "weight": -model.weight,
        "acuity": 0.0,
        "level": -1,
    }
    with pytest.raises(ModelError):
        replace(model, **{change: wrong[change]}).validate()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"acuity": 0}, "acuity is 0"), ({"acuity": -1}, "acuity"), ({"cutoff": -0.1}, "cutoff"), ({"level": -1}, "level"),
     ({"order": "any"}, "order"), ({"compat": "x"}, "compat")],
)  # fmt: skip
def test_wrong_parameters_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Cobweb(**parameters).fit(np.arange(8.0).reshape(4, 2))


def test_shuffled_rows_come_by_the_seed() -> None:
    table = hornbeam.read("iris")
    one, other = (Cobweb(0.3, order="shuffled", random_state=seed).fit(table) for seed in (1, 2))
    again = Cobweb(0.3, order="shuffled", random_state=1).fit(table)
    assert again.model_.same_as(one.model_)
    assert not other.model_.same_as(one.model_)


def test_category_utility_is_the_textbook_s() -> None:
    """Golden G15: the nominal and the numeric form, by brute force; and the greatest numerator."""
    for name in ("weather", "weather.numeric"):
        table = hornbeam.read(name)
        table = table.select(list(table.schema.features))
        fitted = Cobweb().fit(table)
        sizes = [len(c.categories) if isinstance(c, Nominal) else 0 for c in table.schema.columns]
        values = np.array(table.columns, np.float64).T.tolist()
        rows = Rows(values, sizes, [1.0] * 14, 1.0, 0.0)
        parts = [np.flatnonzero(fitted.labels_ == label).tolist() for label in range(fitted.model_.n_clusters)]
        assert fitted.model_.category_utility() == pytest.approx(rows.utility(parts), abs=1e-9)
        if not any(sizes) or 0 in sizes:
            continue
        # Every row a part of its own: m minus the sum of squared shares is all there is to win.
        alone = rows.utility([[row] for row in range(14)]) * 14
        shares = sum(((np.bincount(codes) / 14) ** 2).sum() for codes in table.columns)
        assert alone == pytest.approx(len(sizes) - shares, abs=1e-9)
        assert math.isclose(rows.worth(list(range(14))), shares, abs_tol=1e-9)
