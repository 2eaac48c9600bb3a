"""Fuzz the model loader: whatever bytes a file holds, loading gives a model that can be used, or a clear error.

Run by `make fuzz`: ``python tests/fuzz/model_file.py [libFuzzer options]``. Checksums stop plain damage at the door, so
the fuzzed bytes are also written over a place in one member of good files of every kind, and the checksums put right.
A model that loads is used in every way: it predicts, is shown, drawn, exported, explained, and saved again.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
with atheris.instrument_imports(include=["hornbeam"]):
    from using_models import good_files, use

    import hornbeam.model.forests.invariants
    import hornbeam.model.svm.check
    import hornbeam.model.trees.invariants
    import hornbeam.model.trees.tree  # noqa: F401 - instrumented where they are imported first
    from hornbeam.model.base.plain import ModelError
    from hornbeam.model.files.storage import MANIFEST, from_bytes

FIXTURES = Path(__file__).resolve().parents[1] / "model" / "files" / "fixtures"
GOOD = (*good_files().values(), *(path.read_bytes() for path in sorted(FIXTURES.glob("*.hornbeam"))))


def members_of(data: bytes) -> dict[str, bytes]:
    """Give the members of a model file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


MEMBERS = tuple(map(members_of, GOOD))
PLACES = [(file, name) for file, members in enumerate(MEMBERS) for name in sorted(set(members) - {MANIFEST})]


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
    if len(data) > 4:
        file, name = PLACES[int.from_bytes(data[:2], "little") % len(PLACES)]
        member = bytearray(MEMBERS[file][name])
        place = int.from_bytes(data[2:4], "little") % len(member)
        member[place : place + len(data) - 4] = data[4:]
        candidates.append(sealed(MEMBERS[file] | {name: bytes(member)}))
    for candidate in candidates:
        try:
            model = from_bytes(candidate)
        except ModelError:
            continue
        use(model)


def main() -> None:
    """Start from good files, and from small changes of their members, and from what earlier runs found."""
    corpus = Path(__file__).resolve().parents[2] / "build" / "fuzz" / "model_file" / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, good in enumerate(GOOD):
        (corpus / f"good-{number}").write_bytes(good)
    for number in range(len(PLACES)):
        (corpus / f"member-{number}").write_bytes(number.to_bytes(2, "little") + b"\x80\x00\x01\x00\x00\x00")
    warnings.simplefilter("ignore")  # of categories that a changed model does not know
    atheris.Setup([*sys.argv, str(corpus)], load_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
