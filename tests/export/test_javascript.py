"""Scripts answer as the models they are made of, in every scheme and on every example set."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn_forests import KINDS, draw_schema, grow_forest
from hypothesis import given
from hypothesis import strategies as st
from node_answers import Node, other_rows, rows_of
from scipy import sparse
from show.planting import Fork, Leaf, plant
from sklearn.base import clone
from strategies import GRID, fill_table, schemas, seeded_or_shrinking, trees

import hornbeam
from hornbeam.data.examples import names
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.tuning.tune import Tuned
from hornbeam.export import javascript
from hornbeam.model.base.condition import Above, AtLeast, AtMost, Below, Condition, IsIn, IsMissing
from hornbeam.model.base.plain import UnseenCategoryWarning
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import Factor, Term
from hornbeam.model.rules.exceptions import decided_by, places
from hornbeam.model.rules.rule import Rule, RuleList
from hornbeam.model.trees.split import CUTS
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.schemes.scheme import Scheme

REFUSED = {"kstar", "locally-weighted", "exemplars"}  # answers that need all rows and a search of their own
OPTIONS: dict[str, dict[str, Any]] = {
    "id3": {"missing": "own-category"},
    "bagging": {"n_estimators": 5},
    "forest": {"n_estimators": 10},
    "boosting": {"n_estimators": 10},
}
SETS = tuple(name for name in names() if name != "weather")
N_OTHER = 60
TARGETS = ("nominal", "numeric")


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node() as running:
        yield running


@cache
def _table(name: str) -> Table:
    return hornbeam.read(name)


def _predicts(name: str) -> str:
    return "category" if isinstance(_table(name).schema.target_column, Nominal) else "number"


def _same(estimator: Any, table: Table, told: dict[str, Any]) -> None:
    """Hold a script's answers against an estimator's, or a model's."""
    assert "error" not in told, told
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        plain = not hasattr(estimator, "model_")
        expected = estimator.predict(table)
        target = getattr(estimator, "model_", estimator).schema.target_column
        answers = [told["prediction"] for told in told["answers"]]
        if not isinstance(target, Nominal):
            found = np.array([np.nan if answer is None else answer for answer in answers], np.float64)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            return
        assert answers == list(expected)
        shares = [[told["probabilities"][name] for name in target.categories] for told in told["answers"]]
        known = estimator.probabilities(table) if plain else estimator.predict_proba(table)
        np.testing.assert_allclose(np.array(shares), known, rtol=0, atol=1e-12)


def _cases() -> list[Any]:
    return [
        pytest.param(scheme, name, id=f"{scheme.name}-{scheme.predicts}-{name}")
        for scheme in SCHEMES
        for name in SETS
        if _predicts(name) == scheme.predicts
    ]


@pytest.mark.parametrize(("scheme", "name"), _cases())
def test_every_scheme_answers_alike_on_every_example_set(node: Node, scheme: Scheme, name: str) -> None:
    table = _table(name)
    learned = scheme.load()(**OPTIONS.get(scheme.name, {})).fit(table)
    if scheme.name in REFUSED:
        with pytest.raises(TypeError, match="as JavaScript"):
            javascript(learned)
        return
    script = javascript(learned)
    for rows in (table, other_rows(table, N_OTHER, seed=1)):
        _same(learned, rows, node.ask(script, rows_of(rows)))


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{scheme.name}-{scheme.predicts}")
def test_every_choice_of_every_scheme_answers_alike(node: Node, scheme: Scheme) -> None:
    """Each parameter that offers choices, with each of them; combinations that a scheme refuses are passed over."""
    if scheme.name in REFUSED:
        return
    learned = 0
    for name in ("labor", "glass") if scheme.predicts == "category" else ("auto-mpg",):
        table = _table(name)
        rows = other_rows(table, N_OTHER, seed=2)
        for options in _choices(scheme):
            try:
                learner = scheme.load()(**OPTIONS.get(scheme.name, {}) | options).fit(table)
            except ValueError:
                continue
            learned += 1
            if options.get("estimator") in REFUSED:
                with pytest.raises(TypeError, match="as JavaScript"):
                    javascript(learner)
                continue
            if getattr(learner.model_, "widened", False):
                with pytest.raises(TypeError, match="depend on the rows predicted before"):
                    javascript(learner)
                continue
            _same(learner, rows, node.ask(javascript(learner), rows_of(rows)))
    assert learned or not any(_choices(scheme))


