from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.evaluate import compare, variants

if TYPE_CHECKING:
    from pathlib import Path


def test_ways_of_pruning_on_one_table(good: Any) -> None:
    out = good("compare", "iris", "--prune", "none,pessimistic", "--prune", "reduced-error", "--cv", 3).out
    methods = variants("tree", {"prune": [None, "pessimistic", "reduced-error"]})
    expected = compare(hornbeam.read("iris"), methods, folds=3)
    assert out == expected.text() + "\n"


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
    assert "servo is left out: its target holds numbers" in outcome.err
    tables = [hornbeam.read(name) for name in ("iris", "labor")]
    methods = variants("tree", {"prune": [None, "pessimistic"]})
    expected = compare(tables, methods, folds=2, repeats=2, seed=5, baseline="pessimistic")
    assert outcome.out == expected.text() + "\n"
    marked = good(*arguments, "--seed", 5, "--repeats", 2, "--baseline", "pessimistic", "--markdown").out
    assert marked == expected.markdown() + "\n"


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
        (["iris"], "say what to compare: --prune all"),
        (["iris", "--prune", "none"], "1 method was given; expected two or more"),
        (["iris", "--prune", "magic,none"], "prune is 'magic'; expected of the scheme tree"),
        (["iris", "--prune", "all", "--scheme", "id3"], "id3 has no parameter 'prune'"),
        (["cpu", "--prune", "all", "--scheme", "c45"], "does not predict numbers"),
        (["iris", "--prune", "all", "--cv", "1"], "is not in the range x>=2"),
        (["iris", "cpu", "--prune", "all"], "--only categories or --only numbers"),
        (["iris", "--prune", "all", "--only", "numbers"], "every DATA was left out by --only"),
        (["iris", "--prune", "all", "--baseline", "magic"], "the baseline 'magic' is none of the methods"),
        (["iris", "--prune", "all", "--json", "--markdown"], "expected one of them"),
        (["iris", "--prune", "all", "--save-picture", "x.gif"], "a chart is written as .png, .svg, .pdf"),
        (["nowhere.csv", "--prune", "all"], "nowhere.csv"),
        (["iris", "--prune", "all", "--mdl"], "--mdl is no option of the scheme tree; it belongs to c45"),
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
