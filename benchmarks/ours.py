"""hornbeam itself, as a user calls it: the estimators and `read`."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks import margins
from benchmarks.as_table import table_of
from benchmarks.boosted import boosted
from benchmarks.clustered import clustered
from benchmarks.our_neighbors import ib2, kstar, lwr, lwr_all, neighbors, neighbors_mixed  # noqa: F401 - tasks
from benchmarks.peer import FOREST_LEAVES, FOREST_MANY, FOREST_TREES, LEAVES_TREES, Learner, forest_columns
from benchmarks.pruning import costs
from benchmarks.reported import report  # noqa: F401 - a task
from hornbeam.data.read import read as read_table
from hornbeam.learn.clusters.cobweb import Cobweb
from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.learn.forests.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from hornbeam.learn.forests.random_forest import RandomForestClassifier, RandomForestRegressor
from hornbeam.learn.rules.c45rules import C45RulesClassifier
from hornbeam.learn.rules.induct import InductClassifier
from hornbeam.learn.rules.part import PartClassifier
from hornbeam.learn.rules.prism import PrismClassifier
from hornbeam.learn.rules.ripper import RipperClassifier
from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.learn.trees.model_trees.m5 import M5Regressor
from hornbeam.learn.trees.optimal.learner import OptimalTreeClassifier
from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised
from hornbeam.learn.trees.prune.rebuild import childless, collapsible
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from hornbeam.model.clusters.centers import nearest_centers
from hornbeam.model.forests.ensemble import Ensemble

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from benchmarks.data import Rows
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.rule_learner import RuleListClassifier
    from hornbeam.learn.trees.tree_learner import TreeLearner


# The recipe of `direct`: what the race mixed-direct is run with.
DIRECT: dict[str, Any] = {
    "criterion": "gini",
    "nominal": "subset",
    "exhaustive_up_to": 6,
    "missing": "default-direction",
    "min_samples_leaf": 5,  # this and the depth are YDF's own limits
    "max_depth": 16,
    "prune": "reduced-error",
    "folds": 10,  # a tenth is held out, as YDF does
    "random_state": 0,
}


def why_absent() -> str | None:
    """Never absent."""
    return None


def purity(threads: int) -> Learner:
    """An exact tree by information gain, grown until its leaves are pure."""
    return _of_numbers(ID3Classifier(n_jobs=threads))


def shallow(threads: int) -> Learner:
    """The same, 12 deep at most."""
    return _of_numbers(ID3Classifier(n_jobs=threads, max_depth=12))


def pruned(threads: int) -> Learner:
    """C4.5 as it comes: missing values in fractions, pessimistic pruning with raising."""
    learner = C45Classifier(n_jobs=threads)
    return Learner(
        fit=lambda rows: learner.fit(table_of(rows)),
        predict=lambda model, rows: model.model_.predict_codes(table_of(rows)),
        facts=_facts,
        stages=lambda rows: _stages(rows, threads),
    )


def pruning_numbers(threads: int) -> Learner:
    """The tree of `regression`, then pruned by every method."""
    return _pruned_by_all(TreeRegressor(criterion="variance", min_samples_leaf=1, missing="error", n_jobs=threads))


def pruning_classes(threads: int) -> Learner:
    """The tree of `purity`, then pruned by every method."""
    return _pruned_by_all(ID3Classifier(n_jobs=threads))


def direct(threads: int) -> Learner:
    """The open recipe of `DIRECT`: rows without a value go where they do best."""
    learner = TreeClassifier(n_jobs=threads, **DIRECT)
    return Learner(
        fit=lambda rows: learner.fit(table_of(rows)),
        predict=lambda model, rows: model.model_.predict_codes(table_of(rows)),
        facts=_facts,
    )


def regression(threads: int) -> Learner:
    """A regression tree by variance, grown until every leaf holds one row, or equal ones."""
    return _of_numbers(TreeRegressor(criterion="variance", min_samples_leaf=1, missing="error", n_jobs=threads))


def cart(threads: int) -> Learner:
    """CART as it comes: surrogates, and the complexity table by 10-fold cross-validation; for classes or numbers."""

    def fit(rows: Rows) -> CartClassifier | CartRegressor:
        learner = (CartClassifier if rows.n_classes else CartRegressor)(n_jobs=threads, random_state=0)
        return learner.fit(rows.numbers, rows.target)

    return Learner(fit, lambda model, rows: model.predict(rows.numbers), _facts, report_training_error=True)


def optimal_two(threads: int) -> Learner:
    """The tree of depth two with the fewest errors."""
    return _optimal(threads, 2)


def optimal_three(threads: int) -> Learner:
    """The tree of depth three."""
    return _optimal(threads, 3)


def _optimal(threads: int, depth: int) -> Learner:
    def fit(rows: Rows) -> OptimalTreeClassifier:
        return OptimalTreeClassifier(max_depth=depth, n_jobs=threads).fit(rows.numbers, rows.target)

    return Learner(fit, lambda model, rows: model.predict(rows.numbers), _facts, report_training_error=True)


def model_tree(threads: int) -> Learner:
    """M5' as it comes."""
    return _of_equations(M5Regressor(n_jobs=threads))


