"""All models of a set in all formats and runtimes."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass, field
from functools import cached_property
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
from hornbeam.export.judges.check import Expected, compare, rows_of
from hornbeam.export.manifest import read_manifest
from hornbeam.export.program import program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hornbeam.data.table import Table
    from hornbeam.export.judges import Rows

    Found = float | str  # the largest difference, or why there is none

MOST_LEARNED = 300  # rows that a model is learned from
LOADED = ("json", "plain")  # formats that are read back to the model
SLOWEST = ("spark", "libreoffice", "formulas")  # seconds for every model; run only where named
SHEETS = ("libreoffice", "formulas")  # they compare about 15 digits, so that a number next to a cut is on it
WRITERS = {format_.name: format_ for format_ in FORMATS}
NOT_LEARNED, REFUSED, DIFFERS = "not learned: ", "refused: ", "differs: "


def runtimes() -> list[str]:
    """Every runtime that is on this machine, except the slowest, and the formats that are read back."""
    others = [judge for judge in JUDGES if judge.format not in LOADED and judge.name not in SLOWEST]
    return [*LOADED, *(judge.name for judge in others if judge.missing() is None)]


def of_set(name: str, chosen: Sequence[str], only: Sequence[str] = ()) -> Iterator[tuple[str, dict[str, Found]]]:
    """What every model of a data set gives, runtime by runtime: by "kind/predicts/estimator"."""
    learned = dict(learned_of(name, only))
    prepared: dict[bool, tuple[dict[str, Learned], Rows]] = {}
    for runtime in chosen:
        beside = runtime not in SHEETS
        if beside not in prepared:
            prepared[beside] = _prepared(name, learned, beside=beside)
        models, given = prepared[beside]
        with tempfile.TemporaryDirectory() as folder:
            found = _read_back(models, runtime) if runtime in LOADED else _run(models, given, runtime, Path(folder))
        yield runtime, {key: found.get(key, model) for key, model in learned.items()}


def _prepared(name: str, learned: dict[str, Any], *, beside: bool) -> tuple[dict[str, Learned], Rows]:
    """The models with the rows to compare, and these rows; with or without numbers next to cuts."""
    rows = compared_rows(_table(name), _programs(learned), beside=beside)
    models = {key: Learned(model, rows) for key, model in learned.items() if not isinstance(model, str)}
    return models, rows_of(next(iter(models.values())).model.model_, rows) if models else []


def _table(name: str) -> Table:
    return hornbeam.read(evidence.arff(name), target=-1)


def learned_of(name: str, only: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The models of a data set, by "kind/predicts/estimator"; a text says why one could not be learned."""
    warnings.simplefilter("ignore")
    table = _table(name)
    target = table.schema.target_column
    is_class = isinstance(target, Nominal)
    part = evenly(table, MOST_LEARNED)
    for kind in KINDS:
        if kind.predicts == ("number" if is_class else "category"):
            continue
        for made in kind.makes:
            if only and made not in only:
                continue
            try:
                model = estimator(kind, made, target.categories if is_class else ()).fit(part)
            except (ValueError, TypeError) as error:
                model = NOT_LEARNED + str(error)
            yield f"{kind.name}/{kind.predicts}/{made}", model


def _programs(learned: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for model in learned.values():
        try:
            yield program(model, "rows")
        except (TypeError, AttributeError):
            continue


@dataclass
class Learned:
    """A model, and the rows on which its exports are compared with it: it predicts and is written only once."""

    model: Any
    rows: Table
    written: dict[tuple[str, str], bytes | Exception] = field(default_factory=dict)

    @cached_property
    def expected(self) -> Expected:
        """What the model gives."""
        return Expected.of(self.model, self.rows)

    def file(self, format_: str, dialect: str = "") -> bytes:
        """The export; the same error whenever the format cannot hold the model."""
        if (format_, dialect) not in self.written:
            try:
                text = WRITERS[format_].write(self.model, **({"dialect": dialect} if dialect else {}))
                self.written[format_, dialect] = text if isinstance(text, bytes) else str(text).encode()
            except Exception as error:  # noqa: BLE001 - whatever went wrong is a result
                self.written[format_, dialect] = error
        found = self.written[format_, dialect]
        if isinstance(found, Exception):
            raise found
        return found


def _reason(error: Exception) -> str:
    """Why there is no difference to name: the format refuses the model, or something went wrong."""
    if isinstance(error, TypeError) and "cannot write" in str(error):
        return REFUSED + str(error)
    return DIFFERS + f"{type(error).__name__}: {error}"[:300]


def _run(models: dict[str, Learned], rows: Rows, runtime: str, folder: Path) -> dict[str, Found]:
    judge = next(judge for judge in JUDGES if judge.name == runtime)
    found: dict[str, Found] = {}
    paths: dict[str, Path] = {}
    for key, learned in models.items():
        try:
            content = learned.file(judge.format, runtime if judge.format == "sql" else "")
        except Exception as error:  # noqa: BLE001 - whatever went wrong is a result
            found[key] = _reason(error)
            continue
        paths[key] = folder / f"exported_{len(paths)}{WRITERS[judge.format].endings[0]}"
        paths[key].write_bytes(content)
    manifests = {key: read_manifest(path) for key, path in paths.items()}
    try:
        all_results = judge.run_many(list(paths.values()), rows, list(manifests.values())) if paths else []
        results = dict(zip(paths, all_results, strict=True))
    except Exception:  # noqa: BLE001 - one of them; each is tried by itself
        results = {}
    for key, path in paths.items():
        try:
            own = results[key] if key in results else judge.run(path, rows, manifests[key])
            result = compare(runtime, own, models[key].expected, manifests[key])
            found[key] = result.largest if result.is_equal else DIFFERS + str(result)[:300]
        except Exception as error:  # noqa: BLE001 - whatever went wrong is a result
            found[key] = _reason(error)
    return found


def _read_back(models: dict[str, Learned], runtime: str) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for key, learned in models.items():
        try:
            found[key] = _loaded(learned, runtime)
        except Exception as error:  # noqa: BLE001 - whatever went wrong is a result
            found[key] = _reason(error)
    return found


def _loaded(learned: Learned, runtime: str) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{runtime}"
        path.write_bytes(learned.file(runtime))
        loaded = hornbeam.load(path)
    expected, found = learned.expected, np.asarray(loaded.predict(learned.rows))
    if not np.array_equal(found, np.asarray(expected.predictions), equal_nan=expected.is_number):
        return DIFFERS + "other predictions"
    if learned.model.model_.task == "classification":
        return float(np.abs(loaded.probabilities(learned.rows) - expected.probabilities).max())
    return 0.0
