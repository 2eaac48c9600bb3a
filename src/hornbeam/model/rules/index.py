"""An index over the conditions of a rule list, for fast predictions.

Rules are numbered: those of the list, its default, then those of lists of exceptions. If in all these lists the first
rule that holds decides, the index finds the rule that decides a row, at any depth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rules.match import KINDS, NO_NUMBER, TABLE, Matcher
from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import IsIn, IsMissing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import Rule, RuleList

MOST_SLOTS = 256  # per column: more would need memory and save little work


class RuleIndex:
    """The index of a list of rules.

    Parameters
    ----------
    rules : RuleList
    fires : float
        The minimum weight with which a rule decides, if the first one does.
    inner_defaults : bool
        Whether a default among exceptions decides. For predictions it does not: the rule that they are exceptions to
        does.
    """

    def __init__(self, rules: RuleList, fires: float, *, inner_defaults: bool = False) -> None:
        self._rules: list[Rule] = []
        self._lists: list[tuple[int, int, int]] = []  # first rule, end, default
        self._exceptions: list[int] = []  # of each rule: the list of them
        self.places: list[tuple[int, ...]] = []  # of each rule: positions from the outer list inward, -1: a default
        self.outer: Ints32  # of each rule: the first of these
        self.probabilities: Floats  # of each rule
        self._number(rules, inner_defaults=inner_defaults)
        self._labels = np.array([rule.label for rule in self._rules], np.int32)
        # rules whose predictions differ between rows
        self._varied = np.array(
            [
                bool(rule.terms) or (rule.exceptions is not None and exceptions < 0)
                for rule, exceptions in zip(self._rules, self._exceptions, strict=True)
            ],
            np.bool_,
        )
        self._pseudo_count = rules.pseudo_count
        conditions = [  # those of a default are ignored
            () if place[-1] < 0 else rule.conditions for place, rule in zip(self.places, self._rules, strict=True)
        ]
        columns = sorted({condition.column for own in conditions for condition in own})
        self._numeric = [column for column in columns if not isinstance(rules.schema.columns[column], Nominal)]
        self._coded = [column for column in columns if isinstance(rules.schema.columns[column], Nominal)]
        self._matcher = Matcher(self._arrays(conditions, rules.schema), fires)

    def _number(self, rules: RuleList, *, inner_defaults: bool) -> None:
        """Number the rules of a list, its default, and those of lists of exceptions."""
        probabilities: list[Floats] = []
        waiting = [(rules, -1)]  # a list, and the rule whose exceptions it holds
        for inner, to in waiting:  # it is extended while it is read
            above: tuple[int, ...] = ()
            if to >= 0:
                self._exceptions[to] = len(self._lists)
                above = self.places[to]
            default = [] if inner.default is None or (to >= 0 and not inner_defaults) else [inner.default]
            first, end = len(self._rules), len(self._rules) + len(inner.rules)
            self._lists.append((first, end, end if default else -1))
            for rule in (*inner.rules, *default):
                number = len(self._rules)
                self._rules.append(rule)
                self._exceptions.append(-1)
                self.places.append((*above, number - first if number < end else -1))
                probabilities.append(rule.probabilities(inner.pseudo_count))
                if rules.decide == "first" and rule.exceptions is not None and all_first(rule.exceptions):
                    waiting.append((rule.exceptions, number))
        target = rules.schema.target_column
        self.outer = np.array([place[0] for place in self.places], np.int32)
        n_outputs = len(target.categories) if isinstance(target, Nominal) else 1
        self.probabilities = np.array(probabilities).reshape(-1, n_outputs)

    def _arrays(self, conditions: list[tuple[Condition, ...]], schema: Schema) -> dict[str, AnyArray]:
        """The arrays for the kernel."""
        number = {column: place for place, column in enumerate((*self._numeric, *self._coded))}
        flat = [condition for own in conditions for condition in own]
        tables = _Tables(schema)
        kinds, values, places = [], [], []
        for condition in flat:
            coded = isinstance(schema.columns[condition.column], Nominal)
            kinds.append(TABLE if coded else KINDS.get(type(condition).__name__, NO_NUMBER))
            values.append(getattr(condition, "value", 0.0))
            places.append(tables.place(condition) if coded else 0)
        column = np.array([number[condition.column] for condition in flat], np.int32)
        edges = [
            _edges({c.value for c in flat if c.column == own and not isinstance(c, IsIn | IsMissing)})
            for own in self._numeric
        ]
        n_codes = [0] * len(self._numeric) + [len(getattr(schema.columns[c], "categories", ())) for c in self._coded]
        lists = np.array(self._lists, np.int32).reshape(-1, 3)
        starts = np.cumsum([0, *map(len, edges), *([0] * len(self._coded))])
        return {
            "start": np.cumsum([0, *map(len, conditions)]).astype(np.int64),
            "column": column,
            "kind": np.array(kinds, np.int32),
            "value": np.array(values, np.float64),
            "if_missing": np.array([condition.if_missing for condition in flat], np.float64),
            "table": np.array(places, np.int64),
            "code_weight": tables.weights(),
            "numeric": np.array([1] * len(self._numeric) + [0] * len(self._coded), np.int32),
            "edge_start": starts.astype(np.int32),
            "edges": np.concatenate([*edges, [np.inf]]),
            "n_codes": np.array(n_codes, np.int32),
            "step": np.array([max(1, -(-n // MOST_SLOTS)) for n in n_codes], np.int32),
            **{name: np.ascontiguousarray(lists[:, i]) for i, name in enumerate(("first", "end", "default"))},
            "exceptions": np.array(self._exceptions, np.int32),
        }

    def _values(self, table: Table) -> tuple[Floats, Ints32, int]:
        """The columns that conditions use."""
        n_rows = table.n_rows
        numbers = np.empty((len(self._numeric), n_rows))
        codes = np.empty((len(self._coded), n_rows), np.int32)
        for to, columns in ((numbers, self._numeric), (codes, self._coded)):
            for place, column in enumerate(columns):
                to[place] = table.columns[column]
        return numbers, codes, n_rows

    def deciding(self, table: Table) -> Ints32:
        """Return the number of the rule that decides each row; -1: none."""
        return self._matcher.deciding(*self._values(table))

    def holding(self, table: Table, least: float) -> tuple[Ints64, Ints32, Floats]:
        """Return the rules that hold for each row, with their weights; see `Matcher.holding`."""
        return self._matcher.holding(*self._values(table), least)

    def predictions(self, table: Table, rows: Indices, numbers: Ints32) -> tuple[Ints32, Floats, Ints64]:
        """Return predictions of rules for rows: labels, probabilities, and the index into them for each pair."""
        labels = self._labels[numbers]
        if not self._varied[numbers].any():
            return labels, self.probabilities, numbers.astype(np.int64)
        probabilities = self.probabilities[numbers]
        order = np.argsort(numbers, kind="stable")
        bounds = np.flatnonzero(np.diff(numbers[order], prepend=-1, append=len(self._rules)))
        for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            number, pairs = int(numbers[order[start]]), order[start:end]
            if self._varied[number]:
                part = table.take(rows[pairs])
                labels[pairs], probabilities[pairs] = self._rules[number]._predict(part, self._pseudo_count)
        return labels, probabilities, np.arange(len(rows))


def all_first(rules: RuleList) -> bool:
    """Whether in a list and all its lists of exceptions the first rule that holds decides."""
    if rules.decide != "first":
        return False
    return all(rule.exceptions is None or all_first(rule.exceptions) for rule in rules.rules)


class _Tables:
    """The weights of conditions by code; equal ones are kept once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._place: dict[Any, int] = {}
        self._parts: list[Floats] = []
        self._length = 0

    def place(self, condition: Condition) -> int:
        """The start of the weights of a condition on a nominal column."""
        column = self._schema.columns[condition.column]
        n_codes = len(getattr(column, "categories", ()))
        key = (n_codes, type(condition), *(getattr(condition, name, None) for name in ("value", "codes", "as_missing")))
        key = (*key, condition.if_missing if getattr(condition, "as_missing", ()) else None)
        if key not in self._place:
            self._place[key] = self._length
            self._parts.append(_by_code(condition, n_codes))
            self._length += n_codes
        return self._place[key]

    def weights(self) -> Floats:
        """All of them, and one additional entry, so that the array is never empty."""
        return np.concatenate([*self._parts, [0.0]])


def _by_code(condition: Condition, n_codes: int) -> Floats:
    codes = np.arange(n_codes)
    if isinstance(condition, IsIn | IsMissing):
        weights = np.zeros(n_codes)
        if isinstance(condition, IsIn):
            weights[list(condition.codes)] = 1.0
        weights[list(condition.as_missing)] = condition.if_missing
        return weights
    return np.asarray(condition._compare(codes), np.float64)


def _edges(values: Iterable[float]) -> Floats:
    """The numbers that conditions compare with, ascending; of many, a sample at equal distances."""
    edges = np.array(sorted(values), np.float64)
    if len(edges) < MOST_SLOTS:
        return edges
    return edges[np.linspace(0, len(edges) - 1, MOST_SLOTS - 1).round().astype(np.int64)]
