"""Fuzz the text readers: whatever bytes a file holds, reading gives a table or a clear error.

Run by `make fuzz`: ``python tests/fuzz/reading.py [libFuzzer options]``. The first byte chooses CSV, ARFF or JSON.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["hornbeam"]):
    from hornbeam.data.errors import DataError
    from hornbeam.data.read import read
    from hornbeam.data.schema import SchemaError

SEEDS = (
    b"\x00a,b,c\n1,x,2.5\n2,?,\n3,'q',1e9\n",
    b'\x00"a;1";b\n"x ""y""";2\n',
    b"\x01@relation r\n@attribute a {x,'y z'}\n@attribute b numeric\n@data\nx,1\n?,2\n",
    b"\x01@relation r\n@attribute d date yyyy-MM-dd\n@data\n2020-01-01\n?\n",
    b"\x01@relation r\n@attribute a numeric\n@attribute b {u,v}\n@data\n{0 3, 1 v}, {2}\n{1 v}\n",
    b"\x00Title\n# x\na,b,\n1,2,\n3,4,\n",
    b'\x02[{"a": 1.5, "b": "x"}, {"a": null}]',
    b'\x02{"a": 1}\n{"b": [2]}\n',
)
FOLDER = Path(__file__).resolve().parents[2] / "build" / "fuzz" / "reading"


def read_bytes(data: bytes) -> None:
    """Read a file of these bytes."""
    if not data:
        return
    path = FOLDER / ("fuzz.csv", "fuzz.arff", "fuzz.json")[data[0] % 3]
    path.write_bytes(data[1:])
    try:
        table = read(path)
    except (DataError, SchemaError):
        return
    assert all(len(column) == table.n_rows for column in table.columns)
    table.fingerprint()


def main() -> None:
    """Start from small well-formed files, and from what earlier runs found."""
    corpus = FOLDER / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (corpus / str(number)).write_bytes(seed)
    atheris.Setup([*sys.argv, str(corpus)], read_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