def _choices(scheme: Scheme) -> list[dict[str, Any]]:
    """One parameter at a time away from its default."""
    found: list[dict[str, Any]] = [
        {parameter.name: choice}
        for parameter in scheme.parameters
        if parameter.name != "device"  # where to learn; the model is the same
        for choice in (parameter.choices or ((True, False) if parameter.kind == "switch" else ()))
        if choice != parameter.default
    ]
    return found


@pytest.mark.parametrize(
    "learner",
    [
        hornbeam.M5Regressor(neighbors=5),
        hornbeam.M5Regressor(committees=3),
        hornbeam.M5RulesRegressor(neighbors=1, committees=2),
        hornbeam.NeighborsRegressor(n_neighbors=7, weights="inverse"),
        hornbeam.NeighborsRegressor(n_neighbors=2, numeric="rank", nominal="value-difference", missing="ignore"),
        hornbeam.SVMRegressor(kernel="polynomial", degree=2),
        hornbeam.TreeRegressor(missing="impute", leaf="linear"),
        hornbeam.TreeRegressor(combinations=True, leaf="linear"),
        hornbeam.TreeRegressor(missing="fractional", leaf="linear"),
        hornbeam.BaggingRegressor("m5", n_estimators=3, random_state=0),
    ],
    ids=str,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_by_other_ways(node: Node, learner: Any, weighted: bool) -> None:
    table = _table("auto-mpg")
    weights = np.random.default_rng(1).choice([0.3, 1.0, 2.0], table.n_rows) if weighted else None
    learned = clone(learner).fit(table, sample_weight=weights)
    rows = other_rows(table, N_OTHER, seed=4)
    _same(learned, rows, node.ask(javascript(learned), rows_of(rows)))


@pytest.mark.parametrize("ties", ["all", "first"])
def test_neighbors_that_are_tied_and_weighted(node: Node, ties: str) -> None:
    table = _table("vote")  # of few codes, so that many rows are as far as others
    weights = np.random.default_rng(2).choice([0.25, 0.5, 1.0, 2.0], table.n_rows)
    rows = other_rows(table, N_OTHER, seed=5)
    nothing = Table(rows.schema, [np.full(1, -1, np.int32) for _ in rows.columns])  # nobody is near: all have a say
    for way in ({}, {"missing": "ignore", "weights": "inverse"}, {"metric": "manhattan", "weights": "similarity"}):
        learned = hornbeam.NeighborsClassifier(n_neighbors=3, ties=ties, **way).fit(table, sample_weight=weights)
        for asked in (rows, nothing):
            _same(learned, asked, node.ask(javascript(learned), rows_of(asked)))


def test_a_machine_of_sparse_rows_is_refused() -> None:
    rows = sparse.csr_matrix(np.eye(4))
    with pytest.raises(TypeError, match="as JavaScript; fit a table"):
        javascript(hornbeam.SVMClassifier().fit(rows, [0, 0, 1, 1]))


def test_costs_and_thresholds_decide(node: Node) -> None:
    table = _table("credit-g")
    rows = other_rows(table, 200, seed=3)
    plain = hornbeam.C45Classifier().fit(table)
    costs, threshold = {"good": {"bad": 1}, "bad": {"good": 5}}, 0.2
    ways = ({"costs": costs}, {"decision_threshold": threshold})
    for way in ways:
        for kind in (hornbeam.C45Classifier, hornbeam.PartClassifier):
            learned = kind(**way).fit(table)
            _same(learned, rows, node.ask(javascript(learned), rows_of(rows)))
        bare = javascript(plain, **({"costs": [[0, 1], [5, 0]]} if "costs" in way else way))
        learned = hornbeam.C45Classifier.from_model(plain.model_, **way)
        _same(learned, rows, node.ask(bare, rows_of(rows)))
        assert (learned.predict(table) != plain.predict(table)).any()


def test_an_estimator_that_tunes_itself_answers_by_what_it_chose(node: Node) -> None:
    table = _table("credit-g").take(np.arange(200))
    tuned = Tuned(hornbeam.C45Classifier(decision_threshold=0.1), ["confidence"], tries=3, folds=2).fit(table)
    _same(tuned, table, node.ask(javascript(tuned), rows_of(table)))


def test_clusters_and_what_is_no_model_are_refused() -> None:
    clusters = hornbeam.Cobweb().fit(_table("iris"))
    for thing in (clusters, clusters.model_, "a text", hornbeam.C45Classifier()):
        with pytest.raises(TypeError, match="as JavaScript"):
            javascript(thing)


# ---- drawn models ---------------------------------------------------------------------------------------------------


@given(tree=st.data(), random=seeded_or_shrinking())
def test_drawn_trees_answer_alike_and_take_the_same_paths(node: Node, tree: st.DataObject, random: Any) -> None:
    model = tree.draw(
        trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=random.choice(TARGETS))
    )
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3, 0.8)))
    told = node.ask(javascript(model), rows_of(rows))
    _same(model, rows, told)
    start, nodes, weights = model.decision_path(rows)
    for row, answer in enumerate(told["answers"]):
        part = slice(start[row], start[row + 1])
        assert [step["node"] for step in answer["path"]] == nodes[part].tolist()
        assert [step["weight"] for step in answer["path"]] == weights[part].tolist()


