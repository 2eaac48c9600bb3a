"""Rows on the plane of a support vector machine get the same class everywhere: rounding does not decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import FORMATS
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = {format_.name: format_ for format_ in FORMATS}


@pytest.mark.parametrize(
    "judge",
    [judge for judge in JUDGES if judge.name != "hornbeam" and judge.format != "excel"],
    ids=lambda judge: judge.name,
)
def test_rows_on_the_plane(judge: object, tmp_path: Path) -> None:
    if judge.missing() is not None:  # type: ignore[attr-defined]
        return
    random = np.random.default_rng(0)
    a, b, c = random.normal(size=(3, 60))
    target = (a + 0.1 * b - 0.3 * c > 0).astype(np.int32)
    schema = Schema((Numeric("a"), Numeric("b"), Numeric("c"), Nominal("y", ("no", "yes"))), name="rows")
    table = Table(schema, [a, b, c, target]).with_target("y")
    machine = hornbeam.SVMClassifier(kernel="linear", scale=None).fit(table)
    intercept, terms = machine.model_.equation()
    weights = [term.coefficient for term in terms]
    first = -(intercept + weights[1] * b + weights[2] * c) / weights[0]
    rows = Table(schema, [first, b, c, target]).with_target("y")
    decisions = machine.decision_function(rows)
    assert np.abs(decisions).max() < 1e-12
    assert (decisions > 0).any()  # rounding would give these another class
    assert set(machine.predict(rows)) == {"no"}
    options = {"dialect": judge.name} if judge.format == "sql" else {}  # type: ignore[attr-defined]
    written = WRITERS[judge.format].write(machine, **options)  # type: ignore[attr-defined]
    path = tmp_path / "exported"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    found = check(path, machine, rows, judge.name)  # type: ignore[attr-defined]
    assert found.is_equal, str(found)
