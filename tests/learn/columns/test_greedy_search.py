"""Greedy search: steps down to a local optimum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam import greedy

FIGURES = st.lists(st.integers(-5, 5), min_size=1, max_size=12)


def beside(figures: list[Any]) -> Any:
    """The places to the left and right of a place."""
    return lambda place: [other for other in (place - 1, place + 1) if 0 <= other < len(figures)]


@given(FIGURES, st.integers(0, 11), st.sampled_from([0.0, 1.0, 2.5]))
def test_it_is_the_textbook_s_loop(figures: list[int], start: int, tolerance: float) -> None:
    start %= len(figures)
    descent = greedy(figures.__getitem__, beside(figures), start, tolerance)
    place, visited = start, [start]
    while True:  # theta <- argmin over C(theta), theta among them, until the change is no more than epsilon
        reach = [place, *beside(figures)(place)]
        nearest = min(reach, key=figures.__getitem__)
        change = figures[place] - figures[nearest]
        if nearest != place:
            visited.append(nearest)
        place = nearest
        if change <= tolerance:
            break
    assert descent.places == tuple(visited)
    assert descent.costs == tuple(figures[one] for one in visited)
    assert descent.converged
    falls = -np.diff(descent.costs)
    assert (falls > 0).all()
    assert (falls[:-1] > tolerance).all()
    if tolerance == 0:
        assert all(figures[descent.place] <= figures[other] for other in beside(figures)(descent.place))


@given(FIGURES, st.integers(0, 3))
def test_steps_can_be_limited(figures: list[int], most: int) -> None:
    whole = greedy(figures.__getitem__, beside(figures), 0)
    part = greedy(figures.__getitem__, beside(figures), 0, max_steps=most)
    assert part.places == whole.places[: most + 1]
    assert part.converged == (part.n_steps < most)


def test_threads_change_nothing() -> None:
    costs = np.random.default_rng(0).permutation(200).tolist()

    def near(place: int) -> list[int]:
        return [other % 200 for other in range(place - 3, place + 4)]

    assert greedy(costs.__getitem__, near, 50, n_jobs=3) == greedy(costs.__getitem__, near, 50)


def test_the_first_of_equals_is_taken_and_staying_is_better() -> None:
    costs = {"a": 2, "b": 1, "c": 1, "d": 1}
    reach = {"a": ["a", "c", "b"], "b": [], "c": ["d", "b"], "d": []}
    assert greedy(costs.__getitem__, reach.__getitem__, "a").places == ("a", "c")


def test_costs_may_be_anything_that_is_ordered() -> None:
    descent = greedy(lambda n: (n % 3, n), lambda n: range(max(n - 3, 0), n + 4), 10)
    assert descent.place == 0
    assert descent.cost == (0, 0)


def test_lloyd_s_algorithm_is_greedy() -> None:
    rows = np.random.default_rng(1).normal(size=(60, 2))
    start = rows[:3]

    def apart(centers: np.ndarray) -> np.ndarray:
        return ((rows[:, None] - centers) ** 2).sum(axis=2)

    def step(centers: np.ndarray) -> list[np.ndarray]:
        labels = apart(centers).argmin(axis=1)
        return [np.array([rows[labels == k].mean(axis=0) for k in range(3)])]

    descent = greedy(lambda centers: float(apart(centers).min(axis=1).sum()), step, start)
    ours = hornbeam.KMeans(3, init=start, numeric="as-is").fit(rows)
    assert descent.cost == pytest.approx(ours.inertia_, rel=1e-12)
    assert descent.place == pytest.approx(ours.cluster_centers_, rel=1e-12)


def test_wrong_wishes_are_refused() -> None:
    with pytest.raises(ValueError, match="tolerance is -1"):
        greedy(abs, lambda _: [], 0, -1.0)
    with pytest.raises(ValueError, match="max_steps is -1"):
        greedy(abs, lambda _: [], 0, max_steps=-1)
    assert greedy(abs, lambda x: [x / 2], 1.0, 1e-3).cost <= 2e-3
    assert greedy(lambda x: -x, lambda x: [x + 1], 0, max_steps=5).place == 5
    assert not math.isnan(greedy(abs, lambda _: [], 0).cost)
