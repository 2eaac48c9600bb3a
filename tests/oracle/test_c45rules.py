"""C4.5rules is as accurate as C4.5, on the same folds, and says it with fewer conditions."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.answers import CODES, answer, shared_pairs, small_pairs
from oracle.compare import cross_validated, folds_of, table_of

from hornbeam.learn.rules.c45rules import C45RulesClassifier
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.model.rule import rules_from_tree

BAR = -0.3  # points of accuracy, on average
SMALL = [data for scheme, data in small_pairs() if scheme == "J48"]
SHARED = [data for scheme, data in shared_pairs() if scheme == "J48"]
SLOW = {"letter"}


def compared(data: str) -> tuple[float, int, int]:
    """By how many points rules are better than the tree; conditions of the rules, and of the tree's leaves."""
    stored = answer("J48", data)
    table = table_of(stored.arff)
    truth = table.target_values()
    codes = np.empty(table.n_rows, np.int64)
    for train, test in folds_of(stored.arff):
        codes[test] = C45RulesClassifier().fit(table.take(train)).model_.predict(table.take(test))
    theirs = np.array([CODES.find(character) for character in stored.predictions])
    better = 100 * float(np.mean(codes == truth) - np.mean(theirs == truth))
    rules = C45RulesClassifier().fit(table).model_.rules
    leaves = rules_from_tree(C45Classifier().fit(table).model_).rules
    return better, sum(len(rule.conditions) for rule in rules), sum(len(rule.conditions) for rule in leaves)


def check(sets: list[str]) -> None:
    found = [compared(data) for data in sets]
    assert np.mean([better for better, _, _ in found]) >= BAR
    assert sum(ours for _, ours, _ in found) < 0.7 * sum(tree for _, _, tree in found)


def test_small_sets_lose_nothing() -> None:
    assert len(SMALL) == 11
    check(SMALL)


@pytest.mark.oracle
def test_all_sets_lose_nothing() -> None:
    sets = [data for data in SMALL + SHARED if data not in SLOW]
    assert len(sets) == 34
    check(sets)


def test_the_tree_they_are_held_against_is_the_programs() -> None:
    stored = answer("J48", "iris")
    assert cross_validated("J48", stored) == stored.predictions
