"""`hornbeam predict --explain`: why rows get their predictions, as text, as JSON, or as a column of a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.cli.predict import Prediction

ALL = "all"


def explain_rows(prediction: Prediction, table: Table, typed: str, output: str | None, form: str) -> None:
    """Write why rows get their predictions."""
    from hornbeam.cli.predict import opened_text
    from hornbeam.show import explain

    rows = rows_typed(typed, table.n_rows)
    texts: list[str] = [explain(prediction.model, table, row) for row in rows]
    chosen = table.take(np.array(rows, np.int64))
    predicted = prediction.of(chosen, prediction.labels(chosen))
    if form == "text":
        with opened_text(output) as stream:
            stream.write("\n\n".join(_headed(predicted, prediction, texts)) + "\n")
    elif form == "json":
        with opened_text(output) as stream:
            stream.write(_as_json(predicted, prediction, rows, texts) + "\n")
    else:
        _write_table(predicted, prediction, texts, output, form)


def rows_typed(typed: str, n_rows: int) -> list[int]:
    """Convert row numbers counted from 1, such as ``3``, ``1,5..9`` or ``all``, to indices.

    Examples
    --------
    >>> rows_typed("1,5..7", 10), rows_typed("all", 3)
    ([0, 4, 5, 6], [0, 1, 2])
    """
    if typed.strip().lower() == ALL:
        return list(range(n_rows))
    rows: list[int] = []
    for part in typed.split(","):
        low, dots, high = part.strip().partition("..")
        if not low.isdecimal() or (dots and not high.isdecimal()) or int(low) < 1:
            msg = f"--explain {typed}: expected row numbers from 1, such as 3 or 1,5..9, or {ALL}"
            raise ValueError(msg)
        last = int(high) if dots else int(low)
        if last > n_rows:
            msg = f"--explain {typed}: the data have {n_rows} rows"
            raise ValueError(msg)
        rows.extend(range(int(low) - 1, last))
    return rows


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


def _as_json(table: Table, prediction: Prediction, rows: list[int], texts: list[str]) -> str:
    from hornbeam.cli.predicting.predicted import plain_values

    first = len(table.columns) - prediction.n_predicted
    columns = [plain_values(*pair) for pair in zip(table.schema.columns, table.columns, strict=True)]
    explained: list[dict[str, Any]] = []
    for index, (row, text) in enumerate(zip(rows, texts, strict=True)):
        one: dict[str, Any] = {"row": row + 1, "prediction": columns[first][index]}
        if first:
            one["kept"] = {name: columns[place][index] for place, name in enumerate(table.schema.names[:first])}
        if prediction.proba:
            assert isinstance(prediction.column, Nominal)
            found = (columns[place][index] for place in range(first + 1, len(columns)))
            one["probabilities"] = dict(zip(prediction.column.categories, found, strict=True))
        explained.append(one | {"explanation": text})
    return json.dumps({"target": prediction.column.name, "explanations": explained}, allow_nan=False)


def _write_table(table: Table, prediction: Prediction, texts: list[str], output: str | None, form: str) -> None:
    """Write the predictions with a last column of explanations, each in one line."""
    from hornbeam.cli.predict import CsvWriter, opened_text

    lines = ["; ".join(line.strip() for line in text.split("\n")[1:]) for text in texts]
    categories = tuple(dict.fromkeys(lines))
    code_of = {line: code for code, line in enumerate(categories)}
    name = "explanation" if "explanation" not in table.schema.names else "explanation_of_prediction"
    schema = Schema((*table.schema.columns, Nominal(name, categories)), (*table.schema.roles, "feature"), "predictions")
    whole = Table(schema, [*table.columns, np.array([code_of[line] for line in lines], np.int32)], copy=False)
    if form in ("csv", "tsv"):
        with opened_text(output) as stream:
            CsvWriter(stream, prediction.n_predicted + 1, "\t" if form == "tsv" else ",")(whole)
        return
    from hornbeam.data.write import write

    assert output is not None
    write(whole, output)
