"""Bias and variance: the identities, a naive reference that keeps every answer, and a lesson on a known generator."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import hornbeam
from hornbeam.evaluate import SumsOfNumbers, Votes, bias_variance, bias_variance_curve

NOISE = 0.3


# --- squared loss ----------------------------------------------------------------------------------------------------


@st.composite
def answered_numbers(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Targets, noise-free values, weights, predictions of several models and whether each row was held out."""
    rows, models = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    figure = st.floats(-10, 10)

    def array(*shape: int) -> np.ndarray:
        size = math.prod(shape)
        return np.array(draw(st.lists(figure, min_size=size, max_size=size))).reshape(shape)

    held = np.array(draw(st.lists(st.booleans(), min_size=rows * models, max_size=rows * models)))
    held = held.reshape(models, rows)
    held[:2] = True
    return array(rows), array(rows), np.abs(array(rows)) + 0.1, array(models, rows), held


@given(answered_numbers())
def test_squared_loss_is_split_as_by_hand(
    drawn: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    target, truth, weights, predictions, held = drawn
    sums = SumsOfNumbers(target)
    for given_answers, out in zip(predictions, held, strict=True):
        sums.add(given_answers, out)
    parts = []
    for row in range(len(target)):
        own = predictions[held[:, row], row]
        variance = own.var(ddof=1)
        bias = (own.mean() - truth[row]) ** 2 - variance / len(own)
        noise = (target[row] - truth[row]) ** 2
        cross = 2 * (target[row] - truth[row]) * (truth[row] - own.mean())
        parts.append((np.mean((target[row] - own) ** 2), noise, bias, variance, cross))
    expected = np.average(parts, axis=0, weights=weights)
    found = sums.split(truth, weights)
    named = [found.error, found.noise, found.bias, found.variance, found.cross]
    assert named == pytest.approx(expected.tolist(), abs=1e-9)
    assert found.error == pytest.approx(found.noise + found.bias + found.variance + found.cross, abs=1e-9)  # type: ignore[operator]
    blind = sums.split(weights=weights)
    assert blind.noise is None
    assert blind.cross == 0
    assert blind.error == pytest.approx(blind.bias + blind.variance, abs=1e-9)


def test_a_large_target_does_not_swamp_small_errors() -> None:
    sums = SumsOfNumbers(np.full(3, 1e9))
    for away in (0.25, -0.25):
        sums.add(np.full(3, 1e9 + away))
    assert sums.split().variance == pytest.approx(0.125)


def test_answers_that_are_no_numbers_are_told() -> None:
    with pytest.raises(ValueError, match="a model predicted nan at row 2"):
        SumsOfNumbers([1.0, 2.0]).add([1.0, math.nan])
    SumsOfNumbers([1.0, 2.0]).add([1.0, math.nan], [True, False])
    with pytest.raises(ValueError, match="no row was predicted by 2 models or more"):
        SumsOfNumbers([1.0]).split()


# --- zero-one loss ---------------------------------------------------------------------------------------------------


@st.composite
def answered_classes(draw: st.DrawFn) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """How many classes, targets, noise-free classes and predictions of several models, some without any."""
    classes, rows, models = draw(st.integers(2, 4)), draw(st.integers(1, 6)), draw(st.integers(2, 7))
    code = st.integers(0, classes - 1)
    target, best = (np.array(draw(st.lists(code, min_size=rows, max_size=rows))) for _ in range(2))
    low = draw(st.sampled_from([-1, 0]))
    predictions = draw(st.lists(st.integers(low, classes - 1), min_size=rows * models, max_size=rows * models))
    return classes, target, best, np.array(predictions).reshape(models, rows)


def main_answer(own: np.ndarray) -> int:
    values, counts = np.unique(np.where(own < 0, 99, own), return_counts=True)
    return int(values[counts.argmax()])


@given(answered_classes())
def test_zero_one_loss_is_split_as_domingos_does(drawn: tuple[int, np.ndarray, np.ndarray, np.ndarray]) -> None:
    classes, target, best, predictions = drawn
    votes = Votes(target, classes)
    for one in predictions:
        votes.add(one)
    for truth in (None, best):
        losses, biases, variances, net, noises = [], [], [], [], []
        for row, true in enumerate(target if truth is None else truth):
            own = predictions[:, row]
            main = main_answer(own)
            differs = float(np.mean(np.where(own < 0, 99, own) != main))
            away = own[np.where(own < 0, 99, own) != main]
            # The paper's factors: 1 where the main prediction is right; else minus the probability that another
            # prediction is right.
            factor = 1.0 if main == true else -float(np.mean(away == true)) if len(away) else 0.0
            biases.append(float(main != true))
            variances.append(differs)
            net.append(factor * differs)
            losses.append(float(np.mean(own != target[row])))
            # c1 N: of the predictions, those that hit the best class lose and those that hit the wrong target win.
            noises.append(float(np.mean(own == true) - np.mean(own == target[row])) if true != target[row] else 0.0)
        found = votes.split(truth)
        assert found.error == pytest.approx(np.mean(losses))
        assert found.bias == pytest.approx(np.mean(biases))
        assert found.variance == pytest.approx(np.mean(variances))
        assert found.net_variance == pytest.approx(np.mean(net), abs=1e-12)
        assert (found.noise is None) == (truth is None)
        assert (found.noise or 0.0) == pytest.approx(np.mean(noises) if truth is not None else 0.0, abs=1e-12)
        assert found.error == pytest.approx((found.noise or 0.0) + found.bias + found.net_variance)


@given(answered_classes())
def test_of_two_classes_without_noise_every_answer_that_differs_saves(
    drawn: tuple[int, np.ndarray, np.ndarray, np.ndarray],
) -> None:
    _, target, _, predictions = drawn
    votes = Votes(target % 2, 2)
    for one in predictions:
        votes.add(np.abs(one) % 2)
    found = votes.split()
    assert found.variance == pytest.approx(found.unbiased_variance + found.biased_variance)
    assert found.error == pytest.approx(found.bias + found.unbiased_variance - found.biased_variance)


def test_with_true_chances_the_expectation_is_over_targets_too() -> None:
    chances = np.array([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]])
    predictions = [[0, 2], [0, 1], [1, 1]]
    votes = Votes([0, 0], 3)
    for one in predictions:
        votes.add(one)
    found = votes.split(chances)
    expected = np.mean([[1 - chances[row, one[row]] for row in range(2)] for one in predictions])
    assert found.error == pytest.approx(expected)
    assert found.noise is not None
    assert found.error == pytest.approx(found.noise + found.bias + found.net_variance)
    assert found.bias == 0.5  # the second row's main prediction is 1, its best class 2
    averaged = [
        votes_of(predictions, targets).split([0, 2]) for targets in ((a, b) for a in range(3) for b in range(3))
    ]
    weights = [chances[0, a] * chances[1, b] for a in range(3) for b in range(3)]
    assert found.noise == pytest.approx(np.average([one.noise or 0.0 for one in averaged], weights=weights))


