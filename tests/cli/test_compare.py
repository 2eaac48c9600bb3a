from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.cli.options import MEASURES
from hornbeam.evaluate import Comparison, compare, measures, schemes_by_name, variants, verdict
from hornbeam.schemes import SCHEMES, USUAL
from hornbeam.show.texts.columns import plain

if TYPE_CHECKING:
    from pathlib import Path


def told(found: Comparison) -> str:
    return f"{found.text()}\n\nVerdict: {verdict(found).text}\n"


def told_in_markdown(found: Comparison) -> str:
    return f"{found.markdown()}\n\n**Verdict:** {plain(verdict(found).text)}\n"


def test_ways_of_pruning_on_one_table(good: Any) -> None:
    out = good("compare", "iris", "--prune", "none,pessimistic", "--prune", "reduced-error", "--cv", 3).out
    methods = variants("tree", {"prune": [None, "pessimistic", "reduced-error"]})
    expected = compare(methods, hornbeam.read("iris"), folds=3)
    assert out == told(expected)


def test_all_are_those_of_the_scheme_and_the_target(good: Any) -> None:
    plain = good("compare", "iris", "--prune", "all", "--cv", 2, "--json").json
    assert plain["methods"] == list(variants("tree", {"prune": None}))
    assert plain["baseline"] == "none"
    plain = good("compare", "servo", "--criterion", "all", "--cv", 2, "--json", "--max-depth", 2).json
    assert plain["methods"] == ["variance", "sd-reduction", "absolute-error"]
    assert plain["measure"] == "root mean squared error"
    assert all(figure <= 4 for method in plain["tables"][0]["methods"] for figure in method["size"]["folds"])
    plain = good("compare", "iris", "--prune", "all", "--cv", 2, "--scheme", "c45", "--json", "--confidence", 0.1).json
    assert plain["methods"] == list(variants("c45", {"prune": None}))


def test_both_are_all_combinations(good: Any) -> None:
    plain = good("compare", "iris", "--prune", "none,pessimistic", "--criterion", "gini", "--cv", 2, "--json").json
    assert plain["methods"] == ["gini, none", "gini, pessimistic"]


def test_several_tables(good: Any) -> None:
    arguments = ("compare", "iris", "labor", "servo", "--only", "categories", "--prune", "none,pessimistic", "--cv", 2)
    outcome = good(*arguments, "--seed", 5, "--repeats", 2, "--baseline", "pessimistic")
    assert "servo is left out: its target is numeric" in outcome.err
    tables = [hornbeam.read(name) for name in ("iris", "labor")]
    methods = variants("tree", {"prune": [None, "pessimistic"]})
    expected = compare(methods, tables, folds=2, repeats=2, seed=5, baseline="pessimistic")
    assert outcome.out == told(expected)
    marked = good(*arguments, "--seed", 5, "--repeats", 2, "--baseline", "pessimistic", "--markdown").out
    assert marked == told_in_markdown(expected)


def test_schemes_with_a_baseline(good: Any) -> None:
    arguments = ("compare", "labor", "--schemes", "one-r,c45", "--schemes", "part", "--cv", 3)
    expected = compare(schemes_by_name(["one-r", "c45", "part"]), hornbeam.read("labor"), folds=3)
    assert good(*arguments).out == told(expected)
    assert good(*arguments, "--markdown").out == told_in_markdown(expected)
    as_json = good(*arguments, "--json").json
    assert as_json.pop("verdict") == verdict(expected).to_json()
    assert as_json == json.loads(json.dumps(expected.to_json()))
    assert "Wall-clock times" in good(*arguments, "--times").out
    figures = good(*arguments, "--times", "--json").json["tables"][0]["methods"][1]["metrics"]
    assert figures["fit seconds"]["mean"] > 0


