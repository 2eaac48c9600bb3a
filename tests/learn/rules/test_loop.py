"""The separate-and-conquer loop and its kernels against naive counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.rule_sets import Rule, grow, rows_of
from strategies import tables

import hornbeam
from hornbeam.core.rules.cover import AT_LEAST, AT_MOST, IN
from hornbeam.core.rules.pruning import deal
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.compat.weka import MULTIPLIER, STATE_MASK, JavaRandom, shuffled
from hornbeam.learn.rules.grower import MEASURES, RuleGrower
from hornbeam.learn.rules.irep import IrepClassifier
from hornbeam.learn.rules.ripper import RipperClassifier
from hornbeam.learn.rules.row_order import own_order
from hornbeam.learn.rules.separate_and_conquer import Dealer, Found, separate_and_conquer

Steps = tuple[Any, ...]

SIGNS = {AT_MOST: "<=", AT_LEAST: ">=", IN: "="}


def in_words(steps: Steps) -> Rule:
    return [(step[0], SIGNS[step[1]], float(step[3][0]) if step[1] == IN else step[2]) for step in steps]


def in_steps(rule: Rule) -> Steps:
    relations = {sign: relation for relation, sign in SIGNS.items()}
    return tuple(
        (column, relations[sign], value, (int(value),) if sign == "=" else (), 0.0, 0.0) for column, sign, value in rule
    )


def drawn(table: Table) -> Table | None:
    """The rows to learn from; None where there are none."""
    if not table.n_rows or (table.weights is not None and not table.weights.any()):
        return None
    return usable(table)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("measure", sorted(MEASURES))
@given(data=st.data())
def test_rules_grow_as_in_the_reference(measure: str, weighted: bool, data: st.DataObject) -> None:
    table = drawn(data.draw(tables(weighted=weighted)))
    if table is None:
        return
    grower, naive = RuleGrower(table, as_given=True), rows_of(table)
    label = data.draw(st.integers(0, grower.n_classes - 1))
    rows = np.array(data.draw(st.permutations(range(table.n_rows)))[: max(1, 2 * table.n_rows // 3)], np.int32)
    least = data.draw(st.sampled_from([0.0, 2.0]))
    first = grower.grow(rows, label, measure, least)
    assert in_words(first) == grow(naive, rows.tolist(), label, [], measure, least)
    # from a beginning, on other rows: nothing of the rule before is left over
    start = first[:1]
    assert in_words(grower.grow(grower.all_rows, label, measure, least, start)) == grow(
        naive, list(range(table.n_rows)), label, in_words(start), measure, least
    )


@given(data=st.data())
def test_a_rule_narrows_rows_condition_by_condition(data: st.DataObject) -> None:
    table = drawn(data.draw(tables(weighted=True)))
    if table is None:
        return
    grower, naive = RuleGrower(table, as_given=True), rows_of(table)
    body = grower.grow(grower.all_rows, 0, "gain", 0.0)
    covered, right, hit = grower.narrow(body, grower.all_rows, 0)
    for size in range(1, len(body) + 1):
        inside = naive.covered(in_words(body)[:size], list(range(table.n_rows)))
        assert covered[size - 1] == naive.weigh(inside)
        assert right[size - 1] == naive.weigh(inside, naive.of_class(0))
    assert hit.tolist() == naive.covered(in_words(body), list(range(table.n_rows)))
    holds = np.ones(table.n_rows)
    for condition in grower.conditions(body):
        holds *= condition.holds(table)
    assert np.flatnonzero(holds).tolist() == hit.tolist()


@given(data=st.data())
def test_what_is_covered_is_removed(data: st.DataObject) -> None:
    table = drawn(data.draw(tables(weighted=True)))
    if table is None:
        return
    grower = RuleGrower(table, as_given=True)
    seen: list[np.ndarray] = []

    def find(rows: Any) -> tuple[int, Steps] | None:
        seen.append(rows)
        label = int(grower.classes[rows[0]])
        fresh = RuleGrower(
            table, as_given=True
        )  # a rule grown on lists from which rows were dropped is one grown on those rows
        body = grower.grow(rows, label, "gain", 0.0)
        assert in_words(body) == in_words(fresh.grow(rows, label, "gain", 0.0))
        return label, body

    def accept(found: Found) -> bool:
        return found.cover.right > 0

    rules, left = separate_and_conquer(grower, grower.all_rows, find, accept)
    together = np.concatenate([left, *(found.cover.rows for found in rules)])
    assert sorted(together.tolist()) == list(range(table.n_rows))  # every row once
    for found, before, after in zip(rules, seen, [*seen[1:], left], strict=False):
        assert set(after.tolist()) == set(before.tolist()) - set(found.cover.rows.tolist())
        assert not len(grower.cover(found.body, after, found.label).rows)


def test_the_loop_ends_where_it_is_told_to() -> None:
    grower = RuleGrower(hornbeam.read("iris"))
    everything = lambda rows: (0, ())  # noqa: ARG005, E731
    rules, left = separate_and_conquer(grower, grower.all_rows, everything, lambda _: True)
    assert [found.cover.covered for found in rules] == [150.0]
    assert not len(left)
    assert separate_and_conquer(grower, grower.all_rows, everything, lambda _: False)[0] == []
    assert separate_and_conquer(grower, grower.all_rows, lambda _: None, lambda _: True)[0] == []
    some = lambda rows: (0, in_steps([(2, "<=", float(grower.table.columns[2][rows].min()))]))  # noqa: E731
    assert len(separate_and_conquer(grower, grower.all_rows, some, lambda _: True)[0]) == 43
    assert len(separate_and_conquer(grower, grower.all_rows, some, lambda _: True, goal=lambda _: True)[0]) == 1


def test_lists_of_rows_come_back() -> None:
    grower = RuleGrower(hornbeam.read("iris"))
    whole = in_words(grower.grow(grower.all_rows, 1, "gain", 0.0))
    half = grower.all_rows[::2].copy()
    grower.engine.restore(half)
    kept = in_words(grower.grow(half, 1, "gain", 0.0))
    grower.engine.remove(half[:40])
    dropped = in_words(grower.grow(half[40:], 1, "gain", 0.0))
    grower.engine.restore(half)
    assert in_words(grower.grow(half, 1, "gain", 0.0)) == kept
    assert len({str(whole), str(kept), str(dropped)}) == 3


@pytest.mark.parametrize("learner", [RipperClassifier(), RipperClassifier(prune=None), IrepClassifier()])
@given(table=tables(weighted=True, most_rows=60))
def test_figures_of_rules_are_of_the_rows_that_reach_them(learner: Any, table: Table) -> None:
    rows = drawn(table)
    if rows is None:
        return
    model = learner.fit(rows).model_
    model.validate()
    fired = model.fired(rows)
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    for place, rule in [*enumerate(model.rules), (-1, model.default)]:
        reached = weights[fired == place]
        expected = np.bincount(rows.target_values()[fired == place], reached, minlength=len(rule.value))
        assert rule.value == pytest.approx(expected)
        assert rule.coverage == pytest.approx(reached.sum())
        assert rule.errors == pytest.approx(reached.sum() - expected[rule.label])


@given(
    groups=st.lists(st.integers(0, 3), min_size=1, max_size=40),
    folds=st.integers(2, 5),
    seed=st.integers(0, 1 << 40),
)
def test_rows_are_dealt_as_the_generator_says(groups: list[int], folds: int, seed: int) -> None:
    rows = np.arange(len(groups), dtype=np.int32)[::-1].copy()
    state = np.array([(seed ^ MULTIPLIER) & STATE_MASK], np.uint64)
    dealt = deal(rows, np.array(groups, np.int32), 4, folds, state)
    random = JavaRandom(seed)
    together: list[int] = []
    for group in range(4):
        bag = [row for row in rows.tolist() if groups[row] == group]
        together += [bag[place] for place in shuffled(len(bag), random)]
    assert dealt.tolist() == [row for first in range(folds) for row in together[first::folds]]
    assert int(state[0]) == random.state


def test_every_part_has_its_share_of_every_class() -> None:
    classes = np.repeat([0, 1, 2], [90, 30, 6])
    dealer = Dealer(classes, 3, 1)
    rows = np.arange(len(classes), dtype=np.int32)
    growing, pruning = dealer.parts(dealer.deal(rows))
    assert np.bincount(classes[growing]).tolist() == [60, 20, 4]
    assert np.bincount(classes[pruning]).tolist() == [30, 10, 2]
    again, _ = dealer.parts(dealer.deal(rows))
    assert set(again.tolist()) != set(growing.tolist())  # divided anew


def test_a_long_list_of_rows_is_grown_from_in_any_order() -> None:
    random = np.random.default_rng(0)
    schema = Schema(
        (Numeric("x"), Nominal("c", ("a", "b", "c")), Nominal("y", ("n", "p"))), ("feature", "feature", "target")
    )
    values, codes = random.random(3000), random.integers(-1, 3, 3000)
    truth = ((values > 0.4) & (codes == 1)).astype(int)
    grower = RuleGrower(Table(schema, [np.where(random.random(3000) < 0.1, np.nan, values), codes, truth]))
    for size in (3000, 150, 20):  # more and fewer than those that are put in order
        rows = random.permutation(3000)[:size].astype(np.int32)
        assert in_words(grower.grow(rows, 1, "gain", 1.0)) == in_words(grower.grow(np.sort(rows), 1, "gain", 1.0))


@given(data=st.data())
def test_rows_have_an_order_of_their_own(data: st.DataObject) -> None:
    table = drawn(data.draw(tables(weighted=True)))
    if table is None:
        return
    turned = table.take(np.array(data.draw(st.permutations(range(table.n_rows)))))
    (rows, weights), (other, their_weights) = own_order(table), own_order(turned)
    one, two = table.take(rows), turned.take(other)
    kept = [*table.schema.features, table.schema.target]
    assert all(np.array_equal(one.columns[i], two.columns[i], equal_nan=i in table.schema.features) for i in kept)
    assert (weights is None) == (their_weights is None)
    assert weights is None or np.array_equal(weights, np.asarray(their_weights))


def test_whole_weights_are_repeated_rows_unless_there_are_too_many() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("n", "p")), Numeric("w")), ("feature", "target", "weight"))

    def order(weights: list[float]) -> tuple[list[int], list[float] | None]:
        rows, kept = own_order(Table(schema, [[3.0, 1.0, 2.0], [0, 1, 0], weights]))
        return rows.tolist(), None if kept is None else kept.tolist()

    rows, kept = order([1, 3, 2])
    assert (np.bincount(rows).tolist(), kept) == ([1, 3, 2], None)
    rows, kept = order([1, 0.5, 2])
    assert sorted(zip(rows, kept or (), strict=True)) == [(0, 1.0), (1, 0.5), (2, 2.0)]
    rows, kept = order([1e9, 1, 2])
    assert sorted(zip(rows, kept or (), strict=True)) == [(0, 1e9), (1, 1.0), (2, 2.0)]
