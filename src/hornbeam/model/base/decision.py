"""How a class is chosen from class probabilities: the most probable one, least expected cost, or a threshold.

A `Decision` is part of a model and of its file, so that a loaded model predicts as the estimator did. Costs are a
matrix like a confusion matrix: the true class by row, the prediction by column.

References
----------
C. Elkan, The foundations of cost-sensitive learning, *IJCAI* (2001) 973-978.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError, number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.schema import Schema

BINARY = 2
TIE = 1e-9  # probabilities, and costs relative to the greatest, that differ by less are equal
PARAMETERS = ("costs", "decision_threshold")  # parameters of estimators that affect the decision
LABEL_TYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_}  # types of classes that are not text


def text_array(texts: Sequence[str]) -> NDArray[Any]:
    """Return an array of strings; of objects where a text ends in a null character, which NumPy's strings drop."""
    found = np.array(texts, dtype=object)
    return found if any(text.endswith("\0") for text in texts) else found.astype(str)


@dataclass(frozen=True, slots=True)
class Decision:
    """How a class is chosen: without costs and threshold, the most probable one.

    Parameters
    ----------
    labels : tuple of str
        The classes, in order.
    costs : tuple of tuples of float, optional
        The cost of each prediction (column) for each true class (row): the class of least expected cost is predicted.
    threshold : float, optional
        For two classes: the second is predicted if its probability is at least this.
    with_rows : tuple of bool, optional
        Which classes had training rows; the others are never predicted by costs or a threshold. None: not known.
    label_type : {"int", "float", "bool"}, optional
        The type of the classes in the training data; None for text.
    """

    labels: tuple[str, ...]
    costs: tuple[tuple[float, ...], ...] | None = None
    threshold: float | None = None
    with_rows: tuple[bool, ...] | None = None
    label_type: str | None = None

    def __post_init__(self) -> None:
        count = len(self.labels)
        if self.costs is not None:
            cells = [cost for row in self.costs for cost in row]
            if len(self.costs) != count or any(len(row) != count for row in self.costs):
                msg = f"the costs of a decision are not {count} rows of {count} numbers, one for each class"
                raise ModelError(msg)
            if not all(0 <= cost < math.inf for cost in cells):
                raise ModelError("a cost of a decision is negative or not a number")
        if self.threshold is not None and not (0 <= self.threshold <= 1 and count == BINARY):
            msg = f"the threshold of a decision is {self.threshold} among {count} classes; expected 0 to 1, of two"
            raise ModelError(msg)
        if self.with_rows is not None and (len(self.with_rows) != count or not any(self.with_rows)):
            found = len(self.with_rows)
            msg = f"a decision has {found} entries for classes with rows; expected {count}, at least one of them true"
            raise ModelError(msg)
        if self.label_type is not None and self.label_type not in LABEL_TYPES:
            msg = f"the classes of a decision are of the type {self.label_type!r}; expected {', '.join(LABEL_TYPES)}"
            raise ModelError(msg)

    @property
    def decides(self) -> bool:
        """Whether classes are chosen by costs or a threshold, not by the greatest probability."""
        return self.costs is not None or self.threshold is not None

    def codes(self, probabilities: ArrayLike) -> NDArray[np.int32]:
        """Choose a class for each row by costs or the threshold; `probabilities` of shape (rows, classes)."""
        if self.costs is not None:
            return least_cost(probabilities, self.costs, self.with_rows)
        assert self.threshold is not None
        return by_threshold(probabilities, 1, self.threshold, self.with_rows)

    def classes(self) -> NDArray[Any]:
        """Return the classes as in the training data: text, or numbers or truth values."""
        texts = text_array(self.labels)
        if self.label_type == "bool":
            return np.asarray(np.char.lower(texts) == "true")
        return texts if self.label_type is None else texts.astype(LABEL_TYPES[self.label_type])

    def to_json(self) -> dict[str, Any]:
        """Return plain data, as a model file keeps it."""
        return {
            "labels": list(self.labels),
            "costs": None if self.costs is None else [list(row) for row in self.costs],
            "threshold": self.threshold,
            "with_rows": None if self.with_rows is None else list(self.with_rows),
            **({} if self.label_type is None else {"label_type": self.label_type}),
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any], schema: Schema) -> Decision:
        """Read plain data of a model with this schema; an error if it does not fit the classes."""
        target = schema.target_column
        labels = tuple(target.categories) if isinstance(target, Nominal) else ()
        if not labels or tuple(plain["labels"]) != labels:
            raise ModelError("the decision of the model has other classes than its target")
        costs, with_rows, threshold = plain["costs"], plain["with_rows"], plain["threshold"]
        if with_rows is not None and not all(isinstance(each, bool) for each in with_rows):
            raise ModelError("a decision does not have true or false for every class")
        return cls(
            labels,
            None if costs is None else tuple(tuple(map(float, row)) for row in costs),
            None if threshold is None else float(threshold),
            None if with_rows is None else tuple(with_rows),
            plain.get("label_type"),
        )

    @classmethod
    def of_parameters(cls, parameters: Mapping[str, Any], schema: Schema) -> Decision | None:
        """Return the decision of an estimator with these parameters, for older files that have nothing else.

        None if the parameters have no costs or threshold, or the target is numeric.
        """
        target = None if schema.target is None else schema.target_column
        costs, threshold = (parameters.get(name) for name in PARAMETERS)
        if not isinstance(target, Nominal) or (costs is None and threshold is None):
            return None
        if costs is None:
            return cls(target.categories, threshold=number(threshold))
        return cls(target.categories, tuple(map(tuple, cost_matrix(costs, target.categories).tolist())))


