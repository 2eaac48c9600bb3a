"""A tree or rules that tell in which cluster a row is, and how often they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam import (
    Cobweb,
    HierarchicalClustering,
    KMeans,
    MixtureModel,
    Nominal,
    Numeric,
    Schema,
    SpectralClustering,
    Table,
)
from hornbeam.learn.explain.distill import explain_clusters
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree

LEARNERS = [
    KMeans(3, random_state=1),
    MixtureModel(3, random_state=1),
    HierarchicalClustering(3),
    Cobweb(),
    SpectralClustering(3, random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize("by", ["tree", "rules"])
def test_every_learner_is_explained(learner: Any, by: str) -> None:
    iris = hornbeam.read("iris")
    fitted = learner.fit(iris)
    clusters = fitted.predict(iris)
    small = explain_clusters(fitted, iris, by, random_state=0)
    assert isinstance(small.model_, Tree if by == "tree" else RuleList)
    assert 0.9 < small.fidelity <= 1
    assert small.confusion is not None
    assert small.confusion.sum(axis=1).tolist() == np.bincount(clusters).tolist()
    assert small.fidelity == pytest.approx(small.confusion.trace() / 150)
    assert np.mean(small.model_.predict_codes(iris) == clusters) >= small.fidelity
    assert np.isnan(small.score)
    assert "nan" not in repr(small)
    target = small.model_.schema.target_column
    assert target.name == "cluster"
    assert target.categories[0] == "cluster 0"  # type: ignore[union-attr]
    assert "class" not in small.model_.schema.names  # what the rows are was not looked at
    written = hornbeam.show.text(small)
    assert f"fidelity: the same prediction for {100 * small.fidelity:.1f}% of 150 rows, held out in turn (10" in written
    assert f"  cluster 0: {100 * small.confusion[0, 0] / small.confusion[0].sum():.1f}% of" in written


def test_size_is_limited() -> None:
    vote = hornbeam.read("vote")
    clusters = KMeans(4, random_state=0).fit(vote)
    assert explain_clusters(clusters, vote).model_.n_leaves <= 8
    assert explain_clusters(clusters, vote, max_leaf_nodes=3).model_.n_leaves == 3
    assert len(explain_clusters(clusters, vote, by="rules", max_rules=2).model_) == 2
    ripper = explain_clusters(clusters.model_, vote, "rules", estimator=hornbeam.RipperClassifier(), random_state=0)
    assert isinstance(ripper.estimator_, hornbeam.RipperClassifier)


def test_odd_tables() -> None:
    columns = (Numeric("cluster"), Nominal("cluster_", ("a", "b")))
    arrays = [np.array([1.0, 1.1, 9.0, np.nan]), np.array([0, 0, 1, -1], np.int32)]
    table = Table(Schema(columns), arrays)
    small = explain_clusters(KMeans(2, random_state=0).fit(table), table)
    assert small.model_.schema.target_column.name == "cluster__"
    assert (small.folds, small.n_held_out) == (4, 4)
    one = explain_clusters(KMeans(1).fit(table), table)
    assert (one.model_.n_leaves, one.fidelity) == (1, 1.0)
    weighted = Table(Schema((*columns, Numeric("w")), ("feature", "feature", "weight")), [*arrays, np.arange(1.0, 5)])
    assert explain_clusters(KMeans(2, random_state=0).fit(weighted), table).n_held_out == 4


def test_labels_are_explained_where_they_are_given() -> None:
    iris = hornbeam.read("iris")
    fitted = Cobweb().fit(iris)
    assert (fitted.labels_ != fitted.predict(iris)).any()
    for by in ("tree", "rules"):
        small = explain_clusters(fitted, iris, by, labels=fitted.labels_, made_up=1.0, random_state=0)
        assert small.confusion is not None
        assert small.confusion.sum(axis=1).tolist() == [told.rows for told in fitted.describe()]
        assert np.isnan(small.score)
    # rows that are made up are where the model says, not where the rows are that they were made of
    other = fitted.predict(iris)
    asked = explain_clusters(fitted, iris, labels=other, made_up=2.0, random_state=0)
    assert asked.model_.same_as(explain_clusters(fitted, iris, made_up=2.0, random_state=0).model_)
    with pytest.raises(ValueError, match="150 numbers of clusters, from 0 to"):
        explain_clusters(fitted, iris, labels=np.full(150, 9))
    compared = fitted.classes_to_clusters(iris, labels=fitted.labels_)
    assert compared.counts.sum(axis=1).tolist() == [told.rows for told in fitted.describe()]


def test_arrays_and_frames_are_explained_and_drawn() -> None:
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    matrix = random.normal(size=(60, 2)) + 5 * random.integers(0, 2, (60, 1))
    frame = pandas.DataFrame({"size": matrix[:, 0], "kind": np.where(matrix[:, 1] > 2.5, "a", "b")})
    objects = np.array(frame, dtype=object)
    for rows in (matrix, frame, objects):
        fitted = KMeans(2, random_state=0).fit(rows)
        small = explain_clusters(fitted, rows)
        assert small.fidelity > 0.9
        assert small.confusion is not None
        assert small.confusion.sum(axis=1).tolist() == np.bincount(fitted.labels_).tolist()
        for draw in (hornbeam.show.cluster_map, hornbeam.show.parallel_coordinates):
            assert f"cluster 0: {(fitted.labels_ == 0).sum()} rows" in draw(fitted, rows)


def test_what_cannot_be_is_refused() -> None:
    iris = hornbeam.read("iris")
    clusters = KMeans(2, random_state=0).fit(iris)
    with pytest.raises(ValueError, match="by is 'words'"):
        explain_clusters(clusters, iris, "words")
    with pytest.raises(ValueError, match="folds is 1"):
        explain_clusters(clusters, iris, folds=1)
    with pytest.raises(ValueError, match="1 row; an explanation needs at least two"):
        explain_clusters(clusters, iris.take([0]))
    with pytest.raises(TypeError, match="a Tree was given"):
        explain_clusters(hornbeam.C45Classifier().fit(iris), iris)
