"""Sets and intervals at the leaves: against a naive program row by row, and against fresh rows of a known process."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from simulated import covered, draw
from strategies import Random, fill_table, randoms, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.evaluate import CalibratedModel, calibrate, conformal
from hornbeam.evaluate.coverage.conformal_parts import Parts, least_rows, places_of
from hornbeam.model.rules.exceptions import decided_by
from hornbeam.model.rules.exceptions import places as places_in

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

KINDS = st.sampled_from([{}, {"surrogates": True}, {"target": "numeric"}, {"single_cuts": True}])
COVERAGES = (0.5, 0.8, 0.9)


@st.composite
def cases(draw_from: st.DrawFn) -> tuple[Tree, Table, float]:
    tree = draw_from(KINDS.flatmap(lambda kind: trees(**kind)))
    random: Random = draw_from(randoms())
    table = fill_table(random, tree.schema, random.choice((25, 60)), random.choice((0.0, 0.2)))
    return tree, table, random.choice(COVERAGES)


def weighing(table: Table) -> list[int]:
    return [row for row in range(table.n_rows) if table.weights is None or table.weights[row] > 0]


def naive_shares(tree: Tree, node: int) -> list[float]:
    """Class shares of a node with one row's worth of the node above."""
    n_classes = tree.value.shape[1]
    above = [1 / n_classes] * n_classes if node == 0 else naive_shares(tree, int(tree.parent[node]))
    total = float(tree.value[node].sum()) + 1
    return [(float(tree.value[node, code]) + above[code]) / total for code in range(n_classes)]


@given(cases())
def test_leaves_promise_what_a_naive_program_says(case: tuple[Tree, Table, float]) -> None:
    tree, table, coverage = case
    rows = weighing(table)
    assume(len(rows) >= least_rows(coverage))
    found = calibrate(tree, table, coverage)
    ends, answers, truth = tree.apply(table).tolist(), tree.predict_codes(table), table.target_values()
    counts = np.bincount([ends[row] for row in rows], minlength=tree.n_nodes)
    assert {ends[row] for row in rows} <= {leaf.node for leaf in found.nodes}
    classes = tree.task == "classification"

    def surprise(node: int, code: int) -> float:
        return round(1 - naive_shares(tree, node)[code], 9)

    for leaf in found.nodes:
        part = Parts(tree.parent, counts, least_rows(coverage)).of(leaf.node)
        beside = [row for row in rows if ends[row] in part.members]
        assert (leaf.rows, leaf.own_rows) == (len(beside), counts[leaf.node])
        needed = math.ceil(Fraction(str(coverage)) * (len(beside) + 1))
        if classes:
            scores = [surprise(ends[row], int(truth[row])) for row in beside]
            names = tree.schema.target_column.categories  # type: ignore[union-attr]
            order = sorted(range(len(names)), key=lambda code: (surprise(leaf.node, code), code))
            below = [sum(score < surprise(leaf.node, code) for score in scores) for code in range(len(names))]
            wanted = [names[code] for code in order if below[code] < needed or code == order[0]]
            assert leaf.classes is not None
            assert leaf.p_values is not None
            assert set(leaf.classes) == set(wanted)
            assert np.allclose(leaf.p_values, [(len(beside) - count + 1) / (len(beside) + 1) for count in below])
        else:
            scores = sorted(abs(float(truth[row]) - float(answers[row])) for row in beside)
            assert leaf.half_width == scores[needed - 1]
            if tree.weight[leaf.node] > 0:
                assert leaf.low == tree.value[leaf.node, 1] - leaf.half_width
    json.dumps(found.to_json(), allow_nan=False)
    assert found.coverage_statement() in found.text()


