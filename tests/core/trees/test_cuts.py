"""Several cuts of a column: optimal is what trying every set of cuts gives, greedy one best cut after another."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from hornbeam.core.trees.split import cuts

CLASSES = ("entropy", "gini", "misclassification", "chi-square")
NUMBERS = ("variance", "deviation")
LOSS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]]
Problem = tuple[np.ndarray, Any, list[list[float]] | None]


def naive_mass(part: np.ndarray, criterion: str, shares: np.ndarray, loss: list[list[float]] | None) -> float:
    """The masses as the formulas stand."""
    total = part.sum(axis=0)
    if criterion in NUMBERS:
        n, mean = total[0], total[1] / total[0]
        squares = max(total[2] - n * mean * mean, 0.0)
        return float(squares if criterion == "variance" else n * math.sqrt(squares / n))
    n = total.sum()
    if criterion == "entropy":
        return float(-sum(k * math.log2(k / n) for k in total if k > 0))
    if criterion == "gini":
        return float(n * (1.0 - ((total / n) ** 2).sum()))
    if criterion == "misclassification":
        matrix = 1.0 - np.eye(len(total)) if loss is None else np.array(loss)
        return float(min(total @ matrix))
    known = shares > 0
    return float(-(total[known] ** 2 / shares[known]).sum() / n)


@st.composite
def problems(draw: st.DrawFn, most_bins: int = 8) -> Problem:
    criterion = draw(st.sampled_from(CLASSES + NUMBERS))
    n_bins = draw(st.integers(1, most_bins))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    unit = draw(st.sampled_from([1.0, 0.5, 0.1]))
    if criterion in NUMBERS:
        rows = [random.integers(-3, 4, random.integers(1, 4)) * 1.0 for _ in range(n_bins)]
        table = np.array([[len(row), row.sum(), (row**2).sum()] for row in rows]) * unit
        return table, criterion, None
    table = random.integers(0, 4, (n_bins, draw(st.integers(1, 3)))) * unit
    table[table.sum(axis=1) == 0, 0] = unit
    loss = LOSS if criterion == "misclassification" and table.shape[1] == 3 and draw(st.booleans()) else None
    return table, criterion, loss


def weight(part: np.ndarray, criterion: str) -> float:
    return float(part[:, 0].sum() if criterion in NUMBERS else part.sum())


def brute_force(problem: Problem, n_cuts: int, min_branch: float) -> float:
    """The least mass of exactly so many cuts, by trying every set."""
    table, criterion, loss = problem
    shares = table.sum(axis=0) / table.sum()
    least = math.inf
    for places in itertools.combinations(range(1, len(table)), n_cuts):
        parts = np.split(table, places)
        if all(weight(part, criterion) >= min_branch - 1e-6 for part in parts):
            least = min(least, sum(naive_mass(part, criterion, shares, loss) for part in parts))
    return least


def mass_after(problem: Problem, places: list[int]) -> float:
    table, criterion, loss = problem
    shares = table.sum(axis=0) / table.sum()
    return sum(naive_mass(part, criterion, shares, loss) for part in np.split(table, places))


@given(problems())
def test_masses_are_the_formulas(problem: Problem) -> None:
    table, criterion, loss = problem
    shares = table.sum(axis=0) / table.sum()
    expected = [naive_mass(row[np.newaxis], criterion, shares, loss) for row in table]
    assert cuts.impurities(table, criterion, loss) == pytest.approx(expected, abs=1e-9)


@given(problems(), st.integers(0, 5), st.sampled_from([0.0, 1.0, 3.0, 6.5]))
def test_optimal_is_what_brute_force_finds(problem: Problem, max_cuts: int, min_branch: float) -> None:
    table, criterion, loss = problem
    found, masses = cuts.optimal(table, criterion, max_cuts, min_branch, loss)
    expected = [brute_force(problem, k, min_branch) for k in range(max_cuts + 1)]
    possible = [mass for mass in expected if mass < math.inf]
    if not possible:  # all rows together weigh too little
        possible, masses = [naive_mass(table, criterion, table.sum(axis=0) / table.sum(), loss)], masses[:1]
        assert masses == pytest.approx([math.inf])
        return
    assert masses == pytest.approx(possible, abs=1e-9)
    for k, places in enumerate(found):
        assert len(places) == k
        assert sorted(set(places.tolist())) == places.tolist()
        assert mass_after(problem, places.tolist()) == pytest.approx(masses[k], abs=1e-9)
        assert k == 0 or all(weight(part, criterion) >= min_branch - 1e-6 for part in np.split(table, places))


@given(problems(12), st.integers(1, 5), st.sampled_from([0.0, 1.0, 3.0]))
def test_greedy_begins_with_the_best_cut_and_is_never_better_than_optimal(
    problem: Problem, max_cuts: int, min_branch: float
) -> None:
    table, criterion, loss = problem
    found, masses = cuts.greedy(table, criterion, max_cuts, min_branch, loss)
    best, least = cuts.optimal(table, criterion, max_cuts, min_branch, loss)
    assert len(set(found.tolist())) == len(found) <= max_cuts
    for k in range(1, len(found) + 1):
        assert mass_after(problem, sorted(found[:k].tolist())) == pytest.approx(masses[k], abs=1e-9)
        assert masses[k] < masses[k - 1]
        assert masses[k] >= least[k] - 1e-9
    if len(found):
        assert found[0] == best[1][0]
        assert masses[1] == pytest.approx(least[1], abs=1e-9)
    elif len(best) > 1:
        assert least[1] == pytest.approx(least[0], abs=1e-9)


@given(problems(12), st.integers(1, 4))
def test_every_greedy_cut_is_the_best_further_one(problem: Problem, max_cuts: int) -> None:
    table, criterion, loss = problem
    found, masses = cuts.greedy(table, criterion, max_cuts, 0.0, loss)
    for k in range(len(found)):
        others = set(range(1, len(table))) - set(found[:k].tolist())
        least = min(mass_after(problem, sorted([*found[:k].tolist(), place])) for place in others)
        assert masses[k + 1] == pytest.approx(least, abs=1e-9)


@given(problems(14), st.integers(1, 4))
def test_joining_neighbors_of_the_same_shares_loses_nothing(problem: Problem, max_cuts: int) -> None:
    table, criterion, loss = problem
    table = np.repeat(table, 2, axis=0)  # so that there is something to join
    joined, first = cuts.join(table)
    assert len(joined) <= len(table) // 2
    assert joined == pytest.approx(np.add.reduceat(table, first))
    _, least = cuts.optimal(table, criterion, max_cuts, 0.0, loss)
    found, masses = cuts.optimal(table, criterion, max_cuts, 0.0, loss, join=True)
    assert masses[-1] == pytest.approx(least[min(max_cuts, len(table) - 1)], abs=1e-9)
    for places in found:
        assert set(places.tolist()) <= set(first.tolist())


@given(problems(20), st.integers(1, 3), st.integers(2, 6), st.sampled_from([0.0, 2.0]))
def test_with_too_many_bins_cuts_are_valid_and_settled(
    problem: Problem, max_cuts: int, limit: int, min_branch: float
) -> None:
    table, criterion, loss = problem
    _, least = cuts.optimal(table, criterion, max_cuts, min_branch, loss)
    found, masses = cuts.optimal(table, criterion, max_cuts, min_branch, loss, limit=limit)
    for k in range(1, len(found)):
        places = found[k].tolist()
        assert mass_after(problem, places) == pytest.approx(masses[k], abs=1e-9)
        assert masses[k] >= least[k] - 1e-9
        parts = np.split(table, places)
        assert all(len(part) and weight(part, criterion) >= min_branch - 1e-6 for part in parts)
    if len(found) > 1 and len(cuts.join(table)[0]) > limit:  # one cut, settled, is the best one
        assert masses[1] == pytest.approx(least[1], abs=1e-9)


def test_ties_go_to_smaller_places() -> None:
    alternating = [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert cuts.optimal(alternating, "gini", 1)[0][1].tolist() == [1]
    assert cuts.greedy(alternating, "gini", 1)[0].tolist() == [1]
    blocks = [[2, 0], [2, 0], [0, 2], [0, 2]]
    assert cuts.optimal(blocks, "entropy", 2)[0][2].tolist() == [1, 2]


def test_greedy_can_miss_what_optimal_finds() -> None:
    # two cuts make three pure branches, but no first cut helps unless it is one of the two
    table = [[6, 0], [0, 3], [0, 3], [6, 0]]
    best, least = cuts.optimal(table, "misclassification", 2)
    assert (best[2].tolist(), least[2]) == ([1, 3], 0.0)
    assert cuts.greedy(table, "misclassification", 2)[0].tolist() == []


def test_no_bins_and_one_bin() -> None:
    assert cuts.greedy(np.zeros((0, 2)), "gini", 3)[0].tolist() == []
    assert [places.tolist() for places in cuts.optimal(np.zeros((0, 2)), "gini", 3)[0]] == [[]]
    assert [places.tolist() for places in cuts.optimal([[1, 2]], "gini", 3)[0]] == [[]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cuts.greedy([[1, 2]], "giny", 1), "expected one of 'entropy'"),
        (lambda: cuts.greedy([[1, 2]], "variance", 1), "expected weight, sum and sum of squares"),
        (lambda: cuts.greedy([1, 2], "gini", 1), "expected bins x statistics"),
        (lambda: cuts.optimal([[1, 2]], "gini", 1, limit=1), "at least 2 bins"),
        (lambda: cuts.optimal([[1, 2]], "gini", -1), "max_cuts is -1"),
        (lambda: cuts.optimal([[1, np.nan]], "gini", 1), "finite"),
        (lambda: cuts.optimal([[1, 2]], "misclassification", 1, loss=[[1]]), "a row and a column per class"),
        (lambda: cuts.merge([1.0], 0.05, 3), r"expected a table of finite weights \(bins x classes\)"),
    ],
)
def test_what_cannot_be_cut_is_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


# ---- cuts that stop by themselves ----


@st.composite
def class_tables(draw: st.DrawFn) -> np.ndarray:
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = random.integers(0, 9, (draw(st.integers(1, 15)), draw(st.integers(1, 4)))) * 1.0
    table[table.sum(axis=1) == 0, 0] = 1.0
    return table * draw(st.sampled_from([1.0, 5.0]))


def naive_divide(table: np.ndarray, start: int) -> list[int]:
    """Fayyad and Irani's recursion as the paper has it."""

    def entropy(part: np.ndarray) -> float:
        return naive_mass(part, "entropy", part, None) / part.sum()

    def present(part: np.ndarray) -> int:
        return int((part.sum(axis=0) > 0).sum())

    if len(table) < 2:
        return []
    n = table.sum()
    after = [(low.sum() * entropy(low) + high.sum() * entropy(high)) / n for low, high in _halves(table)]
    place = int(np.flatnonzero(np.array(after) <= min(after) + 1e-12)[0])
    low, high = _halves(table)[place]
    gain = entropy(table) - after[place]
    delta = math.log2(3.0 ** present(table) - 2) - (
        present(table) * entropy(table) - present(low) * entropy(low) - present(high) * entropy(high)
    )
    if gain <= (math.log2(n - 1) + delta) / n:
        return []
    return [*naive_divide(low, start), start + place + 1, *naive_divide(high, start + place + 1)]


