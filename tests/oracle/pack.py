"""Make the evidence from raw answers: ``python -m oracle.pack DATA ANSWERS``, run in the folder `tests`.

DATA is a folder of ARFF files. ANSWERS has a folder for each scheme and one named `folds`, each with a JSON file per
set. The same files give the same bytes, as long as Python's zlib is the same. Schemes that no comparison uses are left
out, and so are the seconds that a run took.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

from oracle.evidence import EVIDENCE
from oracle.schemes import PROGRAMS

SECONDS = {"wall_s", "build_s", "cv_s"}


def squeezed(content: bytes) -> bytes:
    """Compress, without a time or a name in the header."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def lines_of(folder: Path) -> bytes:
    """All JSON files of a folder, one per line, each with the name of its set first."""
    lines = []
    for path in sorted(folder.glob("*.json")):
        stored = json.loads(path.read_text(encoding="utf-8"))
        kept = {key: value for key, value in stored.items() if key not in SECONDS}
        lines.append(json.dumps({"data": path.stem, **kept}, ensure_ascii=False, separators=(",", ":")) + "\n")
    return "".join(lines).encode()


def pack(data: Path, raw: Path, to: Path, schemes: list[str]) -> None:
    """Write the evidence into a folder."""
    for name in ("data", "answers"):
        (to / name).mkdir(parents=True, exist_ok=True)
    for path in sorted(data.glob("*.arff")):
        (to / "data" / f"{path.name}.gz").write_bytes(squeezed(path.read_bytes()))
    (to / "folds.jsonl.gz").write_bytes(squeezed(lines_of(raw / "folds")))
    for scheme in schemes:
        (to / "answers" / f"{scheme}.jsonl.gz").write_bytes(squeezed(lines_of(raw / scheme)))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make the evidence from raw answers.")
    parser.add_argument("data", type=Path, help="a folder of ARFF files")
    parser.add_argument("answers", type=Path, help="a folder with a folder of JSON files for each scheme")
    named = parser.parse_args()
    pack(named.data, named.answers, EVIDENCE, [scheme for schemes in PROGRAMS.values() for scheme in schemes])


if __name__ == "__main__":
    main()
