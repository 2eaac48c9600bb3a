"""The evidence: public data sets, and what the reference programs made of them. The only module that reads it.

It lies in the folder `evidence`, compressed: `data/<set>.arff.gz`, `folds.jsonl.gz` with a line per set, and
`answers/<scheme>.jsonl.gz` with a line per set. SOURCES.md there says where all of it comes from, `pack.py` makes it.
Run in the folder `tests` as ``python -m oracle.evidence``, this module unpacks every data set and prints the folder.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

EVIDENCE = Path(__file__).resolve().parent / "evidence"
UNPACKED = EVIDENCE.parents[2] / "build" / "evidence"

# The sets that `make test` compares. `make oracle` compares all.
SMALL = (
    *("auto-mpg", "breast-cancer", "contact-lenses", "cpu", "glass", "hepatitis", "iris", "labor", "servo"),
    *("spect-train", "vote", "weather.nominal", "weather.numeric", "zoo"),
)


@cache
def sets() -> tuple[str, ...]:
    """Names of all data sets."""
    return tuple(sorted(path.name.removesuffix(".arff.gz") for path in (EVIDENCE / "data").glob("*.arff.gz")))


@cache
def schemes() -> tuple[str, ...]:
    """Names of all schemes that have answers."""
    return tuple(sorted(path.name.removesuffix(".jsonl.gz") for path in (EVIDENCE / "answers").glob("*.jsonl.gz")))


@cache
def arff(data: str) -> Path:
    """Give the file of a data set; it is unpacked on first use, into a folder that Git ignores."""
    content = gzip.decompress((EVIDENCE / "data" / f"{data}.arff.gz").read_bytes())
    path = UNPACKED / f"{data}.arff"
    if not (path.exists() and path.read_bytes() == content):
        UNPACKED.mkdir(parents=True, exist_ok=True)
        # Several processes may do this at the same time: none may see half a file.
        handle, draft = tempfile.mkstemp(dir=UNPACKED)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(draft).replace(path)
    return path


@cache
def _lines(path: Path) -> dict[str, dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode()
    return {stored["data"]: stored for stored in map(json.loads, text.splitlines())}


def answered(scheme: str) -> tuple[str, ...]:
    """Names of the sets that a scheme was run on, also of those where it was stopped before it had an answer."""
    return tuple(_lines(EVIDENCE / "answers" / f"{scheme}.jsonl.gz"))


def answers(scheme: str, data: str) -> dict[str, Any]:
    """What a scheme made of a set; SOURCES.md lists the fields. Do not change it: it is read once."""
    return _lines(EVIDENCE / "answers" / f"{scheme}.jsonl.gz")[data]


def cross_validated(scheme: str, data: str) -> bool:
    """Whether a scheme was cross-validated on a set; it was stopped where that took too long."""
    return "cv" in answers(scheme, data)


def folds(data: str) -> dict[str, Any]:
    """WEKA's ten folds of a set; SOURCES.md lists the fields."""
    return _lines(EVIDENCE / "folds.jsonl.gz")[data]


def small_pairs(schemes: Iterable[str]) -> list[tuple[str, str]]:
    """Every scheme with every small set that it was run on."""
    return [(scheme, data) for scheme in schemes for data in answered(scheme) if data in SMALL]


def large_pairs(schemes: Iterable[str]) -> list[tuple[str, str]]:
    """Every scheme with every other set that it was run on."""
    return [(scheme, data) for scheme in schemes for data in answered(scheme) if data not in SMALL]


if __name__ == "__main__":
    for each in sets():
        arff(each)
    sys.stdout.write(f"{UNPACKED}\n")