@given(cases())
def test_so_many_of_the_rows_that_vouch_are_covered(case: tuple[Tree, Table, float]) -> None:
    tree, table, coverage = case
    table = table.take(np.array(weighing(table), np.intp))
    assume(table.n_rows >= least_rows(coverage))
    found = calibrate(tree, table, coverage)
    ends = tree.apply(table)
    held = _held(found, table)
    exact = table.target_values()
    if tree.task == "regression":
        low, high = found.predict_interval(table)
        assert found.covered(table) == ((low <= exact) & (exact <= high)).mean()
    else:
        assert found.covered(table) == held.mean()
    counts = np.bincount(ends, minlength=tree.n_nodes)
    parts = Parts(tree.parent, counts, least_rows(coverage))
    for leaf in found.nodes:
        members = parts.of(leaf.node).members
        beside = np.isin(ends, members)
        if any(parts.of(member).members != members for member in members):
            continue  # a new row elsewhere would have parted them otherwise
        # k = ceil((n + 1) coverage) of n rows are no more surprising than the k-th
        assert held[beside].sum() >= math.ceil(Fraction(str(coverage)) * (int(beside.sum()) + 1))


def _held(found: CalibratedModel, table: Table, lot: int | None = None) -> Any:
    truth = table.target_values()
    if found.model.task == "classification":
        return found.predict_set(table, lot)[np.arange(table.n_rows), truth]
    low, high = found.predict_interval(table, lot)
    slack = 1e-9 * (1 + np.abs(truth))
    return (low - slack <= truth) & (truth <= high + slack)


@given(cases())
def test_more_coverage_gives_wider_sets(case: tuple[Tree, Table, float]) -> None:
    tree, table, _ = case
    assume(len(weighing(table)) >= least_rows(0.95))
    narrow, wide = (calibrate(tree, table, coverage, min_rows=least_rows(0.95)) for coverage in (0.7, 0.95))
    for one, other in zip(narrow.nodes, wide.nodes, strict=True):
        assert (one.node, one.rows, one.borrowed_from) == (other.node, other.rows, other.borrowed_from)
        assert one.rows >= least_rows(0.95)
        if one.classes is not None and other.classes is not None:
            assert set(one.classes) <= set(other.classes)
        else:
            assert one.half_width is not None
            assert other.half_width is not None
            assert one.half_width <= other.half_width
    if tree.task == "classification":
        assert (narrow.predict_set(table, 3) <= wide.predict_set(table, 3)).all()


@given(trees(), randoms())
def test_rows_end_only_where_they_may(tree: Tree, random: Random) -> None:
    table = fill_table(random, tree.schema, 40, 0.4)
    assert places_of(tree).may_end[tree.apply(table)].all()


def test_a_row_in_pieces_counts_at_the_leaf_of_its_largest_piece() -> None:
    labor = hornbeam.read("labor")
    tree = hornbeam.C45Classifier().fit(labor)
    found = calibrate(tree, labor, 0.8)
    ends = tree.model_.apply(labor)
    assert {leaf.node: leaf.own_rows for leaf in found.nodes if leaf.own_rows} == dict(
        zip(*(part.tolist() for part in np.unique(ends, return_counts=True)), strict=True)
    )


def test_a_class_that_the_tree_does_not_know_is_never_covered() -> None:
    iris = hornbeam.read("iris")
    tree = hornbeam.C45Classifier().fit(iris).model_
    target = Nominal("class", (*iris.schema.target_column.categories, "new"))  # type: ignore[union-attr]
    schema = Schema((*iris.schema.columns[:-1], target), iris.schema.roles)
    other = Table(schema, [*iris.columns[:-1], np.full(150, 3, np.int32)])
    found = calibrate(tree, other)
    assert all(len(leaf.classes or ()) == 3 for leaf in found.nodes)  # nothing is surprising beside such rows
    assert all(set(leaf.p_values or ()) == {1.0} for leaf in found.nodes)
    assert found.covered(other) == 0.0
    assert found.covered(iris) == 1.0


