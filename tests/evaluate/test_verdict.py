"""The verdict follows from the figures: its sentence never says more than they do, and never the opposite."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import hornbeam
from hornbeam import evaluate
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import ClassificationScore, RegressionScore, score, verdict
from hornbeam.evaluate.intervals import effective_rows, paired_interval

NUMBER = r"(-?[\d.]+)%?"


def of_classes(
    truth: Any, weights: Any = None, groups: Any = None, classes: tuple[str, ...] = ("no", "yes", "maybe")
) -> Table:
    columns: list[Any] = [Nominal("late", classes)]
    arrays: list[Any] = [np.asarray(truth, np.int32)]
    roles = ["target"]
    for name, values, role in (("w", weights, "weight"), ("g", groups, "group")):
        if values is not None:
            columns.append(Numeric(name))
            arrays.append(np.asarray(values, np.float64))
            roles.append(role)
    return Table(Schema(tuple(columns), tuple(roles)), arrays)  # type: ignore[arg-type]


def of_numbers(truth: Any) -> Table:
    return Table(Schema((Numeric("y"),), ("target",)), [np.asarray(truth, np.float64)])


def judged(truth: Any, predicted: Any, **about: Any) -> ClassificationScore:
    found = score(np.asarray(predicted), of_classes(truth, **about))
    assert isinstance(found, ClassificationScore)
    return found


predictions = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-1, 2), st.sampled_from([1.0, 1.0, 0.5, 3.0])), min_size=1, max_size=300
)


@given(predictions, st.booleans(), st.booleans())
def test_the_sentence_about_classes_never_contradicts_the_figures(
    drawn: list[tuple[int, int, float]], weighted: bool, often_right: bool
) -> None:
    truth, predicted, weights = (np.array(part) for part in zip(*drawn, strict=True))
    if often_right:
        predicted = np.where(np.arange(len(truth)) % 3 > 0, truth, predicted)
    found = judged(truth, predicted, weights=weights if weighted else None)
    said = verdict(found)
    low, high = said.interval
    assert (said.better is True) == (low > 0)
    if said.better is False:
        assert low <= 0
    if said.better is None:
        assert math.isnan(low) or found.baseline == 1 or high >= 0.1
    assert math.isnan(low) or low - 1e-12 <= said.difference <= high + 1e-12
    if "learned nothing" in said.text:
        assert said.difference <= 0 <= high
    if "Worse" in said.text:
        assert high < 0
    if match := re.match(rf"Right in {NUMBER} of (\d+) .* {NUMBER} more .* interval {NUMBER} to {NUMBER}\)", said.text):
        right, of, more, least, most = map(float, match.groups())
        assert 0 < least <= more <= most
        assert right == pytest.approx(of * found.accuracy, abs=0.5)
        assert (right == of) == (found.accuracy == 1)
    else:
        assert said.better is not True
    for one in found.report.classes:
        if f"no row of '{one.name}'" in said.text:
            assert one.recall == 0
            assert one.support >= 5
    json.dumps(said.to_json(), allow_nan=False)


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=1, max_size=120),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
def test_the_sentence_about_numbers_never_contradicts_the_figures(drawn: list[tuple[int, int]], known: float) -> None:
    truth, noise = (np.array(part, float) for part in zip(*drawn, strict=True))
    found = score(known * truth + (1 - known) * noise, of_numbers(truth))
    assert isinstance(found, RegressionScore)
    said = verdict(found)
    low, high = found.interval
    assert (said.better is True) == (low > 0)
    if match := re.match(rf"Explains {NUMBER} of .* interval {NUMBER} to {NUMBER}\).* {NUMBER} smaller", said.text):
        share, least, most, _ = map(float, match.groups())
        assert 0 < least <= share <= most <= 100
        assert (share == 100) == (found.r2 == 1)
    else:
        assert said.better is not True
    if "learned nothing" in said.text:
        assert found.r2 <= 0
        assert high >= 0 or -found.r2 <= max(0.02, 4 / found.n_rows)
    if "Worse" in said.text:
        assert -found.r2 > max(0.02, 4 / found.n_rows)
    json.dumps(said.to_json(), allow_nan=False)


def test_a_model_that_always_predicts_the_commonest_class_has_learned_nothing() -> None:
    """A model as good as the baseline is called that, not "97.8% right"."""
    truth = np.array([0] * 978 + [1] * 22)
    said = verdict(judged(truth, np.zeros(1000, int)), noun="tree")
    assert said.text == "This tree has learned nothing: always predicting 'no' does as well (97.8%)."
    assert said.better is False
    assert said.severity == "bad"


def test_a_better_model_says_by_how_much_and_how_sure() -> None:
    truth = np.array([0] * 660 + [1] * 340)
    predicted = truth.copy()
    predicted[:100] = 1
    predicted[700:820] = 0
    said = verdict(judged(truth, predicted))
    assert said.text == "Right in 78 of 100 held-out rows, 12 more than always predicting 'no' (95% interval 9 to 15)."
    assert said.difference == pytest.approx(0.12)


def test_high_accuracy_without_the_rare_class_is_said() -> None:
    truth = np.array([0] * 500 + [1] * 480 + [2] * 20)
    predicted = np.where(truth == 2, 0, truth)
    said = verdict(judged(truth, predicted))
    assert said.better is True
    assert said.severity == "unsure"
    assert said.text.endswith("But it finds no row of 'maybe' (2.0% of the rows): recall 0.")


def test_probabilities_that_rank_rows_are_something_learned() -> None:
    """Predictions may be no better than the baseline although probabilities know more; it is not called nothing."""
    truth = np.array([0] * 900 + [1] * 100)
    share = np.concatenate([np.linspace(0, 0.4, 900), np.linspace(0.2, 0.45, 100)])
    found = score(np.zeros(1000, int), of_classes(truth, classes=("no", "yes")), None, np.stack([1 - share, share], 1))
    said = verdict(found)
    assert "learned nothing" not in said.text
    assert "its probabilities rank the rows: ROC AUC" in said.text
    assert said.better is False


def test_there_is_one_contrast_in_a_verdict() -> None:
    """It read: ..., but its probabilities rank the rows ... But it finds only ..."""
    rng = np.random.default_rng(4)
    truth = (rng.random(4000) < 0.05).astype(int)
    share = np.clip(rng.normal(0.2 + 0.1 * truth, 0.1), 0.01, 0.99)
    found = score(
        (share > 0.4).astype(int), of_classes(truth, classes=("no", "yes")), None, np.stack([1 - share, share], 1)
    )
    text = verdict(found).text
    assert "its probabilities rank the rows" in text
    assert " It finds only " in text
    assert text.count("ut it") == 1


def test_few_rows_are_too_few_to_say() -> None:
    said = verdict(evaluate.cross_validate(hornbeam.C45Classifier(), hornbeam.read("weather")), noun="tree")
    assert said.better is None
    assert said.text.startswith("Too few rows to say whether this tree is better than always predicting 'yes'")


def test_numbers_worse_than_the_mean_are_called_that() -> None:
    truth = np.arange(400.0) % 20
    said = verdict(score(20 - truth, of_numbers(truth)))
    assert said.text.startswith("Worse than always predicting the mean: its error (RMSE) is ")
    assert said.severity == "bad"


@pytest.mark.parametrize("rows", [14, 40, 300])
def test_a_leaf_that_predicts_the_mean_of_other_rows_is_not_called_worse(rows: int) -> None:
    rng = np.random.default_rng(rows)
    table = Table(Schema((Numeric("x"), Numeric("y")), ("feature", "target")), [np.ones(rows), rng.normal(size=rows)])
    found = evaluate.cross_validate(hornbeam.CartRegressor(), table, 10)
    assert found.score.r2 < 0
    said = verdict(found, noun="tree")
    assert said.text.startswith("This tree has learned nothing: ")
    assert (said.better, said.severity) == (False, "bad")


def test_the_printed_name_of_r2_is_its_symbol() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=120)
    table = Table(
        Schema((Numeric("x"), Numeric("y")), ("feature", "target")), [x, 2 * x + rng.normal(0, 0.3, size=120)]
    )
    methods = {"linear": hornbeam.LinearRegressor(), "cart": hornbeam.CartRegressor()}
    found = evaluate.compare(methods, table, folds=3, baseline="cart", measure="R2")
    said = verdict(found)
    assert said.measure == "R2"  # for programs
    assert "R² 0." in said.text
    assert "R2" not in said.text + found.text()


def test_doubts_stand_beside_good_news_only() -> None:
    truth = np.array([0, 1] * 100)
    doubt = "'arrival' alone determines the target"
    good = verdict(judged(truth, truth), doubts=[doubt])
    assert good.text.endswith(f"Do not trust this score yet: {doubt}.")
    assert good.severity == "bad"
    assert doubt not in verdict(judged(truth, np.zeros(200, int)), doubts=[doubt]).text


def test_costs_are_judged_by_costs() -> None:
    truth = np.array([0] * 90 + [1] * 10)
    costs = np.array([[0.0, 1.0], [20.0, 0.0]])
    predicted = np.where(np.arange(100) < 40, 0, 1)  # 50 false alarms for no missed row
    found = score(predicted, of_classes(truth, classes=("no", "yes")), costs)
    assert isinstance(found, ClassificationScore)
    assert found.accuracy < found.baseline
    said = verdict(found)
    assert said.better is True
    assert said.text.startswith("A row costs 0.5 on average, less than always predicting the cheapest class")


def test_the_verdict_on_a_comparison_names_the_best_and_the_smallest_that_is_as_good() -> None:
    table = hornbeam.read("iris")
    found = evaluate.compare(evaluate.schemes_by_name(["one-r", "forest"], n_estimators=10), table, seed=1)
    said = verdict(found)
    assert said.better is True
    best = max(found.tables[0].outcomes, key=lambda one: one.score.mean)  # type: ignore[union-attr]
    assert said.text.startswith(f"{best.method} is best: accuracy ")
    assert "not distinguishable from it" in said.text
    assert verdict(replace(found, ranking=None, tables=found.tables * 2)).better is None


def test_a_comparison_that_no_method_wins_says_so() -> None:
    rng = np.random.default_rng(3)
    table = Table(
        Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target")),
        [rng.random(200), (rng.random(200) < 0.3).astype(np.int32)],
    )
    said = verdict(evaluate.compare(evaluate.schemes_by_name(["one-r"]), table))
    assert said.better is False
    assert said.text.startswith(("No method is clearly better than the baseline", "No method is better"))


def test_it_seldom_finds_what_is_not_there() -> None:
    """Of models that learn from columns of noise, few are called better than the baseline, and few more by groups."""
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(60):
        table = Table(
            Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target")),
            [rng.random(80), (rng.random(80) < 0.5).astype(np.int32)],
        )
        wrong += verdict(evaluate.cross_validate(hornbeam.OneRClassifier(), table, 5)).better is True
    assert binomtest(wrong, 60, 0.05).pvalue > 0.001 or wrong < 3


def test_rows_of_one_group_count_as_what_they_say() -> None:
    """Ten groups of twenty rows that are right or wrong together are ten rows, not two hundred."""
    groups = np.repeat(np.arange(10), 20)
    truth = np.repeat(np.array([0, 1] * 5), 20)
    predicted = np.where(groups < 8, truth, 1 - truth)
    alone, together = judged(truth, predicted), judged(truth, predicted, groups=groups)
    assert alone.accuracy == together.accuracy
    assert verdict(alone).better is True
    assert verdict(together).better is None
    assert together.interval[0] < alone.interval[0] - 0.1
    assert effective_rows((truth == predicted).astype(float), np.ones(200), groups) < 11


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 60))
def test_the_paired_interval_is_symmetric_and_holds_the_mean(one: int, other: int, same: int) -> None:
    rows = np.array([1.0] * one + [-1.0] * other + [0.0] * same)
    if len(rows) < 2:
        assert math.isnan(paired_interval(rows, np.ones(len(rows)))[0])
        return
    low, high = paired_interval(rows, np.ones(len(rows)))
    assert low <= rows.mean() <= high
    assert paired_interval(-rows, np.ones(len(rows))) == pytest.approx((-high, -low))


def test_a_wrong_kind_of_result_is_refused() -> None:
    with pytest.raises(TypeError, match="no verdict on 'int'"):
        verdict(3)  # type: ignore[arg-type]
