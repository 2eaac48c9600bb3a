"""A description of a table and warnings about it, before anything is learned.

`describe` summarizes every column; `examine` warns of columns that identify rows, are constant, or reveal the target,
and of duplicate rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import option
from hornbeam.data.in_words import plural
from hornbeam.data.notices import FEWEST_ROWS, identifies_rows, is_time, may_leak, names_groups
from hornbeam.data.schema import Nominal, Numeric, is_missing

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table

Kind = Literal[
    "identifier", "constant", "all-missing", "duplicates", "gives-away", "no-rows", "one-class", "no-target",
    "many-categories", "spelling", "marker", "calendar", "groups",
]  # fmt: skip

# Categories with few rows each can be memorized.
_MANY_CATEGORIES = 50
_ROWS_PER_CATEGORY = 10
# A number of nines that is often the smallest or the largest, far from the others, may mean a missing value.
_NINES = frozenset(sign * (10.0**digits - 1) for digits in range(2, 7) for sign in (1, -1))
_FEWEST_MARKED = 3
_MARKED_SHARE = 0.005
# A column reveals the target where each of its values, with several rows each, has one class only.
_ROWS_PER_VALUE = 5
_CLOSE = 1e-9
_NEARLY = 1e-6
_FIRST_ROWS = 1_000  # most columns that do not determine the target show that in these
_NEARLY_ALL = 0.95
# Kinds of findings that make scores doubtful: those of groups always, the others if the model uses the column.
LEAKS = ("gives-away", "identifier", "groups", "calendar")


@dataclass(frozen=True, slots=True)
class Finding:
    """A possible problem with a table."""

    # identifier, constant, all-missing, duplicates, gives-away, no-rows, one-class, no-target, many-categories,
    # spelling, marker, calendar or groups
    kind: Kind
    column: str | None  # the column it is about
    message: str  # one sentence


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """A summary of one column; `counts` are the rows of each category, in order."""

    name: str
    kind: str
    role: str
    missing: int
    distinct: int
    minimum: float | str | None = None
    mean: float | str | None = None
    maximum: float | str | None = None
    categories: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """A summary of a table."""

    name: str
    rows: int
    columns: tuple[ColumnSummary, ...]
    target: str | None
    balance: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "name": self.name,
            "rows": self.rows,
            "target": self.target,
            "balance": self.balance,
            "notes": list(self.notes),
            "columns": [
                {key: getattr(column, key) for key in ColumnSummary.__dataclass_fields__} for column in self.columns
            ],
        }


def describe(table: Table) -> Description:
    """Summarize every column.

    Parameters
    ----------
    table : Table
        The table.

    Returns
    -------
    Description
        Kinds, missing and distinct values, ranges, and the fractions of the target's classes.

    Examples
    --------
    >>> from hornbeam.data.examples import load
    >>> describe(load("weather")).balance
    {'yes': 0.6428571428571429, 'no': 0.35714285714285715}
    """
    schema = table.schema
    columns = tuple(
        _summary(column, role, values)
        for column, role, values in zip(schema.columns, schema.roles, table.columns, strict=True)
    )
    target = None if schema.target is None else columns[schema.target]
    balance: dict[str, float] = {}
    if target is not None and target.counts:
        known = sum(target.counts)
        balance = {c: n / known if known else 0.0 for c, n in zip(target.categories, target.counts, strict=True)}
    return Description(schema.name, table.n_rows, columns, target.name if target else None, balance, table.notes)


def examine(table: Table) -> list[Finding]:
    """Look for problems that may mislead a learner.

    Parameters
    ----------
    table : Table
        The table; columns that are neither features nor the target are not examined.

    Returns
    -------
    list of Finding
        Empty where nothing was found.

    Examples
    --------
    >>> from hornbeam.data.examples import load
    >>> [finding.kind for finding in examine(load("casablanca"))]
    ['duplicates']
    """
    findings: list[Finding] = []
    schema = table.schema
    if not table.n_rows:
        return [Finding("no-rows", None, f"the table {schema.name!r} has no rows")]
    target = schema.target
    if target is not None:
        findings += _examine_target(schema.columns[target], table.columns[target])
        findings += _spelled(schema.columns[target], table.columns[target])
    for position in schema.features:
        column, values = schema.columns[position], table.columns[position]
        found = _examine_column(column, values)
        if found is None and target is not None:
            found = _determines_target(table, position)
        findings += [] if found is None else [found]
        findings += _spelled(column, values)
    repeated = count_duplicates(table)
    if repeated:
        verb = "is" if repeated == 1 else "are"
        which = "every column that is used" if "ignored" in schema.roles else "every column"
        message = f"{repeated:,} of {table.n_rows:,} rows {verb} the same as an earlier row in {which}"
        findings.append(Finding("duplicates", None, message))
    return findings


def examine_leaks(table: Table) -> list[Finding]:
    """Look for features by which held-out rows are like training rows: groups, times, and many categories.

    Parameters
    ----------
    table : Table
        The table; only columns that may be of groups or times, or have many categories, are examined.

    Returns
    -------
    list of Finding
    """
    findings = []
    for position in table.schema.features:
        column = table.schema.columns[position]
        if may_leak(column) or (isinstance(column, Nominal) and len(column.categories) > _MANY_CATEGORIES):
            found = _examine_column(column, table.columns[position])
            findings += [] if found is None or found.kind not in {"groups", "calendar", "many-categories"} else [found]
    return findings


def examine_target(table: Table) -> list[Finding]:
    """Look for features that alone determine the target; quick, since `fit` calls it too.

    Parameters
    ----------
    table : Table
        With a target. Its first rows are examined first, and the others only where these do not decide.

    Returns
    -------
    list of Finding
    """
    found = (_determines_target(table, i) for i in table.schema.features if _may_determine_target(table, i))
    return [one for one in found if one is not None]


def _may_determine_target(table: Table, position: int) -> bool:
    column, target = table.schema.columns[position], table.schema.target_column
    if not isinstance(column, Numeric):
        return isinstance(target, Nominal)  # counted quickly
    values, truth = table.columns[position][:_FIRST_ROWS], table.target_values()[:_FIRST_ROWS]
    both = ~is_missing(values) & ~is_missing(truth)
    values, truth = values[both], truth[both]
    if len(values) <= 1:
        return True
    if isinstance(target, Numeric):
        return _is_linear(values, truth, _NEARLY)
    order = np.argsort(values, kind="stable")
    new, other = np.diff(values[order]) != 0, np.diff(truth[order]) != 0
    if (other & ~new).any():
        return False
    is_distinct = np.count_nonzero(new) >= _NEARLY_ALL * len(new)
    return bool(not is_distinct or np.count_nonzero(other) < len(target.categories))


def count_duplicates(table: Table) -> int:
    """Count the rows that equal an earlier row in every column except the ignored ones."""
    used = [i for i, role in enumerate(table.schema.roles) if role in {"feature", "target", "group"}]
    group = np.zeros(table.n_rows, np.int64)
    groups = 1 if table.n_rows else 0
    for position in used:
        if groups == table.n_rows:
            return 0
        # Refine the groups of equal rows by one more column: a sort of one integer per row.
        values = table.columns[position]
        _, codes = np.unique(values, return_inverse=True) if values.dtype == np.float64 else (None, values + 1)
        span = int(codes.max(initial=0)) + 1
        _, group = np.unique(group * span + codes, return_inverse=True)
        groups = int(group.max(initial=-1)) + 1
    return table.n_rows - groups


def _summary(column: Column, role: str, values: AnyArray) -> ColumnSummary:
    known = ~is_missing(values)
    missing = int(len(values) - np.count_nonzero(known))
    if isinstance(column, Nominal):
        counts = np.bincount(values[known], minlength=len(column.categories))
        kind = "ordered" if column.ordered else "nominal"
        return ColumnSummary(
            column.name, kind, role, missing, int(np.count_nonzero(counts)), categories=column.categories,
            counts=tuple(counts.tolist()),
        )  # fmt: skip
    kind = "numeric" if column.format is None else "date"
    present = values[known]
    if not len(present):
        return ColumnSummary(column.name, kind, role, missing, 0)
    ends: list[float | str] = [float(present.min()), _mean(present), float(present.max())]
    if column.format is not None:
        ends = [dates.show(float(end), column.format) for end in ends]
    low, mean, high = ends
    return ColumnSummary(column.name, kind, role, missing, len(np.unique(present)), low, mean, high)


def _mean(values: AnyArray) -> float:
    with np.errstate(over="ignore"):
        mean = float(values.mean())
    return mean if np.isfinite(mean) else float((values / len(values)).sum())


def _examine_target(column: Column, values: AnyArray) -> list[Finding]:
    known = ~is_missing(values)
    if not known.any():
        return [Finding("no-target", column.name, f"the target {column.name!r} is missing in every row")]
    distinct = len(np.unique(values[known]))
    if distinct == 1:
        value = _show(column, values[known][0])
        return [Finding("one-class", column.name, f"the target {column.name!r} is {value} in every row")]
    return []


def _examine_column(column: Column, values: AnyArray) -> Finding | None:  # noqa: C901, PLR0911 (one return per finding)
    name, known = column.name, ~is_missing(values)
    present = values[known]
    if not len(present):
        return Finding("all-missing", name, f"{name!r} is missing in every row")
    distinct = np.unique(present)
    if len(distinct) == 1:
        where = "every row" if known.all() else "every row where it is known"
        return Finding("constant", name, f"{name!r} is {_show(column, distinct[0])} in {where}")
    grouped = _groups(name, present, len(distinct))
    if isinstance(column, Nominal):
        return _many_categories(column, values, len(distinct), len(present)) or grouped
    if dates.is_calendar(column.format):
        return _calendar(name, "is used as a date", "dates")
    if name.startswith("days of ") and column.derived is not None:
        return _calendar(column.derived.source, "is used by its days", "dates")
    if len(present) < FEWEST_ROWS:
        return None
    if column.format is None and len(distinct) == len(present) and known.all():
        step = np.diff(present)
        if np.allclose(step, step[0], rtol=1e-6) and step[0] > 0 and is_time(name):
            return _calendar(name, f"is time, one step per row ({present[0]:g}, {present[1]:g}, ...)", "times")
        if np.all(step == step[0]) and step[0] != 0:
            message = (
                f"{name!r} only numbers the rows ({present[0]:.15g}, {present[1]:.15g}, ...); {option('ignore', name)}?"
            )
            return Finding("identifier", name, message)
        if np.all(distinct == np.floor(distinct)) and distinct[-1] - distinct[0] == len(distinct) - 1:
            message = (
                f"{name!r} holds each integer from {distinct[0]:g} to {distinct[-1]:g} once; {option('ignore', name)}?"
            )
            return Finding("identifier", name, message)
    return grouped


def _calendar(name: str, what: str, later: str) -> Finding:
    message = (
        f"{name!r} {what}: what a model learns from it says nothing about later {later}; "
        f"{option('order', name)} evaluates it on later rows"
    )
    return Finding("calendar", name, message)


def _groups(name: str, present: AnyArray, distinct: int) -> Finding | None:
    """Find identifiers that occur in several rows, such as those of patients."""
    if distinct < FEWEST_ROWS or not names_groups(name) or not np.all(present == np.floor(present)):
        return None
    message = (
        f"{name!r} has {distinct} values in {len(present)} rows and seems to identify groups of rows; "
        f"{option('group', name)} keeps such rows together, {option('ignore', name)} leaves it out"
    )
    return Finding("groups", name, message)


def _many_categories(column: Nominal, values: AnyArray, distinct: int, rows: int) -> Finding | None:
    """Find categories that identify rows, or that have few rows each."""
    name = column.name
    if identifies_rows(column, values) is not None:
        message = f"{name!r} has {distinct} categories in {rows} rows: it identifies rows; {option('ignore', name)}?"
        return Finding("identifier", name, message)
    if distinct > _MANY_CATEGORIES and distinct * _ROWS_PER_CATEGORY > rows:
        message = (
            f"{name!r} has {distinct} categories in {rows} rows, {rows / distinct:.1f} rows each, which a model "
            f"may memorize; {option('ignore', name)}?"
        )
        return Finding("many-categories", name, message)
    return None


def _spelled(column: Column, values: AnyArray) -> list[Finding]:
    """Find values that may be written in several ways, or mean a missing value."""
    return _spelling(column, values) if isinstance(column, Nominal) else _marker(column, values)


def _spelling(column: Nominal, codes: AnyArray) -> list[Finding]:
    """Find categories that differ only by case or blanks."""
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(column.categories)))
    spelled: dict[str, list[str]] = {}
    for code in used.tolist():
        text = column.categories[code]
        spelled.setdefault(" ".join(text.casefold().split()), []).append(text)
    several = [texts for texts in spelled.values() if len(texts) > 1]
    if not several:
        return []
    shown = " and ".join(map(repr, several[0]))
    more = f" (and {len(several) - 1} more such groups)" if len(several) > 1 else ""
    message = f"{column.name!r} has categories that differ only by case or spaces: {shown}{more}; use one spelling?"
    return [Finding("spelling", column.name, message)]


def _marker(column: Numeric, values: AnyArray) -> list[Finding]:
    """Find a number such as -999 that probably means a missing value."""
    known = values[~np.isnan(values)]
    if column.format is not None or not len(known):
        return []
    for end in (float(known.min()), float(known.max())):
        rest = known[known != end]
        count = len(known) - len(rest)
        if end not in _NINES or not len(rest) or count < max(_FEWEST_MARKED, _MARKED_SHARE * len(known)):
            continue
        low, high = float(rest.min()), float(rest.max())
        if min(abs(end - low), abs(end - high)) > max(high - low, abs(end) / 2):
            message = (
                f"{column.name!r} is {end:g} in {plural(count, 'row')}, far from its other values ({low:g} to "
                f"{high:g}); if that means missing, {option('missing', f'{end:g}')}"
            )
            return [Finding("marker", column.name, message)]
    return []


def _determines_target(table: Table, position: int) -> Finding | None:  # noqa: PLR0911 (one return per finding)
    schema = table.schema
    column, target, name = schema.columns[position], schema.target_column, schema.columns[position].name
    values, truth = table.columns[position], table.target_values()
    both = ~is_missing(values) & ~is_missing(truth)
    rows = int(np.count_nonzero(both))
    if rows < FEWEST_ROWS:
        return None
    sentence = f"{name!r} alone determines the target {target.name!r}: "
    if isinstance(target, Numeric):
        if isinstance(column, Numeric) and _is_linear(values[both], truth[both]):
            return Finding("gives-away", name, sentence + "it is a linear function of the target")
        return None
    classes = int(np.count_nonzero(np.bincount(truth[both])))
    if classes == 1:
        return None
    if isinstance(column, Nominal):
        pairs = np.bincount(values[both].astype(np.int64) * len(target.categories) + truth[both])
        pairs = np.pad(pairs, (0, -len(pairs) % len(target.categories))).reshape(-1, len(target.categories))
        distinct, pure = int(np.count_nonzero(pairs.sum(axis=1))), bool(((pairs > 0).sum(axis=1) <= 1).all())
        changes = rows
    else:  # in order of the values: the positions where the value and the class change
        order = table.sort_order(position)
        order = order[both[order]]
        numbers, kinds = values[order], truth[order]
        new, other = numbers[1:] != numbers[:-1], kinds[1:] != kinds[:-1]
        distinct, pure = 1 + int(np.count_nonzero(new)), not bool((other & ~new).any())
        changes = int(np.count_nonzero(other))
    if pure and distinct * _ROWS_PER_VALUE <= rows:
        return Finding("gives-away", name, sentence + "each of its values occurs with only one class")
    if pure and changes == classes - 1:
        return Finding("gives-away", name, sentence + "each class has its own range of values")
    return None


def _is_linear(values: AnyArray, truth: AnyArray, close: float = _CLOSE) -> bool:
    spread, reach = float(np.ptp(values)), float(np.ptp(truth))
    if not (0 < spread < np.inf and 0 < reach < np.inf):
        return False
    scaled, wanted = (values - values.min()) / spread, (truth - truth.min()) / reach
    return bool(np.all(np.abs(scaled - wanted) < close) or np.all(np.abs(1 - scaled - wanted) < close))


def _show(column: Column, value: Any) -> str:  # noqa: ANN401 (a number or a code)
    if isinstance(column, Nominal):
        return repr(column.categories[int(value)])
    return f"{value:g}" if column.format is None else dates.show(float(value), column.format)
