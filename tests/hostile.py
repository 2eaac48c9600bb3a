"""A table whose names try to be markup, script or commands, for everything that shows names."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

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


SIGNS = "'\"`\\;:<>&|-/*%$#@!?{}[]()=+,.~^ \t\n\r\0\x0b\x7f\x85\u00a0\u200b\u2028\u202e\ufeffé漢😀ß\u0130\u0131"
WORDS = (
    "select", "NULL", "nan", "int", "fn", "def", "None", "constructor", "__proto__", "toString", "prediction", "hb_v0",
    "probability_a", "cluster", "*/", "-->", "]]>", "</script>", "%s", "\\n", "\\u0000", "${x}", "'; drop",
    "rows", "hornbeam row", "hb_predict", "HB_COLUMNS", "model_code", "x\\", "=1+1", "2024-02-29", "1e5", "true",
)  # fmt: skip


def names(n: int) -> st.SearchStrategy[list[str]]:
    """Draw names that are words of languages, signs that end texts, or any characters at all."""
    drawn = st.one_of(st.sampled_from(WORDS), st.text(SIGNS, max_size=5), st.text(max_size=5))
    return st.lists(drawn, min_size=n, max_size=n, unique=True)


def named(columns: list[str], categories: list[str], classes: list[str]) -> Table:
    """A table with these names of two columns of numbers, a nominal column and a target, and these categories."""
    rng = np.random.default_rng(7)
    rows = 60
    codes = rng.integers(-1, len(categories), rows).astype(np.int32)
    numbers = [np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)) for _ in range(2)]
    label = ((np.nan_to_num(numbers[0]) > 0) + (codes == 1)).astype(np.int32) % len(classes)
    listed = (*map(Numeric, columns[:2]), Nominal(columns[2], tuple(categories)), Nominal(columns[3], tuple(classes)))
    return Table(Schema(listed, name="rows"), [*numbers, codes, label]).with_target(columns[3])