def test_cross_lets_every_row_vouch_by_a_tree_without_its_fold() -> None:
    cpu = hornbeam.read("cpu")
    learner = hornbeam.TreeRegressor(min_samples_leaf=20)
    found = conformal(learner, cpu, 0.8, method="cross", folds=5, seed=4)
    from hornbeam.evaluate import cross_validate

    answers = cross_validate(learner, cpu, 5, seed=4).predictions
    away = np.abs(cpu.target_values() - answers)
    ends = found.model.apply(cpu)
    assert found.model.same_as(learner.fit(cpu).model_)
    for leaf in found.nodes:
        if leaf.rows == leaf.own_rows:
            assert leaf.half_width == np.sort(away[ends == leaf.node])[math.ceil(0.8 * (leaf.rows + 1) - 1e-9) - 1]
    assert any(leaf.rows == leaf.own_rows for leaf in found.nodes)
    again = conformal(learner, cpu, 0.8, method="cross", folds=5, seed=4, fitted=learner, n_jobs=2)
    assert again.to_json() == found.to_json()
    assert again.model is learner.model_


def test_split_learns_from_the_one_part_and_calibrates_on_the_other() -> None:
    iris = hornbeam.read("iris")
    found = conformal(hornbeam.C45Classifier(), iris, 0.9, hold_out=0.4, seed=7)
    assert found.learned_rows is not None
    assert (found.learned_from, found.calibrated_on, len(found.learned_rows)) == (90, 60, 90)
    assert found.model.same_as(hornbeam.C45Classifier().fit(iris.take(found.learned_rows)).model_)
    rest = np.setdiff1d(np.arange(150), found.learned_rows)
    assert calibrate(found.estimator, iris.take(rest)).nodes == found.nodes
    assert conformal(hornbeam.C45Classifier(), iris, 0.9, hold_out=0.4, seed=8).nodes != found.nodes


