"""Whole schemes compared: every figure recomputed from the answers by scikit-learn and NumPy."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn import metrics

import hornbeam
from hornbeam.data.schema import Numeric, Schema
from hornbeam.evaluate import compare, cross_validate, schemes_by_name
from hornbeam.evaluate.judge import size_of
from hornbeam.evaluate.measures import ABOUT, MEASURES, SIZES, TIMES
from hornbeam.evaluate.tuning.tune import Tuned
from hornbeam.schemes import SCHEMES, USUAL, find

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate import Comparison

QUICK = ["one-r", "c45", "part", "svm"]


@pytest.fixture(scope="module")
def glass() -> Comparison:
    return compare(schemes_by_name(QUICK), hornbeam.read("glass"), folds=4, repeats=2, seed=5, keep=True)


def weighted(table: Table) -> Table:
    """The table with weights, some of them zero."""
    weights = np.random.default_rng(1).integers(0, 4, table.n_rows).astype(float)
    schema = table.schema
    more = Schema((*schema.columns, Numeric("w")), (*schema.roles, "weight"), schema.name)
    return table.extended(more, weights)


def parts(outcome: Any) -> list[tuple[Any, Any]]:
    """The rows of every fold, and the repeat's answers."""
    return [
        (np.flatnonzero(held.fold == number), held)
        for held in outcome.held_out
        for number in range(int(held.fold.max()) + 1)
    ]


def recomputed(table: Table, outcome: Any) -> dict[str, list[float]]:
    truth = table.target_values()
    found: dict[str, list[float]] = {name: [] for name in MEASURES[True] if name != "mean cost"}
    for rows, held in parts(outcome):
        weights = None if table.weights is None else table.weights[rows]
        real, said, shares = truth[rows], held.predictions[rows], held.probabilities[rows]
        found["accuracy"].append(metrics.accuracy_score(real, said, sample_weight=weights))
        found["balanced accuracy"].append(metrics.recall_score(
            real, said, average="macro", labels=np.unique(real if weights is None else real[weights > 0]),
            sample_weight=weights, zero_division=0))  # fmt: skip
        areas, sizes = [], []
        for code in np.unique(real):
            own = np.ones(len(real)) if weights is None else weights
            if 0 < own[real == code].sum() < own.sum():
                areas.append(metrics.roc_auc_score(real == code, shares[:, code], sample_weight=weights))
                sizes.append(own[real == code].sum())
        found["AUC"].append(float(np.average(areas, weights=sizes)))
        own_share = np.maximum(shares[range(len(real)), real], 1e-15)
        found["log loss"].append(float(np.average(-np.log(own_share), weights=weights)))
        apart = (shares - np.eye(shares.shape[1])[real]) ** 2
        found["Brier score"].append(float(np.average(apart.sum(axis=1) / 2, weights=weights)))
    return found


def test_every_figure_is_that_of_the_answers(glass: Comparison) -> None:
    table = hornbeam.read("glass")
    for outcome in glass.tables[0].outcomes:
        for name, folds in recomputed(table, outcome).items():
            figure = outcome.metrics[name]
            assert figure.folds == pytest.approx(folds), (outcome.method, name)
            assert figure.mean == pytest.approx(np.mean(folds))
            low, high = figure.interval
            assert ABOUT[name].least <= low <= figure.mean <= high <= ABOUT[name].most
        assert outcome.score == outcome.metrics["accuracy"]


def test_weights_count(glass: Comparison) -> None:
    table = weighted(hornbeam.read("glass"))
    found = compare(schemes_by_name(["one-r", "c45"]), table, folds=3, keep=True)
    for outcome in found.tables[0].outcomes:
        for name, folds in recomputed(table, outcome).items():
            assert outcome.metrics[name].folds == pytest.approx(folds), (outcome.method, name)
    assert found.tables[0].outcomes[2].metrics["AUC"] != glass.tables[0].outcome("c45").metrics["AUC"]


def test_the_answers_kept_are_those_of_cross_validation(glass: Comparison) -> None:
    table = hornbeam.read("glass")
    outcome = glass.tables[0].outcome("c45")
    for repeat, held in enumerate(outcome.held_out):
        judged = cross_validate(hornbeam.C45Classifier(), table, 4, seed=5 + repeat)
        assert held.fold.tolist() == judged.fold.tolist()
        assert held.predictions.tolist() == judged.predictions.tolist()
        assert held.probabilities is not None
        assert held.probabilities.sum(axis=1) == pytest.approx(np.ones(table.n_rows))
    assert compare(schemes_by_name(["one-r"]), table, folds=2).tables[0].outcomes[0].held_out == ()


