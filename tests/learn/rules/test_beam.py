"""Rules grown side by side: what a wider beam finds, and that one of width one changes nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.covering import best_of_all

import hornbeam
from hornbeam import InductClassifier, IrepClassifier, PrismClassifier, RipperClassifier
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.rules import grower
from hornbeam.learn.rules.grower import Covering, RuleGrower

LEARNERS = [PrismClassifier, InductClassifier, IrepClassifier, RipperClassifier]


@pytest.fixture
def decoy() -> Table:
    """The class is a or b, but not both; c agrees with it in seven rows of ten, and a and b alone tell nothing."""
    a, b = np.repeat([0, 0, 1, 1], 10), np.repeat([0, 1, 0, 1], 10)
    y = a ^ b
    c = np.where(np.arange(40) % 10 < 7, y, 1 - y)
    kinds = tuple(Nominal(name, ("0", "1")) for name in "abcy")
    return Table(Schema(kinds, ("feature", "feature", "feature", "target")), [a, b, c, y])


@st.composite
def small_tables(draw: st.DrawFn) -> Table:
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_rows = draw(st.integers(2, 9))
    kinds = (Numeric("x"), Nominal("c", ("a", "b", "c")), Nominal("y", ("n", "p")), Numeric("w"))
    x = seed.integers(0, 4, n_rows).astype(float)
    x[seed.random(n_rows) < 0.1] = np.nan
    arrays = [x, seed.integers(-1, 3, n_rows), seed.integers(0, 2, n_rows), seed.integers(1, 3, n_rows).astype(float)]
    return Table(Schema(kinds, ("feature", "feature", "target", "weight")), arrays)


def test_a_beam_finds_what_the_best_conditions_alone_miss(decoy: Table) -> None:
    greedy, wide = (Covering(decoy, beam_width=width).grow(1) for width in (1, 3))
    assert (greedy.conditions[0].column, greedy.right[-1], greedy.covered[-1]) == (2, 7, 7)
    assert ([each.column for each in wide.conditions], wide.right[-1], wide.covered[-1]) == ([0, 1], 10, 10)
    assert len(PrismClassifier(beam_width=3).fit(decoy).model_) < len(PrismClassifier().fit(decoy).model_)


@pytest.mark.parametrize("measure", ["share", "gain", "smoothed-gain"])
def test_the_same_where_rules_are_pruned(decoy: Table, measure: str) -> None:
    bodies = []
    for width in (1, 3):
        rows = RuleGrower(decoy, as_given=True, beam_width=width)
        bodies.append(rows.cover(rows.grow(rows.all_rows, 1, measure, 0.0), rows.all_rows, 1))
    assert (bodies[0].right, bodies[0].wrong) in {(14, 6), (7, 0)}
    assert (bodies[1].right, bodies[1].wrong) == (10, 0)


@settings(max_examples=60, deadline=None)
@given(small_tables())
def test_a_beam_as_wide_as_all_rules_finds_the_best(table: Table) -> None:
    if not (table.target_values() == 1).any():
        return
    grown = Covering(table, beam_width=10**6).grow(1)
    assert (Fraction(grown.right[-1]) / Fraction(grown.covered[-1]), Fraction(grown.right[-1])) == best_of_all(table, 1)


@pytest.mark.parametrize("options", [{}, {"nominal": "set"}, {"missing": "value"}, {"measure": "gain"}])
@pytest.mark.parametrize("name", ["vote", "glass", "labor"])
def test_a_wider_beam_is_not_worse_and_its_figures_are_right(name: str, options: dict[str, Any]) -> None:
    table = hornbeam.read(name)
    classes = table.target_values()
    for label in np.unique(classes).tolist():
        one, three = (Covering(table, beam_width=width, **options) for width in (1, 3))
        greedy, grown = one.grow(label), three.grow(label)
        if options.get("measure") != "gain":
            assert grown.right[-1] * greedy.covered[-1] >= greedy.right[-1] * grown.covered[-1]
        holds = np.ones(table.n_rows, bool)
        for length, condition in enumerate(grown.conditions, start=1):
            holds &= condition.holds(table) > 0
            assert (grown.right[length], grown.covered[length]) == ((classes[holds] == label).sum(), holds.sum())
        assert three.rows(grown).tolist() == np.flatnonzero(holds).tolist()


@pytest.mark.parametrize("nominal", ["value", "set"])
def test_rules_that_are_pruned_are_grown_from_the_rows_given(nominal: str) -> None:
    table = hornbeam.read("credit-g")
    one, three = (RuleGrower(table, nominal=nominal, beam_width=width) for width in (1, 3))
    rows = one.all_rows[::2].copy()
    worth = []
    for each in (one, three):
        cover = each.cover(each.grow(rows, 1, "share", 2.0), rows, 1)
        worth.append((cover.right / cover.covered, cover.right))
    assert worth[1] >= worth[0]
    start = one.grow(rows, 1, "gain", 2.0)[:1]
    further = three.grow(rows, 1, "gain", 2.0, start)
    assert len(further) > 1
    assert further[:1] == start
    conditions = three.conditions(further)
    holds = np.all([condition.holds(three.table) > 0 for condition in conditions], axis=0)
    assert sorted(three.cover(further, three.all_rows, 1).rows.tolist()) == np.flatnonzero(holds).tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_beam_of_one_is_no_beam(learner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError

    table = hornbeam.read("glass")
    expected = repr(learner().fit(table).model_.rules)
    wide = repr(learner(beam_width=3).fit(table).model_.rules)
    monkeypatch.setattr(grower, "beam_search", never)
    assert repr(learner(beam_width=1).fit(table).model_.rules) == expected
    assert wide != expected
    with pytest.raises(AssertionError):
        learner(beam_width=2).fit(table)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("width", [0, 1.5, "3"])
def test_a_bad_width_is_named(learner: Any, width: Any) -> None:
    with pytest.raises(ValueError, match=f"beam_width is {width!r}; expected a whole number of at least 1"):
        learner(beam_width=width).fit(hornbeam.read("weather"))


def test_the_reference_programs_rules_have_no_beam() -> None:
    with pytest.raises(ValueError, match="beam_width is 3"):
        PrismClassifier(beam_width=3, compat="weka").fit(hornbeam.read("weather"))
