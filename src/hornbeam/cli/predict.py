"""`hornbeam predict`: a saved model's predictions for new rows, as CSV or JSON."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click

from hornbeam.cli.options import count_option, file_option, json_option
from hornbeam.cli.reading import read_like, reading_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table


@click.command(short_help="Predict new rows with a saved model.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("source", metavar="DATA")
@file_option("-o", "--output", help="Write to this file instead of the terminal.")
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@json_option
@count_option("--explain", "ROW", "Explain the prediction of this row, counted from 1.")
@reading_options
def predict(
    model: str,
    source: str,
    output: str | None,
    proba: bool,
    as_json: bool,
    explain: int | None,
    **reading: Any,  # noqa: ANN401
) -> None:
    """Predict every row of DATA with the model in the file MODEL.

    The result is a CSV table with one line per row, in the order of DATA. Classes are chosen with the costs or the
    threshold that the model was learned with. Where DATA has the target's column, the accuracy, or the mean error, is
    printed on the error stream.
    """
    from hornbeam.data.schema import Nominal, Numeric
    from hornbeam.model.files.storage import load

    fitted = load(model)
    clusters = fitted.schema.target is None  # a model without a target predicts cluster numbers, counted from 0
    column = Numeric("cluster") if clusters else fitted.schema.target_column
    if proba and not isinstance(column, Nominal):
        msg = f"--proba: the model predicts the number {column.name!r}, which has no classes"
        raise ValueError(msg)
    table = read_like(fitted.schema, source, **reading)
    if explain is not None:
        _explain(fitted, table, explain, output)
        return
    classes = column.categories if isinstance(column, Nominal) else ()
    probabilities = fitted.predict_proba(table) if proba else None
    predicted = fitted.predict(table).tolist()
    predictions = list(map(str, predicted)) if classes else predicted
    with _opened(output) as stream:
        if as_json:
            _write_json(stream, column, predictions, classes, probabilities)
        else:  # a terminal obeys control characters, a file only keeps them
            shown: Callable[[str], str] = str
            if output is None and stream.isatty():
                from hornbeam.data.in_words import printable as shown
            _write_csv(stream, column, predictions, classes, probabilities, shown)
    if not clusters:
        _print_accuracy(column, predictions, table)


def _explain(model: Any, table: Table, row: int, output: str | None) -> None:  # noqa: ANN401 - what a file holds
    from hornbeam.show import explain

    if row > table.n_rows:
        msg = f"--explain {row}: the data have {table.n_rows} rows"
        raise ValueError(msg)
    with _opened(output) as stream:
        stream.write(explain(model, table, row - 1) + "\n")


@contextmanager
def _opened(path: str | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
        return
    from io import TextIOWrapper

    from hornbeam.data.replacing import replacing

    with replacing(path) as file:
        stream = TextIOWrapper(file, encoding="utf-8", newline="", write_through=False)
        yield stream
        stream.flush()
        stream.detach()


def _write_csv(
    stream: TextIO,
    column: Column,
    predictions: list[Any],
    classes: tuple[str, ...],
    probabilities: NDArray[Any] | None,
    shown: Callable[[str], str],
) -> None:
    """Write the predictions; `shown` makes the names of the target and of classes printable."""
    import csv

    writer = csv.writer(stream, lineterminator="\n")
    names = {name: shown(name) for name in classes}
    written = ["" if one is None else names.get(one, one) for one in predictions]
    if probabilities is None:
        writer.writerow([shown(column.name)])
        writer.writerows([one] for one in written)
        return
    writer.writerow([shown(column.name), *(f"P({name})" for name in names.values())])
    for one, row in zip(written, probabilities.tolist(), strict=True):
        writer.writerow([one, *(f"{value:.6g}" for value in row)])


def _write_json(
    stream: TextIO, column: Column, predictions: list[Any], classes: tuple[str, ...], probabilities: NDArray[Any] | None
) -> None:
    import json

    result: dict[str, Any] = {"target": column.name, "predictions": predictions}
    if probabilities is not None:
        result |= {"classes": list(classes), "probabilities": probabilities.tolist()}
    json.dump(result, stream, indent=None, allow_nan=False)
    stream.write("\n")


def _print_accuracy(column: Column, predictions: list[Any], table: Table) -> None:
    """Print the accuracy or the mean error, where the table has the target's column."""
    from hornbeam.cli.output import remark
    from hornbeam.data.in_words import percent
    from hornbeam.data.schema import Nominal

    if column.name not in table.schema.names:
        return
    given = table.schema.columns[table.schema.position(column.name)]
    if not isinstance(given, Nominal) and not isinstance(column, Nominal):
        errors = [abs(one - true) for one, true in zip(predictions, table.column(column.name).tolist(), strict=True)]
        known_errors = [error for error in errors if not math.isnan(error)]
        if known_errors:
            mean = sum(known_errors) / len(known_errors)
            remark(f"mean absolute error {mean:.4g} over {len(known_errors)} rows")
        return
    if not isinstance(given, Nominal) or not isinstance(column, Nominal):
        return
    truth = [given.categories[code] if code >= 0 else None for code in table.column(column.name)]
    known = [(one, true) for one, true in zip(predictions, truth, strict=True) if true is not None]
    if known:
        right = sum(one == true for one, true in known)
        remark(f"{right} of {len(known)} rows right, {percent(right / len(known))}")
