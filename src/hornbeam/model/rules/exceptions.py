"""Rules with exceptions: the deciding rule of each row, coverage, and conversion to a list without exceptions.

A place identifies a rule of a list: its position (-1: the default), then its position among the exceptions of that
rule, and so on. ``(-1, 0, 2)`` is the third exception to the first exception to the default.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.model.base.align import align, recode
from hornbeam.model.base.condition import simplify
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.index import RuleIndex
from hornbeam.model.rules.rule import FIRES, Rule, RuleList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.core.base.arrays import Bools, Floats, Ints32
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition


Place = tuple[int, ...]


def places(rules: RuleList, above: Place = ()) -> Iterator[tuple[Place, Rule]]:
    """Every rule of a list with its place, exceptions after their rule, the default last."""
    default = [] if rules.default is None else [(-1, rules.default)]
    for position, rule in [*enumerate(rules.rules), *default]:
        yield (*above, position), rule
        if rule.exceptions is not None:
            yield from places(rule.exceptions, (*above, position))


def rule_at(rules: RuleList, place: Place) -> Rule:
    """The rule at a place."""
    for found, rule in places(rules):
        if found == place:
            return rule
    msg = f"there is no rule at the position {place}"
    raise ModelError(msg)


def reached(rules: RuleList, table: Table) -> dict[Place, tuple[Bools, Bools]]:
    """For every rule, the rows that it covers and no earlier rule does, and those of them that it decides itself.

    The others are decided by its exceptions. Only for lists in which the first matching rule decides.
    """
    _check_first(rules)
    found: dict[Place, tuple[Bools, Bools]] = {}
    aligned = align(rules.schema, table)
    _reach(rules, aligned, np.ones(aligned.n_rows, np.bool_), (), found)
    return found


def decided_by(rules: RuleList, table: Table) -> list[Place | None]:
    """The place of the rule that decides each row; None if there is none."""
    index, deciding = _deciding(rules, table)
    return [index.places[number] if number >= 0 else None for number in deciding.tolist()]


def _deciding(rules: RuleList, table: Table) -> tuple[RuleIndex, Ints32]:
    """The index of a list, and the number in it of the rule that decides each row; -1: none."""
    _check_first(rules)
    index = RuleIndex(rules, FIRES, inner_defaults=True)
    return index, index.deciding(align(rules.schema, table))


def _check_first(rules: RuleList) -> None:
    if any(part.decide != "first" for part in _lists(rules)):
        msg = "several rules may decide a row together; expected a list in which the first matching rule decides"
        raise ModelError(msg)


def _lists(rules: RuleList) -> Iterator[RuleList]:
    yield rules
    for _, rule in places(rules):
        if rule.exceptions is not None:
            yield rule.exceptions


def _reach(rules: RuleList, table: Table, rows: Bools, above: Place, found: dict[Place, tuple[Bools, Bools]]) -> Bools:
    """Rows that no rule of the list covers."""
    for position, rule in enumerate(rules.rules):
        hit = rows & (rule.holds(table) >= FIRES)
        rows = rows & ~hit
        _reach_rule(rule, table, hit, (*above, position), found)
    if rules.default is None:
        return rows
    _reach_rule(rules.default, table, rows, (*above, -1), found)
    return np.zeros_like(rows)


def _reach_rule(rule: Rule, table: Table, hit: Bools, place: Place, found: dict[Place, tuple[Bools, Bools]]) -> None:
    found[place] = (hit, hit)  # before its exceptions, in the order of `places`
    if rule.exceptions is not None:
        found[place] = (hit, _reach(rule.exceptions, table, hit, place, found))


def measured(rules: RuleList, table: Table) -> RuleList:
    """The same rules with coverage and errors counted on given rows: for rules written by hand, or on new rows.

    Parameters
    ----------
    rules : RuleList
        Rules for classes; the first rule that holds decides.
    table : Table
        Rows with the model's columns and classes. Rows without a class do not count.

    Returns
    -------
    RuleList
        `coverage` is the weight of the rows that a rule covers and no earlier rule does, `errors` the weight of other
        classes among them, both before exceptions; `value` has the class weights of the rows that it decides itself; if
        there are none, of all that it covers; if it covers none, those it had before.
    """
    target = rules.schema.target_column
    if not isinstance(target, Nominal):
        msg = f"the target {target.name!r} is a number; coverage and errors of rules are counted for classes"
        raise ModelError(msg)
    codes = _codes(target, table)
    known = codes >= 0
    table, codes = table.take(known), codes[known]
    counts = _counts(rules, table, codes, len(target.categories))

    def counted(rule: Rule, place: Place) -> Rule:
        covered, decided = counts[place]
        value = decided if decided.any() else covered if covered.any() else rule.value
        coverage = float(covered.sum())
        wrong = coverage - float(covered[rule.label]) if rule.label >= 0 else coverage
        return replace(rule, value=value, coverage=coverage, errors=wrong)

    return _mapped(rules, counted)


def _counts(rules: RuleList, table: Table, codes: Ints32, n_classes: int) -> dict[Place, tuple[Floats, Floats]]:
    """Class weights of the rows that each rule covers, and of those that it decides itself."""
    index, at = _deciding(rules, table)
    number = {place: n for n, place in enumerate(index.places)}
    above = np.array([number.get(place[:-1], -1) for place in index.places], np.int32)
    depth = np.array([len(place) for place in index.places], np.int32)

    def counted(rows: Bools) -> Floats:
        cells = at[rows].astype(np.int64) * n_classes + codes[rows]
        weights = None if table.weights is None else table.weights[rows]
        return np.bincount(cells, weights, len(index.places) * n_classes).reshape(-1, n_classes).astype(np.float64)

    decided = counted(at >= 0)
    covered = np.zeros_like(decided)
    for level in range(int(depth.max(initial=0)), 0, -1):  # from each deciding rule to the rules it is an exception to
        covered += counted((at >= 0) & (depth[at] == level))
        deeper = (at >= 0) & (depth[at] == level) & (level > 1)
        at[deeper] = above[at[deeper]]
    return {place: (covered[n], decided[n]) for place, n in number.items()}


def _codes(target: Nominal, table: Table) -> Ints32:
    """The classes of a table's rows, as codes of the model's target."""
    if target.name not in table.schema.names:
        from hornbeam._names import listed  # noqa: PLC0415 (only for messages)

        msg = f"the table has no column {target.name!r}, the target; its columns: {listed(table.schema.names)}"
        raise SchemaError(msg)
    given = table.schema.columns[table.schema.position(target.name)]
    if not isinstance(given, Nominal):
        msg = f"the column {target.name!r} is numeric; the rules predict classes"
        raise SchemaError(msg)
    return recode(given, target, table.column(target.name))


def _mapped(rules: RuleList, change: object, above: Place = ()) -> RuleList:
    """The list with a function applied to every rule."""
    assert callable(change)

    def one(rule: Rule, place: Place) -> Rule:
        changed: Rule = change(rule, place)
        if changed.exceptions is None:
            return changed
        return replace(changed, exceptions=_mapped(changed.exceptions, change, place))

    kept = tuple(one(rule, (*above, position)) for position, rule in enumerate(rules.rules))
    default = None if rules.default is None else one(rules.default, (*above, -1))
    return replace(rules, rules=kept, default=default)


def with_exception(rules: RuleList, rule: Rule, to: Place = (-1,), *, first: bool = False) -> RuleList:
    """The same rules with one more exception to the rule at a place, after or before its other exceptions."""
    rule_at(rules, to)  # an error if there is no such rule

    def changed(old: Rule, place: Place) -> Rule:
        if place != to:
            return old
        inner = old.exceptions if old.exceptions is not None else RuleList(rules.schema, ())
        return replace(old, exceptions=replace(inner, rules=(rule, *inner.rules) if first else (*inner.rules, rule)))

    return _mapped(rules, changed)


def as_if_else(rules: RuleList) -> RuleList:
    """An equivalent list without exceptions: rules for special cases come before general ones.

    An exception becomes a rule with its own conditions and those of all rules that it is an exception to.
    """
    if any(part.decide != "first" for part in _lists(rules)):
        msg = "exceptions can be written as a list only if the first matching rule decides; here several rules vote"
        raise ModelError(msg)
    flat: list[Rule] = []
    for rule in rules.rules:
        flat += _flattened(rule, ())
    default = rules.default
    if default is not None and default.exceptions is not None:
        *special, default = _flattened(replace(default, conditions=()), ())
        flat += special
    return replace(rules, rules=tuple(flat), default=default)


def _flattened(rule: Rule, above: tuple[Condition, ...]) -> list[Rule]:
    conditions = (*above, *rule.conditions)
    flat: list[Rule] = []
    if rule.exceptions is not None:
        for exception in rule.exceptions.rules:
            flat += _flattened(exception, conditions)
        if rule.exceptions.default is not None:
            return [*flat, *_flattened(replace(rule.exceptions.default, conditions=()), conditions)]
    value = np.asarray(rule.value)
    own = float(value.sum()) if value.ndim else rule.coverage  # what it decides itself, not its exceptions
    wrong = own - float(value[rule.label]) if value.ndim and rule.label >= 0 else rule.errors
    return [*flat, Rule(simplify(conditions), rule.value, rule.label, own, wrong, terms=rule.terms)]
