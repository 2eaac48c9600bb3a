"""Support vector machines: the support vectors and their coefficients.

A machine is a weighted sum of kernel values with the kept rows (the support vectors), plus an intercept. Regression has
one machine. Classification has one for every pair of classes, which votes for the second class if its value is above
zero, and the class with most votes is predicted; or one for every class against all others, and the class with the
highest value is predicted. With a linear kernel a machine is a plane, and has an equation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.core.svm.predict import Vectors
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.base import plain as readers
from hornbeam.model.base.align import align
from hornbeam.model.base.kept_predictions import OutputModel, in_parts
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, declared, part_arrays
from hornbeam.model.linear.linear import Term, terms_from_plain
from hornbeam.model.neighbors.axes import Axes
from hornbeam.model.svm.check import REST, check_svm
from hornbeam.model.svm.coupling import couple, sigmoid
from hornbeam.model.svm.kernel import ON_PLANE, Kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table

    SparseRows = tuple[Ints64, Ints32, Floats, int]  # start, columns, values, number of columns

SPARSE = {"sparse/start": "<i8", "sparse/columns": "<i4", "sparse/values": "<f8"}  # arrays of sparse rows in files


@dataclass(frozen=True, eq=False)
class SVM(OutputModel):
    """Support vectors and their coefficients.

    Parameters
    ----------
    schema : Schema
        Columns and target.
    kernel : Kernel
    coefficients : array of shape (machines, support vectors)
        Alpha, positive for rows of the second class and negative for rows of the first.
    intercepts : array of shape (machines,)
    limits : array of shape (support vectors,)
        The maximum of each coefficient: C times the row weight.
    pairs : array of shape (machines, 2)
        Class codes that a machine separates; values above zero mean the second. The first is -1 if it stands for all
        other classes. Empty for regression.
    runs : array of shape (machines, 4)
        Start and end of the two ranges of support vectors that a machine uses.
    axes : Axes, optional
        The conversion of rows to points. None: columns are used as they are, or as kernel values.
    kept : Table, optional
        The support vectors, if they are rows of a table.
    sparse : tuple, optional
        The same, if they are rows of a sparse matrix.
    places : array, optional
        The same, for precomputed kernel values: their indices among the training rows.
    slopes : array of shape (machines, 2), optional
        a and b of the probability 1 / (1 + exp(a v + b)) of a machine's second class.
    weights : array of shape (machines, axes), optional
        The planes, if no support vectors are kept.
    recipe : mapping
        The parameters of learning, as plain values.
    """

    KIND: ClassVar = "svm"
    NOUN: ClassVar = "machine"
    ARRAYS: ClassVar = declared("""
        <f8[machines, vectors] coefficients
        <f8[machines] intercepts
        <f8[vectors] limits
        <i4[pairs, two] pairs
        <i8[machines, four] runs
        <f8[machines, two] slopes?
        <f8[machines, wide] weights?
        <i8[vectors] places?
    """)

    schema: Schema
    kernel: Kernel
    coefficients: Floats
    intercepts: Floats
    limits: Floats
    pairs: Ints32
    runs: Ints64
    axes: Axes | None = None
    kept: Table | None = None
    sparse: SparseRows | None = None
    places: Ints64 | None = None
    slopes: Floats | None = None
    weights: Floats | None = None
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"SVM({self.schema.name!r}: {self.kernel.describe()}, {len(self)} support vectors)"

    def __len__(self) -> int:
        return int(self.coefficients.shape[1])

    @property
    def n_machines(self) -> int:
        """The number of machines."""
        return len(self.intercepts)

    # ---- what the margin is ----

    @cached_property
    def planes(self) -> Floats:
        """The weights of the axes for every machine with a linear kernel, of shape (machines, axes)."""
        if not self.kernel.is_linear:
            msg = f"the kernel {self.kernel.describe()} has no plane over the columns; only the linear kernel has"
            raise ModelError(msg)
        if self.weights is not None:
            return self.weights
        if self.sparse is not None:
            start, columns, values, n = self.sparse
            planes = np.zeros((self.n_machines, n))
            by_entry = np.repeat(self.coefficients, np.diff(start), axis=1) * values
            for machine in range(self.n_machines):
                planes[machine] = np.bincount(columns, by_entry[machine], minlength=n)
            return planes
        assert self.axes is not None
        assert self.kept is not None
        return np.asarray(np.einsum("ms,sd->md", self.coefficients, self.axes.matrix(self.kept)))

    def equation(self, machine: int = 0) -> tuple[float, tuple[Term, ...]]:
        """A machine with a linear kernel as an equation over the columns: intercept and terms."""
        if self.axes is None:
            raise ModelError("rows of a sparse matrix have weights by column (planes), not an equation with names")
        constant, terms = self.axes.terms(self.planes[machine])
        return constant + float(self.intercepts[machine]), terms

    def margin_width(self, machine: int = 0) -> float:
        """The width of the margin, on the scales of the axes: ``2 / |w|``."""
        squared = self._squared_norm(machine)
        return float("inf") if squared <= 0 else 2.0 / float(np.sqrt(squared))

    def _squared_norm(self, machine: int) -> float:
        if self.kernel.is_linear:
            return float(np.sum(self.planes[machine] ** 2))
        if self.kernel.name == "precomputed":
            return 0.0
        coefficients = np.ascontiguousarray(self.coefficients[[machine]])
        own = np.empty((len(self), 1))
        everything = np.array([[0, len(self), 0, 0]], np.int64)
        self._vectors.weigh(self._points, coefficients, everything, np.zeros(1), 0, len(self), own)
        return float(np.sum(coefficients[0] * own[:, 0]))

    def support(self, machine: int = 0) -> Ints64:
        """The support vectors that a machine uses."""
        return np.flatnonzero(self.coefficients[machine])

    def at_bound(self, machine: int = 0) -> Ints64:
        """Those of them with the maximum coefficient: rows inside the margin or on the wrong side."""
        return np.flatnonzero(np.abs(self.coefficients[machine]) >= self.limits * (1 - 1e-12))

    # ---- predictions ----

    def decisions(self, rows: Any, n_threads: int = 1) -> Floats:  # noqa: ANN401 - a Table, a matrix, or sparse rows
        """The decision values of the machines, of shape (rows, machines)."""
        points = self._asked(rows)
        n = len(points[0]) - 1 if isinstance(points, tuple) else len(points)
        if self.kernel.is_linear:
            return self._by_planes(points) + self.intercepts
        if self.places is not None:
            assert not isinstance(points, tuple)
            given = points[:, self.places]
            if not np.isfinite(given).all():
                row, vector = np.argwhere(~np.isfinite(given))[0].tolist()
                msg = (
                    f"the kernel value of row {row + 1} with training row {self.places[vector] + 1} is "
                    f"{given[row, vector]}; expected a number"
                )
                raise ValueError(msg)
            return np.asarray(np.einsum("nk,mk->nm", given, self.coefficients) + self.intercepts)
        out = np.empty((n, self.n_machines))

        def run(first: int, last: int) -> None:
            self._vectors.weigh(points, self.coefficients, self.runs, self.intercepts, first, last, out)

        in_parts(run, n, len(self) * max(1, self._n_columns // 4), n_threads)
        return out

    def _by_planes(self, points: Any) -> Floats:  # noqa: ANN401 - a matrix, or sparse rows
        if not isinstance(points, tuple):
            return np.asarray(np.einsum("nd,md->nm", points, self.planes))
        start, columns, values, _ = points
        found = np.zeros((len(start) - 1, self.n_machines))
        row = np.repeat(np.arange(len(start) - 1), np.diff(start))
        for machine in range(self.n_machines):
            found[:, machine] = np.bincount(row, values * self.planes[machine][columns], minlength=len(start) - 1)
        return found

    def _asked(self, rows: Any) -> Any:  # noqa: ANN401 - as `decisions`; a matrix, or sparse rows
        if isinstance(rows, tuple):
            return rows
        table = self.as_table(rows)
        aligned = align(self.schema, table)
        if self.axes is not None:
            return self.axes.matrix(aligned)
        matrix = np.column_stack([aligned.columns[place] for place in self.schema.features])
        return matrix if self.sparse is None and self.weights is None else as_sparse(matrix)

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Class probabilities, of shape (rows, classes), or numbers, of shape (rows, 1)."""
        return self.combined(self.decisions(aligned, n_threads))

    def combined(self, decisions: Floats) -> Floats:
        """Class probabilities, or numbers, from the decision values."""
        if self.task == "regression":
            return decisions
        if self.slopes is None:
            return self._votes(decisions)
        chances = sigmoid(decisions, self.slopes)
        if self.pairs[0, 0] != REST:
            return couple(chances, self.pairs, self._n_classes)
        shares = np.zeros((len(chances), self._n_classes))
        shares[:, self.pairs[:, 1]] = chances
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _votes(self, decisions: Floats) -> Floats:
        """The fraction of the votes for every class."""
        votes = np.zeros((len(decisions), self._n_classes))
        if self.pairs[0, 0] == REST:
            votes[np.arange(len(decisions)), self.pairs[decisions.argmax(axis=1), 1]] = 1.0
            return votes
        for machine, (first, second) in enumerate(self.pairs.tolist()):
            votes[:, second] += decisions[:, machine] > ON_PLANE
            votes[:, first] += decisions[:, machine] <= ON_PLANE
        return votes / self.n_machines

    def scores(self, decisions: Floats) -> Floats:
        """Scores of the classes, of shape (rows, classes): votes, with ties broken by the decision values."""
        if self.pairs[0, 0] == REST:
            found = np.full((len(decisions), self._n_classes), -np.inf)
            found[:, self.pairs[:, 1]] = decisions
            return found
        votes = self._votes(decisions) * self.n_machines
        sure = np.zeros_like(votes)
        for machine, (first, second) in enumerate(self.pairs.tolist()):
            sure[:, second] += decisions[:, machine]
            sure[:, first] -= decisions[:, machine]
        return np.asarray(votes + sure / (3 * (np.abs(sure) + 1)))

    def codes(self, decisions: Floats) -> Ints32:
        """The class of every row: the most probable, or the one with most votes; on a tie the first."""
        return np.asarray(self.combined(decisions).argmax(axis=1), np.int32)

    @cached_property
    def _n_classes(self) -> int:
        target = self.schema.target_column
        assert isinstance(target, Nominal)
        return len(target.categories)

    @cached_property
    def _points(self) -> Floats | SparseRows:
        if self.sparse is not None:
            return self.sparse
        assert self.axes is not None
        assert self.kept is not None
        return self.axes.matrix(self.kept)

    @cached_property
    def _n_columns(self) -> int:
        return int(self.sparse[3]) if self.sparse is not None else len(self.axes or ())

    @cached_property
    def _vectors(self) -> Vectors:
        return Vectors(self._points, self.kernel.choices)

    # ---- whether it is sound ----

    def validate(self) -> None:
        """Check shapes and ranges; raise a `ModelError` if they are wrong."""
        check_svm(self)

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        axes, sparse = self.axes, self.sparse
        return {
            "kernel": self.kernel.name,
            "figures": [self.kernel.degree, self.kernel.gamma, self.kernel.coef0],
            "axes": None if axes is None else [Term(1.0, (factor,)).to_entry() for factor in axes.factors],
            "n_factors": 1 if axes is None else axes.n_factors,
            "kept": self.kept is not None,
            "sparse_columns": None if sparse is None else sparse[3],
            "recipe": dict(self.recipe),
        }

    def file_arrays(self) -> dict[str, AnyArray]:
        """Return all arrays by their names in a file."""
        arrays: dict[str, AnyArray] = {}
        if self.kept is not None:
            arrays = {f"kept/{name}": array for name, array in part_arrays(self.kept).items()}
        arrays |= self.arrays()
        if self.sparse is not None:
            arrays |= dict(zip(SPARSE, self.sparse[:3], strict=True))
        if self.axes is not None:
            arrays |= {f"axes/{name}": array for name, array in self.axes.arrays().items()}
        return arrays

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model."""
        degree, gamma, coef0 = readers.numbers(plain["figures"])
        sparse = axes = None
        if plain["sparse_columns"] is not None:
            start, columns, values = (members.array(name, dtype) for name, dtype in SPARSE.items())
            sparse = (start, columns, values, readers.named_whole("sparse_columns", plain["sparse_columns"]))
        if plain["axes"] is not None:
            factors = tuple(term.factors[0] for term in terms_from_plain(plain["axes"]))
            n_factors = readers.named_whole("n_factors", plain["n_factors"])
            axes = Axes(factors, **members.inside("axes").arrays(Axes.ARRAYS), n_factors=n_factors)
        arrays: dict[str, Any] = dict(members.arrays(cls.ARRAYS))
        return cls(
            schema,
            Kernel(plain["kernel"], readers.named_whole("degree", degree), gamma, coef0),
            **arrays,
            axes=axes,
            kept=members.inside("kept").table(schema) if plain["kept"] else None,
            sparse=sparse,
            recipe=readers.recipe(plain["recipe"]),
        )


def as_sparse(matrix: Floats) -> SparseRows:
    """The rows of a matrix in sparse form."""
    row, column = np.nonzero(matrix)
    start = offsets(np.bincount(row, minlength=len(matrix)))
    return start, column.astype(np.int32), np.ascontiguousarray(matrix[row, column], np.float64), matrix.shape[1]
