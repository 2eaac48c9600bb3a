"""`hornbeam predict --explain`: why rows get their predictions, as text, as JSON, or as a column of a table."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from hornbeam.cli.predicting.predicted import joined
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hornbeam.cli.predict import Prediction

    Write = Callable[[Table, Sequence[int], list[str]], None]

ALL = "all"
MOST_NAMED = 1_000_000  # rows that are named by number
BLOCK_ROWS = 1024  # of which some models need all for the explanation of one


def explain_rows(prediction: Prediction, tables: Iterable[Table], typed: str, output: str | None, form: str) -> None:
    """Write why rows get their predictions; of all rows, part by part."""
    rows = rows_typed(typed)
    if rows is not None:
        tables = [_chosen(tables, rows, typed)]
    first = 0
    with _opened(prediction, output, form) as write:
        for table in tables:
            numbers = range(first, first + table.n_rows) if rows is None else rows
            predicted = prediction.of(table, prediction.labels(table))
            write(predicted, numbers, _explained(prediction, table, numbers))
            first += table.n_rows


def rows_typed(typed: str) -> list[int] | None:
    """Convert row numbers counted from 1, such as ``3`` or ``1,5..9``, to indices; ``all`` to None.

    Examples
    --------
    >>> rows_typed("1,5..7"), rows_typed("all")
    ([0, 4, 5, 6], None)
    """
    if typed.strip().lower() == ALL:
        return None
    rows: list[int] = []
    for part in typed.split(","):
        low, dots, high = part.strip().partition("..")
        if not low.isdecimal() or (dots and not high.isdecimal()) or int(low) < 1:
            msg = f"--explain {typed}: expected row numbers from 1, such as 3 or 1,5..9, or {ALL}"
            raise ValueError(msg)
        last = int(high) if dots else int(low)
        if len(rows) + last - int(low) >= MOST_NAMED:
            msg = f"--explain {typed}: expected at most {MOST_NAMED:,} rows by number, or {ALL}"
            raise ValueError(msg)
        rows.extend(range(int(low) - 1, last))
    return rows


def _chosen(tables: Iterable[Table], rows: list[int], typed: str) -> Table:
    """Return the rows with these indices, in this order, from tables that follow each other."""
    wanted = np.unique(np.array(rows, np.int64))
    found: list[Table] = []
    first = 0
    for table in tables:
        here = wanted[(wanted >= first) & (wanted < first + table.n_rows)]
        found.append(table.take(here - first))
        first += table.n_rows
    if len(wanted) and wanted[-1] >= first:
        msg = f"--explain {typed}: the data have {first} rows"
        raise ValueError(msg)
    whole = found[0] if len(found) == 1 else joined([table for table in found if table.n_rows] or found[:1])
    return whole.take(np.searchsorted(wanted, rows))


def _explained(prediction: Prediction, table: Table, numbers: Sequence[int]) -> list[str]:
    """Explain every row of a table; `numbers` are the indices of the rows in the file."""
    from hornbeam.show import explain

    texts: list[str] = []
    for start in range(0, table.n_rows, BLOCK_ROWS):
        block = table.take(np.arange(start, min(start + BLOCK_ROWS, table.n_rows)))
        for row in range(block.n_rows):
            text = str(explain(prediction.model, block, row))
            texts.append(f"row {numbers[start + row] + 1}{text.removeprefix(f'row {row + 1}')}")
    return texts


@contextmanager
def _opened(prediction: Prediction, output: str | None, form: str) -> Iterator[Write]:
    """Return a function that writes some rows of predictions, their numbers and their explanations."""
    from hornbeam.cli.predict import CsvWriter, opened_text, spooled

    if form not in ("text", "json", "csv", "tsv"):
        with spooled(output, form, prediction) as add:
            yield lambda table, _, texts: add(_with_texts(table, texts))
        return
    with opened_text(output) as stream:
        if form == "text":
            yield _as_text(stream, prediction)
        elif form == "json":
            explained: list[dict[str, Any]] = []
            yield lambda table, numbers, texts: explained.extend(_as_json(table, prediction, numbers, texts))
            found = {"target": prediction.column.name, "explanations": explained}
            stream.write(json.dumps(found, allow_nan=False) + "\n")
        else:
            writer = CsvWriter(stream, prediction.n_predicted + 1, "\t" if form == "tsv" else ",")
            yield lambda table, _, texts: writer(_with_texts(table, texts))


def _as_text(stream: TextIO, prediction: Prediction) -> Write:
    is_first = True

    def write(table: Table, _: Sequence[int], texts: list[str]) -> None:
        nonlocal is_first
        for text in _headed(table, prediction, texts):
            stream.write(f"{'' if is_first else chr(10)}{text}\n")
            is_first = False

    return write


def _headed(table: Table, prediction: Prediction, texts: list[str]) -> list[str]:
    """Put the kept columns of a row above its explanation, and the probabilities below it."""
    first = len(table.columns) - prediction.n_predicted
    heads = [f"{line}\n" for line in _lines(table, range(first))] if first else [""] * len(texts)
    ends = [""] * len(texts)
    if prediction.proba:
        ends = [f"\nprobabilities: {line}" for line in _lines(table, range(first + 1, len(table.columns)), ".6g")]
    return [f"{head}{text}{end}" for head, text, end in zip(heads, texts, ends, strict=True)]


def _lines(table: Table, places: range, form: str = "") -> list[str]:
    """Return a line for every row: the names of some columns, each with its value."""
    from hornbeam.cli.predicting.predicted import plain_values
    from hornbeam.data.in_words import printable
    from hornbeam.data.infer import show_number

    def shown(value: Any) -> str:  # noqa: ANN401 - a number, a text or None
        if isinstance(value, float):
            return format(value, form) if form else show_number(value)
        return "?" if value is None else str(value)

    names = table.schema.names[places.start : places.stop]
    columns = [plain_values(table.schema.columns[place], table.columns[place]) for place in places]
    return [
        printable(", ".join(f"{name} {shown(value)}" for name, value in zip(names, row, strict=True)))
        for row in zip(*columns, strict=True)
    ]


def _as_json(
    table: Table, prediction: Prediction, numbers: Sequence[int], texts: list[str]
) -> Iterator[dict[str, Any]]:
    from hornbeam.cli.predicting.predicted import plain_values

    first = len(table.columns) - prediction.n_predicted
    columns = [plain_values(*pair) for pair in zip(table.schema.columns, table.columns, strict=True)]
    for index, (row, text) in enumerate(zip(numbers, texts, strict=True)):
        one: dict[str, Any] = {"row": row + 1, "prediction": columns[first][index]}
        if first:
            one["kept"] = {name: columns[place][index] for place, name in enumerate(table.schema.names[:first])}
        if prediction.proba:
            assert isinstance(prediction.column, Nominal)
            found = (columns[place][index] for place in range(first + 1, len(columns)))
            one["probabilities"] = dict(zip(prediction.column.categories, found, strict=True))
        yield one | {"explanation": text}


def _with_texts(table: Table, texts: list[str]) -> Table:
    """Return the predictions with a last column of explanations, each in one line."""
    lines = ["; ".join(line.strip() for line in text.split("\n")[1:]) for text in texts]
    categories = tuple(dict.fromkeys(lines))
    code_of = {line: code for code, line in enumerate(categories)}
    name = "explanation" if "explanation" not in table.schema.names else "explanation_of_prediction"
    schema = Schema((*table.schema.columns, Nominal(name, categories)), (*table.schema.roles, "feature"), "predictions")
    return Table(schema, [*table.columns, np.array([code_of[line] for line in lines], np.int32)], copy=False)
