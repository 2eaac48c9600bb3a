"""Model files taken apart and put together again, for tests of what strange ones come to."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np
from hypothesis import strategies as st

EXTREMES = (-(2**31), -3, -2, -1, 0, 1, 2, 3, 100, 2**31 - 1)  # whole numbers that may do harm


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members: dict[str, bytes], manifest: dict[str, Any] | None = None) -> bytes:
    """A file whose checksums are right, whatever its members hold."""
    content = {name: data for name, data in members.items() if name != "manifest.json"}
    listed = {n: {"bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in content.items()}
    head = {"format": "hornbeam model", "version": 1, "kind": "tree", "members": listed, **(manifest or {})}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in {"manifest.json": json.dumps(head).encode(), **content}.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def array_bytes(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, version=(1, 0))
    return buffer.getvalue()


def with_strange_arrays(members: dict[str, bytes], data: st.DataObject) -> dict[str, bytes]:
    """The members of a file with a few values of arrays changed, or arrays cut short."""
    members = dict(members)
    names = [member for member in members if member.endswith(".npy") and len(members[member]) > 128]
    for _ in range(data.draw(st.integers(1, 3))):
        member = data.draw(st.sampled_from(names))
        array = np.load(io.BytesIO(members[member])).copy()
        if not array.size:
            continue
        place = data.draw(st.integers(0, array.size - 1))
        floats = st.sampled_from([0.0, -1.0, 0.5, 1e300, np.nan, np.inf, -np.inf])
        value = data.draw(floats if array.dtype.kind == "f" else st.sampled_from(EXTREMES))
        with np.errstate(over="ignore"):
            array.flat[place] = np.array(value).astype(array.dtype)
        if data.draw(st.integers(0, 5)) == 0:
            array = array[: data.draw(st.integers(0, len(array)))]
        members[member] = array_bytes(array)
    return members


def with_strange_plain(members: dict[str, bytes], kind: str, data: st.DataObject) -> dict[str, bytes]:
    """The members of a file with something else in one place of what is not an array."""
    plain = json.loads(members["model.json"])
    part: Any = plain
    key: Any = data.draw(st.sampled_from(["schema", kind]))
    while isinstance(part[key], dict | list) and part[key] and data.draw(st.booleans()):
        part = part[key]
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else list(range(len(part)))))
    part[key] = data.draw(st.sampled_from([None, -1, 0, 99, 2**40, 1e400, 0.5, "x", [], {}, True, ["a"], {"a": []}]))
    return {**members, "model.json": json.dumps(plain).encode()}
