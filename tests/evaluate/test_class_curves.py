"""ROC, precision and recall, lift and calibration against scikit-learn, and against counting one by one."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.calibration import calibration_curve

from hornbeam.evaluate import calibration, class_curves, lift, precision_recall, roc
from hornbeam.evaluate.curves.class_curves import KINDS, MAKE


@st.composite
def judged(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whether rows are of a class, shares with ties, and weights; rows of both kinds."""
    count = draw(st.integers(2, 40))
    truth = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    truth[0], truth[1] = True, False
    share = np.array(draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))) / 12
    weights = np.array(draw(st.lists(st.sampled_from([0.25, 1.0, 2.0, 3.5]), min_size=count, max_size=count)))
    return truth, share, weights


@given(judged())
def test_roc_is_that_of_scikit_learn(rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    truth, share, weights = rows
    found = roc(truth, share, weights)
    false, true, _ = metrics.roc_curve(truth, share, sample_weight=weights, drop_intermediate=False)
    assert found.auc == pytest.approx(metrics.roc_auc_score(truth, share, sample_weight=weights))
    # Corners only: each is a point of the whole curve, and no area is lost between them.
    points = set(zip(false.round(9), true.round(9), strict=True))
    assert points >= set(zip(found.false_positive_rate.round(9), found.true_positive_rate.round(9), strict=True))
    assert metrics.auc(found.false_positive_rate, found.true_positive_rate) == pytest.approx(found.auc)
    for threshold, rate, hits in zip(
        found.thresholds, found.false_positive_rate, found.true_positive_rate, strict=True
    ):
        taken = share >= threshold
        assert rate == pytest.approx(weights[taken & ~truth].sum() / weights[~truth].sum())
        assert hits == pytest.approx(weights[taken & truth].sum() / weights[truth].sum())


def naive_interval(truth: np.ndarray, share: np.ndarray) -> tuple[float, float]:
    """DeLong's variance by comparing every two rows, as the paper writes it."""
    wins = np.array([[1.0 if x > y else 0.5 if x == y else 0.0 for y in share[~truth]] for x in share[truth]])
    area = wins.mean()
    rows, columns = wins.mean(axis=1), wins.mean(axis=0)
    variance = rows.var(ddof=1) / len(rows) + columns.var(ddof=1) / len(columns)
    reach = 1.959963984540054 * math.sqrt(variance) / (area * (1 - area))
    ends = [math.log(area / (1 - area)) + sign * reach for sign in (-1, 1)]
    return 1 / (1 + math.exp(-ends[0])), 1 / (1 + math.exp(-ends[1]))


def test_the_interval_of_an_area_is_delongs() -> None:
    chance = np.random.default_rng(3)
    truth = chance.random(80) < 0.4
    share = (truth + chance.normal(size=80)).round(1)
    assert roc(truth, share).interval == pytest.approx(naive_interval(truth, share))
    # A row of weight two counts as two rows do in the area, not in the evidence.
    twice = roc(truth, share, np.full(80, 2.0))
    assert twice.auc == pytest.approx(roc(truth, share).auc)
    assert twice.interval == pytest.approx(roc(truth, share).interval)


def test_the_interval_of_an_area_covers_it() -> None:
    chance, covered = np.random.default_rng(5), 0
    true_area = 0.5 * (1 + math.erf(1.0 / 2))  # of two normal distributions one apart
    for _ in range(400):
        truth = np.arange(60) < 25
        low, high = roc(truth, truth + chance.normal(size=60)).interval
        covered += low <= true_area <= high
    assert 0.91 <= covered / 400 <= 0.98


def test_no_interval_where_all_pairs_are_right() -> None:
    assert math.isnan(roc([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).interval[0])
    assert roc([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]).auc == 1.0


@given(judged())
def test_precision_and_recall_are_those_of_scikit_learn(rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    truth, share, weights = rows
    found = precision_recall(truth, share, weights)
    precision, recall, thresholds = metrics.precision_recall_curve(truth, share, sample_weight=weights)
    assert found.precision == pytest.approx(precision[::-1])
    assert found.recall == pytest.approx(recall[::-1])
    assert found.thresholds[1:] == pytest.approx(thresholds[::-1])
    average = metrics.average_precision_score(truth, share, sample_weight=weights)
    assert found.average_precision == pytest.approx(average)
    assert found.baseline == pytest.approx(weights[truth].sum() / weights.sum())
    assert found.precision_at(1.0) == pytest.approx(max(p for p, r in zip(precision, recall, strict=True) if r >= 1))


@given(judged())
def test_lift_counts_the_rows_from_the_greatest_share_on(rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    truth, share, weights = rows
    found = lift(truth, share, weights)
    for threshold, asked, gain, ratio in zip(
        found.thresholds[1:], found.selected[1:], found.gain[1:], found.lift[1:], strict=True
    ):
        taken = share >= threshold
        assert asked == pytest.approx(weights[taken].sum() / weights.sum())
        assert gain == pytest.approx(weights[taken & truth].sum() / weights[truth].sum())
        assert ratio == pytest.approx((weights[taken & truth].sum() / weights[taken].sum()) / found.baseline)
    assert math.isnan(found.lift[0])
    assert found.gain_at([0.0, 1.0]).tolist() == [0.0, 1.0]


def test_within_equal_shares_rows_are_asked_at_random() -> None:
    found = lift([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.1])
    assert found.gain_at(0.375) == pytest.approx(0.5)


@given(judged(), st.integers(1, 12), st.sampled_from(["width", "weight"]))
def test_the_parts_of_a_brier_score_add_up(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    bins: int,
    by: Any,
) -> None:
    truth, share, weights = rows
    found = calibration(truth, share, weights, bins=bins, by=by)
    assert found.brier == pytest.approx(metrics.brier_score_loss(truth, share, sample_weight=weights))
    parts = found.reliability - found.resolution + found.uncertainty + found.within
    assert parts == pytest.approx(found.brier, abs=1e-12)
    gaps = [abs(one.mean - one.observed) for one in found.bins]
    assert found.expected_error == pytest.approx(np.average(gaps, weights=[one.weight for one in found.bins]))
    assert found.greatest_error == pytest.approx(max(gaps))
    assert sum(one.weight for one in found.bins) == pytest.approx(weights.sum())


@given(judged(), st.integers(1, 12))
def test_bins_are_those_of_scikit_learn(rows: tuple[np.ndarray, np.ndarray, np.ndarray], bins: int) -> None:
    truth, share, _ = rows
    found = calibration(truth, share, bins=bins)
    observed, mean = calibration_curve(truth, share, n_bins=bins)
    assert [one.observed for one in found.bins] == pytest.approx(observed)
    assert [one.mean for one in found.bins] == pytest.approx(mean)


def test_bins_by_weight_have_about_one_weight() -> None:
    chance = np.random.default_rng(2)
    share, weights = chance.random(1000), chance.random(1000)
    found = calibration(chance.random(1000) < share, share, weights, bins=8, by="weight")
    assert [one.weight / weights.sum() for one in found.bins] == pytest.approx([1 / 8] * 8, abs=2e-3)
    assert found.expected_error < 0.06
    many = calibration([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.9], bins=10, by="weight")
    assert [one.weight for one in many.bins] == [3, 1]  # equal shares stay together


def test_shares_that_are_too_sure_are_told() -> None:
    chance = np.random.default_rng(7)
    share = chance.random(4000)
    truth = chance.random(4000) < 0.5 + (share - 0.5) / 2  # half as sure as it says
    found = calibration(truth, share)
    assert found.expected_error == pytest.approx(0.125, abs=0.02)
    low, high = found.bins[0].interval
    assert low <= found.bins[0].observed <= high
    assert low > found.bins[0].mean


def test_a_class_of_several_is_told_from_all_others() -> None:
    chance = np.random.default_rng(1)
    truth = chance.integers(0, 3, 60)
    shares = chance.dirichlet([1, 1, 1], 60)
    shares[np.arange(60), truth] += 0.3
    shares /= shares.sum(axis=1, keepdims=True)
    for kind in KINDS:
        found = class_curves(kind, truth, shares, ["a", "b", "c"])
        assert list(found.curves) == ["a", "b", "c"]
        for code, curve in enumerate(found.curves.values()):
            alone = MAKE[kind](truth == code, shares[:, code])
            assert curve.to_json() == alone.to_json()
        assert json.loads(json.dumps(found.to_json(), allow_nan=False))["kind"] == kind
        assert len(found.text().splitlines()) == (6 if kind == "roc" else 4)
        assert len(found.chart().get_legend().get_texts()) >= 3
    area = class_curves("roc", truth, shares, ["a", "b", "c"]).auc
    assert area == pytest.approx(metrics.roc_auc_score(truth, shares, multi_class="ovr", average="weighted"))
    assert class_curves("lift", truth, shares, ["a", "b", "c"]).auc is None


def test_of_two_classes_the_rarer_is_drawn_unless_one_is_named() -> None:
    truth, shares = [0, 0, 1, -1], [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.5, 0.5]]
    assert list(class_curves("roc", truth, shares, ["no", "yes"]).curves) == ["yes"]
    assert list(class_curves("roc", truth, shares, ["no", "yes"], only="no").curves) == ["no"]
    assert list(class_curves("roc", truth, shares, ["no", "yes"], [1, 1, 5, 1]).curves) == ["no"]
    with pytest.raises(ValueError, match="no class 'maybe'; the classes: no, yes"):
        class_curves("roc", truth, shares, ["no", "yes"], only="maybe")
    with pytest.raises(ValueError, match=r"probabilities has shape \(4, 2\)"):
        class_curves("roc", truth, shares, ["no", "yes", "maybe"])


@pytest.mark.parametrize("make", [roc, precision_recall, lift, calibration])
def test_wrong_arrays_are_refused(make: Any) -> None:
    with pytest.raises(ValueError, match="expected one entry per row"):
        make([0, 1], [0.5])
    with pytest.raises(ValueError, match="probability is nan at row 3"):
        make([0, -1, 1], [0.5, math.nan, math.nan])
    with pytest.raises(ValueError, match=r"weights is -1\.0 at row 2"):
        make([0, 1], [0.5, 0.5], [1, -1])
    with pytest.raises(ValueError, match="expected one weight for each of the 2 rows"):
        make([0, 1], [0.5, 0.5], [1])
    with pytest.raises(ValueError, match="none of 1 rows has a class"):
        make([-1], [0.5])


@pytest.mark.parametrize("make", [roc, precision_recall, lift])
def test_a_curve_needs_rows_of_both_kinds(make: Any) -> None:
    with pytest.raises(ValueError, match="no row of 2 is of another class"):
        make([1, 1], [0.5, 0.4])
    with pytest.raises(ValueError, match="no row of 1 is of the class"):
        make([0, 1], [0.5, 0.4], [1, 0])


def test_calibration_wants_shares_and_bins() -> None:
    with pytest.raises(ValueError, match=r"a probability is 1\.5"):
        calibration([0, 1], [0.5, 1.5])
    with pytest.raises(ValueError, match="bins is 0"):
        calibration([0, 1], [0.5, 0.5], bins=0)
    assert calibration([1, 1], [0.5, 0.9]).uncertainty == 0.0  # one kind of rows will do


def test_rows_without_a_class_or_a_weight_do_not_count() -> None:
    for make in (roc, precision_recall, lift, calibration):
        whole = make([0, 1, 1, 0], [0.2, 0.3, 0.9, 0.5])
        more = make([0, 1, -1, 1, 0, 1], [0.2, 0.3, math.nan, 0.9, 0.5, 0.1], [1, 1, 1, 1, 1, 0])
        assert whole.to_json() == more.to_json()


def test_a_curve_in_words() -> None:
    truth, share = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    assert roc(truth, share).text().splitlines()[-1] == (
        "the rates differ most at threshold 0.8: true positive rate 50.0%, false positive rate 0.0%"
    )
    assert precision_recall(truth, share).text().splitlines() == [
        "average precision 0.833; selecting every row: 0.500",
        "",
        "recall, at least     50%    80%    90%    95%   100%",
        "precision         100.0%  66.7%  66.7%  66.7%  66.7%",
        "",
        "F1 is largest at threshold 0.35: 0.800, precision 66.7%, recall 100.0%",
    ]
    assert "lift                 2.00   2.00   2.00" in lift(truth, share).text()
    assert "Brier score 0.1581 =" in calibration(truth, share).text()


def test_shares_that_miss_their_ends_by_rounding_are_calibrated() -> None:
    rounded = calibration([0, 1, 1], [-1e-17, 1 + 2**-52, 0.4])
    assert rounded.to_json() == calibration([0, 1, 1], [0.0, 1.0, 0.4]).to_json()
    with pytest.raises(ValueError, match=r"a probability is 1\.01; expected"):
        calibration([0, 1], [0.5, 1.01])


@pytest.mark.parametrize("share", [[0.0, 1.0, 0.5], [0.5, 0.5, 0.5]])
def test_rates_that_nowhere_differ_for_the_better_are_reported(share: list[float]) -> None:
    told = roc(np.array([True, False, False]), np.array(share)).text()
    assert told.endswith("no threshold beats chance")
    assert "inf" not in told
