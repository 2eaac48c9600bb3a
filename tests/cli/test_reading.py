"""Options for files, typed: what a note names can be typed, and means the same in Python."""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from hornbeam.cli.data import data
from hornbeam.cli.main import run
from hornbeam.data.read import read

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "name,age,class\nAnn,30.5,a\nBob,41.5,b\nCid,52.5,a\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.csv"


def columns(outcome: Any) -> list[str]:
    return [column["name"] for column in outcome.json["columns"]]


def test_header(good: Any, path: Path) -> None:
    path.write_text("1,2\n3,4\n")
    assert columns(good("data", path, "--json")) == ["column1", "column2"]
    assert columns(good("data", path, "--json", "--header")) == ["1", "2"]
    path.write_text(TABLE)
    assert columns(good("data", path, "--json", "--no-header")) == ["column1", "column2", "column3"]


def test_titles_and_skipped_rows(good: Any, bad: Any, path: Path) -> None:
    path.write_text("Our staff\nof 2023\n" + TABLE)
    outcome = good("data", path)
    assert "titles: lines 1 to 2 are skipped" in outcome.err
    assert columns(good("data", path, "--json", "--skip-rows", 2)) == ["name", "age", "class"]
    assert "line 3: found 3 values, expected 1" in bad("data", path, "--skip-rows", 0).err


def test_comments(good: Any, bad: Any, path: Path) -> None:
    path.write_text("% x\n" + TABLE + "% y\n")
    assert columns(good("data", path, "--json", "--comment", "%")) == ["name", "age", "class"]
    path.write_text("#" + TABLE + "#Dot,60.5,b\n")
    assert good("data", path, "--json", "--comment", "").json["rows"] == 4
    assert "the comment is '//'" in bad("data", path, "--comment", "//").err


def test_bad_rows(good: Any, bad: Any, path: Path) -> None:
    path.write_text(TABLE + "Dot\n")
    assert "line 5: found 1 value, expected 3: 'Dot'; --skip-bad-rows to leave" in bad("data", path).err
    outcome = good("data", path, "--skip-bad-rows")
    assert "rows: 1 of 4 rows left out, with more or fewer than 3 cells (line 5)" in outcome.err


def test_quotes(good: Any, path: Path) -> None:
    path.write_text("a,b\n'x,y',1\n'z',2\n")
    assert "--quote to change" in good("data", path).err
    path.write_text("a;b\n|x;y|;1\n|z|;2\n")
    assert columns(good("data", path, "--json", "--quote", "|", "--delimiter", ";")) == ["a", "b"]


def test_a_pattern_without_quotes(bad: Any, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    for command in ("data", "learn", "report"):
        told = bad(command, tmp_path / "a.csv", tmp_path / "b.csv").err
        assert "2 files were given; expected one, or a quoted pattern for several files as one table" in told
    assert "unexpected extra argument" in bad("data", "iris", "labor").err


def test_a_pattern_of_files(good: Any, bad: Any, tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"2023-{i}.csv").write_text(TABLE)
    pattern = tmp_path / "2023-*.csv"
    assert good("data", pattern, "--json").json["rows"] == 9
    model = tmp_path / "model.hornbeam"
    good("learn", pattern, "--cv", 0, "--save", model)
    assert len(good("predict", model, pattern).out.splitlines()) == 10
    assert "no file matches" in bad("data", tmp_path / "2024-*.csv").err


def test_parts_of_files(good: Any, bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "my.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE a AS SELECT 1.5 AS x, 'p' AS c UNION ALL SELECT 2.5, 'q'")
    connection.execute("CREATE TABLE b AS SELECT 1.5 AS y")
    connection.commit()
    connection.close()
    assert "name one: my.db::a" in bad("data", path).err
    assert columns(good("data", f"{path}::a", "--json")) == ["x", "c"]
    assert "C4.5 tree for c" in good("learn", f"{path}::a", "--cv", 0).out


def test_json_lines_are_not_read_as_csv(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"x": 1.5, "year": 2007}\n{"x": 2.5, "year": 2008}\n')
    assert columns(good("data", path, "--json")) == ["x", "year"]


HARD = {
    "a.csv": "Our staff\n# x\nname;name;age\n'Ann';b;007\n'Bob';c;010\n'Cid';d;1\n",
    "b.csv": "1,2,none\n3,4,x\n5,6,7\n",
    "c.csv": "# x\na,b,\n1,2,\n3,4,\n",
    "d.csv": "# x\na,b\n1,9007199254740993\n3,4\n4\n",
    "e.json": '[{"a": "2023-01-05", "b": "é"}]',
}


@pytest.mark.parametrize("name", HARD)
def test_every_option_that_a_note_names_exists(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(HARD[name], encoding="latin-1")
    known = {word for parameter in data.params for word in (*parameter.opts, *parameter.secondary_opts)}
    notes = read(path, bad_rows="skip").notes
    named = {word for note in notes for word in re.findall(r"(?<![\w-])--[a-z][a-z-]*", note)}
    assert notes
    assert named <= known


def test_files_of_excel_and_learning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "staff.xlsx"
    frame = pd.DataFrame({"age": [30.5, 41.5, 52.5, 60.5] * 5, "class": ["a", "a", "b", "b"] * 5})
    frame.to_excel(str(path), index=False, startrow=2)
    assert run(["learn", str(path), "--cv", "2"]) == 0
    assert "staff: 20 rows" in capsys.readouterr().out


def test_columns_may_have_commas_between_them_or_in_their_names(good: Any, bad: Any, tmp_path: Path) -> None:
    rows = "".join(f"{i * 7 % 31}.5,{i % 3},{i},{'yes' if i * 7 % 31 > 12 else 'no'}\n" for i in range(60))
    (tmp_path / "t.csv").write_text('"a,b",c,d,y\n' + rows, encoding="utf-8")
    call = ("learn", tmp_path / "t.csv", "--cv", "0")
    assert "2 feature columns" in good(*call, "--ignore", "a,b", "--keep", "d").out
    assert "1 feature column;" in good(*call, "--ignore", "c, d").out
    assert "1 feature column;" in good(*call, "--ignore", "a,b", "--ignore", "d", "--nominal", "c").out
    assert "1 feature column;" in good(*call, "--nominal", "c,d", "--ignore", "a,b", "--ignore", "d").out
    told = bad(*call, "--ignore", "c,x").err
    assert "no column is called 'x'" in told


def test_one_fold_is_refused_by_the_name_of_the_option(bad: Any) -> None:
    told = bad("learn", "iris", "--cv", "1").err
    assert "'--cv': 1 is not possible; expected 0 for none, or at least 2 folds" in told
    assert "'--cv': -1 is not in the range x=0 or x>=2" in bad("learn", "iris", "--cv", "-1").err
