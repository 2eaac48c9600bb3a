"""Names, kinds and roles of a table's columns.

The schema is decided once, when data is read, and is part of every model, so that a saved model can predict and be
printed and explored without the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools
    from hornbeam.data.columns.numbers import Notation

Role = Literal["feature", "target", "weight", "group", "ignored"]
ROLES: tuple[Role, ...] = ("feature", "target", "weight", "group", "ignored")


class SchemaError(ValueError):
    """A table does not have the expected columns, kinds or roles."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a column is computed from another one, so that new rows need only that one."""

    source: str  # the original column
    how: str  # a key of `hornbeam.data.columns.derived.FUNCTIONS`, such as ``word``
    argument: str = ""  # for example the word to count

    def to_json(self) -> dict[str, str]:
        """Plain data that `from_json` reads back."""
        return {"source": self.source, "how": self.how, "argument": self.argument}

    @classmethod
    def from_json(cls, plain: Any) -> Derivation | None:  # noqa: ANN401 (from a file)
        """Read what `to_json` wrote; None stays None."""
        if plain is None:
            return None
        if not isinstance(plain, dict) or not all(isinstance(plain.get(key), str) for key in cls.__slots__):
            msg = f"the derivation of a column is {plain!r}; expected a source, how, and an argument, as texts"
            raise SchemaError(msg)
        from hornbeam.data.columns.derived import FUNCTIONS  # noqa: PLC0415 (imports this module in turn)

        if plain["how"] not in FUNCTIONS:
            msg = f"the derivation of a column is {plain['how']!r}; expected one of {', '.join(FUNCTIONS)}"
            raise SchemaError(msg)
        return cls(plain["source"], plain["how"], plain["argument"])


@dataclass(frozen=True, slots=True)
class Numeric:
    """A column of float64 numbers; NaN is missing.

    Parameters
    ----------
    name : str
        The column's name.
    format : str, optional
        A ``strftime`` pattern for a date column, whose numbers are seconds since 1970-01-01 UTC; None
        for plain numbers.
    derived : Derivation, optional
        How the column is computed from another one.
    notation : Notation, optional
        How the numbers were written where they were read, if not plainly (``$1,234``).
    """

    name: str
    format: str | None = None
    derived: Derivation | None = field(default=None, repr=False)
    notation: Notation | None = field(default=None, repr=False, compare=False)

    def missing(self, values: AnyArray) -> Bools:
        """Which values of the column are missing."""
        return np.asarray(np.isnan(values))


@dataclass(frozen=True, slots=True)
class Nominal:
    """A column of categories, held as int32 codes into `categories`; -1 is missing.

    Parameters
    ----------
    name : str
        The column's name.
    categories : tuple of str
        Every declared category, in order; the code of a category is its position.
    ordered : bool
        Whether the categories are ordered (small, medium, large), so that the column is cut between codes.
    derived : Derivation, optional
        How the column is computed from another one.
    """

    name: str
    categories: tuple[str, ...] = ()
    ordered: bool = False
    derived: Derivation | None = field(default=None, repr=False)

    def missing(self, values: AnyArray) -> Bools:
        """Which codes of the column are missing."""
        return np.asarray(values < 0)


Column = Numeric | Nominal


def is_missing(values: AnyArray) -> Bools:
    """Which values of an array are missing: NaN among numbers, codes below 0 among categories."""
    return np.isnan(values) if values.dtype.kind == "f" else values < 0


