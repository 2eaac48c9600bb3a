"""The scikit-learn transformer that makes numeric columns into intervals, by any method of discretize.py."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from hornbeam.data import dates
from hornbeam.data.as_table import refuse_target
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal, Numeric, SchemaError
from hornbeam.data.table import Table
from hornbeam.data.weights import positive_weights
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.limits import check_sample_weight, validate_data
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.columns.discretize import BY_CLASS, METHODS, Method, column_cuts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.utils import Tags


def interval_names(cuts: ArrayLike, column: Numeric | None = None) -> tuple[str, ...]:
    """Names of the intervals between cuts, each with its upper end; dates where `column` is one of dates.

    Examples
    --------
    >>> interval_names([2.45, 4.75])
    ('(-inf, 2.45]', '(2.45, 4.75]', '(4.75, inf)')
    >>> interval_names([])
    ('(-inf, inf)',)
    """
    numbers = np.asarray(cuts, np.float64).tolist()
    ends = [show_number(number) for number in numbers]
    if column is not None and column.format is not None:
        days = [dates.show(number, column.format) for number in numbers]
        if len(set(days)) == len(days):  # two cuts may look the same in a pattern
            ends = days
    lower = ["(-inf", *(f"({end}" for end in ends)]
    upper = [*(f"{end}]" for end in ends), "inf)"]
    return tuple(f"{low}, {high}" for low, high in zip(lower, upper, strict=True))


@estimator(kw_only=False)
class Discretizer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Convert numeric columns to intervals.

    Parameters
    ----------
    method : {"mdl", "chi-merge", "equal-width", "equal-frequency"}
        "mdl" cuts where entropy falls most as long as the description of the classes gets shorter (Fayyad and Irani
        1993); "chi-merge" merges neighboring values whose classes do not differ significantly (Kerber 1992);
        "equal-width" and "equal-frequency" make `bins` intervals and need no classes.
    bins : int
        Number of intervals of equal width or equal frequency.
    significance : float
        For "chi-merge": neighbors are merged while the p-value of their difference is not below this.
    max_bins : int, optional
        For "chi-merge": the maximum number of intervals, significant or not.
    names : bool
        Whether to return the names of intervals, such as "(2.45, 4.75]" (None if the value is missing), instead of
        numbers. A Table always gets names.

    Attributes
    ----------
    cuts_ : list of arrays
        The cuts of every feature, in ascending order; None for a feature of a Table that is not numeric.
    intervals_ : list of tuples of str
        The names of the intervals of every feature; empty if it has no cuts.

    See Also
    --------
    hornbeam.learn.columns.discretize : the methods as functions of one column.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam.learn.columns.discretizer import Discretizer
    >>> iris = hornbeam.read("iris")
    >>> discrete = Discretizer().fit_transform(iris)
    >>> discrete.schema.columns[2].categories
    ('(-inf, 2.45]', '(2.45, 4.75]', '(4.75, inf)')
    >>> Discretizer("equal-width", bins=2).fit_transform([[1.0], [float("nan")], [3.0]]).ravel().tolist()
    [0.0, nan, 1.0]
    """

    cuts_: list[NDArray[np.float64] | None]
    intervals_: list[tuple[str, ...]]
    n_features_in_: int

    method: Method = "mdl"
    _: KW_ONLY
    bins: int = 10
    significance: float = 0.05
    max_bins: int | None = None
    names: bool = False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Find the cuts of every numeric column.

        Parameters
        ----------
        X : Table, or array or frame of numbers of shape (rows, features)
            NaN is missing. A Table carries its own target and weights, and columns of other kinds are left as they are.
        y : array of shape (rows,), optional
            The classes, for anything but a Table; needed by "mdl" and "chi-merge".
        sample_weight : array of shape (rows,), optional
            Row weights.

        Returns
        -------
        self
        """
        one_of("method", self.method, METHODS)
        if isinstance(X, Table):
            return self._fit_table(X, y, sample_weight)
        classes = None
        if self.method in BY_CLASS:
            matrix, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
            check_classification_targets(y)
            classes = np.unique(y, return_inverse=True)[1]
        else:
            matrix = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        weights = None if sample_weight is None else check_sample_weight(sample_weight, matrix, dtype=np.float64)
        if weights is not None:
            positive_weights(weights)
        cuts = [self._cuts(column, classes, weights) for column in matrix.T]
        self.cuts_, self.intervals_ = [*cuts], [interval_names(found) for found in cuts]
        return self

    def transform(self, X: Any) -> Any:
        """Replace every number by its interval.

        Parameters
        ----------
        X : Table, or array or frame of numbers of shape (rows, features)
            As in `fit`.

        Returns
        -------
        Table, or array of shape (rows, features)
            A Table gets ordered nominal columns; anything else the intervals' numbers, from 0, NaN if missing (or
            names, if `names` is set).
        """
        check_is_fitted(self)
        if isinstance(X, Table):
            return self._transform_table(X)
        matrix = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        out = np.empty(matrix.shape, object if self.names else np.float64)
        for i, (cuts, labels) in enumerate(zip(self.cuts_, self.intervals_, strict=True)):
            if cuts is None:
                msg = f"feature {i + 1} was nominal in the table that was fitted; expected a Table to transform"
                raise SchemaError(msg)
            codes = _codes(matrix[:, i], cuts)
            if self.names:
                out[:, i] = np.array([*labels, None], object)[codes]
            else:
                out[:, i] = np.where(codes < 0, np.nan, codes)
        return out

    def _cuts(self, values: Any, classes: Any, weights: Any, order: Any = None) -> NDArray[np.float64]:
        return column_cuts(
            self.method,
            values,
            classes,
            weights,
            bins=self.bins,
            significance=self.significance,
            max_bins=self.max_bins,
            order=order,
        )

    def _fit_table(self, table: Table, y: Any, sample_weight: ArrayLike | None) -> Self:
        refuse_target(y)
        classes = None
        if self.method in BY_CLASS:
            target = table.schema.target_column
            if not isinstance(target, Nominal):
                msg = f"the target {target.name!r} is numeric, and the method {self.method!r} cuts by class"
                raise SchemaError(msg)
            classes = table.target_values()
        weights = table.weights
        if sample_weight is not None:
            given = check_sample_weight(sample_weight, np.empty(table.n_rows), dtype=np.float64)
            weights = given if weights is None else weights * given
        if weights is not None:
            positive_weights(weights)
        self.cuts_, self.intervals_ = [], []
        for i in table.schema.features:
            column = table.schema.columns[i]
            if isinstance(column, Numeric):
                cuts = self._cuts(table.columns[i], classes, weights, table.sort_order(i))
                self.cuts_.append(cuts)
                self.intervals_.append(interval_names(cuts, column))
            else:
                self.cuts_.append(None)
                self.intervals_.append(())
        self.n_features_in_ = len(self.cuts_)
        names = [table.schema.columns[i].name for i in table.schema.features]
        self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def _transform_table(self, table: Table) -> Table:
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        columns: list[Column] = list(table.schema.columns)
        arrays: list[Any] = list(table.columns)
        for name, cuts, labels in zip(names, self.cuts_, self.intervals_, strict=True):
            if cuts is None:
                continue
            i = table.schema.position(str(name))
            if not isinstance(columns[i], Numeric):
                msg = f"column {str(name)!r} is nominal; it was numeric in the rows that were fitted"
                raise SchemaError(msg)
            columns[i] = Nominal(columns[i].name, labels, ordered=True)
            arrays[i] = _codes(arrays[i], cuts)
        return Table(replace(table.schema, columns=tuple(columns)), arrays, table.notes, copy=False)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self.method in BY_CLASS
        return tags


def _codes(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int32]:
    """The number of each value's interval; -1 if missing."""
    codes = np.searchsorted(cuts, values, side="left").astype(np.int32)
    codes[np.isnan(values)] = -1
    return codes