def _halves(table: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(table[:place], table[place:]) for place in range(1, len(table))]


@given(class_tables())
def test_dividing_is_the_recursion_of_the_paper(table: np.ndarray) -> None:
    assert cuts.divide(table).tolist() == naive_divide(table, 0)


def naive_merge(table: np.ndarray, significance: float, max_bins: int) -> list[int]:
    parts = [row for row in table]  # noqa: C416 (a list of arrays)
    first = list(range(len(parts)))
    df = (table.sum(axis=0) > 0).sum() - 1
    while len(parts) > 1:
        gaps = []
        for one, other in itertools.pairwise(parts):
            seen = (one + other) > 0
            both = np.array([one[seen], other[seen]])
            expected = np.outer(both.sum(axis=1), both.sum(axis=0)) / both.sum()
            gaps.append(float(((both - expected) ** 2 / expected).sum()))
        place = int(np.flatnonzero(np.array(gaps) <= min(gaps) + 1e-9)[0])
        if len(parts) <= max_bins and df > 0 and stats.chi2.sf(gaps[place], df) < significance:
            break
        parts[place] = parts[place] + parts.pop(place + 1)
        first.pop(place + 1)
    return first[1:]


@given(class_tables(), st.sampled_from([0.5, 0.1, 0.01]), st.sampled_from([2, 4, 100]))
def test_merging_joins_what_differs_least(table: np.ndarray, significance: float, max_bins: int) -> None:
    found = cuts.merge(table, significance, max_bins)
    assert found.tolist() == naive_merge(table, significance, max_bins)
    assert len(found) < max_bins


