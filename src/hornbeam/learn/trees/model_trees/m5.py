"""M5': trees with linear equations at their leaves (Quinlan 1992; Wang & Witten 1997), and rules made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.base.parameters import at_least, one_of, share, threads, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.compat.weka import JavaRandom, shuffled
from hornbeam.learn.linear.few_rows import warn_of_small_leaves
from hornbeam.learn.neighbors.search import Search
from hornbeam.learn.trees.model_trees.committee import learn_committee
from hornbeam.learn.trees.model_trees.exact import ExactChoices, learn_exactly
from hornbeam.learn.trees.model_trees.model_tree import ModelChoices, learn_model_tree
from hornbeam.learn.trees.model_trees.neighbors import put_right
from hornbeam.learn.trees.model_trees.rules import learn_rules, learn_rules_exactly
from hornbeam.model.base.align import align
from hornbeam.model.neighbors.corrected import CorrectedModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree

SMOOTHING = 15.0  # Wang & Witten 1997
SPLIT_PRICE = 1.0  # parameters that a split counts for in pruning (Wang & Witten 1997)
CHOSEN_PRICE = 2.0  # its column and its place: where chance is fitted more easily
ADVICE = "a larger min_samples_leaf or more rows"


class _ModelTreeLearner(TableRegressor):
    """What trees and rules share: parameters, and the choices they stand for."""

    _leans = True  # whether every leaf has equations above it, of all rows at the root, to be smoothed by

    def __init__(
        self,
        *,
        min_samples_split: float = 4,
        min_deviation: float = 0.05,
        prune: str | None = "linear-error",
        smoothing: bool = True,
        leaf: str = "linear",
        compat: str | None = None,
        min_samples_leaf: float = 2,
        path_columns: bool = False,
        committees: int = 1,
        criterion: str | None = None,
        n_jobs: int | None = None,
        neighbors: int = 0,
    ) -> None:
        self.min_samples_split = min_samples_split
        self.min_deviation = min_deviation
        self.prune = prune
        self.smoothing = smoothing
        self.leaf = leaf
        self.compat = compat
        self.min_samples_leaf = min_samples_leaf
        self.path_columns = path_columns
        self.committees = committees
        self.criterion = criterion
        self.n_jobs = n_jobs
        self.neighbors = neighbors

    def _learn(self, table: Table) -> tuple[Any, None]:
        members, near = whole("committees", self.committees, 1), whole("neighbors", self.neighbors, 0)
        model = self._learn_one(table) if members == 1 else learn_committee(table, members, self._learn_one)
        self._search: Search | None = None
        if near == 0:
            return model, None
        corrected = put_right(model, table, near)
        kept = corrected.near
        self._search = Search(kept.distance, kept.points, "auto", n_threads=threads(self.n_jobs))
        return corrected, None

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of every row."""
        model: Any = self.model_ if hasattr(self, "model_") else None
        if not isinstance(model, CorrectedModel):
            return super().predict(X)
        rows = self._rows(X)
        table = model._table_of(rows) if isinstance(rows, np.ndarray) else rows
        search = getattr(self, "_search", None)  # gone where the estimator was copied
        find = None if search is None or search.distance is not model.near.distance else search.nearest
        return model.answers(align(model.schema, table), threads(self.n_jobs), find)[:, 0]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_search", None)  # made of the model; not worth the space
        return state

    def _learn_one(self, table: Table) -> Tree | RuleList:
        raise NotImplementedError

    def _choices(self) -> ModelChoices:
        closely = self._by_error()
        return ModelChoices(
            min_node=at_least("min_samples_split", self.min_samples_split, 0),
            min_branch=at_least("min_samples_leaf", self.min_samples_leaf, 0),
            above=bool(self.path_columns),
            closely=closely,
            split_price=CHOSEN_PRICE if closely or not self._leans else SPLIT_PRICE,
            **self._shared_choices(),
        )

    def _reference_choices(self, table: Table) -> ExactChoices:
        """The choices of the reference program: other measures and limits, and its way of counting parameters."""
        if self.criterion is not None:
            msg = f'compat="weka" has a criterion of its own; criterion is {self.criterion!r}'
            raise ValueError(msg)
        if table.weights is not None:
            msg = 'compat="weka" takes no row weights: the reference program does not use them to grow a tree'
            raise ValueError(msg)
        least = at_least("min_samples_split", self.min_samples_split, 0)
        return ExactChoices(min_rows=least, **self._shared_choices())

    def _by_error(self) -> bool:
        """Whether splits are chosen by the error of equations on both sides, which need to have terms."""
        criterion = one_of("criterion", self.criterion, ("sd-reduction", "linear-error", None))
        if criterion == "linear-error" and self.leaf == "mean":
            msg = 'criterion is "linear-error" and leaf "mean": without equations there is no error of theirs'
            raise ValueError(msg)
        return self.leaf == "linear" and (criterion or self._usual_criterion()) == "linear-error"

    def _usual_criterion(self) -> str:
        raise NotImplementedError

    def _shared_choices(self) -> dict[str, Any]:
        return {
            "min_deviation": share("min_deviation", self.min_deviation),
            "linear": one_of("leaf", self.leaf, ("linear", "mean")) == "linear",
            "prune": one_of("prune", self.prune, ("linear-error", None)) is not None,
            "smoothing": SMOOTHING if self.smoothing else 0.0,
        }

    def _asks_for_reference(self) -> bool:
        return one_of("compat", self.compat, (None, "weka")) is not None


