"""Tables, numbers and texts in C syntax."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.compiled_writer.tables import Entry, Tables, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NULL = "0"  # a null pointer
TYPES = {
    "integer": "hb_int",
    "flag": "unsigned char",
    "bits32": "uint32_t",
    "bits64": "uint64_t",
    "real": "double",
    "single": "float",
}


class CTables(Tables):
    """Tables in C."""

    empty = NULL
    has_blocks = True

    def define(self, kind: str, name: str, _n: int, values: Iterable[str]) -> None:
        """Append the definition of a table of n values."""
        self.lines += [f"static const {TYPES.get(kind, f'hb_{kind}')} {name}[] = {{", *wrapped(values), "};"]

    def define_one(self, kind: str, name: str, value: str) -> str:
        """Append the definition of one structure; return its address."""
        self.lines.append(f"static const hb_{kind} {name} = {value};")
        return f"&{name}"

    def named(self, hint: str) -> str:
        """Write a new name."""
        return f"hb_{hint}"

    def used(self, name: str) -> str:
        """Write a reference to a table."""
        return name

    def real(self, value: float | str) -> str:
        """Write a number exactly."""
        return real(value)

    def single(self, value: float) -> str:
        """Write a single-precision number exactly, with the fewest digits."""
        return f"{shortest(value)}f" if np.isfinite(np.float32(value)) else real(float(value))

    def mask(self, value: int, bits: int) -> str:
        """Write a word of bits."""
        return f"{value:#x}{'ULL' if bits == 64 else 'U'}"  # noqa: PLR2004 - the width of a word

    def initializer(self, _kind: str, row: Sequence[Any]) -> str:
        """Write a structure with its fields."""
        written = (real(each) if isinstance(each, float) else str(int(each) if isinstance(each, bool) else each)
                   for each in row)  # fmt: skip
        return f"{{{', '.join(written)}}}"

    def length(self, n: int) -> tuple[int, ...]:
        """Return the field for the length of a table."""
        return (n,)

    def model(self, entry: Entry) -> tuple[Any, ...]:
        """Return the fields of a model that another model uses."""
        kind, data, n_outputs = entry
        return f"hb_{kind}", data, n_outputs

    @property
    def integer(self) -> str:
        """The type of integers in tables: the smallest that holds the greatest one."""
        return "short" if self.is_short else "int"


def real(value: float | str) -> str:
    """Write a number exactly.

    Examples
    --------
    >>> real(0.1), real(3), real("NaN")
    ('0.1', '3.0', 'NAN')
    """
    number = float(value)
    if math.isnan(number):
        return "NAN"
    if math.isinf(number):
        return "INFINITY" if number > 0 else "-INFINITY"
    return repr(number)


def shortest(value: float) -> str:
    """Write a finite single-precision number exactly, with the fewest digits, and a point or an exponent."""
    text = str(np.float32(value))
    return text if "." in text or "e" in text else text + ".0"


def string(text: str) -> str:
    r"""Write a text as a C string in UTF-8.

    Examples
    --------
    >>> string('a "b"'), string("ä?")
    ('"a \\"b\\""', '"\\303\\244\\077"')

    Raises
    ------
    ValueError
        If the text has a NUL, which ends a C string.
    """
    if "\0" in text:
        msg = f"the text {text!r} has a NUL character, which a C string cannot hold; rename it"
        raise ValueError(msg)
    plain = (chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}" for byte in text.encode())  # noqa: PLR2004 - printable ASCII
    return '"' + "".join('\\"' if c == "\\042" else "\\\\" if c == "\\134" else c for c in plain) + '"'
