"""RIPPER: against the naive reference, and what its parameters and defaults promise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.rule_sets import ClassLearner, Rule, error_bits, rows_of, rule_bits
from strategies import tables

import hornbeam
from hornbeam.core.rules.pruning import errors_length, rule_length, shortest
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.compat.weka import JavaRandom, generator_by_row_text, text_hash
from hornbeam.learn.rules.grower import RuleGrower
from hornbeam.learn.rules.ripper import RipperClassifier, last_bounds
from hornbeam.model.base.condition import AtLeast, AtMost, IsIn, IsMissing, simplify

WEIGHTS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0, 30.0])


def words(model: Any) -> list[Any]:
    """Class and conditions of every rule."""
    return [(rule.label, rule.conditions) for rule in model.rules]


def in_words(schema: Schema, rules: list[tuple[int, Rule]]) -> list[Any]:
    """The same of the reference's rules, with bounds merged."""
    found: list[Any] = []
    for label, rule in rules:
        conditions = [
            IsIn(schema.features[feature], (int(value),))
            if sign == "="
            else {"<=": AtMost, ">=": AtLeast}[sign](schema.features[feature], value)
            for feature, sign, value in rule
        ]
        found.append((label, simplify(conditions)))
    return found


def naive_rules(grower: RuleGrower, seed: int, passes: int) -> list[tuple[int, Rule]]:
    """Rules of all classes by the naive reference."""
    rows, random, n_rows = rows_of(grower.table), JavaRandom(seed), grower.table.n_rows
    rows.weights = [1.0] * n_rows if grower.weights is None else grower.weights.tolist()
    weights = [rows.weigh(list(range(n_rows)), rows.of_class(label)) for label in range(grower.n_classes)]
    order = sorted(range(len(weights)), key=lambda k: weights[k])
    groups = [order.index(code) for code in rows.classes]
    left = list(range(n_rows))
    found: list[tuple[int, Rule]] = []
    for place, label in enumerate(order[:-1]):
        if not any(rows.classes[row] == label for row in left):
            continue
        share = weights[label] / sum(weights[k] for k in order[place:])
        learned, left = ClassLearner(rows, left, label, share, groups, random, passes=passes).learn()
        found += [(label, rule) for rule in learned]
    return found


