"""M5': trees with linear equations at their leaves (Quinlan 1992; Wang & Witten 1997), and rules made from them.

A committee (as in Cubist) is several models of which each corrects the one before it. Predictions can also be corrected
by training rows near the row to predict.

References
----------
Quinlan, J. R. (1993). Combining instance-based and model-based learning. Kuhn, M. & Johnson, K. (2013). Applied
predictive modeling, section 8.7: the weights by distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.table import Table
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, one_of, share, threads, whole
from hornbeam.learn.base.regressor import TableRegressor
from hornbeam.learn.compat.weka import JavaRandom, shuffled
from hornbeam.learn.linear.few_rows import warn_of_small_leaves
from hornbeam.learn.neighbors.search import Search
from hornbeam.learn.trees.model_trees.exact import ExactChoices, learn_exactly
from hornbeam.learn.trees.model_trees.model_tree import ModelChoices, learn_model_tree
from hornbeam.learn.trees.model_trees.rules import learn_rules, learn_rules_exactly
from hornbeam.learn.trees.tree_learner import TreeMethods
from hornbeam.model.base.align import align
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.instances import Instances

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree


SMOOTHING = 15.0  # Wang & Witten 1997
SPLIT_PRICE = 1.0  # how many parameters a split counts for in pruning (Wang & Witten 1997)
CHOSEN_PRICE = 2.0  # its column and its cut, if chance is fitted more easily
ADVICE = "a larger min_samples_leaf or more rows"
NEAR_ENOUGH = 0.5  # as a fraction of the mean distance of two training rows; rows further away have little influence


@estimator
class _ModelTreeLearner(TableRegressor):
    """What `M5Regressor` and `M5RulesRegressor` share: parameters, and the choices they stand for.

    Parameters
    ----------
    min_samples_split : float
        Nodes with less weight than this are leaves.
    min_deviation : float
        Nodes whose standard deviation is below this fraction of that of all rows (for rules: all remaining rows) are
        leaves.
    prune : {"linear-error", None}
        Whether equations can replace subtrees.
    smoothing : bool
        Whether the equations above a leaf are blended into its own, each counting as 15 rows.
    leaf : {"linear", "mean"}
        Linear equations at the leaves, or only means (a regression tree).
    compat : {None, "weka"}
        "weka" follows WEKA's M5P and M5Rules to the last digit, see `docs/compat.md`; slower, and without row weights.
    min_samples_leaf : float
        Both sides of a split have this weight. With ``compat="weka"``: more than a fifth of the rows of the node.
    path_columns : bool
        Whether the equation of a node can also use the columns of the splits above it.
    committees : int
        The number of models to learn and average. Each corrects the errors of the one before it; the model is then an
        Ensemble.
    neighbors : int
        If not 0, the prediction for a row is corrected by the errors that the model makes for this many training rows
        near to it; the model is then a CorrectedModel.
    """

    min_samples_split: float = 4
    min_deviation: float = 0.05
    prune: str | None = "linear-error"
    smoothing: bool = True
    leaf: str = "linear"
    compat: str | None = None
    min_samples_leaf: float = 2
    path_columns: bool = False
    committees: int = 1
    criterion: str | None = None
    n_jobs: int | None = None
    neighbors: int = 0

    _leans = True  # whether every leaf is smoothed by equations above it, up to that of all rows

    def _learn(self, table: Table) -> tuple[Any, None]:
        members, near = whole("committees", self.committees, 1), whole("neighbors", self.neighbors, 0)
        model = self._learn_one(table) if members == 1 else learn_committee(table, members, self._learn_one)
        self._search: Search | None = None
        if near == 0:
            return model, None
        corrected = corrected_by_neighbors(model, table, near)
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
        search = getattr(self, "_search", None)  # missing if the estimator was copied
        find = None if search is None or search.distance is not model.near.distance else search.nearest
        return model.outputs(align(model.schema, table), threads(self.n_jobs), find)[:, 0]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_search", None)  # can be made from the model; not worth the space
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

    def _weka_choices(self, table: Table) -> ExactChoices:
        """The choices of WEKA: other measures and limits, and its way of counting parameters."""
        if self.criterion is not None:
            msg = f'compat="weka" has a criterion of its own; criterion is {self.criterion!r}'
            raise ValueError(msg)
        if table.weights is not None:
            msg = 'compat="weka" takes no row weights: WEKA does not use them to grow a tree'
            raise ValueError(msg)
        least = at_least("min_samples_split", self.min_samples_split, 0)
        return ExactChoices(min_rows=least, **self._shared_choices())

    def _by_error(self) -> bool:
        """Whether splits are chosen by the error of equations on both sides, which must have terms."""
        criterion = one_of("criterion", self.criterion, ("sd-reduction", "linear-error", None))
        if criterion == "linear-error" and self.leaf == "mean":
            msg = 'criterion is "linear-error" and leaf "mean": without equations they have no error'
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

    def _follows_weka(self) -> bool:
        return one_of("compat", self.compat, (None, "weka")) is not None


@estimator
class M5Regressor(TreeMethods, _ModelTreeLearner):
    """M5': a tree with a linear equation at every leaf.

    The tree is grown by the decrease of the standard deviation. The categories of a nominal column are ordered by their
    mean target and cut between. Every node then gets an equation in the columns of the splits below it; terms are
    dropped as long as the estimated error falls. The equation replaces the subtree if its error is not larger. Absolute
    errors are multiplied by (n + v) / (n - v) for v parameters. Finally the equations above are blended into those of
    the leaves.

    Parameters
    ----------
    criterion : {None, "sd-reduction", "linear-error"}
        How splits are chosen: by the decrease of the standard deviation, or, at nodes with ten rows per column, by the
        error of equations on both sides of a cut, which finds where a relation breaks. None: "sd-reduction" for one
        tree, "linear-error" for committees.

    Attributes
    ----------
    model_ : Tree
        With several committees an Ensemble of trees; with neighbors a CorrectedModel of either.

    Notes
    -----
    Missing values are treated in training exactly as in prediction. In a split, a row without the value takes the
    branch with more of the known weight. In an equation, the value is the mean of the known training values of the
    column; an indicator of categories is their proportion among the known training rows.

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
        if self._follows_weka():
            choices = self._weka_choices(table)
            return learn_exactly(table, shuffled(table.n_rows, JavaRandom(1)), choices)
        tree, parameters = learn_model_tree(table, self._choices(), threads(self.n_jobs))
        self._warn_of_leaves(tree, parameters)
        return tree

    def _warn_of_leaves(self, tree: Tree, parameters: Floats) -> None:
        """Warn if most rows are in leaves with few rows; `parameters` by node."""
        if self.leaf == "linear":
            leaf = tree.n_children == 0
            warn_of_small_leaves(type(self).__name__, tree.weight[leaf], parameters[leaf], ADVICE)

    def _scanned_choices(self) -> ModelChoices:
        """The choices for scanned data; raises an error for what needs all rows in memory."""
        for name, found, usual in (
            ("compat", self.compat, None),
            ("committees", whole("committees", self.committees, 1), 1),
            ("neighbors", whole("neighbors", self.neighbors, 0), 0),
            ("criterion", self.criterion if self._by_error() else None, None),
        ):
            if found != usual:
                msg = (
                    f"{type(self).__name__} with {name}={found!r} cannot learn from scanned data with more rows than "
                    f"local_rows; expected {name}={usual!r}, or a larger local_rows in hornbeam.scan if the rows fit "
                    "in memory"
                )
                raise ValueError(msg)
        return self._choices()


