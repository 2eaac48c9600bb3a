"""The conditions that the rule engine offers, against counts of the rows; few and many rows of a long table."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.core.rules.cover import AT_LEAST, BELOW, GAIN, IN, MISSING, OWN_MISSING, STRICT, Cover

ROWS = 9_000  # more than 64 x 64 places, which a word of bits of bits covers


def engine_of(rng: np.random.Generator, *, weighted: bool) -> tuple[Cover, list[np.ndarray], np.ndarray, np.ndarray]:
    numbers = [np.round(rng.normal(size=ROWS), digits) for digits in (1, 6)]
    numbers[1][rng.random(ROWS) < 0.1] = np.nan
    columns = [*numbers, rng.integers(-1, 4, ROWS).astype(np.int32)]
    known = [np.flatnonzero(~np.isnan(each)) for each in numbers]
    orders = [
        rows[np.argsort(each[rows], kind="stable")].astype(np.uint32) for each, rows in zip(numbers, known, strict=True)
    ]
    classes = rng.integers(0, 3, ROWS).astype(np.int32)
    weights = rng.integers(1, 4, ROWS).astype(np.float64) if weighted else np.ones(ROWS)
    given = weights if weighted else None
    return Cover(columns, [*orders, None], [0, 0, 4], classes, given, 3, False), columns, classes, weights


def meets(condition: np.void, columns: list[np.ndarray]) -> np.ndarray:
    values, relation = columns[condition["column"]], condition["relation"]
    if relation == IN:
        return values == condition["code"]
    if relation == MISSING:
        return values < 0 if values.dtype == np.int32 else np.isnan(values)
    assert relation in {BELOW, AT_LEAST}
    assert condition["low"] < condition["high"]
    return values < condition["high"] if relation == BELOW else values >= condition["high"]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 3, 60, 1_000, 4_499, 4_501, 8_000])
def test_conditions_on_some_rows_are_as_counted(size: int, weighted: bool) -> None:
    rng = np.random.default_rng(size)
    engine, columns, classes, weights = engine_of(rng, weighted=weighted)
    for _ in range(2):  # nothing is left over from the first time
        rows = np.sort(rng.choice(ROWS, size, replace=False)).astype(np.int32)
        offered = engine.candidates(rows, 1, OWN_MISSING)
        own = [each[rows] for each in columns]
        of_class = classes[rows] == 1
        assert (offered is None) == (size == 1 or not of_class.any())
        if offered is None:
            continue
        for condition in rng.choice(offered, min(len(offered), 200), replace=False):
            inside = meets(condition, own)
            assert condition["t"] == weights[rows][inside].sum()
            assert condition["p"] == weights[rows][inside & of_class].sum()
        found = set(zip(*(offered[name].tolist() for name in ("column", "relation", "high")), strict=True))
        for column in (0, 1):  # a cut between every two values, from either side if a row of the class is there
            distinct = np.unique(own[column][~np.isnan(own[column])])
            for high in rng.permutation(distinct[1:])[:200]:
                for relation, there in ((BELOW, own[column] < high), (AT_LEAST, own[column] >= high)):
                    assert ((column, relation, high) in found) == bool((there & of_class).any())


def test_rules_do_not_depend_on_rows_that_are_gone() -> None:
    rng = np.random.default_rng(5)
    engine, _, _, _ = engine_of(rng, weighted=False)
    left = np.arange(ROWS, dtype=np.int32)
    for _ in range(4):  # gaps are left at first, and closed later
        gone = rng.choice(left, 1_500, replace=False)
        engine.remove(gone)
        left = np.setdiff1d(left, gone).astype(np.int32)
        for size in (len(left), 200):
            rows = np.sort(rng.choice(left, size, replace=False)).astype(np.int32)
            grown = engine.grow(1, GAIN, STRICT, 5, 0.0, rows)
            fresh, _, _, _ = engine_of(np.random.default_rng(5), weighted=False)
            assert grown
            assert grown == fresh.grow(1, GAIN, STRICT, 5, 0.0, rows)
