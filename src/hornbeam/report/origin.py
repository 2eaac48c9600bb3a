"""How to reproduce a report: the data, the parameters, and the versions. No paths, no times."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import for_shell
from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain
from hornbeam.learn.base.parameters import plain_value
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table
    from hornbeam.report.about import About
    from hornbeam.schemes import Predicts

SET = {"max_leaf_nodes", "min_samples_leaf"}  # parameters that are set by the report
PACKAGES = ("hornbeam", "numpy", "scikit-learn", "scipy")


@dataclass(frozen=True, slots=True)
class Origin(Plain):
    """Where a report comes from.

    Parameters
    ----------
    commands : tuple of str
        The commands that create the report, and that learn and save its model.
    parameters : mapping
        All parameters of the chosen scheme.
    folds, repeats, seed : int
        Of the cross-validations.
    fingerprint : str
        The fingerprint of the data: a hash of its columns, its number of rows and up to 4096 rows.
    versions : mapping of package to version
        The versions of hornbeam and its dependencies.
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
    schemes: Sequence[str] | None,
    *,
    about: About,
    examples: int,
    named: bool,
    max_size: int,
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
        The chosen estimator.
    scheme, schemes : str, sequence of str
        Its scheme, and the schemes that the user named for the comparison; None for the default ones.
    about : About
        Title, author, date and notes; where the data was read from (shown without folders; by default the table's
        name), and the options that it was read with.
    examples : int
        How many rows are shown.
    named : bool
        Whether the user named the scheme.
    max_size : int
        The largest number of leaves, rules or terms of a chosen model.
    folds, repeats, seed : int
        Of the cross-validations.
    """
    data = PurePath(about.source.replace("\\", "/")).name if about.source else table.schema.name
    target = table.schema.target_column.name
    start = ["hornbeam", "report", data, "--target", target, *about.reading]
    start += ["--schemes", ",".join(schemes)] if schemes is not None else []
    start += ["--scheme", scheme] if named else ["--max-size", str(max_size)]
    start += ["--cv", str(folds), "--repeats", str(repeats), "--seed", str(seed)]
    start += ["--examples", str(examples), *about.options(), "-o", "report.html"]
    learn = ["hornbeam", "learn", data, "--target", target, *about.reading, "--scheme", scheme]
    learn += [] if named else _own_options(estimator, scheme, table)
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


def _own_options(estimator: Any, scheme: str, table: Table) -> list[str]:  # noqa: ANN401 - any estimator of ours
    """Return the options for parameters that the report has set, such as the limit on leaves."""
    predicts: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
    words: list[str] = []
    for parameter in find(scheme, predicts).parameters:
        if parameter.name in SET and parameter.option is not None:
            value = getattr(estimator, parameter.name)
            words += [parameter.option, str(value)] if value != parameter.default else []
    return words


def versions() -> dict[str, str]:
    """Return the versions of hornbeam and of the packages it depends on."""
    return {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
