"""Kept rows in words: what answers, and the nearest rows column by column."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table


def drawn() -> Table:
    schema = Schema(
        (Numeric("size"), Nominal("color", ("red", "blue\x1b")), Nominal("kind", ("a", "b"))),
        ("feature", "feature", "target"),
    )
    return Table(schema, [[0.0, 4.0, np.nan, 8.0], [0, 1, 1, -1], [0, 1, 1, 0]])


def test_what_answers() -> None:
    learner = hornbeam.NeighborsClassifier(2, ties="first", weights="inverse", column_weights={"size": 2})
    told = hornbeam.show.text(learner.fit(drawn()))
    assert told.startswith(
        "kind: the nearest 2 rows, the first of those tied, weights 1 / distance\nrows kept: 4, 64 bytes"
    )
    assert told.endswith("  size: 2")
    with pytest.raises(ValueError, match="an instance-based model"):
        hornbeam.show.text(learner, style="table")


def test_weights_by_class() -> None:
    told = hornbeam.show.text(hornbeam.IB5Classifier(by_class=True, noise=False).fit(drawn()))
    assert "of 4 seen" in told
    assert "  a: size " in told


def test_why_a_row_gets_its_answer() -> None:
    learner = hornbeam.NeighborsClassifier(1, ties="first").fit(drawn())
    told = hornbeam.show.explain(learner, drawn().take([1]))
    assert told.splitlines() == [
        "row 1: size 4, color blue\\x1b",
        "  0 from kept row 2, b: no difference",
        "so kind = b",
    ]
    asked = Table(drawn().schema, [[2.0], [0], [-1]])
    assert "  0.25 from kept row 1, a: size 0 (0.25)" in hornbeam.show.explain(learner, asked)


def test_many_neighbors_are_cut_short() -> None:
    table = hornbeam.read("labor")
    told = hornbeam.show.explain(hornbeam.NeighborsClassifier(20).fit(table), table, 3)
    assert "  and 10 more" in told
    assert " more\n" in told
