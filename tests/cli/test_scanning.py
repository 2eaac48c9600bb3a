"""`hornbeam learn --engine` and `hornbeam predict MODEL FOLDER -o FOLDER`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scanned_tables import made_table, write_database, write_parts

import hornbeam
from hornbeam.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rows(tmp_path: Path) -> str:
    return write_parts(made_table(300), tmp_path / "rows", 3)


def test_learn_and_predict(tmp_path: Path, rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    saved, folder = tmp_path / "model.hornbeam", tmp_path / "predicted"
    options = ["--target", "y", "--workers", "1", "--min-samples-leaf", "20", "--save", str(saved)]
    assert run(["learn", rows, "--engine", "local", *options]) == 0
    printed = capsys.readouterr()
    model = hornbeam.C45Classifier(min_samples_leaf=20).fit(made_table(300)).model_
    assert hornbeam.show.text(model) in printed.out
    assert "300 training rows" in printed.out
    assert "counting the classes and values of 3 partitions" in printed.err
    assert hornbeam.load(saved).same_as(model)
    assert run(["predict", str(saved), str(tmp_path / "rows"), "-o", str(folder), "--proba"]) == 0
    assert "300 rows written to 3 files" in capsys.readouterr().err
    written = pa.concat_tables(pq.read_table(path) for path in sorted(folder.iterdir()))
    assert written.column("predicted_y").to_pylist() == model.predict(made_table(300)).tolist()
    assert written.column_names[-4:] == ["predicted_y", "P(p)", "P(q)", "P(r)"]


@pytest.mark.parametrize(
    ("scheme", "target"), [("forest", "y"), ("boosting", "y"), ("boosting", "x3"), ("ripper", "y"), ("tree", "x3")]
)
def test_other_schemes(rows: str, scheme: str, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["learn", rows, "--engine", "local", "--workers", "0", "--target", target, "--scheme", scheme, "--cv", "3"]
    assert run(wanted) == 0
    printed = capsys.readouterr().out
    assert "300 training rows, " in printed
    assert "3-fold cross-validation, by partitions: " in printed
    assert run([*wanted, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == found["cross_validation"]["rows"] == 300
    if target == "y":
        wrong = found["training_errors"]
        assert f"{1 - wrong / 300:.2%} right" in printed


def test_inside_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_database(made_table(200), tmp_path / "rows.duckdb")
    assert run(["learn", path, "--engine", "duckdb", "--target", "y", "--json", "--scheme", "id3"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 200
    assert found["leaves"] == hornbeam.ID3Classifier().fit(made_table(200)).model_.n_leaves


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "local"], "--engine needs --target"),
        (["--engine", "local", "--target", "y", "--test", "iris"], "--test cannot be used with --engine"),
        (["--engine", "local", "--target", "y", "--cv", "5", "--workers", "0"], "there are 3 partitions"),
        (["--engine", "local", "--target", "z", "--workers", "0"], "no column is called 'z'"),
        (["--engine", "local", "--target", "y", "--workers", "0", "--scheme", "cobweb"], "cobweb"),
        (["--engine", "duckdb", "--target", "y"], "learns inside a DuckDB file"),
    ],
)
def test_mistakes(rows: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["learn", rows, *options]) != 0
    assert message in capsys.readouterr().err


def test_a_folder_that_is_not_empty_stays_as_it_is(tmp_path: Path, rows: str) -> None:
    model = hornbeam.C45Classifier().fit(made_table(300))
    source = hornbeam.scan(rows, workers=0)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    from hornbeam.data.errors import DataError
    from hornbeam.scale.predict import predict_parts

    with pytest.raises(DataError, match="not empty"):
        predict_parts(source, model.model_, tmp_path / "kept")
    with pytest.raises(DataError, match="no column 'x0'"):
        predict_parts(hornbeam.scan(_other(tmp_path), workers=0), model.model_, tmp_path / "new")


def test_clusters_are_written_too(tmp_path: Path, rows: str) -> None:
    model = hornbeam.KMeans(3, random_state=1).fit(hornbeam.scan(rows, target="y", workers=0))
    model.save(tmp_path / "model")
    assert run(["predict", str(tmp_path / "model"), str(tmp_path / "rows"), "-o", str(tmp_path / "out")]) == 0
    written = pa.concat_tables(pq.read_table(path) for path in sorted((tmp_path / "out").iterdir()))
    assert written.column("cluster").to_pylist() == model.predict(made_table(300)).tolist()


def _other(folder: Path) -> str:
    pq.write_table(pa.table({"a": [1.0]}), folder / "other.parquet")
    return str(folder / "other.parquet")
