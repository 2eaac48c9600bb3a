"""Model files as text: JSON, or readable lines. Both can be read back to the same model.

They have the content of a model file: `model.json` as it is, and every array as a list of numbers, written so that they
are read back exactly. When they are read, they are converted to a model file, which is checked like any other.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.base.plain import ModelFileError
from hornbeam.model.files.members import (
    MANIFEST,
    MODEL,
    MOST_JSON_BYTES,
    array_bytes,
    json_bytes,
    open_members,
    pack_members,
    parse_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.core.base.arrays import AnyArray

    Plain = dict[str, Any]

TITLE = "hornbeam model as text"
KEY = "exact"  # the entry of a JSON object from which a model is read
TYPES = ("<f8", "<f4", "<i4", "<i8", "|i1", "|b1")
MOST_SIZES = 2


def to_plain(data: bytes) -> Plain:
    """Return the content of a model file as plain data for JSON."""
    members = open_members(data)
    manifest = parse_json(members[MANIFEST])
    arrays = {}
    for name, content in members.items():
        if name.endswith(".npy"):
            array = np.load(io.BytesIO(content), allow_pickle=False)
            values = [_number(value) for value in array.ravel()]
            arrays[name.removesuffix(".npy")] = {"type": array.dtype.str, "shape": list(array.shape), "values": values}
    head = {key: manifest[key] for key in ("format", "version", "kind")}
    return {**head, "model": parse_json(members[MODEL]), "arrays": arrays}


def from_plain(plain: Any) -> bytes:  # noqa: ANN401 - whatever a file holds
    """Return the model file for plain data.

    Raises
    ------
    ModelFileError
        If something is missing, or has another form.
    """
    try:
        members = {f"{name}.npy": array_bytes(_array(name, entry)) for name, entry in plain["arrays"].items()}
        members[MODEL] = json_bytes(plain["model"])
        head = {key: plain[key] for key in ("format", "version", "kind")}
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"not a model written as text: {type(error).__name__}: {error}"
        raise ModelFileError(msg) from None
    sums = {name: {"bytes": len(each), "sha256": hashlib.sha256(each).hexdigest()} for name, each in members.items()}
    return pack_members({MANIFEST: json_bytes({**head, "members": sums}), **members})


def to_lines(data: bytes, readable: Iterable[str] = ()) -> str:
    """Return the content of a model file as lines.

    Parameters
    ----------
    data : bytes
        The model file.
    readable : iterable of str
        Lines for people, which are written as comments.

    Returns
    -------
    str
        A title, the comments, the schema and all else that is not an array as JSON, one line per array, and the
        SHA-256 of all lines that are not comments.
    """
    plain = to_plain(data)
    lines = [f"{TITLE}, version {plain['version']}, kind {plain['kind']}"]
    lines += [f"model {json_bytes(plain['model']).decode()}"]
    for name, entry in plain["arrays"].items():
        shape = "x".join(map(str, entry["shape"]))
        lines.append(f"{name} {entry['type']} {shape}: {' '.join(map(str, entry['values']))}".rstrip())
    lines.append(f"sha256 {_digest(lines)}")
    comments = [f"# {line}".rstrip() for text in readable for line in text.splitlines()]
    return "\n".join([lines[0], *comments, *lines[1:]]) + "\n"


def from_lines(text: str) -> bytes:
    """Return the model file for lines; see `to_lines`."""
    title, *lines = [line for line in text.split("\n") if line.strip() and not line.startswith("#")]
    words = title.removeprefix(TITLE).replace(",", "").split()
    if len(words) != 4 or words[0] != "version" or not words[1].isdecimal() or words[2] != "kind":  # noqa: PLR2004
        msg = f"the first line is {title[:80]!r}; expected '{TITLE}, version N, kind KIND'"
        raise ModelFileError(msg)
    if len(lines) < 2 or not lines[0].startswith("model ") or not lines[-1].startswith("sha256 "):  # noqa: PLR2004
        raise ModelFileError("expected a line that starts with 'model' and a last line that starts with 'sha256'")
    if lines[-1].split()[-1] != _digest([title, *lines[:-1]]):
        raise ModelFileError("the checksum in the last line is wrong: a line was changed or is missing")
    arrays = {}
    for line in lines[1:-1]:
        head, colon, values = line.partition(":")
        parts = head.split()
        if not colon or len(parts) != 3:  # noqa: PLR2004 - name, type, shape
            msg = f"found the line {line[:80]!r}; expected 'NAME TYPE SHAPE: VALUES'"
            raise ModelFileError(msg)
        arrays[parts[0]] = {"type": parts[1], "shape": parts[2].split("x"), "values": values.split()}
    version, kind = int(words[1]), words[3]
    plain = parse_json(lines[0].removeprefix("model ").encode())
    return from_plain({"format": "hornbeam model", "version": version, "kind": kind, "model": plain, "arrays": arrays})


def binary(data: bytes) -> bytes:
    """Return a model file, whichever form its content has: binary, JSON or lines."""
    start = data[:1000].lstrip()
    if not start.startswith((b"{", TITLE.encode())):
        return data
    if len(data) > MOST_JSON_BYTES:
        msg = f"a model written as text has {len(data)} bytes; expected at most {MOST_JSON_BYTES}"
        raise ModelFileError(msg)
    try:
        if start.startswith(b"{"):
            return from_plain(json.loads(data)[KEY])
        return from_lines(data.decode("utf-8"))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        if isinstance(error, ModelFileError):
            raise
        msg = f"not a model written as JSON or text by hornbeam ({type(error).__name__}: {str(error)[:100]})"
        raise ModelFileError(msg) from None


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _number(value: Any) -> int | float | str:  # noqa: ANN401 - a scalar of NumPy
    """Return a number for JSON that reads back exactly; single precision with the fewest digits."""
    if value.dtype.kind != "f":
        return int(value)
    if not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    number = float(str(value))
    return int(number) if number.is_integer() and abs(number) < 1e15 and math.copysign(1, number) > 0 else number  # noqa: PLR2004 - short


def _array(name: str, entry: Any) -> AnyArray:  # noqa: ANN401 - whatever a file holds
    kind, shape, values = entry["type"], [int(extent) for extent in entry["shape"]], entry["values"]
    if kind not in TYPES or not 1 <= len(shape) <= MOST_SIZES or math.prod(shape) != len(values) or min(shape) < 0:
        msg = f"the array {name!r} has type {kind!r}, shape {shape} and {len(values)} values, which do not fit together"
        raise ModelFileError(msg)
    is_real = kind.startswith("<f")
    try:
        numbers = [float(value) if is_real else int(value) for value in values]
        return np.array(numbers, np.dtype(kind)).reshape(shape)
    except (ValueError, OverflowError) as error:
        msg = f"the array {name!r} has a value that is not a number of type {kind}: {error}"
        raise ModelFileError(msg) from None
