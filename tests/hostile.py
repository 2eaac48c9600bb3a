"""A table whose names try to be markup, script or commands, for everything that shows names."""

from __future__ import annotations

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

NAMES = ('"; drop table', '<img src=x onerror=alert(1)>" onmouseover="alert(1)', "a|b\n## c", "__proto__")
CATEGORIES = (
    "<script>alert(1)</script>",
    "</script><b>",
    "]]>--><!--",
    "\u2028' onclick='x",
    "",
    "`*_[x](javascript:y)",
)


def hostile(*, numbers: bool = False, rows: int = 120) -> Table:
    """A table that can be learned from, with a target of classes or of numbers."""
    rng = np.random.default_rng(5)
    codes = rng.integers(-1, len(CATEGORIES), rows)
    number = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))
    other = rng.integers(0, 2, rows)
    low = np.nan_to_num(number) + codes
    columns = [Nominal(NAMES[0], CATEGORIES), Numeric(NAMES[1]), Nominal(NAMES[2], ("<i>", "&amp;")), Numeric(NAMES[3])]
    arrays = [codes, number, other, rng.normal(size=rows)]
    if numbers:
        columns.append(Numeric("<b>target</b>"))
        arrays.append(low + rng.normal(scale=0.1, size=rows))
    else:
        columns.append(Nominal("<b>target</b>", CATEGORIES[:3]))
        arrays.append(np.digitize(low, [0.5, 2.5]))
    roles = ("feature", "feature", "feature", "feature", "target")
    return Table(Schema(tuple(columns), roles, "<u>hostile</u> & 'co'"), arrays)
