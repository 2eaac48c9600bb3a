"""What a new user meets in the first hour on the command line: one test for each defect that a review found.

The numbers are those of the review. Those of the Python interface are in tests/learn/base/test_first_hour.py, those of
pictures and pages in tests/show/pictures/test_regions_svg.py (21), tests/integration/test_report.py (22) and
tests/report/test_relations.py (19). Most are tested in more detail beside the code that was wrong.
"""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from corpus.tables import write as write_real

if TYPE_CHECKING:
    from pathlib import Path

MOST_LINES = 200
N = 240


@pytest.fixture
def rows() -> pd.DataFrame:
    """A table of a number, a category and a class that depends on the number."""
    chance = np.random.default_rng(0)
    size = chance.normal(50, 20, N).round(2)
    kind = np.where(size + chance.normal(0, 8, N) > 50, "large", "small")
    return pd.DataFrame({"size": size, "place": chance.choice(["north", "south", "east"], N), "kind": kind})


def as_csv(frame: pd.DataFrame, folder: Path, name: str = "t.csv") -> Path:
    frame.to_csv(folder / name, index=False)
    return folder / name


def days(pattern: str) -> list[str]:
    return [day.strftime(pattern) for day in pd.date_range("2022-03-01", periods=N, freq="31h")]


def test_01_the_bare_command_prints_its_help(good: Any) -> None:
    out = good().out
    assert out == good("--help").out
    assert len(out.splitlines()) > 20


@pytest.mark.parametrize("name", ["Ecdat/Participation", "datasets/InsectSprays", "Ecdat/Housing"])
def test_02_row_numbers_are_not_learned_from(good: Any, tmp_path: Path, name: str) -> None:
    path = write_real(name, tmp_path)
    learned = good("learn", path, "--cv", 3)
    assert "column1" not in learned.out
    assert float(re.search(r"cross-validation: ([0-9.]+)% right", learned.out)[1]) < 90  # type: ignore[index]
    note = "column1: numbers the rows (1, 2, ...) and is left out; --keep column1 to use it"
    for command in (("learn", path, "--cv", 0), ("compare", path, "--schemes", "one-r", "--cv", 2)):
        assert good(*command).err.count(note) == 1


@pytest.mark.parametrize("values", [(0, 1), (0.0, 1.0), (1, 2), (-1, 1)])
def test_03_a_target_with_two_values_is_a_class(
    good: Any, tmp_path: Path, rows: pd.DataFrame, values: tuple[float, float]
) -> None:
    low, high = values
    path = as_csv(rows.assign(kind=np.where(rows.kind == "large", high, low)), tmp_path)
    model = tmp_path / "m.hornbeam"
    learned = good("learn", path, "--cv", 3, "--save", model, "--json").json
    assert "accuracy" in learned["cv"]
    assert "read as classes; --numeric kind to change" in good("data", path).err
    assert len(good("predict", model, path, "--proba").out.splitlines()[0].split(",")) == 3