def test_rows_of_weight_zero_and_without_a_target_do_not_count() -> None:
    cpu = hornbeam.read("cpu")
    weights = np.ones(cpu.n_rows)
    weights[:50] = 0
    from hornbeam.learn.base.estimator import with_weights

    learner = hornbeam.CartRegressor(folds=0)
    found = conformal(learner, with_weights(cpu, weights), 0.8, seed=2)
    without = conformal(learner, cpu.take(np.arange(50, cpu.n_rows)), 0.8, seed=2)
    assert [leaf.own_rows for leaf in found.nodes] == [leaf.own_rows for leaf in without.nodes]
    assert np.allclose([leaf.high for leaf in found.nodes], [leaf.high for leaf in without.nodes])
    assert found.learned_rows is not None
    assert found.learned_rows.min() >= 50


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"coverage": 0.0}, "coverage is 0.0; expected a number between 0 and 1"),
        ({"coverage": 1.0}, "coverage is 1.0"),
        ({"coverage": 0.99}, "needs at least 99 held-out rows; hold_out 0.3 of 150 rows gives 45"),
        ({"coverage": 0.999, "method": "cross"}, "needs at least 999 rows; there are 150"),
        ({"method": "jackknife"}, "method is 'jackknife'"),
        ({"hold_out": 1.0}, "hold_out is 1.0"),
        ({"method": "cross", "folds": 1}, "folds is 1"),
        ({"min_rows": 0}, "min_rows is 0"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        conformal(hornbeam.C45Classifier(), hornbeam.read("iris"), **options)


def test_models_and_tables_that_do_not_fit_are_refused() -> None:
    iris = hornbeam.read("iris")
    with pytest.raises(TypeError, match="a Forest has no leaves or rules where rows end"):
        conformal(hornbeam.RandomForestClassifier(n_estimators=2), iris)
    with pytest.raises(ValueError, match="expected a list in which the first matching rule decides"):
        conformal(hornbeam.PartClassifier(), iris)
    with pytest.raises(TypeError, match="a C45Classifier has no leaves"):
        calibrate(hornbeam.C45Classifier(), iris)
    tree = hornbeam.C45Classifier().fit(iris)
    with pytest.raises(SchemaError, match="no column 'class'"):
        calibrate(tree, iris.select(["petalwidth", "petallength"]))
    with pytest.raises(ValueError, match="at least 9 rows for calibration; there are 5"):
        calibrate(tree, iris.take(np.arange(5)))
    found = calibrate(tree, iris)
    with pytest.raises(ValueError, match="holds classes; expected predict_set"):
        found.predict_interval(iris)
    cpu = hornbeam.read("cpu")
    with pytest.raises(ValueError, match="holds numbers; expected predict_interval"):
        conformal(hornbeam.CartRegressor(), cpu).predict_set(cpu)
    with pytest.raises(SchemaError, match="holds numbers; the model predicts classes"):
        calibrate(tree, cpu)


@given(randoms())
def test_rules_promise_as_a_flat_tree_of_them_would(random: Random) -> None:
    """A list of rules, exceptions below their rules, and rows that no rule holds for."""
    vote = hornbeam.read("vote")
    order = list(range(vote.n_rows))
    random.shuffle(order)
    learner = random.choice(
        [hornbeam.RipperClassifier(), hornbeam.ExceptionRulesClassifier(), hornbeam.OneRClassifier()]
    )
    rules = learner.fit(vote.take(np.array(order[:60]))).model_
    rest = vote.take(np.array(order[60:300]))
    found = calibrate(rules, rest, 0.8)
    places = [place for place, _ in places_in(rules)]
    numbers = [0 if place is None else places.index(place) + 1 for place in decided_by(rules, rest)]
    assert {leaf.node: leaf.own_rows for leaf in found.nodes} == {
        number: numbers.count(number) for number in range(len(places) + 1) if number or rules.default is None
    }
    parent = [-1, *(places.index(place[:-1]) + 1 if len(place) > 1 else 0 for place in places)]
    parts = Parts(parent, np.bincount(numbers, minlength=len(parent)), least_rows(0.8))
    for leaf in found.nodes:
        members = parts.of(leaf.node).members
        assert leaf.rows == sum(number in members for number in numbers) >= 4
    member = found.predict_set(rest)
    assert member[np.arange(rest.n_rows), rest.target_values()].mean() > 0.75
    assert found.coverage_statement() in found.text()
    names = vote.schema.target_column.categories  # type: ignore[union-attr]
    for row in range(20):
        leaf = next(leaf for leaf in found.nodes if leaf.node == numbers[row])
        assert {names[code] for code in np.flatnonzero(member[row])} == set(leaf.classes or ())


def test_a_number_without_an_answer_may_be_anything() -> None:
    cpu = hornbeam.read("cpu")
    always = hornbeam.M5RulesRegressor().fit(cpu).model_
    partly = replace(always, rules=always.rules[:1], default=None)
    found = calibrate(partly, cpu)
    nothing, first = found.nodes
    assert (nothing.node, first.node, first.borrowed_from) == (0, 1, None)
    assert nothing.half_width == math.inf
    assert "half_width" not in nothing.to_json()
    assert math.isfinite(first.half_width or math.inf)
    json.dumps(found.to_json(), allow_nan=False)


# --- coverage ---------------------------------------------------------------------------------------------------------

LEARNERS: dict[str, tuple[Any, ...]] = {
    "numbers": (hornbeam.TreeRegressor(min_samples_leaf=15), hornbeam.M5Regressor()),
    "classes": (hornbeam.C45Classifier(), hornbeam.RipperClassifier(random_state=1)),
}
CASES = [
    pytest.param(learner, kind, method, id=f"{kind}-{number}-{method}")
    for kind, learners in LEARNERS.items()
    for number, learner in enumerate(learners)
    for method in ("split", "cross")
]


@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
@pytest.mark.parametrize(("learner", "kind", "method"), CASES)
def test_coverage_in_short(learner: Any, kind: Any, method: Any) -> None:
    """Twenty runs: within four standard errors of 90%, which are about 0.4% each (0.6% more for folds)."""
    share, error = covered(learner, kind, 20, method=method)
    assert error < 0.01
    assert abs(share - 0.9) < 4 * error + (0.006 if method == "cross" else 0.0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
@pytest.mark.parametrize(("learner", "kind", "method"), CASES)
def test_coverage_is_within_one_percent_of_ninety_over_500_runs(learner: Any, kind: Any, method: Any) -> None:
    share, error = covered(learner, kind, 500, method=method)
    assert error < 0.002
    assert abs(share - 0.9) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_coverage_holds_where_nearly_every_leaf_borrows(kind: Any) -> None:
    """Whole trees from few rows: a leaf has a row or two."""
    learner: Any = hornbeam.TreeRegressor() if kind == "numbers" else hornbeam.TreeClassifier()
    share, _ = covered(learner, kind, 500, n_rows=150)
    assert abs(share - 0.9) < 0.01


@pytest.mark.slow
def test_without_lots_intervals_cover_little_more_and_sets_at_least_as_much() -> None:
    many: dict[str, Any] = {"n_rows": 2000, "hold_out": 0.5, "by_lot": False, "min_rows": 100}  # no more than 1% more
    share, _ = covered(LEARNERS["numbers"][0], "numbers", 200, **many)
    assert 0.895 < share < 0.91
    share, _ = covered(LEARNERS["classes"][0], "classes", 200, **many)
    assert share > 0.895


def test_a_leaf_with_rows_enough_covers_its_own_rows() -> None:
    """Coverage holds leaf by leaf: where the noise is large, intervals are wide, and where it is small, narrow."""
    random = np.random.default_rng(5)
    found = conformal(hornbeam.TreeRegressor(min_samples_leaf=400), draw(random, 6000, "numbers"), hold_out=0.5)
    fresh = draw(random, 40_000, "numbers")
    low, high = found.predict_interval(fresh)
    truth, ends = fresh.target_values(), found.model.apply(fresh)
    widths = []
    for leaf in found.nodes:
        here = ends == leaf.node
        assert leaf.borrowed_from is None
        inside = ((low <= truth) & (truth <= high))[here].mean()
        # the beta distribution of split-conformal coverage, and the error of counting
        assert abs(inside - 0.9) < 4 * math.sqrt(0.09 / leaf.rows + 0.09 / here.sum())
        widths.append(leaf.half_width)
    assert max(widths) > 1.5 * min(widths)


@pytest.mark.parametrize("method", ["split", "cross"])
def test_learners_that_draw_at_random_are_given_the_seed(method: Any) -> None:
    learner, table = hornbeam.TreeClassifier(prune="reduced-error"), hornbeam.read("credit-g")
    one, other = (conformal(learner, table, method=method, folds=3, seed=4).to_json() for _ in range(2))
    assert one == other
    assert conformal(learner, table, method=method, folds=3, seed=5).to_json() != one


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_one_group_are_held_out_together(seed: int) -> None:
    table = draw(np.random.default_rng(seed), 300, "numbers")
    groups = np.random.default_rng(seed).integers(0, 40, 300)
    schema = Schema((*table.schema.columns, Numeric("group")), roles=(*table.schema.roles, "group"))
    whole = Table(schema, [*table.columns, groups * 1.0])
    found = conformal(hornbeam.TreeRegressor(min_samples_leaf=15), whole, seed=seed)
    assert found.learned_rows is not None
    learned = np.isin(np.arange(300), found.learned_rows)
    assert not set(groups[learned]) & set(groups[~learned])
    assert found.calibrated_on == (~learned).sum()
    assert abs(found.calibrated_on - 90) <= np.bincount(groups).max() / 2
