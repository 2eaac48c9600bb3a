"""Read models from files of other programs, by their ending and content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    import os

KNOWN = "ONNX (.onnx), PMML (.pmml, .xml), JSON of XGBoost, LightGBM or CatBoost (.json) or the folder of a YDF model"


def from_file(path: str | os.PathLike[str], **named: Any) -> Any:  # noqa: ANN401 - names; a model
    """Return the model in a file of another program.

    Parameters
    ----------
    path : path
        An ONNX, PMML or JSON file, or the folder of a YDF model.
    **named
        Parameters of the function that reads it, such as ``target`` and ``name``; others are an error.

    Raises
    ------
    ModelError
        If the file is of another kind, or its model cannot be imported.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if "target" in named and (path.is_dir() or ending in (".pmml", ".xml")):
        msg = f"{path} has the name of its target; another name cannot be given"
        raise ModelError(msg)
    if path.is_dir():
        return _ydf(path, named)
    if ending == ".onnx":
        from hornbeam.model.imported.onnx_trees import from_onnx  # noqa: PLC0415 - only where needed

        return from_onnx(path, **named)
    if ending in (".pmml", ".xml"):
        from hornbeam.model.imported.pmml_trees import from_pmml  # noqa: PLC0415 - only where needed

        return from_pmml(path, **named)
    if ending == ".json":
        return _json(path, named)
    msg = f"{path}: the ending is {ending!r}; expected {KNOWN}"
    raise ModelError(msg)


def _ydf(path: Path, named: dict[str, Any]) -> Any:  # noqa: ANN401 - a model
    from hornbeam.model.imported.ydf_forests import from_ydf  # noqa: PLC0415 - only where needed

    try:
        import ydf  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415 - not ours
    except ImportError:
        raise ImportError("reading the folder of a YDF model needs ydf: pip install ydf") from None
    try:
        found = ydf.load_model(str(path))
    except (ValueError, RuntimeError, OSError) as error:
        msg = f"{path}: not the folder of a YDF model: {str(error)[:200]}"
        raise ModelError(msg) from None
    return from_ydf(found, **named)


def _json(path: Path, named: dict[str, Any]) -> Any:  # noqa: ANN401 - a model
    from hornbeam.model.imported.catboost_forests import from_catboost  # noqa: PLC0415 - only where needed
    from hornbeam.model.imported.lightgbm_trees import from_lightgbm  # noqa: PLC0415 - the same
    from hornbeam.model.imported.xgboost_forests import from_xgboost  # noqa: PLC0415 - the same

    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        msg = f"{path}: not JSON: {error}"
        raise ModelError(msg) from None
    readers: dict[str, Any] = {
        "learner": from_xgboost,
        "tree_info": from_lightgbm,
        "oblivious_trees": from_catboost,
        "trees": from_catboost,
    }
    for key, read in readers.items():
        if isinstance(content, dict) and key in content:
            return read(content, **named)
    msg = f"{path}: the JSON is not that of a model of XGBoost, LightGBM (dump_model) or CatBoost"
    raise ModelError(msg)
