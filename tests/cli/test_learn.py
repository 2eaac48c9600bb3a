from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.cli import learn as learn_module
from hornbeam.cli import main as main_module
from hornbeam.cli.learn import learn
from hornbeam.cli.options import STYLES
from hornbeam.cli.reading import reading_options
from hornbeam.schemes import NAMES, SCHEMES, Scheme
from hornbeam.show.texts.styles import STYLES as ALL_STYLES

if TYPE_CHECKING:
    from pathlib import Path

WEATHER = """outlook,temperature,windy,play
sunny,85,no,no
sunny,80,yes,no
overcast,83,no,yes
rainy,70,no,yes
rainy,68,no,yes
rainy,65,yes,no
overcast,64,yes,yes
sunny,72,no,no
sunny,69,no,yes
rainy,75,no,yes
"""


@pytest.fixture
def weather(tmp_path: Path) -> Path:
    path = tmp_path / "days.csv"
    path.write_text(WEATHER, encoding="utf-8")
    return path


def test_it_shows_the_tree_and_how_good_it_is(good: Any) -> None:
    outcome = good("learn", "weather", "--cv", "5")
    assert "C4.5 tree for play" in outcome.out
    assert "outlook" in outcome.out
    assert "100.0% right (14 of 14 rows)\n" in outcome.out
    assert re.search(r"5-fold cross-validation: \d+\.\d% right \(\d+ of 14 rows; 95% interval \d", outcome.out)
    assert re.search(r"^actual +yes +no$", outcome.out, re.MULTILINE)
    assert "Try next" not in outcome.out
    assert outcome.err == ""


def test_the_tree_is_the_estimators(good: Any) -> None:
    table = hornbeam.read("iris")
    fitted = hornbeam.C45Classifier(confidence=0.1, min_samples_leaf=5).fit(table)
    plain = good(
        "learn", "iris", "--confidence", "0.1", "--min-samples-leaf", "5", "--cv", "0", "--style", "weka", "--json"
    )
    assert plain.json["text"] == hornbeam.show.text(fitted, style="weka")
    assert plain.json["parameters"]["confidence"] == 0.1
    assert plain.json["cv"] is None


def test_json_has_everything(good: Any) -> None:
    outcome = good("learn", "iris", "--cv", "3", "--json", "--seed", "7")
    result = outcome.json
    assert outcome.err == ""
    wanted = {"scheme", "parameters", "text", "leaves", "size", "depth", "train", "cv", "seconds"}
    assert wanted <= set(result)
    assert result["scheme"] == "c45"
    assert result["parameters"] == {p.name: p.default for p in SCHEMES[0].parameters} | {"random_state": 7}
    assert result["size"] > result["leaves"] > result["depth"] > 0
    assert result["cv"]["folds"] == 3
    assert result["cv"]["seed"] == 7
    assert result["cv"]["interval"][0] < result["cv"]["accuracy"] < result["cv"]["interval"][1]
    assert sum(map(sum, result["cv"]["confusion"])) == 150
    assert result["train"]["rows"] == 150
    assert result["seconds"] > 0
    again = hornbeam.evaluate.cross_validate(
        hornbeam.C45Classifier(), hornbeam.read("iris"), 3, seed=7, keep_probabilities=True
    )
    assert again.to_json() == result["cv"]


EXAMPLE = {"category": "weather", "number": "cpu"}


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.estimator)
def test_every_scheme_learns(good: Any, scheme: Scheme) -> None:
    result = good("learn", EXAMPLE[scheme.predicts], "--scheme", scheme.name.upper(), "--cv", "2", "--json").json
    assert result["scheme"] == scheme.name
    assert result["estimator"] == scheme.estimator
    drawn = {"random_state": 1} if any(p.name == "random_state" for p in scheme.parameters) else {}
    assert result["parameters"] == {p.name: p.default for p in scheme.parameters} | drawn


def test_the_target_is_the_last_column_and_says_so(good: Any, weather: Path) -> None:
    outcome = good("learn", weather, "--cv", "0")
    assert "the target is 'play', the last column; --target COLUMN to change" in outcome.err
    named = good("learn", weather, "--target", "windy", "--cv", "0")
    assert "tree for windy" in named.out
    assert "last column" not in named.err
    assert "the target is 'play', the last column" in "".join(good("learn", weather, "--json").json["notes"])


