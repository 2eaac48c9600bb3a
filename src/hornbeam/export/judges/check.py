"""Compare the predictions of an export in its runtime with those of the model, row by row."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.export.judges import judges_for
from hornbeam.export.manifest import fingerprint, read_manifest
from hornbeam.export.program import target_plain
from hornbeam.model.base.plain import UnseenCategoryWarning

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table
    from hornbeam.export.judges import Judge, Rows
    from hornbeam.export.writers import Exportable
    from hornbeam.model.base.model import Model

TOLERANCE = {"float64": 1e-12, "float32": 1e-6}  # of probabilities and of numbers; relative for numbers above 1
LISTED = 10


@dataclass(frozen=True)
class Difference:
    """A row with different results of the export and the model.

    Attributes
    ----------
    row : int
        Its number, counted from 1.
    what : str
        "prediction" or "probability of CLASS".
    expected, found : object
        The result of the model, and that of the export.
    """

    row: int
    what: str
    expected: Any
    found: Any


@dataclass(frozen=True)
class Check:
    """The result of a check.

    Attributes
    ----------
    runtime : str
        What ran the export.
    n_rows : int
        Rows compared.
    tolerance : float
        Differences of numbers up to this are not reported.
    largest : float
        The largest difference of a number or a probability.
    differences : list of Difference
        At most one per row.
    """

    runtime: str
    n_rows: int
    tolerance: float
    largest: float
    differences: list[Difference] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether there is no difference."""
        return not self.differences

    def __str__(self) -> str:
        rows = plural(self.n_rows, "row")
        if self.is_equal:
            return f"{self.runtime}: {rows}, the same predictions (largest difference {self.largest:.1e})"
        lines = [f"{self.runtime}: {len(self.differences):,} of {rows} differ"]
        lines += [
            f"  row {one.row}: {one.what} is {one.found!r}; the model has {one.expected!r}"
            for one in self.differences[:LISTED]
        ]
        if len(self.differences) > LISTED:
            lines.append(f"  and {len(self.differences) - LISTED:,} more")
        return "\n".join(lines)


def check(path: str | os.PathLike[str], model: Exportable, table: Table, runtime: str | None = None) -> Check:
    """Run an exported file on rows in its real runtime, and compare it with the model.

    Parameters
    ----------
    path : path
        The exported file.
    model : model or fitted estimator
        What it was made from.
    table : Table
        The rows; the target is not needed.
    runtime : str, optional
        The runtime to use; by default the first one available on this machine.

    Returns
    -------
    Check
        The differences. Its text lists the first ten.

    Raises
    ------
    ValueError
        If the file has no manifest, was made from another model, or no runtime for it is available.
    """
    (found,) = check_many([path], [model], table, runtime)
    return found


def check_many(
    paths: Sequence[str | os.PathLike[str]], models: Sequence[Exportable], table: Table, runtime: str | None = None
) -> list[Check]:
    """Check files of one format, each with its model, on the same rows; compilers and programs start once.

    Parameters
    ----------
    paths : sequence of path
        The exported files.
    models : sequence of model or fitted estimator
        What they were made from, all with the same features.
    table, runtime
        As for `check`.

    Returns
    -------
    list of Check
        The differences of each file.
    """
    plains = [_plain(model) for model in models]
    manifests = [_manifest_of(path, plain) for path, plain in zip(paths, plains, strict=True)]
    judge = _judge(manifests[0], runtime, str(paths[0]))
    results = judge.run_many([Path(path) for path in paths], rows_of(plains[0], table), manifests)
    return [
        compare(judge.name, found, Expected.of(model, table), manifest)
        for found, model, manifest in zip(results, models, manifests, strict=True)
    ]


def _plain(model: Exportable) -> Any:  # noqa: ANN401 - the model of an estimator
    return getattr(getattr(model, "learner_", model), "model_", model)


def _manifest_of(path: str | os.PathLike[str], plain: Any) -> dict[str, Any]:  # noqa: ANN401 - a model
    manifest = read_manifest(path)
    if manifest["fingerprint"] != fingerprint(plain):
        msg = f"{path} was exported from a different model (the fingerprints differ); export it again"
        raise ValueError(msg)
    return manifest


