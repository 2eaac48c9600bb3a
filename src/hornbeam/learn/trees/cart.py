"""CART: two-way splits, surrogates for missing values, and cost-complexity pruning, as in rpart.

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

from hornbeam.data.as_table import label_text
from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, one_of, share, whole, whole_or_none
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.trees.choices import class_factors
from hornbeam.learn.trees.recipe import CHOOSE, Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.valid import check
from hornbeam.model.trees.tree import STOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.trees.trace import Trace
    from hornbeam.model.trees.tree import Tree


CLASS_CRITERIA = {"gini": "gini", "entropy": "information-gain", "misclassification": "misclassification"}
ROW_BY_ROW = ("gini", "information-gain", "variance")  # criteria that rpart has too
OMITTED = "omitted_rows"  # added to the recipe: how many rows were left out because they have no value
LIKE_RPART = "rpart"
EXHAUSTIVE, MOST_EXHAUSTIVE = 10, 20  # categories for which all divisions are tried: a thousand, or a million per node
FEWEST_FOLDS = 2  # of a cross-validation
NUMBER_LEAF = {"variance": "mean", "absolute-error": "median"}


@estimator
class _Cart(TreeLearner):
    """The parameters that `CartClassifier` and `CartRegressor` share.

    Parameters
    ----------
    cp : float
        The minimum decrease of the error per split, as a fraction of the root's error.
    min_samples_split : float
        Nodes with less weight than this are leaves.
    min_samples_leaf : float
        Both branches of a split have at least this weight.
    max_surrogates : int
        How many surrogates to keep at each node: splits of other columns that are used when its own column has no
        value.
    folds : int
        The number of folds of the cross-validation for `cp_table_`; 0 for none.
    choose : {"auto", "cp", "1-se", "least"}
        Which pruned tree to choose: the tree for `cp`, the smallest tree within one standard error of the least
        cross-validated error, or the tree with the least error. ``"auto"`` is ``"1-se"``, but ``"cp"`` without folds
        and with ``compat="rpart"``, as in rpart.
    compat : {"rpart", None}
        Follow rpart where the default does not: `min_samples_split`, `min_samples_leaf` and surrogates count rows
        instead of weights; weighted rows without any value are learned from; and a row that neither the split nor a
        surrogate can send goes to the branch with more rows. (For classes, all divisions of up to 20 categories are
        tried.)
    random_state : int or None
        Seed of the shuffle that assigns rows to folds; None is 0, so that the tree is always the same.

    Attributes
    ----------
    cp_table_ : CpTable
        The sequence of pruned trees: cp, number of splits, error, cross-validated error and its standard error, with
        errors as fractions of the error of the root.
    """

    _drops_empty_rows = True

    cp: float = 0.01
    min_samples_split: float = 20
    min_samples_leaf: float = 7
    max_surrogates: int = 5
    folds: int = 10
    choose: Literal["auto", "cp", "1-se", "least"] = "auto"
    max_depth: int | None = 30
    compat: Literal["rpart"] | None = None
    random_state: int | None = None


@estimator
class CartClassifier(_Cart, DecidingClassifier):
    """A CART decision tree.

    Trees are grown as by the R package rpart, with its defaults, and then pruned by cross-validation; rpart leaves that
    to its user, so ``choose="cp"`` gives its tree. Row weights count as repeated rows; with ``compat="rpart"`` they
    count as in rpart.

    Parameters
    ----------
    criterion : {"gini", "entropy", "misclassification"}
        How candidate splits are ranked.
    priors : mapping or sequence, optional
        Proportions of the classes among the rows to predict, by class or in the order of `classes_`; by default those
        of the training rows.
    loss : mapping or matrix, optional
        The cost of predicting the class of the column when the class of the row is true, or ``{true: {predicted:
        cost}}``. The tree is grown, pruned and labeled by it.
    costs : matrix or mapping, optional
        Like `loss`, but only used by `predict`: the tree stays the same.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartClassifier().fit(hornbeam.read("iris"))
    >>> tree.model_.n_leaves
    3
    >>> tree.cp_table_.n_splits.tolist()
    [0, 1, 2]
    """

    criterion: Literal["gini", "entropy", "misclassification"] = "gini"
    priors: Any = None
    loss: Any = None

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The choices these parameters stand for; with `loss` if the classes are known."""
        criterion = CLASS_CRITERIA[one_of("criterion", self.criterion, tuple(CLASS_CRITERIA))]
        recipe = _two_way(self, criterion, "distribution")
        if schema is None:
            return recipe
        loss = self._loss()
        return check(recipe if loss is None else replace(recipe, loss=tuple(map(tuple, loss.tolist()))), schema)

    @property
    def cost_matrix_(self) -> NDArray[np.float64] | None:
        """The costs by which classes are decided, or else the losses by which the tree was learned."""
        costs = super().cost_matrix_
        return self._loss() if costs is None else costs

    def _loss(self) -> NDArray[np.float64] | None:
        if self.loss is None:
            return None
        from hornbeam.learn.base.decide import cost_matrix  # noqa: PLC0415 - rarely needed

        return cost_matrix(self.loss, list(map(label_text, self.classes_.tolist())))

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        kept = learned_rows(table, keep_empty=self.compat == LIKE_RPART)
        recipe = self.recipe(kept.schema)
        if self.priors is not None:
            counts = np.bincount(kept.target_values(), minlength=len(self.classes_))
            recipe = replace(
                recipe, priors=class_priors(self.priors, list(map(label_text, self.classes_.tolist())), counts > 0)
            )
        self._check_losses(recipe, kept)
        tree, trace = self._build(recipe, kept)
        if recipe.priors is not None:
            tree = by_priors(tree, class_factors(kept, recipe).predicting)
        return _finished(self, tree, table.n_rows - kept.n_rows), trace

    def _check_losses(self, recipe: Recipe, table: Table) -> None:
        """Refuse losses by which no error on some class costs anything, so that it could not be distinguished."""
        if recipe.loss is None or recipe.criterion == "misclassification":
            return
        seen = np.unique(table.target_values())
        free = ~(np.array(recipe.loss)[np.ix_(seen, seen)] > 0).any(axis=1)
        if len(seen) > 1 and free.any():
            name = label_text(self.classes_[seen[int(np.argmax(free))]])
            msg = f"loss: no wrong prediction of the class {name!r} costs anything; expected a number above 0"
            raise ValueError(msg)


