"""The kernel of boosting against a naive one: every split the best there was, every leaf's value what rows say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reference.boosting import Column, Problem, certify

from hornbeam.core.forests.boost.boost import LOSSES, Booster, sample_rows
from hornbeam.learn.forests.boosting_losses import Loss, weighted_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHOICES: dict[str, float] = {
    "l1": 0.0,
    "l2": 0.0,
    "min_weight": 1.0,
    "min_curve": 0.0,
    "min_gain": 0.0,
    "max_leaves": 8,
    "max_depth": -1,
    "shrink": 0.5,
    "category_charge": 0.5,
    "most_sums": 2**30,
    "nominal_smoothing": 0.25,
}


def drawn_columns(random: np.random.Generator, n_rows: int, kinds: str) -> list[Column]:
    """Columns by letter: (n)umeric, (m)any-valued, a (f)ull byte, (o)ver it, (c)ategories, (w)ide ones, two (b)its."""
    made = []
    for kind in kinds:
        n_codes = {"n": 5, "m": 200, "f": 256, "o": 400, "c": 7, "w": 400, "b": 2}[kind]
        codes = random.integers(0, n_codes, n_rows)
        if random.random() < 0.5 and kind != "f":
            codes[random.random(n_rows) < 0.2] = n_codes
        made.append(Column(codes, n_codes, kind in "cw"))
    return made


def booster_of(
    columns: list[Column],
    target: NDArray[np.float64],
    loss: str,
    choices: dict[str, float],
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
    n_outputs: int = 1,
) -> Booster:
    n_rows = len(target)
    codes = np.zeros((len(columns), n_rows), np.uint8)
    wide = {}
    for place, column in enumerate(columns):
        if column.n_codes > 256:
            wide[place] = column.codes.astype(np.int32)
        else:
            codes[place] = column.codes
    return Booster(
        codes,
        wide,
        np.array([column.n_codes for column in columns], np.int32),
        np.array([(column.codes == column.n_codes).any() for column in columns]),
        np.array([column.nominal for column in columns]),
        [column.monotone for column in columns],
        target,
        weights,
        LOSSES.index(loss),
        n_outputs,
        {**choices, "seed": 7, "n_threads": n_threads},
    )


def problem_of(booster: Booster, columns: list[Column], weights: Any, choices: dict[str, float]) -> Problem:
    slope, steepness, gradient_unit, curve_unit, gradient, curve = booster.gradients()
    ones = np.ones(len(gradient)) if weights is None else weights
    charge = choices["category_charge"] * (slope.astype(float) ** 2 / ones).sum() / steepness.astype(float).sum()
    return Problem(columns, gradient, curve, gradient_unit, curve_unit, ones, choices, charge)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    kinds=st.text("nmfocwb", min_size=1, max_size=4),
    loss=st.sampled_from(["squared", "huber", "poisson", "logistic"]),
    weighted=st.booleans(),
    n_rows=st.sampled_from([1, 2, 9, 60]),
    l1=st.sampled_from([0.0, 0.4]),
    l2=st.sampled_from([0.0, 1.0]),
    min_weight=st.sampled_from([0.0, 1.0, 4.0, 7.5]),
    min_curve=st.sampled_from([0.0, 0.3, 1.1]),
    max_leaves=st.sampled_from([2, 4, 100]),
    max_depth=st.sampled_from([-1, 2]),
    min_gain=st.sampled_from([0.0, 0.2]),
)
def test_every_split_is_the_best(
    seed: int, kinds: str, loss: str, weighted: bool, n_rows: int, **wanted: float
) -> None:
    random = np.random.default_rng(seed)
    columns = drawn_columns(random, n_rows, kinds)
    choices = CHOICES | wanted
    target = random.integers(0, 2, n_rows).astype(float) if loss == "logistic" else random.gamma(2.0, 1.0, n_rows)
    weights = random.choice([0.5, 1.0, 3.0], n_rows) if weighted else None
    booster = booster_of(columns, target, loss, choices, weights)
    booster.score[:] = before = random.normal(size=(1, n_rows)) * 2
    booster.slopes(0, 1.0, seed)
    tree = booster.grow(0, 0.5)
    leaf = certify(tree, problem_of(booster, columns, weights, choices))
    slope, curve, *_ = booster.gradients()
    for node in np.unique(leaf):
        g, h = slope[leaf == node].sum(dtype=np.float64), curve[leaf == node].sum(dtype=np.float64)
        pull = np.sign(g) * max(abs(g) - choices["l1"], 0.0)
        assert tree["value"][node] == pytest.approx(-0.5 * pull / (h + choices["l2"]), rel=1e-5, abs=1e-6)
    assert np.array_equal(booster.score[0], before[0] + tree["value"][leaf].astype(float))


@settings(max_examples=60)
@example(seed=269133, limit=-1, l1=0.3)
@given(seed=st.integers(0, 10**6), limit=st.sampled_from([1, -1]), l1=st.sampled_from([0.0, 0.3]))
def test_limits_are_handed_down(seed: int, limit: int, l1: float) -> None:
    random = np.random.default_rng(seed)
    n_rows = 80
    free = drawn_columns(random, n_rows, "nc")
    columns = [Column(random.integers(0, 6, n_rows), 6, nominal=False, monotone=limit), *free]
    choices = CHOICES | {"max_leaves": 12, "l1": l1}
    booster = booster_of(columns, random.normal(size=n_rows) - 0.2 * columns[0].codes, "squared", choices)
    booster.slopes(0, 1.0, seed)
    tree = booster.grow(0, 0.5)
    certify(tree, problem_of(booster, columns, None, choices))


@pytest.mark.parametrize("loss", ["absolute", "quantile"])
@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_of_quantile_losses_say_the_quantile_of_what_is_left(loss: str, weighted: bool) -> None:
    random = np.random.default_rng(0)
    n_rows, level = 300, 0.5 if loss == "absolute" else 0.8
    columns = drawn_columns(random, n_rows, "nmc")
    target = np.round(random.normal(size=n_rows), 1)
    weights = random.integers(1, 4, n_rows).astype(float) if weighted else None
    choices = CHOICES | {"min_weight": 5.0}
    booster = booster_of(columns, target, loss, choices, weights)
    booster.score[:] = 0.25
    booster.slopes(0, level, 0)
    tree = booster.grow(0, level)
    leaf = certify(tree, problem_of(booster, columns, weights, choices))
    for node in np.unique(leaf):
        own = leaf == node
        wanted = weighted_quantile((target - 0.25)[own], None if weights is None else weights[own], level)
        assert tree["value"][node] == pytest.approx(0.5 * wanted)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_are_the_losses_slopes(name: str, weighted: bool) -> None:
    random = np.random.default_rng(1)
    n_rows, n_outputs, step = 50, 3 if name == "multinomial" else 1, 1e-4
    level = 0.3 if name == "quantile" else 0.9 if name == "huber" else 0.5
    loss = Loss(name, n_outputs, level)
    target = random.integers(0, {"logistic": 2, "multinomial": 3}.get(name, 9), n_rows).astype(float)
    weights = random.gamma(2.0, 1.0, n_rows) if weighted else None
    booster = booster_of(drawn_columns(random, n_rows, "n"), target, name, CHOICES, weights, n_outputs=n_outputs)
    booster.score[:] = score = random.normal(size=(n_outputs, n_rows)) * 1.5 + 0.01
    parameter = loss.parameter(score, target, weights)
    if n_outputs > 1:
        booster.take_probabilities()
    for output in range(n_outputs):
        booster.slopes(output, parameter, 0)
        gradient, curve, *_ = booster.gradients()
        moved = [score + sign * step * (np.arange(n_outputs) == output)[:, None] for sign in (-1, 0, 1)]
        low, middle, high = (loss.each(scores, target, parameter) for scores in moved)
        ones = np.ones(n_rows) if weights is None else weights
        off = np.abs(target - score[0])
        smooth = np.abs(off - parameter) > 2 * step if name == "huber" else off > 2 * step
        if name in {"logistic", "multinomial", "poisson"}:
            smooth[:] = True
        assert smooth.sum() > 40
        assert np.allclose(gradient[smooth], (ones * (high - low) / (2 * step))[smooth], atol=1e-4)
        if name in {"squared", "poisson", "logistic", "multinomial"}:
            second = ones * (high - 2 * middle + low) / step**2
            factor = 1.5 if name == "multinomial" else 1.0  # classes / (classes - 1): steps are shorter
            assert np.allclose(curve, factor * second, rtol=1e-3, atol=1e-4)
        elif not weighted:
            assert (curve == 1).all()


def test_scores_far_out_have_gradients() -> None:
    target = np.array([0.0, 1.0, 0.0, 1.0])
    booster = booster_of([Column(np.arange(4), 4, nominal=False)], target, "logistic", CHOICES)
    booster.score[:] = [[800.0, -800.0, -2000.0, 30.0]]
    booster.slopes(0, 0.5, 0)
    gradient, curve, *_ = booster.gradients()
    assert np.allclose(gradient, [1.0, -1.0, 0.0, 0.0], atol=1e-12)
    assert np.isfinite(curve).all()


def test_gradients_too_large_are_refused() -> None:
    booster = booster_of([Column(np.arange(3), 3, nominal=False)], np.array([0.0, 1e60, 2.0]), "squared", CHOICES)
    with pytest.raises(ValueError, match="targets or weights are too large"):
        booster.slopes(0, 0.5, 0)
    booster = booster_of([Column(np.arange(3), 3, nominal=False)], np.array([0.0, 1.0, 2.0]), "poisson", CHOICES)
    booster.score[:] = [[5000.0, 0.0, -5000.0]]
    booster.slopes(0, 0.5, 0)
    assert np.isfinite(booster.gradients()[0]).all()


@pytest.mark.parametrize("loss", ["squared", "poisson"])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_gradients_that_are_not_numbers_are_refused(loss: str, wrong: float) -> None:
    """They would be cast to whole numbers, which C does not define."""
    booster = booster_of([Column(np.arange(3), 3, nominal=False)], np.array([0.0, wrong, 2.0]), loss, CHOICES)
    with pytest.raises(ValueError, match="targets or weights are too large"):
        booster.slopes(0, 0.5, 0)


def test_gradients_are_rounded_up_or_down_by_chance() -> None:
    random = np.random.default_rng(2)
    n_rows = 200_000  # many rows: few levels
    target = random.normal(size=n_rows)
    booster = booster_of(
        [Column(np.zeros(n_rows, int), 1, nominal=False)], (target > 0).astype(float), "logistic", CHOICES
    )
    booster.score[:] = target * 0.1
    wholes = []
    for turn in range(3):
        booster.slopes(0, 0.5, turn)
        gradient, curve, gradient_unit, curve_unit, whole_gradient, whole_curve = booster.gradients()
        for exact, unit, whole in ((gradient, gradient_unit, whole_gradient), (curve, curve_unit, whole_curve)):
            off = whole - exact.astype(np.float64) / unit
            assert np.abs(off).max() <= 1.0
            assert abs(off.mean()) < 5 * off.std() / np.sqrt(n_rows) + 1e-4
            assert np.abs(whole.sum()) < 2**31
        wholes.append(whole_gradient)
    assert (wholes[0] != wholes[1]).any()
    booster.slopes(0, 0.5, 0)
    assert np.array_equal(booster.gradients()[4], wholes[0])


@pytest.mark.parametrize("kinds", ["nmcb", "wnbbb", "ommf"])
@pytest.mark.parametrize("loss", ["logistic", "absolute", "squared"])
def test_threads_change_nothing(kinds: str, loss: str) -> None:
    random = np.random.default_rng(3)
    n_rows = 30_000
    columns = drawn_columns(random, n_rows, kinds)
    target = (random.random(n_rows) < 0.3 + 0.4 * (columns[0].codes % 2)).astype(float)
    choices = CHOICES | {"max_leaves": 20, "min_weight": 20.0}
    found = []
    for n_threads in (1, 2, 3):
        booster = booster_of(columns, target, loss, choices, n_threads=n_threads)
        booster.use(*sample_rows(np.zeros(n_rows, np.uint8), 0.8, 5, 1))
        trees = []
        for turn in range(3):
            booster.slopes(0, 0.5, turn)
            trees.append(booster.grow(0, 0.5))
        found.append((trees, booster.score))
    for trees, score in found[1:]:
        assert np.array_equal(score, found[0][1])
        for one, other in zip(trees, found[0][0], strict=True):
            assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_sums_that_are_not_kept_are_counted_anew(n_threads: int) -> None:
    random = np.random.default_rng(8)
    columns = drawn_columns(random, 20_000, "nmcwb")
    target = random.normal(size=20_000) + columns[0].codes
    found = []
    for most_sums in (2**30, 0):
        choices = CHOICES | {"max_leaves": 40, "most_sums": most_sums}
        booster = booster_of(columns, target, "squared", choices, n_threads=n_threads)
        booster.slopes(0, 0.5, 0)
        found.append(booster.grow(0, 0.5))
    assert all(np.array_equal(found[0][name], found[1][name]) for name in found[0])


def test_columns_that_share_a_byte_are_told_apart() -> None:
    random = np.random.default_rng(4)
    n_rows = 4000
    columns = drawn_columns(random, n_rows, "bbbbbbbbbbbbnn")
    target = 3.0 * (columns[7].codes == 1) - 2.0 * (columns[11].codes == 0) + (columns[12].codes > 2)
    booster = booster_of(columns, target, "squared", CHOICES | {"max_leaves": 8, "shrink": 1.0, "min_weight": 1.0})
    booster.slopes(0, 0.5, 0)
    tree = booster.grow(0, 0.5)
    assert set(tree["feature"][tree["feature"] >= 0]) <= {7, 11, 12}
    certify(tree, problem_of(booster, columns, None, CHOICES))


def test_chosen_columns_alone_are_asked_for() -> None:
    random = np.random.default_rng(5)
    columns = drawn_columns(random, 2000, "nmcbnmcw")
    choices = CHOICES | {"max_leaves": 30, "category_charge": 0.0}
    booster = booster_of(columns, random.normal(size=2000), "squared", choices)
    for places in ([0, 3], [1, 2, 4, 5, 6], [7], list(range(8)), [2]):
        active = np.zeros(8, np.uint8)
        active[places] = 1
        booster.choose_columns(active)
        booster.slopes(0, 0.5, 1)
        tree = booster.grow(0, 0.5)
        asked = tree["feature"][tree["feature"] >= 0]
        assert len(asked) > 3
        assert set(asked) <= set(places)
        problem = problem_of(booster, [columns[place] for place in places], None, choices)
        tree["feature"] = np.where(tree["feature"] >= 0, np.searchsorted(places, tree["feature"]), -1)
        certify(tree, problem)


def test_rows_left_out_are_scored_all_the_same() -> None:
    random = np.random.default_rng(6)
    columns = drawn_columns(random, 3000, "nmfocwb")
    booster = booster_of(columns, random.normal(size=3000), "squared", CHOICES)
    held_out = np.zeros(3000, np.uint8)
    held_out[::7] = 1
    used, others = sample_rows(held_out, 0.5, 0, 3)
    assert 0.4 < len(used) / (3000 * 6 / 7) < 0.6
    assert set(np.flatnonzero(held_out)) <= set(others)
    assert sorted([*used, *others]) == list(range(3000))
    booster.use(used, others)
    booster.slopes(0, 0.5, 0)
    tree = booster.grow(0, 0.5)
    assert tree["weight"][0] == len(used)
    leaf_values = set(tree["value"][tree["first_child"] < 0].astype(float).tolist())
    assert set(booster.score[0].tolist()) == leaf_values