def _judge(manifest: dict[str, Any], runtime: str | None, path: str) -> Judge:
    known = judges_for(manifest)
    if not known:
        what = " ".join(filter(None, (manifest["format"], manifest.get("dialect"))))
        msg = f"{path}: no runtime for the format {what} is known, so it cannot be checked here"
        raise ValueError(msg)
    if runtime is not None:
        known = [judge for judge in known if judge.name == runtime]
        if not known:
            names = ", ".join(judge.name for judge in judges_for(manifest))
            msg = f"the runtime is {runtime!r}; expected one of those for this file: {names}"
            raise ValueError(msg)
    lacking = []
    for judge in known:
        missing = judge.missing()
        if missing is None:
            return judge
        lacking.append(missing)
    msg = f"{path} cannot be run on this machine: {'; or '.join(lacking)} is missing"
    raise ValueError(msg)


def rows_of(model: Model, table: Table) -> Rows:
    """Return the values of the model's features for every row, by name: numbers, categories, or None if missing."""
    names = [model.schema.names[position] for position in model.schema.features]
    places = [table.schema.position(name) for name in names]
    columns = [(table.schema.columns[place], table.columns[place].tolist()) for place in places]
    return [{column.name: _value(column, values[row]) for column, values in columns} for row in range(table.n_rows)]


def _value(column: Column, value: Any) -> Any:  # noqa: ANN401 - a number or a code
    if isinstance(column, Nominal):
        return column.categories[value] if value >= 0 else None
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Expected:
    """The results of a model for rows.

    Attributes
    ----------
    predictions : array
        By row.
    probabilities : array or None
        By row and class.
    classes : sequence of str
        The classes; empty: the predictions are numbers.
    is_number : bool
        Whether numbers are predicted.
    """

    predictions: Any
    probabilities: Any
    classes: Sequence[str]
    is_number: bool

    @classmethod
    def of(cls, model: Exportable, table: Table) -> Expected:
        """Let a model predict."""
        plain: Any = getattr(getattr(model, "learner_", model), "model_", model)
        probabilities = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            predictions = model.predict(table)
            if plain.KIND == "mixture":
                probabilities = model.predict_proba(table)
            elif plain.task == "classification":
                probabilities = plain.probabilities(table) if model is plain else model.predict_proba(table)
        classes = target_plain(plain).get("categories", ())
        return cls(predictions, probabilities, classes, plain.task == "regression")


def compare(runtime: str, results: list[Any], expected: Expected, manifest: dict[str, Any]) -> Check:
    """Compare the results of a runtime for rows with those of the model.

    Parameters
    ----------
    runtime : str
        The name of the runtime.
    results : list
        Its results, by row.
    expected : Expected
        The results of the model.
    manifest : dict
        Of the export.

    Returns
    -------
    Check
        The differences.

    Raises
    ------
    ValueError
        If the runtime returns another number of rows.
    """
    if len(results) != len(expected.predictions):
        msg = f"{runtime} gave {plural(len(results), 'row')}; expected {len(expected.predictions)}"
        raise ValueError(msg)
    tolerance = TOLERANCE[manifest.get("precision", "float64")]
    differences, largest = [], 0.0
    for row, (prediction, found) in enumerate(results):
        wanted = expected.predictions[row]
        if expected.is_number:
            off = _off(float(wanted), prediction)
            largest = max(largest, off)
            if not off <= tolerance:
                differences.append(Difference(row + 1, "prediction", float(wanted), prediction))
            continue
        shares = [] if expected.probabilities is None else expected.probabilities[row].tolist()
        given = (found or []) if shares else []
        offs = list(map(_off, shares, given))
        largest = max([largest, *offs])
        worst = max(range(len(offs)), key=offs.__getitem__, default=-1)
        if str(wanted) != str(prediction):
            differences.append(Difference(row + 1, "prediction", str(wanted), prediction))
        elif len(given) != len(shares):
            differences.append(Difference(row + 1, "list of probabilities", shares, found))
        elif offs and not offs[worst] <= tolerance:
            what = f"probability of {expected.classes[worst]}"
            differences.append(Difference(row + 1, what, shares[worst], given[worst]))
    return Check(runtime, len(results), tolerance, largest, differences)


def _off(expected: float, found: float | None) -> float:
    """Return the difference of two numbers, relative if they are above 1."""
    if found is None or math.isnan(found):
        return 0.0 if math.isnan(expected) else math.inf
    return abs(expected - found) / max(1.0, abs(expected)) if expected != found else 0.0
