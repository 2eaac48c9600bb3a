"""Judges that run ONNX graphs: ONNX Runtime, and the reference evaluator of the package onnx."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.export.judges import Result, Rows

ABSENT = "\x01 a missing value"  # a text that is not a category


def find_onnxruntime() -> str | None:
    """Return what is missing, if ONNX Runtime is not installed."""
    return None if find_spec("onnxruntime") else "ONNX Runtime (pip install onnxruntime)"


def run_onnxruntime(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported graph in ONNX Runtime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    wanted = {each.name for each in session.get_inputs()}
    return _results(session.run(None, _inputs(rows, manifest, wanted)), len(rows))


def find_onnx() -> str | None:
    """Return what is missing, if the package onnx is not installed."""
    return None if find_spec("onnx") else "the package onnx (pip install onnx)"


def run_onnx(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported graph in the reference evaluator."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    wanted = {each.name for each in model.graph.input}
    with np.errstate(all="ignore"):
        found: Any = ReferenceEvaluator(model).run(None, _inputs(rows, manifest, wanted))
    return _results(found, len(rows))


def _inputs(rows: Rows, manifest: dict[str, Any], wanted: set[str]) -> dict[str, Any]:
    given = {}
    for name, column in zip(manifest["inputs"], manifest["columns"], strict=True):
        values = [row[column["name"]] for row in rows]
        if name not in wanted:
            continue
        if column["kind"] == "numeric":
            array: Any = np.array([np.nan if value is None else value for value in values], np.float64)
        else:
            array = np.array([ABSENT if value is None else str(value) for value in values], object)
        given[name] = array.reshape(-1, 1)
    return given


def _results(found: list[Any], n_rows: int) -> list[Result]:
    prediction = np.asarray(found[0])
    if prediction.dtype.kind == "f":
        return [(float(value), None) for value in prediction]
    if len(found) == 1:  # clusters
        return [(int(value), None) for value in prediction]
    probabilities = np.asarray(found[1])
    return [(str(prediction[row]), probabilities[row].tolist()) for row in range(n_rows)]
