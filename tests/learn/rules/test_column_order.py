"""Rules do not depend on the order of the columns, but where conditions on two columns have equal scores.

Rows have random weights, so that two scores are equal only if both conditions cover the same rows.
"""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from learn.rules.test_loop import in_words
from reference.rule_sets import Rows, candidates, rows_of
from strategies import tables

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.rules.grower import Covering, RuleGrower
from hornbeam.learn.rules.row_order import own_order

if TYPE_CHECKING:
    from hornbeam.model.rules.rule import Rule, RuleList

EQUAL = 1e-9


def drawn(seed: int, *, levels: int = 5, n_rows: int = 160) -> Table:
    """Numbers and categories, some missing, and a class that depends on them but not wholly."""
    random = np.random.default_rng(seed)
    n_columns = int(random.integers(3, 6))
    values = random.integers(0, levels, (n_columns, n_rows)) if levels else random.normal(size=(n_columns, n_rows))
    signal = (values[0] - values[1]) + random.normal(scale=1.5, size=n_rows)
    target = np.digitize(signal, np.quantile(signal, [0.3, 0.6])).astype(np.int32)
    columns: list[Any] = []
    arrays: list[Any] = []
    for place, column in enumerate(values):
        gone = random.random(n_rows) < random.choice([0.0, 0.0, 0.1])
        if levels and random.random() < 0.4:
            columns.append(Nominal(f"c{place}", tuple("abcdefgh"[:levels])))
            arrays.append(np.where(gone, -1, column).astype(np.int32))
        else:
            columns.append(Numeric(f"c{place}"))
            arrays.append(np.where(gone, np.nan, column))
    columns += [Nominal("class", ("x", "y", "z")), Numeric("weight")]
    roles = (*["feature"] * n_columns, "target", "weight")
    return Table(Schema(tuple(columns), roles), [*arrays, target, random.uniform(0.5, 2.0, n_rows)])


def turned(table: Table, seed: int) -> Table:
    """The same table, its features in another order."""
    features = np.random.default_rng(seed).permutation(table.schema.features).tolist()
    return table.select([*features, *(i for i in range(len(table.columns)) if i not in features)])


def told(rules: RuleList) -> list[Any]:
    """Every rule in words, whatever the places of the columns."""
    return [(rule.label, sorted(each.describe(rules.schema) for each in rule.conditions)) for rule in rules.rules]


def covers(rule: Rule) -> list[Any]:
    """Class and class weights of a rule and its exceptions; as weights are random, these say which rows there are."""
    below = [] if rule.exceptions is None else [covers(each) for each in rule.exceptions.rules]
    return [rule.label, np.round(rule.value, 9).tolist(), *below]


@pytest.mark.parametrize("levels", [0, 3, 6])
@pytest.mark.parametrize(
    "learner",
    [
        hornbeam.PrismClassifier(),
        hornbeam.PrismClassifier(order="smallest-first"),
        hornbeam.InductClassifier(),
        hornbeam.InductClassifier(missing="value"),
        hornbeam.ExceptionRulesClassifier(),
        hornbeam.ExceptionRulesClassifier(measure="share"),
    ],
    ids=str,
)
def test_rules_cover_the_same_rows_in_any_order_of_the_columns(learner: Any, levels: int) -> None:
    for seed in range(12):
        table = drawn(seed, levels=levels)
        one, two = (learner.fit(each).model_ for each in (table, turned(table, seed)))
        assert [covers(rule) for rule in (*one.rules, one.default)] == [
            covers(rule) for rule in (*two.rules, two.default)
        ], seed


def best_covers(covering: Covering, label: int) -> tuple[float, float]:
    """The greatest share of a class that one condition leaves, and the greatest weight of it with that share."""
    table, left = covering.table, covering.left
    weights, of_class = np.asarray(table.weights)[left], table.target_values()[left] == label
    found = []
    for place in table.schema.features:
        values = table.columns[place][left]
        known = np.unique(values[~table.missing(place)[left]])
        if isinstance(table.schema.columns[place], Nominal):
            sides = [values == code for code in known] if not (values == values[0]).all() else []
        else:
            sides = [side for cut in known[1:] for side in (values < cut, values >= cut)]
        for side in sides:
            if (side & of_class).any():
                right, covered = weights[side & of_class].sum(), weights[side].sum()
                found.append((round(right / covered, 9), right))
    return max(found, default=(0.0, 0.0))