class M5Regressor(_ModelTreeLearner):
    """M5': a tree with a linear equation at every leaf.

    The tree is grown by the fall of the standard deviation. A nominal column's categories are put in the order of their
    mean target and cut between. Every node then gets an equation in the columns that the splits below it ask for, terms
    dropped as long as the estimated error falls, and takes the place of the subtree where it does no worse: absolute
    errors are multiplied by (n + v) / (n - v) for v parameters. Last, the equations above are blended into the leaves'.

    Parameters
    ----------
    min_samples_split : float, default=4
        Nodes with less weight are leaves.
    min_deviation : float, default=0.05
        Nodes whose standard deviation is below this share of the whole set's are leaves.
    prune : {"linear-error", None}, default="linear-error"
        Whether equations may take the place of subtrees.
    smoothing : bool, default=True
        Whether equations above are blended into the leaves', each counting as 15 rows.
    leaf : {"linear", "mean"}, default="linear"
        Whether equations have terms, or are means: a regression tree.
    compat : {None, "weka"}, default=None
        "weka": the reference program's trees to the last digit, see `docs/compat.md`; slower, without row weights.
    min_samples_leaf : float, default=2
        Both sides of a split hold this much weight. With compat="weka", more than a fifth of a node's rows instead.
    path_columns : bool, default=False
        Whether a node's equation may also use the columns that the splits above it ask for.
    committees : int, default=1
        How many models are learned and averaged, each making up for what the one before it got wrong; the model is then
        an Ensemble of them.
    criterion : {None, "sd-reduction", "linear-error"}, default=None
        How splits are chosen: by the fall of the standard deviation, or, at nodes with ten rows a column, by the error
        that equations on both sides of a cut leave, which finds where a relation breaks. None: the fall for one tree,
        the error for committees.
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The tree does not depend on it.
    neighbors : int, default=0
        How many training rows near the one asked about put its answer right, by how far the model was off for them; the
        model is then a CorrectedModel. 0: none.

    Attributes
    ----------
    model_ : Tree
        An Ensemble of trees where there are several committees; a CorrectedModel of either where there are neighbors.
    schema_ : Schema
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    Notes
    -----
    Missing values are treated in training exactly as in prediction. In a split, a row without the value takes the
    branch with more of the known weight. In an equation, the value is the mean of the column's known training values;
    an indicator of categories is their share of the known training rows.

    References
    ----------
    Quinlan, J. R. (1992). Learning with continuous classes. Wang, Y. & Witten, I. H. (1997). Inducing model trees for
    continuous classes.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.M5Regressor(compat="weka").fit(hornbeam.read("cpu"))
    >>> print(hornbeam.show.text(tree, style="weka").partition("LM num")[0].rstrip())  # doctest: +NORMALIZE_WHITESPACE
    CHMIN <= 7.5 : LM1 (165/12.903%)
    CHMIN >  7.5 :
    |   MMAX <= 28000 :
    |   |   MMAX <= 13240 :
    |   |   |   CACH <= 81.5 : LM2 (6/18.551%)
    |   |   |   CACH >  81.5 : LM3 (4/30.824%)
    |   |   MMAX >  13240 : LM4 (11/24.185%)
    |   MMAX >  28000 : LM5 (23/48.302%)
    """

    def _usual_criterion(self) -> str:
        return "sd-reduction" if self.committees == 1 else "linear-error"

    def _learn_one(self, table: Table) -> Tree:
        if self._asks_for_reference():
            choices = self._reference_choices(table)
            return learn_exactly(table, shuffled(table.n_rows, JavaRandom(1)), choices)
        tree, parameters = learn_model_tree(table, self._choices(), threads(self.n_jobs))
        if self.leaf == "linear":
            leaf = tree.n_children == 0
            warn_of_small_leaves(type(self).__name__, tree.weight[leaf], parameters[leaf], ADVICE)
        return tree


