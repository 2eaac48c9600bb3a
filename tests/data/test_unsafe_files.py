"""Files that change while they are read, and files that unpack to far more than they are."""

from __future__ import annotations

import gzip
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.files import unzip

if TYPE_CHECKING:
    from pathlib import Path

CUT_SHORT = """
import os, sys
import hornbeam
import hornbeam.data.text.csv as csv
read_csv = csv.read_csv
def cut(data, *arguments, **options):
    os.truncate(sys.argv[1], 0)
    return read_csv(data, *arguments, **options)
csv.read_csv = cut
print(hornbeam.read(sys.argv[1]).n_rows)
"""


def test_a_file_may_shrink_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("a,b\n" + "1,x\n" * 200_000)
    done = subprocess.run([sys.executable, "-c", CUT_SHORT, path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "200000"), done.stderr


def test_a_small_file_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,x\n" * 2_000_000))
    assert hornbeam.read(path).n_rows == 2_000_000
    monkeypatch.setattr(unzip, "ALWAYS", 1 << 20)
    monkeypatch.setattr(unzip, "RATIO", 100)
    with pytest.raises(DataError, match=r"unpacks to more than \d+; if that is right, unpack it first"):
        hornbeam.read(path)


def test_the_limit_is_for_the_whole_file_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unzip, "ALWAYS", 1000)
    monkeypatch.setattr(unzip, "RATIO", 1)
    part = gzip.compress(b"0" * 400)
    assert unzip.unzipped(part * 2) == b"0" * 800
    with pytest.raises(DataError, match="unpacks to more than 1000"):
        unzip.unzipped(part * 3)
    assert unzip.unzipped(gzip.compress(b"0" * 1000)) == b"0" * 1000


def test_parts_padding_and_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unzip, "BLOCK", 7)  # parts begin anywhere in a block
    text = bytes(range(256)) * 9
    whole = gzip.compress(text) + gzip.compress(b"") + gzip.compress(b"end") + b"\0" * 20
    assert unzip.unzipped(whole) == text + b"end"
    for data in (whole[:-1] + b"x", whole[:100], gzip.compress(text)[:-1], whole[:60] + b"\xff" * 9 + whole[69:]):
        with pytest.raises(DataError, match="the gzip file is damaged"):
            unzip.unzipped(data)