def votes_of(predictions: list[list[int]], target: tuple[int, int]) -> Votes:
    votes = Votes(target, 3)
    for one in predictions:
        votes.add(one)
    return votes


def test_truth_that_does_not_fit_is_told() -> None:
    votes = votes_of([[0, 1], [0, 1]], (0, 1))
    with pytest.raises(ValueError, match="codes from 0 to 2"):
        votes.split([0, 3])
    with pytest.raises(ValueError, match="probabilities that add up to 1"):
        votes.split(np.array([[0.5, 0.2, 0.1], [1, 0, 0]]))
    sums = SumsOfNumbers([1.0])
    sums.add([1.0])
    sums.add([2.0])
    with pytest.raises(ValueError, match="expected 1 finite numbers"):
        sums.split([1.0, 2.0])


# --- samples ---------------------------------------------------------------------------------------------------------


def test_a_model_answers_the_rows_that_its_sample_has_left_out() -> None:
    iris, tree = hornbeam.read("iris"), hornbeam.TreeClassifier(max_depth=2)
    votes = Votes(iris.target_values(), 3)
    names = np.array(iris.schema.target_column.categories)  # type: ignore[union-attr]
    for number in range(20):
        chosen = np.random.default_rng((7, number)).integers(0, 150, 150)
        predictions = clone(tree).fit(iris.take(np.sort(chosen))).predict(iris)
        codes = [int(np.flatnonzero(names == answer)[0]) for answer in predictions]
        votes.add(codes, ~np.isin(np.arange(150), chosen))
    found = bias_variance(tree, iris, rounds=20, seed=7)
    assert found.loss == votes.split()
    assert found.loss.models_per_row == pytest.approx(20 / math.e, rel=0.1)
    assert not found.fresh


