"""IB2, IB3 and IB5: neighbors that keep only the rows they need, row by row.

Rows are seen one after another by a compiled kernel. `Memory` is the state between rows: the rows kept, their records,
ranges and weights. Continuing later gives the same result as seeing all rows at once.

References
----------
D. W. Aha, D. Kibler and M. K. Albert, Instance-based learning algorithms, *Machine Learning* 6 (1991) 37-66.
D. W. Aha, Tolerating noisy, irrelevant and novel attributes in instance-based learning algorithms, *International
Journal of Man-Machine Studies* 36 (1992) 267-287.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hornbeam.core.neighbors.keep import KeptTree, Policy, Seen, keep
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.base.parameters import between, share
from hornbeam.learn.neighbors.divided import DividedDistances
from hornbeam.learn.neighbors.search import SearchingClassifier
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.instances import NOISY, PREDICTING, WAITING, Instances
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Bools, Floats, Ints64


HALF = 0.5
Learned = Literal["none", "all", "class"]
LEARNED: tuple[Learned, ...] = ("none", "all", "class")  # in the order of the kernel
KEPT, DROPPED = 1, 2
NO_STEPS = -1.0  # value for the kernel: weights are means of all evidence


@estimator
class KeepingClassifier(SearchingClassifier, DividedDistances):
    """Base of classifiers that keep some of the rows: rows are processed in order, and column ranges grow with them.

    Attributes
    ----------
    model_ : Instances
    kept_rows_ : array
        Numbers of the rows kept, from 0.
    memory_bytes_ : int
        Their memory in bytes.
    """

    model_: Instances
    memory_: Memory

    def _keeping(self) -> Keeping:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Learn from a table with a target, or from X and y, row by row.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            A Table carries its own target; frames may have categories and missing values.
        y : array of shape (rows,), optional
            The target, for anything but a Table.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _learn(self, table: Table) -> tuple[Any, None]:
        keeping = self._keeping()
        return self._remember(Memory.empty(table, keeping).after(table, keeping), keeping), None

    def partial_fit(self, X: Any, y: Any = None, classes: ArrayLike | None = None) -> Self:
        """Learn more rows; learning in several pieces gives the same model as in one.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            A Table carries its own target.
        y : array of shape (rows,), optional
            The classes, for anything but a Table.
        classes : array, optional
            All possible classes; needed in the first call if the first rows do not have them all.

        Returns
        -------
        self
        """
        if not hasattr(self, "model_"):
            table = usable(self._weighted(self._first_rows(X, y, classes)))
            model, self.trace_ = self._learn(table)
            self.model_ = self._deciding(model)
            self.schema_ = self.model_.schema
        elif not hasattr(self, "memory_"):
            msg = "the model was read from a file, which has no records of the rows that were not kept; fit it again"
            raise ValueError(msg)
        else:
            table, keeping = self._weighted(self._later_rows(X, y)), self._keeping()
            self.model_ = self._deciding(self._remember(self.memory_.after(table, keeping), keeping))
        self._fingerprint = table.fingerprint()
        return self

    def _remember(self, memory: Memory, keeping: Keeping) -> Instances:
        self.memory_ = memory
        recipe = {"kept": "by record" if keeping.records else "misclassified"}
        return memory.model(keeping, recipe, self._divisors(memory.class_count, len(memory.low)))

    @property
    def kept_rows_(self) -> Ints64:
        """Numbers of the rows kept, of all seen since `fit` or the first `partial_fit`, from 0."""
        check_is_fitted(self)
        return self.memory_.rows

    @property
    def memory_bytes_(self) -> int:
        """The memory of the kept rows in bytes."""
        check_is_fitted(self)
        return sum(array.nbytes for array in self.memory_.kept.columns)


@estimator
class IB2Classifier(KeepingClassifier):
    """The nearest kept row predicts; a row is kept if the rows kept before it predict the wrong class.

    Rows are seen in order. On a tie, the first of the nearest rows predicts. Numbers are compared by the range of the
    values seen so far, categories are equal or not, and a missing value has the largest possible difference.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> hornbeam.IB2Classifier().fit(table).model_
    Instances('iris': 7 rows kept, 1 nearest predict)
    """

    def _keeping(self) -> Keeping:
        return Keeping()


class RecordKeeper(KeepingClassifier):
    """Base of IB3 and IB5: kept rows have records, by which they are accepted or dropped.

    Parameters
    ----------
    accept : float
        One-sided significance level at which a kept row is accepted.
    reject : float
        One-sided significance level at which a kept row is dropped.

    Attributes
    ----------
    model_ : Instances
        The rows accepted.
    kept_rows_ : array
        Numbers of the rows kept, accepted or not.
    noisy_rows_ : array
        Numbers of the rows dropped.
    """

    accept: float
    reject: float

    @property
    def noisy_rows_(self) -> Ints64:
        """Numbers of the rows that were kept and then dropped for a bad record, from 0."""
        check_is_fitted(self)
        return self.memory_.noisy


@estimator
class IB3Classifier(RecordKeeper):
    """Like IB2, but a kept row predicts only once its record is good, and is dropped if it is bad: tolerates noise.

    A row is predicted by the nearest accepted row (by the nearest kept one if none is accepted). All kept rows at most
    as far away as that one are then tested: they are right if they have the row's class. A row is accepted if the lower
    confidence limit of its accuracy is above the upper limit of its class's frequency, and dropped in the opposite
    case.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("vote")
    >>> learner = hornbeam.IB3Classifier().fit(table)
    >>> len(learner.kept_rows_) < 100
    True
    """

    accept: float = 0.05
    reject: float = 0.125

    def _keeping(self) -> Keeping:
        return Keeping(
            records=True,
            accept=between("accept", self.accept, 0, HALF),
            reject=between("reject", self.reject, 0, HALF),
        )


@estimator
class IB5Classifier(RecordKeeper):
    """Like IB3, with column weights learned along the way: irrelevant columns come to count little.

    Every row seen is evidence about the columns: its nearest kept row has its class or not. The evidence for a column
    is ``1 - |x - y|`` if the two rows have the same class, and ``|x - y|`` if not, multiplied by 1 minus the frequency
    of the more frequent of the two classes. The weight of a column is the amount by which its mean evidence exceeds one
    half, or zero; weights are then divided by their mean. Columns in which one of the two rows has no value are not
    changed. In the distance, a difference is multiplied by its weight and squared.

    Parameters
    ----------
    by_class : bool
        Whether every class has weights of its own, for the distance to its kept rows.
    rate : float or None
        None: weights as above, by the mean of all evidence. A number: weights change in steps; they are raised by
        ``rate * (1 - |x - y|)`` if the nearest row is right, and lowered by as much if it is wrong.
    noise : bool
        Whether kept rows have records, as in IB3; otherwise all of them predict, as in IB2.

    Attributes
    ----------
    column_weights_ : array of shape (features,), or (classes, features) with `by_class`

    Examples
    --------
    The class is the majority of three columns of zeros and ones; eight more are random:

    >>> import hornbeam
    >>> import numpy as np
    >>> bits = np.random.default_rng(0).integers(0, 2, (1000, 11))
    >>> learner = hornbeam.IB5Classifier().fit(bits.astype(str), bits[:, :3].sum(axis=1) > 1)
    >>> learner.column_weights_[:3].mean().round(2).item(), learner.column_weights_[3:].mean().round(2).item()
    (1.91, 0.66)
    """

    by_class: bool = False
    rate: float | None = None
    accept: float = 0.05
    reject: float = 0.125
    noise: bool = True

    def _keeping(self) -> Keeping:
        rate = None if self.rate is None else share("rate", self.rate)
        return Keeping(
            records=bool(self.noise),
            accept=between("accept", self.accept, 0, HALF),
            reject=between("reject", self.reject, 0, HALF),
            learned="class" if self.by_class else "all",
            rate=rate,
        )

    @property
    def column_weights_(self) -> Floats:
        """Weights of the columns, for all classes or for each."""
        check_is_fitted(self)
        weight = self.memory_.weight
        return weight if self.by_class else weight[0]


@dataclass(frozen=True)
class Keeping:
    """The settings of keeping rows."""

    records: bool = False  # whether kept rows have records, by which they are accepted or dropped
    # accept, reject: one-sided significance levels at which a row is accepted, and dropped
    accept: float = 0.05
    reject: float = 0.125
    learned: Learned = "none"  # {"none", "all", "class"}: which weights of columns are learned
    # the size of fixed steps by which weights change; None: weights are the excess of a column's mean evidence, over
    # all rows, above one half
    rate: float | None = None


@dataclass(frozen=True, eq=False)
class Memory:
    """The state after some rows."""

    kept: Table
    rows: Ints64  # numbers of the kept rows among all rows
    right: Ints64  # by kept row: how often it was correct, and how often it was tested
    tried: Ints64
    predicts: Bools  # whether it is accepted
    noisy: Ints64  # numbers of the rows dropped
    low: Floats  # ranges of the features; NaN: no value yet
    high: Floats
    weight: Floats  # sets of weights x features
    evidence: Floats  # 2 x sets x features: summed evidence that columns are informative, and its maximum
    class_count: Ints64
    n_seen: int
    n_compared: int = 0  # the number of comparisons of kept rows with new rows
    tree: KeptTree | None = None  # a search tree of the kept rows, if one can be used

    @classmethod
    def empty(cls, table: Table, keeping: Keeping) -> Memory:
        """The state before the first row of a table."""
        target = table.schema.target_column
        assert isinstance(target, Nominal)
        none, n = np.empty(0, np.int64), len(table.schema.features)
        sets = len(target.categories) if keeping.learned == "class" else 1
        unknown = np.full(n, np.nan)
        # All rows predict with the same weights, so a tree can be used.
        with_tree = not keeping.records and keeping.learned == "none"
        return cls(
            table.take(none), none, none, none, np.empty(0, np.bool_), none, unknown, unknown,
            np.ones((sets, n)), np.ones((2, sets, n)), np.zeros(len(target.categories), np.int64), 0,
            tree=KeptTree() if with_tree else None,
        )  # fmt: skip

    def after(self, table: Table, keeping: Keeping) -> Memory:
        """The state after more rows, which have the same columns."""
        first = self.kept.n_rows
        pairs = zip(self.kept.columns, table.columns, strict=True)
        whole = Table(table.schema, [np.concatenate(pair) for pair in pairs], copy=False)
        low, high, weight, evidence = (a.copy() for a in (self.low, self.high, self.weight, self.evidence))
        counts = self.class_count.copy()
        nominal = np.array([not is_number(table.schema.columns[place]) for place in table.schema.features], np.int8)
        normal = NormalDist()
        policy = Policy(
            LEARNED.index(keeping.learned), NO_STEPS if keeping.rate is None else keeping.rate, keeping.records,
            normal.inv_cdf(1 - keeping.accept), normal.inv_cdf(1 - keeping.reject),
        )  # fmt: skip
        seen = Seen(low, high, weight, evidence, counts, self.n_seen)
        kept, right, tried, predicts, became, compared, tree = keep(
            _values(whole), whole.target_values(), nominal, first, seen, policy, self.right, self.tried, self.tree
        )
        number = np.concatenate([self.rows, self.n_seen + np.arange(table.n_rows)])
        dropped = number[became == DROPPED]
        return Memory(
            whole.take(kept), number[kept], right, tried, predicts, np.sort(np.concatenate([self.noisy, dropped])),
            low, high, weight, evidence, counts, self.n_seen + table.n_rows, self.n_compared + compared, tree,
        )  # fmt: skip

    def model(self, keeping: Keeping, recipe: dict[str, Any], divisors: Floats | None = None) -> Instances:
        """The rows that predict: with records those accepted, or all kept ones where none is.

        `divisors`, if any, divide the distances to the rows of each class.
        """
        only_some = keeping.records and self.predicts.any()
        rows = self.kept.take(self.predicts) if only_some else self.kept
        known = ~np.isnan(self.low)
        distance = replace(
            Distance.of(rows),
            center=np.where(known, self.low, 0.0),
            width=np.where(known, self.high - self.low, 0.0),
            weight=self.weight[0] ** 2 if keeping.learned == "all" else np.ones(len(self.low)),
        )
        by_class = self.weight**2 if keeping.learned == "class" else None
        if divisors is not None:
            own = np.tile(distance.weight, (len(divisors), 1)) if by_class is None else by_class
            by_class = own / divisors[:, np.newaxis] ** 2
        seen = {**recipe, "rows_seen": self.n_seen, "rows_kept": self.kept.n_rows}
        state = np.where(self.predicts, PREDICTING, WAITING) if only_some else np.full(len(self.rows), PREDICTING)
        seen_as = np.array(
            [np.concatenate([self.rows, self.noisy]), np.concatenate([state, np.full(len(self.noisy), NOISY)])],
            np.int64,
        ).T
        return Instances(
            rows.schema, rows, distance, 1, all_tied=False, class_columns=by_class, recipe=seen,
            seen_as=np.ascontiguousarray(seen_as),
        )  # fmt: skip


def _values(table: Table) -> Floats:
    """Features as one matrix, codes as numbers; NaN: missing."""
    schema = table.schema
    values = np.empty((table.n_rows, len(schema.features)))
    for f, place in enumerate(schema.features):
        column = schema.columns[place]
        codes_or_numbers = table.columns[place]
        if is_number(column):
            values[:, f] = numbers_of(column, codes_or_numbers)
        else:
            values[:, f] = np.where(codes_or_numbers < 0, np.nan, codes_or_numbers)
    return values