@pytest.mark.parametrize("kind", KINDS)
@given(random=seeded_or_shrinking())
def test_drawn_forests_answer_alike_and_end_in_the_same_leaves(node: Node, kind: str, random: Any) -> None:
    model = grow_forest(random, draw_schema(random, kind), kind, n_trees=random.randint(1, 6), most_inner=6)
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3)))
    told = node.ask(javascript(model), rows_of(rows))
    _same(model, rows, told)
    for leaves, answer in zip(model.apply(rows).tolist(), told["answers"], strict=True):
        assert [step["node"] for step in answer["path"]] == leaves


@given(random=seeded_or_shrinking(), target=st.sampled_from(TARGETS), schema=st.data())
def test_drawn_rules_answer_alike(node: Node, random: Any, target: str, schema: st.DataObject) -> None:
    rules = _rules(random, schema.draw(schemas(target=target)), deeper=2)
    rows = fill_table(random, rules.schema, 20, random.choice((0.0, 0.3, 0.8)))
    told = node.ask(javascript(rules), rows_of(rows))
    _same(rules, rows, told)
    for fired, answer in zip(rules.fired(rows).tolist(), told["answers"], strict=True):
        heaviest = max(answer["path"], key=lambda step: step["weight"], default={"node": -1})
        assert heaviest["node"] == fired
        assert sum(step["weight"] for step in answer["path"]) == pytest.approx(1 if answer["path"] else 0)
    if all(rule.exceptions is None or rule.exceptions.decide == "first" for _, rule in places(rules)) and (
        rules.decide == "first" and not any(_list_with_default(rule.exceptions) for _, rule in places(rules))
    ):
        for place, answer in zip(decided_by(rules, rows), told["answers"], strict=True):
            assert [tuple(step["place"]) for step in answer["path"]] == ([] if place is None else [place])


def _list_with_default(rules: RuleList | None) -> bool:
    return rules is not None and rules.default is not None


def _rules(random: Any, schema: Schema, deeper: int) -> RuleList:
    target = schema.target_column
    rules = []
    for _ in range(random.randint(0, 4)):
        if isinstance(target, Nominal):
            value: Any = np.array([random.choice((0.0, 0.0, 1.0, 2.5)) for _ in target.categories])
            label = random.randint(-1, len(target.categories) - 1)
            terms: tuple[Term, ...] = ()
        else:
            value, label = random.choice(GRID), -1
            terms = tuple(_term(random, schema) for _ in range(random.choice((0, 0, 1, 3))))
        conditions = tuple(_condition(random, schema) for _ in range(random.randint(0, 2)))
        inner = _rules(random, schema, deeper - 1) if deeper and random.random() < 0.3 else None
        rules.append(Rule(conditions, value, label, exceptions=inner, terms=terms))
    default = rules.pop() if rules and random.random() < 0.5 else None
    pseudo_count = random.choice((0.0, 1.0))
    return RuleList(schema, tuple(rules), default, random.choice(("first", "first", "vote", "remaining")), pseudo_count)


def _condition(random: Any, schema: Schema) -> Condition:
    place = random.choice(schema.features)
    column, if_missing = schema.columns[place], random.choice((0.0, 0.3, 0.5, 1.0))
    codes = range(len(column.categories)) if isinstance(column, Nominal) else ()
    lost = tuple(code for code in codes if random.random() < 0.2)
    if random.random() < 0.1:
        return IsMissing(place, if_missing, lost)
    if isinstance(column, Nominal) and (not column.ordered or random.random() < 0.5):
        return IsIn(place, tuple(code for code in codes if random.random() < 0.5), if_missing, lost)
    return random.choice((AtMost, Below, Above, AtLeast))(place, random.choice((*GRID, 2.0)), if_missing)


def _term(random: Any, schema: Schema) -> Term:
    factors = []
    for place in random.choices(schema.features, k=random.choice((1, 1, 2))):
        column = schema.columns[place]
        if isinstance(column, Nominal):
            codes = tuple(code for code in range(len(column.categories)) if random.random() < 0.5)
            factors.append(Factor(place, codes, random.choice((0.0, 0.25, 1.0))))
        else:
            factors.append(Factor(place, None, random.choice(GRID), random.choice((1, 2, 3))))
    return Term(random.choice(GRID), tuple(factors))


