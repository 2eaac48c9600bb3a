"""Proximities: the share of the trees in which two rows end in the same leaf."""

from __future__ import annotations

import numpy as np

import hornbeam
from hornbeam.learn.explain.members import leaves_of
from hornbeam.learn.explain.proximity import proximities, proximity_blocks


def test_shares_are_counted_tree_by_tree() -> None:
    glass = hornbeam.read("glass")
    for learner in (
        hornbeam.RandomForestClassifier(n_estimators=7, random_state=0),
        hornbeam.BaggingClassifier(n_estimators=4, random_state=0),
        hornbeam.C45Classifier(),
    ):
        model = learner.fit(glass)
        leaves = leaves_of(model, glass)
        expected = (leaves[:, np.newaxis, :] == leaves[np.newaxis, :, :]).mean(axis=2)
        found = proximities(model, glass)
        assert np.allclose(found, expected)
        assert np.array_equal(found, found.T)
        assert np.allclose(np.diag(found), 1.0)


def test_blocks_and_other_rows_are_parts_of_the_whole() -> None:
    glass = hornbeam.read("glass")
    model = hornbeam.RandomForestClassifier(n_estimators=5, random_state=0).fit(glass)
    whole = proximities(model, glass)
    blocks = list(proximity_blocks(model, glass, block_rows=50))
    assert [first for first, _ in blocks] == [0, 50, 100, 150, 200]
    assert np.array_equal(np.concatenate([block for _, block in blocks]), whole)
    some, others = np.arange(10), np.arange(100, 130)
    assert np.array_equal(proximities(model, glass.take(some), glass.take(others)), whole[:10, 100:130])
    assert proximities(model, glass.take([]), glass).shape == (0, 214)