def test_the_usual_schemes(good: Any) -> None:
    assert good("compare", "weather", "--cv", 2, "--json").json["methods"] == ["baseline", *USUAL["category"]]
    outcome = good("compare", "cpu", "--cv", 2, "--json")
    assert outcome.json["methods"] == ["baseline", *USUAL["number"]]
    assert not outcome.err  # of models that nobody is shown, nothing is told


def test_all_schemes(good: Any) -> None:
    plain = good("compare", "weather", "--cv", 2, "--schemes", "all", "--json").json
    names = [scheme.name for scheme in SCHEMES if scheme.predicts == "category"]
    assert plain["methods"] == ["baseline", *names]
    assert [one["method"] for one in plain["tables"][0]["methods"] if one["problem"]] == []


def test_by_another_measure(good: Any) -> None:
    plain = good("compare", "labor", "--schemes", "c45", "--cv", 3, "--measure", "AUC", "--json").json
    assert plain["measure"] == "AUC"
    method = plain["tables"][0]["methods"][1]
    assert method["score"] == method["metrics"]["AUC"]
    arguments = ("compare", "cpu", "--schemes", "linear", "--cv", 3, "--measure")
    assert good(*arguments, "mean-absolute-error", "--json").json["measure"] == "mean absolute error"
    assert "MAE" in good(*arguments, "mean-absolute-error").out


