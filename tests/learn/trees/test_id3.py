"""ID3's chi-square stop, against a naive program on drawn tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam import ID3Classifier, Nominal, Schema, Table
from hornbeam.learn.trees.criteria import chi_square, information_gain


def drawn(seed: int, rows: int) -> Table:
    """Nominal columns, of which two tell something about the class."""
    random = np.random.default_rng(seed)
    columns = [random.integers(0, size, rows).astype(np.int32) for size in (2, 3, 2, 4)]
    label = ((columns[0] + (columns[1] == 1) + (random.random(rows) < 0.3)) % 3).astype(np.int32)
    names = [Nominal(f"c{place}", tuple("pqrs"[:size])) for place, size in enumerate((2, 3, 2, 4))]
    return Table(Schema((*names, Nominal("y", ("a", "b", "c"))), ("feature",) * 4 + ("target",)), [*columns, label])


def leaves(table: Table, rows: Any, level: float | None) -> list[tuple[tuple[str, ...], list[int]]]:
    """The naive program: of the significant columns the one with the greatest gain; every leaf with its rows' path."""
    y = table.target_values()[rows]
    tables = {}
    for place in table.schema.features:
        codes = table.columns[place][rows]
        size = len(table.schema.columns[place].categories)  # type: ignore[union-attr]
        tables[place] = np.array([[((codes == c) & (y == k)).sum() for k in range(3)] for c in range(size)])
    gains = {
        place: information_gain(counts)
        for place, counts in tables.items()
        if level is None or chi_square(counts).p_value <= level
    }
    best = max(gains, key=lambda place: (round(gains[place], 9), -place), default=None)
    if best is None or gains[best] <= 1e-9:
        return [((), np.bincount(y, minlength=3).tolist())]
    column = table.schema.columns[best]
    assert isinstance(column, Nominal)
    found = []
    for code, category in enumerate(column.categories):
        inside = rows[table.columns[best][rows] == code]
        below = leaves(table, inside, level) if len(inside) else [((), [0, 0, 0])]
        found += [((f"{column.name} = {category}", *path), counts) for path, counts in below]
    return found


@given(st.integers(0, 10_000), st.integers(5, 120), st.sampled_from([None, 0.5, 0.2, 0.05, 0.01, 1e-4]))
def test_the_tree_is_that_of_the_naive_program(seed: int, rows: int, level: float | None) -> None:
    table = drawn(seed, rows)
    tree = ID3Classifier(significance=level).fit(table).model_
    expected = leaves(table, np.arange(rows), level)
    ends = np.flatnonzero(tree.n_children == 0)
    assert sorted(counts for _, counts in expected) == sorted(tree.value[ends].astype(int).tolist())
    assert len(expected) == tree.n_leaves


def test_a_level_that_every_split_passes_changes_nothing() -> None:
    table = drawn(3, 200)
    almost = ID3Classifier(significance=1 - 1e-12).fit(table)
    assert hornbeam.show.text(almost) == hornbeam.show.text(ID3Classifier().fit(table))


def test_a_smaller_level_stops_earlier() -> None:
    table = drawn(1, 300)
    sizes = [ID3Classifier(significance=level).fit(table).model_.n_leaves for level in (None, 0.2, 0.05, 1e-3, 1e-12)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[2] > 1


def test_numeric_columns_of_a_frame_are_tested_too() -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=200), "idle": random.normal(size=200)})
    y = np.where((frame["x"] > 0) ^ (random.random(200) < 0.1), "yes", "no")
    stopped = ID3Classifier(significance=1e-6).fit(frame, y).model_
    assert (stopped.n_leaves, stopped.schema.columns[int(stopped.splits.column[0])].name) == (2, "x")
    assert ID3Classifier().fit(frame, y).model_.n_leaves > 10


@pytest.mark.parametrize("level", [0, 1, -0.5, 2, "small"])
def test_a_bad_level_is_named(level: Any) -> None:
    with pytest.raises(ValueError, match=r"significance is .*expected a number between 0 and 1"):
        ID3Classifier(significance=level).fit(drawn(0, 20))


def test_the_decision_log_says_which_columns_are_not_significant() -> None:
    tree = ID3Classifier(significance=0.1, keep_trace=True).fit(hornbeam.read("weather"))
    log = hornbeam.show.why(tree)
    assert "outlook      3 categories  0.2467  not significant" in log
    assert "humidity     2 categories  0.1518  chosen" in log
    assert "No column is good enough" in log
