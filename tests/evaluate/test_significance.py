from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hornbeam.evaluate.comparing.significance import corrected_t_test, critical_difference, holm, rank, signed_ranks

# J. Demšar, JMLR 7 (2006), table 5: critical values of the two-tailed Nemenyi test, for 2 to 10 methods.
NEMENYI = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}

# The same paper's table 6: AUC of four variants of C4.5 on 14 sets, with the average ranks of its last line.
DEMSAR = [
    (0.763, 0.768, 0.771, 0.798), (0.599, 0.591, 0.590, 0.569), (0.954, 0.971, 0.968, 0.967),
    (0.628, 0.661, 0.654, 0.657), (0.882, 0.888, 0.886, 0.898), (0.936, 0.931, 0.916, 0.931),
    (0.661, 0.668, 0.609, 0.685), (0.583, 0.583, 0.563, 0.625), (0.775, 0.838, 0.866, 0.875),
    (1.000, 1.000, 1.000, 1.000), (0.940, 0.962, 0.965, 0.962), (0.619, 0.666, 0.614, 0.669),
    (0.972, 0.981, 0.9751, 0.975), (0.957, 0.978, 0.946, 0.970),
]  # fmt: skip
VARIANTS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")

figures = st.lists(st.floats(-1, 1, allow_nan=False), min_size=2, max_size=30)


@given(figures)
def test_without_test_rows_it_is_the_plain_t_test(values: list[float]) -> None:
    if np.ptp(values) < 1e-6:
        return
    found, expected = corrected_t_test(values, 0.0), stats.ttest_1samp(values, 0.0)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_the_correction_by_hand() -> None:
    # 10-fold cross-validation: t = mean / sqrt((1/10 + 1/9) * variance), 9 degrees of freedom.
    values = [0.01, 0.03, -0.01, 0.02, 0.04, 0.00, 0.01, 0.02, 0.03, 0.05]
    mean, variance = sum(values) / 10, sum((v - 0.02) ** 2 for v in values) / 9
    found = corrected_t_test(values, 1 / 9)
    t = mean / math.sqrt((1 / 10 + 1 / 9) * variance)
    assert (mean, found.degrees) == (pytest.approx(0.02), 9)
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.cdf(-t, 9))
    # 9 degrees of freedom: 2.262 is the table's value at 5%.
    assert found.interval[1] - mean == pytest.approx(2.2622 * mean / t, rel=1e-4)


@given(figures, st.floats(0.01, 1.0))
def test_the_correction_is_cautious_and_takes_no_sides(values: list[float], share: float) -> None:
    found, plain = corrected_t_test(values, share), corrected_t_test(values, 0.0)
    assert found.p_value >= plain.p_value - 1e-12
    turned = corrected_t_test([-value for value in values], share)
    assert turned.p_value == pytest.approx(found.p_value)
    assert turned.mean == pytest.approx(-found.mean)
    assert (found.p_value < 0.05) == (not found.interval[0] <= 0 <= found.interval[1])


def test_equal_figures_and_too_few() -> None:
    assert corrected_t_test([0.0] * 5, 0.25).p_value == 1.0
    assert corrected_t_test([0.1] * 5, 0.25).p_value == 0.0
    for values in ([], [0.1], [0.1, math.nan]):
        found = corrected_t_test(values, 0.25)
        assert math.isnan(found.p_value)
        assert all(map(math.isnan, found.interval))


@given(st.lists(st.floats(0, 1, allow_nan=False), max_size=12))
def test_holm_is_the_definition(values: list[float]) -> None:
    adjusted = holm(values)
    order = sorted(range(len(values)), key=lambda place: values[place])
    for step, place in enumerate(order):
        expected = max(min(1.0, (len(values) - j) * values[order[j]]) for j in range(step + 1))
        assert adjusted[place] == pytest.approx(expected)


def test_holm_leaves_out_what_is_not_known() -> None:
    found = holm([0.02, math.nan, 0.03])
    assert found[0] == pytest.approx(0.04)
    assert math.isnan(found[1])


@pytest.mark.parametrize("level", NEMENYI)
def test_nemenyi_has_the_published_critical_values(level: float) -> None:
    for methods, q in enumerate(NEMENYI[level], start=2):
        tables = 30
        found = critical_difference(methods, tables, level)
        assert found / math.sqrt(methods * (methods + 1) / (6 * tables)) == pytest.approx(q, abs=1.1e-3)


def test_demsars_example() -> None:
    found = rank(DEMSAR, VARIANTS)
    ranks = dict(zip(found.methods, found.average_ranks, strict=True))
    # The paper's last line: 3.143, 2.000, 2.893, 1.964.
    assert [round(ranks[name], 3) for name in VARIANTS] == [3.143, 2.0, 2.893, 1.964]
    # Its chi-square, 9.28, has no correction for ties, of which there are some.
    squares = sum(average**2 for average in found.average_ranks)
    assert 12 * 14 / (4 * 5) * (squares - 4 * 5**2 / 4) == pytest.approx(9.28, abs=0.005)
    expected = stats.friedmanchisquare(*np.array(DEMSAR).T)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.statistic > 9.28
    assert found.critical_difference == pytest.approx(1.25, abs=0.01)
    # No two of the four differ by as much.
    assert found.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)


