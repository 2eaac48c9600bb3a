"""CART's trees are the second reference program's, line by line, and so are complexities and importances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.trees.rpart_answers import rpart_answer, small_pairs
from oracle.trees.rpart_compare import (
    RpartOutcome,
    compare,
    differing_lines,
    importance_difference,
    table_difference,
)

from hornbeam.learn.trees.prune.complexity import CpTable


def explain(outcome: RpartOutcome) -> str:
    lines = [f"{outcome.scheme} on {outcome.data}: {len(outcome.differing_lines)} lines differ"]
    for ours, theirs in outcome.differing_lines[:8]:
        lines += [f"  ours   {ours}", f"  theirs {theirs}"]
    return "\n".join([*lines, f"  table: {outcome.table}", f"  importance: {outcome.importance}"])


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_small_set_is_identical(scheme: str, data: str) -> None:
    outcome = compare(scheme, data)
    assert outcome.identical, explain(outcome)


def test_a_spoiled_answer_is_a_difference() -> None:
    stored = rpart_answer("rpart", "iris")
    assert differing_lines(stored.text, stored) == ()
    for spoiled in (
        stored.text.replace("2.45", "2.46"),
        stored.text.replace(" 46 ", " 47 "),
        stored.text.replace(")  ", ") "),
        stored.text + "8) x",
    ):
        assert differing_lines(spoiled, stored)


def test_a_spoiled_table_is_a_difference() -> None:
    rows = np.array(rpart_answer("rpart", "iris").cp_table)
    table = CpTable(rows[:, 0], rows[:, 1].astype(np.int64), rows[:, 2], rows[:, 3], rows[:, 4])
    assert table_difference(table, rows.tolist()) == ""
    assert table_difference(replace(table, cp=table.cp + 1e-6), rows.tolist())
    assert table_difference(replace(table, n_splits=table.n_splits + 1), rows.tolist())
    assert table_difference(replace(table, error=table.error * 1.00001), rows.tolist())
    assert table_difference(table, rows[1:].tolist())


def test_a_spoiled_importance_is_a_difference() -> None:
    theirs = rpart_answer("rpart", "iris").importance
    assert len(theirs) == 4
    ours = [float(each) for each in theirs]
    assert importance_difference(ours, theirs) == ""
    assert importance_difference([*ours[:3], ours[3] * (1 + 1e-5)], theirs)
    assert importance_difference(ours[:3], theirs)