@pytest.mark.parametrize("levels", [0, 4])
def test_the_first_condition_is_the_best_while_rows_with_fractions_as_weights_go(levels: int) -> None:
    """Sums from which rows were taken have rounding residues; these must not pass for rows."""
    for seed in range(40):
        covering = Covering(drawn(seed, levels=levels))
        while np.count_nonzero(covering.class_weights) > 1:
            label = seed % 3 if covering.class_weights[seed % 3] > 0 else int(covering.class_weights.argmax())
            share, right = best_covers(covering, label)
            grown = covering.grow(label)
            if not grown.conditions:
                break
            assert grown.right[1] / grown.covered[1] == pytest.approx(share, abs=2e-9), seed
            assert grown.right[1] == pytest.approx(right), seed
            covering.engine.remove(covering.rows(grown))


def is_tied(rows: Rows, chosen: list[int], label: int, measure: str, rule: list[Any]) -> bool:
    """Whether a condition on another column would have had the same score as one that was chosen."""
    added = 1.0 if measure == "smoothed-gain" else 0.0
    left = chosen
    for place, step in enumerate(rule):
        total, positive = rows.weigh(left), rows.weigh(left, rows.of_class(label))
        rate = (positive + added) / (total + added)

        def worth(condition: Any, left: list[int] = left, rate: float = rate) -> float:
            inside = rows.covered([condition], left)
            right = rows.weigh(inside, rows.of_class(label))
            if right <= 0:
                return -1.0
            return right * (log2((right + added) / (rows.weigh(inside) + added)) - log2(rate))

        best = worth(step)
        others = (each for each in candidates(rows, left, rule[:place]) if each[0] != step[0])
        if any(abs(worth(each) - best) <= EQUAL * (1 + best) for each in others):
            return True
        left = rows.covered([step], left)
    return False


@pytest.fixture
def grown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every rule that is grown, and from what."""
    plain, found = RuleGrower.grow, []

    def grow(self: RuleGrower, rows: Any, label: int, measure: str, least: float, start: Any = ()) -> Any:
        steps = plain(self, rows, label, measure, least, start)
        found.append((self, np.array(rows), label, measure, start, steps))
        return steps

    monkeypatch.setattr(RuleGrower, "grow", grow)
    return found


def any_tied(grown: list[Any]) -> bool:
    """Whether two conditions on different columns were equally good anywhere."""
    for grower, rows, label, measure, start, steps in grown:
        naive = rows_of(grower.table)
        naive.weights = grower.weights.tolist()
        left = naive.covered(in_words(start), rows.tolist())
        if is_tied(naive, left, label, measure, in_words(steps)[len(start) :]):
            return True
    return False


@pytest.mark.parametrize(
    "learner",
    [
        hornbeam.RipperClassifier(min_samples_rule=12, random_state=1),
        hornbeam.RipperClassifier(min_samples_rule=12, measure="gain", decide="vote"),
        hornbeam.IrepClassifier(min_samples_rule=12, random_state=1),
        hornbeam.IrepClassifier(min_samples_rule=12, prune="whole-list", worth="correct"),
    ],
    ids=str,
)
def test_rules_are_the_same_in_any_order_of_the_columns_without_ties(learner: Any, grown: list[Any]) -> None:
    compared = 0
    for seed in range(30):
        table = drawn(seed, levels=4 + seed % 3)
        grown.clear()
        one = learner.fit(table).model_
        if any_tied(grown):
            continue
        compared += bool(one.rules)
        assert told(learner.fit(turned(table, seed)).model_) == told(one), seed
    assert compared >= 10  # otherwise nothing has been shown


@given(data=st.data())
def test_the_order_of_rows_does_not_depend_on_that_of_columns(data: st.DataObject) -> None:
    table = data.draw(tables(weighted=data.draw(st.booleans())))
    assume(table.n_rows and (table.weights is None or table.weights.any()))
    table = usable(table)
    features = table.schema.features
    truth = table.target_values().tolist()
    weights = np.ones(table.n_rows) if own_order(table)[1] is not None else table.row_weights

    def counts(place: int) -> Counter[Any]:
        ranks = np.unique(table.columns[place], return_inverse=True)[1]
        ranks = np.where(table.missing(place), -1, ranks)
        found: Counter[Any] = Counter()
        for rank, label, weight in zip(ranks.tolist(), truth, weights.tolist(), strict=True):
            found[rank, label] += weight
        return found

    seen = [counts(place) for place in features]
    assume(all(one != two for i, one in enumerate(seen) for two in seen[:i]))
    other = turned(table, data.draw(st.integers(0, 99)))
    one, two = table.take(own_order(table)[0]), other.take(own_order(other)[0])
    for place in features:
        name = table.schema.columns[place].name
        assert np.array_equal(one.column(name), two.column(name), equal_nan=place in features), name
