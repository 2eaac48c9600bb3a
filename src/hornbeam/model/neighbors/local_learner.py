"""Kept rows, and a learner that is fitted to them for every row to predict.

The learner is stored as its scheme and parameters, so that a model file can hold it as plain data; it is imported when
needed, by the list of schemes.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.weights import NEGLIGIBLE
from hornbeam.model.base.kept_predictions import in_parts
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, same
from hornbeam.model.neighbors.local import LocalRows
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.local import Near
    from hornbeam.schemes.scheme import Parameter, Scheme

NOT_IN_FILES = ("hornbeam.learn.forests.", "hornbeam.learn.neighbors.local")  # their models have no size limit
LARGEST = {"number": 2.0**31, "integer": 10_000.0}
# The allowed ranges of parameters that affect the work or the memory of a model.
LIMITS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("optimizations", "beam_width", "folds", "attempts", "max_cuts", "degree"), (0, 100)),
    "exhaustive_up_to": (0, 16),
    "products": (1, 5),
    "C": (0, 2**20),
    "tol": (1e-9, 1e9),
    "cache_size": (0, 4096),
    "n_jobs": (-1, 64),
    "max_iter": (-1, 2**31),
    "random_state": (0, 2**32 - 1),
}
WRONG = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)  # errors of a learner that cannot learn
MANY = 1 << 20  # the cost of a model, in pairs of values: every row to predict is worth a thread


@dataclass(frozen=True, eq=False)
class LocalLearner(LocalRows):
    """Kept rows, with a classifier that is fitted to them for every row to predict."""

    KIND: ClassVar = "local-learner"

    schema: Schema  # columns and nominal target
    kept: Table  # the rows, with that schema
    near: Near  # the weights by distance
    learner: Any  # not fitted; copies are fitted

    def __repr__(self) -> str:
        return f"LocalLearner({self.schema.name!r}: {self.kept.n_rows} rows kept, {self.learner!r})"

    def __len__(self) -> int:
        return self.kept.n_rows

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Class probabilities of every row, from its own model."""
        base = self._without_weights()
        for place in self.schema.features:  # sorted once, not again for every row to predict
            if not isinstance(self.schema.columns[place], Nominal):
                base.sort_order(place)
        target = self.schema.target_column
        assert isinstance(target, Nominal)
        found = np.empty((aligned.n_rows, len(target.categories)))
        for rows, weights in self.near.weights(self.kept, aligned, n_threads):

            def part(first: int, last: int, rows: slice = rows, weights: Floats = weights) -> None:
                for i in range(first, last):
                    found[rows.start + i] = self._predicted(base, weights[i], aligned.take([rows.start + i]))

            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # of each model
                in_parts(part, len(weights), MANY, n_threads)
        return found

    def _without_weights(self) -> Table:
        """The rows without row weights, which are part of the weights by distance."""
        own = self.schema.with_role("weight")
        return self.kept if own is None else self.kept.assign({own: "ignored"})

    def _predicted(self, base: Table, weights: Floats, row: Table) -> Floats:
        total = weights.sum()
        counts = weights > 2 * total * NEGLIGIBLE  # smaller weights would be lost in the sum
        near = base if counts.all() else base.take(counts)
        scaled = weights[counts] * (np.count_nonzero(weights) / total)
        shares: Floats = self._learned(near, scaled).predict_proba(row)
        return np.asarray(shares[0])

    def _learned(self, rows: Table, weights: Floats) -> Any:  # noqa: ANN401 - any model
        copy = type(self.learner)(**self.learner.get_params(deep=False))
        try:
            return copy.fit(rows, None, weights).model_
        except WRONG as error:
            msg = f"the learner {self.learner!r} cannot learn from the rows near the one to predict: {error}"
            raise ModelError(msg) from error

    def named(self) -> tuple[str, dict[str, Any]]:
        """The learner as plain data: the name of its scheme, and parameters that differ from their defaults.

        Raises
        ------
        ModelError
            If that is not possible.
        """
        kind = type(self.learner)
        for scheme in SCHEMES:
            if (scheme.module, scheme.estimator) == (kind.__module__, kind.__name__) and is_in_files(scheme):
                usual = {parameter.name: parameter.default for parameter in scheme.parameters}
                given = self.learner.get_params(deep=False)
                changed = {name: _plain(value) for name, value in given.items() if repr(value) != repr(usual[name])}
                check_parameters(scheme, changed)
                return scheme.name, changed
        msg = f"a model file cannot hold {kind.__name__} as a learner for every row to predict: save the table"
        raise ModelError(msg)

    def validate(self) -> None:
        """Check the rows and the values; raise a `ModelError` if they are wrong."""
        super().validate()
        if not isinstance(self.schema.target_column, Nominal):
            msg = f"the model predicts classes; the target {self.schema.target_column.name!r} is numeric"
            raise ModelError(msg)

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        scheme, parameters = self.named()
        return {**self.near_to_plain(0.0), "scheme": scheme, "parameters": parameters}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model; errors of the learner are raised when it is used."""
        values = cls.near_from_file(plain, schema, members)
        del values["ridge"]
        return cls(**values, learner=learner_from(plain["scheme"], plain["parameters"]))

    def same_as(self, other: object) -> bool:
        """Whether the other model has the same rows and the same learner."""
        return (
            isinstance(other, LocalLearner)
            and same(self.kept, other.kept)
            and self.near.same_as(other.near)
            and type(self.learner) is type(other.learner)
            and repr(self.learner.get_params()) == repr(other.learner.get_params())
        )


def learner_from(name: Any, parameters: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    """Return the unfitted learner that `LocalLearner.named` described; a `ModelError` if there is none."""
    schemes = {scheme.name: scheme for scheme in SCHEMES if scheme.predicts == "category" and is_in_files(scheme)}
    if not isinstance(name, str) or name not in schemes:
        msg = f"the learner is {name!r:.40}; expected one of {', '.join(schemes)}"
        raise ModelError(msg)
    check_parameters(schemes[name], parameters)
    return schemes[name].load()(**parameters)


def is_in_files(scheme: Scheme) -> bool:
    """Whether a scheme is allowed as the learner in a model file: one that learns a single classification model."""
    return scheme.predicts == "category" and not scheme.module.startswith(NOT_IN_FILES)


def check_parameters(scheme: Scheme, given: Any) -> None:  # noqa: ANN401 - whatever a file holds
    """Check parameters against the list of schemes; combinations are checked by the learner."""
    known = {parameter.name: parameter for parameter in scheme.parameters}
    if not isinstance(given, dict) or not given.keys() <= known.keys():
        msg = f"the parameters of the learner {scheme.name} are not those of its scheme"
        raise ModelError(msg)
    for name, value in given.items():
        if value is not None and not _fits(known[name], value):
            msg = f"the learner {scheme.name} has {value!r:.60} as {name}, which a model file cannot hold"
            raise ModelError(msg)


def _fits(parameter: Parameter, value: Any) -> bool:  # noqa: ANN401 - whatever a file holds
    if parameter.kind == "switch":
        return isinstance(value, bool)
    if parameter.kind == "choice":
        return isinstance(value, str | int | float) and value in parameter.choices
    if parameter.kind in ("number", "integer"):
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        low, high = LIMITS.get(parameter.name, (-LARGEST[parameter.kind], LARGEST[parameter.kind]))
        return low <= value <= high
    return isinstance(value, list | dict)


def _plain(value: Any) -> Any:  # noqa: ANN401 - a parameter
    """Convert arrays and tuples to lists, and NumPy's numbers to Python's."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return value
