"""Tests of whether methods differ: the corrected resampled t-test on one table, ranks over several tables.

The folds of a cross-validation share most of their training rows, so the plain t-test finds spurious differences. C.
Nadeau and Y. Bengio, *Inference for the generalization error*, Machine Learning 52 (2003), widen the variance by the
ratio of test rows to training rows. Over several tables, methods are ranked: J. Demšar, *Statistical comparisons of
classifiers over multiple data sets*, JMLR 7 (2006). Average ranks of two methods depend on the other methods in the
comparison; Wilcoxon's signed-rank test of the two alone does not. The distributions are SciPy's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.evaluate.plain import Plain, plain_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats

LEVEL = 0.05
LEAST_METHODS = 2


@dataclass(frozen=True, slots=True)
class TTest(Plain):
    """The corrected resampled t-test of a mean against zero.

    Parameters
    ----------
    mean : float
        The mean of the values.
    interval : tuple of float
        Its 95% interval.
    statistic, degrees : float, int
        Student's t and its degrees of freedom.
    p_value : float
        The probability of a mean at least this far from zero if the true mean is zero.
    """

    _json = "difference=mean interval t=statistic degrees p_value"

    mean: float
    interval: tuple[float, float]
    statistic: float
    degrees: int
    p_value: float


def corrected_t_test(scores: ArrayLike, test_share: float, level: float = LEVEL) -> TTest:
    """Test whether the mean of values by fold differs from zero.

    Parameters
    ----------
    scores : array-like
        A value for every fold of every repeat, such as the difference of two methods' accuracies.
    test_share : float
        The ratio of test rows to training rows: 1/9 in 10-fold cross-validation. Zero gives the plain t-test.
    level : float
        One minus the confidence level of the interval.

    Returns
    -------
    TTest
        Its variance is ``(1/n + test_share)`` times that of the values. If all values are equal, the interval is that
        value, and the p-value is 0, or 1 if they are zero.

    Examples
    --------
    >>> found = corrected_t_test([0.02, 0.01, 0.03, 0.02], test_share=1 / 3)
    >>> round(found.mean, 3), round(found.statistic, 3), found.degrees, round(found.p_value, 3)
    (0.02, 3.207, 3, 0.049)
    """
    from scipy.stats import t  # noqa: PLC0415 - half a second, and a result can be read without it

    values = np.asarray(scores, np.float64)
    count = len(values)
    mean = float(values.mean()) if count else math.nan
    if count < 2 or not np.isfinite(values).all():  # noqa: PLR2004 - one figure has no variance
        return TTest(mean, (math.nan, math.nan), math.nan, max(count - 1, 0), math.nan)
    error = math.sqrt((1 / count + test_share) * float(values.var(ddof=1)))
    # The variance of equal values is only rounding error.
    if error <= 1e-12 * max(abs(mean), float(np.abs(values).max())):
        return TTest(
            mean, (mean, mean), math.copysign(math.inf, mean) if mean else 0.0, count - 1, 0.0 if mean else 1.0
        )
    reach = float(t.ppf(1 - level / 2, count - 1)) * error
    statistic = mean / error
    return TTest(mean, (mean - reach, mean + reach), statistic, count - 1, float(2 * t.sf(abs(statistic), count - 1)))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for the number of tests (S. Holm, Scandinavian Journal of Statistics 6, 1979).

    The probability that any of the tests wrongly falls below a level is then at most that level.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    known = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    adjusted, largest = list(map(float, p_values)), 0.0
    for done, place in enumerate(sorted(known, key=lambda place: p_values[place])):
        largest = max(largest, min(1.0, (len(known) - done) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def mcnemar(only_one: int, only_other: int) -> float:
    """Test whether two methods are right equally often, on the rows where one is right and the other wrong.

    Under the null hypothesis, each method is equally likely to be the one that is right (Q. McNemar, Psychometrika 12,
    1947). The test is exact, by the binomial distribution.

    Parameters
    ----------
    only_one, only_other : int
        The number of rows that only the first, and only the second method predicts correctly.

    Returns
    -------
    float
        The p-value; 1 if there are no such rows.

    Examples
    --------
    >>> mcnemar(8, 1), mcnemar(0, 0)
    (0.0390625, 1.0)
    """
    from scipy.stats import binom  # noqa: PLC0415 - as above

    rows = only_one + only_other
    return min(1.0, 2 * float(binom.cdf(min(only_one, only_other), rows, 0.5))) if rows else 1.0


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Wilcoxon's signed-rank test of two methods over several tables."""

    # one, other: the methods
    one: str
    other: str
    # the smaller sum of ranks of the differences of one sign; a difference of zero counts half on either side
    statistic: float
    p_value: float  # probability of differences at least this one-sided if neither method is better
    adjusted_p_value: float  # adjusted for all pairs of methods, by Holm's method


