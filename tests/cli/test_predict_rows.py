"""`hornbeam predict`: columns that are kept, explanations of many rows, formats by ending, files in parts."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.cli import predict
from hornbeam.cli.predicting import streaming

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("predict")
    iris = hornbeam.read("iris")
    hornbeam.C45Classifier().fit(iris).save(place / "tree.model")
    iris.write(place / "iris.csv")
    lines = (place / "iris.csv").read_text(encoding="utf-8").splitlines()
    rows = [f'{i:04d},{i + 2**60},"flower {i},\nof ""iris""",{line}' for i, line in enumerate(lines[1:], start=1)]
    (place / "rows.csv").write_text("\n".join([f"id,big,name,{lines[0]}", *rows, ""]), encoding="utf-8")
    (place / "new.csv").write_text("\n".join([f"id,{lines[0]}", f"7,{lines[1]}", f"8,{lines[-1]}"]), encoding="utf-8")
    return place


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_kept_columns_come_first_and_unchanged(good: Any, folder: Path) -> None:
    kept = rows_of(
        good("predict", folder / "tree.model", folder / "rows.csv", "--keep", "id,big", "--keep", "name").out
    )
    assert list(kept[0]) == ["id", "big", "name", "class"]
    assert [row["id"] for row in kept] == [f"{i:04d}" for i in range(1, 151)]  # zeros stay
    assert [row["big"] for row in kept] == [str(i + 2**60) for i in range(1, 151)]  # digits stay
    assert kept[2]["name"] == 'flower 3,\nof "iris"'
    plain = rows_of(good("predict", folder / "tree.model", "iris").out)
    assert [row["class"] for row in kept] == [row["class"] for row in plain]


def test_all_columns_are_kept(good: Any, folder: Path) -> None:
    appended = rows_of(good("predict", folder / "tree.model", folder / "rows.csv", "--append", "--proba").out)
    names = ["sepallength", "sepalwidth", "petallength", "petalwidth", "class"]
    classes = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    assert list(appended[0]) == ["id", "big", "name", *names, "predicted_class", *(f"P({one})" for one in classes)]
    assert appended[0]["sepallength"] == "5.1"
    wrong = [row for row in appended if row["class"] != row["predicted_class"]]
    assert len(wrong) == 3


@pytest.mark.parametrize("block", [None, 300])
def test_a_name_with_a_comma_can_be_kept(
    good: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int | None
) -> None:
    if block is not None:  # read in parts
        monkeypatch.setattr(predict, "WHOLE_BYTES", 100)
        monkeypatch.setattr(streaming, "BLOCK", block)
    lines = (folder / "iris.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{i:03d},{i}.0,{i + 1},{line}" for i, line in enumerate(lines[1:])]
    (tmp_path / "new.csv").write_text("\n".join([f'"a,b",c,d,{lines[0]}', *rows]), encoding="utf-8")
    for typed in (("a,b", "c,d"), ("a,b", "d, c"), ("c,d",), ("a,b",)):
        words = [word for name in typed for word in ("--keep", name)]
        kept = rows_of(good("predict", folder / "tree.model", tmp_path / "new.csv", *words).out)
        names = [name for one in typed for name in ([one] if one == "a,b" else one.replace(" ", "").split(","))]
        assert list(kept[0]) == [*names, "class"]
        cells = {"a,b": "149", "c": "149.0", "d": "150"}
        assert [kept[149][name] for name in names] == [cells[name] for name in names]  # as they are written


