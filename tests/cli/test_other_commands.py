from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.cli.output import progress_bar, score_lines
from hornbeam.evaluate import ClassificationScore, RegressionScore
from hornbeam.evaluate.class_figures import class_report
from hornbeam.evaluate.curves.confusion import confusion_lines
from hornbeam.schemes import ALL_SCHEMES as SCHEMES
from hornbeam.schemes import named

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def labor_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "labor.hornbeam"
    hornbeam.C45Classifier(keep_trace=True).fit(hornbeam.read("labor")).save(path)
    return path


@pytest.fixture
def codes_csv(tmp_path: Path) -> Path:
    """A table whose first column looks numeric but was learned as categories."""
    path = tmp_path / "codes.csv"
    rows = [f"{number % 4},{'even' if number % 2 == 0 else 'odd'}" for number in range(60)]
    path.write_text("code,parity\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_predictions_are_the_models(good: Any, labor_model: Path) -> None:
    outcome = good("predict", labor_model, "labor")
    table = hornbeam.read("labor")
    tree = hornbeam.load(labor_model)
    codes = tree.predict_codes(table)
    rows = list(csv.reader(io.StringIO(outcome.out)))
    assert rows[0] == ["class"]
    assert [row[0] for row in rows[1:]] == [table.schema.target_column.categories[code] for code in codes]
    right = int((codes == table.target_values()).sum())
    assert f"{right} of 57 rows right" in outcome.err


def test_probabilities(good: Any, labor_model: Path) -> None:
    table = hornbeam.read("labor")
    shares = hornbeam.load(labor_model).predict_proba(table)
    rows = list(csv.DictReader(io.StringIO(good("predict", labor_model, "labor", "--proba").out)))
    assert list(rows[0]) == ["class", "P(bad)", "P(good)"]
    assert [float(row["P(good)"]) for row in rows] == pytest.approx(shares[:, 1].tolist(), abs=1e-5)
    result = good("predict", labor_model, "labor", "--proba", "--json").json
    assert result["classes"] == ["bad", "good"]
    assert result["probabilities"] == shares.tolist()
    assert len(result["predictions"]) == 57


def test_numbers_are_predicted(good: Any, bad: Any, tmp_path: Path) -> None:
    table = hornbeam.read("cpu")
    model = tmp_path / "cpu.hornbeam"
    good("learn", "cpu", "--save", model, "--cv", "0")
    outcome = good("predict", model, "cpu")
    rows = list(csv.reader(io.StringIO(outcome.out)))
    assert rows[0] == ["class"]
    answers = np.array([float(row[0]) for row in rows[1:]])
    assert answers.tolist() == hornbeam.load(model).predict(table).tolist()
    mean = np.abs(answers - table.target_values()).mean()
    assert f"mean absolute error {mean:.4g} over 209 rows" in outcome.err
    assert good("predict", model, "cpu", "--json").json["predictions"] == answers.tolist()
    assert "which has no classes" in bad("predict", model, "cpu", "--proba").err


@pytest.mark.parametrize("option", [("--cost", "bad", "good", "5"), ("--decision-threshold", "0.2")])
def test_a_saved_model_decides_as_it_was_learned(good: Any, tmp_path: Path, option: tuple[str, ...]) -> None:
    model = tmp_path / "credit.hornbeam"
    good("learn", "credit-g", "--save", model, "--cv", "0", *option)
    table = hornbeam.read("credit-g")
    decided: Any = {"costs": {"bad": {"good": 5}}} if option[0] == "--cost" else {"decision_threshold": 0.2}
    expected = hornbeam.C45Classifier(**decided).fit(table).predict(table)
    assert good("predict", model, "credit-g", "--json").json["predictions"] == expected.tolist()
    assert (expected != hornbeam.C45Classifier().fit(table).predict(table)).any()


def test_predictions_go_to_a_file(good: Any, labor_model: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    outcome = good("predict", labor_model, "labor", "-o", out)
    assert outcome.out == ""
    assert len(out.read_text(encoding="utf-8").splitlines()) == 58


def test_rows_are_read_as_the_model_learned_them(good: Any, codes_csv: Path, tmp_path: Path) -> None:
    model = tmp_path / "parity.hornbeam"
    good("learn", codes_csv, "--nominal", "code", "--save", model, "--cv", "0")
    new = tmp_path / "new.csv"
    new.write_text("code\n1\n2\n3\n", encoding="utf-8")
    assert good("predict", model, new, "--json").json["predictions"] == ["odd", "even", "odd"]


def test_rows_from_standard_input(good: Any, codes_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "parity.hornbeam"
    good("learn", codes_csv, "--nominal", "code", "--save", model, "--cv", "0")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"code\n1\n2\n3\n")))
    assert good("predict", model, "-", "--json").json["predictions"] == ["odd", "even", "odd"]