@pytest.mark.parametrize("passes", [0, 1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@given(data=st.data())
def test_rules_are_those_of_the_reference(weighted: bool, passes: int, data: st.DataObject) -> None:
    table = data.draw(tables(weighted=weighted, most_rows=60))
    if not table.n_rows or (table.weights is not None and not table.weights.any()):
        return
    seed = data.draw(st.integers(1, 5))
    learner = RipperClassifier(optimizations=passes, random_state=seed)
    expected = naive_rules(RuleGrower(usable(table)), seed, passes)
    assert words(learner.fit(table).model_) == in_words(table.schema, expected)


@pytest.mark.parametrize(("name", "passes"), [("labor", 2), ("glass", 1), ("iris", 2)])
def test_rules_of_real_sets_are_those_of_the_reference(name: str, passes: int) -> None:
    table = hornbeam.read(name)
    learner = RipperClassifier(optimizations=passes, random_state=3)
    found = words(learner.fit(table).model_)
    assert len(found) > 1
    assert found == in_words(table.schema, naive_rules(RuleGrower(table), 3, passes))


# ---- description lengths ----


@given(share=st.floats(0.01, 0.99), right=WEIGHTS, wrong=WEIGHTS, missed=WEIGHTS, other=WEIGHTS)
def test_the_length_of_errors_is_the_references(
    share: float, right: float, wrong: float, missed: float, other: float
) -> None:
    if not right + wrong + missed + other:
        return
    figures = share, right + wrong, missed + other, wrong, missed
    assert errors_length(*figures) == pytest.approx(error_bits(*figures), rel=1e-12)


@given(conditions=st.integers(0, 20), more=st.floats(1, 1e6))
def test_the_length_of_a_rule_is_the_references(conditions: int, more: float) -> None:
    assert rule_length(conditions, conditions + more) == pytest.approx(rule_bits(conditions, conditions + more))


def test_a_rule_of_one_condition_in_eight() -> None:
    # half of: no bits for how many, -log2(1/8) - 7 log2(7/8) for which
    assert rule_length(1, 8) == pytest.approx(0.5 * (3 - 7 * np.log2(7 / 8)))
    assert rule_length(2, 8) == pytest.approx(0.5 * (1 + 0 - 2 * np.log2(1 / 4) - 6 * np.log2(3 / 4)))


def test_rules_that_are_not_worth_their_bits_are_dropped() -> None:
    counts = np.array([[40.0, 0.0], [1.0, 1.0], [30.0, 1.0]])
    totals = np.array([71.0, 129.0, 2.0, 0.0])
    bits, dropped = shortest(0.35, totals, counts, np.array([2, 1, 1]), 50.0, 2, -1, False)
    assert dropped == [1]
    assert totals.tolist() == [70.0, 130.0, 1.0, 0.0]
    saved = error_bits(0.35, 71, 129, 2, 0) + rule_bits(1, 50) - error_bits(0.35, 70, 130, 1, 0)
    assert bits == pytest.approx(error_bits(0.35, 70, 130, 1, 0) - saved)
    assert shortest(0.35, np.array([71.0, 129, 2, 0]), counts, np.array([2, 1, 1]), 50.0, 2, 1, False)[1] == []


def test_a_rule_wrong_in_half_goes_in_any_case() -> None:
    counts = np.array([[400.0, 200.0]])
    totals = [400.0, 9600.0, 200.0, 0.0]
    assert shortest(0.02, np.array(totals), counts, np.array([1]), 50.0, 0, 1, False)[1] == []
    assert shortest(0.02, np.array(totals), counts, np.array([1]), 50.0, 0, 1, True)[1] == [0]


# ---- promises ----


@given(data=st.data())
def test_weights_are_repeated_rows(data: st.DataObject) -> None:
    table = data.draw(tables())
    if not table.n_rows:
        return
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=table.n_rows, max_size=table.n_rows)))
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    learners = [RipperClassifier(measure=measure) for measure in ("smoothed-gain", "gain", "share")]
    for learner in (*learners, RipperClassifier(prune=None)):
        one = learner.fit(table, sample_weight=weights.astype(float)).model_
        other = learner.fit(repeated).model_
        assert words(one) == words(other)
        assert [rule.value.tolist() for rule in one.rules] == [rule.value.tolist() for rule in other.rules]


def test_the_text_of_rows_does_not_matter() -> None:
    table = hornbeam.read("credit-g")
    columns = [
        Nominal(c.name + "!", tuple(f"<{name}>" for name in c.categories))
        if isinstance(c, Nominal)
        else Numeric(c.name)
        for c in table.schema.columns
    ]
    arrays = [4.0 * a if a.dtype == np.float64 else a for a in table.columns]
    other = Table(Schema(tuple(columns), table.schema.roles), arrays)
    first, second = words(RipperClassifier().fit(table).model_), words(RipperClassifier().fit(other).model_)
    assert len(first) > 1
    wider = [
        [each if isinstance(each, IsIn) else replace(each, value=4.0 * each.value) for each in r] for _, r in first
    ]
    assert wider == [list(rule) for _, rule in second]


def test_the_order_of_rows_does_not_matter() -> None:
    table = hornbeam.read("glass")
    turned = table.take(np.random.default_rng(0).permutation(table.n_rows))
    assert words(RipperClassifier().fit(table).model_) == words(RipperClassifier().fit(turned).model_)


def test_the_default_does_not_change_from_fit_to_fit() -> None:
    table = hornbeam.read("credit-g")
    assert words(RipperClassifier().fit(table).model_) == words(RipperClassifier().fit(table).model_)
    seeds = [str(words(RipperClassifier(random_state=seed).fit(table).model_)) for seed in range(4)]
    assert len(set(seeds)) > 1
    drawn = RipperClassifier(random_state=np.random.RandomState(0)).fit(table)
    assert words(drawn.model_) == words(RipperClassifier(random_state=np.random.RandomState(0)).fit(table).model_)


def test_classes_go_from_the_rarest_and_the_last_is_the_default() -> None:
    table = hornbeam.read("glass")
    model = RipperClassifier().fit(table).model_
    frequency = np.bincount(table.target_values())
    labels = [rule.label for rule in model.rules]
    assert labels == sorted(labels, key=lambda label: (frequency[label], label))
    assert len(set(labels)) > 3
    assert model.default is not None
    assert model.default.label == frequency.argmax()