# ---- the chi-square distribution's tail ----


@given(st.integers(1, 10_000), st.floats(0.0, 1e6))
def test_tail_is_that_of_the_distribution(df: int, statistic: float) -> None:
    expected = stats.chi2.logsf(statistic, df)
    if -600.0 < expected < -1e-290:  # what SciPy can say without logs
        assert cuts.log_tail(statistic, df) == pytest.approx(expected, rel=1e-10, abs=1e-15)


@given(st.integers(1, 10_000), st.floats(0.2, 1.3))
def test_tail_near_the_mean(df: int, share: float) -> None:
    expected = stats.chi2.logsf(share * df, df)
    assert cuts.log_tail(share * df, df) == pytest.approx(expected, rel=1e-10, abs=1e-15)


@given(st.integers(1, 5_000), st.floats(0.1, 1e6))
def test_tail_far_out_is_the_sum_it_is_for_even_degrees(half: int, statistic: float) -> None:
    # with 2m degrees the tail is the chance of fewer than m events of a Poisson variable of mean statistic / 2
    x, events = statistic / 2, np.arange(half)
    expected = special.logsumexp(events * math.log(x) - special.gammaln(events + 1)) - x
    if expected < -1.0:
        assert cuts.log_tail(statistic, 2 * half) == pytest.approx(expected, rel=1e-10)


@given(st.floats(1e-3, 1e6))
def test_tail_of_one_degree_is_that_of_the_normal_distribution(statistic: float) -> None:
    expected = math.log(2.0) + special.log_ndtr(-math.sqrt(statistic))
    assert cuts.log_tail(statistic, 1) == pytest.approx(expected, rel=1e-10)


def test_tail_at_nothing() -> None:
    assert cuts.log_tail(0.0, 3) == 0.0
    assert cuts.log_tail(5.0, 0) == 0.0
