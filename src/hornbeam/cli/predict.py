"""`hornbeam predict`: a saved model's predictions for new rows, as a table, as JSON, or explained."""

from __future__ import annotations

import math
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import click

from hornbeam.cli.options import Command, columns_in, file_option, json_option, names_in, refuse_both
from hornbeam.cli.reading import read_like, reading_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hornbeam.cli.predicting.judging import Judging
    from hornbeam.data.schema import Column, Role
    from hornbeam.data.table import Table

WHOLE_BYTES = 1 << 27  # a larger file is read in parts, if possible
WRITTEN_ROWS = 1 << 14  # rows whose cells are converted to text at once


@click.command(cls=Command, short_help="Predict new rows with a saved model.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.argument("source", metavar="DATA")
@file_option(
    "-o", "--output", help="Write to this file instead of the terminal: .csv, .parquet, .arff or another format."
)
@click.option(
    "--keep", multiple=True, metavar="COLUMN,COLUMN", help="Put these columns of DATA before the predictions."
)
@click.option("--append", is_flag=True, help="Put all columns of DATA before the predictions.")
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@click.option(
    "--explain",
    metavar="ROWS",
    help="Explain the predictions of these rows: a number counted from 1, several such as 1,5..9, or all.",
)
@json_option
@reading_options
def predict(
    model: str,
    source: str,
    output: str | None,
    keep: tuple[str, ...],
    append: bool,
    proba: bool,
    explain: str | None,
    as_json: bool,
    **reading: Any,  # noqa: ANN401
) -> None:
    """Predict every row of DATA with the model in the file MODEL.

    The result is a table with one line per row, in the order of DATA: CSV, or the format given by the ending of the
    output file. Classes are chosen with the costs or the threshold that the model was learned with. If DATA has the
    target's column, the accuracy, or the mean error, and a verdict are printed on the error stream. CSV files larger
    than memory are read and predicted part by part. If DATA is a folder or a pattern of Parquet or CSV files and the
    output a folder, each part of the data becomes a Parquet file there, with all columns of DATA.
    """
    from hornbeam.data.schema import Nominal, Numeric
    from hornbeam.model.files.storage import load, open_package

    refuse_both(keep=keep, append=append)
    if output is not None and not explain and _is_folder(source, output):
        from hornbeam.cli.scanning.scanned import predict_folder

        predict_folder(load(model), source, output, proba=proba, reading=reading)
        return
    form = _form(output, as_json=as_json, explained=explain is not None)
    stored = open_package(model)
    fitted: Any = stored.model()
    if fitted.task == "several":
        python = f"hornbeam.load({model!r}).predict(X)"
        msg = f"{model} has the models of {len(fitted)} targets; expected one. In Python: {python}"
        raise ValueError(msg)
    clusters = fitted.schema.target is None  # a model without a target predicts cluster numbers, counted from 0
    column = Numeric("cluster") if clusters else fitted.schema.target_column
    if proba and not isinstance(column, Nominal):
        msg = f"--proba: the model predicts the number {column.name!r}, which has no classes"
        raise ValueError(msg)
    learned_from = stored.provenance.get("data")
    kept = None if append else names_in(keep)
    prediction = Prediction(fitted, column, kept, proba=proba, learned_from=learned_from, typed=keep)
    if explain is not None:
        from hornbeam.cli.predicting.explaining import explain_rows

        with _tables(prediction, source, reading) as tables:
            explain_rows(prediction, tables, explain, output, form)
        return
    with _tables(prediction, source, reading) as tables, _opened(output, form, prediction) as write:
        n_rows = 0
        for table in tables:
            n_rows += table.n_rows
            _check_room(form, n_rows, prediction.n_written(table))
            labels = prediction.labels(table)
            write(prediction.of(table, labels))
            prediction.judge(table, labels)
    if prediction.judging is not None:
        prediction.judging.print()


def _check_room(form: str, n_rows: int, n_columns: int) -> None:
    """Raise an error, before rows are predicted, if the output is a sheet without room for them."""
    if form == ".xlsx":
        from hornbeam.data.write import check_sheet

        check_sheet(n_rows, n_columns)


def _is_folder(source: str, output: str) -> bool:
    """Whether many files are predicted into a folder."""
    from pathlib import Path

    return not Path(output).suffix and (Path(source).is_dir() or any(mark in source for mark in "*?["))


def _form(output: str | None, *, as_json: bool, explained: bool) -> str:
    """Return the form of the output: csv, json, text, or the ending of a file that `hornbeam.data.write` writes."""
    if output is None or as_json:
        return "json" if as_json else "text" if explained else "csv"
    from pathlib import Path

    from hornbeam.data.write import ENDINGS

    ending = Path(output).suffix.lower()
    if explained and ending in (".txt", ".md"):
        return "text"
    if ending not in ENDINGS:
        found = f"ends in {ending!r}" if ending else "has no ending"
        msg = f"-o {output}: the name {found}; expected one of {', '.join(ENDINGS)}"
        raise ValueError(msg)
    return {".csv": "csv", ".tsv": "tsv", ".tab": "tsv"}.get(ending, ending)


@contextmanager
def _opened(path: str | None, form: str, prediction: Prediction) -> Iterator[Callable[[Table], None]]:
    """Return a function that writes the predictions for some rows; files are written completely or not at all."""
    if form in ("csv", "tsv"):
        with opened_text(path) as stream:
            yield CsvWriter(stream, prediction.n_predicted, "\t" if form == "tsv" else ",")
        return
    with spooled(path, form, prediction) as add:
        yield add


@contextmanager
def spooled(path: str | None, form: str, prediction: Prediction) -> Iterator[Callable[[Table], None]]:
    """Return a function that takes some rows; a file is written when there are no more."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from hornbeam.cli.predicting.predicted import as_json
    from hornbeam.cli.predicting.spool import Spool
    from hornbeam.data.write import PARTED, write, write_parts

    with TemporaryDirectory() as folder:
        spool = Spool(Path(folder), prediction)
        yield spool.add
        if form == "json":
            with opened_text(path) as stream:
                stream.write(as_json(spool.whole(), prediction) + "\n")
            return
        assert path is not None
        if spool.is_large and form in PARTED:
            write_parts(spool.parts(), path)
        else:
            write(spool.whole(), path)


@contextmanager
def opened_text(path: str | None) -> Iterator[TextIO]:
    """Open standard output, or the file, which is written completely or not at all."""
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


class CsvWriter:
    """Writes predictions as CSV, with a header above the first rows."""

    def __init__(self, stream: TextIO, n_predicted: int, delimiter: str = ",") -> None:
        import csv

        self.stream, self.n_predicted = stream, n_predicted
        self.writer = csv.writer(stream, lineterminator="\n", delimiter=delimiter)
        self.has_header = False
        self.shown: Callable[[str], str] = str
        if stream is sys.stdout and stream.isatty():  # control characters are harmful in a terminal, not in a file
            from hornbeam.data.in_words import printable

            self.shown = printable

    def __call__(self, table: Table) -> None:
        """Write some rows."""
        if not self.has_header:
            self.writer.writerow(map(self.shown, table.schema.names))
            self.has_header = True
        first = len(table.columns) - self.n_predicted
        for start in range(0, table.n_rows, WRITTEN_ROWS):  # the texts of all rows would take much memory
            rows = slice(start, start + WRITTEN_ROWS)
            cells = [self._cells(table, place, rows, place > first) for place in range(len(table.columns))]
            self.writer.writerows(zip(*cells, strict=True))

    def _cells(self, table: Table, place: int, rows: slice, rounded: bool) -> list[str]:
        """Return some cells of a column; missing values are empty, probabilities are rounded."""
        from hornbeam.data.schema import Nominal

        column, values = table.schema.columns[place], table.columns[place][rows].tolist()
        if isinstance(column, Nominal):
            names = [*map(self.shown, column.categories), ""]
            return [names[code] for code in values]
        if column.format is not None:
            from hornbeam.data.dates import show

            return ["" if math.isnan(value) else show(value, column.format) for value in values]
        if rounded:
            return [f"{value:.6g}" for value in values]
        from hornbeam.data.infer import show_number

        return ["" if math.isnan(value) else show_number(value) for value in values]


@contextmanager
def _tables(prediction: Prediction, source: str, reading: dict[str, Any]) -> Iterator[Iterable[Table]]:
    """Read DATA at once, or a large CSV file in parts."""
    from pathlib import Path

    path = Path(source)
    if not path.is_file() or path.stat().st_size <= WHOLE_BYTES:
        yield [prediction.read(source, reading)]
        return
    from hornbeam.cli.predicting.streaming import few_warnings, parts_of

    with few_warnings():
        yield parts_of(source, reading, prediction.read)


@dataclass
class Prediction:
    """A model's predictions for rows, and how good they are.

    Attributes
    ----------
    model : model
        The model that predicts.
    column : Column
        The predicted column: the target, or the cluster.
    keep : list of str, optional
        Columns of the input before the predictions; None for all.
    proba : bool
        Whether to add probabilities.
    learned_from : str, optional
        The fingerprint of the training rows.
    judging : Judging, optional
        Compares the predictions with the target; None if no rows have it.
    typed : tuple of str
        The columns to keep as they were typed, until rows are read; a name may contain a comma.
    """

    model: Any
    column: Column
    keep: list[str] | None
    proba: bool = False
    learned_from: str | None = None
    judging: Judging | None = None
    typed: tuple[str, ...] = ()

    def read(self, source: str, reading: dict[str, Any]) -> Table:
        """Read rows, and find the columns to keep among theirs."""
        typed, self.typed = self.typed, ()
        if not any("," in one for one in typed):
            return self._read(source, reading)
        try:
            table = self._read(source, reading)
        except ValueError:
            if source == "-":  # cannot be read twice
                raise
            self.keep = columns_in(typed, read_like(self.model.schema, source, **reading).schema.names)
            return self._read(source, reading)
        self.keep = columns_in(typed, table.schema.names)
        return table

    def _read(self, source: str, reading: dict[str, Any]) -> Table:
        """Read rows; columns that are only copied are read as text, so that they are written unchanged."""
        if not self.keep:
            return read_like(self.model.schema, source, **reading)
        used = {*self.model.schema.names, *reading["numeric"], *reading["nominal"]}
        texts = tuple(name for name in dict.fromkeys(self.keep) if name not in used)
        return read_like(self.model.schema, source, **{**reading, "nominal": (*reading["nominal"], *texts)})

    def labels(self, table: Table) -> list[Any]:
        """Predict rows: names of classes (None if there is no prediction), or numbers."""
        labels: list[Any] = self.model.predict(table).tolist()
        return labels

    def judge(self, table: Table, labels: list[Any]) -> None:
        """Compare predictions with the target, if the rows have it."""
        if self.model.schema.target is None or self.column.name not in table.schema.names:
            return
        if self.judging is None:
            from hornbeam.cli.predicting.judging import Judging

            self.judging = Judging(self.model, self.column, self.learned_from)
        self.judging.add(table, labels)

    def of(self, table: Table, labels: list[Any]) -> Table:
        """Return the predictions as a table: the columns kept, the prediction, the probabilities."""
        import numpy as np

        from hornbeam.data.schema import Nominal, Numeric, Schema
        from hornbeam.data.table import Table

        names = table.schema.names if self.keep is None else dict.fromkeys(self.keep)
        positions = [table.schema.position(name) for name in names]
        columns: list[Column] = [table.schema.columns[place] for place in positions]
        arrays: list[Any] = [table.columns[place] for place in positions]
        taken = [column.name for column in columns]
        name = _free(self.column.name, f"predicted_{self.column.name}", taken)
        if isinstance(self.column, Nominal):
            codes = {label: code for code, label in reversed(list(enumerate(self.column.categories)))}
            columns.append(Nominal(name, self.column.categories))
            arrays.append(np.array([codes.get(label, -1) for label in labels], np.int32))
        else:
            columns.append(Numeric(name, self.column.format))
            arrays.append(np.array(labels, np.float64))
        if self.proba:
            assert isinstance(self.column, Nominal)
            found = [_free(f"P({one})", f"predicted_P({one})", taken) for one in self.column.categories]
            columns += [Numeric(one) for one in found]
            arrays += list(self.model.predict_proba(table).T)
        role: Role = "feature"
        return Table(Schema(tuple(columns), (role,) * len(columns), table.schema.name), arrays, copy=False)

    def n_written(self, table: Table) -> int:
        """Return the number of columns that are written for some rows."""
        return self.n_predicted + len(table.columns if self.keep is None else dict.fromkeys(self.keep))

    @property
    def n_predicted(self) -> int:
        """The number of columns after the kept ones."""
        return 1 + (len(self.column.categories) if self.proba else 0)  # type: ignore[union-attr]


def _free(name: str, other: str, taken: list[str]) -> str:
    """Return a name that no column has: the first, the other, or the other with a number."""
    number = 2
    name = other if name in taken else name
    while name in taken:
        name, number = f"{other}_{number}", number + 1
    taken.append(name)
    return name