@given(st.integers(3, 6), st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_friedman_is_scipys(methods: int, tables: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 5, (tables, methods)) / 7
    if (np.ptp(values, axis=1) == 0).all():
        return
    found = rank(values, [str(place) for place in range(methods)])
    expected = stats.friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert sum(found.average_ranks) == pytest.approx(methods * (methods + 1) / 2)
    assert list(found.average_ranks) == sorted(found.average_ranks)


def test_errors_are_ranked_the_other_way() -> None:
    values = [[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]]
    assert rank(values, "ab").methods == ("a", "b")
    assert rank(values, "ab", higher_is_better=False).methods == ("b", "a")


def test_groups_are_the_longest_runs() -> None:
    # 100 tables make the critical difference of three methods 0.33.
    values = [[3.0, 2.0, 1.0]] * 60 + [[2.0, 3.0, 1.0]] * 40
    found = rank(values, ("a", "b", "c"))
    assert found.average_ranks == pytest.approx((1.4, 1.6, 3.0))
    assert found.groups == (("a", "b"), ("c",))
    assert rank([[1.0, 1.0]] * 3, "ab").p_value != rank([[1.0, 1.0]] * 3, "ab").p_value  # NaN: nothing to rank


@pytest.mark.parametrize("values", [[], [[0.1]], [[0.1, 0.2, 0.3]], [[0.1, math.nan]]])
def test_what_cannot_be_ranked(values: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"expected|missing"):
        rank(values, "ab")


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=7))
def test_signed_ranks_try_all_signs(rows: list[tuple[int, int]]) -> None:
    (found,) = signed_ranks(np.array(rows) / 10, ["a", "b"])
    apart = np.array([one - other for one, other in rows])
    # Demšar: ranks of the sizes; those of zeros are split evenly among the two sums.
    ranks = stats.rankdata(np.abs(apart))
    half = ranks[apart == 0].sum() / 2
    sums = [ranks[apart > 0].sum() + half, ranks[apart < 0].sum() + half]
    assert found.statistic == pytest.approx(min(sums))
    every = [
        ranks[apart != 0] @ np.array(signs) + half for signs in product((0, 1), repeat=int(np.count_nonzero(apart)))
    ]
    assert found.p_value == pytest.approx(min(1.0, 2 * np.mean(np.array(every) <= min(sums) + 1e-9)))


@given(st.integers(0, 10_000), st.integers(4, 40))
def test_signed_ranks_are_scipys_where_nothing_ties(seed: int, tables: int) -> None:
    values = np.random.default_rng(seed).normal(size=(tables, 3)) + np.array([0, 0.3, 0.6])
    found = signed_ranks(values, ["a", "b", "c"])
    assert [(test.one, test.other) for test in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [test.adjusted_p_value for test in found] == holm([test.p_value for test in found])
    for test, (one, other) in zip(found, combinations(range(3), 2), strict=True):
        theirs = stats.wilcoxon(values[:, one], values[:, other], method="exact")
        assert (test.statistic, test.p_value) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


def test_methods_that_always_tie_do_not_differ() -> None:
    (found,) = signed_ranks([[1, 1]] * 4, ["a", "b"])
    assert (found.statistic, found.p_value) == (5.0, 1.0)


def test_signed_ranks_of_few_tables_are_exact() -> None:
    # Of 2^5 ways to put signs, two are as one-sided as this.
    (found,) = signed_ranks([[place, 0] for place in (1, 2, 3, 4, 5)], ["a", "b"])
    assert found.p_value == pytest.approx(2 / 32)
    plain = rank([[place, 0] for place in (1, 2, 3, 4, 5)], ["a", "b"])
    assert plain.signed_rank("b", "a") == found
    assert plain.to_json()["wilcoxon"][0]["p_value"] == pytest.approx(2 / 32)


def test_signed_ranks_of_the_papers_example() -> None:
    # Section 3.1.3: C4.5 against C4.5+m on 14 sets, R+ = 93 and R- = 12.
    (found,) = signed_ranks([row[:2] for row in DEMSAR], VARIANTS[:2])
    assert found.statistic == 12
    assert found.p_value < 0.05


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50), st.integers(-3, 3)), min_size=3, max_size=12))
def test_relative_differences_do_not_depend_on_units(rows: list[tuple[int, int, int]]) -> None:
    plain = [[one, other] for one, other, _ in rows]
    units = [[one * 2.0**unit, other * 2.0**unit] for one, other, unit in rows]
    (found,) = signed_ranks(plain, ["a", "b"], relative=True)
    assert signed_ranks(units, ["a", "b"], relative=True) == (found,)
    # They rank as logarithms of ratios do.
    (logs,) = signed_ranks(np.log2(np.array(plain, float)), ["a", "b"])
    assert logs.p_value == pytest.approx(found.p_value)
