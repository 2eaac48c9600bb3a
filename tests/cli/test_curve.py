from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hornbeam
from hornbeam.evaluate import (
    bias_variance,
    bias_variance_curve,
    class_curves,
    complexity_curve,
    confusion,
    cross_validate,
    learning_curve,
    residuals,
    verdict,
)
from hornbeam.evaluate.folds import assign_folds

if TYPE_CHECKING:
    from pathlib import Path


def without_verdict(plain: dict[str, Any]) -> dict[str, Any]:
    """Give the JSON of a curve without the verdict, which every curve has."""
    return {name: value for name, value in plain.items() if name != "verdict"}


def test_of_rows(good: Any) -> None:
    out = good("curve", "iris", "--of", "rows", "--cv", 3, "--values", "20,0.5,1.0", "--confidence", 0.1).out
    expected = learning_curve(hornbeam.C45Classifier(confidence=0.1), hornbeam.read("iris"), [20, 0.5, 1.0], folds=3)
    assert out.startswith(expected.text() + "\n\nVerdict: Better than the baseline: ")


@pytest.mark.parametrize("typed", ["max-depth", "--max-depth", "max_depth"])
def test_of_a_parameter(good: Any, typed: str) -> None:
    arguments = (
        "--scheme",
        "tree",
        f"--of={typed}",
        "--values",
        "1..3, 8,none",
        "--cv",
        2,
        "--repeats",
        2,
        "--seed",
        4,
    )
    plain = good("curve", "iris", *arguments, "--json").json
    tree = hornbeam.TreeClassifier()
    found = complexity_curve(tree, hornbeam.read("iris"), "max_depth", [1, 2, 3, 8, None], folds=2, repeats=2, seed=4)
    assert without_verdict(plain) == found.to_json()


def test_by_log_loss(good: Any) -> None:
    plain = good("curve", "iris", "--of", "rows", "--by", "log-loss", "--cv", 2, "--values", "1.0", "--json").json
    found = learning_curve(hornbeam.C45Classifier(), hornbeam.read("iris"), [1.0], folds=2, measure="log loss")
    assert without_verdict(plain) == found.to_json()
    assert plain["measure"] == "log loss"
    plain = good("curve", "iris", "--of", "rows", "--by", "auc", "--cv", 2, "--values", "1.0", "--json").json
    assert plain["measure"] == "AUC"


def test_numbers_have_a_scheme_of_their_own(good: Any) -> None:
    plain = good("curve", "cpu", "--of", "min-samples-leaf", "--cv", 2, "--json").json
    assert (plain["learner"], plain["measure"]) == ("CartRegressor", "root mean squared error")
    assert [point["value"] for point in plain["points"]] == [1, 2, 4, 8, 16, 32, 64]


def test_of_bias_and_variance(good: Any) -> None:
    iris = hornbeam.read("iris")
    out = good("curve", "iris", "--of", "bias-variance", "--rounds", 12, "--seed", 3).out
    assert out == bias_variance(hornbeam.C45Classifier(), iris, rounds=12, seed=3).text() + "\n"
    out = good("curve", "iris", "-s", "tree", "--of", "bias-variance", "--along", "max-depth", "--values", "1,2",
               "--rounds", 12).out  # fmt: skip
    assert out == bias_variance_curve(hornbeam.TreeClassifier(), iris, "max_depth", [1, 2], rounds=12).text() + "\n"


