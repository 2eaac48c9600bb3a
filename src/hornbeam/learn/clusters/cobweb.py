"""COBWEB and CLASSIT: concepts formed one row after another, in a tree.

Every row goes down from the root; at each node it joins the best child, or starts a new one, or the two best children
are merged, or the best is split into its children, whatever has the highest category utility: how much better the
values of rows can be guessed when their child is known. Fisher, "Knowledge acquisition via incremental conceptual
clustering", 1987; Gennari, Langley and Fisher, "Models of incremental concept formation", 1989.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_random_state

from hornbeam.core.clusters.concepts import Concepts
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.clusterer import TableClusterer
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import weighing_rows
from hornbeam.learn.base.limits import check_numbers
from hornbeam.learn.base.parameters import at_least, one_of, whole, whole_or_none
from hornbeam.learn.compat.weka import JavaRandom, shuffled
from hornbeam.model.base.align import align
from hornbeam.model.clusters.concepts import ConceptTree, layout, ready
from hornbeam.model.clusters.projected import ProjectedClusters

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Ints32, Ints64

DEFAULT_CUTOFF = 0.0028209479177387815  # a hundredth of 1 / (2 sqrt(pi))
ORDERS = ("given", "shuffled")


@estimator(kw_only=False)
class Cobweb(TableClusterer):
    """COBWEB for categories, CLASSIT for numbers, both for mixed tables; missing values are not counted.

    Parameters
    ----------
    acuity : float
        The minimum standard deviation of a number, in the units of the data: how well two values can be distinguished.
        Without it a single row would be infinitely precise.
    cutoff : float
        The minimum category utility for which a node has children; the tree is cut below nodes whose children add less.
        The default is a hundredth of 1 / (2 sqrt(pi)).
    level : int or None
        Which nodes are the clusters of `labels_` and `predict`: 1 the children of the root, 2 their children (and
        leaves above), None the leaves. The whole tree is `model_`.
    order : {"given", "shuffled"}
        The order in which rows come. The tree depends on it.
    compat : {None, "weka"}
        "weka": rows are shuffled as in WEKA, children are in its order, and the first child, if it is the best, is
        never merged. The trees are then often the same up to the order of children; ties, which WEKA's rounding
        decides, make some different.
    random_state : int, RandomState or None
        Seed of the shuffle; with ``compat="weka"`` None means 42.

    Attributes
    ----------
    model_ : ConceptTree
        The tree, with the statistics of every node.
    labels_ : array
        The cluster of every row seen, in the order given, over all calls of `partial_fit`.
    leaves_ : array
        For every row, the node of `model_` that is its leaf; -1 for a row of weight zero.
    merges_, splits_ : int
        How often nodes were merged and split, in the last call.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("weather.numeric")
    >>> cobweb = hornbeam.Cobweb().fit(table)
    >>> cobweb.labels_.tolist()
    [1, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0]
    """

    model_: ConceptTree

    acuity: float = 1.0
    _: KW_ONLY
    cutoff: float = DEFAULT_CUTOFF
    level: int | None = 1
    order: str = "given"
    compat: str | None = None
    pca: float | None = None
    random_state: int | np.random.RandomState | None = None

    def _squares_features(self) -> bool:
        return True

    def _cluster(self, table: Table) -> tuple[Any, Ints32]:
        follows = one_of("compat", self.compat, (None, "weka")) is not None
        acuity, level = at_least("acuity", self.acuity, 0), whole_or_none("level", self.level, 0)
        if acuity == 0:
            msg = "acuity is 0; expected a number above 0: with 0, a cluster of one row would have no spread at all"
            raise ValueError(msg)
        cutoff = at_least("cutoff", self.cutoff, 0)
        numbers, sizes = layout(table.schema)
        values = [table.columns[table.schema.features[f]] for f in numbers]
        origin = np.array([np.nanmean(v) if not np.isnan(v).all() else 0.0 for v in values], np.float64)
        start = offsets(sizes)
        kernel = Concepts(len(numbers), start, acuity, cutoff, follows)
        self._seen, self._leaf = 0, np.empty(0, np.int64)
        recipe = {"first_alone": follows}
        return self._grown(kernel, table, origin, (acuity, cutoff, level, recipe))

    def _grown(self, kernel: Concepts, table: Table, origin: Any, choices: Any) -> tuple[ConceptTree, Any]:
        """The tree after adding the rows, and the clusters of all rows so far."""
        acuity, cutoff, level, recipe = choices
        weights = np.ascontiguousarray(table.row_weights)
        seen = self._seen + table.n_rows
        values, codes = ready(table.schema, origin, table)
        kernel.add_rows(values, codes, weights, self._row_order(table.n_rows), self._seen)
        parent, first_child, n_children, figures, weight, _, leaf = kernel.tree(seen)
        tree = ConceptTree(
            table.schema, parent, first_child, n_children, weight, figures, origin, acuity, cutoff, level, recipe,
            leaf=leaf.astype(np.int32),
        )  # fmt: skip
        self.merges_, self.splits_ = kernel.merges, kernel.splits
        self._seen, self._leaf = seen, leaf
        return tree, tree.cluster_of_nodes()[leaf]

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, names: str | ArrayLike | None = None
    ) -> Self:
        """Form concepts from the rows; see `partial_fit` for more rows later.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            Frames may have categories and missing values. A Table's target is left out.
        y : None
            Ignored: there is no target.
        sample_weight : array of shape (rows,), optional
            Row weights; rows of weight zero are not used, and get their cluster as new rows do.
        names : str or array of shape (rows,), optional
            Names of the rows, which text, picture and JSON show at the leaves; or the column of X that holds them,
            which is then left out of learning. By default rows have their numbers, from 1.

        Returns
        -------
        self
        """
        rows, named = _split_names(X, names)
        super().fit(rows, y, sample_weight)
        if len(self.labels_) == len(self._leaf):
            self.leaves_ = self._leaf
        else:  # rows of weight zero were not used
            self.leaves_ = np.full(len(self.labels_), -1, np.int64)
            self.leaves_[weighing_rows(self._clustered(rows, sample_weight))] = self._leaf
        if named is not None and len(named) != len(self.leaves_):
            msg = f"names has {len(named)} names; expected one for each of {len(self.leaves_)} rows"
            raise ValueError(msg)
        model: Any = self.model_
        kept = {"leaf": self.leaves_.astype(np.int32), "names": named}
        on_axes = isinstance(model, ProjectedClusters)
        self.model_ = replace(model, inner=replace(model.inner, **kept)) if on_axes else replace(model, **kept)
        return self

    def partial_fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, names: str | ArrayLike | None = None
    ) -> Self:
        """Add rows to the tree; the first call is the same as `fit`.

        Parameters
        ----------
        X : Table, array or frame
            Rows with the same columns as earlier rows.
        y : None
            Ignored: there is no target.
        sample_weight : array, optional
            Row weights above zero.
        names : str or array, optional
            Names of the rows, as for `fit`; needed if the earlier rows have names.

        Returns
        -------
        self
        """
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight, names)
        if isinstance(self.model_, ProjectedClusters):
            msg = "pca is set, and the axes would be those of the first rows; fit all rows at once, or do not use pca"
            raise ValueError(msg)  # noqa: TRY004 - the caller's mistake, not a wrong type
        rows, named = _split_names(X, names)
        given = self._clustered_later(rows, sample_weight)
        weighing = weighing_rows(given)
        if not weighing.all():
            msg = "a row has weight zero; expected weights above zero in partial_fit"
            raise ValueError(msg)
        check_numbers(given, weighing, squared=True)
        model = self.model_
        aligned = align(model.schema, given)
        if given.weights is not None and model.schema.with_role("weight") is None:
            msg = "the rows have weights, and earlier rows had none; expected weights in all calls or in none"
            raise ValueError(msg)
        if not hasattr(self, "_leaf"):  # a model from a file
            self._seen, self._leaf = 0, np.empty(0, np.int64)
        all_names = self._all_names(named, given.n_rows)
        choices = (model.acuity, model.cutoff, model.level, model.recipe)
        grown, self.labels_ = self._grown(model.kernel(self._leaf), aligned, model.origin, choices)
        self.model_ = replace(grown, names=all_names)
        self.leaves_ = self._leaf
        return self

    def _all_names(self, named: tuple[str, ...] | None, n_rows: int) -> tuple[str, ...] | None:
        """The names of earlier rows and of these."""
        before = self.model_.names if len(self._leaf) else None
        if (before is None) != (named is None) and len(self._leaf):
            wrong = (
                "have names, and earlier rows had none"
                if before is None
                else "have no names, and earlier rows had some"
            )
            msg = f"the rows {wrong}; expected names in all calls or in none"
            raise ValueError(msg)
        if named is not None and len(named) != n_rows:
            msg = f"names has {len(named)} names; expected one for each of {n_rows} rows"
            raise ValueError(msg)
        return None if named is None else (*(before or ()), *named)

    def _clustered_later(self, X: Any, sample_weight: ArrayLike | None) -> Table:
        names, many = self.feature_names_in_ if hasattr(self, "feature_names_in_") else None, self.n_features_in_
        if isinstance(X, Table):
            found = self._clustered(X, sample_weight)
        else:
            found = self._features(X, reset=False)
            if sample_weight is not None:
                msg = "weights come with a Table in partial_fit"
                raise ValueError(msg)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = many
        return found

    def _row_order(self, n: int) -> Ints64:
        if self.compat is not None:
            seed = 42 if self.random_state is None else whole("random_state", self.random_state, 0)
            return np.ascontiguousarray(shuffled(n, JavaRandom(seed)), np.int64)
        if one_of("order", self.order, ORDERS) == "given":
            return np.arange(n)
        return np.asarray(check_random_state(self.random_state).permutation(n), np.int64)


def _split_names(X: Any, names: str | ArrayLike | None) -> tuple[Any, tuple[str, ...] | None]:
    """Return the rows without the column that names them, and the names."""
    if names is None:
        return X, None
    if not isinstance(names, str):
        return X, tuple(map(str, np.asarray(names).ravel().tolist()))
    if isinstance(X, Table):
        given = X.column(names)
        column = X.schema.columns[X.schema.position(names)]
        rest = X.select([name for name in X.schema.names if name != names])
        if isinstance(column, Nominal):
            return rest, tuple(column.categories[code] if code >= 0 else "?" for code in given.tolist())
        return rest, tuple(f"{value:.12g}" for value in given.tolist())
    if not hasattr(X, "columns") or names not in list(X.columns):
        msg = f"names is {names!r}; expected a column of X, or one name per row"
        raise ValueError(msg)
    rest = X.drop(columns=[names]) if hasattr(X, "iloc") else X.drop(names)
    return rest, tuple(map(str, X[names].to_list()))
