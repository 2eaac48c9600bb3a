"""Operators and constants of an ONNX graph."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import AnyArray

OPSET, ML_OPSET, IR_VERSION = 20, 5, 10  # of 2023 and 2024: TreeEnsemble needs the second
ML = "ai.onnx.ml"


def need_onnx() -> None:
    """Raise an ImportError that names what to install, if onnx is not installed."""
    if find_spec("onnx") is None:
        raise ImportError("writing ONNX needs the package onnx: pip install 'hornbeam[onnx]'")


class Outputs(NamedTuple):
    """The outputs of a model, rows x n, and its label as a column of integers (None: no classes)."""

    values: str
    n: int
    label: str | None = None


class Graph:
    """A graph under construction. Values are named; every method returns the name of its result.

    Parameters
    ----------
    columns : list of dict
        The columns of the model, as in a manifest.

    Attributes
    ----------
    rows : str
        All columns as one matrix of doubles: numbers, or codes of categories; NaN is a missing value.
    """

    def __init__(self, columns: Sequence[dict[str, Any]]) -> None:
        from onnx import TensorProto

        self.columns = columns
        self.nodes: list[Any] = []
        self.constants: dict[tuple[Any, ...], str] = {}
        self.tensors: list[Any] = []
        self.double, self.integer = TensorProto.DOUBLE, TensorProto.INT64
        self.input_names = self._input_names()
        self._prefix = "hb"
        while any(name.startswith(self._prefix) for name in self.input_names):
            self._prefix += "_"
        self.rows = self.op("Concat", *map(self._input, range(len(columns))), axis=1)
        self.ones = self.op("Cast", self.op("Equal", *[self.op("IsNaN", self.column(0))] * 2), to=self.double)
        self._codes: str | None = None

    def _input_names(self) -> list[str]:
        names = [column["name"] or f"column {place + 1}" for place, column in enumerate(self.columns)]
        return names if len(set(names)) == len(names) else [f"column {place + 1}" for place in range(len(names))]

    def _input(self, place: int) -> str:
        """Return a column of doubles: an input as it is, or the codes of its categories."""
        column, name = self.columns[place], self.input_names[place]
        if column["kind"] == "numeric":
            return self.op("Identity", name)
        categories = column["categories"]
        if not categories:  # every value is missing
            codes = self.op("LabelEncoder", name, domain=ML, keys_strings=[""], values_int64s=[-1], default_int64=-1)
        else:
            codes = self.op(
                "LabelEncoder", name, domain=ML, default_int64=-1,
                keys_strings=list(categories), values_int64s=list(range(len(categories))),
            )  # fmt: skip
        as_real = self.op("Cast", codes, to=self.double)
        return self.op("Where", self.op("Less", as_real, self.real(0.0)), self.real(np.nan), as_real)

    # ---- values ----

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401 - of any kind
        """Add an operator with one result."""
        from onnx import helper

        name = f"{self._prefix}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def constant(self, values: ArrayLike, dtype: Any = np.float64) -> str:  # noqa: ANN401 - of NumPy
        """Return a constant tensor; equal ones are stored once."""
        from onnx import numpy_helper

        array: AnyArray = np.asarray(values, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = f"{self._prefix}c{len(self.constants)}"
            self.tensors.append(numpy_helper.from_array(array, self.constants[key]))
        return self.constants[key]

    def real(self, value: float) -> str:
        """Return a number."""
        return self.constant(value)

    def integers(self, values: ArrayLike) -> str:
        """Return a tensor of integers, for indices."""
        return self.constant(values, np.int64)

    def texts(self, values: Sequence[str]) -> str:
        """Return a tensor of texts."""
        from onnx import TensorProto, helper

        name = f"{self._prefix}t{len(self.tensors)}"
        encoded: Any = [value.encode() for value in values]
        self.tensors.append(helper.make_tensor(name, TensorProto.STRING, [len(values)], encoded))
        return name

    # ---- columns of a matrix ----

    def column(self, place: int) -> str:
        """Return one column of the rows."""
        return self.take(self.rows, [place])

    def take(self, matrix: str, places: ArrayLike) -> str:
        """Return some columns of a matrix."""
        return self.op("Gather", matrix, self.integers(places), axis=1)

    def entries(self, table: str, places: str) -> str:
        """Return the entries of a table (or its rows) at indices, one index per row."""
        return self.op("Gather", table, places, axis=0)

    def total(self, matrix: str) -> str:
        """Return the sum of every row of a matrix, as a column."""
        return self.op("ReduceSum", matrix, self.integers([1]), keepdims=1)

    def is_true(self, test: str) -> str:
        """Return 1 where a test holds, else 0."""
        return self.op("Cast", test, to=self.double)

    def as_integer(self, value: str) -> str:
        """Return whole numbers as integers."""
        return self.op("Cast", value, to=self.integer)

    def flat(self, column: str) -> str:
        """Return a column as a vector."""
        return self.op("Squeeze", column, self.integers([1]))

    def looked_up(self, columns: Sequence[int], tables: Sequence[Sequence[float]]) -> str:
        """Return for columns of categories the entry of the code in a table; the last entry is for a missing value."""
        if self._codes is None:
            # numbers are not looked up, so they all count as missing here
            counts = np.array([[len(column.get("categories") or ()) for column in self.columns]], np.float64)
            numeric = np.array([[column["kind"] == "numeric" for column in self.columns]])
            missing = self.op("Or", self.op("IsNaN", self.rows), self.constant(numeric, np.bool_))
            self._codes = self.as_integer(self.op("Where", missing, self.constant(counts), self.rows))
        starts = np.cumsum([0, *map(len, tables)])[:-1]
        for column, table in zip(columns, tables, strict=True):
            assert len(table) == len(self.columns[column]["categories"]) + 1
        places = self.op("Add", self.take(self._codes, columns), self.integers([starts]))
        return self.entries(self.constant(np.concatenate([np.asarray(t, np.float64) for t in tables])), places)

    def greatest(self, outputs: str, n: int, slack: float) -> str:
        """Return the index of the greatest output as a column of integers, the first of equal ones."""
        if slack == 0:
            return self.op("ArgMax", outputs, axis=1, keepdims=1)
        best, value = self.integers([[0]]), self.take(outputs, [0])
        for k in range(1, n):
            other = self.take(outputs, [k])
            above = self.op("Greater", other, self.op("Add", value, self.real(slack)))
            best = self.op("Where", above, self.integers([[k]]), best)
            value = self.op("Where", above, other, value)
        return best

    def zeros(self) -> str:
        """Return the integer 0 for every row, as a column."""
        return self.as_integer(self.op("Mul", self.ones, self.real(0.0)))

    def finite_or(self, value: str, fallback: str) -> str:
        """Return a value where it is finite, else another one."""
        odd = self.op("Or", self.op("IsNaN", value), self.op("IsInf", value))
        return self.op("Where", odd, fallback, value)

    def constant_rows(self, values: ArrayLike) -> str:
        """Return the same values for every row."""
        return self.op("MatMul", self.ones, self.constant([np.asarray(values, np.float64)]))
