"""Confusion matrices and residuals against scikit-learn, NumPy and counting rows one by one."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from hornbeam.evaluate import confusion, residuals
from hornbeam.evaluate.curves.residual_figures import LEVELS

CODES = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2), st.sampled_from([0.5, 1.0, 2.0])), min_size=1)


@given(CODES)
def test_a_confusion_matrix_is_that_of_scikit_learn(rows: list[tuple[int, int, float]]) -> None:
    truth, predicted, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = confusion(truth, predicted, ["a", "b", "c"], weights)
    whole = (truth >= 0) & (predicted >= 0)
    if whole.any():
        theirs = metrics.confusion_matrix(
            truth[whole], predicted[whole], labels=[0, 1, 2], sample_weight=weights[whole]
        )
        assert found.confusion == pytest.approx(theirs)
    assert found.not_predicted.sum() == weights[(truth >= 0) & (predicted < 0)].sum()
    known = truth >= 0
    if not known.any():
        assert math.isnan(found.accuracy)
        return
    labels = {"labels": [0, 1, 2], "sample_weight": weights[known], "zero_division": np.nan}
    theirs = metrics.precision_recall_fscore_support(truth[known], predicted[known], average=None, **labels)
    for mine, their in zip((found.precision, found.recall), theirs, strict=False):
        assert mine == pytest.approx(their, nan_ok=True)
    both = found.precision + found.recall
    harmonic = 2 * found.precision * found.recall / np.where(both > 0, both, 1)
    defined = ~np.isnan(harmonic)
    assert found.f1[defined] == pytest.approx(harmonic[defined])
    assert found.accuracy == pytest.approx(
        metrics.accuracy_score(truth[known], predicted[known], sample_weight=weights[known])
    )
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["classes"] == ["a", "b", "c"]


def test_a_confusion_matrix_in_words_and_as_a_picture() -> None:
    found = confusion([0, 0, 1, 1, 1], [0, 1, 1, 1, -1], ["no", "a\nname"])
    assert found.text().splitlines() == [
        "         predicted",
        "actual   no  a\\nname",
        "no        1        1",
        "a\\nname   0        2",
        "",
        "class    precision  recall     F1  rows",
        "no          100.0%   50.0%  66.7%     2",
        "a\\nname      66.7%   66.7%  66.7%     3",
        "",
        "without a prediction: 1",
    ]
    axes = found.chart()
    assert [text.get_text() for text in axes.texts] == ["1", "1", "0", "2"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["no", "a\\nname"]
    assert axes.get_title("left") == "Confusion: 60.0% right"
    many = confusion(np.arange(20), np.arange(20), [f"class {code}" for code in range(20)])
    assert not many.chart().texts


def test_wrong_codes_are_told() -> None:
    with pytest.raises(ValueError, match="predicted has the code 2; expected codes below 2"):
        confusion([0, 1], [0, 2], ["no", "yes"])
    with pytest.raises(ValueError, match="expected one code per row of both"):
        confusion([0, 1], [0], ["no", "yes"])


def test_residuals_are_summed_up() -> None:
    chance = np.random.default_rng(4)
    truth, predicted = chance.normal(size=200), chance.normal(size=200)
    truth[3] = math.nan
    found = residuals(truth, predicted)
    left = np.delete(truth - predicted, 3)
    assert found.residual == pytest.approx(left)
    assert (found.mean, found.spread) == pytest.approx((left.mean(), left.std(ddof=1)))
    assert found.quantiles == pytest.approx(np.quantile(left, LEVELS, method="inverted_cdf"))
    assert sum(part.weight for part in found.parts) == 199
    for part in found.parts:
        here = (found.predicted >= part.low) & (found.predicted <= part.high)
        assert part.weight == here.sum() == pytest.approx(20, abs=1)
        assert (part.mean, part.spread) == pytest.approx(
            (found.residual[here].mean(), found.residual[here].std(ddof=1))
        )
    expected, there = found.normal_places()
    assert there.tolist() == sorted(left)
    assert expected[99] == pytest.approx(left.mean())
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["rows"] == 199
    assert "mean residual" in found.text()


def test_a_row_of_weight_two_is_summed_up_as_two_rows() -> None:
    truth, predicted = np.array([1.0, 4.0, 2.0]), np.array([1.5, 3.0, 2.0])
    one, two = residuals(truth, predicted, [2, 1, 1]), residuals(truth[[0, 0, 1, 2]], predicted[[0, 0, 1, 2]])
    assert one.mean == two.mean
    assert one.quantiles.tolist() == two.quantiles.tolist()
    assert [(part.low, part.weight, part.mean) for part in one.parts] == [
        (part.low, part.weight, part.mean) for part in two.parts
    ]


def test_residuals_are_drawn_twice_in_a_figure_of_their_own_and_once_on_other_axes() -> None:
    from hornbeam.show import plot

    found = residuals([1.0, 2.0, 4.0], [1.5, 2.0, 3.0])
    assert [axes.get_title("left") for axes in found.chart().figure.axes] == [
        "Residuals",
        "Against a normal distribution",
    ]
    given_axes = plot.new_axes()
    assert found.chart(axes=given_axes) is given_axes
    assert len(given_axes.figure.axes) == 1


def test_residuals_want_rows() -> None:
    with pytest.raises(ValueError, match="none of 1 rows has a target"):
        residuals([math.nan], [1.0])
    with pytest.raises(ValueError, match="expected one number per row"):
        residuals([1.0, 2.0], [1.0])
