"""The audit against the naive router, node by node; policies against trees rerouted by hand."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import route
from strategies import Random, fill_table, randoms, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import missing_audit as entry_point
from hornbeam.evaluate.audit import missing_audit, reroute
from hornbeam.evaluate.audit_result import Tally
from hornbeam.model.trees.split import CUTS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, STOP, Tree

KINDS = st.sampled_from(
    [{}, {"surrogates": True}, {"single_cuts": True, "surrogates": True}, {"target": "numeric"}, {"sums": True}]
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Tree, Table]:
    tree = draw(KINDS.flatmap(lambda kind: trees(**kind)))
    random: Random = draw(randoms())
    return tree, fill_table(random, tree.schema, random.choice((0, 1, 5, 30)), random.choice((0.0, 0.2, 0.6)))


def naive(tree: Tree, table: Table) -> tuple[Counter[Any], Counter[Any], set[int]]:
    """Rows and weights by (node, route), and the rows that lacked a value, one row at a time."""
    rows: Counter[Any] = Counter()
    weights: Counter[Any] = Counter()
    resting: set[int] = set()
    for row in range(table.n_rows):
        for node, weight, _ in route.visits(tree, table, row):
            if tree.first_child[node] < 0:
                continue
            keys: list[Any] = [(node, "arrived")]
            if route.branch_of(tree, int(tree.split[node]), table, row) is None:
                resting.add(row)
                keys += [(node, "lacking"), (node, way(tree, node, table, row))]
            for key in keys:
                rows[key] += 1
                weights[key] += weight
    return rows, weights, resting


def way(tree: Tree, node: int, table: Table, row: int) -> Any:
    if tree.surrogates is not None and tree.surrogate_start is not None:
        for place in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
            if route.branch_of(tree, int(tree.surrogates[place]), table, row) is not None:
                return place - int(tree.surrogate_start[node])
    if tree.missing[node] >= 0:
        return "branch"
    first = int(tree.first_child[node])
    shares = tree.share[first : first + int(tree.n_children[node])]
    return "pieces" if tree.missing[node] == FRACTIONAL and (shares > 1e-6).any() else "stopped"


@given(cases())
def test_routes_are_those_of_the_naive_router(case: tuple[Tree, Table]) -> None:
    tree, table = case
    audit = missing_audit(tree, table)
    rows, weights, resting = naive(tree, table)
    found: dict[Any, Tally] = {}
    for told in audit.nodes:
        for name in ("arrived", "lacking", "branch", "pieces", "stopped"):
            found[told.node, name] = getattr(told, name)
        for place, (column, tally) in enumerate(told.surrogates):
            found[told.node, place] = tally
            assert column in tree.schema.names
        sent = [told.branch, told.pieces, told.stopped, *(tally for _, tally in told.surrogates)]
        assert sum(tally.rows for tally in sent) == told.lacking.rows
    assert {key: tally.rows for key, tally in found.items() if tally.rows} == dict(rows)
    for key, weight in weights.items():
        assert found[key].weight == pytest.approx(weight)
    assert audit.resting == Tally(len(resting), float(len(resting)))
    assert audit.audited.rows == table.n_rows
    assert [told.node for told in audit.nodes] == np.flatnonzero(tree.first_child >= 0).tolist()
    json.dumps(audit.to_json(), allow_nan=False)
    assert "predictions changed" in audit.text(3)


@given(cases(), st.sampled_from(["majority", "fractional", "stop"]))
def test_rerouted_answers_are_those_of_the_rerouted_tree(case: tuple[Tree, Table], policy: Any) -> None:
    tree, table = case
    other = reroute(tree, policy)
    other.validate()
    for row in range(table.n_rows):
        for node, _, ended in route.visits(other, table, row):
            lacks = other.first_child[node] >= 0 and way(other, node, table, row) if ended else None
            assert not lacks or policy != "majority"
    learned, effect = missing_audit(tree, table, [policy]).policies
    changed = np.abs(other.predict_codes(table) - tree.predict_codes(table)) > 1e-9
    assert effect.changed is not None
    assert effect.changed.rows == changed.sum()
    assert learned.changed == Tally(0, 0.0)


def stump(**changes: Any) -> Tree:
    """x <= 5: yes, else no; its surrogate z <= 1; 6 rows left, 4 right."""
    schema = Schema(
        (Numeric("x"), Numeric("z"), Nominal("y", ("yes", "no"))), ("feature", "feature", "target"), "small"
    )
    value = np.array([[6.0, 4.0], [5.0, 1.0], [1.0, 3.0]])
    splits = SplitStore(
        column=np.array([0, 1], np.int32),
        kind=np.full(2, CUTS, np.int8),
        n_branches=np.full(2, 2, np.int32),
        score=np.zeros(2),
        equal_low=np.ones(2, np.bool_),
        cut_start=np.arange(3, dtype=np.int64),
        cuts=np.array([5.0, 1.0]),
        code_start=np.zeros(3, np.int64),
        codes=np.empty(0, np.int32),
        code_branch=np.empty(0, np.int32),
        other=np.full(2, -1, np.int32),
    )
    tree = Tree(
        schema=schema,
        splits=splits,
        parent=np.array([-1, 0, 0], np.int32),
        first_child=np.array([1, -1, -1], np.int32),
        n_children=np.array([2, 0, 0], np.int32),
        split=np.array([0, -1, -1], np.int32),
        missing=np.array([1, 0, 0], np.int32),
        rows=value.sum(axis=1).astype(np.int64),
        weight=value.sum(axis=1),
        value=value,
        label=np.array([0, 0, 1], np.int32),
        error=np.array([4.0, 1.0, 1.0]),
        share=np.array([1.0, 0.6, 0.4]),
        surrogate_start=np.array([0, 1, 1, 1], np.int64),
        surrogates=np.array([1], np.int32),
    )
    return replace(tree, **changes)


NAN = np.nan
ROWS = [[1, NAN, NAN, NAN, 9], [NAN, 0, 2, NAN, NAN], [0, 0, 1, 0, 1]]


def test_a_table_in_words() -> None:
    tree = stump()
    audit = missing_audit(tree, Table(tree.schema, ROWS))
    lines = audit.text().splitlines()
    lines[3] = lines[3].removesuffix(" or missing")
    assert lines == [
        "small: 3 of 5 rows met a missing value on their path; their prediction depends on the policy",
        "",
        "node  column  rows  lacking  surrogate 1  one branch",
        "   0  x          5        3          z 2           1  x > 5",
        "",
        "policy                predictions changed  accuracy",
        "as learned                              -     80.0%",
        "majority    rerouted          2 of 5 rows     80.0%",
        "fractional  rerouted          2 of 5 rows     80.0%",
        "stop        rerouted          2 of 5 rows     80.0%",
    ]
    plain = audit.to_json()
    assert plain["nodes"][0]["surrogates"] == [{"column": "z", "rows": 2, "weight": 2.0}]
    assert plain["nodes"][0]["branch"] == {"rows": 1, "weight": 1.0}
    assert plain["resting"] == {"rows": 3, "weight": 3.0}
    assert plain["policies"][1]["changed"] == {"rows": 2, "weight": 2.0}
    assert plain["policies"][0]["score"] == pytest.approx(0.8)


def test_stops_and_pieces_are_told() -> None:
    table = Table(stump().schema, ROWS)
    stops = missing_audit(stump(missing=np.array([STOP, 0, 0], np.int32)), table)
    assert stops.nodes[0].stopped == Tally(1, 1.0)
    assert "ended here" in stops.text()
    pieces = missing_audit(stump(missing=np.full(3, FRACTIONAL, np.int32)), table)
    assert pieces.nodes[0].pieces == Tally(1, 1.0)
    assert pieces.nodes[0].branch_words == ""


def test_weights_count() -> None:
    tree = stump()
    schema = Schema((*tree.schema.columns, Numeric("w")), (*tree.schema.roles, "weight"))
    audit = missing_audit(tree, Table(schema, [*ROWS, [1, 2, 4, 8, 16]]), ["stop"])
    assert audit.resting == Tally(3, 14.0)
    assert audit.nodes[0].surrogates == (("z", Tally(2, 6.0)),)
    assert audit.policies[1].changed == Tally(2, 12.0)
    assert audit.policies[0].score == pytest.approx(23 / 31)
    assert "3 of 5 rows (weight 14 of 31)" in audit.text()


def test_a_table_without_the_target_or_with_another() -> None:
    tree = stump()
    audit = missing_audit(tree, Table(tree.schema, ROWS).select(["z", "x"]))
    assert [effect.score for effect in audit.policies] == [None] * 4
    assert "accuracy" not in audit.text()
    other = Table(
        Schema((*tree.schema.columns[:2], Nominal("y", ("maybe", "no", "yes")))), [*ROWS[:2], [2, 2, 0, -1, 1]]
    )
    assert missing_audit(tree, other).policies[0].score == pytest.approx(3 / 4)
    unknown = Table(tree.schema, [*ROWS[:2], [-1] * 5])
    assert missing_audit(tree, unknown).policies[0].score is None


def test_numbers_are_judged_by_their_error() -> None:
    tree = stump()
    schema = Schema((*tree.schema.columns[:2], Numeric("y")), tree.schema.roles)
    value = np.array([[10.0, 2.0, 9.0], [6.0, 1.0, 1.0], [4.0, 3.5, 1.0]])
    regression = replace(tree, schema=schema, value=value, label=np.full(3, -1, np.int32))
    audit = missing_audit(regression, Table(schema, [*ROWS[:2], [1, 1, 3.5, 3.5, 1.5]]))
    assert audit.measure == "root mean squared error"
    assert [effect.score for effect in audit.policies] == pytest.approx(
        [
            np.sqrt(4 / 5),
            np.sqrt((2.5**2 * 2 + 4) / 5),
            np.sqrt((1 + 1.5**2 * 2 + 4) / 5),
            np.sqrt((1 + 1.5**2 * 2 + 4) / 5),
        ]
    )
    assert [effect.changed.rows for effect in audit.policies if effect.changed] == [0, 2, 3, 3]


def test_an_estimator_without_policies_is_rerouted() -> None:
    labor = hornbeam.read("labor")
    fitted = hornbeam.C45Classifier(prune=None).fit(labor)
    audit = entry_point(fitted, labor)
    assert [(effect.policy, effect.how) for effect in audit.policies] == [
        ("as learned", "as learned"),
        ("majority", "rerouted"),
        ("stop", "rerouted"),
    ]
    assert audit.policies[0].score == pytest.approx(
        np.mean(fitted.model_.predict_codes(labor) == labor.target_values())
    )
    expected = missing_audit(fitted.model_, labor)
    assert audit.nodes == expected.nodes
    assert audit.policies == expected.policies


def test_an_estimator_with_policies_is_learned_again() -> None:
    vote = hornbeam.read("vote")
    fitted = hornbeam.ID3Classifier(missing="own-category").fit(vote)
    own, error = missing_audit(fitted, vote).policies[:2]
    assert (own.policy, own.how) == ("own-category", "as learned")
    assert (error.policy, error.how) == ("error", "learned again")
    assert error.changed is None
    assert error.problem is not None
    assert (
        error.problem in missing_audit(fitted, vote).text().replace("…", "")
        or "…" in missing_audit(fitted, vote).text()
    )
    same = missing_audit(fitted, vote, ["own-category"], train=vote).policies[1]
    assert same.changed == Tally(0, 0.0)
    assert same.score == own.score
    features = vote.select(vote.schema.features)
    assert {effect.how for effect in missing_audit(fitted, features).policies} == {"as learned", "rerouted"}


def test_what_is_refused() -> None:
    tree = stump()
    table = Table(tree.schema, ROWS)
    with pytest.raises(ValueError, match="policy is 'impute'; expected one of 'majority', 'fractional', 'stop'"):
        missing_audit(tree, table, ["impute"])
    with pytest.raises(TypeError, match="found an object of type int"):
        missing_audit(3, table)
    with pytest.raises(TypeError, match="C45Classifier"):
        missing_audit(hornbeam.C45Classifier(), table)


def test_many_nodes_are_cut_short() -> None:
    vote = hornbeam.read("vote")
    audit = missing_audit(hornbeam.ID3Classifier(missing="own-category").fit(vote).model_, vote)
    touched = sum(told.lacking.rows > 0 for told in audit.nodes)
    lines = audit.text(2).splitlines()
    assert touched > 3
    assert f"… and {touched - 2} more nodes where a value was missing" in lines
    assert len([line for line in lines if line.endswith("is missing")]) == 2


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    vote = hornbeam.read("vote")
    tree = hornbeam.C45Classifier(prune=None).fit(vote).model_
    whole = missing_audit(tree, vote)
    monkeypatch.setattr(sys.modules["hornbeam.evaluate.audit"], "BLOCK", 50)
    parts = missing_audit(tree, vote)
    assert parts.resting == whole.resting
    assert parts.policies == whole.policies
    for one, other in zip(parts.nodes, whole.nodes, strict=True):
        assert one.arrived.rows == other.arrived.rows
        assert one.lacking.weight == pytest.approx(other.lacking.weight)