def committees(threads: int) -> Learner:
    """M5' with five committees."""
    return _of_equations(M5Regressor(committees=5, n_jobs=threads))


def forest(threads: int) -> Learner:
    """A random forest, grown until leaves are pure."""
    return _forest(threads)


def forest_many(threads: int) -> Learner:
    """The same with as many trees as forests have as they come."""
    return _forest(threads, FOREST_MANY)


def forest_few(threads: int) -> Learner:
    """Two trees of such a forest, where rows are many."""
    return _forest(threads, 2)


def forest_leaves(threads: int) -> Learner:
    """With the same number of leaves per tree as the others."""
    return _forest(threads, LEAVES_TREES, max_leaf_nodes=FOREST_LEAVES)


def cobweb(threads: int) -> Learner:
    """COBWEB in the order and manner of the program that it is compared with, without the target."""
    del threads

    def fit(rows: Rows) -> Cobweb:
        table = table_of(rows)
        return Cobweb(compat="weka").fit(table.select(list(table.schema.features)))

    return Learner(fit, _no_prediction, lambda model: {"clusters": model.model_.n_nodes})


def ward(threads: int) -> Learner:
    """Ward's clusters of the numbers as they are."""
    learner = HierarchicalClustering(10, numeric="as-is", n_jobs=threads)
    return Learner(
        lambda rows: learner.fit(np.asarray(rows.numbers, np.float64)),
        _no_prediction,
        lambda model: {"height": float(model.model_.heights.sum())},
    )


def _no_prediction(_: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401 - clusters are not classes
    return np.zeros(len(rows), np.int32)


def boost_31(threads: int) -> Learner:
    """Gradient boosting as it comes: 100 rounds of trees with 31 leaves."""
    return _boosted(threads, 31)


def boost_255(threads: int) -> Learner:
    """The same with 255 leaves."""
    return _boosted(threads, 255)


def ripper(threads: int) -> Learner:
    """RIPPER as it comes."""
    return _of_rules(RipperClassifier(), threads)


def part(threads: int) -> Learner:
    """PART as it comes."""
    return _of_rules(PartClassifier(), threads)


def c45rules(threads: int) -> Learner:
    """C4.5rules as it comes, the tree included."""
    return _of_rules(C45RulesClassifier(), threads)


def prism(threads: int) -> Learner:
    """PRISM as it comes."""
    return _of_rules(PrismClassifier(), threads)


def induct(threads: int) -> Learner:
    """INDUCT as it comes."""
    return _of_rules(InductClassifier(), threads)


def read(path: Path) -> Table:
    """A CSV file as a Table, every type found out."""
    return read_table(path)


def _of_numbers(learner: ID3Classifier | TreeRegressor) -> Learner:
    def predict(model: ID3Classifier | TreeRegressor, rows: Rows) -> NDArray[Any]:
        return model.predict(rows.numbers)

    return Learner(lambda rows: learner.fit(rows.numbers, rows.target), predict, _facts)


def _forest(threads: int, n_trees: int = FOREST_TREES, **limits: int) -> Learner:
    """Classes by information gain, the counterpart of log-loss, as in the races that have several rivals with it."""

    def fit(rows: Rows) -> RandomForestClassifier | RandomForestRegressor:
        wanted = forest_columns(rows.numbers.shape[1] + rows.codes.shape[1])
        choices: dict[str, Any] = {"max_features": wanted, "n_jobs": threads, "random_state": 0, **limits}
        learner: RandomForestClassifier | RandomForestRegressor = RandomForestRegressor(n_trees, **choices)
        if rows.n_classes:
            learner = RandomForestClassifier(n_trees, criterion="information-gain", **choices)
        return learner.fit(table_of(rows)) if rows.n_categories else learner.fit(rows.numbers, rows.target)

    def predict(model: RandomForestClassifier | RandomForestRegressor, rows: Rows) -> NDArray[Any]:
        return model.model_.predict_codes(table_of(rows)) if rows.n_categories else model.predict(rows.numbers)

    return Learner(
        fit, predict, lambda model: {"leaves": model.model_.n_leaves, "digest": _digest(model.model_.arrays())}
    )


def _boosted(threads: int, leaves: int) -> Learner:
    def fit(rows: Rows) -> GradientBoostingClassifier | GradientBoostingRegressor:
        kind = GradientBoostingClassifier if rows.n_classes else GradientBoostingRegressor
        learner = kind(max_leaf_nodes=leaves, n_jobs=threads)
        return learner.fit(table_of(rows)) if rows.n_categories else learner.fit(rows.numbers, rows.target)

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401 - either of the two
        given = table_of(rows) if rows.n_categories else rows.numbers
        return np.asarray(model.predict_proba(given) if rows.n_classes else model.predict(given))

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"leaves": model.model_.n_leaves, "digest": _digest(model.model_.arrays())}

    return boosted(fit, predict, facts)


