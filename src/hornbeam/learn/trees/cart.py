"""CART: two-way splits, surrogates for missing values, and pruning by cost and complexity, in the manner of rpart.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984).
T. M. Therneau, E. J. Atkinson, *An introduction to recursive partitioning using the rpart routines*, Mayo Foundation
(1997).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.decide import cost_matrix
from hornbeam.learn.base.parameters import at_least, one_of, share, whole, whole_or_none
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.trees.cart_rows import by_priors, class_priors, learned_rows, to_more_rows, with_exact_leaves
from hornbeam.learn.trees.class_factors import class_factors
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.tree_recipe import CHOOSE
from hornbeam.learn.trees.valid import check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.prune.complexity import CpTable
    from hornbeam.model.trees.trace import Trace
    from hornbeam.model.trees.tree import Tree

CLASS_CRITERIA = {"gini": "gini", "entropy": "information-gain", "misclassification": "misclassification"}
ROW_BY_ROW = ("gini", "information-gain", "variance")  # criteria that the reference program has too
OMITTED = "omitted_rows"  # beside the recipe's choices: how many rows were left out, since they have no value
LIKE_RPART = "rpart"
EXHAUSTIVE, MOST_EXHAUSTIVE = 10, 20  # categories of which all divisions are tried: a thousand, or a million a node
NUMBER_LEAF = {"variance": "mean", "absolute-error": "median"}


class CartClassifier(TreeLearner, TableClassifier):
    """A CART decision tree.

    The defaults are those of the program rpart, and so is the tree. Row weights count as repeated rows; with
    ``compat="rpart"`` they count as in that program.

    Parameters
    ----------
    criterion : {"gini", "entropy", "misclassification"}, default="gini"
        What candidate splits are ranked by.
    cp : float, default=0.01
        What a split must save at least, as a share of the root's error.
    min_samples_split : float, default=20
        Smaller nodes are leaves.
    min_samples_leaf : float, default=7
        Both branches of a split hold at least this much.
    max_surrogates : int, default=5
        How many other columns' splits are kept at a node, to stand in where its own column has no value.
    folds : int, default=10
        Of the cross-validation behind `cp_table_`; 0: none.
    priors : mapping or sequence, optional
        Shares of the classes among the rows to be predicted, by class or in the order of `classes_`; by default those
        of the training rows.
    loss : mapping or matrix, optional
        What it costs to answer the column's class where the row's is true, or ``{true: {predicted: cost}}``: the tree
        is grown, pruned and labeled by it.
    choose : {"cp", "1-se", "least"}, default="cp"
        Prune by `cp` alone, to the smallest tree within one standard error of the least cross-validated error, or to
        the tree with the least.
    max_depth : int or None, default=30
        Nodes at this depth are leaves.
    compat : {"rpart", None}, default=None
        Follow rpart where the default does not: `min_samples_split`, `min_samples_leaf` and surrogates count rows,
        whatever these weigh; weighted rows without any value are learned from; all divisions of up to 20 categories
        are tried; and a row that neither the split nor a surrogate can send goes to the branch with more rows.
    costs : matrix or mapping, optional
        As `loss`, but for `predict` alone: the tree is the same.
    decision_threshold : float or None, default=None
        Two classes: `predict` gives the second where its share is at least this.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The tree does not depend on it.
    random_state : int or None, default=None
        Seed of the shuffle that deals rows to folds.
    keep_trace : bool, default=False
        Keep every candidate split in `trace_`, for the decision log.
    keep_alternatives : int, default=0
        How many runner-up splits to keep at each node.

    Attributes
    ----------
    model_ : Tree
    cp_table_ : CpTable
        The sequence of pruned trees: cp, number of splits, error, cross-validated error and its standard error, with
        errors as shares of the root's.
    trace_ : Trace or None
    schema_ : Schema
    classes_ : array
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier().fit(hornbeam.read("iris"))
    >>> tree.model_.n_leaves
    3
    >>> tree.cp_table_.n_splits.tolist()
    [0, 1, 2]
    """

    cp_table_: CpTable

    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "misclassification"] = "gini",
        cp: float = 0.01,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_surrogates: int = 5,
        folds: int = 10,
        priors: Any = None,
        loss: Any = None,
        choose: Literal["cp", "1-se", "least"] = "cp",
        max_depth: int | None = 30,
        compat: Literal["rpart"] | None = None,
        costs: Any = None,
        decision_threshold: float | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        keep_trace: bool = False,
        keep_alternatives: int = 0,
    ) -> None:
        self.criterion = criterion
        self.cp = cp
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_surrogates = max_surrogates
        self.folds = folds
        self.priors = priors
        self.loss = loss
        self.choose = choose
        self.max_depth = max_depth
        self.compat = compat
        self.costs = costs
        self.decision_threshold = decision_threshold
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_trace = keep_trace
        self.keep_alternatives = keep_alternatives

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for; `loss` where the classes are known."""
        criterion = CLASS_CRITERIA[one_of("criterion", self.criterion, tuple(CLASS_CRITERIA))]
        recipe = _two_way(self, criterion, "distribution")
        if schema is None:
            return recipe
        loss = self._loss()
        return check(recipe if loss is None else replace(recipe, loss=tuple(map(tuple, loss.tolist()))), schema)

    @property
    def cost_matrix_(self) -> NDArray[np.float64] | None:
        """The costs by which classes are decided, or else the losses that the tree was learned by."""
        costs = super().cost_matrix_
        return self._loss() if costs is None else costs

    def _loss(self) -> NDArray[np.float64] | None:
        return None if self.loss is None else cost_matrix(self.loss, [str(name) for name in self.classes_])

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        kept = learned_rows(table, keep_empty=self.compat == LIKE_RPART)
        recipe = self.recipe(kept.schema)
        if self.priors is not None:
            counts = np.bincount(kept.target_values(), minlength=len(self.classes_))
            recipe = replace(recipe, priors=class_priors(self.priors, list(map(str, self.classes_)), counts > 0))
        self._check_losses(recipe, kept)
        tree, trace = self._learn_by(recipe, kept)
        if recipe.priors is not None:
            tree = by_priors(tree, class_factors(kept, recipe).predicting)
        return _finished(self, tree, table.n_rows - kept.n_rows), trace

    def _check_losses(self, recipe: Recipe, table: Table) -> None:
        """Refuse losses by which no error on some class costs anything: it could not be told from the others."""
        if recipe.loss is None or recipe.criterion == "misclassification":
            return
        seen = np.unique(table.target_values())
        free = ~(np.array(recipe.loss)[np.ix_(seen, seen)] > 0).any(axis=1)
        if len(seen) > 1 and free.any():
            name = str(self.classes_[seen[int(np.argmax(free))]])
            msg = f"loss: no wrong prediction of the class {name!r} costs anything; expected a number above 0"
            raise ValueError(msg)