def test_options_for_reading(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(WEATHER.replace(",", ";").replace("72", "none"), encoding="utf-16")
    result = good(
        "learn", path, "--delimiter", ";", "--encoding", "utf-16", "--missing", "none", "--nominal", "temperature",
        "--ignore", "outlook", "--cv", "0", "--prune", "none", "--min-samples-leaf", "1", "--json",
    ).json  # fmt: skip
    assert "temperature = " in result["text"]
    assert "outlook" not in result["text"]


def test_why_prints_the_arithmetic(good: Any) -> None:
    outcome = good("learn", "weather", "--why", "--cv", "0")
    fitted = hornbeam.C45Classifier(keep_trace=True).fit(hornbeam.read("weather"))
    assert hornbeam.show.why(fitted) in outcome.out
    assert good("learn", "weather", "--why", "--cv", "0", "--json").json["why"] == hornbeam.show.why(fitted)


def test_a_test_file_is_scored(good: Any, weather: Path, tmp_path: Path) -> None:
    test = tmp_path / "more.csv"
    test.write_text("play,windy,temperature,outlook\nyes,no,70,rainy\nperhaps,no,70,rainy\n", encoding="utf-8")
    result = good("learn", weather, "--test", test, "--json").json
    assert result["cv"] is None  # the test rows judge
    assert result["test"]["rows"] == 2
    assert result["test"]["classes"] == ["no", "yes", "perhaps"]
    assert result["test"]["accuracy"] <= 0.5
    assert "On the test rows: " in good("learn", weather, "--test", test).out
    both = good("learn", weather, "--test", test, "--cv", "2", "--json").json
    assert both["cv"]["folds"] == 2


def test_hints_are_commands(good: Any) -> None:
    out = good("learn", "weather", "--cv", "2", "--hints").out
    assert "Try next" in out
    assert "hornbeam learn weather --why" in out
    for scheme in SCHEMES:
        out = good("learn", EXAMPLE[scheme.predicts], "--scheme", scheme.name, "--cv", "2", "--hints").out
        for line in out.partition("Try next\n")[2].splitlines():
            words = line.split("  ")[1].split()
            if words[1] == "learn" and "YOUR.csv" not in words and "--save" not in words:
                good(*words[1:], "--cv", "0")


def test_the_option_of_another_scheme_is_refused(bad: Any) -> None:
    refused = bad("learn", "iris", "-s", "id3", "--no-mdl").err
    assert "--no-mdl is not an option of the scheme id3; schemes with this option: c45" in refused
    assert "schemes with this option: c45" in bad("learn", "weather", "--scheme=id3", "--confidence", "0.1").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn",), "Missing argument 'DATA'"),
        (("learn", "no-such-file.csv"), "there is no file 'no-such-file.csv'"),
        (("learn", "iriss"), "did you mean the example set 'iris'"),
        (("learn", "iris", "--target", "petal"), "no column is called 'petal'"),
        (("learn", "iris", "--scheme", "magic"), "no scheme is called 'magic'"),
        (("learn", "iris", "--confidence", "high"), "'high' is not a number"),
        (("learn", "iris", "--folds", "2.5"), "'2.5' is not a whole number"),
        (("learn", "iris", "--confidence", "-1"), "confidence"),
        (("learn", "iris", "--cv", "1"), "'--cv': 1 is not possible"),
        (("learn", "iris", "--style", "gothic"), "'gothic' is not one of"),
        (("learn", "iris", "--frobnicate"), "hornbeam learn has no option --frobnicate"),
        (("learn", "cpu", "--scheme", "c45"), "the scheme c45 predicts categories"),
        (("learn", "cpu", "--confidence", "0.1"), "--confidence is not an option of the scheme"),
        (("learn", "iris", "--cost", "Iris-setosa", "daisy", "2"), "'daisy'"),
        (("learn", "iris", "--cost", "Iris-setosa", "Iris-virginica", "much"), "'much' is not a valid float"),
        (("learn", "iris", "--decision-threshold", "0.3"), "decision_threshold is for two classes; there are 3"),
        (("learn", "vote", "--decision-threshold", "1.5"), "decision_threshold is 1.5"),
        (("learn", "cpu", "--scheme", "tree", "--criterion", "gini"), "criterion is 'gini'"),
        (("learn", "cpu", "--scheme", "tree", "--significance", "0.05"), "--significance is not an option"),
        (("learn", "iris", "--scheme", "tree", "--criterion", "variance"), "criterion is 'variance'"),
        (("learn", "iris", "--scheme", "tree", "--monotonic-cst", "height", "1"), "names the column 'height'"),
        (("learn", "iris", "--save", "/no/such/folder/tree"), "/no/such/folder"),
        (("frobnicate",), "there is no command 'frobnicate'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(bad: Any, arguments: tuple[str, ...], message: str) -> None:
    assert message in bad(*arguments).err


@pytest.mark.parametrize("content", ["", "a,b\n", "a,a\n1,2\n", "a,b\n1,2\n3\n", "a,b\n1,x\n2,x\n", "\x00\x00"])
def test_wrong_data_never_gives_a_traceback(command: Any, tmp_path: Path, content: str) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(content, encoding="utf-8")
    outcome = command("learn", path)
    assert outcome.code in (0, 2)
    assert "Traceback" not in outcome.err
    assert "internal error" not in outcome.err
    if outcome.code:
        assert outcome.err.splitlines()[-1].startswith("hornbeam: ")


def test_names_from_data_cannot_command_the_terminal(command: Any, tmp_path: Path) -> None:
    path = tmp_path / "wicked.csv"
    rows = "\n".join(["\x1b[31mred,[bold]yes", "blue,\x1b]0;no"] * 10)
    path.write_text(f"co\x1b[2Jlour,answer\x07\n{rows}\n", encoding="utf-8")
    for arguments in (("learn", path), ("learn", path, "--why"), ("learn", path, "--json"), ("data", path)):
        outcome = command(*arguments)
        assert outcome.code == 0, outcome.err
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", outcome.out + outcome.err)
    assert "[bold]yes" in command("learn", path).out


def test_interrupted(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learn_module, "_validate", interrupt)
    outcome = command("learn", "weather")
    assert outcome.code == 130
    assert outcome.err.strip().endswith("hornbeam: interrupted")


def test_a_fault_of_ours_is_told_as_one(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the roof fell in")

    monkeypatch.setattr(learn_module, "_validate", fail)
    outcome = command("learn", "weather")
    assert outcome.code == 1
    assert "internal error: RuntimeError: the roof fell in" in outcome.err
    monkeypatch.setenv("HORNBEAM_TRACEBACK", "1")
    with pytest.raises(RuntimeError):
        command("learn", "weather")


def test_no_option_of_a_scheme_hides_one_of_the_command() -> None:
    own = {flag for param in learn.params for flag in (*param.opts, *param.secondary_opts)}
    for scheme in SCHEMES:
        flags = [parameter.option for parameter in scheme.parameters if parameter.option is not None]
        assert len(set(flags)) == len(flags)
        assert not own & set(flags)
    assert set(reading_options.names) <= {param.name for param in learn.params}


def test_help_shows_the_options_of_the_scheme(good: Any) -> None:
    for scheme in SCHEMES:
        text = good("learn", "--scheme", scheme.name, "--help").out
        for parameter in scheme.parameters:
            assert parameter.option is None or parameter.option in text


def test_styles_are_those_of_the_text_view() -> None:
    assert set(STYLES) <= set(ALL_STYLES)


def test_numbers_are_learned_and_judged_as_numbers(good: Any) -> None:
    outcome = good("learn", "cpu", "--cv", "5")
    assert "tree for class" in outcome.out
    assert "class from 6 to 1150, mean 105.622" in outcome.out
    assert re.search(r"^5-fold cross-validation: mean absolute error \d\S*, root mean", outcome.out, re.MULTILINE)
    assert re.search(
        r"^  R² 0\.\d{3} \(95% interval -?\d\.\d{3} to 0\.\d{3}\), correlation 0\.\d{3}; ", outcome.out, re.MULTILINE
    )
    assert "predicted" not in outcome.out  # no confusion matrix
    assert re.search(r"the target 'class' is numeric: --scheme \w+", outcome.err)
    result = good("learn", "cpu", "--cv", "5", "--scheme", "cart", "--choose", "cp", "--json").json
    wanted = {
        "mean_absolute_error",
        "root_mean_squared_error",
        "relative_absolute_error",
        "correlation",
        "r2",
        "interval",
    }
    assert wanted <= set(result["cv"])
    low, high = result["cv"]["interval"]
    assert low < result["cv"]["r2"] < high
    assert len(result["cv"]["fold_scores"]) == 5
    assert result["train"]["r2"] > result["cv"]["r2"]


def test_a_test_file_of_numbers_is_scored(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "cpu.csv"
    hornbeam.read("cpu").take(range(40)).write(path)
    result = good("learn", "cpu", "--test", path, "--json").json
    assert result["test"]["rows"] == 40
    assert result["test"]["mean_absolute_error"] >= 0


def test_costs_are_heeded_and_reported(good: Any) -> None:
    plain = good("learn", "credit-g", "--cv", "3", "--json").json
    costly = good("learn", "credit-g", "--cv", "3", "--cost", "bad", "good", "5", "--json").json
    assert costly["parameters"]["costs"] == {"bad": {"good": 5.0}}
    assert "mean_cost" not in plain["cv"]
    confusion = costly["cv"]["confusion"]  # good, bad
    assert costly["cv"]["mean_cost"] == pytest.approx((confusion[0][1] + 5 * confusion[1][0]) / 1000)
    assert costly["cv"]["baseline_cost"] == pytest.approx(0.7)
    assert confusion[1][0] < plain["cv"]["confusion"][1][0]
    text = good("learn", "credit-g", "--cv", "3", "--cost", "bad", "good", "5").out
    assert f"mean cost {costly['cv']['mean_cost']:.4g}; always predicting the cheapest class: 0.7" in text


def test_a_decision_threshold_is_heeded(good: Any) -> None:
    few, many = (
        good("learn", "vote", "--cv", "0", "--decision-threshold", threshold, "--json").json["train"]["confusion"]
        for threshold in ("0.9", "0.1")
    )
    assert sum(row[1] for row in few) < sum(row[1] for row in many)


def test_options_that_name_columns(good: Any) -> None:
    result = good(
        "learn", "cpu", "--scheme", "tree", "--monotonic-cst", "MMAX", "1", "--monotonic-cst", "MYCT", "-1",
        "--interactions", "MMAX,MMIN", "--interactions", "CACH", "--cv", "0", "--json",
    ).json  # fmt: skip
    assert result["parameters"]["monotonic_cst"] == {"MMAX": 1, "MYCT": -1}
    assert result["parameters"]["interactions"] == [["MMAX", "MMIN"], ["CACH"]]


def test_a_scheme_of_two_kinds_offers_the_options_of_both(good: Any) -> None:
    text = good("learn", "--scheme", "tree", "--help").out
    assert "gini" in text
    assert "sd-reduction" in text
    assert "[default: gini; for numbers variance]" in " ".join(text.split())
    assert "TRUE PREDICTED X" in text
    assert len(NAMES) == len(set(NAMES))


def test_the_complexity_table_is_shown(good: Any) -> None:
    fitted = hornbeam.CartClassifier(random_state=1).fit(hornbeam.read("iris"))
    table = good("learn", "iris", "--scheme", "cart", "--json").json["cp_table"]
    assert [row["cp"] for row in table] == fitted.cp_table_.cp.tolist()
    assert [row["cv_error"] for row in table] == fitted.cp_table_.cv_error.tolist()
    lines = (
        good("learn", "iris", "--scheme", "cart", "--cv", "0").out.partition("Cost-complexity table\n")[2].splitlines()
    )
    assert lines[0].split() == ["cp", "splits", "error", "cross-validated", "standard", "error"]
    assert lines[1].split()[:3] == ["0.5", "0", "1.0000"]
    assert lines[3].split()[:3] == ["0.01", "2", "0.0600"]
    bare = good("learn", "iris", "--scheme", "cart", "--cv", "0", "--folds", "0")
    assert "cross-validated" not in bare.out
    assert good("learn", "iris", "-s", "cart", "--folds", "0", "--json").json["cp_table"][0]["cv_error"] is None


def test_losses_are_reported_as_costs(good: Any) -> None:
    result = good("learn", "credit-g", "--scheme", "cart", "--loss", "bad", "good", "5", "--cv", "2", "--json").json
    confusion = result["train"]["confusion"]
    assert result["train"]["mean_cost"] == pytest.approx((confusion[0][1] + 5 * confusion[1][0]) / 1000)
    prior = good(
        "learn",
        "credit-g",
        "--scheme",
        "cart",
        "--prior",
        "good",
        "0.5",
        "--prior",
        "bad",
        "0.5",
        "--cv",
        "0",
        "--json",
    ).json
    assert prior["parameters"]["priors"] == {"good": 0.5, "bad": 0.5}


def test_id3_stops_by_the_chi_square_test(good: Any) -> None:
    told = good("learn", "weather", "--scheme", "id3", "--significance", "0.1", "--cv", "0", "--why")
    assert "├─ humidity = high" in told.out
    assert "outlook      3 categories  0.2467  not significant" in told.out
    assert (
        good("learn", "weather", "--scheme", "id3", "--significance", "0.05", "--cv", "0", "--json").json["leaves"] == 1
    )


def test_the_decision_log_of_the_open_recipe_names_columns_that_are_not_significant(good: Any) -> None:
    assert "not significant" in good("learn", "weather", "--scheme", "tree", "--significance", "0.1", "--why").out


def test_a_column_of_names_is_left_out_of_a_small_table(good: Any, tmp_path: Path) -> None:
    lines = WEATHER.splitlines()
    rows = [f"Day,{lines[0]}", *(f"D{number},{line}" for number, line in enumerate(lines[1:], start=1))]
    path = tmp_path / "days.csv"
    path.write_text("\n".join(rows), encoding="utf-8")
    told = "Day: 10 categories in 10 rows identify rows, left out; --keep Day to use it"
    assert told in good("learn", path, "--cv", "0").err
    kept = good("learn", path, "--keep", "Day", "--cv", "0").err
    assert "'Day' has 10 categories in 10 rows: it identifies rows" in kept
    assert "Day" not in good("learn", path, "--ignore", "Day", "--cv", "0").err


def outcome_where(command: Any, folder: Path, statement: str, *, inside: bool = True) -> Any:
    """What becomes of `learn` where a statement in a file of the package, or of another one, ends in an error."""
    place = folder / "package" / "module.py"
    place.parent.mkdir()
    place.write_text(f"import numpy as np\n\n\ndef fail(*_, **__):\n    {statement}\n")
    names: dict[str, Any] = {}
    exec(compile(place.read_text(), str(place), "exec"), names)  # noqa: S102 - the file just written
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main_module, "PACKAGE", place.parent if inside else folder / "other")
        patch.setattr(learn_module, "_validate", names["fail"])
        return command("learn", "weather")


@pytest.mark.parametrize(
    "mistake",
    [
        "[][0]",
        "{}['a']",
        "None + 1",
        "int(float('nan'))",
        "np.zeros(2) + np.zeros(3)",
        "np.linalg.inv(np.zeros((2, 2)))",
        "1 // 0",
        "raise RuntimeError('the roof fell in')",
    ],
)
def test_mistakes_of_the_program_are_not_blamed_on_the_data(command: Any, tmp_path: Path, mistake: str) -> None:
    outcome = outcome_where(command, tmp_path, mistake)
    assert outcome.code == 1
    assert "internal error: " in outcome.err


@pytest.mark.parametrize("kind", ["ValueError", "TypeError", "IndexError", "OSError", "ImportError"])
def test_refusals_are_about_the_input(command: Any, tmp_path: Path, kind: str) -> None:
    outcome = outcome_where(command, tmp_path, f"raise {kind}('the data are wrong')")
    assert outcome.code == 2
    assert outcome.err.splitlines()[-1] == "hornbeam: the data are wrong"


@pytest.mark.parametrize(("kind", "code"), [("ValueError", 2), ("KeyError", 1), ("TypeError", 1)])
def test_of_other_packages_a_value_error_alone_is_a_refusal(command: Any, tmp_path: Path, kind: str, code: int) -> None:
    assert outcome_where(command, tmp_path, f"raise {kind}('said elsewhere')", inside=False).code == code
