"""Every evaluation on the command line ends in a verdict, which warnings about the data qualify."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.evaluate import cross_validate, verdict

if TYPE_CHECKING:
    from pathlib import Path


def table(path: Path, **columns: Any) -> Path:
    """Write columns to a CSV file."""
    lines = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    """A table whose columns have nothing to do with the class, of which one value is far more frequent."""
    chance = np.random.default_rng(4)
    x, y = (chance.normal(size=400).round(3) for _ in range(2))
    return table(tmp_path / "noise.csv", x=x, y=y, late=np.where(chance.random(400) < 0.1, "late", "on time"))


@pytest.fixture
def leak(tmp_path: Path) -> Path:
    """A table with a column that determines the class."""
    chance = np.random.default_rng(5)
    delay = chance.normal(0, 20, size=200).round(1)
    hour = chance.integers(0, 24, size=200)
    return table(tmp_path / "leak.csv", hour=hour, delay=delay, late=np.where(delay > 15, "late", "on time"))


def last_line(out: str) -> str:
    return out.rstrip().splitlines()[-1]


def test_learn_ends_in_the_verdict_of_the_cross_validation(good: Any) -> None:
    iris = hornbeam.read("iris")
    found = verdict(
        cross_validate(hornbeam.C45Classifier(random_state=1), iris, 3, keep_probabilities=True), noun="tree"
    )
    assert last_line(good("learn", "iris", "--cv", 3).out) == f"Verdict: {found.text}"
    assert good("learn", "iris", "--cv", 3, "--json").json["verdict"] == found.to_json()
    assert found.better is True


def test_a_tree_that_has_learned_nothing_is_told_so(good: Any, noise: Path) -> None:
    told = last_line(good("learn", noise, "--target", "late").out)
    assert told.startswith("Verdict: This tree has learned nothing: always predicting 'on time' does as well")
    plain = good("learn", noise, "--target", "late", "--json").json["verdict"]
    assert (plain["better_than_baseline"], plain["severity"]) == (False, "bad")
    compared = last_line(good("compare", noise, "--target", "late", "--schemes", "c45,one-r", "--cv", 5).out)
    assert compared.startswith("Verdict: No method is ")


def test_the_verdict_is_on_the_test_rows_if_there_are_some(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    hornbeam.read("iris").take(range(40, 60)).write(path)
    plain = good("learn", "iris", "--test", path, "--cv", 3, "--json").json
    assert plain["verdict"]["value"] == plain["test"]["accuracy"]
    assert plain["verdict"]["value"] != plain["cv"]["accuracy"]


def test_without_held_out_rows_there_is_no_verdict(good: Any) -> None:
    assert "Verdict" not in good("learn", "iris", "--cv", 0).out
    assert good("learn", "iris", "--cv", 0, "--json").json["verdict"] is None


def test_a_tuned_model_has_one(good: Any) -> None:
    arguments = ("learn", "iris", "--scheme", "neighbors", "--tune", "n-neighbors", "--tune-folds", 2)
    assert last_line(good(*arguments, "--cv", 2).out).startswith("Verdict: Right in ")
    assert last_line(good(*arguments, "--cv", 0).out).startswith("Verdict: Tuning ")


def test_a_leak_is_told_beside_the_figure_and_in_the_verdict(good: Any, leak: Path) -> None:
    out = good("learn", leak, "--target", "late").out.splitlines()
    headline = next(place for place, line in enumerate(out) if line.startswith("10-fold cross-validation: "))
    assert out[headline + 1] == "  but see the warning about 'delay'"
    doubt = "Do not trust this score yet: 'delay' alone determines the target."
    assert out[-1].endswith(doubt)
    plain = good("learn", leak, "--target", "late", "--json").json["verdict"]
    assert (plain["severity"], plain["doubts"]) == ("bad", ["'delay' alone determines the target"])
    assert last_line(good("compare", leak, "-t", "late", "--schemes", "c45", "--cv", 3).out).endswith(doubt)
    assert last_line(good("curve", leak, "-t", "late", "--of", "roc", "--cv", 3).out).endswith(doubt)


def test_an_identifier_is_told_only_if_the_model_uses_it(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(6)
    x = chance.normal(size=120).round(3)
    name = [f"n{place}" for place in range(120)]
    path = table(tmp_path / "named.csv", name=name, x=x, sign=np.where(x + chance.normal(0, 0.2, 120) > 0, "+", "-"))
    arguments = ("learn", path, "--target", "sign", "--keep", "name", "--cv", 3)
    outcome = good(*arguments)
    assert "'name'" in outcome.err
    assert "but see" not in outcome.out
    other = good(*arguments, "--scheme", "neighbors").out
    assert "  but see the warning about 'name'\n" in other
    assert "'name' identifies rows." in last_line(other)


def test_groups_and_times_are_told_beside_the_figure_and_in_the_verdict(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(3)
    patient, age = np.repeat(np.arange(1001, 1031), 4), np.repeat(chance.integers(20, 80, 30), 4)
    sick = np.repeat(np.where(chance.random(30) < 0.5, "yes", "no"), 4)
    path = table(tmp_path / "patients.csv", patient=patient, age=age, sick=sick)
    doubt = "rows with the same 'patient' may be both in the training and in the held-out rows"
    out = good("learn", path, "--target", "sick").out
    assert "  but see the warning about 'patient'\n" in out
    assert last_line(out).endswith(f"Do not trust this score yet: {doubt}.")
    assert good("learn", path, "--target", "sick", "--json").json["verdict"]["doubts"] == [doubt]
    assert doubt not in good("learn", path, "--target", "sick", "--group", "patient").out
    report = good("report", path, "--target", "sick", "--cv", 3, "-o", tmp_path / "report.html")
    assert f"Do not trust this score yet: {doubt}." in report.out
    assert "see the alert" in report.out

    day = np.array("2024-01-01", "M8[D]") + np.sort(chance.integers(0, 300, 200))
    late = np.where(day > np.datetime64("2024-06-01"), "yes", "no")
    late[::20] = "no"
    path = table(tmp_path / "days.csv", day=day, x=chance.normal(size=200).round(3), late=late)
    arguments = ("learn", path, "--target", "late", "--keep", "day", "--cv", 4)
    doubt = "'day' is a time, and the held-out rows may not be later than the training rows"
    assert doubt in last_line(good(*arguments).out)
    assert doubt not in good(*arguments, "--order", "day").out
    assert doubt not in good("learn", path, "--target", "late", "--ignore", "day", "--cv", 4).out


def test_an_unknown_class_of_all_rows_is_told(good: Any, tmp_path: Path) -> None:
    path = table(tmp_path / "train.csv", x=np.arange(40), kind=np.where(np.arange(40) < 20, "a", "b"))
    model = tmp_path / "model.hornbeam"
    good("learn", path, "--target", "kind", "--keep", "x", "--cv", 0, "--save", model)
    for name, said in (("c", "which the model cannot predict"), ("a", "there is nothing to predict")):
        new = table(tmp_path / f"{name}.csv", x=[3], kind=[name])
        outcome = good("predict", model, new)
        assert f"class '{name}', which the model" in outcome.err or name == "a"
        assert said in outcome.out + outcome.err


def test_one_row_has_no_r2(good: Any, tmp_path: Path) -> None:
    path = table(tmp_path / "one.csv", x=[1.5], y=[2.5])
    assert "root mean squared error 0 (1 row)\n" in good("learn", path, "--target", "y", "--cv", 0).out


def test_learn_prints_the_figures_of_every_class(good: Any) -> None:
    result = good("learn", "vote", "--cv", 3, "--json").json["cv"]
    out = good("learn", "vote", "--cv", 3).out
    rows = [line.split() for line in out.splitlines() if line.startswith(("class  ", "democrat  ", "republican  "))]
    head, *classes = rows[-3:]
    assert head == ["class", "precision", "recall", "F1", "AUC", "rows"]
    for line, figures in zip(classes, result["by_class"], strict=True):
        shares = [f"{100 * figures[name]:.1f}%" for name in ("precision", "recall", "f1")]
        assert line == [figures["class"], *shares, f"{figures['auc']:.3f}", f"{figures['support']:.0f}"]
    assert f"balanced accuracy {100 * result['balanced_accuracy']:.1f}%, AUC " in out


def test_many_classes_do_not_flood_the_terminal(good: Any, tmp_path: Path) -> None:
    chance = np.random.default_rng(7)
    codes = chance.integers(0, 40, size=400)
    path = table(tmp_path / "many.csv", x=codes + chance.normal(0, 0.3, 400), kind=[f"kind {code}" for code in codes])
    out = good("learn", path, "--target", "kind", "--cv", 2).out
    after = out[out.index("How good is it?") :].splitlines()
    assert len(after) < 40
    assert any(line.endswith("30 others") for line in after)
    assert "and 30 more classes" in after


def grouped_rows(path: Path) -> Path:
    """Rows of 20 fields that differ only between fields, so that a row says what the others of its field are."""
    chance = np.random.default_rng(8)
    field = np.repeat(np.arange(20), 10)
    good_field = chance.random(20) < 0.5
    soil = np.repeat(chance.normal(size=20), 10) + chance.normal(0, 1e-3, 200)
    return table(path, field=[f"f{code}" for code in field], soil=soil, day=np.arange(200), crop=good_field[field])


def test_groups_stay_together_in_learn_and_tune(good: Any, tmp_path: Path) -> None:
    path = grouped_rows(tmp_path / "fields.csv")
    arguments = ("learn", path, "--target", "crop", "--ignore", "day")
    alone, together = (good(*arguments, *more, "--json").json for more in ((), ("--group", "field")))
    assert alone["cv"]["accuracy"] > 0.95  # other rows of the field are learned from
    assert together["cv"]["accuracy"] < 0.8
    low, high = together["cv"]["interval"]
    assert high - low > 0.2  # 20 fields, not 200 rows
    assert "10-fold cross-validation by groups of field: " in good(*arguments, "--group", "field").out
    assert "field" not in together["text"].replace("fields", "")
    tuned = good(*arguments, "--group", "field", "--tune", "min-samples-leaf", "--cv", 3, "--json").json
    assert max(trial["score"]["mean"] for trial in tuned["tuning"]["trials"]) < 0.85


def test_the_order_of_time_in_learn_and_tune(good: Any, bad: Any) -> None:
    iris = hornbeam.read("iris")
    expected = cross_validate(hornbeam.C45Classifier(random_state=1), iris, 3, order="petallength")
    plain = good("learn", "iris", "--order", "petallength", "--cv", 3, "--json").json
    assert plain["cv"]["confusion"] == expected.score.confusion.tolist()
    assert plain["cv"]["rows"] < 150
    out = good("learn", "iris", "--order", "petallength", "--cv", 3).out
    assert "3 folds in the order of petallength, tested on later rows: " in out
    tuned = good("learn", "iris", "--order", "petallength", "--tune", "min-samples-leaf", "--cv", 0, "--json").json
    assert tuned["tuning"]["order"] == "petallength"
    assert tuned["tuning"]["trials"][0]["score"]["mean"] < 0.9  # later classes have not been seen
    assert "there are none; add --cv" in bad("learn", "iris", "--order", "petallength", "--cv", 0).err
    assert "is the target" in bad("learn", "iris", "--group", "class").err


def test_report_in_the_order_of_time(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    good("report", "iris", "--schemes", "one-r", "--cv", 3, "--order", "petallength", "-o", path)
    text = path.read_text(encoding="utf-8")
    assert "Every fold learns from earlier rows (by petallength) and is tested on later ones." in text
    assert "--order petallength" in text


def test_the_complexity_table_says_which_tree_was_chosen(good: Any) -> None:
    out = good("learn", "cpu", "--cv", 0).out
    fitted = hornbeam.CartRegressor(random_state=1).fit(hornbeam.read("cpu"))
    chosen = [line for line in out.splitlines() if line.endswith("  chosen")]
    assert len(chosen) == 1
    assert int(chosen[0].split()[1]) == fitted.model_.n_leaves - 1
    assert f"The tree with {fitted.model_.n_leaves - 1} split was chosen: the smallest within one standard" in out
    by_cp = good("learn", "cpu", "--scheme", "cart", "--choose", "cp", "--cv", 0).out
    assert "it is that of cp = 0.01. Cross-validation would choose 1 split (--choose 1-se)." in by_cp
    least = good("learn", "cpu", "--scheme", "cart", "--choose", "least", "--cv", 0).out
    assert "it has the least cross-validated error" in least


def test_curves_of_parameters_say_what_to_do(good: Any, bad: Any) -> None:
    assert good("curve", "iris", "--of", "max-depth", "--scheme", "cart", "--cv", 2).out.startswith(
        "iris: 150 rows, CART"
    )
    assert "schemes with a parameter 'max-depth': " in bad("curve", "iris", "--of", "max-depth").err
    message = "add them, such as --values 1,2,4,8"
    assert message in bad("curve", "iris", "--of", "min-samples-split", "--scheme", "cart").err


def test_curves_of_rows_and_parameters_end_in_a_verdict(good: Any, noise: Path) -> None:
    told = last_line(good("curve", "iris", "--of", "min-samples-leaf", "--values", "1,2,60", "--cv", 3).out)
    assert told.startswith("Verdict: Better than the baseline: accuracy ")
    assert told.endswith("The best of 3 values looks better than it is.")
    told = last_line(good("curve", "iris", "--of", "rows", "--cv", 3).out)
    assert told.startswith("Verdict: Better than the baseline: accuracy ")
    assert " rows: more rows may " in told
    told = last_line(good("curve", noise, "-t", "late", "--of", "rows", "--cv", 5).out)
    assert told.startswith(
        ("Verdict: Not better than the baseline: ", "Verdict: Not clearly better than the baseline: ")
    )
    plain = good(
        "curve", "cpu", "--scheme", "m5", "--of", "min-samples-leaf", "--values", "4,16", "--cv", 3, "--json"
    ).json
    assert plain["verdict"]["baseline"] > plain["verdict"]["value"] > 0  # errors


def test_the_baseline_of_a_curve_is_that_of_its_folds() -> None:
    from hornbeam.evaluate import complexity_curve, learning_curve
    from hornbeam.evaluate.verdicts.of_curve import of_curve

    iris = hornbeam.read("iris")
    found = complexity_curve(hornbeam.C45Classifier(), iris, "min_samples_leaf", [1, 2], folds=5)
    level = learning_curve(hornbeam.TreeClassifier(max_depth=0), iris, [1.0], folds=5)
    result = of_curve(found, level)
    best, base = found.best.test, level.points[0].test
    assert best is not None
    assert base is not None
    apart = np.subtract(best.folds, base.folds)
    assert result.difference == pytest.approx(apart.mean())
    assert result.interval[0] < apart.mean() < result.interval[1]
    assert result.better is True
    assert of_curve(level, level).better is False or of_curve(level, level).better is None


def test_predictions_of_rows_with_a_target_end_in_the_verdict(good: Any, tmp_path: Path, noise: Path) -> None:
    iris = hornbeam.read("iris")
    learner, rows = hornbeam.C45Classifier().fit(iris.take(np.arange(0, 150, 2))), iris.take(np.arange(1, 150, 2))
    learner.save(tmp_path / "m.hornbeam")
    rows.write(tmp_path / "new.csv")
    found = verdict(hornbeam.evaluate.score_estimator(learner, rows))
    outcome = good("predict", tmp_path / "m.hornbeam", tmp_path / "new.csv")
    assert last_line(outcome.err) == f"Verdict: {found.text}"
    plain = good("predict", tmp_path / "m.hornbeam", tmp_path / "new.csv", "--json").json
    assert plain["verdict"] == found.to_json()
    assert plain["evaluation"]["rows"] == 75
    assert not plain["evaluation"]["training_rows"]
    good("learn", noise, "--target", "late", "--ignore", "y", "--cv", 0, "--save", tmp_path / "n.hornbeam")
    seen = good("predict", tmp_path / "n.hornbeam", noise)
    assert last_line(seen.err) == "The model was trained on these rows, so this says little about new ones."
    assert good("predict", tmp_path / "n.hornbeam", noise, "--json").json["verdict"] is None


def test_predictions_in_parts_have_the_same_verdict(good: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(2)
    size = chance.normal(size=600).round(3)
    kind = np.where(size + chance.normal(0, 0.5, 600) > 0, "large", np.where(size < -1.5, "tiny", "small"))
    path = table(tmp_path / "t.csv", size=size, twice=(2 * size + chance.normal(0, 1, 600)).round(3), kind=kind)
    few = table(tmp_path / "few.csv", size=size[:90], twice=size[:90], kind=np.where(size[:90] > 0, "large", "small"))
    for target, name in (("kind", "a"), ("twice", "b")):
        model = tmp_path / f"{name}.hornbeam"
        good("learn", few if name == "a" else path, "--target", target, "--cv", 0, "--save", model)
        whole = good("predict", model, path, "--json").json
        monkeypatch.setattr("hornbeam.cli.predict.WHOLE_BYTES", 100)
        monkeypatch.setattr("hornbeam.cli.predicting.streaming.BLOCK", 2000)
        parts = good("predict", model, path, "--json").json
        monkeypatch.undo()
        assert parts["evaluation"] | {"training_rows": None} == whole["evaluation"] | {"training_rows": None}
        if name == "a":
            assert parts["verdict"] == whole["verdict"]
            assert "tiny" in parts["verdict"]["verdict"]


def test_a_file_in_parts_is_compared_in_bounded_memory(
    good: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = np.random.default_rng(2)
    size = chance.normal(size=600).round(3)
    path = table(tmp_path / "t.csv", size=size, kind=np.where(size > 0, "large", "small"))
    good("learn", path, "--target", "kind", "--cv", 0, "--save", tmp_path / "m.hornbeam")
    monkeypatch.setattr("hornbeam.cli.predict.WHOLE_BYTES", 100)
    monkeypatch.setattr("hornbeam.cli.predicting.streaming.BLOCK", 1000)
    monkeypatch.setattr("hornbeam.cli.predicting.judging.MOST_JUDGED", 150)
    result = good("predict", tmp_path / "m.hornbeam", path)
    assert result.out.count("\n") == 601
    judged = int(re.search(r"Only the first (\d+) of 600 rows were compared\.", result.err)[1])  # type: ignore[index]
    assert 150 <= judged < 300
    assert f"of {judged} rows right" in result.err
    assert good("predict", tmp_path / "m.hornbeam", path, "--json").json["evaluation"]["rows"] == judged
