"""How to get the same report again: what was read, how it was learned, by which versions. No paths, no times."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import for_shell
from hornbeam.evaluate.plain import Plain
from hornbeam.learn.base.estimator import plain_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table

PACKAGES = ("hornbeam", "numpy", "scikit-learn", "scipy")


@dataclass(frozen=True, slots=True)
class Origin(Plain):
    """Where a report comes from.

    Parameters
    ----------
    commands : tuple of str
        That make the report, and learn and save its model.
    parameters : mapping
        Of the chosen scheme, all of them.
    folds, repeats, seed : int
        Of the cross-validations.
    fingerprint : str
        Of the data: a hash of its columns, its number of rows and up to 4096 of them.
    versions : mapping of package to version
        Of what it was made with.
    """

    commands: tuple[str, ...]
    parameters: Mapping[str, Any]
    folds: int
    repeats: int
    seed: int
    fingerprint: str
    versions: Mapping[str, str]


def origin(
    table: Table,
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    scheme: str,
    schemes: Sequence[str],
    *,
    source: str | None,
    reading: Sequence[str],
    examples: int,
    named: bool,
    folds: int,
    repeats: int,
    seed: int,
) -> Origin:
    """Describe how a report was made.

    Parameters
    ----------
    table : Table
        The data.
    estimator : estimator
        The chosen one.
    scheme, schemes : str, sequence of str
        Its scheme, and those compared.
    source : str, optional
        Where the data was read from, shown without folders; by default the table's name.
    reading : sequence of str
        Options that it was read with.
    examples : int
        How many rows are shown.
    named : bool
        Whether the user named the scheme.
    folds, repeats, seed : int
        Of the cross-validations.
    """
    data = PurePath(source.replace("\\", "/")).name if source else table.schema.name
    target = table.schema.target_column.name
    start = ["hornbeam", "report", data, "--target", target, *reading, "--schemes", ",".join(schemes)]
    start += ["--scheme", scheme] if named else []
    start += ["--cv", str(folds), "--repeats", str(repeats), "--seed", str(seed)]
    start += ["--examples", str(examples), "-o", "report.html"]
    learn = ["hornbeam", "learn", data, "--target", target, *reading, "--scheme", scheme]
    learn += ["--cv", str(folds), "--seed", str(seed), "--save", "model.hornbeam"]
    return Origin(
        commands=(" ".join(map(for_shell, start)), " ".join(map(for_shell, learn))),
        parameters={name: plain_value(value) for name, value in estimator.get_params(deep=False).items()},
        folds=folds,
        repeats=repeats,
        seed=seed,
        fingerprint=table.fingerprint(),
        versions=versions(),
    )


def versions() -> dict[str, str]:
    """Give the versions of hornbeam and of the packages it depends on."""
    return {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
