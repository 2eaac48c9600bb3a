"""The rows to compare: rows of the set, missing values, categories that were never seen, values on and beside cuts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from node_answers import UNSEEN, other_rows

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Cuts = dict[int, set[float]]  # by the position of the column among the features

TINY = 1e-100  # next to zero: PostgreSQL stops where the product of two numbers is below 1e-308
N_GIVEN, N_OTHER, N_CUT = 50, 40, 50


def evenly(table: Table, most: int) -> Table:
    """At most so many rows of a table, from all parts of it."""
    if table.n_rows <= most:
        return table
    return table.take(np.unique(np.linspace(0, table.n_rows - 1, most).astype(np.int64)))


def compared_rows(table: Table, programs: Iterable[dict[str, Any]], seed: int = 0, *, beside: bool = True) -> Table:
    """Rows of a table, mixed rows, rows whose numbers are cuts of the models or next to them, and an empty row.

    Without ``beside``, numbers next to cuts are left out.
    """
    given, mixed = evenly(table, N_GIVEN), other_rows(table, N_OTHER, seed)
    cuts: Cuts = {}
    for program in programs:
        collect(program["model"], cuts)
    random = np.random.default_rng(seed)
    columns, arrays = [], []
    for position, place in enumerate(table.schema.features):
        column, values = table.schema.columns[place], given.columns[place]
        if isinstance(column, Nominal):
            columns.append(Nominal(column.name, (*column.categories, UNSEEN), column.ordered))
            drawn = random.integers(-1, len(column.categories) + 1, N_CUT).astype(np.int32)
            arrays.append(np.concatenate([values, mixed.columns[position], drawn, [-1]]).astype(np.int32))
        else:
            columns.append(column)
            near = _near(cuts.get(position, set()), random, beside=beside)
            arrays.append(np.concatenate([values, mixed.columns[position], near, [np.nan]]))
    return Table(Schema(tuple(columns), name=table.schema.name), arrays)


def collect(plain: Any, cuts: Cuts) -> None:
    """Add the cuts of a program: of the splits of trees, the tests of forests and the conditions of rules."""
    inside = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    for column, cut in _own_cuts(plain) if isinstance(plain, dict) else ():
        cuts.setdefault(column, set()).add(float(cut))
    for each in inside:
        if isinstance(each, (dict, list)):
            collect(each, cuts)


def _own_cuts(plain: dict[str, Any]) -> Iterator[tuple[int, Any]]:
    for split in plain.get("splits", ()):
        if split[0] == CUTS:
            yield from ((split[1], cut) for cut in split[3])
    if "tests" in plain:
        nodes = zip(plain["column"], plain["tests"], plain["first"], strict=True)
        yield from ((column, test) for column, test, first in nodes if first >= 0 and not isinstance(test, list))
    for sign, position, value, *_ in plain.get("conditions", ()):
        if sign not in ("in", "missing"):
            yield position, value


def _near(cuts: set[float], random: np.random.Generator, *, beside: bool) -> Any:
    """Numbers on cuts and next to them, some missing, some very large."""
    finite = sorted(cut for cut in cuts if math.isfinite(cut)) or [0.0]
    drawn = random.choice(finite, N_CUT)
    kind = random.random(N_CUT) if beside else np.full(N_CUT, 0.5)
    below = np.where(drawn == 0, -TINY, np.nextafter(drawn, -np.inf))
    above = np.where(drawn == 0, TINY, np.nextafter(drawn, np.inf))
    drawn = np.where(kind < 0.2, below, np.where(kind > 0.8, above, drawn))
    drawn = np.where(random.random(N_CUT) < 0.03, random.choice([-1e9, 1e9]), drawn)
    return np.where(random.random(N_CUT) < 0.1, np.nan, drawn)
