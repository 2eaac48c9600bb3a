"""Declarations of what a model file holds: the arrays, parts and plain values of a class.

`arrays`, `same_as`, the checks of types and shapes, and reading and writing files are derived from the declaration.
A class that is stored is a frozen dataclass with some of these:

* `ARRAYS`: its own arrays, in the order of the file; see `declared`.
* `PARTS`: fields with arrays of their own, by name, in the order of the file. The value is `Table` (kept rows), a
  `Stored` class, or the allowed kinds of models (a list of kinds: the field is a tuple of models). The entry ``""`` is
  the place of the class's own arrays.
* `PLAIN`: the entries of its JSON object, in the order of the file, each with a reader of `hornbeam.model.base.plain`;
  None for parts, which have an object of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError, entry, sequence

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray

    Arrays = dict[str, AnyArray]


@dataclass(frozen=True, slots=True)
class Array:
    """A declared array."""

    dtype: str  # as in the file: ``"<i4"``
    # Names of sizes, one per dimension; ``"nodes+1"`` is one more. A name stands for the same number in all arrays of
    # the object; ``"*"`` is any number.
    shape: tuple[str, ...]
    optional: bool  # whether it may be None
    member: str  # its name in files

    def expected(self, sizes: dict[str, int], found: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape that the array should have; a size that is not known yet is taken from the shape found."""
        shape = []
        for name, extent in zip(self.shape, found, strict=True):
            size, more = name.removesuffix("+1"), name.endswith("+1")
            shape.append(extent if size == "*" else sizes.setdefault(size, extent - more) + more)
        return tuple(shape)


def declared(text: str) -> dict[str, Array]:
    """Declare arrays: a line for each type and shape, with the names of the arrays.

    A name that ends in ``?`` is optional; with ``name=member`` the array has another name in files.

    Examples
    --------
    >>> declared("<f8[rows] weight?")
    {'weight': Array(dtype='<f8', shape=('rows',), optional=True, member='weight')}
    """
    arrays = {}
    for line in text.strip().splitlines():
        dtype, sizes, names = re.split(r"[][]", line.strip())
        for word in names.split():
            name, _, member = word.removesuffix("?").partition("=")
            shape = tuple(size.strip() for size in sizes.split(","))
            arrays[name] = Array(dtype, shape, word.endswith("?"), member or name)
    return arrays


class Members:
    """The arrays in one folder of a model file.

    Parameters
    ----------
    array : callable
        Returns the array with a name and a type.
    has : callable
        Whether there is a member with a name.
    model : callable
        Returns the model in a folder, from its plain data.
    """

    def __init__(
        self,
        array: Callable[[str, str], AnyArray],
        has: Callable[[str], bool],
        model: Callable[[str, Any], Any],
        folder: str = "",
    ) -> None:
        self._array, self._has, self._model, self.folder = array, has, model, folder

    def inside(self, name: str) -> Members:
        """Return the members of a folder in this one."""
        return Members(self._array, self._has, self._model, f"{self.folder}{name}/")

    def has(self, name: str) -> bool:
        """Whether there is an array with this name."""
        return self._has(f"{self.folder}{name}.npy")

    def array(self, name: str, dtype: str) -> AnyArray:
        """Return the array with this name, which must have this type."""
        return self._array(f"{self.folder}{name}.npy", dtype)

    def arrays(self, wanted: Mapping[str, Array]) -> Arrays:
        """Return declared arrays by name; optional ones only where they are there."""
        return {
            name: self.array(array.member, array.dtype)
            for name, array in wanted.items()
            if not array.optional or self.has(array.member)
        }

    def table(self, schema: Schema) -> Table:
        """Return kept rows: one array per column of the schema."""
        types = ["<f8" if isinstance(column, Numeric) else "<i4" for column in schema.columns]
        return Table(schema, [self.array(str(place), dtype) for place, dtype in enumerate(types)], copy=False)

    def model(self, name: str, plain: Any, kinds: tuple[str, ...]) -> Any:  # noqa: ANN401 - any model
        """Return the model in a folder; it must be of one of these kinds."""
        kind = entry(plain, "kind")
        if kind not in kinds:
            msg = f"{name} is a model of kind {kind!r}; expected one of {', '.join(kinds)}"
            raise ModelError(msg)
        return self._model(f"{self.folder}{name}/", plain)