def test_numbers_are_measured_too() -> None:
    table = weighted(hornbeam.read("cpu"))
    found = compare(schemes_by_name(["cart", "linear"], "number"), table, folds=3, repeats=2, keep=True)
    truth = table.target_values()
    assert table.weights is not None
    for outcome in found.tables[0].outcomes:
        assert [name for name in outcome.metrics if name in MEASURES[False]] == list(MEASURES[False])
        for place, (rows, held) in enumerate(parts(outcome)):
            real, said, weights = truth[rows], held.predictions[rows], table.weights[rows]
            assert held.probabilities is None
            folds = {name: outcome.metrics[name].folds[place] for name in MEASURES[False]}
            assert folds == {
                "root mean squared error": pytest.approx(
                    metrics.root_mean_squared_error(real, said, sample_weight=weights)
                ),
                "mean absolute error": pytest.approx(metrics.mean_absolute_error(real, said, sample_weight=weights)),
                "R2": pytest.approx(metrics.r2_score(real, said, sample_weight=weights)),
            }


def test_the_baseline_looks_at_no_column(glass: Comparison) -> None:
    table, truth = hornbeam.read("glass"), hornbeam.read("glass").target_values()
    baseline = glass.tables[0].outcomes[0]
    assert (baseline.method, glass.baseline) == ("baseline", "baseline")
    assert [baseline.metrics[name].mean for name in ("AUC", "leaves", "conditions")] == [0.5, 1.0, 0.0]
    held = baseline.held_out[0]
    for number in range(4):
        counts = np.bincount(truth[held.fold != number], minlength=len(table.schema.target_column.categories))  # type: ignore[union-attr]
        assert set(held.predictions[held.fold == number].tolist()) == {int(counts.argmax())}
        assert held.probabilities is not None
        assert held.probabilities[held.fold == number][0] == pytest.approx(counts / counts.sum())
    cpu = hornbeam.read("cpu")
    found = compare(schemes_by_name(["linear"], "number"), cpu, folds=3, keep=True).tables[0].outcomes[0].held_out[0]
    for number in range(3):
        mean = cpu.target_values()[found.fold != number].mean()
        assert found.predictions[found.fold == number] == pytest.approx(np.full((found.fold == number).sum(), mean))


def test_sizes_are_those_of_the_models(glass: Comparison) -> None:
    for outcome in glass.tables[0].outcomes:
        known = {name for name in SIZES if outcome.has(name)}
        expected = {"baseline": {"leaves", "conditions"}, "c45": {"leaves", "conditions"}, "svm": set()}
        assert known == expected.get(outcome.method, {"rules", "conditions"})
    assert glass.size_name == "leaves or rules"
    weather = hornbeam.read("weather")
    rules = hornbeam.PartClassifier().fit(weather).model_
    conditions = sum(len(rule.conditions) for rule in rules.rules)
    assert size_of(rules) == pytest.approx(
        {"leaves": math.nan, "rules": len(rules), "conditions": conditions}, nan_ok=True
    )
    forest = hornbeam.RandomForestClassifier(n_estimators=3, random_state=1).fit(weather).model_
    trees = [size_of(forest.tree(place)) for place in range(3)]
    for name in ("leaves", "conditions"):
        assert size_of(forest)[name] == sum(tree[name] for tree in trees)
    bagged = hornbeam.BaggingClassifier(n_estimators=3, random_state=1).fit(weather).model_
    assert size_of(bagged)["leaves"] == sum(member.n_leaves for member in bagged.members)
    assert all(math.isnan(figure) for figure in size_of(None).values())
    listed = find("exceptions").load()().fit(hornbeam.read("vote")).model_
    assert size_of(listed)["rules"] > len(listed.rules)  # exceptions are rules too


def test_times_are_told_only_where_asked_for(glass: Comparison) -> None:
    outcome = glass.tables[0].outcome("c45")
    assert all(outcome.metrics[name].mean > 0 for name in TIMES)
    plain = glass.to_json()["tables"][0]["methods"][2]["metrics"]
    assert not set(TIMES) & set(plain)
    assert set(TIMES) < set(glass.to_json(times=True)["tables"][0]["methods"][2]["metrics"])
    assert "Wall-clock" not in glass.text()
    assert "Wall-clock" in glass.text(times=True)
    assert "fit, s" in glass.markdown(times=True)
    json.dumps(glass.to_json(times=True), allow_nan=False)