class CartRegressor(TreeLearner, TableRegressor):
    """A CART regression tree.

    The defaults are those of the program rpart, and so is the tree. Row weights count as repeated rows; with
    ``compat="rpart"`` they count as in that program.

    Parameters
    ----------
    criterion : {"variance", "absolute-error"}, default="variance"
        What candidate splits are ranked by: squared error about the mean, or absolute error about the median.
    cp : float, default=0.01
        What a split must save at least, as a share of the root's error.
    min_samples_split : float, default=20
        Smaller nodes are leaves.
    min_samples_leaf : float, default=7
        Both branches of a split hold at least this much.
    max_surrogates : int, default=5
        How many other columns' splits are kept at a node, to stand in where its own column has no value.
    folds : int, default=10
        Of the cross-validation behind `cp_table_`; 0: none.
    choose : {"cp", "1-se", "least"}, default="cp"
        Prune by `cp` alone, to the smallest tree within one standard error of the least cross-validated error, or to
        the tree with the least.
    max_depth : int or None, default=30
        Nodes at this depth are leaves.
    compat : {"rpart", None}, default=None
        Follow rpart where the default does not: `min_samples_split`, `min_samples_leaf` and surrogates count rows,
        whatever these weigh; weighted rows without any value are learned from; and a row that neither the split nor
        a surrogate can send goes to the branch with more rows.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The tree does not depend on it.
    random_state : int or None, default=None
        Seed of the shuffle that deals rows to folds.
    keep_trace : bool, default=False
        Keep every candidate split in `trace_`, for the decision log.
    keep_alternatives : int, default=0
        How many runner-up splits to keep at each node.

    Attributes
    ----------
    model_ : Tree
    cp_table_ : CpTable
        The sequence of pruned trees: cp, number of splits, error, cross-validated error and its standard error, with
        errors as shares of the root's.
    trace_ : Trace or None
    schema_ : Schema
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartRegressor(random_state=0).fit(hornbeam.read("cpu"))
    >>> tree.cp_table_.n_splits.tolist()[:2]
    [0, 1]
    """

    cp_table_: CpTable

    def __init__(
        self,
        *,
        criterion: Literal["variance", "absolute-error"] = "variance",
        cp: float = 0.01,
        min_samples_split: float = 20,
        min_samples_leaf: float = 7,
        max_surrogates: int = 5,
        folds: int = 10,
        choose: Literal["cp", "1-se", "least"] = "cp",
        max_depth: int | None = 30,
        compat: Literal["rpart"] | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        keep_trace: bool = False,
        keep_alternatives: int = 0,
    ) -> None:
        self.criterion = criterion
        self.cp = cp
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_surrogates = max_surrogates
        self.folds = folds
        self.choose = choose
        self.max_depth = max_depth
        self.compat = compat
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.keep_trace = keep_trace
        self.keep_alternatives = keep_alternatives

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for."""
        criterion = one_of("criterion", self.criterion, tuple(NUMBER_LEAF))
        recipe = _two_way(self, criterion, NUMBER_LEAF[criterion])
        return recipe if schema is None else check(recipe, schema)

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        kept = learned_rows(table, keep_empty=self.compat == LIKE_RPART)
        tree, trace = self._learn_by(self.recipe(kept.schema), kept)
        tree = tree if self.compat == LIKE_RPART else with_exact_leaves(tree, kept)
        return _finished(self, tree, table.n_rows - kept.n_rows), trace


def _finished(given: Any, tree: Tree, omitted: int) -> Tree:
    """The tree with a note of how many rows were left out, which its printed form shows."""
    if given.compat == LIKE_RPART:
        tree = to_more_rows(tree)
        omitted += given._n_without_target
    return replace(tree, recipe={**tree.recipe, OMITTED: omitted}) if omitted else tree


def _two_way(given: Any, criterion: Any, leaf: Any) -> Recipe:
    """The recipe that both have: two-way splits, surrogates, cost-complexity pruning."""
    like_rpart = one_of("compat", given.compat, (LIKE_RPART, None)) == LIKE_RPART
    return Recipe(
        criterion=criterion,
        equal_low=False,
        order_by_answer=True,
        row_by_row=criterion in ROW_BY_ROW,
        count_rows=like_rpart,
        nominal="subset",
        exhaustive_up_to=MOST_EXHAUSTIVE if like_rpart else EXHAUSTIVE,
        missing="surrogate",
        max_surrogates=whole("max_surrogates", given.max_surrogates, 0),
        min_branch=at_least("min_samples_leaf", given.min_samples_leaf, 0),
        min_node=at_least("min_samples_split", given.min_samples_split, 0),
        max_depth=whole_or_none("max_depth", given.max_depth, 0),
        tolerance=0.0,
        prune="cost-complexity",
        folds=whole("folds", given.folds, 0),
        cp=share("cp", given.cp),
        choose=one_of("choose", given.choose, CHOOSE),
        leaf=leaf,
    )
