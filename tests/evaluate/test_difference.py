"""Two models side by side: aligned trees and rules, rows that changed; nothing where nothing differs, and mirrored."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_rel
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.evaluate import diff
from hornbeam.evaluate.comparing.significance import mcnemar
from hornbeam.evaluate.differences.difference import EquationDifference, RuleDifference, TextDifference, TreeDifference
from hornbeam.evaluate.differences.rule_difference import _alike, _Side, compare_rules
from hornbeam.evaluate.differences.tree_difference import compare_trees, name_of, shared_categories
from hornbeam.model.base.condition import AtMost, Condition, IsIn
from hornbeam.model.rules.rule import Rule, RuleList
from hornbeam.model.trees.tree import Tree
from tests.strategies import fill_table, grow_tree, randoms, schemas

SCHEMA = Schema(
    (Nominal("outlook", ("sunny", "overcast", "rainy")), Numeric("wind"), Nominal("play", ("yes", "no"))),
    ("feature", "feature", "target"),
    "games",
)


def mirrored(plain: Any) -> Any:
    """The same with a and b changed over, and lists in no order."""
    if isinstance(plain, dict):
        turned = {}
        for key, value in plain.items():
            ending = {"_a": "_b", "_b": "_a"}.get(key[-2:], key[-2:])
            turned[{"a": "b", "b": "a"}.get(key, key[:-2] + ending)] = mirrored(value)
        return turned
    if isinstance(plain, list):
        return sorted((mirrored(entry) for entry in plain), key=lambda entry: json.dumps(entry, sort_keys=True))
    if isinstance(plain, str) and plain.endswith(("only in a", "only in b")):
        return plain[:-1] + {"a": "b", "b": "a"}[plain[-1]]
    return plain


def counts_turned(counts: dict[str, int]) -> dict[str, int]:
    return {mirrored(kind): count for kind, count in counts.items()}


def in_no_order(plain: Any) -> Any:
    return mirrored(mirrored(plain))


def rules(*made: tuple[tuple[Condition, ...], int], default: int | None = 1, **options: Any) -> RuleList:
    def rule(conditions: tuple[Condition, ...], label: int) -> Rule:
        return Rule(conditions, np.array([1.0, 0.0]) if label == 0 else np.array([0.0, 1.0]), label)

    return RuleList(
        SCHEMA, tuple(rule(*one) for one in made), None if default is None else rule((), default), **options
    )


SUNNY, RAINY = IsIn(0, (0,)), IsIn(0, (2,))
CALM, CALMER = AtMost(1, 3.0), AtMost(1, 2.0)


# --- trees ---------------------------------------------------------------------------------------------------------


@given(schemas(), randoms())
def test_a_tree_does_not_differ_from_itself(schema: Schema, random: Any) -> None:
    tree = grow_tree(random, schema)
    found = compare_trees(tree, tree)
    assert found.is_empty
    assert [(pair.a, pair.b) for pair in found.pairs] == [(node.index, node.index) for node in tree.walk()]


@given(schemas(), randoms(), st.booleans())
def test_every_node_is_listed_once_and_changing_over_mirrors(schema: Schema, random: Any, sums: bool) -> None:
    a, b = (grow_tree(random, schema, sums=sums) for _ in range(2))
    found, turned = compare_trees(a, b), compare_trees(b, a)
    for side, tree in (("a", a), ("b", b)):
        nodes = [getattr(pair, side) for pair in found.pairs]
        assert sorted(node for node in nodes if node is not None) == list(range(tree.n_nodes))
    assert in_no_order(found.to_json()["nodes"]) == mirrored(turned.to_json()["nodes"])
    assert found.counts == counts_turned(turned.counts)


@given(schemas(), randoms())
def test_trees_that_do_not_differ_answer_alike(schema: Schema, random: Any) -> None:
    a, b = (grow_tree(random, schema, most_inner=2) for _ in range(2))
    rows = fill_table(random, schema, 20, missing=0.0)
    if compare_trees(a, b).is_empty:
        assert (a.predict(rows) == b.predict(rows)).all()


@given(schemas(), randoms())
def test_one_label_changed_is_one_pair_changed(schema: Schema, random: Any) -> None:
    tree = grow_tree(random, schema)
    classes = len(schema.target_column.categories)  # type: ignore[union-attr]
    leaf = random.choice([node.index for node in tree.walk() if node.is_leaf])
    label = tree.label.copy()
    label[leaf] = classes - 1 if label[leaf] != classes - 1 else -1
    changed = [pair for pair in compare_trees(tree, replace(tree, label=label)).pairs if pair.kind != "same"]
    assert [(pair.kind, pair.a, pair.b) for pair in changed] == [("other prediction", leaf, leaf)]


def weather_tree(**parameters: Any) -> Tree:
    model = hornbeam.C45Classifier(**parameters).fit(hornbeam.read("weather")).model_
    assert isinstance(model, Tree)
    return model


def test_a_subtree_in_one_alone() -> None:
    found = diff(weather_tree(), weather_tree(min_samples_leaf=3)).models
    assert isinstance(found, TreeDifference)
    assert found.counts == {"splits only in a": 1, "only in a": 7}
    assert found.pairs[0].prediction_b == "yes"
    assert found.pairs[1].branch_a == "outlook = sunny"


def test_a_cut_that_moved_keeps_what_is_below_it_together() -> None:
    iris = hornbeam.read("iris")
    tree = hornbeam.C45Classifier().fit(iris).model_
    cuts = tree.splits.cuts.copy()
    cuts[tree.splits.cut_start[tree.split[0]]] += 0.05
    moved = replace(tree, splits=replace(tree.splits, cuts=cuts))
    found = diff(tree, moved)
    assert isinstance(found.models, TreeDifference)
    assert found.models.counts == {"other cut": 1, "same": tree.n_nodes - 1}
    assert "~ petalwidth <= 0.6: Iris-setosa -> petalwidth <= 0.65: Iris-setosa" in found.text()


def test_a_category_that_only_one_knows_is_a_branch_of_its_own() -> None:
    weather = hornbeam.read("weather")
    place = weather.schema.position("outlook")
    dry = weather.take(weather.columns[place] != weather.schema.columns[place].categories.index("overcast"))  # type: ignore[union-attr]
    named = Nominal("outlook", ("rainy", "sunny"))  # in another order, too
    codes = np.array([1, -1, 0], np.int32)[dry.columns[place]]
    columns = [named if at == place else column for at, column in enumerate(dry.schema.columns)]
    other = Table(
        Schema(tuple(columns), dry.schema.roles, "dry"),
        [codes if at == place else values for at, values in enumerate(dry.columns)],
    )
    a, b = (hornbeam.ID3Classifier().fit(table.select(["outlook", "play"])).model_ for table in (weather, other))
    found = diff(a, b)
    assert found.columns.categories_a == {"outlook": ("overcast",)}
    assert not found.columns.categories_b
    assert isinstance(found.models, TreeDifference)
    assert [(pair.kind, pair.branch_a, pair.branch_b) for pair in found.models.pairs] == [
        ("other cut", "", ""),
        ("same", "outlook = sunny", "outlook = sunny"),
        ("only in a", "outlook = overcast", ""),
        ("same", "outlook = rainy", "outlook = rainy"),
    ]


def test_a_large_part_of_one_tree_alone_is_a_line() -> None:
    glass = hornbeam.read("glass")
    whole, stump = (hornbeam.TreeClassifier(max_depth=depth).fit(glass) for depth in (None, 1))
    lines = diff(whole, stump).text().split("\n")
    alone = [line for line in lines if line.startswith("- ") and line.endswith(" leaves")]
    assert alone
    told = [line for line in lines if line.startswith("- ") and ": " in line]
    leaves = sum(int(line.split()[-2]) for line in alone) + len(told)
    assert leaves == whole.model_.n_leaves


def test_where_missing_values_go_is_told() -> None:
    tree = weather_tree()
    missing = tree.missing.copy()
    missing[0] = 1
    found = diff(tree, replace(tree, missing=missing))
    assert isinstance(found.models, TreeDifference)
    assert found.models.counts["other way of missing values"] == 1
    assert "goes down every branch in fractions -> takes the branch outlook = overcast" in found.text()


# --- rules ---------------------------------------------------------------------------------------------------------


def test_rules_are_aligned_by_what_they_say() -> None:
    a = rules(((SUNNY, CALM), 0), ((RAINY,), 1))
    b = rules(((RAINY,), 0), ((CALMER, SUNNY), 0), ((IsIn(0, (1,)),), 0))
    found = compare_rules(a, b)
    assert {(pair.kind, pair.a, pair.b, pair.moved) for pair in found.pairs} == {
        ("other conditions", 0, 1, True),  # one condition the same, the other on the same column
        ("other prediction", 1, 0, True),
        ("only in b", None, 2, False),
        ("same", -1, -1, False),
    }
    lines = diff(a, b).text().split("\n")
    assert "~ A1       if outlook = sunny and wind <= 3 then yes" in lines
    assert "+     B3   if outlook = overcast then yes" in lines


def test_the_order_of_conditions_says_nothing_and_that_of_rules_does() -> None:
    a = rules(((SUNNY, CALM), 0), ((RAINY,), 1))
    assert compare_rules(a, rules(((CALM, SUNNY), 0), ((RAINY,), 1))).is_empty
    other = compare_rules(a, rules(((RAINY,), 1), ((CALM, SUNNY), 0)))
    assert other.counts == {"same": 3, "moved": 2}
    voting = compare_rules(replace(a, decide="vote"), rules(((RAINY,), 1), ((CALM, SUNNY), 0), decide="vote"))
    assert voting.is_empty


def test_one_rule_that_moved_far_is_the_one_that_moved() -> None:
    said = [((AtMost(1, float(place)),), place % 2) for place in range(6)]
    found = compare_rules(rules(*said), rules(*said[1:], said[0]))
    assert [pair.a for pair in found.pairs if pair.moved] == [0]


def test_exceptions_and_defaults_are_compared_too() -> None:
    plain = rules(((SUNNY,), 0))
    inner = replace(plain.rules[0], exceptions=rules(((CALM,), 1), default=None))
    a, b = replace(plain, rules=(inner,)), replace(plain, default=None)
    found = compare_rules(a, b)
    assert [pair.kind for pair in found.pairs] == ["same", "only in a"]
    below = found.pairs[0].exceptions
    assert isinstance(below, RuleDifference)
    assert [pair.kind for pair in below.pairs] == ["only in a"]
    assert not found.is_empty
    assert compare_rules(a, a).is_empty
    assert "- " in diff(a, b).text()


CONDITIONS: st.SearchStrategy[Condition] = st.one_of(
    st.builds(IsIn, st.just(0), st.sets(st.integers(0, 2), min_size=1).map(tuple)),
    st.builds(AtMost, st.just(1), st.sampled_from([1.0, 2.0, 3.0])),
)
LISTS = st.builds(
    lambda made, default: rules(*made, default=default),
    st.lists(st.tuples(st.lists(CONDITIONS, max_size=3).map(tuple), st.integers(0, 1)), max_size=6),
    st.sampled_from([None, 0, 1]),
)


@given(LISTS, LISTS)
def test_lists_of_rules_are_mirrored_and_every_rule_is_listed_once(a: RuleList, b: RuleList) -> None:
    found, turned = compare_rules(a, b), compare_rules(b, a)
    assert in_no_order(found.to_json()["rules"]) == mirrored(turned.to_json()["rules"])
    for side, listed in (("a", a), ("b", b)):
        places = sorted(place for pair in found.pairs if (place := getattr(pair, side)) is not None)
        assert places == [*([] if listed.default is None else [-1]), *range(len(listed.rules))]
    assert compare_rules(a, a).is_empty


def naive_alike(one: RuleList, other: RuleList) -> list[list[float]]:
    """Rule by rule, as the module says it: conditions in both whole, those that differ in their value alone half."""

    def said(listed: RuleList) -> list[tuple[set[Any], int]]:
        named = [
            {name_of(c, SCHEMA, shared_categories(SCHEMA, SCHEMA)) for c in rule.conditions} for rule in listed.rules
        ]
        return [(names, rule.label) for names, rule in zip(named, listed.rules, strict=True)]

    def score(ours: tuple[set[Any], int], theirs: tuple[set[Any], int]) -> float:
        near, left = 0, [name[:2] for name in theirs[0] - ours[0]]
        for name in ours[0] - theirs[0]:
            if name[:2] in left:
                left.remove(name[:2])
                near += 1
        whole = (len(ours[0] & theirs[0]) + near / 2) / max(len(ours[0]), len(theirs[0]), 1)
        return whole if ours[1] == theirs[1] else 0.75 * whole

    return [[score(ours, theirs) for theirs in said(other)] for ours in said(one)]


@given(LISTS, LISTS)
def test_how_alike_rules_are_is_as_counted_one_by_one(a: RuleList, b: RuleList) -> None:
    sides = [_Side(rules, shared_categories(SCHEMA, SCHEMA)) for rules in (a, b)]
    found = _alike(*(list(zip(side.names, side.predictions, strict=True)) for side in sides))
    if a.rules and b.rules:
        assert found == pytest.approx(np.array(naive_alike(a, b)))


# --- predictions ---------------------------------------------------------------------------------------------------


def by_hand(left: str, right: str, truth: str) -> Any:
    """Models that predict by wind what the letters say (y, n, or - for none), and rows with the truth (? unknown)."""
    code = {"y": 0, "n": 1}

    def model(said: str) -> RuleList:
        made = [((AtMost(1, float(place)),), code[letter]) for place, letter in enumerate(said) if letter != "-"]
        return rules(*made, default=None) if "-" not in said else rules(*made[: said.index("-")], default=None)

    wind = np.arange(len(truth), dtype=float)
    table = Table(
        SCHEMA, [np.zeros(len(truth), np.int32), wind, np.array([code.get(letter, -1) for letter in truth], np.int32)]
    )
    return diff(model(left), model(right), table)


def test_rows_that_changed_and_which_model_is_right_more_often() -> None:
    found = by_hand("yyynny", "yynnyy", "ynnn?y").predictions
    assert found is not None
    assert (found.rows, found.n_changed) == (6, 2)
    assert found.counts == (("yes", "yes", 3), ("no", "no", 1), ("no", "yes", 1), ("yes", "no", 1))
    assert [(row.row, row.a, row.b, row.truth) for row in found.changed] == [
        (3, "yes", "no", "no"),
        (5, "no", "yes", None),
    ]
    assert [found.reasons[row.reason].a for row in found.changed if row.reason is not None] == [
        "rule 3: wind <= 2",
        "rule 5: wind <= 4",
    ]
    judged = found.judged
    assert judged.to_json() == {"rows": 5, "right_a": 3, "right_b": 4, "only_a": 0, "only_b": 1, "p_value": 1.0}


def test_the_verdict_is_as_the_test_says() -> None:
    said = {
        ("yyyyyyyy", "nnnnnnnn", "yyyyyyyy"): "A is right more often (McNemar's exact test, p = 0.0078).",
        ("nnnnnnnn", "yyyyyyyy", "yyyyyyyy"): "B is right more often (McNemar's exact test, p = 0.0078).",
        ("yn", "nn", "yn"): "The difference may be due to chance (McNemar's exact test, p = 1).",
        ("yn", "ny", "yy"): "(only A 1, only B 1): equally often.",
    }
    for letters, words in said.items():
        assert words in by_hand(*letters).text()


def test_no_answer_is_an_answer_that_differs() -> None:
    found = by_hand("yyyy", "yy--", "yyyy")
    assert [(row.row, row.b) for row in found.predictions.changed] == [(3, None), (4, None)]
    assert "no prediction" in found.text()
    assert "no rule holds" in found.text()


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test(one: int, other: int) -> None:
    expected = binomtest(one, one + other).pvalue if one + other else 1.0
    assert mcnemar(one, other) == pytest.approx(expected, rel=1e-9)


@given(st.lists(st.tuples(*[st.sampled_from("yn")] * 3), min_size=1, max_size=12))
def test_figures_are_those_counted_one_by_one(letters: list[tuple[str, ...]]) -> None:
    a, b, truth = map("".join, zip(*letters, strict=True))
    found = by_hand(a, b, truth).predictions
    rows = list(zip(a, b, truth, strict=True))
    assert found.n_changed == sum(x != y for x, y, _ in rows)
    assert found.judged.right_a == sum(x == t for x, _, t in rows)
    assert found.judged.right_b == sum(y == t for _, y, t in rows)
    assert found.judged.only_a == sum(x == t != y for x, y, t in rows)
    assert found.judged.only_b == sum(y == t != x for x, y, t in rows)
    assert sum(count for *_, count in found.counts) == len(rows)
    turned = by_hand(b, a, truth)
    assert in_no_order(turned.to_json()["predictions"]) == mirrored(by_hand(a, b, truth).to_json()["predictions"])


def test_numbers_the_largest_changes_and_errors_with_an_interval() -> None:
    cpu = hornbeam.read("cpu")
    a = hornbeam.CartRegressor().fit(cpu)
    b = hornbeam.CartRegressor(min_samples_leaf=20).fit(cpu)
    found = diff(a, b, cpu, rows=5)
    predictions, truth = found.predictions, cpu.target_values()
    assert predictions is not None
    one, other = a.predict(cpu), b.predict(cpu)
    assert predictions.n_changed == (one != other).sum()
    largest = np.sort(np.abs(one - other))[::-1][:5]
    assert [abs(row.a - row.b) for row in predictions.changed] == pytest.approx(largest)  # type: ignore[operator]
    judged: Any = predictions.judged
    test = ttest_rel(np.abs(other - truth), np.abs(one - truth))
    assert judged.difference.p_value == pytest.approx(test.pvalue)
    assert judged.difference.interval == pytest.approx(tuple(test.confidence_interval()))
    assert judged.root_mean_squared_error_b == pytest.approx(np.sqrt(((other - truth) ** 2).mean()))
    assert (predictions.learned_by_a, predictions.learned_by_b) == (True, True)
    assert "so the result is optimistic" in found.text()
    back = diff(b, a, cpu).predictions
    assert back is not None
    assert back.judged.difference.mean == pytest.approx(-judged.difference.mean)  # type: ignore[union-attr]


def test_costs_decide_as_they_do_for_the_estimator() -> None:
    credit = hornbeam.read("credit-g")
    a = hornbeam.C45Classifier().fit(credit)
    b = hornbeam.C45Classifier(costs={"bad": {"good": 5}}).fit(credit)
    found = diff(a, b, credit, rows=0)
    assert [one.name for one in found.learned] == ["costs"]
    assert found.models is not None
    assert found.models.is_empty  # the tree is the same, its predictions are not
    assert found.predictions is not None
    assert found.predictions.n_changed == (a.predict(credit) != b.predict(credit)).sum() > 0


# --- all of it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "data"),
    [
        (hornbeam.C45Classifier, "iris"),
        (hornbeam.RipperClassifier, "iris"),
        (hornbeam.M5Regressor, "cpu"),
        (hornbeam.LinearRegressor, "cpu"),
        (hornbeam.NeighborsClassifier, "iris"),
        (hornbeam.RandomForestClassifier, "iris"),
        (hornbeam.ExceptionRulesClassifier, "iris"),
    ],
)
def test_a_model_does_not_differ_from_itself(estimator: Any, data: str) -> None:
    table = hornbeam.read(data)
    learned = estimator().fit(table)
    found = diff(learned, learned, table)
    assert found.is_empty
    assert found.text().endswith("Nothing differs.")
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["same"]


def test_equations_are_compared_term_by_term() -> None:
    cpu = hornbeam.read("cpu")
    a, b = (hornbeam.LinearRegressor(selection=how).fit(cpu) for how in ("m5", None))
    found = diff(a, b, cpu)
    assert isinstance(found.models, EquationDifference)
    terms = {term.name: (term.a, term.b) for term in found.models.terms}
    assert terms["CHMIN"] == (None, pytest.approx(-0.2704, abs=1e-4))
    assert terms["CACH"] == (pytest.approx(0.6298, abs=1e-4), pytest.approx(0.6414, abs=1e-4))
    assert next(iter(terms)) == "intercept"
    (line,) = (line for line in found.text().split("\n") if line.startswith("CHMIN"))
    assert line.split() == ["CHMIN", "-", "-0.270358"]
    turned = diff(b, a, cpu).models
    assert turned is not None
    assert in_no_order(found.models.to_json()) == mirrored(turned.to_json())


def test_other_numbers_for_columns_and_categories_are_no_difference() -> None:
    iris = hornbeam.read("iris")
    names = ("class", "petalwidth", "sepalwidth", "petallength", "sepallength")
    target = iris.schema.target_column
    assert isinstance(target, Nominal)
    turned = Nominal("class", target.categories[::-1])
    columns = [turned if name == "class" else Numeric(name) for name in names]
    arrays = [2 - iris.target_values() if name == "class" else iris.column(name) for name in names]
    other = Table(Schema(tuple(columns), ("target", *["feature"] * 4), "iris"), arrays)
    for estimator in (hornbeam.C45Classifier(), hornbeam.PartClassifier()):
        found = diff(estimator.fit(iris).model_, clone(estimator).fit(other).model_, iris)
        assert found.models is not None
        assert found.models.is_empty, found.text()
        assert found.columns.is_empty
        assert found.predictions is not None
        assert found.predictions.is_empty


def test_kinds_without_an_alignment_are_compared_as_texts() -> None:
    iris = hornbeam.read("iris")
    a, b = (hornbeam.RandomForestClassifier(n_estimators=count, random_state=1).fit(iris) for count in (3, 5))
    found = diff(a, b, iris)
    assert isinstance(found.models, TextDifference)
    assert ("trees", 3, 5) in [(one.name, one.a, one.b) for one in found.statistics]
    assert found.models.lines[1] == "-class: the mean of 3 trees"
    assert {"+", "-"} <= {line[:1] for line in found.text().split("\n")}


def test_models_of_different_kinds_are_compared_by_their_answers() -> None:
    iris = hornbeam.read("iris")
    found = diff(hornbeam.C45Classifier().fit(iris), hornbeam.NeighborsClassifier().fit(iris), iris)
    assert found.models is None
    assert found.predictions is not None
    assert all(reason.a and not reason.b for reason in found.predictions.reasons)
    assert "A: Tree, B: Instances" in found.text()


def test_columns_of_one_alone() -> None:
    weather = hornbeam.read("weather")
    a = hornbeam.C45Classifier().fit(weather)
    b = hornbeam.C45Classifier().fit(weather.select(["outlook", "windy", "play"]))
    found = diff(a, b)
    assert found.columns.only_a == ("temperature", "humidity")
    assert "only A uses temperature, humidity" in found.text()


def test_clusters_are_compared_without_rows() -> None:
    iris = hornbeam.read("iris")
    a, b = (hornbeam.KMeans(n_clusters=k, random_state=1).fit(iris) for k in (2, 3))
    found = diff(a, b)
    assert found.target is None
    assert ("clusters", 2, 3) in [(one.name, one.a, one.b) for one in found.statistics]
    with pytest.raises(SchemaError, match="clusters"):
        diff(a, b, iris)


def test_what_cannot_be_compared_is_refused() -> None:
    iris, weather = hornbeam.read("iris"), hornbeam.read("weather")
    tree = hornbeam.C45Classifier().fit(iris)
    with pytest.raises(SchemaError, match=r"'class'.*'play'"):
        diff(tree, hornbeam.C45Classifier().fit(weather))
    with pytest.raises(SchemaError, match="numeric in A"):
        diff(hornbeam.CartRegressor().fit(hornbeam.read("cpu")), tree)
    with pytest.raises(SchemaError, match="sepallength"):
        diff(tree, tree, weather)
    with pytest.raises(TypeError, match="expected a model"):
        diff(tree, 3)
    with pytest.raises(ValueError, match="rows"):
        diff(tree, tree, rows=-1)


def test_names_from_data_are_made_harmless() -> None:
    evil, worse = "\x1b[31mred", "a|b<script>"
    schema = Schema((Nominal(evil, ("x\n", worse)), Nominal("y\x07", ("p\x1b", "q"))), ("feature", "target"), "t")
    table = Table(schema, [np.array([0, 1] * 6, np.int32), np.array([0, 1] * 6, np.int32)])
    other = table.with_target("y\x07")
    a = hornbeam.ID3Classifier().fit(table)
    flipped = Table(schema, [table.columns[0], 1 - table.columns[1]])
    for text in (diff(a, hornbeam.ID3Classifier().fit(flipped), other).text(markdown=form) for form in (False, True)):
        assert not {"\x1b", "\x07"} & set(text)
        assert "\\x1b[31mred" in text.replace("\\\\", "\\").replace("\\[", "[")
    lines = diff(a, hornbeam.ID3Classifier().fit(flipped), other).text(markdown=True).split("\n")
    assert all("<script>" not in line or line.startswith("    ") for line in lines)