def test_the_same_with_any_number_of_threads(glass: Comparison) -> None:
    again = compare(schemes_by_name(QUICK), hornbeam.read("glass"), folds=4, repeats=2, seed=5, keep=True, n_jobs=3)
    assert again.to_json() == glass.to_json()
    assert again.text() == glass.text()
    for one, other in zip(again.tables[0].outcomes, glass.tables[0].outcomes, strict=True):
        for held, before in zip(one.held_out, other.held_out, strict=True):
            assert held.predictions.tolist() == before.predictions.tolist()


@pytest.mark.parametrize("measure", [name for name in MEASURES[True] if name != "mean cost"])
def test_methods_are_tested_by_any_measure(glass: Comparison, measure: Any) -> None:
    found = compare(schemes_by_name(QUICK), hornbeam.read("glass"), folds=4, repeats=2, seed=5, measure=measure)
    assert found.higher_is_better == ABOUT[measure].higher_is_better
    for outcome, before in zip(found.tables[0].outcomes, glass.tables[0].outcomes, strict=True):
        assert outcome.score == before.metrics[measure]
    pair = found.tables[0].pair("c45", "baseline")
    c45, base = (glass.tables[0].outcome(name).metrics[measure] for name in ("c45", "baseline"))
    assert pair is not None
    assert pair.score.mean == pytest.approx(c45.mean - base.mean)
    assert ABOUT[measure].short in found.text()


def test_a_method_without_what_is_measured_is_told() -> None:
    methods = schemes_by_name(["c45"]) | {"priced": hornbeam.C45Classifier(costs={"good": {"bad": 5.0}})}
    labor = hornbeam.read("labor")
    found = compare(methods, labor, folds=3, measure="mean cost", baseline="priced")
    assert [outcome.problem is None for outcome in found.tables[0].outcomes] == [False, False, True]
    assert "c45: not evaluated, it has no costs, and so no mean cost" in found.text()
    judged = cross_validate(methods["priced"], labor, 3, seed=1)
    costs = [one.mean_cost for one in judged.fold_scores]  # type: ignore[union-attr]
    assert found.tables[0].outcomes[2].metrics["mean cost"].folds == pytest.approx(costs)
    with pytest.raises(ValueError, match="no method could learn; it has no costs"):
        compare(schemes_by_name(["c45"]), labor, folds=3, measure="mean cost")


def test_a_figure_that_a_fold_does_not_have_is_left_out() -> None:
    # Folds of one class have no area; the others have.
    table = hornbeam.read("weather")
    truth = table.target_values()
    fold = np.where(truth == 0, 0, np.arange(14) % 2 + 1)
    fold[np.flatnonzero(truth == 0)[:2]] = 1
    fold[np.flatnonzero(truth == 0)[2:4]] = 2
    found = compare(schemes_by_name(["one-r"]), table, folds=fold, measure="AUC")
    score = found.tables[0].outcome("one-r").score
    assert score is not None
    assert math.isnan(score.folds[0])
    assert score.mean == pytest.approx(np.mean(score.folds[1:]))
    pair = found.tables[0].pair("one-r", "baseline")
    assert pair is not None
    assert pair.score.degrees == 1


def test_tuning_happens_inside_the_folds() -> None:
    methods = schemes_by_name(["one-r", "ib2", "c45"], tune=True, tune_folds=3, confidence=0.1)
    assert isinstance(methods["one-r"], Tuned)
    assert methods["one-r"].folds == 3
    assert type(methods["ib2"]).__name__ == "IB2Classifier"  # declares no range
    assert methods["c45"].parameters == ["min_samples_leaf"]  # what is given is not tuned
    assert methods["c45"].estimator.confidence == 0.1
    iris = hornbeam.read("iris")
    found = compare({name: methods[name] for name in ("baseline", "c45")}, iris, folds=3, keep=True)
    assert found.to_json()["tuned"] == {"c45": ["min_samples_leaf"]}
    several = compare({"one": methods["baseline"], "c45": methods["c45"]}, [iris, hornbeam.read("weather")], folds=2)
    assert "on its training rows only: c45 (min_samples_leaf)." in several.text()
    assert compare(schemes_by_name(["one-r"]), iris, folds=2).to_json()["tuned"] == {}
    held = found.tables[0].outcome("c45").held_out[0]
    for number in range(3):
        lesson = iris.take(held.fold != number)
        setting = hornbeam.evaluate.tune(
            hornbeam.C45Classifier(confidence=0.1), lesson, ["min_samples_leaf"], folds=3, seed=1
        )
        tree = hornbeam.C45Classifier(confidence=0.1, **setting.chosen.setting).fit(lesson)
        answers = tree.predict(iris.take(held.fold == number))
        categories = np.array(iris.schema.target_column.categories)  # type: ignore[union-attr]
        assert categories[held.predictions[held.fold == number]].tolist() == answers.tolist()