def svm_rbf(threads: int) -> Learner:
    """A support vector machine with the RBF kernel."""
    learner = SVMClassifier(
        C=margins.C, gamma=margins.GAMMA, scale=None, tol=margins.TOLERANCE, cache_size=margins.CACHE, n_jobs=threads
    )

    def facts(model: SVMClassifier) -> dict[str, Any]:
        (found,) = model.solutions_
        return {"vectors": len(model.model_), "steps": found.steps, "objective": found.objective}

    return margins.machine(
        lambda rows: learner.fit(rows.numbers, rows.target), lambda model, rows: model.predict(rows.numbers), facts
    )


def svm_planes(threads: int) -> Learner:
    """Planes over sparse columns."""
    learner = SVMClassifier(
        C=margins.C, kernel="linear", solver="planes", loss="squared_hinge", tol=margins.TOLERANCE, n_jobs=threads,
        random_state=0,
    )  # fmt: skip
    return margins.machine(
        lambda ready: learner.fit(*ready),
        lambda model, rows: model.predict(margins.sparse_rows(rows)),
        lambda model: {"steps": int(model.n_iter_[0])},
        lambda rows: (margins.sparse_rows(rows), rows.target),
    )


def _of_equations(learner: M5Regressor) -> Learner:
    def facts(model: M5Regressor) -> dict[str, Any]:
        several = isinstance(model.model_, Ensemble)
        return {"leaves": sum(tree.n_leaves for tree in model.model_.members)} if several else _facts(model)

    return Learner(
        fit=lambda rows: learner.fit(table_of(rows)),
        predict=lambda model, rows: model.predict(table_of(rows)),
        facts=facts,
    )


def _of_rules(learner: RuleListClassifier, threads: int) -> Learner:
    assert threads == 1

    def facts(model: RuleListClassifier) -> dict[str, Any]:
        rules = model.model_.rules
        # JRip and PART count the default as a rule
        return {"rules": len(rules) + 1, "conditions": sum(len(rule.conditions) for rule in rules)}

    return Learner(
        fit=lambda rows: learner.fit(table_of(rows)),
        predict=lambda model, rows: model.model_.predict_codes(table_of(rows)),
        facts=facts,
    )


def _facts(model: TreeLearner | M5Regressor) -> dict[str, Any]:
    tree = model.model_
    digest = _digest(tree.arrays(), tree.splits.arrays())
    return {"leaves": tree.n_leaves, "size": tree.n_nodes, "depth": tree.depth, "digest": digest}


def _digest(*parts: dict[str, NDArray[Any]]) -> str:
    """What distinguishes two models."""
    digest = hashlib.sha256()
    for arrays in parts:
        for name in sorted(arrays):
            digest.update(name.encode() + arrays[name].tobytes())
    return digest.hexdigest()[:16]


def _pruned_by_all(learner: TreeLearner) -> Learner:
    return replace(_of_numbers(learner), stages=lambda rows: costs(learner, table_of(rows)))


def _stages(rows: Rows, threads: int) -> dict[str, float]:
    """Seconds of CPU for making the table, growing, and pruning (collapsing included)."""
    recipe = C45Classifier().recipe()
    clock = [time.process_time()]
    table = table_of(rows)
    clock.append(time.process_time())
    grown, _ = grow(table, recipe, n_threads=threads)
    clock.append(time.process_time())
    leaves: dict[str, Any] = {**childless(grown, collapsible(grown))}
    replaced_and_raised(replace(grown, **leaves), table, recipe.confidence, subtree_raising=recipe.subtree_raising)
    clock.append(time.process_time())
    return {name: clock[i + 1] - clock[i] for i, name in enumerate(("convert", "grow", "prune"))}


def _k_means(k: int, threads: int) -> Learner:
    def fit(x: NDArray[np.float64], steps: int) -> KMeans:
        return KMeans(k, init=x[:k], max_iter=steps, tol=0, numeric="as-is", n_jobs=threads).fit(x)

    return clustered(fit, lambda model: model.inertia_, lambda model: model.n_iter_)


k_means_10, k_means_100, k_means_1000 = (partial(_k_means, k) for k in (10, 100, 1000))


def _mixture(form: str, threads: int) -> Learner:
    def fit(x: NDArray[np.float64], steps: int) -> MixtureModel:
        start = nearest_centers(x, np.ascontiguousarray(x[:10]))
        return MixtureModel(
            10, covariance_type=form, init=start, tol=0, max_iter=steps, reg_covar=1e-6, n_jobs=threads
        ).fit(x)

    return clustered(fit, lambda model: model.lower_bound_, lambda model: model.n_iter_)


mixture_diagonal, mixture_full = partial(_mixture, "diagonal"), partial(_mixture, "full")
