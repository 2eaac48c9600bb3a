"""Learning and complexity curves: every figure as by hand, on the same folds, whatever the threads."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import hornbeam
from hornbeam.evaluate import compare, complexity_curve, learning_curve
from hornbeam.evaluate.curves.curve import _spread
from hornbeam.evaluate.folds import assign_folds, fold_of_rows


def accuracy(estimator: object, table: hornbeam.Table) -> float:
    column = table.schema.target_column
    truth = np.array(column.categories)[table.target_values()]  # type: ignore[union-attr]
    return float(np.mean(estimator.predict(table) == truth))  # type: ignore[attr-defined]


def test_a_complexity_curve_scores_every_value_on_the_same_folds() -> None:
    iris, tree = hornbeam.read("iris"), hornbeam.TreeClassifier()
    found = complexity_curve(tree, iris, "max_depth", [1, 3, None], folds=4, seed=5)
    fold = fold_of_rows(iris, 4, 5)
    for point in found.points:
        training, test = [], []
        for number in range(4):
            lesson, rest = iris.take(fold != number), iris.take(fold == number)
            learner = clone(tree).set_params(max_depth=point.value).fit(lesson)
            training.append(accuracy(learner, lesson))
            test.append(accuracy(learner, rest))
        assert point.training is not None
        assert point.test is not None
        assert point.training.folds == pytest.approx(training)
        assert point.test.folds == pytest.approx(test)
    assert [point.value for point in found.points] == [1, 3, None]
    assert (found.of, found.measure, found.folds, found.n_rows) == ("max_depth", "accuracy", 4, 150)
    best = max(found.points, key=lambda point: point.test.mean)  # type: ignore[union-attr]
    assert found.best is best


def test_a_learning_curve_takes_more_and_more_rows_of_the_training_part() -> None:
    iris, tree = hornbeam.read("iris"), hornbeam.C45Classifier()
    found = learning_curve(tree, iris, [0.5, 30, 120], folds=5, seed=3)
    assert [point.value for point in found.points] == [30, 60, 120]
    fold = fold_of_rows(iris, 5, 3)
    last = found.points[-1]
    for number in range(5):  # the last point is a plain cross-validation
        learner = clone(tree).fit(iris.take(fold != number))
        assert last.test is not None
        assert last.training is not None
        assert last.test.folds[number] == pytest.approx(accuracy(learner, iris.take(fold == number)))
        assert last.training.folds[number] == pytest.approx(accuracy(learner, iris.take(fold != number)))
    first = found.points[0]
    assert first.test is not None
    for number in range(5):
        rows = _spread(iris, np.flatnonzero(fold != number), 3)[:30]
        learner = clone(tree).fit(iris.take(np.sort(rows)))
        assert first.test.folds[number] == pytest.approx(accuracy(learner, iris.take(fold == number)))


def test_every_beginning_has_the_classes_in_their_shares() -> None:
    vote = hornbeam.read("vote")
    rows = np.flatnonzero(np.arange(vote.n_rows) % 3 > 0)
    order = _spread(vote, rows, 1)
    assert sorted(order.tolist()) == rows.tolist()
    codes = vote.target_values()[order]
    share = (codes == 0).mean()
    for count in range(1, len(codes)):
        assert abs((codes[:count] == 0).sum() - share * count) <= 2
    assert _spread(vote, rows, 1).tolist() == order.tolist() != _spread(vote, rows, 2).tolist()


def test_by_default_rows_are_halved_and_values_are_those_worth_searching() -> None:
    vote = hornbeam.read("vote")
    sizes = [point.value for point in learning_curve(hornbeam.OneRClassifier(), vote, folds=3).points]
    assert sizes == [18, 36, 72, 145, 290]
    values = [point.value for point in complexity_curve(hornbeam.TreeClassifier(), vote, "max_depth", folds=2).points]
    assert values == [1, 2, 4, 8, 16]


def test_numbers_are_judged_by_their_error() -> None:
    cpu = hornbeam.read("cpu")
    found = complexity_curve(hornbeam.TreeRegressor(), cpu, "max_leaf_nodes", [2, 30], folds=3, repeats=2)
    assert found.measure == "root mean squared error"
    assert found.points[0].test is not None
    assert len(found.points[0].test.folds) == 6
    training = [point.training.mean for point in found.points]  # type: ignore[union-attr]
    assert training[1] < training[0]
    assert found.best is min(found.points, key=lambda point: point.test.mean)  # type: ignore[union-attr]
    assert "3-fold cross-validation, 2 times" in found.text()


def test_threads_change_nothing_and_progress_is_told() -> None:
    iris, said = hornbeam.read("iris"), []
    forest = hornbeam.RandomForestClassifier(n_estimators=5, n_jobs=1)
    one = complexity_curve(
        forest, iris, "min_samples_leaf", [1, 8], folds=3, progress=lambda done, total: said.append((done, total))
    )
    assert said == [(done, 6) for done in range(7)]
    two = complexity_curve(forest, iris, "min_samples_leaf", [1, 8], folds=3, n_jobs=2)
    assert one.to_json() == two.to_json()


def test_a_parameter_of_a_learner_inside_another() -> None:
    iris = hornbeam.read("iris")
    bagging = hornbeam.BaggingClassifier(hornbeam.TreeClassifier(), n_estimators=3)
    found = complexity_curve(bagging, iris, "estimator__max_depth", [1, 3], folds=2)
    low, high = (point.training.mean for point in found.points)  # type: ignore[union-attr]
    assert high > low


def test_estimators_of_scikit_learn_will_do() -> None:
    from sklearn.tree import DecisionTreeClassifier

    iris = hornbeam.read("iris")
    found = complexity_curve(DecisionTreeClassifier(), iris, "max_depth", [1, 4], folds=3)
    assert found.learner == "DecisionTreeClassifier"
    low, high = (point.test.mean for point in found.points)  # type: ignore[union-attr]
    assert low < 0.7
    assert high > 0.9
    sizes = learning_curve(DecisionTreeClassifier(), hornbeam.read("glass"), [10, 140], folds=3).points
    assert sizes[0].test.mean < sizes[1].test.mean - 0.1  # type: ignore[union-attr]


@pytest.mark.parametrize("measure", ["balanced accuracy", "AUC", "log loss", "Brier score"])
def test_any_measure_of_a_comparison_will_do(measure: Any) -> None:
    iris, method = hornbeam.read("iris"), hornbeam.TreeClassifier(max_depth=2)
    found = complexity_curve(hornbeam.TreeClassifier(), iris, "max_depth", [1, 2], folds=3, measure=measure)
    compared = compare({"tree": method, "other": hornbeam.OneRClassifier()}, iris, folds=3, measure=measure)
    outcome = compared.tables[0].outcome("tree")
    assert found.points[1].test == outcome.score
    assert found.best.value == 2
    assert found.chart().get_ylabel().startswith(measure)
    assert found.text()


def test_a_point_that_cannot_be_learned_is_told_beside_the_others() -> None:
    iris = hornbeam.read("iris")
    found = complexity_curve(hornbeam.TreeClassifier(), iris, "max_depth", [2, -1], folds=2)
    assert found.points[1].test is None
    assert found.best.value == 2
    assert "-1: max_depth is -1" in found.text().splitlines()[-1]
    assert found.to_json()["points"][1]["test"] is None
    assert len(found.chart().lines[0].get_xdata()) == 1
    with pytest.raises(ValueError, match="iris: no point of the curve could be learned; max_depth is -1"):
        complexity_curve(hornbeam.TreeClassifier(), iris, "max_depth", [-1], folds=2)


def test_what_is_asked_wrongly_is_told() -> None:
    iris, tree = hornbeam.read("iris"), hornbeam.TreeClassifier()
    with pytest.raises(ValueError, match="expected 1 to 75 rows"):
        learning_curve(tree, iris, [76], folds=2)
    with pytest.raises(ValueError, match=r"a size is 1\.5"):
        learning_curve(tree, iris, [1.5], folds=2)
    with pytest.raises(ValueError, match="a size is 0"):
        learning_curve(tree, iris, [0], folds=2)
    with pytest.raises(ValueError, match="no number of rows"):
        learning_curve(tree, iris, [], folds=2)
    with pytest.raises(ValueError, match="no parameter 'depth'"):
        complexity_curve(tree, iris, "depth", [1])
    with pytest.raises(ValueError, match="declares no search range"):
        complexity_curve(tree, iris, "min_samples_split")
    with pytest.raises(ValueError, match="criterion is 'gini'; a curve needs numbers"):
        complexity_curve(tree, iris, "criterion", ["gini"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="repeats is 0"):
        complexity_curve(tree, iris, "max_depth", [1], repeats=0)


def test_a_curve_in_words_as_data_and_as_a_picture() -> None:
    found = complexity_curve(hornbeam.TreeClassifier(), hornbeam.read("iris"), "max_depth", [1, 2, None], folds=3)
    lines = found.text().splitlines()
    assert lines[2].split()[:3] == ["max_depth", "training", "accuracy"]
    assert [line.split()[0] for line in lines[3:6]] == ["1", "2", "none"]
    assert lines[-1] == "best on held-out rows: 94.0% at max_depth 2"
    plain = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert plain["best"] == 2
    assert plain["points"][2]["value"] is None
    axes = found.chart()
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "none"]
    training, held_out = axes.lines[:2]
    for drawn, name in ((training, "training"), (held_out, "test")):
        expected = [100 * getattr(point, name).mean for point in found.points]
        assert drawn.get_ydata().tolist() == pytest.approx(expected)
    rows = learning_curve(hornbeam.TreeClassifier(), hornbeam.read("iris"), [20, 50, 100], folds=3)
    assert rows.chart().get_xscale() == "log"
    nothing = complexity_curve(hornbeam.NeighborsClassifier(), hornbeam.read("iris"), "n_neighbors", [1, 3], folds=2)
    assert "leaves or rules" not in nothing.text()
    assert nothing.points[0].size is not None
    assert math.isnan(nothing.points[0].size.mean)


def test_curves_by_time_learn_from_earlier_rows_only() -> None:
    cpu, tree = hornbeam.read("cpu"), hornbeam.CartRegressor()
    times = cpu.column("MYCT")
    assigned = assign_folds(cpu, 3, 1, "MYCT")
    found = learning_curve(tree, cpu, [20, 40], folds=3, order="MYCT")
    assert (found.order, found.folds, found.n_rows) == ("MYCT", 3, cpu.n_rows)
    for point, size in zip(found.points, (20, 40), strict=True):
        scores = []
        for number in range(3):
            train = assigned.train(number)
            latest = train[np.argsort(times[train], kind="stable")][-size:]
            assert times[latest].max() <= times[assigned.test(number)].min()
            test = cpu.take(assigned.test(number))
            learner = clone(tree).set_params(random_state=1).fit(cpu.take(np.sort(latest)))
            scores.append(math.sqrt(np.mean((learner.predict(test) - test.target_values()) ** 2)))
        assert point.test is not None
        assert point.test.folds == pytest.approx(scores)
    assert "3 folds in the order of MYCT" in found.text()
    assert found.to_json()["order"] == "MYCT"

    found = complexity_curve(tree, cpu, "max_depth", [1, 4], folds=3, order="MYCT")
    for point in found.points:
        scores = []
        for number in range(3):
            test = cpu.take(assigned.test(number))
            learner = clone(tree).set_params(max_depth=point.value, random_state=1)
            answers = learner.fit(cpu.take(assigned.train(number))).predict(test)
            scores.append(math.sqrt(np.mean((answers - test.target_values()) ** 2)))
        assert point.test is not None
        assert point.test.folds == pytest.approx(scores)
    with pytest.raises(ValueError, match="folds in time order"):
        learning_curve(tree, cpu, order="MYCT", repeats=2)
