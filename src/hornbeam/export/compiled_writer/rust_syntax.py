"""Tables, numbers and texts in Rust syntax."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.compiled_writer.c_syntax import shortest
from hornbeam.export.compiled_writer.tables import Entry, Tables, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TYPES = {"integer": "Int", "flag": "u8", "bits32": "u32", "bits64": "u64", "real": "f64", "single": "f32"}


class RustTables(Tables):
    """Tables in Rust."""

    empty = "&[]"
    has_blocks = False

    def define(self, kind: str, name: str, n: int, values: Iterable[str]) -> None:
        """Append the definition of a table of n values."""
        self.lines += [f"static {name}: [{TYPES.get(kind) or _type(kind)}; {n}] = [", *wrapped(values), "];"]

    def define_one(self, kind: str, name: str, value: str) -> str:
        """Append the definition of one structure; return its address."""
        self.lines.append(f"static {name}: {_type(kind)} = {value};")
        return f"&{name}"

    def named(self, hint: str) -> str:
        """Write a new name."""
        return hint.upper()

    def used(self, name: str) -> str:
        """Write a reference to a table."""
        return f"&{name}"

    def real(self, value: float | str) -> str:
        """Write a number exactly."""
        return real(value)

    def single(self, value: float) -> str:
        """Write a single-precision number exactly, with the fewest digits."""
        return shortest(value) if np.isfinite(np.float32(value)) else real(float(value), "f32")

    def mask(self, value: int, _bits: int) -> str:
        """Write a word of bits."""
        return f"{value:#x}"

    def initializer(self, kind: str, row: Sequence[Any]) -> str:
        """Write a structure with its fields."""
        written = (real(each) if isinstance(each, float) else str(each).lower() if isinstance(each, bool) else str(each)
                   for each in row)  # fmt: skip
        return f"{_type(kind)}::new({', '.join(written)})"

    def length(self, _n: int) -> tuple[int, ...]:
        """Return nothing: Rust slices have a length."""
        return ()

    def model(self, entry: Entry) -> tuple[Any, ...]:
        """Return the fields of a model that another model uses."""
        return entry[1:]

    @property
    def integer(self) -> str:
        """The type of integers in tables: the smallest that holds the greatest one."""
        return "i16" if self.is_short else "i32"


def _type(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.split("_"))


def real(value: float | str, kind: str = "f64") -> str:
    """Write a number exactly.

    Examples
    --------
    >>> real(0.1), real(3), real("NaN")
    ('0.1', '3.0', 'f64::NAN')
    """
    number = float(value)
    if math.isnan(number):
        return f"{kind}::NAN"
    if math.isinf(number):
        return f"{kind}::INFINITY" if number > 0 else f"{kind}::NEG_INFINITY"
    return repr(number)


def string(text: str) -> str:
    r"""Write a text as a Rust string in ASCII.

    Examples
    --------
    >>> string('a "b"'), string("ä\n")
    ('"a \\u{22}b\\u{22}"', '"\\u{e4}\\u{a}"')
    """
    plain = (c if 32 <= ord(c) < 127 and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in text)  # noqa: PLR2004 - printable ASCII
    return f'"{"".join(plain)}"'