def test_schemes_are_made_by_name() -> None:
    for predicts in ("category", "number"):
        names = [scheme.name for scheme in SCHEMES if scheme.predicts == predicts]
        assert list(schemes_by_name(["all"], predicts)) == ["baseline", *names]
        assert list(schemes_by_name(None, predicts)) == ["baseline", *USUAL[predicts]]
        assert set(USUAL[predicts]) <= set(names)
    assert list(schemes_by_name(["part", "baseline", "c45", "part"])) == ["baseline", "part", "c45"]
    made = schemes_by_name(["part", "cart"], min_samples_leaf=5, confidence=0.1)
    assert (made["part"].min_samples_leaf, made["part"].confidence, made["cart"].min_samples_leaf) == (5, 0.1, 5)
    with pytest.raises(ValueError, match="no scheme is called 'oak'"):
        schemes_by_name(["oak"])
    with pytest.raises(ValueError, match="the scheme m5 does not predict categories"):
        schemes_by_name(["m5"])
    with pytest.raises(ValueError, match="does not predict numbers"):
        schemes_by_name(["k-means"], "number")
    with pytest.raises(ValueError, match="none of the schemes has a parameter 'leafs': one-r"):
        schemes_by_name(["one-r"], leafs=3)


def test_a_scheme_learns_as_it_does_alone() -> None:
    """What is left out of the copies for folds is only for show."""
    table = hornbeam.read("labor")
    found = compare(schemes_by_name(["cart"]), table, folds=4, keep=True)
    alone = cross_validate(hornbeam.CartClassifier(random_state=1), table, 4, seed=1)
    assert found.tables[0].outcome("cart").held_out[0].predictions.tolist() == alone.predictions.tolist()


def test_text_tells_every_measure(glass: Comparison) -> None:
    text = glass.text()
    assert max(map(len, text.splitlines())) <= 110
    for name in ("balanced", "AUC", "log loss", "Brier", "leaves", "rules", "conditions"):
        assert name in text
    area = glass.tables[0].outcome("part").metrics["AUC"]
    assert f"{area.mean:.3f} ({area.interval[0]:.3f} to {area.interval[1]:.3f})" in text
    assert "| method | balanced | AUC | log loss | Brier |" in glass.markdown()


def test_several_tables_are_tested_by_signed_ranks() -> None:
    tables = [hornbeam.read(name) for name in ("iris", "labor", "vote")]
    found = compare(schemes_by_name(["one-r", "c45"]), tables, folds=2, measure="Brier score")
    assert found.ranking is not None
    assert len(found.ranking.signed_ranks) == 3
    assert "Wilcoxon's signed-rank test, adjusted for 3 tests (Holm)" in found.text()
    assert "Brier score (+ better" in found.text()
    means = [[outcome.score.mean for outcome in table.outcomes] for table in found.tables]  # type: ignore[union-attr]
    assert found.ranking.methods[0] == found.methods[int(np.mean(np.argsort(np.argsort(means)), axis=0).argmin())]


def test_a_name_that_no_scheme_has_is_answered_by_those_that_fit() -> None:
    expected = "no scheme is called 'nosuch'; expected one of cart, tree, optimal, linear"
    with pytest.raises(ValueError, match=expected) as caught:
        schemes_by_name(["nosuch"], "number")
    assert "c45" not in str(caught.value)
    assert "k-means" not in str(caught.value)


def test_headings_of_models_say_nothing_twice() -> None:
    told = {scheme.heading for scheme in SCHEMES}
    assert {"C4.5 tree", "RIPPER rules", "Bagging ensemble", "Random forest", "Support vector machine"} <= told
    assert {"Generalized exemplars", "Neighbors"} <= told