@estimator
class CartRegressor(_Cart, TableRegressor):
    """A CART regression tree.

    Trees are grown as by the R package rpart, with its defaults, and then pruned by cross-validation; rpart leaves that
    to its user, so ``choose="cp"`` gives its tree. Row weights count as repeated rows; with ``compat="rpart"`` they
    count as in rpart.

    Parameters
    ----------
    criterion : {"variance", "absolute-error"}
        How candidate splits are ranked: by the squared error around the mean, or the absolute error around the median.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.CartRegressor(random_state=0).fit(hornbeam.read("cpu"))
    >>> tree.cp_table_.n_splits.tolist()[:2]
    [0, 1]
    """

    criterion: Literal["variance", "absolute-error"] = "variance"

    def recipe(self, schema: Schema | None = None) -> Recipe:
        """The recipe for these parameters."""
        criterion = one_of("criterion", self.criterion, tuple(NUMBER_LEAF))
        recipe = _two_way(self, criterion, NUMBER_LEAF[criterion])
        return recipe if schema is None else check(recipe, schema)

    def _learn(self, table: Table) -> tuple[Tree, Trace | None]:
        kept = learned_rows(table, keep_empty=self.compat == LIKE_RPART)
        tree, trace = self._build(self.recipe(kept.schema), kept)
        tree = tree if self.compat == LIKE_RPART else with_exact_leaves(tree, kept)
        return _finished(self, tree, table.n_rows - kept.n_rows), trace


def _finished(given: Any, tree: Tree, omitted: int) -> Tree:
    """The tree with the number of rows that were left out, which its printed form shows."""
    if given.compat == LIKE_RPART:
        tree = to_more_rows(tree)
        omitted += given._n_without_target
    return replace(tree, recipe={**tree.recipe, OMITTED: omitted}) if omitted else tree