class Stored:
    """Base of models and of their parts; see the module for what a class declares."""

    NOUN: ClassVar[str] = "model"  # its name in messages
    ARRAYS: ClassVar[Mapping[str, Array]] = {}
    PARTS: ClassVar[Mapping[str, Any]] = {"": None}
    PLAIN: ClassVar[Mapping[str, Callable[[Any], Any] | None]] = {}
    CONTIGUOUS: ClassVar[bool] = False  # whether kernels read the arrays directly
    FINITE: ClassVar[bool] = False  # whether every number in the arrays must be finite

    def arrays(self) -> Arrays:
        """Return the arrays by name, without those of parts; optional arrays that are not set are left out."""
        return {name: array for name in self.ARRAYS if (array := getattr(self, name)) is not None}

    def same_as(self, other: object) -> bool:
        """Whether all fields are equal, arrays bit for bit (NaN equals NaN)."""
        return type(self) is type(other) and all(
            same(getattr(self, f.name), getattr(other, f.name))
            for f in fields(self)  # type: ignore[arg-type]
            if f.compare
        )

    def check_arrays(self, **sizes: int) -> None:
        """Check types and shapes against the declaration.

        Parameters
        ----------
        **sizes : int
            Known sizes; others are taken from the first array that has them.

        Raises
        ------
        ModelError
            Names the first wrong array.
        """
        for name, wanted in self.ARRAYS.items():
            array = getattr(self, name)
            if array is None and wanted.optional:
                continue
            dtype = np.dtype(wanted.dtype).newbyteorder("=")
            if (
                not isinstance(array, np.ndarray)
                or array.dtype != dtype
                or (self.CONTIGUOUS and not array.flags.c_contiguous)
            ):
                found = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
                msg = f"{self.NOUN}.{name} is of type {found}; expected a contiguous array of {dtype}"
                raise ModelError(msg)
            if array.ndim != len(wanted.shape) or array.shape != wanted.expected(sizes, array.shape):
                shape = wanted.expected(sizes, (0,) * len(wanted.shape))
                expected = "one dimension" if wanted.shape == ("*",) else shape
                msg = f"{self.NOUN}.{name} has the shape {array.shape}; expected {expected}"
                raise ModelError(msg)
            if self.FINITE and not np.isfinite(array).all():
                msg = f"{self.NOUN}.{name} has a value that is not a finite number"
                raise ModelError(msg)

    def known_sound(self) -> Self:
        """Mark the object as made by our own kernels, so that it is not checked before use, and return it.

        The mark is not a field, so a copy with other arrays is checked again.
        """
        self.__dict__["_sound"] = True
        return self

    @property
    def is_known_sound(self) -> bool:
        """Whether it is marked as sound."""
        return "_sound" in self.__dict__

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields only: cached values can be computed again."""
        return {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    # ---- files ----

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        return {name: _plain(getattr(self, name)) for name in self.PLAIN}

    def file_arrays(self) -> Arrays:
        """Return all arrays, those of parts included, by their names in a file."""
        members: Arrays = {}
        for name in self.PARTS:
            if not name:
                members |= {self.ARRAYS[own].member: array for own, array in self.arrays().items()}
                continue
            part = getattr(self, name)
            several = part if isinstance(part, tuple) else (part,)
            for number, one in enumerate(several):
                folder = f"{name}/{number}" if isinstance(part, tuple) else name
                members |= {f"{folder}/{inner}": array for inner, array in part_arrays(one).items()}
        return members

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the results of `to_plain` and `file_arrays`; only the declaration is checked."""
        values: dict[str, Any] = {"schema": schema} if any(f.name == "schema" for f in fields(cls)) else {}  # type: ignore[arg-type]
        for name, part in cls.PARTS.items():
            if not name:
                values |= members.arrays(cls.ARRAYS)
            elif part is Table:
                values[name] = members.inside(name).table(schema)
            elif isinstance(part, tuple):
                values[name] = members.model(name, entry(plain, name), part)
            elif isinstance(part, list):
                inner = enumerate(sequence(entry(plain, name)))
                values[name] = tuple(members.model(f"{name}/{n}", one, tuple(part)) for n, one in inner)
            else:
                values[name] = part.from_file(plain.get(name), schema, members.inside(name))
        values |= {name: read(entry(plain, name)) for name, read in cls.PLAIN.items() if read is not None}
        return cls(**values)


def part_arrays(part: Table | Stored) -> Arrays:
    """Return the arrays of kept rows, or of a part."""
    if isinstance(part, Table):
        return {str(place): array for place, array in enumerate(part.columns)}
    return part.file_arrays()


def same(one: Any, other: Any) -> bool:  # noqa: ANN401 - values of any field
    """Whether two values of a field are equal, arrays bit for bit (NaN equals NaN)."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return False
    if isinstance(one, Stored):
        return one.same_as(other)
    if isinstance(one, Table):
        return isinstance(other, Table) and one.schema == other.schema and same(one.columns, other.columns)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other)) if isinstance(other, tuple | list) else False
    return bool(one == other)


def _plain(value: Any) -> Any:  # noqa: ANN401 - values of any field
    """Return a value as plain data."""
    if hasattr(value, "to_entry"):
        return value.to_entry()
    if isinstance(value, Stored):
        return value.to_plain()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(each) for each in value] if isinstance(value, tuple | list) else value
