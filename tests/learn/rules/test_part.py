"""Partial trees: equal to the naive program on any table, whatever the memory; and the list that they make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learn.trees.test_against_reference import mixed_tables
from reference import c45, partial
from reference.rows import from_table

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.rules import part as ours
from hornbeam.learn.rules.part import PartClassifier, own_values
from hornbeam.model.base.condition import MOST, Above, AtMost, Condition, IsIn, IsMissing
from hornbeam.show import text

NEAR = 1e-9


def drawn_parameters(random: Any) -> tuple[dict[str, Any], c45.Options]:
    parameters: dict[str, Any] = {
        "confidence": random.choice((0.05, 0.25, 0.4)),
        "min_samples_leaf": random.choice((1, 2, 2.5, 5)),
        "prune": random.choice(("pessimistic", None)),
        "nominal": random.choice(("multiway", "one-vs-rest")),
        "mdl": random.random() < 0.5,
        "compat": random.choice(("weka", "weka-3.9")),
    }
    return parameters, c45.Options(
        confidence=parameters["confidence"],
        minimum=float(parameters["min_samples_leaf"]),
        prune=parameters["prune"],
        one_vs_rest=parameters["nominal"] == "one-vs-rest",
        mdl=parameters["mdl"],
        cut_slack=1e-6 if parameters["compat"] == "weka" else 0.0,
    )


def as_condition(test: partial.Test, table: Table) -> Condition:
    place = table.schema.features[test.split.column]
    column = table.schema.columns[place]
    if test.split.cut is not None:
        return (Above if test.branch else AtMost)(place, test.split.cut, test.share)
    assert isinstance(column, Nominal)
    if test.split.category is None:
        return IsIn(place, (test.branch,), test.share)
    codes = {test.split.category}
    return IsIn(place, tuple(set(range(len(column.categories))) - codes if test.branch else codes), test.share)


def check(table: Table, parameters: dict[str, Any], options: c45.Options) -> None:
    expected = partial.fit(from_table(table), options)
    model = PartClassifier(**parameters).fit(table).model_
    assert model.default is not None
    found = [*model.rules, model.default]
    assert len(found) == len(expected)
    for rule, other in zip(found, expected, strict=True):
        wanted = [as_condition(test, table) for test in other.tests]
        assert len(rule.conditions) == len(wanted)
        for one, two in zip(rule.conditions, wanted, strict=True):
            assert one.if_missing == pytest.approx(two.if_missing, abs=NEAR)
            assert replace(one, if_missing=0.0) == replace(two, if_missing=0.0)
        assert rule.label == other.counts.majority()
        assert rule.value == pytest.approx(np.array(other.counts.classes), abs=NEAR)


@settings(max_examples=max(200, settings().max_examples))
@given(table=mixed_tables(), random=st.randoms(use_true_random=False))
def test_rules_are_those_of_the_naive_program(table: Table, random: Any) -> None:
    check(usable(table), *drawn_parameters(random))


LAYOUTS: tuple[dict[str, Any], ...] = (
    {"wide_entries": True},
    {"stack_bytes": 0},
    {"stack_bytes": 4096},
    {"chunk_rows": 16, "part_rows": 8},
    {"chunk_rows": 3, "part_rows": 2, "wide_entries": True},
    {"chunk_rows": 16, "part_rows": 8, "kept_bytes": 20_000, "stack_bytes": 0},
)


@settings(max_examples=max(200, settings().max_examples))
@given(table=mixed_tables(), random=st.randoms(use_true_random=False))
def test_rules_are_the_same_from_small_parts(table: Table, random: Any) -> None:
    choices, layout = ours.choices, {"chunk_rows": random.choice((1, 2, 5)), "part_rows": random.choice((1, 2, 10))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours, "choices", lambda table, recipe: choices(table, recipe) | layout)
        check(usable(table), *drawn_parameters(random))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rules_do_not_depend_on_how_lists_are_held(layout: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    tables = [many_branches(seed=1), many_branches(seed=2, missing=0.1), many_branches(seed=3, weighted=True)]
    plain = [_shown(PartClassifier(prune=prune).fit(t)) for t in tables for prune in ("pessimistic", None)]
    choices = ours.choices
    monkeypatch.setattr(ours, "choices", lambda table, recipe: choices(table, recipe) | layout)
    assert [_shown(PartClassifier(prune=prune).fit(t)) for t in tables for prune in ("pessimistic", None)] == plain


def _shown(estimator: PartClassifier) -> str:
    return text(estimator, style="weka")


def many_branches(*, seed: int, n_rows: int = 600, missing: float = 0.0, weighted: bool = False) -> Table:
    """Columns of many values, one of many categories, and a class that follows them in part."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(3, n_rows)).round(2)
    codes = random.integers(0, 12, n_rows)
    target = ((numbers[0] > 0) ^ (codes % 3 == 0) ^ (random.random(n_rows) < 0.2)).astype(np.int32)
    numbers[random.random(numbers.shape) < missing] = np.nan
    codes[random.random(n_rows) < missing] = -1
    columns = [*(Numeric(f"x{i}") for i in range(3)), Nominal("n", tuple("abcdefghijkl")), Nominal("y", ("no", "yes"))]
    arrays: list[Any] = [*numbers, codes.astype(np.int32), target]
    roles = ["feature"] * 4 + ["target"]
    if weighted:
        columns.append(Numeric("w"))
        arrays.append(random.choice([0.5, 1.0, 3.0], n_rows))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", [{}, {"chunk_rows": 16, "part_rows": 20}])