@pytest.mark.parametrize("kind", ["roc", "precision-recall", "lift", "calibration"])
def test_of_classes(good: Any, kind: Any) -> None:
    vote = hornbeam.read("vote")
    kept = cross_validate(hornbeam.C45Classifier(), vote, 4, 2, keep_probabilities=True)
    assert kept.probabilities is not None
    categories = vote.schema.target_column.categories  # type: ignore[union-attr]
    found = class_curves(kind, vote.target_values(), kept.probabilities, categories)
    plain = good("curve", "vote", "--of", kind, "--cv", 4, "--seed", 2, "--json").json
    about = {"table": "vote", "learner": "C45Classifier", "folds": 4, "seed": 2, "order": None}
    assert plain == about | found.to_json() | {"verdict": verdict(kept, noun="tree").to_json()}
    out = good("curve", "vote", "--of", kind, "--cv", 4, "--seed", 2, "--class", "democrat").out
    assert out.splitlines()[0] == (
        "vote: 435 rows, C4.5, predictions for rows held out by 4-fold cross-validation (seed 2)"
    )
    assert out.splitlines()[2].startswith("class democrat: ")


def test_of_a_confusion_matrix_and_of_residuals(good: Any) -> None:
    iris, cpu = hornbeam.read("iris"), hornbeam.read("cpu")
    kept = cross_validate(hornbeam.C45Classifier(), iris, 3)
    expected = confusion(iris.target_values(), kept.predictions, iris.schema.target_column.categories)  # type: ignore[union-attr]
    plain = good("curve", "iris", "--of", "confusion", "--cv", 3, "--json").json
    assert expected.to_json().items() <= plain.items()
    left = residuals(cpu.target_values(), cross_validate(hornbeam.CartRegressor(), cpu, 3).predictions)
    plain = good("curve", "cpu", "--of", "residuals", "--cv", 3, "--json").json
    assert left.to_json().items() <= plain.items()


