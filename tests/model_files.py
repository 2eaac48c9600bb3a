"""Model files taken apart and put together again, for tests of what strange ones come to."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

import numpy as np

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
