"""`hornbeam predict` of a file in parts: every format is the same as of the whole file, with few rows in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import hornbeam
from hornbeam.cli import predict
from hornbeam.cli.predicting import spool, streaming
from hornbeam.data import write

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hornbeam.data.table import Table

N = 300


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("parts")
    iris = hornbeam.read("iris")
    hornbeam.C45Classifier().fit(iris).save(place / "tree.model")
    iris.write(place / "iris.csv")
    lines = (place / "iris.csv").read_text(encoding="utf-8").splitlines()
    rows = [
        # mixed: numbers at first, texts later; late: missing at first; day: dates; zip: texts, all of digits
        f"{i},{i if i < 200 else f'lot {i}'},{'' if i < 150 else i},2024-01-{1 + i % 28:02d},{i:05d},"
        + lines[1 + i % 150]
        for i in range(N)
    ]
    (place / "rows.csv").write_text("\n".join([f"id,mixed,late,day,zip,{lines[0]}", *rows, ""]), encoding="utf-8")
    return place


def in_parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Read files in parts; give the list of rows of each part that is written."""
    monkeypatch.setattr(predict, "WHOLE_BYTES", 100)
    monkeypatch.setattr(streaming, "BLOCK", 2_000)
    sizes: list[int] = []
    original = write.write_parts

    def counted(parts: Iterable[Table], path: Any) -> None:
        def each() -> Any:
            for part in parts:
                sizes.append(part.n_rows)
                yield part

        original(each(), path)

    monkeypatch.setattr(write, "write_parts", counted)
    return sizes


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        return list(parquet.read_table(path).to_pylist())
    if path.suffix == ".feather":
        return list(feather.read_table(path).to_pylist())
    text = path.read_text(encoding="utf-8")
    return list(json.loads(text)) if path.suffix == ".json" else list(map(json.loads, text.splitlines()))


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".json", ".jsonl"])
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--keep", "id,zip", "--proba"),
        ("--keep", "mixed,late,day"),
        ("--append",),
        ("--explain", "all", "--keep", "id"),
    ],
    ids=["alone", "keep", "mixed", "append", "explain"],
)
def test_every_format_is_written_in_parts(
    good: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, options: tuple[str, ...]
) -> None:
    call = ("predict", folder / "tree.model", folder / "rows.csv", *options, "-o")
    good(*call, tmp_path / f"whole{ending}")
    sizes = in_parts(monkeypatch)
    good(*call, tmp_path / f"parts{ending}")
    assert len(sizes) > 3
    assert sum(sizes) == N
    whole, parts = (rows_of(tmp_path / f"{name}{ending}") for name in ("whole", "parts"))
    assert parts == whole
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ending] == []


def test_a_column_with_texts_only_in_later_parts_keeps_its_values(
    good: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(monkeypatch)
    for ending in (".xlsx", ".arff", ".parquet"):
        path = tmp_path / f"out{ending}"
        good("predict", folder / "tree.model", folder / "rows.csv", "--append", "-o", path)
        table = hornbeam.read(path, nominal=["mixed"], keep=["mixed"])
        column, codes = table.schema.columns[table.schema.position("mixed")], table.column("mixed")
        texts = [column.categories[code] for code in codes]
        assert texts == [str(i) if i < 200 else f"lot {i}" for i in range(N)]


@pytest.mark.parametrize("options", [(), ("--keep", "id", "--proba"), ("--json",)], ids=["alone", "keep", "json"])
@pytest.mark.parametrize("rows", ["all", "7", "299,1..3,120"])
def test_explanations_of_parts_are_those_of_the_whole_file(
    good: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], rows: str
) -> None:
    call = ("predict", folder / "tree.model", folder / "rows.csv", "--explain", rows, *options)
    whole = good(*call).out
    in_parts(monkeypatch)
    assert good(*call).out == whole
    if not options and rows == "299,1..3,120":
        assert [line for line in whole.splitlines() if line.startswith("row ")] == [
            f"row {number}:" for number in (299, 1, 2, 3, 120)
        ]


def test_a_row_beyond_the_last_part_is_an_error(bad: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts(monkeypatch)
    told = bad("predict", folder / "tree.model", folder / "rows.csv", "--explain", "5,301")
    assert told.err.splitlines()[-1] == "hornbeam: --explain 5,301: the data have 300 rows"
    assert not told.out


def test_an_interrupt_leaves_no_file(
    command: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_parts(monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)

    def stop(self: Any) -> Any:
        yield from [next(iter(original(self)))]
        raise KeyboardInterrupt

    original = spool.Spool.parts
    monkeypatch.setattr(spool.Spool, "parts", stop)
    out = tmp_path / "out.jsonl"
    assert command("predict", folder / "tree.model", folder / "rows.csv", "-o", out).code == 130
    assert list(tmp_path.iterdir()) == []


def test_written_parts_read_back(tmp_path: Path) -> None:
    iris = hornbeam.read("iris")
    for ending in write.PARTED:
        path = tmp_path / f"iris{ending}"
        write.write_parts((iris.take(np.arange(i, i + 50)) for i in (0, 50, 100)), path)
        back = hornbeam.read(path)
        assert back.schema.names == iris.schema.names
        assert all(np.array_equal(a, b) for a, b in zip(back.columns, iris.columns, strict=True))
    assert pa.types.is_string(parquet.read_schema(tmp_path / "iris.parquet").field("class").type)
