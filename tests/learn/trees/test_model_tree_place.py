"""Where a cut of a model tree may lie, against its likelihood worked out anew; cuts that are one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.model_trees.recut import MOST_LOST, Place, place_of, shared

NUMBERS = st.floats(-5, 5).map(lambda x: round(x, 2))


@given(st.lists(st.tuples(st.integers(0, 12), NUMBERS), min_size=2, max_size=30), st.floats(0.1, 4))
def test_a_place_is_the_likelihood_of_every_cut(rows: list[tuple[int, float]], noise: float) -> None:
    rows = sorted(rows)
    values, swing = np.array([float(value) for value, _ in rows]), np.array([each for _, each in rows])
    place = place_of(values, swing, noise)
    different = sorted(set(values.tolist()))
    if len(different) == 1:
        assert place is None
        return
    assert place is not None
    assert place.values.tolist() == different
    likelihood = np.array([np.exp(-swing[values <= value].sum() / (2 * noise)) for value in different[:-1]])
    assert place.cost == pytest.approx(np.log(likelihood.max() / likelihood), abs=1e-9)
    mass = likelihood * np.diff(different)
    at = int(np.searchsorted(different, place.middle, side="right")) - 1
    # no more than half of the mass lies on either side of the interval that holds the middle
    assert max(mass[:at].sum(), mass[at + 1 :].sum()) <= (0.5 + 1e-9) * mass.sum()


def test_without_noise_the_least_error_decides() -> None:
    place = place_of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([-1.0, -1.0, 1.0, 1.0]), 0.0)
    assert place is not None
    assert place.middle == 2.5


def test_rows_for_which_either_side_would_do_leave_the_cut_in_their_middle() -> None:
    # two rows that belong below, seven for which it does not matter, two that belong above
    place = place_of(np.arange(11.0), np.array([-9.0, -9, 0, 0, 0, 0, 0, 0, 0, 9, 9]), 1.0)
    assert place is not None
    assert place.middle == 4.5


def test_middles_of_neighboring_and_of_huge_numbers_part_them() -> None:
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    huge = np.array([-1.7e308, 1.7e308])
    for values in (close, huge):
        place = place_of(values, np.array([-1.0, 1.0]), 1.0)
        assert place is not None
        assert values[0] <= place.middle < values[1]


def at(values: list[float], cost: list[float], node: int, block: tuple[int, int]) -> Place:
    """A place in column 0."""
    return Place(np.array(values), np.array(cost), 0, (node,), (block,))


def test_joined_places_add_up_what_they_cost() -> None:
    one = at([0.0, 1.0, 2.0, 3.0], [4.0, 0.0, 5.0], 1, (0, 10))
    other = at([0.5, 1.5, 4.0], [1.0, 0.0], 2, (10, 20))
    both = one.joined(other)
    assert both is not None
    assert both.values.tolist() == [0.5, 1.0, 1.5, 2.0, 3.0]
    assert both.cost.tolist() == [5.0, 1.0, 0.0, 5.0]
    assert both.nodes == (1, 2)
    assert one.joined(at([3.0, 4.0], [0.0], 2, (10, 20))) is None  # no place in common
    assert one.joined(replace(other, blocks=((5, 10),))) is None  # below the other in the tree


def test_cuts_are_one_where_that_costs_little() -> None:
    one = at([0.0, 1.0, 2.0], [0.0, MOST_LOST - 0.1], 1, (0, 10))
    near = at([0.0, 1.0, 2.0], [5.0, 0.0], 2, (10, 20))
    far = replace(near, cost=np.array([MOST_LOST + 2, 0.0]))
    surely = replace(one, cost=np.array([0.0, MOST_LOST + 0.1]))
    found = shared([one, near])
    assert [place.nodes for place in found] == [(1, 2)]
    assert found[0].middle == 1.5
    assert sorted(place.nodes for place in shared([surely, far])) == [(1,), (2,)]
    assert len(shared([one, replace(near, column=1)])) == 2
    assert len(shared([one, replace(near, blocks=((0, 5),))])) == 2


def test_a_break_found_in_two_branches_is_cut_at_one_place() -> None:
    random = np.random.default_rng(8)
    x, z = random.uniform(size=(2, 3000))
    side = random.integers(0, 2, 3000).astype(np.int32)
    step = np.where(x > 0.4, 3.0, 0.0)
    y = np.where(side == 1, 50 + 40 * z + step, -40 * z - step) + 0.5 * random.normal(size=3000)
    columns = (Numeric("x"), Numeric("z"), Nominal("side", ("low", "high")), Numeric("y"))
    table = Table(Schema(columns, ("feature", "feature", "feature", "target")), [x, z, side, y])
    tree = hornbeam.M5Regressor(criterion="linear-error").fit(table).model_
    cuts = tree.splits.cuts[(tree.splits.column[tree.splits.kind == 0] == 0) & (abs(tree.splits.cuts - 0.4) < 0.02)]
    assert len(cuts) == 2
    assert cuts[0] == cuts[1]
    tree.validate()


@pytest.mark.parametrize("seed", [0, 1, 8])
def test_every_node_has_the_rows_that_its_prediction_is_for(seed: int) -> None:
    """A node that would lose all its rows keeps the cuts above it; the counts are those of the cuts."""
    table = hornbeam.read("auto-mpg")
    weights = np.random.default_rng(seed).integers(1, 4, table.n_rows).astype(float)
    tree = hornbeam.M5Regressor(criterion="linear-error").fit(table, sample_weight=weights).model_
    start, nodes, _ = tree.decision_path(table)
    rows = np.repeat(np.arange(table.n_rows), np.diff(start))
    assert np.bincount(nodes, minlength=tree.n_nodes).tolist() == tree.rows.tolist()
    assert np.bincount(nodes, weights[rows], minlength=tree.n_nodes) == pytest.approx(tree.weight)
    assert (tree.rows > 0).all()
    tree.validate()
