"""Tables in the order in which they are needed; subclasses write them in a language."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

WIDTH = 116  # characters of a line
SHORT = 32_767  # the greatest 16-bit number
Entry = tuple[str, str, int]  # of a model: the name of its kind, the address of its tables, how many outputs it has


class Tables(ABC):
    """The tables of a model, and the sizes of its working memory.

    Attributes
    ----------
    lines : list of str
        Definitions.
    parts : set of str
        The parts of the fixed program that are needed.
    sizes : dict
        Sizes of working memory by name, such as ``OUTPUTS``.

    Parameters
    ----------
    n_codes : list of int
        How many categories each column has; 0 for numbers.
    """

    empty: ClassVar[str]  # written for an empty table
    has_blocks: ClassVar[bool]  # whether the fixed program evaluates blocks of rows

    def __init__(self, n_codes: list[int]) -> None:
        self.n_codes = n_codes
        self.lines: list[str] = []
        self.parts: set[str] = set()
        self.sizes: dict[str, int] = {"OUTPUTS": 1}
        self.greatest = 0  # the greatest integer in a table
        self._count = 0

    # ---- the language ----

    @abstractmethod
    def define(self, kind: str, name: str, n: int, values: Iterable[str]) -> None:
        """Append the definition of a table of n values."""

    @abstractmethod
    def define_one(self, kind: str, name: str, value: str) -> str:
        """Append the definition of one structure; return its address."""

    @abstractmethod
    def named(self, hint: str) -> str:
        """Write a new name."""

    @abstractmethod
    def used(self, name: str) -> str:
        """Write a reference to a table."""

    @abstractmethod
    def real(self, value: float | str) -> str:
        """Write a number exactly."""

    @abstractmethod
    def single(self, value: float) -> str:
        """Write a single-precision number exactly, with the fewest digits."""

    @abstractmethod
    def mask(self, value: int, bits: int) -> str:
        """Write a word of bits."""

    @abstractmethod
    def initializer(self, kind: str, row: Sequence[Any]) -> str:
        """Write a structure with its fields."""

    @abstractmethod
    def length(self, n: int) -> tuple[int, ...]:
        """Return the field for the length of a table; none in languages where tables have a length."""

    @abstractmethod
    def model(self, entry: Entry) -> tuple[Any, ...]:
        """Return the fields of a model that another model uses."""

    # ---- the tables ----

    def need(self, *parts: str, **sizes: int) -> None:
        """Record the parts of the program and the sizes of working memory that a model needs."""
        self.parts |= set(parts)
        for name, size in sizes.items():
            self.sizes[name] = max(self.sizes.get(name, 1), int(size))

    def _table(self, kind: str, values: Iterable[str], hint: str) -> str:
        listed = list(values)
        if not listed:
            return self.empty
        name = self._name(hint)
        self.define(kind, name, len(listed), listed)
        return self.used(name)

    def _name(self, hint: str) -> str:
        self._count += 1
        return self.named(f"{hint}_{self._count - 1}")

    def integers(self, values: Iterable[int], hint: str) -> str:
        """Define a table of integers; return a reference to it."""
        listed = [int(value) for value in values]
        self.greatest = max([self.greatest, *map(abs, listed)])
        return self._table("integer", map(str, listed), hint)

    def flags(self, values: Iterable[int], hint: str) -> str:
        """Define a table of 0 and 1."""
        return self._table("flag", (str(int(value)) for value in values), hint)

    def masks(self, values: Iterable[int], hint: str, bits: int) -> str:
        """Define a table of words of bits."""
        return self._table(f"bits{bits}", (self.mask(int(value), bits) for value in values), hint)

    def reals(self, values: Iterable[Any], hint: str) -> str:
        """Define a table of numbers."""
        return self._table("real", map(self.real, values), hint)

    def singles(self, values: Iterable[float], hint: str) -> str:
        """Define a table of single-precision numbers."""
        return self._table("single", map(self.single, values), hint)

    def records(self, kind: str, rows: Iterable[Sequence[Any]], hint: str) -> str:
        """Define a table of structures."""
        listed = list(rows)
        for row in listed:
            self.greatest = max([self.greatest, *(abs(each) for each in row if isinstance(each, int))])
        return self._table(kind, (self.initializer(kind, row) for row in listed), hint)

    def record(self, kind: str, row: Sequence[Any], hint: str) -> str:
        """Define one structure; return its address."""
        return self.define_one(kind, self._name(hint), self.initializer(kind, row))

    @property
    def is_short(self) -> bool:
        """Whether the integers in tables fit into 16 bits."""
        return self.greatest <= SHORT


def wrapped(values: Iterable[str]) -> list[str]:
    """Return lines of values, each followed by a comma."""
    lines, line = [], "   "
    for value in values:
        if len(line) + len(value) + 2 > WIDTH:
            lines.append(line)
            line = "   "
        line += f" {value},"
    return [*lines, line]
