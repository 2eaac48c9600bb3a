"""Names, numbers and texts as a database writes them. sqlglot knows the quotes and types of every dialect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

DIALECTS = {  # sqlglot's name, and the usual name
    "duckdb": "DuckDB",
    "postgres": "PostgreSQL",
    "sqlite": "SQLite",
    "bigquery": "BigQuery",
    "spark": "Spark SQL",
    "snowflake": "Snowflake",
    "tsql": "T-SQL (SQL Server)",
}
OTHER_NAMES = {"postgresql": "postgres", "sqlserver": "tsql", "mssql": "tsql", "t-sql": "tsql", "sparksql": "spark"}
MATERIALIZED = ("postgres", "sqlite")  # these databases would recompute an expression for every use in the next step
HAS_NAN = ("duckdb", "postgres", "bigquery", "spark", "snowflake")
NESTED = {
    "sqlite": 10,
    "tsql": 8,
}  # levels of CASE in one expression; SQLite's parser has a stack, SQL Server allows 10
LARGEST = {"sqlite": "1e308 * 10", "tsql": "1.7976931348623157e308"}  # SQL Server has no infinite numbers
MOST_NESTED = 60
DIGITS = 15  # decimal digits that every database reads as the same number
LARGEST_EXPONENT = 700.0  # its exponential is finite, and that of its negative is not 0
LONGEST_SUM = 700  # terms without parentheses; SQLite and DuckDB allow expressions of 1,000 levels
BATCH = 40  # terms of a sum in one pair of parentheses


@dataclass(frozen=True)
class Dialect:
    """The dialect of a database."""

    name: str

    @classmethod
    def named(cls, name: str) -> Dialect:
        """Return the dialect of this name; a ValueError lists the known ones."""
        found = OTHER_NAMES.get(name.lower(), name.lower())
        if found not in DIALECTS:
            known = ", ".join(DIALECTS)
            msg = f"dialect is {name!r}; expected one of {known}"
            raise ValueError(msg)
        return cls(found)

    @property
    def title(self) -> str:
        """The name of the database for people."""
        return DIALECTS[self.name]

    @property
    def depth(self) -> int:
        """How many levels of CASE one expression may have."""
        return NESTED.get(self.name, MOST_NESTED)

    def quoted(self, name: str) -> str:
        """Return a name in the quotes of the dialect."""
        return _quoted(self.name, name)

    def text(self, value: str) -> str:
        """Return a text in the quotes of the dialect; a ValueError if it has a NUL, which ends a query in some."""
        if "\0" in value:
            msg = f"the text {value!r} has a NUL character and cannot be written as SQL; rename it"
            raise ValueError(msg)
        return _text(self.name, value)

    def number(self, value: float) -> str:
        """Return a number as a floating-point literal that is read as the same number."""
        if math.isinf(value):
            return f"({'-' if value < 0 else ''}{LARGEST[self.name]})" if self.name in LARGEST else self._special(value)
        if self.name == "sqlite" and len(repr(value).strip("-0.").split("e")[0].replace(".", "")) > DIGITS:
            return _as_fraction(value)
        plain = repr(float(value))
        plain = plain if "e" in plain else f"{plain}e0"
        plain = f"CAST({plain} AS {self.double})" if self.name in ("postgres", "snowflake") else plain
        return f"({plain})" if plain.startswith("-") else plain

    def _special(self, value: float) -> str:
        return f"CAST({self.text(repr(value).replace('inf', 'Infinity'))} AS {self.double})"

    @cached_property
    def double(self) -> str:
        """The type of numbers with double precision."""
        from sqlglot import exp

        return exp.DataType.build("double").sql(self.name)

    @cached_property
    def string(self) -> str:
        """The type of texts, of any characters."""
        from sqlglot import exp

        return "NVARCHAR(MAX)" if self.name == "tsql" else exp.DataType.build("text").sql(self.name)

    def as_double(self, column: str) -> str:
        """Return a column as numbers; NaN is NULL."""
        cast = f"CAST({column} AS {self.double})"
        if self.name not in HAS_NAN:
            return cast
        return f"NULLIF({cast}, CAST('NaN' AS {self.double}))"

    def as_text(self, column: str) -> str:
        """Return a column as texts that are compared byte by byte."""
        cast = f"CAST({column} AS {self.string})"
        return f"{cast} COLLATE Latin1_General_BIN2" if self.name == "tsql" else cast

    def greatest(self, values: Iterable[str]) -> str:
        """Return the greatest of some expressions that are not NULL."""
        return f"{'MAX' if self.name == 'sqlite' else 'GREATEST'}({', '.join(values)})"

    def least(self, values: Iterable[str]) -> str:
        """Return the least of some expressions that are not NULL."""
        return f"{'MIN' if self.name == 'sqlite' else 'LEAST'}({', '.join(values)})"

    def exp(self, value: str) -> str:
        """Return the exponential function of a value; PostgreSQL stops with an error if it is too large or small."""
        if self.name != "postgres":
            return f"EXP({value})"
        low, high = self.number(-LARGEST_EXPONENT), self.number(LARGEST_EXPONENT)
        return (
            f"CASE WHEN {value} < {low} THEN {self.number(0.0)} WHEN {value} > {high} THEN {self._special(math.inf)} "
            f"ELSE EXP({value}) END"
        )

    def log(self, value: str) -> str:
        """Return the natural logarithm of a value above 0."""
        return f"{'LOG' if self.name == 'tsql' else 'LN'}({value})"

    def sum_in_order(self, terms: list[str]) -> str:
        """Return a sum from left to right, so that it is rounded as the model rounds it; very long ones in batches."""
        return " + ".join(terms) if len(terms) <= LONGEST_SUM else self.sum_of(terms)

    def sum_of(self, terms: list[str]) -> str:
        """Return a sum in batches, so that no expression is deep."""
        while len(terms) > BATCH:
            terms = [
                f"({' + '.join(terms[start : start + BATCH])})"
                if len(terms[start : start + BATCH]) > 1
                else terms[start]
                for start in range(0, len(terms), BATCH)
            ]
        return " + ".join(terms) if terms else self.number(0.0)


def _as_fraction(value: float) -> str:
    """Return a number as a whole number divided by or multiplied with a power of two, exactly."""
    top, bottom = value.as_integer_ratio()
    bits = bottom.bit_length() - 1
    if bits == 0 or bits > 1000:  # noqa: PLR2004 - powers of two that are numbers with digits to spare
        return repr(value)
    return f"({top}.0 / {bottom}.0)" if bottom < 2**53 else f"({top}.0 / {2**52}.0{_halved(bits - 52)})"


def _halved(bits: int) -> str:
    parts = []
    while bits > 0:
        step = min(bits, 52)
        parts.append(f" / {2**step}.0")
        bits -= step
    return "".join(parts)


@lru_cache(4096)
def _quoted(dialect: str, name: str) -> str:
    from sqlglot import exp

    return exp.to_identifier(name, quoted=True).sql(dialect)


@lru_cache(65536)
def _text(dialect: str, value: str) -> str:
    from sqlglot import exp

    written: str = exp.Literal.string(value).sql(dialect)
    return f"N{written}" if dialect == "tsql" and not value.isascii() else written


def need_sqlglot() -> None:
    """Raise a clear error if sqlglot is not installed."""
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        msg = "writing SQL needs sqlglot; install it with: pip install 'hornbeam[sql]'"
        raise ImportError(msg) from None


def plain_number(value: Any) -> float:  # noqa: ANN401 - a number, or a text of the program
    """Return a number of the program, where NaN and infinities are texts."""
    return float(value)