@dataclass(frozen=True)
class Schema:
    """The columns of a table with their roles.

    Parameters
    ----------
    columns : tuple of Numeric or Nominal
        In table order.
    roles : tuple of str
        One of `ROLES` for each column; by default every column is a feature.
    name : str
        The table's name where it is shown.
    """

    columns: tuple[Column, ...]
    roles: tuple[Role, ...] = ()
    name: str = "table"
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.roles:
            object.__setattr__(self, "roles", ("feature",) * len(self.columns))
        if len(self.roles) != len(self.columns):
            msg = f"{len(self.columns)} columns were given {len(self.roles)} roles; expected one role per column"
            raise SchemaError(msg)
        positions: dict[str, int] = {}
        for position, column in enumerate(self.columns):
            if column.name in positions:
                msg = (
                    f"two columns are called {column.name!r} (columns {positions[column.name] + 1} and "
                    f"{position + 1}); column names must differ"
                )
                raise SchemaError(msg)
            positions[column.name] = position
        object.__setattr__(self, "_positions", positions)
        for role in self.roles:
            if role not in ROLES:
                msg = f"unknown role {role!r}; expected one of {', '.join(ROLES)}"
                raise SchemaError(msg)
        for role in ("target", "weight", "group"):
            holders = [c.name for c, r in zip(self.columns, self.roles, strict=True) if r == role]
            if len(holders) > 1:
                msg = f"{len(holders)} columns have the role {role}: {', '.join(map(repr, holders))}; at most one may"
                raise SchemaError(msg)

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in table order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def features(self) -> tuple[int, ...]:
        """Positions of the columns that a model may use."""
        return tuple(i for i, role in enumerate(self.roles) if role == "feature")

    def with_role(self, role: Role) -> int | None:
        """Position of the one column with `role`, or None."""
        return self.roles.index(role) if role in self.roles else None

    @cached_property
    def target(self) -> int | None:
        """Position of the target column, or None."""
        return self.with_role("target")

    @property
    def target_column(self) -> Column:
        """The column to predict; an error if the table has no target."""
        if self.target is None:
            msg = f"the table {self.name!r} has no target column; name one, e.g. read(path, target={self.names[-1]!r})"
            raise SchemaError(msg)
        return self.columns[self.target]

    def position(self, column: str | int) -> int:
        """Position of a column given by name, or by position (negative ones count from the end)."""
        if isinstance(column, str):
            try:
                return self._positions[column]
            except KeyError:
                from hornbeam._names import suggestion  # noqa: PLC0415 (only for messages)

                msg = f"no column is called {column!r}; {suggestion(column, self.names, 'the columns are')}"
                raise SchemaError(msg) from None
        if not -len(self.columns) <= column < len(self.columns):
            msg = f"no column at position {column}; the table has {len(self.columns)} columns"
            raise SchemaError(msg)
        return column % len(self.columns)

    def assign(self, roles: Mapping[str | int, Role]) -> Schema:
        """Return the schema with other roles for some columns; a column that loses its role becomes a feature."""
        new = list(self.roles)
        for column, role in roles.items():
            position = self.position(column)
            if role in ("target", "weight", "group") and role in new:
                new[new.index(role)] = "feature"
            new[position] = role
        return replace(self, roles=tuple(new))

    def select(self, positions: Iterable[int]) -> Schema:
        """The schema of some of the columns, in the order given."""
        chosen = list(positions)
        return replace(self, columns=tuple(self.columns[i] for i in chosen), roles=tuple(self.roles[i] for i in chosen))

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        columns: list[dict[str, Any]] = []
        for column, role in zip(self.columns, self.roles, strict=True):
            if isinstance(column, Numeric):
                columns.append({"name": column.name, "kind": "numeric", "format": column.format, "role": role})
                if column.notation is not None:
                    columns[-1]["notation"] = column.notation.to_json()
            else:
                columns.append(
                    {
                        "name": column.name,
                        "kind": "nominal",
                        "categories": list(column.categories),
                        "ordered": column.ordered,
                        "role": role,
                    }
                )
            if column.derived is not None:
                columns[-1]["derived"] = column.derived.to_json()
        return {"name": self.name, "columns": columns}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Schema:
        """Read what `to_json` wrote; raise an error for anything else."""
        try:
            columns: list[Column] = []
            roles: list[Role] = []
            for item in plain["columns"]:
                name, kind = item["name"], item["kind"]
                if not isinstance(name, str):
                    msg = f"a column's name is {name!r}; expected text"
                    raise SchemaError(msg)
                derived = Derivation.from_json(item.get("derived"))
                if kind == "numeric":
                    pattern = item.get("format")
                    if pattern is not None and not isinstance(pattern, str):
                        msg = f"column {name!r}: its format is {pattern!r}; expected text or nothing"
                        raise SchemaError(msg)
                    columns.append(Numeric(name, pattern, derived, _notation(item.get("notation"))))
                elif kind == "nominal":
                    categories = item["categories"]
                    if not isinstance(categories, list) or not all(isinstance(c, str) for c in categories):
                        msg = f"column {name!r}: its categories are not a list of texts"
                        raise SchemaError(msg)
                    columns.append(Nominal(name, tuple(categories), bool(item.get("ordered", False)), derived))
                else:
                    msg = f"column {name!r} is of kind {kind!r}; expected numeric or nominal"
                    raise SchemaError(msg)
                roles.append(item["role"])
            name = plain.get("name", "table")
        except (KeyError, TypeError, AttributeError) as error:
            msg = f"not a schema: {error!r}"
            raise SchemaError(msg) from None
        return cls(tuple(columns), tuple(roles), str(name))


def _notation(plain: Any) -> Notation | None:  # noqa: ANN401 (from a file)
    if plain is None:
        return None
    from hornbeam.data.columns.numbers import Notation  # noqa: PLC0415 (few columns need it)

    try:
        return Notation.from_json(plain)
    except ValueError as error:
        raise SchemaError(str(error)) from None