def test_04_money_thousands_and_percent_are_numbers(good: Any, bad: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    dirty = rows.assign(
        people=[f"{1000 * value:,.0f}" for value in rows["size"]],
        rate=[f"{value}%" for value in rows["size"]],
        price=[f"${100 * value:,.0f}" for value in rows["size"]],
    )
    path = as_csv(dirty, tmp_path)
    described = {column["name"]: column for column in good("data", path, "--json").json["columns"]}
    assert [described[name]["kind"] for name in ("people", "rate", "price")] == ["numeric"] * 3
    learned = good("learn", path, "--cv", 2)
    assert "the target 'price' is numeric" in learned.err
    assert len(learned.out.splitlines()) < MOST_LINES
    german = as_csv(rows.assign(amount=[f"1.{i:03d},67" for i in range(N)])[["amount", "kind"]], tmp_path, "g.csv")
    assert "with ',' as the decimal point" in good("data", german).err
    many = as_csv(rows.assign(kind=[f"k{i % 80}" for i in range(N)]), tmp_path, "many.csv")
    assert "80 distinct values" in bad("learn", many).err


@pytest.mark.parametrize("pattern", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y %H:%M", "%b %d, %Y", "%Y-%m-%d"])
def test_05_dates_are_used_by_their_parts(good: Any, tmp_path: Path, rows: pd.DataFrame, pattern: str) -> None:
    path = as_csv(rows.assign(when=days(pattern))[["when", "size", "kind"]], tmp_path)
    assert re.search(r"when: a date, replaced by its year, month(,| and) weekday", good("data", path).err)
    kept = good("learn", path, "--keep", "when", "--cv", 0).err
    assert "what a model learns from it says nothing about later dates; --order when" in kept
    by_time = good("learn", path, "--keep", "when", "--order", "when", "--cv", 3)
    assert "3 folds in the order of when, tested on later rows" in by_time.out
    assert "says nothing about later dates" not in by_time.err


def test_06_the_model_of_a_report_can_be_read(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    x, z = chance.normal(size=(2, 3000)).round(3)
    wave = pd.DataFrame({"x": x, "z": z, "y": (np.sin(3 * x) + z * (x > 0) + chance.normal(0, 1.5, 3000)).round(3)})
    out = good("report", as_csv(wave, tmp_path), "--schemes", "m5,cart", "--cv", 3, "-o", tmp_path / "r.html").out
    assert int(re.search(r"model: .*\((\d+) lea", out)[1]) <= 30  # type: ignore[index]


def test_07_the_tree_is_the_one_that_its_table_chooses(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(2)
    noise = pd.DataFrame({"x": chance.normal(size=400), "z": chance.integers(0, 30, 400), "y": chance.normal(size=400)})
    out = good("learn", as_csv(noise, tmp_path), "--cv", 5).out
    assert "1 leaf, size 1, depth 0" in out
    assert "Verdict: This tree has learned nothing: always predicting the mean does as well" in out
    out = good("learn", "vote", "--cv", 3).out
    assert re.search(r"class +precision +recall +F1 +AUC +rows", out)


def test_08_a_file_is_what_its_name_says(good: Any, bad: Any, tmp_path: Path) -> None:
    model = tmp_path / "m.hornbeam"
    good("learn", "iris", "--cv", 0, "--save", model)
    for ending in ("png", "pdf", "html"):
        assert (
            f"a model is not written to .{ending}; expected one of"
            in bad("show", model, "-o", tmp_path / f"tree.{ending}").err
        )
        assert not (tmp_path / f"tree.{ending}").exists()
    pytest.importorskip("xlsxwriter")
    good("predict", model, "iris", "-o", tmp_path / "out.xlsx")
    assert (tmp_path / "out.xlsx").read_bytes()[:2] == b"PK"


def test_09_json_lines_and_workbooks_are_read(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    rows.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    assert good("learn", tmp_path / "t.jsonl", "--cv", 0).out.startswith("C4.5 tree for kind\n")
    pytest.importorskip("xlsxwriter")
    rows.to_excel(tmp_path / "t.xlsx", index=False, engine="xlsxwriter")
    assert good("learn", tmp_path / "t.xlsx", "--cv", 0).out.startswith("C4.5 tree for kind\n")


def test_11_the_options_that_notes_name_exist(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    path = tmp_path / "nohead.csv"
    rows.to_csv(path, index=False, header=False)
    assert "columns are named column1 ...; --header to change" in good("data", path).err
    assert str(rows["size"][0]) in good("data", path, "--header").out
    for option in ("--skip-rows", "--comment", "--decimal", "--thousands", "--dates"):
        assert option in good("data", "--help").out


@pytest.mark.parametrize(
    ("above", "note"),
    [("Sales\nof 2023\n\n", "titles: lines 1 to 2 are skipped"), ("# source\n", "comments: line 1 starts with '#'")],
)
def test_12_titles_and_comments_are_skipped(
    good: Any, tmp_path: Path, rows: pd.DataFrame, above: str, note: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(above + rows.to_csv(index=False), encoding="utf-8")
    told = good("data", path)
    assert note in told.err
    assert f"{N} rows, 3 columns" in told.out


def test_12_repeated_names_and_rows_of_other_lengths(good: Any, bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,x,y\n1.5,2.5,a\n2.5,3.5\n3.5,4.5,b\n4.5,5.5,a\n", encoding="utf-8")
    assert "line 3: found 2 values, expected 3" in bad("data", path).err
    told = good("data", path, "--skip-bad-rows").err
    assert "2 columns are called x; they are numbered: x, x.2" in told
    assert "1 of 4 rows left out" in told


def test_13_a_leak_is_said_beside_the_figure_of_a_report(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    path = as_csv(rows.assign(hint=rows.kind.map({"large": 1.5, "small": 2.5}))[["hint", "size", "kind"]], tmp_path)
    told = good("report", path, "--schemes", "one-r", "--cv", 2, "-o", tmp_path / "r.html")
    assert "'hint' alone determines the target" in told.out + told.err
    for command in (("compare", "--schemes", "one-r"), ("curve", "--of", "roc")):
        assert "warning: 'hint' alone determines" in good(command[0], path, *command[1:], "--cv", 2).err
    numbered = as_csv(rows.assign(index=range(N))[["index", "size", "kind"]], tmp_path, "n.csv")
    assert "index: numbers the rows (0, 1, ...) and is left out" in good("cluster", numbered).err


def test_14_the_curve_of_the_help_can_be_drawn(good: Any) -> None:
    out = good("curve", "iris", "--of", "max-depth", "--scheme", "cart", "--cv", 2).out
    assert "best on held-out rows" in out


def test_15_output_has_a_limit(good: Any, bad: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    noise = pd.DataFrame(chance.normal(size=(3000, 3)).round(3), columns=list("abc"))
    noise["y"] = np.where(chance.random(3000) < 0.1, "yes", "no")
    out = good(
        "learn", as_csv(noise, tmp_path), "--class-weight", "balanced", "--scheme", "tree", "--prune", "none", "--cv", 0
    ).out
    assert len(out.splitlines()) < MOST_LINES
    assert re.search(r"… \d+ more nodes; --all to print them", out)
    wide = pd.DataFrame(chance.normal(size=(20, 2000)).round(2), columns=[f"g{i}" for i in range(2000)])
    path = as_csv(wide.assign(label="a"), tmp_path, "wide.csv")
    assert len(good("data", path).out.splitlines()) < MOST_LINES
    assert bad("learn", path, "-t", "lable").err == "hornbeam: no column is called 'lable'; did you mean 'label'?\n"


def test_16_predictions_can_be_joined_and_explained(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    path, model = as_csv(rows.assign(id=range(N))[["id", "size", "place", "kind"]], tmp_path), tmp_path / "m.hornbeam"
    good("learn", path, "--cv", 0, "--save", model)
    kept = list(csv.reader(good("predict", model, path, "--keep", "id").out.splitlines()))
    assert [row[0] for row in kept] == ["id", *map(str, range(N))]
    added = list(csv.reader(good("predict", model, path, "--append").out.splitlines()))
    assert added[0][:4] == ["id", "size", "place", "kind"]
    assert good("predict", model, path, "--explain", "all").out.count("so kind = ") == N


def test_18_p_values_are_called_that(good: Any) -> None:
    out = good("learn", "labor", "--p-values", "--cv", 0).out
    assert "likely to be chance" not in out
    assert re.search(r"p [=<] 0\.\d+", out)
    assert "not corrected for the search" in out


def test_20_clusters_have_a_purity(good: Any) -> None:
    assert "purity" in good("cluster", "iris", "-k", 3, "-t", "class").out


def test_23_the_target_is_checked(good: Any, bad: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    each = as_csv(rows.assign(kind=[f"name {i}" for i in range(N)]), tmp_path)
    assert f"{N} distinct values and would be predicted as classes" in bad("learn", each, "-t", "kind").err
    path = tmp_path / "ends.csv"
    text = rows.to_csv(index=False).replace("\n", ",\n")
    path.write_text(text.replace("north", "north", 1) + " , , , \n", encoding="utf-8")
    told = good("data", path)
    assert f"{N} rows, 3 columns" in told.out
    assert "the target is 'kind', the last column" in told.err


def test_29_help_says_how_many_threads_and_that_results_are_the_same(good: Any) -> None:
    for command in ("learn", "compare", "report", "curve"):
        words = " ".join(good(command, "--help").out.split())
        found = re.search(r"--n-jobs N (.*?\[default: .*?\])", words)
        assert found is not None, command
        assert re.search("the results? (is|are) the same", found[1]), (command, found[1])
        assert ("none for one" if command == "learn" else "one per core") in found[1]


def test_30_a_missing_folder_is_told_before_learning(bad: Any, tmp_path: Path) -> None:
    told = bad("learn", "iris", "--save", tmp_path / "none" / "x.hornbeam").err
    assert f"there is no folder {tmp_path / 'none'}" in told
    assert "x.hornbeam." not in told


def test_31_trees_and_matrices_fit_the_terminal(
    good: Any, tmp_path: Path, rows: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    long = rows.rename(columns={"size": "a rather long name of a column that fills lines"})
    long["kind"] = long["kind"] + " of the two classes with long names"
    out = good("learn", as_csv(long, tmp_path), "--cv", 2).out
    drawn = out[: out.index("How good is it?")].splitlines()[3:]
    matrix = out[out.index("predicted") : out.index("Verdict")].splitlines()
    assert max(map(len, [*drawn, *matrix])) <= 60
    assert not any(line.split()[:3] == ["a", "b", "c"] for line in matrix)


def test_32_errors_are_sentences(bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("x,y\n1,a\n2,\n", encoding="utf-8")
    told = bad("learn", path).err + bad("lern").err
    assert not re.search(r"there are 1\b|\b1 rows|\?\.", told)


def test_33_what_was_meant_is_suggested(good: Any, bad: Any) -> None:
    out = good("schemes").out
    assert out.index("Trees:") < out.index("Rules:") < out.index("Clusters (")
    assert re.search(r"^  cart +classes and numbers ", out, re.MULTILINE)
    assert "did you mean 'forest'?" in bad("learn", "iris", "--scheme", "randomforest").err
    assert "use hornbeam learn --tune" in bad("tune", "iris").err


def test_34_rules_and_importances_of_a_tree(good: Any, tmp_path: Path) -> None:
    model = tmp_path / "m.hornbeam"
    good("learn", "iris", "--scheme", "cart", "--cv", 0, "--save", model)
    assert good("show", model, "--style", "if-then").out.startswith("IF petal")
    good("show", model, "--to", "importance", "-o", tmp_path / "i.svg")
    assert "petalwidth" in (tmp_path / "i.svg").read_text("utf-8")


def test_35_a_date_is_asked_about_as_a_target(bad: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    path = as_csv(rows.assign(when=days("%Y-%m-%d")), tmp_path)
    assert "the target is a date; name another with --target" in bad("learn", path, "-t", "when").err


def test_37_markers_and_spellings(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    markers = ["na", "n.a.", "Unknown", "\\N", "#DIV/0!", "#VALUE!", "TBD"]
    numbers = [markers[i // 10 % 7] if i % 10 == 0 else f"{i / 10}" for i in range(N)]
    sex = [("male", "MALE", "female")[i % 3] for i in range(N)]
    coded = [-999 if i % 10 == 0 else value for i, value in enumerate(rows["size"])]
    path = as_csv(rows.assign(depth=numbers, sex=sex, coded=coded)[["depth", "sex", "coded", "kind"]], tmp_path)
    columns = {column["name"]: column for column in good("data", path, "--json").json["columns"]}
    assert (columns["depth"]["kind"], columns["depth"]["missing"]) == ("numeric", N / 10)
    told = good("data", path).err
    assert "'sex' has categories that differ only by case or spaces: 'male' and 'MALE'" in told
    assert "'coded' is -999 in 24 rows" in told


def test_every_json_is_standard(good: Any, tmp_path: Path, rows: pd.DataFrame) -> None:
    json.loads(good("learn", as_csv(rows, tmp_path), "--cv", 2, "--json").out, parse_constant=pytest.fail)
