"""Random numbers, shuffles and folds are the reference program's."""

from __future__ import annotations

from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import evidence
from oracle.trees.answers import Folds, folds
from reference.rows import read_arff

from hornbeam.learn.compat.weka import (
    JavaRandom,
    cross_validation_folds,
    fold_bounds,
    grow_and_prune_parts,
    shuffled,
    stratified,
)


def check_folds(stored: Folds) -> None:
    target = read_arff(stored.arff).target
    codes = np.array([np.nan if value is None else value for value in target.values])
    parts = cross_validation_folds(codes, folds=10, seed=1, stratify=target.categories is not None)
    order = list(chain.from_iterable(test.tolist() for _, test in parts))
    fold_of_row = np.empty(len(codes), int)
    for fold, (_, test) in enumerate(parts):
        fold_of_row[test] = fold
    assert "".join(map(str, fold_of_row)) == stored.fold_of_row
    if stored.order is not None:
        assert order == stored.order
        assert parts[0][0].tolist() == stored.first_train_order


@pytest.mark.parametrize("data", evidence.sets())
def test_folds_of_every_set(data: str) -> None:
    check_folds(folds(data))


@pytest.mark.parametrize(
    ("seed", "below", "expected"),
    [
        (1, 10, [5, 8, 7, 3, 4]),
        (42, 100, [30, 63, 48, 84, 70]),
        (42, 16, [11, 0, 10, 0, 4]),  # a power of two takes the high bits
    ],
)
def test_whole_numbers_are_java_s(seed: int, below: int, expected: list[int]) -> None:
    random = JavaRandom(seed)
    assert [random.next_int(below) for _ in expected] == expected


def test_real_numbers_are_java_s() -> None:
    random = JavaRandom(42)
    assert [random.next_double() for _ in range(2)] == [0.7275636800328681, 0.6832234717598454]


def test_a_negative_seed_counts_by_its_lowest_bits() -> None:
    assert JavaRandom(-1).next(32) == JavaRandom((1 << 48) - 1).next(32)


def test_the_uneven_tail_is_refused() -> None:
    # Three quarters of 2**31: a number drawn from the last quarter must be drawn again.
    below = 3 << 29
    random, plain = JavaRandom(7), JavaRandom(7)
    drawn = [random.next_int(below) for _ in range(50)]
    kept = [bits for bits in (plain.next(31) for _ in range(200)) if bits < below]
    assert drawn == kept[:50]


@pytest.mark.parametrize("below", [0, -3, 1 << 31])
def test_a_bound_out_of_range_is_refused(below: int) -> None:
    with pytest.raises(ValueError, match=f"the bound of a random number is {below}; expected"):
        JavaRandom(1).next_int(below)


@given(st.integers(0, 200), st.integers())
def test_a_shuffle_keeps_every_row(n: int, seed: int) -> None:
    assert sorted(shuffled(n, JavaRandom(seed)).tolist()) == list(range(n))


@given(st.lists(st.integers(-1, 4), min_size=3, max_size=60), st.data())
def test_folds_share_out_rows_and_classes(codes: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(2, len(codes)))
    parts = cross_validation_folds(codes, folds=k, seed=data.draw(st.integers(0, 9)))
    tested = list(chain.from_iterable(test.tolist() for _, test in parts))
    assert sorted(tested) == list(range(len(codes)))
    for train, test in parts:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(codes)))
        for code in set(codes):
            share = codes.count(code) / k
            assert abs(sum(codes[row] == code for row in test) - share) < 2


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 5))
def test_blocks_are_contiguous_and_nearly_equal(codes: list[int], k: int) -> None:
    bounds = [fold_bounds(len(codes), k, fold) for fold in range(k)]
    assert bounds[0][0] == 0
    assert bounds[-1][1] == len(codes)
    assert all(before[1] == after[0] for before, after in pairwise(bounds))
    sizes = [after - first for first, after in bounds]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1
    assert sorted(stratified(codes, k).tolist()) == list(range(len(codes)))


@given(st.lists(st.integers(0, 2), min_size=3, max_size=40), st.integers(2, 4))
def test_growing_and_pruning_parts_are_the_rows(codes: list[int], k: int) -> None:
    grow, prune = grow_and_prune_parts(codes, folds=k)
    assert sorted([*grow.tolist(), *prune.tolist()]) == list(range(len(codes)))
    assert len(prune) == len(codes) // k


def test_too_many_or_too_few_folds_are_refused() -> None:
    with pytest.raises(ValueError, match="folds is 4; expected a number from 2 to the number of rows, 3"):
        cross_validation_folds([0, 1, 0], folds=4)
    with pytest.raises(ValueError, match="at least 2"):
        grow_and_prune_parts([0, 1, 0], folds=1)