def test_sums_that_differ_by_rounding_alone_are_a_tie(node: Node) -> None:
    """0.1 + 0.2 + 0.3 is a little more than 0.3 + 0.2 + 0.1; the first class wins all the same."""
    schema = Schema((Numeric("x"), Nominal("y", ("first", "second", *"abcdef"))), ("feature", "target"))
    shares = [np.array([a, b, *[1.0] * 6]) for a, b in ((3.0, 1.0), (2.0, 2.0), (1.0, 3.0))]
    members = tuple(RuleList(schema, (), Rule((), share, 0)) for share in shares)
    table = Table(schema, [np.zeros(1), np.zeros(1, np.int32)])
    together: list[Any] = [Ensemble(schema, members, np.ones(8) / 8)]
    together.append(RuleList(schema, tuple(Rule((), share, 0) for share in shares), None, "vote"))
    for model in together:
        first, second, *_ = model.predict_proba(table)[0]
        assert first < second
        assert model.predict_codes(table).tolist() == [0]
        assert node.ask(javascript(model), rows_of(table))["answers"][0]["prediction"] == "first"


def test_pieces_too_small_for_a_number_leave_the_root_to_answer(node: Node) -> None:
    """Sixty nodes in a row, each of which gives a row without the value little more than the least share there is."""
    schema = Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target"))
    fork = Fork(0, CUTS, [0.0], [Leaf([1, 0]), Leaf([0, 3])])
    for _ in range(60):
        fork = Fork(0, CUTS, [0.0], [Leaf([1, 0]), fork])
    planted = plant(schema, fork)
    share = np.where(planted.first_child < 0, 0.0, 2e-6)
    share[0], share[-2:] = 1.0, 0.5
    tree = replace(planted, share=share)
    rows = Table(schema, [np.array([np.nan]), np.zeros(1, np.int32)])
    told = node.ask(javascript(tree), rows_of(rows))
    assert told["answers"][0]["path"][-1]["weight"] == 0
    _same(tree, rows, told)


def test_numbers_too_large_for_an_equation_get_the_mean(node: Node) -> None:
    table = _table("cpu")
    huge = Table(
        table.schema, [np.full(5, 1.7e308) if values.dtype == np.float64 else values[:5] for values in table.columns]
    )
    for learner in (hornbeam.M5Regressor(), hornbeam.M5RulesRegressor()):
        learned = learner.fit(table)
        assert np.isfinite(learned.predict(huge)).all()
        _same(learned, huge, node.ask(javascript(learned), rows_of(huge)))
    told = node.ask(javascript(hornbeam.LinearRegressor().fit(table)), rows_of(huge))["answers"]
    assert all("no finite result" in answer["error"] for answer in told)


def test_what_is_left_is_too_little_for_the_default(node: Node) -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target"))
    rules = (Rule((AtMost(0, 0.0, 1 - 1e-7),), np.array([1.0, 0.0]), 0),)
    model = RuleList(schema, rules, Rule((), np.array([0.0, 1.0]), 1), "remaining")
    rows = Table(schema, [np.array([np.nan, 1.0, -1.0]), np.zeros(3, np.int32)])
    assert model.predict_proba(rows).tolist() == [[1, 0], [0, 1], [1, 0]]
    _same(model, rows, node.ask(javascript(model), rows_of(rows)))


def test_members_without_an_answer_are_passed_over(node: Node) -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    classes = Schema((Numeric("x"), Nominal("y", ("low", "high"))), ("feature", "target"))
    members = tuple(RuleList(schema, (Rule((AtMost(0, cut),), value),)) for cut, value in ((1.0, 5.0), (2.0, 8.0)))
    intervals = RuleList(classes, (Rule((AtMost(0, 1.0),), np.array([1.0, 3.0]), 1),))
    rows = Table(schema, [np.array([0.0, 1.5, 3.0, np.nan]), np.zeros(4)])
    models: list[Any] = [Ensemble(schema, members, np.array([7.0]))]
    models.append(DiscretizedModel(schema, intervals, np.array([10.0, 20.0]), 7.0))
    for model, expected in zip(models, ([6.5, 8, 7, 7], [17.5, 7, 7, 7]), strict=True):
        assert model.predict(rows).tolist() == expected
        _same(model, rows, node.ask(javascript(model), rows_of(rows)))
    voices = tuple(RuleList(classes, (Rule((AtMost(0, cut),), np.ones(2), 1),)) for cut in (1.0, 2.0))
    vote = Ensemble(classes, voices, np.array([0.75, 0.25]), "vote")
    asked = Table(classes, [rows.columns[0], np.zeros(4, np.int32)])
    assert vote.predict_codes(asked).tolist() == [1, 1, 0, 0]
    _same(vote, asked, node.ask(javascript(vote), rows_of(asked)))