@estimator
class M5RulesRegressor(_ModelTreeLearner):
    """Rules with linear equations, each made from the leaf of a model tree that covers most rows.

    A model tree is learned, its leaf with most weight becomes a rule, and the rows that it covers are removed; this is
    repeated until no rows are left. The first rule that holds makes the prediction.

    Parameters
    ----------
    criterion : {None, "sd-reduction", "linear-error"}
        How splits are chosen: by the decrease of the standard deviation, or, at nodes with ten rows per column, by the
        error of equations on both sides of a cut, which finds where a relation breaks. None: "linear-error", or
        "sd-reduction" with ``leaf="mean"``.

    Attributes
    ----------
    model_ : RuleList
        With several committees an Ensemble of rule lists; with neighbors a CorrectedModel of either.

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

    _leans = False  # late trees only see the rows that are left

    def _usual_criterion(self) -> str:
        return "linear-error"

    def _learn_one(self, table: Table) -> RuleList:
        if self._follows_weka():
            choices = self._weka_choices(table)
            return learn_rules_exactly(table, shuffled(table.n_rows, JavaRandom(1)), choices)
        return learn_rules(table, self._choices(), threads(self.n_jobs))


def learn_committee(table: Table, members: int, learn: Callable[[Table], Tree | RuleList]) -> Ensemble:
    """Learn several models, each from targets changed by the errors of the one before it.

    A row that a model predicted too high gets a target that is lower by the same amount for the next model.

    Parameters
    ----------
    table : Table
        Training rows, each with a target.
    members : int
        The number of models.
    learn : callable
        Learns one model.

    Returns
    -------
    An ensemble that predicts the mean of the models.
    """
    place = table.schema.target
    assert place is not None
    truth = table.target_values()
    models: list[Tree | RuleList] = []
    changed = table
    for number in range(1, members + 1):
        models.append(learn(changed))
        if number == members:
            break
        columns = list(table.columns)
        columns[place] = truth - (models[-1].predict_codes(table) - truth)
        changed = Table(table.schema, columns, table.notes, copy=False)
        for position in table.schema.features:
            order = table.known_order(position)
            if order is not None:
                changed.keep_order(position, order)
    default = np.array([np.average(truth, weights=table.weights)])
    return Ensemble(table.schema, tuple(models), default, recipe={"committees": float(members)})


def corrected_by_neighbors(model: Any, table: Table, k: int) -> CorrectedModel:
    """The model with its training rows, the nearest `k` of which correct each prediction.

    Differences of the columns are added up: for numbers as fractions of the range of the column, for categories 0 or 1,
    for missing values the mean difference of two rows.

    Parameters
    ----------
    model : Tree, RuleList or Ensemble
        The model to correct.
    table : Table
        The training rows.
    k : int
        The number of rows; rows as far away as the last count too.
    """
    distance = Distance.of(table, numeric="range", missing="average", squared=False)
    near = Instances(table.schema, table, distance, k, recipe={"kept": "all"})
    return CorrectedModel(table.schema, model, near, NEAR_ENOUGH * float((distance.weight * distance.expected).sum()))