def test_a_row_without_the_value_is_not_covered() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("n", "p"))), ("feature", "target"))
    values = np.r_[np.arange(20.0), np.full(5, np.nan)]
    table = Table(schema, [values, np.r_[np.zeros(12), np.ones(8), np.zeros(5)].astype(int)])
    model = RipperClassifier(prune=None).fit(table).model_
    assert words(model) == [(1, (AtLeast(0, 12.0),))]
    assert model.default is not None
    assert model.default.coverage == 17
    assert model.predict(Table(schema.select([0]), [[np.nan, 19.0]])).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [Numeric("x"), Nominal("x", ("a", "b"))])
def test_a_missing_value_may_be_a_value(kind: Any) -> None:
    schema = Schema((kind, Nominal("y", ("n", "p"))), ("feature", "target"))
    nothing = np.nan if isinstance(kind, Numeric) else -1
    table = Table(schema, [np.r_[np.arange(20) % 2, np.full(8, nothing)], np.r_[np.zeros(20), np.ones(8)].astype(int)])
    assert not RipperClassifier(prune=None).fit(table).model_.rules
    learner = RipperClassifier(prune=None, missing="value").fit(table)
    assert words(learner.model_) == [(1, (IsMissing(0),))]
    assert learner.score(table) == 1.0
    with pytest.raises(ValueError, match="missing is 'own'"):
        RipperClassifier(missing="own").fit(table)


def test_ordered_categories_are_cut_between() -> None:
    schema = Schema((Nominal("size", tuple("abcdef"), ordered=True), Nominal("y", ("n", "p"))), ("feature", "target"))
    codes = np.repeat(np.arange(6), 4)
    model = RipperClassifier(prune=None).fit(Table(schema, [codes, (codes >= 4).astype(int)])).model_
    assert [rule.describe(schema) for rule in model.rules] == ["if size >= e then y = p"]


def test_one_class_and_one_row() -> None:
    table = hornbeam.read("iris")
    for few in (table.take([0]), table.take(np.arange(50)), table.take([0, 60])):
        model = RipperClassifier().fit(few)
        assert not model.model_.rules
        assert len(model.predict(few)) == len(few)


def test_rules_that_err_in_half_are_refused() -> None:
    random = np.random.default_rng(1)
    schema = Schema((Nominal("x", ("a", "b")), Nominal("y", ("n", "p"))), ("feature", "target"))
    codes = random.integers(0, 2, 400)
    truth = (random.random(400) < np.where(codes == 1, 0.45, 0.05)).astype(int)
    table = Table(schema, [codes, truth])
    assert not RipperClassifier(prune=None).fit(table).model_.rules
    assert RipperClassifier(prune=None, limit_errors=False).fit(table).model_.rules


# ---- sets of categories ----


def categories_apart(absent: int = -1) -> Table:
    """Four categories of one class, two of the other; a seventh that no row has."""
    schema = Schema((Nominal("c", tuple("abcdefg")), Nominal("y", ("n", "p"))), ("feature", "target"))
    codes = np.r_[np.repeat(np.arange(4), 5), np.repeat([4, 5], 30), np.full(3, absent)]
    return Table(schema, [codes, np.r_[np.ones(20), np.zeros(63)].astype(int)])


def test_a_condition_may_name_several_categories() -> None:
    table = categories_apart()
    model = RipperClassifier(prune=None, nominal="set").fit(table).model_
    assert words(model) == [(1, (IsIn(0, (0, 1, 2, 3)),))]
    assert model.rules[0].describe(table.schema) == "if c in {a, b, c, d} then y = p"
    assert len(RipperClassifier(prune=None).fit(table).model_.rules) == 4


def test_neither_a_missing_value_nor_an_unseen_category_is_in_a_set() -> None:
    table = categories_apart()
    model = RipperClassifier(prune=None, nominal="set").fit(table).model_
    assert model.predict(Table(table.schema.select([0]), [[-1, 6, 0, 4]])).tolist() == [0, 0, 1, 0]