def test_an_unseen_category_is_a_warning(good: Any, labor_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    table = hornbeam.read("labor")
    values = ["1" if isinstance(column, hornbeam.Numeric) else "strange" for column in table.schema.columns]
    path.write_text(",".join(table.schema.names) + "\n" + ",".join(values) + "\n", encoding="utf-8")
    outcome = good("predict", labor_model, path)
    assert "hornbeam: warning: categories not seen in training are read as missing" in outcome.err


def test_a_missing_column_is_named(bad: Any, labor_model: Path) -> None:
    assert "the model needs the column" in bad("predict", labor_model, "iris").err


@pytest.mark.parametrize("style", [None, "ascii", "weka"])
def test_a_saved_model_is_shown(good: Any, labor_model: Path, style: str | None) -> None:
    asked = () if style is None else ("--style", style)
    expected = hornbeam.show.text(hornbeam.load(labor_model), style=style or "default")
    assert good("show", labor_model, *asked).out == expected + "\n"


def test_a_saved_model_tells_why(good: Any, bad: Any, labor_model: Path, tmp_path: Path) -> None:
    fitted = hornbeam.C45Classifier(keep_trace=True).fit(hornbeam.read("labor"))
    assert hornbeam.show.why(fitted) in good("show", labor_model, "--why", "--all").out
    silent = tmp_path / "silent.hornbeam"
    hornbeam.C45Classifier().fit(hornbeam.read("labor")).save(silent)
    assert "does not contain how the tree was learned" in bad("show", silent, "--why").err


def test_a_saved_model_as_json(good: Any, labor_model: Path) -> None:
    tree = hornbeam.load(labor_model)
    plain = good("show", labor_model, "--json").json
    assert plain == json.loads(hornbeam.export.json(tree))
    assert plain["leaves"] == tree.n_leaves


@pytest.mark.parametrize("command_name", ["show", "predict"])
def test_wrong_model_files(bad: Any, labor_model: Path, tmp_path: Path, command_name: str) -> None:
    rows = ("iris",) if command_name == "predict" else ()
    bad(command_name, tmp_path / "absent.hornbeam", *rows)
    half = tmp_path / "half.hornbeam"
    half.write_bytes(labor_model.read_bytes()[: labor_model.stat().st_size // 2])
    bad(command_name, half, *rows)
    other = tmp_path / "other.hornbeam"
    other.write_text("this is no model", encoding="utf-8")
    bad(command_name, other, *rows)
    bad(command_name, tmp_path, *rows)


def test_data_describes(good: Any, bad: Any) -> None:
    outcome = good("data", "labor")
    assert "labor: 57 rows, 17 columns" in outcome.out
    assert "good 37, bad 20" in outcome.out
    plain = good("data", "labor", "--json").json
    assert plain["rows"] == 57
    assert plain["target"] == "class"
    assert {column["name"]: column["missing"] for column in plain["columns"]}["pension"] == 30
    assert "iris" in good("data").out
    assert "iris" in good("data", "--json").json
    bad("data", "no-such-set")


def test_data_warns(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [f"row {i},same,{'ab'[i % 2]}" for i in range(40)]
    path.write_text("name,constant,answer\n" + "\n".join(lines) + "\n", encoding="utf-8")
    outcome = good("data", path)
    assert outcome.err.count("warning: ") >= 2
    assert "name" in outcome.err
    assert "constant" in outcome.err
    assert len(good("data", path, "--json").json["warnings"]) >= 2


def test_schemes_are_listed(good: Any, bad: Any) -> None:
    listed = good("schemes").out
    plain = good("schemes", "--json").json
    assert [entry["name"] for entry in plain] == [scheme.name for scheme in SCHEMES]
    for scheme in SCHEMES:
        assert named(scheme.name)[0].summary in listed
        assert len(re.findall(rf"^  {scheme.name} ", listed, re.MULTILINE)) == 1
        described = good("schemes", scheme.name).out
        assert all(parameter.summary in described for parameter in scheme.parameters if parameter.option)
    order = [listed.index(f"\n  {name} ") for name in ("c45", "ripper", "forest", "neighbors", "k-means")]
    assert order == sorted(order)
    assert re.search(r"^  cart +classes and numbers  ", listed, re.MULTILINE)
    assert re.search(r"^  k-means +clusters  ", listed, re.MULTILINE)
    assert "no scheme is called 'magic'" in bad("schemes", "magic").err


def test_the_bare_command_prints_its_help(good: Any) -> None:
    assert good().out == good("--help").out
    assert good().out.startswith("Usage: hornbeam")
    assert len(good().out.splitlines()) > 10


def test_version_and_help(good: Any) -> None:
    assert hornbeam.__version__ in good("--version").out
    for words in ((), ("learn",), ("predict",), ("show",), ("data",), ("schemes",), ("cluster",)):
        assert "Usage: hornbeam" in good(*words, "--help").out


def score_of(names: tuple[str, ...], confusion: list[list[float]]) -> ClassificationScore:
    return ClassificationScore(names, 10, 0.5, (0.4, 0.6), 0.3, float("nan"), np.array(confusion, float))


def test_the_confusion_matrix_fits() -> None:
    names = ("short", "a rather long name of a class")
    wide = confusion_lines(names, np.array([[3.0, 0], [12, 4]]), 80)
    assert wide[1].split() == ["actual", "short", "a", "rather", "long", "name", "of", "a…"]
    assert wide[2].split() == ["short", "3", "0"]
    narrow = confusion_lines(names, np.array([[3.0, 0], [12, 4.5]]), 50)
    assert narrow[1].split() == ["actual", "short", "a", "rather", "long", "na…"]
    assert narrow[3].split()[-2:] == ["12.00", "4.50"]
    assert len({len(line) for line in narrow[1:]}) == 1
    alike = ("a rather long name of one", "a rather long name of two")
    assert "a rather… of one  a rather… of two" in confusion_lines(alike, np.eye(2), 60)[1]
    assert confusion_lines(alike, np.eye(2), 36)[1].split() == ["actual", "a", "b"]


def test_a_confusion_matrix_of_many_classes_shows_the_ten_largest() -> None:
    counts = np.diag(np.arange(30.0) + 1)
    counts[29, :10] = 2.0
    lines = confusion_lines([f"class {i}" for i in range(30)], counts, 1000)
    assert len(lines) == 2 + 11
    assert lines[1].split("  ")[-1] == "20 others"
    assert lines[2].split()[:3] == ["class", "29", "30"]
    assert lines[2].split()[-1] == "20"  # taken for one of the others
    assert lines[-1].split()[-1] == str(sum(range(1, 21)))
    figures = class_report(tuple(f"class {i}" for i in range(30)), counts, counts.sum(axis=1)).lines()
    assert len(figures) == 1 + 10 + 1
    assert figures[-1] == "and 20 more classes"
    assert figures[1].split()[:3] == ["class", "29", "100.0%"]


def test_scores_in_words() -> None:
    lines = score_lines("Here", score_of(("a", "b"), [[2, 1], [0, 2]]))
    assert lines[0] == "Here: 50.0% right (4 of 10 rows; 95% interval 40.0% to 60.0%)"
    assert "kappa -" in lines[1]
    costly = ClassificationScore(("a", "b"), 4, 0.5, (0.4, 0.6), 0.3, 0.1, np.eye(2), mean_cost=1.25, baseline_cost=2)
    assert score_lines("Here", costly)[-1] == "  mean cost 1.25; always predicting the cheapest class: 2"
    assert score_lines("Here", costly, seen=True)[-1] == "  mean cost 1.25; always predicting the cheapest class: 2"
    numbers = RegressionScore(9, 1.0, 2.0, 0.25, (-0.5, 0.625), 0.5, 0.866, 0.51)
    told = "Here: mean absolute error 1, root mean squared error 2"
    assert score_lines("Here", numbers, seen=True) == [f"{told}, R² 0.250 (9 rows)"]
    judged = "  R² 0.250 (95% interval -0.500 to 0.625), correlation 0.510"
    shares = "errors are 50.0% and 86.6% of those of always predicting the mean"
    assert score_lines("Here", numbers) == [f"{told} (9 rows)", f"{judged}; {shares}"]
    assert "R² - (95% interval - to -)" in score_lines("Here", RegressionScore(1, 1.0, 2.0, float("nan")))[1]


def test_progress_is_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress_bar("folds") as progress:
        assert progress is None
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("folds", shown=False) as progress:
        assert progress is None
    with progress_bar("folds") as progress:
        assert progress is not None
        progress(1, 3)
        progress(3, 3)
    assert "folds" in screen.getvalue()


def test_the_module_is_the_command() -> None:
    right = subprocess.run([sys.executable, "-m", "hornbeam", "schemes"], capture_output=True, text=True, check=False)
    assert right.returncode == 0
    assert "c45" in right.stdout
    wrong = subprocess.run([sys.executable, "-m", "hornbeam", "learn"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("hornbeam: ")