def cost_matrix(costs: Any, classes: Sequence[Any]) -> NDArray[np.float64]:  # noqa: ANN401 - a mapping or a matrix
    """Check costs, and return them as a matrix.

    Parameters
    ----------
    costs : mapping or array
        ``{true class: {predicted class: cost}}``, where other errors cost 1 and correct predictions nothing; or a
        matrix in the order of the classes, the true class by row and the prediction by column.
    classes : sequence
        The classes, in order; a mapping may name them as they are or as texts.

    Returns
    -------
    array of float64, (classes, classes)
        Finite, at least 0.

    Examples
    --------
    >>> cost_matrix({"ill": {"well": 10}}, ["ill", "well"])
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    count = len(classes)
    if isinstance(costs, Mapping):
        return _from_mapping(costs, classes)
    try:
        matrix = np.array(costs, np.float64)
    except (TypeError, ValueError):
        msg = f"costs is {costs!r}; expected {{true class: {{predicted class: cost}}}} or a matrix of numbers"
        raise ValueError(msg) from None
    if matrix.shape != (count, count):
        msg = f"costs has the shape {matrix.shape}; expected {count} rows and {count} columns, one for each class"
        raise ValueError(msg)
    for true, predicted in np.argwhere(~(np.isfinite(matrix) & (matrix >= 0))):
        _refuse_cost(classes[true], classes[predicted], matrix[true, predicted])
    return matrix


def _from_mapping(costs: Mapping[Any, Any], classes: Sequence[Any]) -> NDArray[np.float64]:
    from hornbeam.data.as_table import label_text  # noqa: PLC0415 - only here

    place = {label_text(name): code for code, name in enumerate(classes)}
    matrix = 1.0 - np.eye(len(classes))
    for true, row in costs.items():
        if not isinstance(row, Mapping):
            msg = f"costs of the class {true!r} are {row!r}; expected {{predicted class: cost}}"
            raise ValueError(msg)  # noqa: TRY004 - what scikit-learn asks of a wrong parameter
        for predicted, cost in row.items():
            for name in (true, predicted):
                if label_text(name) not in place:
                    msg = f"costs name the class {name!r}; the classes are {', '.join(map(repr, place))}"
                    raise ValueError(msg)
            if not isinstance(cost, numbers.Real) or isinstance(cost, bool) or not 0 <= float(cost) < math.inf:
                _refuse_cost(true, predicted, cost)
            matrix[place[label_text(true)], place[label_text(predicted)]] = float(cost)
    return matrix


def _refuse_cost(true: Any, predicted: Any, cost: Any) -> None:  # noqa: ANN401 - whatever was given
    msg = f"the cost of predicting {str(predicted)!r} for {str(true)!r} is {cost}; expected a number of at least 0"
    raise ValueError(msg)


def least_cost(probabilities: ArrayLike, costs: ArrayLike, with_rows: ArrayLike | None = None) -> NDArray[np.int32]:
    """Choose the class of least expected cost for each row.

    Parameters
    ----------
    probabilities : array, (rows, classes)
        Class probabilities, as `predict_proba` returns them.
    costs : array, (classes, classes)
        As `cost_matrix` returns them.
    with_rows : array of bool, (classes,), optional
        Which classes had training rows; the others are never predicted.

    Returns
    -------
    array of int32
        Class codes; the first class on a tie.

    Examples
    --------
    >>> least_cost([[0.2, 0.8], [0.05, 0.95]], cost_matrix({"ill": {"well": 10}}, ["ill", "well"]))
    array([0, 1], dtype=int32)
    """
    given, matrix = checked_probabilities(probabilities), np.asarray(costs, np.float64)
    if matrix.shape != (given.shape[1], given.shape[1]):
        msg = f"costs has the shape {matrix.shape}; the probabilities are of {given.shape[1]} classes"
        raise ValueError(msg)
    expected = given @ matrix
    expected[:, ~_possible(with_rows, given.shape[1])] = np.inf
    slack = TIE * float(np.abs(matrix).max(initial=0.0))
    near = expected <= expected.min(axis=1, keepdims=True) + slack
    return np.asarray(near.argmax(axis=1), np.int32)


def by_threshold(
    probabilities: ArrayLike, positive: int, threshold: float, with_rows: ArrayLike | None = None
) -> NDArray[np.int32]:
    """Predict one class if its probability is at least a threshold, otherwise the most probable of the others.

    Parameters
    ----------
    probabilities : array, (rows, classes)
        Class probabilities, as `predict_proba` returns them.
    positive : int
        Code of the class that the threshold applies to.
    threshold : float
        From 0 (always predict it) to 1 (only if it is certain).
    with_rows : array of bool, (classes,), optional
        Which classes had training rows; the others are never predicted.

    Returns
    -------
    array of int32
        Class codes; among the others, the first on a tie.

    Examples
    --------
    >>> by_threshold([[0.7, 0.3], [0.8, 0.2]], positive=1, threshold=0.3)
    array([1, 0], dtype=int32)
    """
    given = checked_probabilities(probabilities)
    n_classes = given.shape[1]
    if not isinstance(positive, numbers.Integral) or not 0 <= positive < n_classes or n_classes < BINARY:
        msg = f"positive is {positive!r}; expected the code of one of {n_classes} classes; there must be at least two"
        raise ValueError(msg)
    if not isinstance(threshold, numbers.Real) or not 0 <= threshold <= 1:
        msg = f"threshold is {threshold!r}; expected a number from 0 to 1"
        raise ValueError(msg)
    possible = _possible(with_rows, n_classes)
    others = given.copy()
    others[:, ~possible] = -1.0
    others[:, positive] = -1.0
    if not possible[positive]:
        threshold = np.inf
    elif possible.sum() == 1:
        threshold = 0.0
    best = (others >= others.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return np.where(given[:, positive] >= threshold - TIE, positive, best).astype(np.int32)


def _possible(with_rows: ArrayLike | None, n_classes: int) -> NDArray[np.bool_]:
    """Which classes may be predicted: those with rows, or all if that is not known."""
    if with_rows is None:
        return np.ones(n_classes, np.bool_)
    possible = np.asarray(with_rows, np.bool_)
    if possible.shape != (n_classes,) or not possible.any():
        msg = f"with_rows is {with_rows!r}; expected true or false for each of {n_classes} classes, at least one true"
        raise ValueError(msg)
    return possible


def checked_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Return class probabilities as a matrix; an error for any other shape."""
    given = np.asarray(probabilities, np.float64)
    if given.ndim != BINARY or given.shape[1] == 0:
        msg = f"the probabilities have the shape {given.shape}; expected a row for each row and a column for each class"
        raise ValueError(msg)
    return given