def test_rows_without_a_target_are_left_out() -> None:
    iris = hornbeam.read("iris")
    codes = iris.target_values().copy()
    codes[:10] = -1
    columns = [*iris.columns]
    columns[iris.schema.target] = codes  # type: ignore[index]
    some = hornbeam.Table(iris.schema, columns)
    whole = bias_variance(hornbeam.OneRClassifier(), iris.take(np.arange(10, 150)), rounds=20)
    assert bias_variance(hornbeam.OneRClassifier(), some, rounds=20).loss == whole.loss


def test_rows_of_one_group_are_drawn_together() -> None:
    chance = np.random.default_rng(2)
    group = np.repeat(np.arange(40), 5)
    level = chance.normal(size=40)[group]  # what a row's group tells about it, and no column does
    columns = (hornbeam.Numeric("x"), hornbeam.Numeric("field"), hornbeam.Numeric("y"))
    schema = hornbeam.Schema(columns, name="fields").assign({"y": "target"})
    table = hornbeam.Table(schema, [group + chance.random(200) / 9, group.astype(float), level])
    nearest = hornbeam.NeighborsRegressor(n_neighbors=1)
    apart = bias_variance(nearest, table.assign({"field": "ignored"}), rounds=30).loss
    together = bias_variance(nearest, table.assign({"field": "group"}), rounds=30).loss
    assert apart.error < 0.1
    assert together.error > 1.0
    assert together.models_per_row == pytest.approx(30 / math.e, rel=0.1)


def test_estimators_of_scikit_learn_will_do() -> None:
    from sklearn.linear_model import LinearRegression

    cpu = hornbeam.read("cpu")
    theirs = bias_variance(LinearRegression(), cpu, rounds=10).loss
    ours = bias_variance(hornbeam.LinearRegressor(selection=None), cpu, rounds=10).loss
    assert theirs.error == pytest.approx(ours.error, rel=1e-3)


def test_threads_change_nothing_and_progress_is_told() -> None:
    cpu, said = hornbeam.read("cpu"), []
    tree = hornbeam.TreeRegressor(max_depth=3)
    one = bias_variance(tree, cpu, rounds=20, progress=lambda done, total: said.append((done, total)))
    assert one == bias_variance(tree, cpu, rounds=20, n_jobs=2)
    assert said[0] == (0, 20)
    assert said[-1] == (20, 20)
    assert {total for _, total in said} == {20}
    assert [done for done, _ in said] == sorted(done for done, _ in said)


# --- the lesson of a known generator ---------------------------------------------------------------------------------


def sine(rows: np.ndarray) -> np.ndarray:
    return np.sin(2 * np.pi * rows)


def table_of(x: np.ndarray, y: np.ndarray) -> hornbeam.Table:
    schema = hornbeam.Schema((hornbeam.Numeric("x"), hornbeam.Numeric("y")), name="sine").assign({"y": "target"})
    return hornbeam.Table(schema, [x, y])


def fresh(chance: np.random.Generator, rows: int = 25) -> hornbeam.Table:
    x = np.linspace(0, 1, rows)
    return table_of(x, sine(x) + NOISE * chance.normal(size=rows))


def lesson(learner: object, parameter: str, values: list[float | None], rounds: int = 100) -> list[Any]:
    x = np.random.default_rng(99).random(400)
    test = table_of(x, sine(x) + NOISE * np.random.default_rng(98).normal(size=400))
    found = bias_variance_curve(learner, fresh, parameter, values, test=test, truth=sine(x), rounds=rounds)
    assert found.fresh
    return [loss for _, loss in found.points]


def of_least_squares(degree: int, places: np.ndarray) -> tuple[float, float]:
    """Squared bias and variance of polynomials fitted to `fresh` tables, by algebra: a fit is linear in the targets."""
    x = np.linspace(0, 1, 25)
    fit = np.polynomial.legendre.legvander(2 * places - 1, degree) @ np.linalg.pinv(
        np.polynomial.legendre.legvander(2 * x - 1, degree)
    )
    return float(np.mean((fit @ sine(x) - sine(places)) ** 2)), float(NOISE**2 * (fit**2).sum(axis=1).mean())