def _two_way(given: Any, criterion: Any, leaf: Any) -> Recipe:
    """The recipe of both: two-way splits, surrogates, cost-complexity pruning."""
    like_rpart = one_of("compat", given.compat, (LIKE_RPART, None)) == LIKE_RPART
    return Recipe(
        criterion=criterion,
        equal_low=False,
        order_by_target=True,
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
        choose=_choose(given.choose, whole("folds", given.folds, 0), like_rpart=like_rpart),
        leaf=leaf,
    )


def _choose(wanted: str, folds: int, *, like_rpart: bool) -> Any:
    """The way to choose the pruned tree that ``"auto"`` stands for: by cross-validation if there is one."""
    if one_of("choose", wanted, ("auto", *CHOOSE)) != "auto":
        return wanted
    return "cp" if like_rpart or folds < FEWEST_FOLDS else "1-se"


def learned_rows(table: Table, *, keep_empty: bool = False) -> Table:
    """The rows with a value in some feature, since others have no influence on a split; all rows if there are none.

    Parameters
    ----------
    table : Table
        Rows with a target.
    keep_empty : bool
        Keep rows without any value if rows have weights.
    """
    if not table.schema.features or (keep_empty and table.weights is not None):
        return table
    known = np.zeros(table.n_rows, np.bool_)
    for position in table.schema.features:
        known |= table.known(position)
        if known.all():
            return table
    return table.take(known) if known.any() else table


def to_more_rows(tree: Tree) -> Tree:
    """The tree in which rows that neither the split nor a surrogate can send go to the branch with more training rows.

    If both branches have as many rows, they stay and get the prediction of the node.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    first, second = tree.rows[tree.first_child[inner]], tree.rows[tree.first_child[inner] + 1]
    missing = tree.missing.copy()
    missing[inner] = np.where(first > second, 0, np.where(second > first, 1, STOP))
    return replace(tree, missing=missing)


def with_exact_leaves(tree: Tree, table: Table) -> Tree:
    """The regression tree in which a leaf whose rows all have the same target predicts exactly that.

    Sums are computed row by row, so the mean of equal numbers may be off in the last digit.
    """
    ends, truth = tree.apply(table), table.target_values()
    least, greatest = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(least, ends, truth)
    np.maximum.at(greatest, ends, truth)
    same = (least == greatest) & (tree.n_children == 0)
    value, error = tree.value.copy(), tree.error.copy()
    value[same, 1], value[same, 2], error[same] = least[same], 0.0, 0.0
    return replace(tree, value=value, error=error)


def by_priors(tree: Tree, factor: NDArray[np.float64]) -> Tree:
    """The tree with class weights by the priors, and gains per weight for the new weights."""
    value = tree.value * factor
    weight = value.sum(axis=1)
    inner = np.flatnonzero(tree.n_children > 0)
    score = tree.splits.score.copy()
    score[tree.split[inner]] *= tree.weight[inner] / weight[inner]
    return replace(tree, value=value, weight=weight, splits=replace(tree.splits, score=score))


def class_priors(priors: Any, classes: list[str], present: NDArray[np.bool_]) -> tuple[float, ...]:
    """Proportions of the classes that have rows, from a mapping or a sequence; 0 for the others."""
    if isinstance(priors, Mapping):
        named = {label_text(name): value for name, value in priors.items()}
        unknown = [name for name in named if name not in classes]
        absent = [name for name, there in zip(classes, present, strict=True) if there and name not in named]
        if unknown or absent:
            wrong = f"name {unknown[0]!r}, which is not a class" if unknown else f"leave out the class {absent[0]!r}"
            msg = f"the priors {wrong}; expected a number for each of {', '.join(map(repr, classes))}"
            raise ValueError(msg)
        priors = [named.get(name, 0.0) for name in classes]
    try:
        numbers = np.array(priors, np.float64)
    except (TypeError, ValueError):
        msg = f"priors is {priors!r}; expected a number for each class"
        raise ValueError(msg) from None
    if (
        numbers.shape != (len(classes),)
        or not np.isfinite(numbers).all()
        or (numbers < 0).any()
        or (numbers[present] <= 0).any()
    ):
        msg = f"priors is {priors!r}; expected {len(classes)} numbers above 0, one for each class"
        raise ValueError(msg)
    numbers[~present] = 0.0
    total = float(numbers.sum())
    return tuple((numbers if total == 1.0 else numbers / total).tolist())