def test_of_two_categories_none_is_left_out() -> None:
    table = hornbeam.read("vote")
    assert max(len(column.categories) for column in table.schema.columns) == 2
    assert words(RipperClassifier(nominal="set").fit(table).model_) == words(RipperClassifier().fit(table).model_)


@given(data=st.data())
def test_a_rule_with_sets_covers_what_it_was_grown_to_cover(data: st.DataObject) -> None:
    table = data.draw(tables(weighted=data.draw(st.booleans()), most_rows=60))
    if not table.n_rows or (table.weights is not None and not table.weights.any()):
        return
    grower = RuleGrower(usable(table), nominal="set")
    for label in np.unique(grower.classes).tolist():
        body = grower.grow(grower.all_rows, label, "smoothed-gain", 0.0)
        passes = np.ones(grower.table.n_rows)
        for condition in simplify(grower.conditions(body)):
            passes *= condition.holds(grower.table)
        covered = grower.cover(body, grower.all_rows, label).rows
        assert np.array_equal(np.sort(covered), np.flatnonzero(passes))


@given(data=st.data())
def test_weights_are_repeated_rows_with_sets_too(data: st.DataObject) -> None:
    table = data.draw(tables())
    if not table.n_rows:
        return
    weights = np.array(data.draw(st.lists(st.integers(1, 3), min_size=table.n_rows, max_size=table.n_rows)))
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    learner = RipperClassifier(nominal="set")
    one = words(learner.fit(table, sample_weight=weights.astype(float)).model_)
    assert one == words(learner.fit(repeated).model_)


# ---- one class after another ----


def test_classes_come_in_the_order_asked_for() -> None:
    table = hornbeam.read("glass")
    frequency = np.bincount(table.target_values(), minlength=7)
    names = table.schema.target_column.categories
    for order, codes in (
        ("largest-first", np.argsort(-frequency, kind="stable")),
        ("given", np.arange(7)),
        (names[::-1], np.arange(6, -1, -1)),
    ):
        expected = codes[frequency[codes] > 0].tolist()
        model = RipperClassifier(order=order).fit(table).model_
        labels = [rule.label for rule in model.rules]
        assert labels == sorted(labels, key=expected.index)
        assert len(set(labels)) > 2
        assert model.default.label == expected[-1]
    by_name = RipperClassifier(order=[names[label] for label in np.argsort(frequency, kind="stable")])
    assert words(by_name.fit(table).model_) == words(RipperClassifier().fit(table).model_)


def test_a_class_is_told_from_all_others_by_all_rows() -> None:
    table = hornbeam.read("glass")
    vote = RipperClassifier(decide="vote").fit(table).model_
    assert vote.decide == "vote"
    truth = table.target_values()
    assert {rule.label for rule in vote.rules} > {truth[0], np.bincount(truth).argmax()}  # no class is left out
    covered = np.zeros(table.n_rows, bool)
    for rule in vote.rules:
        rows = rule.holds(table) > 0
        covered |= rows
        assert rule.value.tolist() == np.bincount(truth[rows], minlength=7).tolist()
    assert vote.default.coverage == (~covered).sum()
    best = RipperClassifier(decide="best").fit(table).model_
    assert best.decide == "first"
    assert {(label, body) for label, body in words(best)} == {(label, body) for label, body in words(vote)}
    alone = [(rule.holds(table) > 0, rule.label) for rule in best.rules]
    worth = [((truth[rows] == label).sum() + 1) / (rows.sum() + 2) for rows, label in alone]
    assert worth == sorted(worth, reverse=True)


def test_the_rules_of_a_class_do_not_depend_on_the_other_classes_rules() -> None:
    table = hornbeam.read("iris")
    target = table.schema.target_column
    whole = words(RipperClassifier(decide="vote", prune=None).fit(table).model_)
    for label, name in enumerate(target.categories):
        two = Nominal(target.name, ("other", name))
        columns = [*table.schema.columns]
        columns[table.schema.target] = two
        arrays = [*table.columns]
        arrays[table.schema.target] = (table.target_values() == label).astype(np.int32)
        other = Table(Schema(tuple(columns), table.schema.roles), arrays)
        model = RipperClassifier(order=(name, "other"), prune=None).fit(other).model_
        assert [c for _, c in words(model)] == [c for k, c in whole if k == label]


