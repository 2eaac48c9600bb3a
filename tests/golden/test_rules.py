"""G19 and G29 of the golden figures: rules read off a tree, and a list of rules entered by hand."""

from __future__ import annotations

from itertools import chain

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import Above, Below, IsIn
from hornbeam.model.rules.rule import Rule, RuleList, rules_from_tree
from hornbeam.model.trees.split import CODES, CUTS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree


def build(schema: Schema, splits: SplitStore, first_child: list[int], n_children: list[int], mean: list[float]) -> Tree:
    """A tree of numbers from its shape; splits belong to the inner nodes in order."""
    n_nodes = len(first_child)
    parent, split = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    inner = [node for node in range(n_nodes) if first_child[node] >= 0]
    for index, node in enumerate(inner):
        parent[first_child[node] : first_child[node] + n_children[node]] = node
        split[node] = index
    return Tree(
        schema=schema,
        splits=splits,
        parent=parent,
        first_child=np.array(first_child, np.int32),
        n_children=np.array(n_children, np.int32),
        split=split,
        missing=np.full(n_nodes, FRACTIONAL, np.int32),
        rows=np.ones(n_nodes, np.int64),
        weight=np.ones(n_nodes),
        value=np.column_stack([np.ones(n_nodes), mean, np.zeros(n_nodes)]),
        label=np.full(n_nodes, -1, np.int32),
        error=np.zeros(n_nodes),
        share=np.array([1.0, *(1 / n_children[parent[node]] for node in range(1, n_nodes))]),
    )


def store(columns: list[int], cuts: list[list[float]], codes: list[list[int]]) -> SplitStore:
    n_splits = len(columns)
    return SplitStore(
        column=np.array(columns, np.int32),
        kind=np.array([CUTS if part else CODES for part in cuts], np.int8),
        n_branches=np.array([len(a) + 1 if a else len(b) for a, b in zip(cuts, codes, strict=True)], np.int32),
        score=np.full(n_splits, np.nan),
        equal_low=np.ones(n_splits, np.bool_),
        cut_start=np.cumsum([0, *map(len, cuts)]).astype(np.int64),
        cuts=np.array([*chain(*cuts)], np.float64),
        code_start=np.cumsum([0, *map(len, codes)]).astype(np.int64),
        codes=np.array([*chain(*codes)], np.int32),
        code_branch=np.zeros(sum(map(len, codes)), np.int32),
        other=np.full(n_splits, -1, np.int32),
    )


JOBS = Schema(
    (Numeric("age"), Numeric("years-in-job"), Nominal("job-type", ("A", "B", "C")), Numeric("y")),
    ("feature", "feature", "feature", "target"),
)


def test_g19_one_rule_a_leaf() -> None:
    tree = build(
        JOBS,
        store([0, 2, 1], [[38.5], [], [2.5]], [[], [0, 1, 2], []]),
        [1, 3, 6, -1, -1, -1, -1, -1],
        [2, 3, 2, 0, 0, 0, 0, 0],
        [0.5, 0.3, 0.7, 0.4, 0.3, 0.2, 0.6, 0.8],
    )
    rules = rules_from_tree(tree)
    assert [rule.describe(JOBS) for rule in rules.rules] == [
        "if age <= 38.5 and job-type = A then y = 0.4",  # R3
        "if age <= 38.5 and job-type = B then y = 0.3",  # R4
        "if age <= 38.5 and job-type = C then y = 0.2",  # R5
        "if age > 38.5 and years-in-job <= 2.5 then y = 0.6",  # R2
        "if age > 38.5 and years-in-job > 2.5 then y = 0.8",  # R1
    ]
    rows = Table(JOBS, [[50, 50, 20, 20, 20, 38.5], [3, 2.5, 9, 9, 9, 9], [0, 0, 0, 1, 2, 2], np.zeros(6)])
    assert rules.predict(rows).tolist() == [0.8, 0.6, 0.4, 0.3, 0.2, 0.2]
    assert tree.predict(rows).tolist() == [0.8, 0.6, 0.4, 0.3, 0.2, 0.2]


def test_g19_bounds_on_one_column_merge() -> None:
    tree = build(
        JOBS,
        store([0, 0, 1, 0], [[60.0], [38.5], [2.5], [45.0]], [[], [], [], []]),
        [1, 3, -1, -1, 5, -1, 7, -1, -1],
        [2, 2, 0, 0, 2, 0, 2, 0, 0],
        [0.5, 0.4, 0.9, 0.1, 0.6, 0.2, 0.7, 0.3, 0.8],
    )
    assert [rule.describe(JOBS) for rule in rules_from_tree(tree).rules] == [
        "if age <= 38.5 then y = 0.1",
        "if age <= 60 and age > 38.5 and years-in-job <= 2.5 then y = 0.2",
        "if age <= 45 and age > 38.5 and years-in-job > 2.5 then y = 0.3",
        "if age <= 60 and age > 45 and years-in-job > 2.5 then y = 0.8",
        "if age > 60 then y = 0.9",
    ]


def test_g29_five_lines_for_the_weather() -> None:
    table = hornbeam.read("weather.numeric", target="play")
    schema = table.schema
    outlook, humidity, windy = (schema.position(name) for name in ("outlook", "humidity", "windy"))

    def code(column: str, category: str) -> tuple[int]:
        kind = schema.columns[schema.position(column)]
        assert isinstance(kind, Nominal)
        return (kind.categories.index(category),)

    def then(answer: str, *conditions: Above | Below | IsIn) -> Rule:
        (label,) = code("play", answer)
        return Rule(conditions, np.eye(2)[label], label)

    rules = RuleList(
        schema,
        (
            then("no", IsIn(outlook, code("outlook", "sunny")), Above(humidity, 83.0)),
            then("no", IsIn(outlook, code("outlook", "rainy")), IsIn(windy, code("windy", "TRUE"))),
            then("yes", IsIn(outlook, code("outlook", "overcast"))),
            then("yes", Below(humidity, 85.0)),
        ),
        then("yes"),
    )
    rules.validate()
    assert table.n_rows == 14
    assert (rules.predict_codes(table) == table.target_values()).sum() == 14
    assert rules.rules[0].describe(schema) == "if outlook = sunny and humidity > 83 then play = no"
