"""Lists of rules predict by an index over their conditions: the same as rule by rule, to the last bit."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import Above, AtLeast, AtMost, Below, IsIn, IsMissing
from hornbeam.model.linear.linear import Factor, Term
from hornbeam.model.rules.exceptions import decided_by, measured, reached, rule_at
from hornbeam.model.rules.rule import FIRES, Rule, RuleList, best_labels
from hornbeam.model.trees.split import LEAST_SHARE

MANY = 300  # categories: more than the index has slots for
NAMES = tuple(f"v{i}" for i in range(MANY))
FEATURES = (
    Numeric("x"),
    Numeric("y"),
    Nominal("few", NAMES[:4]),
    Nominal("many", NAMES),
    Nominal("size", NAMES[:6], ordered=True),
)
ROLES = ("feature",) * len(FEATURES) + ("target",)
CLASSES = Schema((*FEATURES, Nominal("class", ("a", "b", "c"))), ROLES)
NUMBERS = Schema((*FEATURES, Numeric("number")), ROLES)


def naive(rules: RuleList, table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, probabilities and the rule that decided, for a row after another and a rule after another."""
    n_outputs = 3 if rules.schema is CLASSES else 1
    labels = np.full(table.n_rows, -1)
    probabilities = np.full((table.n_rows, n_outputs), 0.0 if n_outputs > 1 else np.nan)
    fired = np.full(table.n_rows, -1)
    for i in range(table.n_rows):
        row = table.take([i])
        hits = holding(rules, row)
        if not hits:
            continue
        sums, total, greatest = np.zeros(n_outputs), 0.0, 0.0
        for place, rule, weight in hits:
            labels[i], own = said(rule, row, rules.pseudo_count)
            sums += weight * own
            total += weight
            if weight > greatest:
                greatest, fired[i] = weight, place
        alone = rules.decide == "first" or (rules.decide == "vote" and hits[0][0] < 0)
        probabilities[i] = own if alone else sums / total
        if len(hits) > 1 and n_outputs > 1:
            labels[i] = best_labels(probabilities[i][np.newaxis])[0]
    return labels, probabilities, fired


def holding(rules: RuleList, row: Table) -> list[tuple[int, Rule, float]]:
    """The rules that have a say on a row, with their positions and weights."""
    hits: list[tuple[int, Rule, float]] = []
    left = 1.0
    for place, rule in enumerate(rules.rules):
        weight = float(rule.holds(row)[0])
        if rules.decide == "first":
            if weight >= FIRES:
                return [(place, rule, 1.0)]
            continue
        if rules.decide == "remaining":
            weight *= left
            left -= weight
        if weight > 0:
            hits.append((place, rule, weight))
    rest = left > LEAST_SHARE if rules.decide == "remaining" else not hits
    if rules.default is not None and rest:
        hits.append((-1, rules.default, left))
    return hits


def said(rule: Rule, row: Table, pseudo_count: float) -> tuple[int, np.ndarray]:
    """What a rule says of a row."""
    if rule.exceptions is not None:
        labels, probabilities, fired = naive(rule.exceptions, row)
        if fired[0] >= 0:
            return labels[0], probabilities[0]
    probabilities = rule.probabilities(pseudo_count)
    for term in rule.terms:
        probabilities = probabilities + term.coefficient * term.values(row)
    return rule.label, probabilities


def random_rows(rng: np.random.Generator, n_rows: int) -> Table:
    numbers = np.round(rng.normal(size=(2, n_rows)), 1)
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    codes = [rng.integers(-1, n, n_rows).astype(np.int32) for n in (4, MANY, 6)]
    return Table(CLASSES, [*numbers, *codes, rng.integers(0, 3, n_rows).astype(np.int32)])