class M5RulesRegressor(_ModelTreeLearner):
    """Rules with linear equations, each the leaf of a model tree that covers most rows (Holmes, Hall & Frank 1999).

    A model tree is learned, its leaf with most weight becomes a rule, the rows that it covers are taken away, and so on
    until none are left. The first rule that holds answers.

    Parameters
    ----------
    min_samples_split : float, default=4
        Nodes with less weight are leaves.
    min_deviation : float, default=0.05
        Nodes whose standard deviation is below this share of the remaining rows' are leaves.
    prune : {"linear-error", None}, default="linear-error"
        Whether equations may take the place of subtrees.
    smoothing : bool, default=True
        Whether equations above are blended into the leaves', each counting as 15 rows.
    leaf : {"linear", "mean"}, default="linear"
        Whether equations have terms, or are means.
    compat : {None, "weka"}, default=None
        "weka": the reference program's rules to the last digit; slower, without row weights.
    min_samples_leaf : float, default=2
        Both sides of a split hold this much weight. With compat="weka", more than a fifth of a node's rows instead.
    path_columns : bool, default=False
        Whether a node's equation may also use the columns that the splits above it ask for.
    committees : int, default=1
        How many models are learned and averaged, each making up for what the one before it got wrong; the model is then
        an Ensemble of them.
    criterion : {None, "sd-reduction", "linear-error"}, default=None
        How splits are chosen: by the fall of the standard deviation, or, at nodes with ten rows per column, by the
        error that equations on both sides of a cut leave, which finds where a relation breaks. None: by the error of
        equations; by the fall where leaf="mean".
    n_jobs : int or None, default=None
        Threads; None is one, -1 all cores. The rules do not depend on it.
    neighbors : int, default=0
        How many training rows near the one asked about put its answer right, by how far the model was off for them; the
        model is then a CorrectedModel. 0: none.

    Attributes
    ----------
    model_ : RuleList
    schema_ : Schema
    n_features_in_ : int
    feature_names_in_ : array
        Only where the features had names.

    References
    ----------
    Holmes, G., Hall, M. & Frank, E. (1999). Generating rule sets from model trees.

    Examples
    --------
    >>> import hornbeam
    >>> rules = hornbeam.M5RulesRegressor(compat="weka").fit(hornbeam.read("cpu"))
    >>> len(rules.model_)
    5
    """

    model_: RuleList  # type: ignore[assignment]
    _leans = False  # late trees see nothing but the rows that are left

    def _usual_criterion(self) -> str:
        return "linear-error"

    def _learn_one(self, table: Table) -> RuleList:
        if self._asks_for_reference():
            choices = self._reference_choices(table)
            return learn_rules_exactly(table, shuffled(table.n_rows, JavaRandom(1)), choices)
        return learn_rules(table, self._choices(), threads(self.n_jobs))
