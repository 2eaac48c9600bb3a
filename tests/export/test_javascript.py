"""Scripts answer as the models they are made of, in every scheme and on every example set."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn_forests import KINDS, draw_schema, grow_forest
from hypothesis import given
from hypothesis import strategies as st
from node_answers import Node, other_rows, rows_of
from strategies import fill_table, randoms, trees

import hornbeam
from hornbeam.data.examples import names
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import javascript
from hornbeam.model.errors import UnseenCategoryWarning
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.scheme import Scheme

REFUSED = {  # those that answer from rows they keep
    "ib2", "ib3", "ib5", "kstar", "locally-weighted", "exemplars", "neighbors", "svm",
}  # fmt: skip
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
        expected = estimator.predict(table)
        target = getattr(estimator, "model_", estimator).schema.target_column
        answers = [told["answer"] for told in told["answers"]]
        if not isinstance(target, Nominal):
            found = np.array([np.nan if answer is None else answer for answer in answers], np.float64)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
            return
        if estimator is getattr(estimator, "model_", estimator):  # a model gives codes
            expected = [None if code < 0 else target.categories[code] for code in expected]
        assert answers == list(expected)
        shares = [[told["shares"][name] for name in target.categories] for told in told["answers"]]
        np.testing.assert_allclose(np.array(shares), estimator.predict_proba(table), rtol=0, atol=1e-12)


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


# ---- drawn models ---------------------------------------------------------------------------------------------------


@given(tree=st.data(), random=randoms())
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
@given(random=randoms())
def test_drawn_forests_answer_alike_and_end_in_the_same_leaves(node: Node, kind: str, random: Any) -> None:
    model = grow_forest(random, draw_schema(random, kind), kind, n_trees=random.randint(1, 6), most_inner=6)
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3)))
    told = node.ask(javascript(model), rows_of(rows))
    _same(model, rows, told)
    for leaves, answer in zip(model.apply(rows).tolist(), told["answers"], strict=True):
        assert [step["node"] for step in answer["path"]] == leaves


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
        assert set(told["answers"][0]["shares"]) == set(HOSTILE)
        assert script.isascii()
        assert not any(mark in script.lower() for mark in ("</", "<!--", "<script", "]]>"))


def test_what_a_row_may_hold(node: Node) -> None:
    schema = Schema(
        (Numeric("x"), Numeric("day", "%Y-%m-%d"), Nominal("y", ("1", "no"))), ("feature", "feature", "target")
    )
    table = Table(schema, [np.arange(10.0), np.arange(10.0) * 86400, np.array([0] * 5 + [1] * 5, np.int32)])
    script = javascript(hornbeam.CartClassifier(min_samples_split=2, min_samples_leaf=1).fit(table))
    rows: list[dict[str, Any]] = [
        {"x": 9, "day": 864000}, {"x": " 9 "}, {"x": "9e0", "day": ""}, {"x": None, "day": "1970-01-09"},
        {"day": "1970-01-09T13:45"}, {"x": "nine"}, {"x": "0x9"}, {"day": "yesterday"}, {"x": []}, {"x": True},
    ]  # fmt: skip
    told = node.ask(script, rows)["answers"]
    assert [answer.get("answer") for answer in told[:5]] == ["no"] * 5
    assert all("RangeError: column" in answer["error"] for answer in told[5:])


def test_a_name_that_is_none_is_refused() -> None:
    model = hornbeam.C45Classifier().fit(_table("weather.nominal"))
    for name in ("", "1a", "a b", "a;alert(1)", "a.b", "é", "a\n"):
        with pytest.raises(ValueError, match="expected a name of JavaScript"):
            javascript(model, name=name)
    assert javascript(model, name="$a_1").startswith("globalThis.$a_1 = ")
