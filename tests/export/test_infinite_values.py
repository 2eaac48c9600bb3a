"""Infinite numbers, which `predict` refuses: exports refuse them, too, or take them as the largest numbers."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import FORMATS
from hornbeam.export.judges import JUDGES, Judge
from hornbeam.export.judges.check import rows_of
from hornbeam.export.manifest import read_manifest

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = {format_.name: format_ for format_ in FORMATS}
LARGEST = sys.float_info.max


def _table() -> Table:
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 120))
    target = ((a > 0.3).astype(np.int32) + ((b < -0.2) & (a < 0.8))).astype(np.int32)
    columns = (Numeric("a"), Numeric("b"), Nominal("y", ("x", "y", "z")))
    return Table(Schema(columns, name="rows"), [a, b, target]).with_target("y")


@pytest.mark.parametrize(
    "judge",
    [judge for judge in JUDGES if judge.name != "hornbeam" and judge.format != "excel"],
    ids=lambda judge: judge.name,
)
def test_infinite_values_take_the_outer_branches(judge: Judge, tmp_path: Path) -> None:
    if judge.missing() is not None:
        return
    table = _table()
    values = [[-math.inf, math.inf, 0.1, math.inf, -math.inf], [0.0, -1.0, math.inf, -math.inf, math.inf]]
    finite = [np.clip(np.array(each), -LARGEST, LARGEST) for each in values]
    near = Table(table.schema, [*finite, np.zeros(5, np.int32)])
    for estimator in (
        hornbeam.C45Classifier(),
        hornbeam.RipperClassifier(random_state=0),
        hornbeam.GradientBoostingClassifier(n_estimators=4),
    ):
        model = estimator.fit(table)
        options: dict[str, Any] = {"dialect": judge.name} if judge.format == "sql" else {}
        written = WRITERS[judge.format].write(model, **options)
        path = tmp_path / "exported"
        path.write_bytes(written if isinstance(written, bytes) else written.encode())
        rows = rows_of(model.model_, near)
        for row, a, b in zip(rows, *values, strict=True):
            row.update(a=a, b=b)
        if judge.name in ("python", "node"):
            with pytest.raises(RuntimeError, match=r"expected a finite number|in JSON"):
                judge.run(path, rows, read_manifest(path))
            continue
        found = [prediction for prediction, _ in judge.run(path, rows, read_manifest(path))]
        assert found == list(model.predict(near)), type(estimator).__name__