# ---- names that mean something elsewhere ----------------------------------------------------------------------------

HOSTILE = (
    "<script>alert(1)</script>", "</script>", "<!--", '"; drop table rows; --', "__proto__", "constructor", "toString",
    "hasOwnProperty", "\u2028\u2029", "'+alert(1)+'", "\\", "\\u0041", "${1}", "`", "\x00\n\r", "é😀", "", "1", "0",
)  # fmt: skip


def test_names_are_never_code(node: Node) -> None:
    """Every hostile name as a column, a category and a class, in a tree, a list of rules and an equation."""
    random = np.random.default_rng(0)
    columns = [Nominal(name, HOSTILE[place:] + HOSTILE[:place]) for place, name in enumerate(HOSTILE)]
    schema = Schema((*columns, Nominal("class", HOSTILE)), (*["feature"] * len(columns), "target"))  # type: ignore[arg-type]
    table = Table(schema, list(random.integers(0, len(HOSTILE), (len(HOSTILE) + 1, 300)).astype(np.int32)))
    for learner in (hornbeam.ID3Classifier(), hornbeam.PrismClassifier()):
        learned = learner.fit(table)
        script = javascript(learned)
        told = node.ask(script, rows_of(table))
        _same(learned, table, told)
        assert [column["name"] for column in told["columns"]] == list(HOSTILE)
        assert tuple(told["target"]["categories"]) == HOSTILE
        assert set(told["answers"][0]["probabilities"]) == set(HOSTILE)
        empty = {column.name: None for column in columns}
        assert len({json.dumps(answer) for answer in node.ask(script, [{}, empty])["answers"]}) == 1
        assert script.isascii()
        assert not any(mark in script.lower() for mark in ("</", "<!--", "<script", "]]>"))


def test_what_a_row_may_hold(node: Node) -> None:
    """The numeric column has a name that every object has, so that a row without it tells whether that is looked at."""
    schema = Schema(
        (Numeric("constructor"), Numeric("day", "%Y-%m-%d"), Nominal("y", ("1", "no"))),
        ("feature", "feature", "target"),
    )
    table = Table(schema, [np.arange(10.0), np.arange(10.0) * 86400, np.array([0] * 5 + [1] * 5, np.int32)])
    script = javascript(hornbeam.CartClassifier(min_samples_split=2, min_samples_leaf=1).fit(table))
    x = "constructor"
    rows: list[dict[str, Any]] = [
        {x: 9, "day": 864000}, {x: " 9 "}, {x: "9e0", "day": ""}, {x: None, "day": "1970-01-09"},
        {"day": "1970-01-09T13:45"}, {x: "nine"}, {x: "0x9"}, {"day": "yesterday"}, {x: []}, {x: True},
    ]  # fmt: skip
    told = node.ask(script, rows)["answers"]
    assert [answer.get("prediction") for answer in told[:5]] == ["no"] * 5
    assert all("RangeError: column" in answer["error"] for answer in told[5:])


def test_a_name_that_is_none_is_refused() -> None:
    model = hornbeam.C45Classifier().fit(_table("weather.nominal"))
    for name in ("", "1a", "a b", "a;alert(1)", "a.b", "é", "a\n"):
        with pytest.raises(ValueError, match="expected a JavaScript name"):
            javascript(model, name=name)
    assert "\nglobalThis.$a_1 = " in javascript(model, name="$a_1")


def test_the_page_shows_what_the_script_answers(node: Node) -> None:
    page = (Path(__file__).parents[2] / "docs" / "export" / "javascript.md").read_text("utf-8")
    found = re.search(r"play\.predict\((.*?)\);.*?// (\w+) (\S+) (\[.*?\])\n", page, re.DOTALL)
    assert found is not None
    row, answer, share, path = found.groups()
    as_json = [json.loads(re.sub(r"(\w+):", r'"\1":', part)) for part in (row, path)]
    script = javascript(hornbeam.C45Classifier().fit(_table("weather.numeric")), name="play")
    (told,) = node.ask(script, [as_json[0]], "play")["answers"]
    assert (told["prediction"], told["probabilities"]["no"], told["path"]) == (answer, float(share), as_json[1])
