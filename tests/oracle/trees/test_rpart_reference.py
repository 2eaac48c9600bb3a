"""The naive CART gives the second reference program's answers: who agrees with it agrees with the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from oracle.trees.rpart_answers import large_pairs, rpart_answer, small_pairs, table_of
from oracle.trees.rpart_compare import READ_OTHERWISE, importance_difference, table_difference
from reference.cart import Grower, Options, complexity_table, from_table, importance
from reference.cart_parts import LEFT, RIGHT

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.prune.complexity import CpTable

if TYPE_CHECKING:
    from reference.cart_parts import Node

    from hornbeam.data.table import Table

OPTIONS = {
    "rpart": Options(),
    "rpart-information": Options("information"),
    "rpart-full": Options(cp=0.0, min_split=5, min_bucket=2),
}
LINE = re.compile(
    r" *(?P<number>\d+)\) (?P<words>.*?) (?P<rows>\d+) +(?P<risk>[-+.e\d]+) +(?P<answer>\S+)( \(.*\))? [ *]"
)
LAST = 1e-6  # relative; seven digits are printed


def described(grower: Grower, table: Table) -> list[tuple[Node, str]]:
    """Every node with the words that lead to it, as they are printed."""
    columns = grower.sample.columns
    found: list[tuple[Node, str]] = []

    def walk(node: Node, words: str) -> None:
        found.append((node, words))
        for side, child in ((LEFT, node.left), (RIGHT, node.right)):
            if node.split is None or child is None:
                continue
            name, split = columns[node.split.column].name, node.split
            kind = table.schema.columns[table.schema.position(name)]
            if isinstance(kind, Nominal):
                chosen = [kind.categories[code] for code, goes in sorted(split.side_of.items()) if goes == side]
                walk(child, f"{name}={','.join(chosen)}")
            else:
                walk(child, f"{name}{'< ' if side == split.below else '>='}{split.cut:.7g}")

    walk(grower.root, "root")
    return found


def check(scheme: str, data: str) -> None:
    stored = rpart_answer(scheme, data)
    table = table_of(stored.arff)
    grower = from_table(table, OPTIONS[scheme])
    old, new = READ_OTHERWISE.get((scheme, data), ("", ""))
    theirs = [match for match in map(LINE.fullmatch, stored.text.split("\n")) if match]
    ours = described(grower, table)
    assert len(ours) == len(theirs)
    target = table.schema.target_column
    labels = np.unique(table.target_values()[table.target_values() >= 0]) if isinstance(target, Nominal) else []
    for (node, words), their in zip(ours, theirs, strict=True):
        assert (node.number, words.replace(old, new)) == (int(their["number"]), their["words"])
        assert len(node.rows) == int(their["rows"])
        assert node.risk == pytest.approx(float(their["risk"]), rel=LAST, abs=1e-12)
        if isinstance(target, Nominal):
            assert target.categories[labels[node.label]] == their["answer"]
        else:
            assert node.value[0] == pytest.approx(float(their["answer"]), rel=LAST, abs=1e-9)
    rows = np.array(complexity_table(grower), np.float64)
    unknown = np.full(len(rows), np.nan)
    found = CpTable(rows[:, 0], rows[:, 1].astype(np.int64), rows[:, 2], unknown, unknown)
    assert table_difference(found, stored.cp_table) == ""
    assert importance_difference(list(importance(grower).values()), stored.importance) == ""


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_naive_tree_is_identical(scheme: str, data: str) -> None:
    check(scheme, data)


@pytest.mark.oracle
@pytest.mark.parametrize(("scheme", "data"), large_pairs())
def test_naive_tree_is_identical_on_large_sets(scheme: str, data: str) -> None:
    check(scheme, data)
