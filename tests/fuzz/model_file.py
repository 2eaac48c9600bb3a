"""Fuzz the model loader: whatever bytes a file holds, loading gives a model that can predict, or a clear error.

Run by `make fuzz`: ``python tests/fuzz/model_file.py [libFuzzer options]``. Checksums stop plain damage at the door, so
the fuzzed bytes are also written over a place in one member of a good file, and the checksums put right.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import warnings
import zipfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hornbeam"]):
    import hornbeam
    import hornbeam.model.invariants
    import hornbeam.model.tree
    from hornbeam.model.errors import ModelError
    from hornbeam.model.storage import MANIFEST, from_bytes, to_bytes

TABLE = hornbeam.read("labor")
GOOD = to_bytes(hornbeam.C45Classifier().fit(TABLE).model_)
with zipfile.ZipFile(io.BytesIO(GOOD)) as _archive:
    MEMBERS = {name: _archive.read(name) for name in _archive.namelist()}
NAMES = sorted(set(MEMBERS) - {MANIFEST})


def sealed(members: dict[str, bytes]) -> bytes:
    """Pack members into a model file whose checksums are right."""
    manifest = json.loads(members[MANIFEST])
    for name, data in members.items():
        if name != MANIFEST:
            manifest["members"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in (members | {MANIFEST: json.dumps(manifest).encode()}).items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data)
    return buffer.getvalue()


def load_bytes(data: bytes) -> None:
    """Load these bytes, and a good file with these bytes written over a place in one of its members."""
    candidates = [data]
    if len(data) > 3:
        name = NAMES[data[0] % len(NAMES)]
        member = bytearray(MEMBERS[name])
        place = int.from_bytes(data[1:3], "little") % len(member)
        member[place : place + len(data) - 3] = data[3:]
        candidates.append(sealed(MEMBERS | {name: bytes(member)}))
    for candidate in candidates:
        try:
            model = from_bytes(candidate)
        except ModelError:
            continue
        try:
            model.predict(TABLE)
        except hornbeam.SchemaError:  # the model may now ask for columns that this table does not have
            continue


def main() -> None:
    """Start from a good file, and from small changes of its members, and from what earlier runs found."""
    corpus = Path(__file__).resolve().parents[2] / "build" / "fuzz" / "model_file" / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / "good").write_bytes(GOOD)
    for number in range(len(NAMES)):
        (corpus / f"member-{number}").write_bytes(bytes([number, 128, 0]) + b"\x01\x00\x00\x00")
    warnings.simplefilter("ignore")  # of categories that a changed model does not know
    atheris.Setup([*sys.argv, str(corpus)], load_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
