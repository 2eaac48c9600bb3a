"""The covering algorithm against a naive one, and what its learners promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.covering import grow, grow_by_arrays

import hornbeam
from hornbeam.core.rules import cover
from hornbeam.core.rules.cover import middle
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.rules.grower import Covering, Measure
from hornbeam.model.base.condition import IsIn


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_rows = draw(st.integers(1, 40))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    columns: list[Numeric | Nominal] = [
        Numeric("x"),
        Nominal("c", ("a", "b", "c")),
        Numeric("y"),
        Nominal("d", ("u", "v")),
    ]
    numbers = [seed.integers(0, draw(st.integers(1, 12)), n_rows).astype(float) for _ in range(2)]
    codes = [seed.integers(0, 3, n_rows), seed.integers(0, 2, n_rows)]
    if draw(st.booleans()):
        for values, gone in ((numbers[0], np.nan), (codes[0], -1)):
            values[seed.random(n_rows) < 0.2] = gone
    arrays = [numbers[0], codes[0], numbers[1], codes[1], seed.integers(0, 3, n_rows)]
    roles = ["feature"] * 4 + ["target"]
    columns.append(Nominal("class", ("p", "q", "r")))
    if draw(st.booleans()):
        columns.append(Numeric("weight"))
        roles.append("weight")
        arrays.append(seed.integers(1, 4, n_rows).astype(float))
    return Table(Schema(tuple(columns), tuple(roles)), arrays)  # type: ignore[arg-type]


@settings(max_examples=150, deadline=None)
@given(tables(), st.booleans(), st.booleans(), st.integers(0, 2))
def test_rules_are_those_of_the_textbook(table: Table, gain: bool, own_missing: bool, label: int) -> None:
    covering = Covering(table, measure="gain" if gain else "share", missing="value" if own_missing else "fails")
    rows = list(range(table.n_rows))
    classes = table.target_values()
    while (classes[rows] == label).any():
        assert covering.left.tolist() == rows
        expected, kept = grow(table, rows, label, gain=gain, own_missing=own_missing)
        found = covering.grow(label)
        assert list(found.conditions) == expected
        covered = covering.rows(found).tolist()
        assert covered == kept
        covering.engine.remove(np.array(covered))
        rows = [row for row in rows if row not in set(covered)]
    covering.engine.restore()
    assert len(covering.left) == table.n_rows


def test_many_rows_are_searched_block_by_block() -> None:
    seed = np.random.default_rng(0)
    n_rows = 700
    x, c = seed.normal(size=n_rows).round(1), seed.integers(0, 4, n_rows)
    y = ((x > 0.5) & (c != 2)) ^ (seed.random(n_rows) < 0.05)
    schema = Schema(
        (Numeric("x"), Nominal("c", tuple("abcd")), Nominal("y", ("n", "p"))), ("feature", "feature", "target")
    )
    table = Table(schema, [x, c, y.astype(np.int32)])
    covering = Covering(table)
    rows = np.arange(n_rows)
    for _ in range(6):
        expected, kept = grow(table, rows.tolist(), 1, gain=False, own_missing=False)
        found = covering.grow(1)
        assert [type(condition) for condition in found.conditions] == [type(condition) for condition in expected]
        assert covering.rows(found).tolist() == kept
        covering.engine.remove(covering.rows(found))
        rows = np.setdiff1d(rows, kept)


@pytest.mark.parametrize("digits", [1, 9])
@pytest.mark.parametrize("kind", ["plain", "weighted", "missing"])
def test_rules_of_many_rows_are_those_of_the_textbook(kind: str, digits: int) -> None:
    """Enough rows for blocks of blocks, for problems of one category, and for perfect conditions found by walking."""
    seed = np.random.default_rng(digits)
    n_rows = 4000
    numbers = [seed.random(n_rows).round(digits) for _ in range(3)]
    codes = [seed.integers(0, size, n_rows) for size in (3, 4, 8)]
    truth = ((numbers[0] > 0.7) & (codes[0] == 1)) | ((numbers[1] < 0.4) & (numbers[2] > 0.6)) | (codes[2] == 5)
    truth ^= seed.random(n_rows) < 0.05
    if kind == "missing":
        for values, gone in [*((each, np.nan) for each in numbers[:2]), (codes[1], -1), (codes[2], -1)]:
            values[seed.random(n_rows) < 0.1] = gone
    columns: list[Numeric | Nominal] = [Numeric(name) for name in "xyz"]
    columns += [Nominal(f"c{size}", tuple("abcdefgh"[:size])) for size in (3, 4, 8)]
    columns += [Nominal("class", ("n", "p")), Numeric("weight")]
    weights = seed.integers(1, 4, n_rows) if kind == "weighted" else np.ones(n_rows)
    roles = (*["feature"] * 6, "target", "weight")
    table = Table(Schema(tuple(columns), roles), [*numbers, *codes, truth.astype(np.int32), weights])  # type: ignore[arg-type]
    own_missing = kind == "missing"
    covering = Covering(table, missing="value" if own_missing else "fails")
    inside = np.ones(n_rows, bool)
    lengths = set()
    for turn in range(160):  # many rules for one class, then for both in turn
        label = turn % 2 if turn > 120 else 1
        expected, kept = grow_by_arrays(table, inside, label, own_missing=own_missing)
        found = covering.grow(label)
        assert list(found.conditions) == expected
        rows = covering.rows(found)
        assert rows.tolist() == np.flatnonzero(kept).tolist()
        covering.engine.remove(rows)
        inside &= ~kept
        lengths.add(len(expected))
    assert len(lengths) > 2


@pytest.mark.parametrize("most", [10, 10**4])
def test_rules_by_gain_are_those_of_the_textbook(most: int) -> None:
    """Rows of one class beside each other, many and few of them with one value."""
    seed = np.random.default_rng(most)
    numbers = [seed.integers(0, most, 250).astype(float) for _ in range(2)]
    codes = seed.integers(0, 3, 250)
    truth = ((numbers[0] > 0.6 * most) & (codes == 1)) ^ (seed.random(250) < 0.1)
    numbers[1][seed.random(250) < 0.1] = np.nan
    schema = Schema(
        (Numeric("x"), Numeric("y"), Nominal("c", ("a", "b", "c")), Nominal("class", ("n", "p"))),
        ("feature", "feature", "feature", "target"),
    )
    table = Table(schema, [*numbers, codes, truth.astype(np.int32)])  # type: ignore[list-item]
    covering = Covering(table, measure="gain")
    rows = list(range(250))
    for turn in range(12):
        expected, kept = grow(table, rows, turn % 2, gain=True, own_missing=False)
        found = covering.grow(turn % 2)
        assert list(found.conditions) == expected
        assert covering.rows(found).tolist() == kept
        covering.engine.remove(np.array(kept))
        rows = [row for row in rows if row not in set(kept)]


def test_what_is_left_of_fractions_is_nothing() -> None:
    """Sums of weights are not quite nothing once all rows without a value are gone; no rule is about them."""
    codes = np.array([-1, -1, -1, 0, 1, 0, 1], np.int32)
    classes = np.array([0, 0, 0, 0, 0, 1, 1], np.int32)
    weights = np.array([0.1, 0.2, 0.3, 0.7, 0.7, 0.7, 0.7])
    schema = Schema(
        (Nominal("c", ("a", "b")), Nominal("class", ("p", "q")), Numeric("weight")), ("feature", "target", "weight")
    )
    covering = Covering(Table(schema, [codes, classes, weights]), missing="value")
    assert covering.rows(covering.grow(0)).tolist() == [0, 1, 2]
    covering.engine.remove(np.arange(3))
    assert covering.grow(0).conditions in {(), (IsIn(0, (0,)),)}
    assert len(covering.rows(covering.grow(0))) > 0


@pytest.mark.parametrize("measure", ["share", "gain"])
def test_categories_as_problems_of_their_own(monkeypatch: pytest.MonkeyPatch, measure: Measure) -> None:
    seed = np.random.default_rng(3)
    n_rows = 900
    x, c, d = seed.normal(size=n_rows), seed.integers(-1, 3, n_rows), seed.integers(0, 4, n_rows)
    y = ((x > 0.3) & (c == 1)) | ((d == 2) & (x < 0.8)) ^ (seed.random(n_rows) < 0.1)
    kinds = (Numeric("x"), Nominal("c", tuple("abc")), Nominal("d", tuple("efgh")), Nominal("y", ("n", "p")))
    table = Table(Schema(kinds, ("feature", "feature", "feature", "target")), [x, c, d, y.astype(np.int32)])
    found = []
    for least in (10**9, 20):
        monkeypatch.setattr(cover, "LEAST_ROWS", least)
        covering = Covering(table, measure=measure, missing="value")
        rules = []
        for turn in range(40):  # classes in turn, as where the best of their rules is kept
            grown = covering.grow(turn % 2)
            if not grown.conditions:
                break
            rows = covering.rows(grown)
            rules.append(
                (grown.conditions, grown.right, grown.covered, covering.rows(grown.upto(1)).tolist(), rows.tolist())
            )
            covering.engine.remove(rows)
        found.append(rules)
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_sets_of_categories() -> None:
    schema = Schema((Nominal("c", tuple("abcd")), Nominal("y", ("n", "p"))), ("feature", "target"))
    table = Table(schema, [[0, 0, 1, 1, 2, 2, 3, 3], [1, 1, 1, 1, 0, 0, 1, 0]])
    one = Covering(table).grow(1)
    assert [condition.codes for condition in one.conditions] == [(0,)]  # type: ignore[union-attr]
    several = Covering(table, nominal="set").grow(1)
    assert [condition.codes for condition in several.conditions] == [(0, 1)]  # type: ignore[union-attr]


@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_a_cut_lies_between(low: float, step: float) -> None:
    high = low + step
    if high > low:
        assert low < middle(low, high) <= high


@pytest.mark.parametrize(
    ("low", "high", "cut"), [(2.3, 2.4, 2.35), (1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 2.0))]
)
def test_a_cut_is_short(low: float, high: float, cut: float) -> None:
    assert middle(low, high) == cut


@pytest.mark.parametrize("learner", [hornbeam.PrismClassifier, hornbeam.InductClassifier])
@pytest.mark.parametrize("choice", [{}, {"missing": "value"}, {"nominal": "set"}, {"beam_width": 3}])
def test_a_column_without_categories_is_as_if_it_were_not_there(learner: Any, choice: dict[str, Any]) -> None:
    iris = hornbeam.read("iris").take(np.arange(0, 150, 4))
    wide = Schema((Nominal("nothing", ()), *iris.schema.columns), ("feature", *iris.schema.roles), iris.schema.name)
    table = Table(wide, [np.full(iris.n_rows, -1), *iris.columns])
    assert hornbeam.show.text(learner(**choice).fit(table)) == hornbeam.show.text(learner(**choice).fit(iris))