@dataclass(frozen=True, slots=True)
class Ranking:
    """Methods ranked over several tables; rank 1 is the best."""

    methods: tuple[str, ...]  # the methods, in the order of their average ranks
    average_ranks: tuple[float, ...]  # over the tables; tied methods share the mean of their ranks
    n_tables: int  # how many tables there were
    # statistic, p_value: Friedman's chi-square test that all methods are equal, corrected for ties
    statistic: float
    p_value: float
    # f_statistic, f_p_value: Iman and Davenport's version of it, which is less conservative
    f_statistic: float
    f_p_value: float
    # Nemenyi's: average ranks that differ by less do not differ significantly at 5%, for all pairs together
    critical_difference: float
    # the largest sets of methods that do not differ significantly, in the order of ranks
    groups: tuple[tuple[str, ...], ...]
    signed_ranks: tuple[SignedRank, ...] = ()  # all pairs of methods

    def signed_rank(self, one: str, other: str) -> SignedRank:
        """Return the test of two methods, in either order."""
        return next(test for test in self.signed_ranks if {test.one, test.other} == {one, other})

    def svg(self, *, title: str = "", theme: str = "auto") -> str:
        """Draw the critical-difference diagram; see `hornbeam.show.charts.rank_diagram`."""
        from hornbeam.show.charts.rank_diagram import rank_diagram  # noqa: PLC0415 - only for pictures

        text = f"average rank over {self.n_tables} tables, 1 is best"
        return rank_diagram(
            self.methods, self.average_ranks, self.critical_difference, self.groups, title, text, theme=theme
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; undefined values are None."""
        tests = plain_fields(self, "critical_difference groups wilcoxon=signed_ranks")
        return {
            "tables": self.n_tables,
            "average_ranks": dict(zip(self.methods, self.average_ranks, strict=True)),
            "friedman": plain_fields(self, "statistic p_value"),
            "iman_davenport": plain_fields(self, "statistic=f_statistic p_value=f_p_value"),
        } | tests


def rank(
    scores: ArrayLike, methods: Sequence[str], *, higher_is_better: bool = True, relative: bool = False
) -> Ranking:
    """Rank methods over tables, with Friedman's test and Nemenyi's critical difference.

    Parameters
    ----------
    scores : array-like, (tables, methods)
        Such as accuracies.
    methods : sequence of str
        Names of the columns.
    higher_is_better : bool
        False for errors.
    relative : bool
        Whether values of different tables have different units, such as errors of regression; see `signed_ranks`.

    Examples
    --------
    >>> found = rank([[0.9, 0.8, 0.7], [0.6, 0.5, 0.5], [0.8, 0.9, 0.1]], ["a", "b", "c"])
    >>> [round(average, 2) for average in found.average_ranks], round(found.critical_difference, 2)
    ([1.33, 1.83, 2.83], 1.91)
    """
    from scipy.stats import rankdata  # noqa: PLC0415 - as above

    values = np.asarray(scores, np.float64)
    if values.ndim != 2 or values.shape[1] != len(methods) or len(methods) < LEAST_METHODS or not len(values):  # noqa: PLR2004 - a table
        expected = "a row for each table and a column for each of two methods or more"
        raise ValueError(f"scores has shape {values.shape}; expected {expected}")
    if np.isnan(values).any():
        raise ValueError("a score is missing; methods can be ranked only if every method has a score on every table")
    # Values that differ only by rounding are a tie.
    ranks = np.asarray(rankdata(np.round(-values if higher_is_better else values, 12), axis=1), np.float64)
    average = ranks.mean(axis=0)
    order = np.argsort(average, kind="stable")
    statistic, p_value, f_statistic, f_p_value = _friedman(ranks)
    difference = critical_difference(len(methods), len(values))
    names, averages = [methods[place] for place in order], [float(average[place]) for place in order]
    return Ranking(
        tuple(names),
        tuple(averages),
        len(values),
        statistic,
        p_value,
        f_statistic,
        f_p_value,
        difference,
        _groups(names, averages, difference),
        signed_ranks(values, methods, relative=relative),
    )


def signed_ranks(scores: ArrayLike, methods: Sequence[str], *, relative: bool = False) -> tuple[SignedRank, ...]:
    """Test all pairs of methods over several tables by Wilcoxon's signed-rank test, with adjusted p-values.

    Parameters
    ----------
    scores, methods
        As for `rank`.
    relative : bool
        Divide a difference by the mean of the two values (this gives the same ranks as the logarithm of their ratio);
        otherwise tables with a target in thousands would outrank all others.

    Examples
    --------
    >>> (found,) = signed_ranks([[0.9, 0.8], [0.6, 0.5], [0.8, 0.6], [0.7, 0.4], [0.9, 0.5], [0.9, 0.3]], ["a", "b"])
    >>> found.statistic, found.p_value
    (0.0, 0.03125)
    """
    values = np.asarray(scores, np.float64)
    found = []
    for one, other in combinations(range(len(methods)), 2):
        apart = values[:, one] - values[:, other]
        if relative:
            mean = (np.abs(values[:, one]) + np.abs(values[:, other])) / 2
            apart = apart / np.where(mean > 0, mean, 1.0)
        apart = np.round(apart, 12)  # values that differ only by rounding are a tie
        found.append((one, other, *_signed_rank(apart)))
    adjusted = holm([p_value for *_, p_value in found])
    return tuple(
        SignedRank(methods[one], methods[other], statistic, p_value, after)
        for (one, other, statistic, p_value), after in zip(found, adjusted, strict=True)
    )


def _signed_rank(apart: Floats) -> tuple[float, float]:
    """The smaller sum of ranks, and its exact p-value if differences of either sign are equally likely.

    A difference of zero adds half its rank to each sum, so ties and zeros need no approximation.
    """
    from scipy.stats import rankdata  # noqa: PLC0415 - as above

    ranks = np.asarray(rankdata(np.abs(apart)), np.float64)
    rises, falls = float(ranks[apart > 0].sum()), float(ranks[apart < 0].sum())
    half = float(ranks[apart == 0].sum()) / 2
    steps = np.rint(2 * ranks[apart != 0]).astype(np.int64)  # tied ranks may end in a half
    chance = np.zeros(int(steps.sum()) + 1)  # probability of each sum of the ranks with one sign, doubled
    chance[0] = 1.0
    for step in steps.tolist():
        moved = np.zeros_like(chance)
        moved[step:] = chance[: len(chance) - step]
        chance = (chance + moved) / 2
    smaller = round(2 * min(rises, falls))
    return min(rises, falls) + half, min(1.0, 2 * float(chance[: smaller + 1].sum()))


def critical_difference(n_methods: int, n_tables: int, level: float = LEVEL) -> float:
    """Nemenyi's critical difference of average ranks.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)  # Demšar's example
    1.25
    """
    from scipy.stats import studentized_range  # noqa: PLC0415 - as above

    q = float(studentized_range.ppf(1 - level, n_methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_tables))


def _friedman(ranks: Floats) -> tuple[float, float, float, float]:
    """Friedman's chi-square and Iman and Davenport's F, each with its p-value; NaN if all methods always tie."""
    from scipy.stats import chi2, f  # noqa: PLC0415 - as above

    tables, methods = ranks.shape
    center = (methods + 1) / 2
    between = tables**2 * float(((ranks.mean(axis=0) - center) ** 2).sum())
    within = float(((ranks - center) ** 2).sum())  # smaller if there are ties, which corrects for them
    if within <= 0:
        return math.nan, math.nan, math.nan, math.nan
    statistic = (methods - 1) * between / within
    p_value = float(chi2.sf(statistic, methods - 1))
    rest = tables * (methods - 1) - statistic
    if tables < 2 or rest <= 1e-9:  # noqa: PLR2004 - one table, or every table ranks alike
        return statistic, p_value, math.nan if tables < 2 else math.inf, math.nan if tables < 2 else 0.0  # noqa: PLR2004
    f_statistic = (tables - 1) * statistic / rest
    return statistic, p_value, f_statistic, float(f.sf(f_statistic, methods - 1, (methods - 1) * (tables - 1)))


def _groups(names: Sequence[str], averages: Sequence[float], difference: float) -> tuple[tuple[str, ...], ...]:
    """The longest sequences of ranked methods whose ends are closer than the critical difference."""
    found: list[tuple[int, int]] = []
    for start in range(len(names)):
        end = max(place for place in range(start, len(names)) if averages[place] - averages[start] < difference)
        if not found or end > found[-1][1]:
            found.append((start, end))
    return tuple(tuple(names[start : end + 1]) for start, end in found)