@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
def test_polynomials_of_rising_degree_trade_bias_for_variance() -> None:
    degrees: list[float | None] = [1, 3, 5, 7]
    losses = lesson(hornbeam.PolynomialRegressor(), "degree", degrees, rounds=200)
    for loss, degree in zip(losses, degrees, strict=True):
        bias, variance = of_least_squares(int(degree or 0), np.random.default_rng(99).random(400))
        assert loss.variance == pytest.approx(variance, rel=0.12)
        assert loss.bias == pytest.approx(bias, rel=0.05, abs=1e-3)
        assert loss.noise == pytest.approx(NOISE**2, rel=0.15)
        assert loss.error == pytest.approx(loss.noise + loss.bias + loss.variance + loss.cross)
        assert abs(loss.cross) < 0.02
    assert [loss.variance for loss in losses] == sorted(loss.variance for loss in losses)
    assert losses[0].bias > 10 * losses[1].bias
    assert min(losses, key=lambda loss: loss.error) is losses[1]


def test_deeper_trees_trade_bias_for_variance() -> None:
    losses = lesson(hornbeam.TreeRegressor(min_samples_leaf=1), "max_depth", [1, 3, None], rounds=60)
    assert [loss.bias for loss in losses] == sorted((loss.bias for loss in losses), reverse=True)
    assert [loss.variance for loss in losses] == sorted(loss.variance for loss in losses)
    # A whole tree repeats the nearest target, noise and all.
    assert losses[-1].variance == pytest.approx(NOISE**2, rel=0.25)


def test_a_stump_has_more_bias_than_a_tree_and_bagging_less_variance() -> None:
    labor = hornbeam.read("labor")
    stump = bias_variance(hornbeam.TreeClassifier(max_depth=1), labor, rounds=60).loss
    whole = bias_variance(hornbeam.TreeClassifier(), labor, rounds=60).loss
    assert stump.bias > whole.bias
    bagged = bias_variance(
        hornbeam.BaggingClassifier(hornbeam.TreeClassifier(), n_estimators=15, n_jobs=1), labor, rounds=20
    ).loss
    assert bagged.variance < whole.variance


# --- results ---------------------------------------------------------------------------------------------------------


def test_results_in_words_as_data_and_as_pictures() -> None:
    iris, cpu = hornbeam.read("iris"), hornbeam.read("cpu")
    classes = bias_variance_curve(hornbeam.TreeClassifier(), iris, "max_depth", [1, None], rounds=10)
    numbers = bias_variance(hornbeam.TreeRegressor(), cpu, truth=cpu.target_values(), rounds=10)
    blind = bias_variance(hornbeam.TreeRegressor(), cpu, rounds=10)
    for found in (classes, numbers, blind):
        assert json.loads(json.dumps(found.to_json(), allow_nan=False))["rounds"] == 10
    assert "noise is not known separately" in classes.text()
    assert "noise is not known separately" in blind.text()
    assert "noise is not known separately" not in numbers.text()
    assert numbers.loss.noise == 0.0
    assert [line.split()[0] for line in classes.text().splitlines()[3:5]] == ["1", "none"]
    axes = classes.chart()
    expected = [100 * loss.error for _, loss in classes.points]
    assert axes.lines[0].get_ydata().tolist() == pytest.approx(expected)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "none"]
    assert len(numbers.chart().patches) == 4
    assert "samples drawn with replacement" in bias_variance(hornbeam.OneRClassifier(), iris, rounds=5).text()


def test_what_is_asked_wrongly_is_told() -> None:
    iris = hornbeam.read("iris")
    with pytest.raises(ValueError, match="rounds is 1; expected 2 or more"):
        bias_variance(hornbeam.OneRClassifier(), iris, rounds=1)
    with pytest.raises(ValueError, match="expected a test table"):
        bias_variance(hornbeam.LinearRegressor(), fresh)
    with pytest.raises(ValueError, match="truth has 3 entries for 150 rows"):
        bias_variance(hornbeam.OneRClassifier(), iris, truth=[0, 1, 2])