def test_rows_of_one_group_stay_together(good: Any, command: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    lines = [
        f"{group + chance.random() / 9:.3f},{group},{'yes' if apart(group) else 'no'}"
        for group in range(30)
        for _ in range(4)
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x,field,class", *lines]), encoding="utf-8")
    arguments = (
        "curve",
        path,
        "--target",
        "class",
        "--of",
        "confusion",
        "--scheme",
        "neighbors",
        "--n-neighbors",
        1,
        "--json",
    )
    assert good(*arguments, "--ignore", "field").json["accuracy"] > 0.95
    assert good(*arguments, "--group", "field").json["accuracy"] < 0.8
    outcome = command(*arguments, "--group", "class")
    assert "--group class is the target" in outcome.err
    assert outcome.code == 2


def apart(group: int) -> bool:
    """A class that groups next to each other do not share."""
    return (group * 7919) % 5 > 2


def test_weights_count(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    x = chance.random(80)
    lines = [
        f"{value:.3f},{'yes' if value + chance.normal() / 5 > 0.5 else 'no'},{chance.integers(1, 4)}" for value in x
    ]
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x,class,w", *lines]), encoding="utf-8")
    plain = good("curve", path, "--target", "class", "--weight", "w", "--of", "confusion", "--cv", 4, "--json").json
    assert np.sum(plain["confusion"]) == sum(int(line.rpartition(",")[2]) for line in lines)


def test_shares_are_in_the_order_of_the_categories_and_rows_without_a_class_have_none() -> None:
    iris = hornbeam.read("iris")
    codes = iris.target_values().copy()
    codes[:5] = -1
    columns = [*iris.columns]
    columns[iris.schema.target] = codes  # type: ignore[index]
    some = hornbeam.Table(iris.schema, columns)
    kept = cross_validate(hornbeam.C45Classifier(), some, 3, keep_probabilities=True)
    assert kept.probabilities is not None
    assert np.isnan(kept.probabilities[:5]).all()
    assert kept.probabilities[5:].sum(axis=1) == pytest.approx(1.0)
    assert (kept.probabilities[5:].argmax(axis=1) == kept.predictions[5:]).mean() > 0.98
    assert cross_validate(hornbeam.C45Classifier(), some, 3).probabilities is None
    assert (
        cross_validate(hornbeam.CartRegressor(), hornbeam.read("cpu"), 3, keep_probabilities=True).probabilities is None
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("iris", "--of", "rows"),
        ("iris", "--of", "min-samples-leaf"),
        ("iris", "--of", "bias-variance"),
        ("cpu", "--of", "bias-variance", "--along", "min-samples-leaf", "--values", "1,9"),
        ("iris", "--of", "roc"),
        ("vote", "--of", "precision-recall"),
        ("vote", "--of", "lift"),
        ("vote", "--of", "calibration"),
        ("iris", "--of", "confusion"),
        ("cpu", "--of", "residuals"),
    ],
)
def test_pictures(good: Any, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    path = tmp_path / "curve.svg"
    good("curve", *arguments, "--cv", 2, "--rounds", 6, "--save-picture", path)
    first = path.read_bytes()
    assert b"<svg" in first
    good("curve", *arguments, "--cv", 2, "--rounds", 6, "--save-picture", path)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("iris", "--of", "nothing"), "there is no curve of 'nothing': expected rows, bias-variance, roc"),
        (("iris", "--of", "prune"), "or a numeric parameter of the scheme c45: confidence, min-samples-leaf, folds"),
        (("iris", "--of", "random-state"), "there is no curve of 'random-state'"),
        (("iris", "--of", "residuals"), "--of residuals is for numbers, and the target 'class' is nominal"),
        (("cpu", "--of", "roc"), "--of roc is for classes, and the target 'class' is numeric"),
        (("iris", "--of", "rows", "--values", "9..3.5"), "--values has '9..3.5'"),
        (("iris", "--of", "rows", "--values", "none"), "expected numbers of rows, or fractions up to 1.0"),
        (("iris", "--of", "rows", "--values", ","), "--values is ','"),
        (("iris", "--of", "rows", "--values", "1..9999"), "--values has '1..9999'"),
        (("iris", "--of", "rows", "--values", "1000"), "expected 1 to 135 rows"),
        (("iris", "--of", "roc", "--values", "1"), "--of roc has no values to try"),
        (("iris", "--of", "roc", "--repeats", "2"), "--repeats is for --of rows"),
        (("iris", "--of", "bias-variance", "--by", "log-loss"), "--by is for --of rows"),
        (("iris", "--of", "rows", "--by", "root-mean-squared-error"), "measure is 'root mean squared error'; expected"),
        (("iris", "--of", "roc", "--class", "rose"), "there is no class 'rose'"),
        (("iris", "--of", "rows", "--class", "rose"), "--class needs --of roc"),
        (("iris", "--of", "rows", "--along", "confidence"), "--along needs --of bias-variance"),
        (("iris", "--of", "roc", "--save-picture", "curve.gif"), "curve.gif: a chart is written as .png, .svg, .pdf"),
        (("iris",), "Missing option '--of'"),
    ],
)
def test_what_is_asked_wrongly_is_told(command: Any, arguments: tuple[str, ...], complaint: str) -> None:
    outcome = command("curve", *arguments)
    assert outcome.code == 2
    assert complaint in outcome.err.splitlines()[-1]
    assert all(line.startswith("warning: ") for line in outcome.err.splitlines()[:-1])