def random_rules(rng: np.random.Generator, schema: Schema, n_rules: int, decide: str, nested: int = 0) -> RuleList:
    def condition() -> object:
        missing = float(rng.choice([0.0, 1.0, 0.3, 0.7]))
        column = int(rng.integers(5))
        value = float(np.round(rng.normal(), 1) if rng.random() < 0.5 else rng.normal())
        if rng.random() < 0.1:
            return IsMissing(column, missing, (1,) if column in (2, 3) else ())
        if column in (2, 3):
            n_codes = 4 if column == 2 else MANY
            return IsIn(column, tuple(rng.integers(0, n_codes, n_codes // 2).tolist()), missing, (0,) * (value > 0))
        kind = (AtMost, Below, Above, AtLeast)[int(rng.integers(4))]
        return kind(column, value if column < 2 else 2.0 + value, missing)

    def rule(n_conditions: int) -> Rule:
        inner = random_rules(rng, schema, 4, "first", nested - 1) if nested and rng.random() < 0.4 else None
        conditions = tuple(condition() for _ in range(n_conditions))
        if schema is CLASSES:
            return Rule(conditions, rng.integers(0, 9, 3).astype(np.float64), int(rng.integers(3)), exceptions=inner)  # type: ignore[arg-type]
        terms = (Term(float(rng.normal()), (Factor(0, fill=0.5),)),) if rng.random() < 0.5 else ()
        return Rule(conditions, float(rng.normal()), exceptions=inner, terms=terms)  # type: ignore[arg-type]

    rules = tuple(rule(int(rng.integers(1, 5))) for _ in range(n_rules))
    default = rule(int(rng.integers(0, 2))) if rng.random() < 0.7 else None
    return RuleList(schema, rules, default, decide, float(rng.integers(2)))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("nested", [0, 2])
@pytest.mark.parametrize("decide", ["first", "vote", "remaining"])
@pytest.mark.parametrize("schema", [CLASSES, NUMBERS], ids=["classes", "numbers"])
def test_the_same_as_rule_by_rule(schema: Schema, decide: str, nested: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, schema, (1, 3, 70, 400)[seed % 4] if not nested else 12, decide, nested)
    table = random_rows(rng, 40)
    labels, probabilities, fired = naive(rules, table)
    found = rules._predict(table)
    assert np.array_equal(found.labels, labels)
    assert np.array_equal(found.probabilities, probabilities, equal_nan=True)
    assert np.array_equal(found.fired, fired)


def test_a_copy_predicts_the_same() -> None:
    rng = np.random.default_rng(3)
    rules, table = random_rules(rng, CLASSES, 20, "vote"), random_rows(rng, 30)
    expected = rules.predict_proba(table)  # the index is made and copied with the list
    for other in (copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):  # noqa: S301 - our own
        assert np.array_equal(other.predict_proba(table), expected)


def test_no_rules_and_no_rows() -> None:
    table = random_rows(np.random.default_rng(0), 5)
    assert RuleList(CLASSES, ())._predict(table).labels.tolist() == [-1] * 5
    rules = random_rules(np.random.default_rng(1), CLASSES, 9, "remaining")
    assert len(rules._predict(table.take([])).labels) == 0


@pytest.mark.parametrize("seed", range(8))
def test_counts_are_those_of_the_rows_reached(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, CLASSES, 12, "first", nested=2)
    table = random_rows(rng, 200)
    roles = (*ROLES, "weight")
    weighted = Table(Schema((*CLASSES.columns, Numeric("w")), roles), [*table.columns, rng.random(200) + 0.1])
    codes = table.target_values()
    for rows in (table, weighted):
        counted = measured(rules, rows)
        for place, (covered, decided) in reached(rules, rows).items():
            rule, weights = rule_at(counted, place), rows.weights
            of_covered, of_decided = (
                np.bincount(codes[some], None if weights is None else weights[some], minlength=3)
                for some in (covered, decided)
            )
            assert rule.coverage == of_covered.sum()
            expected = of_decided if of_decided.any() else of_covered
            assert np.array_equal(rule.value, expected if expected.any() else rule_at(rules, place).value)
            assert all((of == place) == bool(own) for of, own in zip(decided_by(rules, rows), decided, strict=True))