def test_groups_and_time(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    lines = [f"{row % 6},{row},{'ab'[row % 2]}" for row in range(36)]
    path.write_text("\n".join(["patient,day,answer", *lines]), encoding="utf-8")
    grouped = good("compare", path, "--group", "patient", "--schemes", "c45", "--cv", 3, "--json").json
    assert (grouped["groups"], grouped["tables"][0]["folds"]) == ("patient", 3)
    assert grouped["tables"][0]["methods"][1]["score"]["mean"] < 1  # it cannot look at the patient
    timed = good("compare", path, "--order", "day", "--schemes", "c45", "--cv", 3)
    assert "3 folds in the order of day" in timed.out
    ignored = good("compare", path, "--order", "day", "--ignore", "day", "--schemes", "c45", "--cv", 3)
    assert "3 folds in the order of day" in ignored.out


def test_tuned_in_every_fold(good: Any) -> None:
    out = good("compare", "weather", "--schemes", "one-r", "--tune", "--tune-folds", 2, "--cv", 2).out
    methods = schemes_by_name(["one-r"], tune=True, tune_folds=2)
    assert out == told(compare(methods, hornbeam.read("weather"), folds=2))
    chosen = "Parameters chosen in every fold, on its training rows only: one-r (min_bucket)."
    assert out.count(chosen) == 1
    assert "adjusted" not in out  # one test is adjusted for nothing
    # What they are compared by is what they are tuned by.
    arguments = ("compare", "labor", "--schemes", "one-r", "--tune", "--tune-folds", 2, "--cv", 2)
    out = good(*arguments, "--measure", "brier-score").out
    methods = schemes_by_name(["one-r"], tune=True, tune_folds=2, tune_by="Brier score")
    assert out == told(compare(methods, hornbeam.read("labor"), folds=2, measure="Brier score"))


def test_measures_are_typed_as_they_are_called() -> None:
    assert list(MEASURES.values()) == [*measures.MEASURES[True], *measures.MEASURES[False]]
    assert [name.lower().replace(" ", "-") for name in MEASURES.values()] == list(MEASURES)


def test_a_diagram_of_ranks(good: Any, bad: Any, tmp_path: Path) -> None:
    path = tmp_path / "ranks.svg"
    arguments = ("compare", "iris", "labor", "--schemes", "one-r,c45", "--cv", 2, "--save-diagram", path)
    good(*arguments)
    first = path.read_bytes()
    assert b"Accuracy of 3 methods" in first
    assert b"critical difference" in first
    good(*arguments, "--n-jobs", 1)
    assert path.read_bytes() == first
    path.unlink()
    # One method cannot learn from one of the tables: there is nothing to rank over.
    found = bad("compare", "iris", "labor", "--schemes", "id3,c45", "--cv", 2, "--save-diagram", path)
    assert "fewer than two tables on which every method could be evaluated" in found.err


def test_a_picture(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "sizes.svg"
    good("compare", "iris", "--prune", "none,pessimistic", "--cv", 2, "--save-picture", path)
    first = path.read_bytes()
    assert b"pessimistic" in first
    good("compare", "iris", "--prune", "none,pessimistic", "--cv", 2, "--save-picture", path)
    assert path.read_bytes() == first


def test_a_picture_without_matplotlib_is_refused_at_once(
    bad: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = bad("compare", "iris", "--prune", "all", "--save-picture", tmp_path / "x.png")
    assert "pip install hornbeam[plot]" in found.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["iris", "--schemes", "oak"], "no scheme is called 'oak'"),
        (["iris", "--schemes", "c45,m5"], "the scheme m5 does not predict categories"),
        (["cpu", "--schemes", "c45"], "the scheme c45 does not predict numbers"),
        (["iris", "--schemes", "c45", "--prune", "all"], "--schemes compares schemes, and --prune variants"),
        (["iris", "--tune", "--criterion", "all"], "--tune compares schemes, and --criterion variants"),
        (["iris", "--schemes", "c45", "--scheme", "tree"], "--scheme is for variants of a scheme"),
        (["iris", "--max-depth", "2"], "--max-depth is for variants of a scheme"),
        (["iris", "--measure", "r2"], "measure is 'R2'; expected for a target that holds categories: accuracy"),
        (["iris", "--measure", "beauty"], "beauty"),
        (["iris", "--group", "flower"], "iris: no column is called 'flower'"),
        (["weather", "--order", "outlook"], "'outlook' holds categories without an order"),
        (["iris", "--order", "petalwidth", "--repeats", "2"], "repeats is 2; folds in time order"),
        (["iris", "--save-diagram", "x.svg"], "draws ranks over several tables, and one DATA was given"),
        (["iris", "labor", "--save-diagram", "x.png"], "expected a name that ends in .svg"),
        (["iris", "--prune", "none"], "1 method was given; expected two or more"),
        (["iris", "--prune", "magic,none"], "prune is 'magic'; expected one of these"),
        (["iris", "--prune", "all", "--scheme", "id3"], "id3 has no parameter 'prune'"),
        (["cpu", "--prune", "all", "--scheme", "c45"], "does not predict numbers"),
        (["iris", "--prune", "all", "--cv", "1"], "is not in the range x>=2"),
        (["iris", "cpu", "--prune", "all"], "--only categories or --only numbers"),
        (["iris", "--prune", "all", "--only", "numbers"], "--only left out every DATA"),
        (["iris", "--prune", "all", "--baseline", "magic"], "the baseline 'magic' is not one of the methods"),
        (["iris", "--prune", "all", "--json", "--markdown"], "expected one of them"),
        (["iris", "--prune", "all", "--save-picture", "x.gif"], "a chart is written as .png, .svg, .pdf"),
        (["nowhere.csv", "--prune", "all"], "nowhere.csv"),
        (
            ["iris", "--prune", "all", "--mdl"],
            "--mdl is not an option of the scheme tree; schemes with this option: c45",
        ),
        (["iris", "--prune", "all", "--random-state", "3"], "--random-state"),
        ([], "DATA"),
    ],
)
def test_wrong_commands(bad: Any, arguments: list[str], message: str) -> None:
    assert message in bad("compare", *arguments).err


def test_few_rows(bad: Any, good: Any, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,y\n1,a\n2,b\n3,c\n", encoding="utf-8")
    # One row a class: what was not learned cannot be answered right.
    plain = good("compare", path, "--prune", "none,pessimistic", "--json").json
    assert [method["score"]["mean"] for method in plain["tables"][0]["methods"]] == [0.0, 0.0]
    path.write_text("x,y\n1,a\n", encoding="utf-8")
    assert "needs at least two folds" in bad("compare", path, "--prune", "all").err
