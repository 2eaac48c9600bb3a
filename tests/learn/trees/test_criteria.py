"""The textbook criteria and error estimates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.trees import criteria
from hornbeam.learn.trees.prune.estimates import extra_errors, normal_deviate, upper_limit
from hornbeam.model.trees.trace import COLLAPSED, NO_GAIN

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = NDArray[np.float64]

weights = st.floats(0, 1e6).map(lambda w: w if w > 1e-3 else 0.0)
tables = st.tuples(st.integers(1, 5), st.integers(1, 4)).flatmap(lambda shape: arrays(float, shape, elements=weights))


@given(tables)
def test_knowing_the_branch_never_hurts(table: Weights) -> None:
    assert criteria.information_gain(table) >= -1e-9
    assert criteria.gini_gain(table) >= -1e-9
    assert criteria.misclassification_gain(table) >= -1e-9


@given(tables)
def test_gain_is_bounded_by_both_entropies(table: Weights) -> None:
    gain = criteria.information_gain(table)
    assert gain <= criteria.entropy(table.sum(axis=0)) + 1e-9
    assert gain <= criteria.split_information(table) + 1e-9


@given(tables, st.integers(2, 9))
def test_only_shares_matter(table: Weights, factor: int) -> None:
    for measure in (criteria.information, criteria.information_gain, criteria.gain_ratio, criteria.gini_gain):
        assert math.isclose(measure(table), measure(table * factor), rel_tol=1e-6, abs_tol=1e-9)


@given(tables)
def test_gain_is_the_same_from_either_side(table: Weights) -> None:
    # Mutual information is symmetric.
    assert math.isclose(criteria.information_gain(table), criteria.information_gain(table.T), abs_tol=1e-9)


@given(st.integers(1, 64))
def test_equal_shares_have_the_logarithm_as_entropy(n_classes: int) -> None:
    assert math.isclose(criteria.entropy([3.0] * n_classes), math.log2(n_classes), abs_tol=1e-12)


@pytest.mark.parametrize("measure", [criteria.entropy, criteria.gini, criteria.misclassification])
def test_impurities_are_nothing_when_pure_and_greatest_at_one_half(measure: object) -> None:
    assert callable(measure)
    values = [measure([p, 100 - p]) for p in range(101)]
    assert values[0] == values[100] == 0.0
    assert max(values) == values[50]
    assert str(values[0]) == "0.0"


def test_no_weight_at_all_is_no_information() -> None:
    assert criteria.entropy([0, 0]) == criteria.gini([0, 0]) == criteria.misclassification([0, 0]) == 0.0
    assert criteria.gain_ratio([[0, 0], [0, 0]]) == criteria.gain_ratio([[3, 4], [0, 0]]) == 0.0


@pytest.mark.parametrize("wrong", [[-1, 2], [], [float("nan"), 1], [[1, 2], [3, 4]]])
def test_what_are_no_counts_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ValueError, match=r"expected|weights must be"):
        criteria.entropy(wrong)


def make(x: list[float], z: list[int], y: list[int], weight: list[float]) -> Table:
    schema = Schema(
        (Numeric("x"), Nominal("z", ("p", "q", "r")), Nominal("y", ("a", "b")), Numeric("w")),
        ("feature", "feature", "target", "weight"),
    )
    return Table(schema, [x, z, y, weight])


def test_a_contingency_table_counts_weight_where_value_and_class_are_known() -> None:
    table = make([1, 2, math.nan, 3], [0, 2, 2, -1], [0, 1, 0, 1], [1, 2, 4, 8])
    assert criteria.contingency(table, "x", cut=2).tolist() == [[1, 2], [0, 8]]
    assert criteria.contingency(table, "z").tolist() == [[1, 0], [0, 0], [4, 2]]
    no_class = make([1, 2], [0, 1], [-1, 1], [1, 1])
    assert criteria.contingency(no_class, "z").sum() == 1


def test_a_contingency_table_asks_for_what_it_needs() -> None:
    table = make([1, 2], [0, 2], [0, 1], [1, 2])
    with pytest.raises(ValueError, match="say where to cut it"):
        criteria.contingency(table, "x")
    with pytest.raises(ValueError, match="a cut is for numeric columns"):
        criteria.contingency(table, "z", cut=1)
    with pytest.raises(SchemaError, match="expected a nominal one"):
        criteria.contingency(table.with_target("x"), "z")


# (weight, errors): the rate u that solves P(at most `errors` in `weight` rows) = 0.25 is exact for no errors.
@pytest.mark.parametrize("weight", [1, 2, 6, 9, 16, 100])
def test_with_no_errors_the_limit_is_the_binomial_one(weight: int) -> None:
    rate = extra_errors(weight, 0, 0.25) / weight
    assert math.isclose((1 - rate) ** weight, 0.25)


@given(st.floats(0.01, 1000), st.floats(0, 1), st.floats(0.01, 0.5))
def test_estimates_stay_within_the_weight(weight: float, rate: float, confidence: float) -> None:
    errors = weight * rate
    extra = extra_errors(weight, errors, confidence)
    assert extra >= -1e-9
    assert errors + extra <= weight + 1e-9 or errors < 1  # a part of an error is read off a line, not a limit


@given(st.floats(2, 1000), st.floats(0, 1))
def test_less_confidence_means_more_errors(weight: float, rate: float) -> None:
    errors = weight * rate
    assert extra_errors(weight, errors, 0.1) >= extra_errors(weight, errors, 0.25) - 1e-9


def test_between_no_error_and_one_it_is_a_line() -> None:
    none, one = extra_errors(10, 0), extra_errors(10, 1)
    assert math.isclose(extra_errors(10, 0.3), none + 0.3 * (one - none))
    assert extra_errors(0.8, 0.4) == pytest.approx(0.6 * 0.8 * (1 - 0.25 ** (1 / 0.8)))
    assert extra_errors(0, 0) == 0.0


def test_the_estimate_is_the_limit_of_half_an_error_more() -> None:
    assert math.isclose(2 + extra_errors(6, 2), 6 * upper_limit(2.5 / 6, 6, normal_deviate(0.25)))
    assert extra_errors(6, 5.7) == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((6, 7), "expected errors"),
        ((6, -1), "expected errors"),
        ((6, 1, 0.0), "confidence"),
        ((6, 1, 1.0), "confidence"),
    ],
)
def test_impossible_estimates_are_refused(arguments: tuple[float, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        extra_errors(*arguments)


@pytest.mark.parametrize("arguments", [(1.5, 6, 0.69), (0.5, 0, 0.69)])
def test_impossible_limits_are_refused(arguments: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        upper_limit(*arguments)


@pytest.mark.parametrize("name", ["weather", "weather.numeric", "iris", "glass", "credit-g"])
def test_the_engine_finds_the_textbook_gains(name: str) -> None:
    table = hornbeam.read(name)
    trace = hornbeam.C45Classifier(keep_trace=True).fit(table).trace_
    root = (trace.node == 0) & (trace.verdict > NO_GAIN)
    assert root.any()
    for record in root.nonzero()[0]:
        column = int(trace.column[record])
        cut = None if math.isnan(trace.cut[record]) else float(trace.cut[record])
        counts = criteria.contingency(table, column, cut)
        gain = criteria.information_gain(counts)
        n_cuts = int(trace.n_cuts[record])
        charge = 0.0 if cut is None else math.log2(n_cuts) / len(table)
        assert trace.charge[record] == pytest.approx(charge, abs=1e-9)
        assert trace.gain[record] == pytest.approx(gain - charge, abs=1e-9)
        assert trace.split_information[record] == pytest.approx(criteria.split_information(counts), abs=1e-9)
        assert trace.score[record] == pytest.approx((gain - charge) / criteria.split_information(counts), abs=1e-9)


@pytest.mark.parametrize("name", ["labor", "glass", "vote", "credit-g"])
@pytest.mark.parametrize("confidence", [0.25, 0.1])
def test_the_engine_prunes_by_the_textbook_estimate(name: str, confidence: float) -> None:
    learner = hornbeam.C45Classifier(keep_trace=True, confidence=confidence, subtree_raising=False)
    trace = learner.fit(hornbeam.read(name)).trace_
    grown, steps = trace.grown, trace.step_action != COLLAPSED
    assert steps.any()
    for node, leaf in zip(trace.step_node[steps], trace.step_leaf[steps], strict=True):
        weight, errors = float(grown.weight[node]), float(grown.error[node])
        assert leaf == pytest.approx(errors + extra_errors(weight, max(errors, 0.0), confidence), abs=1e-5)