def test_rules_that_are_right_too_seldom_are_not_made() -> None:
    table = hornbeam.read("credit-g")
    for learner in (RipperClassifier(min_accuracy=0.75), RipperClassifier(min_accuracy=0.75, prune=None)):
        rules = learner.fit(table).model_.rules
        assert rules
        assert all(rule.errors <= 0.25 * rule.coverage for rule in rules)
    assert any(rule.errors > 0.25 * rule.coverage for rule in RipperClassifier().fit(table).model_.rules)
    assert words(RipperClassifier(min_accuracy=0).fit(table).model_) == words(RipperClassifier().fit(table).model_)


@pytest.mark.parametrize("decide", ["first", "best", "vote"])
@pytest.mark.parametrize("order", ["smallest-first", "largest-first", "given"])
def test_a_class_without_rows_is_no_answer(decide: str, order: str) -> None:
    table = hornbeam.read("iris")
    few = table.take(np.arange(50, 150))  # the first category has no row
    learner = RipperClassifier(decide=decide, order=order).fit(few)
    assert set(learner.predict(table)) <= set(table.schema.target_column.categories[1:])
    alone = RipperClassifier(decide=decide, order=order).fit(table.take(np.arange(50, 100)))
    assert set(alone.predict(table)) == {table.schema.target_column.categories[1]}


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"order": "rarest"}, "order is 'rarest'"),
        ({"order": ["yes"]}, "every class once: 'yes', 'no'"),
        ({"order": 3}, "order is 3"),
        ({"decide": "majority"}, "decide is 'majority'"),
        ({"min_accuracy": 2}, "min_accuracy is 2"),
        ({"nominal": "subset"}, "nominal is 'subset'"),
        ({"decide": "vote", "compat": "weka"}, "decision list"),
        ({"prune": "global"}, "prune is 'global'"),
        ({"optimizations": -1}, "optimizations is -1"),
        ({"folds": 1}, "folds is 1"),
        ({"min_samples_rule": -1}, "min_samples_rule is -1"),
        ({"measure": "gini"}, "measure is 'gini'"),
        ({"compat": "rpart"}, "compat is 'rpart'"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        RipperClassifier(**parameters).fit(hornbeam.read("weather"))


# ---- the reference program ----


def test_bounds_on_one_column_are_merged_or_kept() -> None:
    table = hornbeam.read("credit-g")
    every, last = (RipperClassifier(prune=None, compat=way).fit(table).model_.rules for way in ("weka", "weka-3.9"))
    shorter = [place for place, rule in enumerate(every) if last_bounds(rule.conditions) != rule.conditions]
    assert shorter
    for one, other in zip(every, last, strict=True):
        assert other.conditions == last_bounds(one.conditions)
        assert other.value.tolist() == one.value.tolist()
        assert (one.holds(table) == other.holds(table)).all()
    for rule in RipperClassifier(prune=None).fit(table).model_.rules:
        assert rule.conditions == simplify(rule.conditions)


def test_the_last_bound_stands_where_it_stood() -> None:
    given = (AtLeast(0, 1.0), IsIn(1, (0,)), AtMost(0, 9.0), AtLeast(0, 2.0), AtLeast(2, 1.0))
    assert last_bounds(given) == (IsIn(1, (0,)), AtMost(0, 9.0), AtLeast(0, 2.0), AtLeast(2, 1.0))


def test_the_generator_is_seeded_by_the_text_of_a_row() -> None:
    schema = Schema(
        (Numeric("x"), Nominal("c", ("plain", "two words", "it's", "?", "", "50%")), Nominal("y", ("n", "p"))),
        ("feature", "feature", "target"),
    )
    rows = {
        (1.5, 0): "1.5,plain,n",
        (-0.0000001, 1): "0,'two words',n",
        (-2.0000005, 2): "-2.000001,'it\\'s',n",
        (1e6, 3): "1000000,'?',n",
        (0.1 + 0.2, 4): "0.3,'',n",
        (np.nan, 5): "?,'50\\%',n",
        (3.0, -1): "3,?,n",
    }
    for (number, code), text in rows.items():
        table = Table(schema, [[number], [code], [0]])
        assert generator_by_row_text(table).state == JavaRandom(text_hash(text) + 1).state, text
