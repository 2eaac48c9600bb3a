"""The judge of formats that hornbeam can read back: it loads the file and predicts with the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.export.judges import Result, Rows


def find_hornbeam() -> str | None:
    """Return None: hornbeam is always available."""
    return None


def run_hornbeam(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Read an exported file back, and predict with its model."""
    from hornbeam.model.files.storage import load

    model, table = load(path), _table(rows, manifest["columns"])
    predictions: list[Any] = np.asarray(model.predict(table)).tolist()
    if model.KIND == "mixture":
        return list(zip(predictions, model.predict_proba(table).tolist(), strict=True))
    if model.task != "classification":
        return [(prediction, None) for prediction in predictions]
    return list(zip(predictions, model.probabilities(table).tolist(), strict=True))


def _table(rows: Rows, columns: list[dict[str, Any]]) -> Table:
    described: list[Any] = []
    arrays: list[Any] = []
    for column in columns:
        values = [row[column["name"]] for row in rows]
        if column["kind"] == "numeric":
            described.append(Numeric(column["name"]))
            arrays.append(np.array([np.nan if value is None else value for value in values], np.float64))
            continue
        known = [text for text in dict.fromkeys([*column["categories"], *values]) if text is not None]
        code_of = {text: code for code, text in enumerate(known)}
        described.append(Nominal(column["name"], tuple(known), column["ordered"]))
        arrays.append(np.array([-1 if value is None else code_of[value] for value in values], np.int32))
    return Table(Schema(tuple(described), name="rows"), arrays)