@pytest.mark.parametrize("missing", [0.0, 0.05])
def test_larger_tables_are_those_of_the_naive_program(
    missing: float, layout: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # columns of more than 64 values are sorted and not counted
    choices = ours.choices
    monkeypatch.setattr(ours, "choices", lambda table, recipe: choices(table, recipe) | layout)
    check(many_branches(seed=4, missing=missing), {"compat": "weka"}, c45.Options())


def test_whole_weights_are_repeated_rows() -> None:
    table = many_branches(seed=5, n_rows=300)
    times = np.random.default_rng(5).integers(1, 4, 300)
    repeated = table.take(np.repeat(np.arange(300), times))
    weighted = PartClassifier().fit(table, sample_weight=times.astype(float))
    assert text(weighted, style="weka") == text(PartClassifier().fit(repeated), style="weka")


def test_every_row_is_accounted_for() -> None:
    table = many_branches(seed=6, missing=0.2)
    model = PartClassifier(prune=None).fit(table).model_
    assert model.default is not None
    total = sum((np.asarray(rule.value) for rule in (*model.rules, model.default)), np.zeros(2))
    assert total == pytest.approx(np.bincount(table.target_values()))
    assert sum(rule.coverage for rule in (*model.rules, model.default)) == pytest.approx(table.n_rows)


def test_rows_of_whole_values_fall_under_one_rule() -> None:
    table = many_branches(seed=7)
    model = PartClassifier().fit(table).model_
    left = np.ones(table.n_rows, bool)
    for rule in model.rules:
        covered = left & (rule.holds(table) > 0)
        assert covered.sum() == rule.coverage
        assert (table.target_values()[covered] != rule.label).sum() == rule.errors
        left &= ~covered
    assert model.default is not None
    assert left.sum() == model.default.coverage


def test_merged_conditions_answer_alike() -> None:
    values = np.random.default_rng(8).random(400)
    target = (np.floor(8 * values) % 2).astype(np.int32)
    values[::20] = np.nan
    table = Table(Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target")), [values, target])
    merged, found = PartClassifier(prune=None).fit(table), PartClassifier(prune=None, compat="weka").fit(table)
    assert np.array_equal(merged.predict(table), found.predict(table))
    assert merged.predict_proba(table) == pytest.approx(found.predict_proba(table), abs=1e-12)
    lengths = [sum(len(rule.conditions) for rule in estimator.model_.rules) for estimator in (merged, found)]
    assert lengths[0] < lengths[1]


def test_a_table_without_a_split_is_the_default_alone() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    model = PartClassifier().fit(Table(schema, [np.zeros(5), np.array([0, 1, 1, 0, 1], np.int32)])).model_
    assert not model.rules
    assert model.default is not None
    assert (model.default.label, model.default.coverage, model.default.errors) == (1, 5.0, 2.0)


@pytest.mark.parametrize(
    "parameters",
    [{"prune": "reduced-error"}, {"confidence": 0}, {"nominal": "subset"}, {"compat": "r"}, {"min_samples_leaf": -1}],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))):
        PartClassifier(**parameters).fit(hornbeam.read("iris"))


def test_a_number_is_refused() -> None:
    with pytest.raises(SchemaError, match="numeric"):
        PartClassifier().fit(hornbeam.read("cpu"))


