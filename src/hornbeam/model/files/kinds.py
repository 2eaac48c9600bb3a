"""The kinds of models in files: what each is, and the class that reads it, imported when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.model.base.model import Model

KINDS: dict[str, tuple[str, str]] = {
    "tree": ("a tree", "trees.tree.Tree"),
    "rules": ("a list of rules", "rules.rule.RuleList"),
    "linear": ("a linear model", "linear.linear.LinearModel"),
    "discretized": ("a classifier of intervals", "linear.discretized.DiscretizedModel"),
    "forest": ("a forest", "forests.forest.Forest"),
    "ensemble": ("several models that predict together", "forests.ensemble.Ensemble"),
    "instances": ("kept rows, of which the nearest predict", "neighbors.instances.Instances"),
    "kstar": ("kept rows that predict by an entropic distance", "neighbors.kstar.KStarModel"),
    "local": ("kept rows that predict by local regressions", "neighbors.local.LocalModel"),
    "local-learner": ("kept rows that predict by local classifiers", "neighbors.local_learner.LocalLearner"),
    "exemplars": ("boxes of rows of one class", "neighbors.exemplars.Exemplars"),
    "partition": ("clusters with a center each", "clusters.partition.Partition"),
    "mixture": ("a mixture of distributions", "clusters.mixture.Mixture"),
    "corrected": ("a model corrected by the nearest training rows", "neighbors.corrected.CorrectedModel"),
    "svm": ("a support vector machine", "svm.svm.SVM"),
    "concepts": ("a tree of concepts", "clusters.concepts.ConceptTree"),
    "projected": ("clusters on principal axes", "clusters.projected.ProjectedClusters"),
    "dendrogram": ("a hierarchy of clusters", "clusters.dendrogram.Dendrogram"),
    "graph-clusters": ("clusters of a graph of rows", "clusters.graph_clusters.GraphClusters"),
}


def class_of(kind: str) -> type[Model]:
    """Return the class of the models of a kind."""
    module, _, name = KINDS[kind][1].rpartition(".")
    found: type[Model] = getattr(import_module(f"hornbeam.model.{module}"), name)
    return found
