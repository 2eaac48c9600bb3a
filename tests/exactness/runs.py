"""All models of a set in all formats and runtimes."""

from __future__ import annotations

import tempfile
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence

import hornbeam
from exactness.kinds import KINDS, estimator
from exactness.rows import compared_rows, evenly
from hornbeam.data.schema import Nominal
from hornbeam.export import FORMATS
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check
from hornbeam.export.program import program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.data.table import Table

    Found = float | str  # the largest difference, or why there is none

MOST_LEARNED = 300  # rows that a model is learned from
LOADED = ("json", "plain")  # formats that are read back to the model
SLOWEST = ("spark", "libreoffice", "formulas")  # seconds for every model, and not in the table; run only where named
WRITERS = {format_.name: format_ for format_ in FORMATS}
NOT_LEARNED, REFUSED, DIFFERS = "not learned: ", "refused: ", "differs: "


def runtimes() -> list[str]:
    """Every runtime that is on this machine, except the slowest, and the formats that are read back."""
    others = [judge for judge in JUDGES if judge.format not in LOADED and judge.name not in SLOWEST]
    return [*LOADED, *(judge.name for judge in others if judge.missing() is None)]


def of_set(name: str, chosen: list[str], only: tuple[str, ...] = ()) -> dict[str, dict[str, Found]]:
    """What every model of a data set gives in every runtime: by "kind/predicts/estimator" and runtime."""
    warnings.simplefilter("ignore")
    table = hornbeam.read(evidence.arff(name), target=-1)
    learned, found = dict(_learned(table, only)), {}
    rows = compared_rows(table, _programs(learned))
    with tempfile.TemporaryDirectory() as folder:
        for key, model in learned.items():
            if isinstance(model, str):
                found[key] = dict.fromkeys(chosen, model)
                continue
            found[key] = {runtime: _compared(model, rows, runtime, Path(folder)) for runtime in chosen}
    return found


def _learned(table: Table, only: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    target = table.schema.target_column
    is_class = isinstance(target, Nominal)
    part = evenly(table, MOST_LEARNED)
    for kind in KINDS:
        if kind.predicts == ("number" if is_class else "category"):
            continue
        for name in kind.makes:
            if only and name not in only:
                continue
            try:
                model = estimator(kind, name, target.categories if is_class else ()).fit(part)
            except (ValueError, TypeError) as error:
                model = NOT_LEARNED + str(error)
            yield f"{kind.name}/{kind.predicts}/{name}", model


def _programs(learned: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for model in learned.values():
        try:
            yield program(model, "rows")
        except (TypeError, AttributeError):
            continue


def _compared(model: Any, rows: Table, runtime: str, folder: Path) -> Found:
    try:
        return _read_back(model, rows, runtime, folder) if runtime in LOADED else _run(model, rows, runtime, folder)
    except TypeError as error:
        if "cannot write" in str(error):
            return REFUSED + str(error)
        return DIFFERS + traceback.format_exc()[-300:]
    except Exception as error:  # noqa: BLE001 - whatever went wrong is a result
        return DIFFERS + f"{type(error).__name__}: {error}"[:300]


def _run(model: Any, rows: Table, runtime: str, folder: Path) -> Found:
    judge = next(judge for judge in JUDGES if judge.name == runtime)
    writer = WRITERS[judge.format]
    path = folder / f"{runtime}{writer.endings[0]}"
    options = {"dialect": runtime} if judge.format == "sql" else {}
    written = writer.write(model, **options)
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    result = check(path, model, rows, runtime)
    return result.largest if result.is_equal else DIFFERS + str(result)[:300]


def _read_back(model: Any, rows: Table, runtime: str, folder: Path) -> Found:
    path = folder / f"model.{runtime}"
    path.write_text(str(WRITERS[runtime].write(model)), "utf-8")
    loaded, plain = hornbeam.load(path), model.model_
    found, expected = np.asarray(loaded.predict(rows)), np.asarray(model.predict(rows))
    if not np.array_equal(found, expected, equal_nan=plain.task == "regression"):
        return DIFFERS + "other predictions"
    if plain.task == "classification":
        return float(np.abs(loaded.probabilities(rows) - model.predict_proba(rows)).max())
    return 0.0
