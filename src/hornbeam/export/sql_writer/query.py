"""The format ``sql``: its entry function, and the decision rule in SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.manifest import manifest_line
from hornbeam.export.program import program
from hornbeam.export.sql_writer.dialect import Dialect, need_sqlglot
from hornbeam.export.sql_writer.layers import Layers
from hornbeam.export.sql_writer.models import model_outputs
from hornbeam.export.sql_writer.trees import greatest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.export.sql_writer.trees import Outputs
    from hornbeam.export.writers import Exportable

NEAR = 1e-9  # probabilities, and costs relative to the greatest, that differ by less are equal
LONGEST = 50  # characters of a class name in the name of a column


def sql(
    model: Exportable,
    *,
    dialect: str = "duckdb",
    table: str = "rows",
    keep: Sequence[str] | None = None,
    costs: ArrayLike | None = None,
    decision_threshold: float | None = None,
) -> str:
    """Write a model as a query that predicts every row of a table.

    Parameters
    ----------
    model : model or fitted estimator
        What to write: trees, model trees, rules, equations, forests, boosting, ensembles of these, support vector
        machines with a linear kernel, k-means clusters, mixtures.
    dialect : str
        The database: duckdb, postgres, sqlite, bigquery, spark, snowflake or tsql.
    table : str
        The name of the table with the rows; a dot separates a schema from the table.
    keep : sequence of str, optional
        Columns of the table that the result has in addition to the prediction, such as a key; by default the features.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    str
        A SELECT statement with the kept columns, ``prediction``, and ``probability_CLASS`` for every class. NULL, NaN
        and categories that the model does not know are missing values.

    Raises
    ------
    TypeError
        If the model cannot be written as SQL; the message has the reason.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> query = export.sql(hornbeam.C45Classifier().fit(hornbeam.read("weather")), dialect="duckdb", keep=["day"])
    >>> 'FROM "rows"' in query
    True
    """
    need_sqlglot()
    written = Dialect.named(dialect)
    data = program(model, "SQL", costs, decision_threshold)
    columns, target = data["columns"], data["target"]
    _check_names([column["name"] for column in columns], written)
    kept = [column["name"] for column in columns] if keep is None else list(keep)
    layers = Layers(written, columns, kept)
    outputs = model_outputs(layers, data["model"])
    final = [("prediction", outputs.columns[0])] if target["kind"] == "numeric" else _decided(layers, outputs, data)
    source = ".".join(written.quoted(part) for part in table.split("."))
    line = manifest_line(
        model, "sql", dialect=written.name, table=table, keep=kept, outputs=[name for name, _ in final]
    )
    title = f"-- Predictions of a model learned by hornbeam, for {written.title}."
    return f"{title}\n-- {line}\n{layers.written(source, final, kept)}"


def _check_names(names: list[str], dialect: Dialect) -> None:
    """Raise an error for names that a database cannot distinguish, or does not allow."""
    seen: dict[str, str] = {}
    for name in names:
        if not name or "\0" in name:
            msg = f"the column name {name!r} cannot be written as SQL; rename the column"
            raise ValueError(msg)
        other = seen.setdefault(name.casefold(), name)
        if other != name and dialect.name in ("duckdb", "sqlite", "spark", "bigquery", "tsql"):
            msg = f"the columns {other!r} and {name!r} are the same name in {dialect.title}; rename one of them"
            raise ValueError(msg)


def _decided(layers: Layers, outputs: Outputs, data: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the columns of the result: the class and the probabilities of all classes."""
    number, classes, decide = layers.dialect.number, data["target"]["categories"], data["decide"]
    label = outputs.label
    assert label is not None
    columns = outputs.columns
    if "overall" in decide:
        total = layers.dialect.sum_of(list(columns))
        mixed = [
            f"CASE WHEN {total} > {number(0.0)} THEN {each} ELSE {number(float(other))} END"
            for each, other in zip(columns, decide["overall"], strict=True)
        ]
        columns = layers.add(mixed, [*columns, label])
    possible = decide.get("withRows") or [True] * len(classes)
    if "costs" in decide:
        label = _least_cost(layers, columns, decide["costs"], possible)
    elif "threshold" in decide:
        second = f"CASE WHEN {columns[1]} >= {number(float(decide['threshold']) - NEAR)} THEN 1 ELSE 0 END"
        label = second if all(possible) else str(possible.index(True))
    elif columns:
        best, *needed = greatest(layers, columns, 0.0, [*columns, label])
        (label,) = layers.add([f"CASE WHEN {label} >= 0 THEN {label} ELSE {best} END"], [*columns, label, *needed])
    if data["model"]["kind"] == "centers":
        return [("prediction", label)]
    if data["model"]["kind"] == "mixture":
        return [("prediction", label), *zip(_probability_names(classes), columns, strict=True)]
    whens = " ".join(f"WHEN {code} THEN {layers.dialect.text(name)}" for code, name in enumerate(classes))
    return [("prediction", f"CASE {label} {whens} END"), *zip(_probability_names(classes), columns, strict=True)]


def _probability_names(classes: Sequence[str]) -> list[str]:
    """Return the names of the columns with probabilities: by class, or by number if names could be confused."""
    names = [f"probability_{name}" for name in classes]
    if len({name.casefold() for name in names}) < len(names) or any(len(name.encode()) > LONGEST for name in names):
        return [f"probability_{code}" for code in range(len(classes))]
    return names


def _least_cost(layers: Layers, columns: list[str], costs: list[list[float]], possible: list[bool]) -> str:
    """Add the column with the class of least expected cost."""
    number = layers.dialect.number
    may = [label for label, can in enumerate(possible) if can]
    expected = [
        layers.dialect.sum_of([f"{p} * {number(float(row[label]))}" for p, row in zip(columns, costs, strict=True)])
        for label in may
    ]
    names = layers.add(expected, columns)
    slack = number(NEAR * max(float(cost) for row in costs for cost in row))
    least = names[0] if len(names) == 1 else layers.dialect.least(names)
    (least,) = layers.add([f"{least} + {slack}"], [*columns, *names])
    whens = " ".join(f"WHEN {name} <= {least} THEN {label}" for name, label in zip(names, may, strict=True))
    (label,) = layers.add([f"CASE {whens} END"], [*columns, *names, least])
    return label