def lacking_table(seed: int, *, ordered: bool = False) -> Table:
    """Rows whose class goes by whether values are missing, and by the values."""
    random = np.random.default_rng(seed)
    number, codes = random.integers(0, 30, 200).astype(float), random.integers(0, 3, 200).astype(np.int32)
    size = random.integers(0, 4, 200).astype(np.int32)
    number[random.random(200) < 0.3] = np.nan
    codes[random.random(200) < 0.3] = -1
    size[random.random(200) < 0.2] = -1
    truth = (np.isnan(number) & (codes != 1)) | (number > 20) | (codes < 0)
    truth ^= random.random(200) < 0.05
    schema = Schema(
        (
            Numeric("x"),
            Nominal("c", ("a", "b", "missing")),
            Nominal("s", ("i", "ii", "iii", "iv"), ordered=ordered),
            Nominal("class", ("n", "p")),
        ),
        ("feature", "feature", "feature", "target"),
    )
    return Table(schema, [number, codes, size, truth.astype(np.int32)])


@pytest.mark.parametrize("nominal", ["multiway", "one-vs-rest"])
@pytest.mark.parametrize("threshold", ["data-value", "midpoint"])
@pytest.mark.parametrize("ordered", [False, True])
def test_missing_as_a_value_leaves_no_row_in_pieces(nominal: Any, threshold: Any, ordered: bool) -> None:
    for seed in range(4):
        table = lacking_table(seed, ordered=ordered)
        learned = PartClassifier(missing="value", nominal=nominal, threshold=threshold, min_samples_leaf=1).fit(table)
        left = np.ones(table.n_rows, bool)
        rules = learned.model_
        for rule in rules.rules:  # whole rows are covered, and the figures are theirs
            holds = np.prod([condition.holds(table) for condition in rule.conditions], axis=0)
            assert set(np.unique(holds)) <= {0.0, 1.0}
            covered = left & (holds == 1)
            assert np.bincount(table.target_values()[covered], minlength=2).tolist() == list(rule.value)
            left &= ~covered
        assert rules.default is not None
        assert np.bincount(table.target_values()[left], minlength=2).tolist() == list(rules.default.value)
        assert (learned.predict(table) == np.array(["n", "p"])[table.target_values()]).mean() > 0.85


def test_missing_as_a_value_is_asked_for() -> None:
    number = np.array([1.0, 2.0, 3.0, 4.0, np.nan, np.nan, np.nan, np.nan])
    classes = np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int32)
    schema = Schema((Numeric("x"), Nominal("class", ("n", "p"))), ("feature", "target"))
    table = Table(schema, [number, classes])
    model = PartClassifier(missing="value").fit(table).model_
    asked = {model.rules[0].label: model.rules[0].conditions}
    assert asked in ({1: (IsMissing(0),)}, {0: (AtMost(0, MOST),)})
    later = Table(schema, [np.array([np.nan, -99.0, 99.0]), np.array([0, 0, 0], np.int32)])
    assert model.predict_codes(later).tolist() == [1, 0, 0]
    # by default nothing can be told from rows that lack the only value
    assert not PartClassifier().fit(table).model_.rules


def test_numbers_as_large_as_can_be_have_nothing_beyond_them() -> None:
    number = np.array([-MOST, MOST, np.nan, np.nan, -MOST, MOST, 0.0, np.nan])
    schema = Schema((Numeric("x"), Nominal("class", ("n", "p"))), ("feature", "target"))
    table = Table(schema, [number, np.array([0, 0, 1, 1, 0, 0, 0, 1], np.int32)])
    assert own_values(table).origins[0].where == "nowhere"
    assert own_values(table.take(np.array([1, 2, 6]))).origins[0].where == "below"


def test_rows_without_missing_values_are_learned_the_same() -> None:
    table = hornbeam.read("iris")
    both = [PartClassifier(missing=missing).fit(table).model_.rules for missing in ("value", "fractional")]  # type: ignore[arg-type]
    assert [rule.conditions for rule in both[0]] == [rule.conditions for rule in both[1]]


def test_missing_as_a_value_is_not_what_the_other_program_does() -> None:
    with pytest.raises(ValueError, match="missing is 'value'; compat='weka' divides rows among branches"):
        PartClassifier(missing="value", compat="weka").fit(hornbeam.read("vote"))
    with pytest.raises(ValueError, match="missing"):
        PartClassifier(missing="fails").fit(hornbeam.read("vote"))  # type: ignore[arg-type]


def test_text_says_that_a_missing_value_passes() -> None:
    table = lacking_table(0)
    learned = PartClassifier(missing="value", nominal="one-vs-rest").fit(table)
    passing = {
        f"({condition.describe(table.schema)} or missing)"
        for rule in learned.model_.rules
        for condition in rule.conditions
        if condition.if_missing == 1.0 and not isinstance(condition, IsMissing)
    }
    assert passing
    for style in ("default", "if-then", "table"):
        words = " ".join(text(learned, style=style).split())
        assert all(each in words for each in passing)
    assert "or missing" not in text(PartClassifier().fit(table))
