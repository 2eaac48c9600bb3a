"""Base of the tree estimators: from parameters to a recipe and a tree, with methods of the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.model_selection import KFold, StratifiedKFold

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import threads, whole
from hornbeam.learn.base.several_targets import SeveralTargets
from hornbeam.learn.trees.build import build_tree
from hornbeam.learn.trees.choices import class_factors, with_smoothed_labels
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.trace import Trace


class TreeMethods(SeveralTargets):
    """A mixin that goes before `TableClassifier` or `TableRegressor`, for estimators with a `Tree` as their model.

    Attributes
    ----------
    feature_importances_ : array
        How much the splits of each feature improved the tree, as fractions that add up to 1.
    """

    def _tree(self, wanted: str) -> Tree:
        """The model, if it is a tree."""
        self._check_fitted()
        if not isinstance(self.model_, Tree):
            msg = f"{wanted} is for one tree; the model is a {type(self.model_).__name__}"
            raise AttributeError(msg)  # noqa: TRY004 - such an estimator does not have the attribute
        return self.model_

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the tree, as fractions that add up to 1."""
        from hornbeam.learn.trees.importance import importance  # noqa: PLC0415 - not needed to learn

        importances = importance(self._tree("feature_importances_"))
        total = float(importances.sum())
        return importances / total if total > 0 else importances

    def get_depth(self) -> int:
        """The depth of the tree: the most splits between the root and a leaf.

        Returns
        -------
        int
            0 if the tree is a single leaf.
        """
        return self._tree("get_depth").depth

    def get_n_leaves(self) -> int:
        """The number of leaves of the tree.

        Returns
        -------
        int
        """
        return self._tree("get_n_leaves").n_leaves

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf that each row ends in.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows,)
            Numbers of nodes in `model_`. A row that is divided because of a missing value counts for its largest part.
        """
        return self._tree("apply").apply(self._table(X))

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """The nodes that each row passes through.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        sparse matrix of shape (rows, nodes)
            1 where the row, or a part of it, passes through the node.
        """
        tree = self._tree("decision_path")
        return visited(tree, self._table(X))


@estimator
class TreeLearner(TreeMethods):
    """Learns a tree by the recipe that its parameters stand for; a mixin for `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    criterion : str
        How candidate splits are ranked.
    max_depth : int or None
        The greatest depth of the tree; nodes at this depth are leaves.
    random_state : int or None
        Seed for choosing the rows that pruning holds out.
    keep_trace : bool
        Keep every candidate split and pruning step in `trace_`, for the decision log.
    keep_alternatives : int
        How many runner-up splits to keep at each node.

    Attributes
    ----------
    model_ : Tree
    trace_ : Trace or None
        The candidate splits and pruning steps, if `keep_trace` was set.
    """

    n_jobs: int | None = None
    keep_trace: bool = False
    keep_alternatives: int = 0

    _drops_empty_rows = False  # rows without a value in any feature are left out

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for, with column names and classes looked up in a schema."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, Trace | None]:
        return self._build(self.recipe(table.schema), table)

    def _build(self, recipe: Recipe, table: Table, reference: Table | None = None) -> tuple[Any, Trace | None]:
        self.__dict__.pop("cp_table_", None)  # of an earlier fit with other parameters
        keep: dict[str, Any] = {
            "n_threads": threads(self.n_jobs),
            "keep_trace": bool(self.keep_trace),
            "keep_alternatives": whole("keep_alternatives", self.keep_alternatives, 0),
        }
        if recipe.prune == "cost-complexity":
            from hornbeam.learn.trees.tree_complexity import build_by_complexity  # noqa: PLC0415 - builds on this

            built, self.cp_table_ = build_by_complexity(table, recipe, random_state=self._seed, **keep)
            return self._with_leaf_values(built.tree, recipe, table), built.trace

        keep["reference"] = reference
        if recipe.prune == "rules":
            return self._build_rules(recipe, table, keep)

        def parts(rows: Table) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
            return self._parts(rows, recipe.folds)

        built = build_tree(table, recipe, parts=parts, **keep)
        return self._with_leaf_values(built.tree, recipe, table), built.trace

    def _build_rules(self, recipe: Recipe, table: Table, keep: dict[str, Any]) -> tuple[RuleList, Trace | None]:
        """The rules of a grown tree, evaluated on its own rows or, if the recipe has folds, on held-out rows."""
        from hornbeam.learn.rules.from_tree import post_pruned  # noqa: PLC0415 - rules build on trees

        if keep["keep_trace"] or keep["keep_alternatives"]:
            msg = (
                "keep_trace and keep_alternatives show how a tree was made, and prune='rules' only keeps its rules; "
                "learn the tree with prune=None, and make rules of it with hornbeam.prune.rules"
            )
            raise ValueError(msg)
        growing = judging = table
        if recipe.folds:
            grow_rows, judge_rows = self._parts(table, recipe.folds)
            growing, judging = table.take(grow_rows), table.take(judge_rows)
        built = build_tree(growing, recipe, **keep)
        return post_pruned(built.tree, judging, None if recipe.folds else recipe.confidence), built.trace

    @staticmethod
    def _with_leaf_values(tree: Tree, recipe: Recipe, table: Table) -> Tree:
        """The tree with the equations, means or labels at its leaves by the recipe."""
        if recipe.leaf == "m-estimate":
            return with_smoothed_labels(tree, class_factors(table, recipe))
        if recipe.prune == "reduced-error" and recipe.leaf == "mean" and tree.task == "regression":
            from hornbeam.learn.trees.prune.held_out import backfitted  # noqa: PLC0415 - rarely needed

            return backfitted(tree, table)
        if recipe.leaf != "linear":
            return tree
        from hornbeam.learn.trees.model_trees.linear_leaves import with_linear_leaves  # noqa: PLC0415 - needs SciPy

        return with_linear_leaves(tree, table)

    @property
    def _seed(self) -> Any:
        return getattr(self, "random_state", None)

    def _parts(self, table: Table, folds: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows to grow on and rows to prune with."""
        return held_out(table, folds, self._seed)


def held_out(table: Table, folds: int, random_state: int | None) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to grow on and rows to prune with (one part out of `folds`), stratified by class if possible.

    Parameters
    ----------
    table : Table
        A table with a target.
    folds : int
        The number of parts.
    random_state : int or None
        Seed of the shuffle.

    Returns
    -------
    Two arrays of row numbers.
    """
    enough_rows(table.n_rows, folds)
    stratified = False
    truth = table.target_values()
    if isinstance(table.schema.target_column, Nominal):
        stratified = np.bincount(truth)[np.unique(truth)].min() >= folds
    splitter = (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=random_state)
    growing, pruning = next(iter(splitter.split(np.zeros((table.n_rows, 1)), truth if stratified else None)))
    return growing, pruning


def enough_rows(rows: int, folds: int) -> None:
    """Refuse a table that has fewer rows than parts."""
    if rows < folds:
        msg = f"{rows} rows cannot be held out in {folds} parts; reduced-error pruning needs more rows"
        raise ValueError(msg)


def visited(tree: Tree, table: Table) -> sparse.csr_matrix:
    """The nodes that each row passes through, as a matrix of ones."""
    start, nodes, _ = tree.decision_path(table)
    ones = np.ones(len(nodes), np.int64)
    return sparse.csr_matrix((ones, nodes, start), shape=(len(start) - 1, tree.n_nodes))
