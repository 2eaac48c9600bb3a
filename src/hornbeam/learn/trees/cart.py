"""CART: two-way splits, surrogates for missing values, and pruning by cost and complexity, in the manner of rpart.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984).
T. M. Therneau, E. J. Atkinson, *An introduction to recursive partitioning using the rpart routines*, Mayo Foundation
(1997).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.classifier import TableClassifier
from hornbeam.learn.decide import cost_matrix
from hornbeam.learn.estimator import with_weights
from hornbeam.learn.parameters import at_least, one_of, share, whole, whole_or_none
from hornbeam.learn.regressor import TableRegressor
from hornbeam.learn.trees.as_tree import plain_recipe
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.tree_recipe import CHOOSE
from hornbeam.learn.trees.valid import check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.prune.complexity import CpTable
    from hornbeam.model.trace import Trace
    from hornbeam.model.tree import Tree

CLASS_CRITERIA = {"gini": "gini", "entropy": "information-gain", "misclassification": "misclassification"}
ROW_BY_ROW = ("gini", "information-gain", "variance")  # criteria that the reference program has too
OMITTED = "omitted_rows"  # beside the recipe's choices: rows without target or without any value
NUMBER_LEAF = {"variance": "mean", "absolute-error": "median"}


class CartClassifier(TreeLearner, TableClassifier):
    """A CART decision tree.

    The defaults are those of the reference program rpart, and the tree is the same.

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
        is grown, pruned and labelled by it.
    choose : {"cp", "1-se", "least"}, default="cp"
        Prune by `cp` alone, to the smallest tree within one standard error of the least cross-validated error, or to
        the tree with the least.
    max_depth : int or None, default=30
        Nodes at this depth are leaves.
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
        return check(recipe if loss is None else replace(recipe, loss=_as_tuples(loss)), schema)

    @property
    def cost_matrix_(self) -> NDArray[np.float64] | None:
        """The costs by which classes are decided, or else the losses that the tree was learned by."""
        costs = super().cost_matrix_
        return self._loss() if costs is None else costs

    def _loss(self) -> NDArray[np.float64] | None:
        return None if self.loss is None else cost_matrix(self.loss, [str(name) for name in self.classes_])

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        given, table = table, _with_some_value(table)
        recipe = _for_weights(self.recipe(table.schema), table)
        seen, factor = self._class_factors(table)
        if seen is None or factor is None:
            return _counted(given, table, *self._learn_by(recipe, table))
        # Errors are weights times losses, so what the weights have too much the losses have too little.
        scaled = None if recipe.loss is None else _as_tuples(np.array(recipe.loss) * factor[:, None])
        weighted = with_weights(table, seen[table.target_values()])
        tree, trace = self._learn_by(replace(recipe, loss=scaled), weighted)
        value = tree.value * factor
        kept = {**tree.recipe, "loss": plain_recipe(recipe)["loss"]}
        return _counted(given, table, replace(tree, value=value, weight=value.sum(axis=1), recipe=kept), trace)

    def _class_factors(self, table: Table) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """Weights of the classes for choosing splits, and what turns these into the weights for errors and shares.

        Errors count by the priors. Splits that do not see the losses count by altered priors, each class by what its
        rows cost in all (Breiman et al., section 4.4).
        """
        loss = self._loss()
        codes = table.target_values()
        counts = np.bincount(codes, table.weights, len(self.classes_))
        present = counts > 0
        shares = counts / counts.sum()
        wanted = shares if self.priors is None else _priors(self.priors, [str(name) for name in self.classes_], present)
        if self.priors is None and loss is None:
            return None, None
        altered = wanted if loss is None or self.criterion == "misclassification" else wanted * loss.sum(axis=1)
        altered = altered / altered.sum()
        if (altered[present] <= 0).any():
            name = self.classes_[int(np.argmax(present & (altered <= 0)))]
            msg = f"loss: no wrong answer to the class {str(name)!r} costs anything; expected a number above 0"
            raise ValueError(msg)
        ones = np.ones(len(counts))
        return (
            np.divide(altered, shares, out=ones.copy(), where=present),
            np.divide(wanted, altered, out=ones.copy(), where=present),
        )


class CartRegressor(TreeLearner, TableRegressor):
    """A CART regression tree.

    The defaults are those of the reference program rpart, and the tree is the same.

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
        given, table = table, _with_some_value(table)
        recipe = _for_weights(self.recipe(table.schema), table)
        return _counted(given, table, *self._learn_by(recipe, table))


def _for_weights(recipe: Recipe, table: Table) -> Recipe:
    """Weighted rows count as often as they weigh, in limits too, and not one by one as in the reference program."""
    return recipe if table.weights is None else replace(recipe, row_by_row=False)


def _counted(given: Table, table: Table, tree: Tree, trace: Trace | None) -> tuple[Tree, Trace | None]:
    """The tree with a note of how many rows were left out, which its printed form tells."""
    omitted = given.n_rows - table.n_rows
    return (replace(tree, recipe={**tree.recipe, OMITTED: omitted}) if omitted else tree), trace


def _with_some_value(table: Table) -> Table:
    """The rows with a value in some feature; with a weight column, or where there are none, all of them.

    A row without any says nothing about a split, and the reference program leaves it out, unless rows are weighted.
    """
    if table.weights is not None or not table.schema.features:
        return table
    known = np.zeros(table.n_rows, np.bool_)
    for position in table.schema.features:
        values = table.columns[position]
        known |= values >= 0 if isinstance(table.schema.columns[position], Nominal) else ~np.isnan(values)
        if known.all():
            return table
    return table.take(known) if known.any() else table


def _two_way(given: Any, criterion: Any, leaf: Any) -> Recipe:
    """The recipe that both have: two-way splits, surrogates, cost-complexity pruning."""
    return Recipe(
        criterion=criterion,
        equal_low=False,
        order_by_answer=True,
        row_by_row=criterion in ROW_BY_ROW,
        nominal="subset",
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


def _as_tuples(matrix: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(float, row)) for row in matrix)


def _priors(priors: Any, classes: list[str], present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Shares of the classes that occur, from a mapping or a sequence."""
    if isinstance(priors, Mapping):
        named = {str(name): value for name, value in priors.items()}
        unknown = [name for name in named if name not in classes]
        absent = [name for name, there in zip(classes, present, strict=True) if there and name not in named]
        if unknown or absent:
            wrong = f"name {unknown[0]!r}, which is no class" if unknown else f"leave out the class {absent[0]!r}"
            msg = f"the priors {wrong}; expected a share for each of {', '.join(map(repr, classes))}"
            raise ValueError(msg)
        priors = [named.get(name, 0.0) for name in classes]
    try:
        found = np.array(priors, np.float64)
    except (TypeError, ValueError):
        msg = f"priors is {priors!r}; expected a number for each class"
        raise ValueError(msg) from None
    if (
        found.shape != (len(classes),)
        or not np.isfinite(found).all()
        or (found < 0).any()
        or (found[present] <= 0).any()
    ):
        msg = f"priors is {priors!r}; expected {len(classes)} numbers above 0, one for each class"
        raise ValueError(msg)
    found[~present] = 0.0
    return np.asarray(found / found.sum())