def test_without_matplotlib_a_picture_is_refused_before_the_work(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    outcome = command("curve", "iris", "--of", "roc", "--save-picture", "curve.svg")
    assert outcome.code == 2
    assert "charts need matplotlib" in outcome.err
    assert not outcome.out


@pytest.mark.parametrize("kind", ["roc", "confusion", "calibration", "rows", "bias-variance"])
def test_names_from_data_are_shown_as_text(good: Any, tmp_path: Path, kind: str) -> None:
    names = ("<script>alert(1)</script>", "$\\frac{1}{2}$", "red\x1b[31m")
    lines = [f"{row % 3 + row / 100},{names[row % 3]}" for row in range(60)]
    path, picture = tmp_path / "rows & columns.csv", tmp_path / "curve.svg"
    path.write_text("\n".join(["x,class", *lines]), encoding="utf-8")
    arguments = ("--target", "class", "--of", kind, "--cv", 2, "--rounds", 5, "--save-picture", picture)
    assert "\x1b" not in good("curve", path, *arguments).out
    root = ET.fromstring(picture.read_text(encoding="utf-8"))  # noqa: S314 - our own file
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    if kind == "confusion":
        shown = {"".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")}
        assert {"$\\frac{1}{2}$", "red\\x1b[31m"} <= shown
        assert any(text.startswith("<script>") for text in shown)


def test_folds_that_there_were_are_told(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("x,y\n1,p\n2,q\n3,p\n4,q\n")
    for of in ("roc", "confusion"):
        assert "held out by 4-fold cross-validation" in good("curve", path, "--of", of, "--cv", 10).out
    assert good("curve", path, "--of", "roc", "--cv", 10, "--json").json["folds"] == 4


def test_by_time(good: Any, command: Any) -> None:
    cpu = hornbeam.read("cpu")
    plain = good("curve", "cpu", "--of", "rows", "--cv", 3, "--values", "30", "--order", "MYCT", "--json").json
    expected = learning_curve(hornbeam.CartRegressor(), cpu, [30], folds=3, order="MYCT")
    assert without_verdict(plain) == expected.to_json()

    plain = good("curve", "cpu", "--of", "residuals", "--cv", 3, "--order", "MYCT", "--json").json
    assigned = assign_folds(cpu, 3, 1, "MYCT")
    truth, answers = cpu.target_values(), np.full(cpu.n_rows, np.nan)
    for number in range(3):
        learner = hornbeam.CartRegressor(random_state=1).fit(cpu.take(assigned.train(number)))
        answers[assigned.test(number)] = learner.predict(cpu.take(assigned.test(number)))
    about = {"table": "cpu", "learner": "CartRegressor", "folds": 3, "seed": 1, "order": "MYCT"}
    assert plain.pop("verdict")["better_than_baseline"] is False
    assert plain == about | residuals(truth, answers).to_json()
    out = good("curve", "cpu", "--of", "residuals", "--cv", 3, "--order", "MYCT").out
    assert out.startswith("cpu: 209 rows, CART, predictions of 3 folds in the order of MYCT (seed 1)")

    iris = good("curve", "iris", "--of", "confusion", "--cv", 3, "--order", "petallength", "--json")
    kept = cross_validate(hornbeam.C45Classifier(), hornbeam.read("iris"), 3, order="petallength")
    tested = int((kept.fold >= 0).sum())
    assert tested < 150  # the earliest rows are only learned from
    assert kept.score.n_rows == tested
    assert np.sum(iris.json["confusion"]) == tested

    outcome = command("curve", "cpu", "--of", "bias-variance", "--order", "MYCT")
    assert outcome.code == 2
    assert "--order follows time" in outcome.err
    outcome = command("curve", "cpu", "--of", "rows", "--repeats", 2, "--order", "MYCT")
    assert "--repeats is 2; folds in order of time (--order MYCT) are always the same: expected 1" in outcome.err


def test_order_is_always_that_of_time(good: Any, command: Any) -> None:
    arguments = ("curve", "iris", "-s", "ripper", "--of", "rows", "--cv", 2, "--values", "40", "--json")
    plain = good(*arguments, "--class-order", "given").json
    learner = hornbeam.RipperClassifier(order="given")
    assert without_verdict(plain) == learning_curve(learner, hornbeam.read("iris"), [40], folds=2).to_json()
    by_time = good(*arguments, "--order", "petallength").json
    found = learning_curve(hornbeam.RipperClassifier(), hornbeam.read("iris"), [40], folds=2, order="petallength")
    assert without_verdict(by_time) == found.to_json()
    outcome = command(*arguments, "--order", "given")
    assert outcome.code == 2
    assert "'given'" in outcome.err
