"""The naive implementations give the reference program's answers: who agrees with them agrees with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.trees.answers import CODES, answer, small_pairs, small_sets
from reference import c45, id3
from reference.rows import Rows, from_table, read_arff

from hornbeam.data.read import read
from hornbeam.learn.compat.weka import cross_validation_folds, grow_and_prune_parts

OPTIONS = {
    "J48": c45.Options(),
    "J48-U": c45.Options(prune=None),
    "J48-R": c45.Options(prune="reduced-error"),
    "J48-B": c45.Options(one_vs_rest=True),
    "J48-S": c45.Options(raising=False),
    "J48-M5-C0.1": c45.Options(minimum=5, confidence=0.1),
    "w39-J48": c45.Options(cut_slack=0.0),
    "w39-J48-noMDL": c45.Options(mdl=False, cut_slack=0.0),
    "w39-J48-U-O-noMDL": c45.Options(prune=None, collapse=False, mdl=False, cut_slack=0.0),
}

QUICK = ("contact-lenses", "iris", "labor", "spect-train", "weather.nominal", "weather.numeric", "zoo")


def codes_of(rows: Rows) -> list[int]:
    return [rows.of_class(row) for row in range(len(rows))]


def options_for(scheme: str, rows: Rows) -> c45.Options:
    if scheme != "J48-R":
        return OPTIONS[scheme]
    grow, prune = grow_and_prune_parts(codes_of(rows), folds=3, seed=1)
    return replace(OPTIONS[scheme], grow_rows=grow.tolist(), prune_rows=prune.tolist())


def printed(scheme: str, rows: Rows) -> str:
    if scheme == "Id3":
        return id3.text(id3.fit(rows), rows).lstrip("\n")
    options = options_for(scheme, rows)
    return c45.text(c45.fit(rows, options), rows, options)


def predicted(scheme: str, train: Rows, rows: Rows, test: list[int]) -> list[int | None]:
    if scheme == "Id3":
        tree = id3.fit(train)
        return [id3.predict(tree, rows, row) for row in test]
    options = options_for(scheme, train)
    root = c45.fit(train, options)
    return [c45.predict(root, rows, row, options) for row in test]


@pytest.mark.parametrize(("scheme", "data"), small_pairs())
def test_naive_tree_is_identical(scheme: str, data: str) -> None:
    stored = answer(scheme, data)
    assert printed(scheme, read_arff(stored.arff)) == stored.body


@pytest.mark.parametrize(("scheme", "data"), [pair for pair in small_pairs() if pair[1] in QUICK])
def test_naive_predictions_are_identical(scheme: str, data: str) -> None:
    stored = answer(scheme, data)
    rows = read_arff(stored.arff)
    answers = [""] * len(rows)
    for train, test in cross_validation_folds(codes_of(rows), folds=10, seed=1):
        codes = predicted(scheme, rows.take(train.tolist()), rows, test.tolist())
        for row, code in zip(test.tolist(), codes, strict=True):
            answers[row] = "?" if code is None else CODES[code]
    assert "".join(answers) == stored.predictions


@pytest.mark.parametrize("data", small_sets())
def test_both_readers_read_the_same(data: str) -> None:
    path = answer("J48", data).arff
    naive, ours = read_arff(path), from_table(read(path, target=-1))
    assert [(column.name, column.categories) for column in ours.columns] == [
        (column.name, column.categories) for column in naive.columns
    ]
    assert ours.target == naive.target
    for mine, other in zip(ours.columns, naive.columns, strict=True):
        assert mine.values == other.values
    assert np.array_equal(ours.weights, naive.weights)