def test_cells_are_written_in_groups_of_rows(good: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = ("predict", folder / "tree.model", folder / "rows.csv", "--append", "--proba")
    whole = good(*call).out
    monkeypatch.setattr(predict, "WRITTEN_ROWS", 7)
    assert good(*call).out == whole


def test_a_sheet_without_room_is_refused_before_rows_are_predicted(
    bad: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hornbeam.data.write._MOST_EXCEL_ROWS", 150)
    monkeypatch.setattr(predict.Prediction, "labels", lambda *_: pytest.fail("rows were predicted"))
    told = bad("predict", folder / "tree.model", "iris", "--keep", "petalwidth", "-o", tmp_path / "x.xlsx").err
    assert "the table has 150 rows and 2 columns; a sheet has room for 149 and" in told
    assert not (tmp_path / "x.xlsx").exists()


def test_which_columns_can_be_kept(bad: Any, folder: Path) -> None:
    told = bad("predict", folder / "tree.model", folder / "rows.csv", "--keep", "ID").err
    assert "no column is called 'ID'; did you mean 'id'?" in told
    told = bad("predict", folder / "tree.model", folder / "rows.csv", "--keep", "id", "--append").err
    assert "--keep and --append were given" in told


def test_json_has_the_kept_columns(good: Any, folder: Path) -> None:
    plain = good("predict", folder / "tree.model", folder / "new.csv", "--keep", "id", "--json").json
    assert plain["kept"] == {"id": [7.0, 8.0]}
    assert plain["predictions"] == ["Iris-setosa", "Iris-virginica"]


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".arff", ".tsv", ".json", ".jsonl", ".xlsx"])
def test_the_ending_says_the_format(good: Any, folder: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out{ending}"
    good("predict", folder / "tree.model", folder / "new.csv", "--keep", "id", "--proba", "-o", out)
    table = hornbeam.read(out)
    assert table.schema.names[:3] == ("id", "class", "P(Iris-setosa)")
    assert table.column("id").tolist() == [7, 8]  # numbers, since every text was one
    assert list(table.schema.columns[1].categories)[table.column("class")[1]] == "Iris-virginica"


def test_other_endings_are_refused_before_the_work(bad: Any, folder: Path, tmp_path: Path) -> None:
    for name in ("out.docx", "out"):
        told = bad("predict", folder / "no such model", folder / "new.csv", "-o", tmp_path / name).err
        assert ".csv" in told
        assert ".parquet" in told
        assert not (tmp_path / name).exists()


LEARNERS = {
    "tree": hornbeam.C45Classifier(),
    "rules": hornbeam.RipperClassifier(),
    "forest": hornbeam.RandomForestClassifier(3, random_state=1),
    "boosting": hornbeam.GradientBoostingClassifier(3),
    "bagging": hornbeam.BaggingClassifier("c45", n_estimators=2),
    "neighbors": hornbeam.NeighborsClassifier(),
    "svm": hornbeam.SVMClassifier(),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_row_is_explained(good: Any, folder: Path, tmp_path: Path, name: str) -> None:
    model = tmp_path / "model"
    fitted = LEARNERS[name].fit(hornbeam.read("iris"))
    fitted.save(model)
    texts = [hornbeam.show.explain(fitted, hornbeam.read(folder / "new.csv"), row) for row in (0, 1)]
    printed = good("predict", model, folder / "new.csv", "--explain", "all").out
    assert printed == "\n\n".join(texts) + "\n"
    answers = good("predict", model, folder / "new.csv", "--json").json["predictions"]
    plain = good("predict", model, folder / "new.csv", "--explain", "all", "--json", "--keep", "id").json
    assert [one["prediction"] for one in plain["explanations"]] == answers
    assert [one["explanation"] for one in plain["explanations"]] == texts
    assert [one["kept"] for one in plain["explanations"]] == [{"id": "7"}, {"id": "8"}]
    for one in plain["explanations"]:
        assert f"class = {one['prediction']}" in one["explanation"].splitlines()[-1]


def test_explanations_show_the_values_of_the_row(good: Any, folder: Path) -> None:
    told = good("predict", folder / "tree.model", "iris", "--explain", "71", "--keep", "petallength").out
    assert told.splitlines()[:4] == ["petallength 4.8", "row 71:", "  petalwidth > 0.6: 1.8", "  petalwidth > 1.7: 1.8"]


def test_explanations_have_the_kept_columns_and_the_probabilities(good: Any, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(
        "n,sepallength,sepalwidth,petallength,petalwidth\n41,5,3,1.5,0.6\n7,5,3,,1\n", encoding="utf-8"
    )
    call = ("predict", folder / "tree.model", tmp_path / "one.csv", "--explain", "1,2", "--append", "--proba")
    first, second = good(*call).out.split("\n\n")
    assert first.splitlines() == [
        "n 41, sepallength 5, sepalwidth 3, petallength 1.5, petalwidth 0.6",
        "row 1:",
        "  petalwidth <= 0.6: 0.6",
        "so class = Iris-setosa, as for 50 training rows",
        "probabilities: P(Iris-setosa) 1, P(Iris-versicolor) 0, P(Iris-virginica) 0",
    ]
    assert second.splitlines()[0] == "n 7, sepallength 5, sepalwidth 3, petallength ?, petalwidth 1"
    plain = good(*call, "--json").json["explanations"][0]
    assert plain["kept"]["n"] == 41
    assert plain["probabilities"]["Iris-setosa"] == 1


def test_some_rows_are_explained(good: Any, bad: Any, folder: Path, tmp_path: Path) -> None:
    told = good("predict", folder / "tree.model", "iris", "--explain", "1,70..71").out
    assert [line for line in told.splitlines() if line.startswith("row")] == ["row 1:", "row 70:", "row 71:"]
    good(
        "predict",
        folder / "tree.model",
        folder / "rows.csv",
        "--explain",
        "2",
        "--keep",
        "id",
        "-o",
        tmp_path / "x.csv",
    )
    (row,) = rows_of((tmp_path / "x.csv").read_text(encoding="utf-8"))
    assert row["id"] == "0002"
    assert row["explanation"].startswith("petalwidth <= 0.6: 0.2; so class = Iris-setosa")
    for wrong in ("0", "x", "1..", "3,,4"):
        assert (
            f"--explain {wrong}: expected row numbers"
            in bad("predict", folder / "tree.model", "iris", "--explain", wrong).err
        )
    assert "the data have 150 rows" in bad("predict", folder / "tree.model", "iris", "--explain", "151").err
    far = bad("predict", folder / "tree.model", "iris", "--explain", "1..99999999999").err
    assert "expected at most 1,000,000 rows by number, or all" in far


@pytest.mark.parametrize("options", [(), ("--proba",), ("--keep", "id,name"), ("--append",), ("--json",)])
@pytest.mark.parametrize("block", [300, 1_000, 5_000])
def test_a_file_in_parts_gives_the_same(
    good: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], block: int
) -> None:
    whole = good("predict", folder / "tree.model", folder / "rows.csv", *options)
    sizes = in_parts(monkeypatch, block)
    parts = good("predict", folder / "tree.model", folder / "rows.csv", *options)
    assert len(sizes) > 1
    assert sum(sizes) == 150
    assert parts.out == whole.out
    assert parts.err == whole.err


def in_parts(monkeypatch: pytest.MonkeyPatch, block: int) -> list[int]:
    """Read files in blocks of so many bytes; give the list of rows per part, which fills when a file is read."""
    monkeypatch.setattr(predict, "WHOLE_BYTES", 100)
    monkeypatch.setattr(streaming, "BLOCK", block)
    sizes: list[int] = []
    original = streaming.parts_of

    def counted(*arguments: Any) -> Any:
        for table in original(*arguments):
            sizes.append(table.n_rows)
            yield table

    monkeypatch.setattr(streaming, "parts_of", counted)
    return sizes


@pytest.mark.parametrize("ending", [".parquet", ".arff"])
def test_parts_in_other_formats(
    good: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    call = ("predict", folder / "tree.model", folder / "rows.csv", "--keep", "id,name", "--proba", "-o")
    good(*call, tmp_path / f"whole{ending}")
    assert not in_parts(monkeypatch, 1_000)
    good(*call, tmp_path / f"parts{ending}")
    whole, parts = (hornbeam.read(tmp_path / f"{name}{ending}") for name in ("whole", "parts"))
    assert whole.schema.columns == parts.schema.columns
    assert all(a.tolist() == b.tolist() for a, b in zip(whole.columns, parts.columns, strict=True))


def test_what_cannot_be_cut_is_read_at_once(
    good: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = good("predict", folder / "tree.model", folder / "iris.csv").out
    (tmp_path / "wide.csv").write_bytes((folder / "iris.csv").read_text(encoding="utf-8").encode("utf-16"))
    hornbeam.read("iris").write(tmp_path / "iris.parquet")
    sizes = in_parts(monkeypatch, 1_000)
    for name in ("wide.csv", "iris.parquet"):
        assert good("predict", folder / "tree.model", tmp_path / name).out == whole
    assert sizes == [150, 150]


def test_unseen_categories_in_many_parts(good: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{'ab'[i % 2]},{'yn'[i % 2]}" for i in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,y", *rows]), encoding="utf-8")
    good("learn", tmp_path / "rows.csv", "--cv", "0", "--save", tmp_path / "model")
    rows = [f"new{i},y" for i in range(100)]
    (tmp_path / "new.csv").write_text("\n".join(["x,y", *rows]), encoding="utf-8")
    sizes = in_parts(monkeypatch, 60)
    told = good("predict", tmp_path / "model", tmp_path / "new.csv").err
    assert len(sizes) > 10
    assert told.count("categories not seen in training are read as missing") == 5
    assert f"categories not seen in training in {len(sizes) - 5} more parts" in told


def test_json_of_explanations_is_standard(good: Any, folder: Path) -> None:
    text = good("predict", folder / "tree.model", "iris", "--explain", "all", "--json", "--proba").out
    plain = json.loads(text, parse_constant=pytest.fail)
    assert len(plain["explanations"]) == 150
    assert sum(plain["explanations"][0]["probabilities"].values()) == pytest.approx(1)


def test_a_file_of_several_targets_is_refused(bad: Any, folder: Path) -> None:
    x = np.arange(24.0).reshape(8, 3)
    hornbeam.TreeRegressor().fit(x, x[:, :2] ** 2).save(folder / "several.model")
    said = bad("predict", folder / "several.model", folder / "iris.csv").err
    assert "has the models of 2 targets; expected one. In Python: hornbeam.load(" in said
