"""The workbook: a sheet with rows and their predictions, and the same formulas as text."""

from __future__ import annotations

import datetime as dt
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.data.write import write_text
from hornbeam.export.excel_writer.outputs import final
from hornbeam.export.excel_writer.rules import linear_results, rules_results
from hornbeam.export.excel_writer.sheet import LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, ROW, Sheet, is_plain, letters
from hornbeam.export.excel_writer.trees import tree_results
from hornbeam.export.manifest import manifest_line
from hornbeam.export.program import program
from hornbeam.export.writers import unwrap
from hornbeam.model.base.decision import by_threshold, least_cost
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.export.writers import Exportable

WRITERS = {"tree": tree_results, "rules": rules_results, "linear": linear_results}
SAMPLES = 5  # rows that are filled in
CREATED = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - the same model gives the same file
PIECE = 30_000  # characters of the manifest in one cell
DAY, FIRST_DAY = 86_400, 25_569  # seconds; the number of 1970-01-01


@dataclass
class _Written:
    """Formulas of a model: the sheet, its outputs with their headings, and the table that they look up."""

    data: dict[str, Any]
    sheet: Sheet
    outputs: list[tuple[str, str]]
    table: list[list[Any]]

    def formulas(self, row: int) -> list[tuple[str, str]]:
        """Return the headings and the formulas of a row."""
        every = [*self.outputs, *self.sheet.helpers]
        return [(title, f"={text.replace(ROW, str(row))}") for title, text in every]


def excel(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> bytes:
    """Write a small model as an Excel workbook, whose formulas predict as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : model or fitted estimator
        What to write: a tree, a model tree, rules or a linear model.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    bytes
        The file. Its first sheet has a column per feature, the prediction, the probabilities of classes, and columns
        that the formulas need; copy the formulas of a row down for more rows. Empty cells and categories that the
        model does not know are missing values.

    Raises
    ------
    TypeError
        If formulas cannot hold the model; the message has the reason and an alternative.
    ValueError
        If the model does not fit in a sheet.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> data = export.excel(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> data[:2]
    b'PK'
    """
    xlsxwriter = need_xlsxwriter()
    written = _written(model, costs, decision_threshold)
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"title": "Predictions of a model learned by hornbeam", "created": CREATED})
        _fill_rows(book, written, model)
        _fill_columns(book, written)
        if written.table:
            _fill_table(book.add_worksheet("results"), written)
        _fill_manifest(book, written, model)
    return file.getvalue()


def formula(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> str:
    r"""Write the formulas of a small model as text, to paste into a sheet.

    Parameters
    ----------
    model : model or fitted estimator
        What to write: a tree, a model tree, rules or a linear model.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    str
        One line per column of the second row: its letters, its name and its formula, with tabs between them. Columns of
        the model come first; they have no formula.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> text = export.formula(hornbeam.OneRClassifier().fit(hornbeam.read("weather")))
    >>> [line.split("\t") for line in text.splitlines() if "\tprediction" in line]
    [['E', 'prediction', '=IF(EXACT($A2,"sunny"),"no","yes")']]
    """
    written = _written(model, costs, decision_threshold)
    if written.table:
        msg = "the formulas of this model look up a table of results; write a workbook (excel) instead"
        raise ValueError(msg)
    named = [(column["name"], "") for column in written.data["columns"]]
    lines = ["# " + manifest_line(model, "formula")]
    for place, (title, text) in enumerate([*named, *written.formulas(2)]):
        title = " ".join(title.split())  # noqa: PLW2901 - a name may have tabs and line breaks
        lines.append("\t".join(filter(None, (letters(place), title, text))))
    return "\n".join(lines) + "\n"


def need_xlsxwriter() -> Any:  # noqa: ANN401 - a module
    """Return the package xlsxwriter, or raise an ImportError that names what to install."""
    try:
        import xlsxwriter  # type: ignore[import-untyped]
    except ImportError:
        raise ImportError("writing a workbook needs xlsxwriter: pip install 'hornbeam[excel]'") from None
    return xlsxwriter


def _written(model: Any, costs: ArrayLike | None, threshold: float | None) -> _Written:  # noqa: ANN401
    data = program(model, "formulas", costs, threshold)
    kind = data["model"]["kind"]
    if kind not in WRITERS:
        msg = (
            f"cannot write a model of the kind {unwrap(model)[1].KIND} as formulas, which are for a tree, rules or a "
            "linear model; use python, javascript, c or sql"
        )
        raise TypeError(msg)
    _check_sizes(data)
    classes = data["target"].get("categories", ())
    titles = ["prediction", *(f"probability({name})" for name in classes)]
    sheet = Sheet(data["columns"], data["target"], len(titles))
    outputs, table = final(sheet, WRITERS[kind](sheet, data["model"]), data["decide"])
    return _Written(data, sheet, [(t, o.text) for t, o in zip(titles, outputs, strict=True)], table)


def _check_sizes(data: dict[str, Any]) -> None:
    """Raise an error if the model does not fit in a sheet."""
    if len(data["columns"]) + len(data["target"].get("categories", ())) >= MOST_COLUMNS:
        msg = (
            f"the model has {len(data['columns'])} columns; a sheet has room for {MOST_COLUMNS:,}, predictions included"
        )
        raise ValueError(msg)
    for column in [*data["columns"], data["target"]]:
        names = column.get("categories", ())
        if len(names) >= MOST_ROWS:
            msg = f"column {column['name']!r} has {len(names):,} categories; a sheet has room for {MOST_ROWS - 1:,}"
            raise ValueError(msg)
        longest = max(map(len, (column["name"], *names)))
        if longest > LONGEST_CELL:
            name = column["name"][:40]
            msg = f"column {name!r}: a name of {longest:,} characters; a cell has room for {LONGEST_CELL:,}"
            raise ValueError(msg)


def _fill_rows(book: Any, written: _Written, model: Any) -> None:  # noqa: ANN401 - a workbook; a model
    """Write the sheet with rows and their predictions."""
    sheet = book.add_worksheet("predict")
    bold, blue = book.add_format({"bold": True}), book.add_format({"bold": True, "bg_color": "#DCE6F1"})
    gray = book.add_format({"font_color": "#808080"})
    as_text, as_date = book.add_format({"num_format": "@"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    samples, columns = _samples(written.data), written.data["columns"]
    for place, (column, values) in enumerate(zip(columns, samples, strict=True)):
        form = as_text if column["kind"] == "nominal" else as_date if column["format"] is not None else None
        sheet.set_column(place, place, max(10, min(len(column["name"]), 30)), form)
        write_text(sheet, 0, place, column["name"], bold)
        for row, value in enumerate(values, 1):
            if isinstance(value, str):
                write_text(sheet, row, place, value, as_text)
            elif value is not None:
                sheet.write_number(row, place, value, form)
    expected = _expected(written.data, model, samples)
    n_outputs = len(written.outputs)
    for place, (title, _) in enumerate(written.formulas(2)):
        write_text(sheet, 0, len(columns) + place, title, blue if place < n_outputs else gray)
    for row in range(1, SAMPLES + 1):
        for place, (_, text) in enumerate(written.formulas(row + 1)):
            value = expected[row - 1][place] if place < n_outputs else 0
            value = "" if isinstance(value, str) and not is_plain(value) else value  # xlsxwriter would not escape it
            sheet.write_formula(row, len(columns) + place, text, None if place < n_outputs else gray, value)
    sheet.set_column(len(columns), len(columns) + n_outputs - 1, 14)
    if written.sheet.helpers:
        first = len(columns) + n_outputs
        sheet.set_column(first, first + len(written.sheet.helpers) - 1, 10, None, {"level": 1, "hidden": True})
        sheet.set_column(
            first + len(written.sheet.helpers), first + len(written.sheet.helpers), None, None, {"collapsed": True}
        )
    sheet.freeze_panes(1, 0)


def _fill_columns(book: Any, written: _Written) -> None:  # noqa: ANN401 - a workbook
    """Write the sheet with the columns and their categories."""
    sheet = book.add_worksheet("columns")
    bold = book.add_format({"bold": True})
    for place, column in enumerate([*written.data["columns"], written.data["target"]]):
        write_text(sheet, 0, place, column["name"], bold)
        if column["kind"] == "numeric":
            write_text(sheet, 1, place, "a number" if column["format"] is None else "a date")
        for row, name in enumerate(column.get("categories", ()), 1):
            write_text(sheet, row, place, name)


def _fill_table(sheet: Any, written: _Written) -> None:  # noqa: ANN401 - a worksheet
    """Write the results that the formulas look up."""
    for place, title in enumerate(["result", *(title for title, _ in written.outputs)]):
        write_text(sheet, 0, place, title)
    for row, values in enumerate(written.table, 1):
        sheet.write_number(row, 0, row)
        for place, value in enumerate(values, 1):
            if isinstance(value, str):
                write_text(sheet, row, place, value)
            elif np.isnan(value):
                sheet.write_formula(row, place, "=NA()", None, "#N/A")
            else:
                sheet.write_number(row, place, value)


def _fill_manifest(book: Any, written: _Written, model: Any) -> None:  # noqa: ANN401 - a workbook; a model
    """Write the manifest, in as many cells as it needs."""
    sheet = book.add_worksheet("manifest")
    line = manifest_line(model, "excel", outputs=[title for title, _ in written.outputs])
    write_text(sheet, 0, 0, "What these predictions were made from; `hornbeam check` reads it.")
    for row, start in enumerate(range(0, len(line), PIECE), 1):
        write_text(sheet, row, 0, line[start : start + PIECE])


# ---- rows that are filled in ----


def _samples(data: dict[str, Any]) -> list[list[Any]]:
    """Return values for the first rows of every column: categories in turn, and numbers at the cuts of the model."""
    cuts = _cuts(data["model"])
    found: list[list[Any]] = []
    for place, column in enumerate(data["columns"]):
        choices: list[Any] = list(column.get("categories", ()))
        if column["kind"] == "numeric":
            choices = sorted(cuts.get(place, ()))
            choices += [choices[-1] + 1] if choices else []
            if column["format"] is not None:
                choices = [cut / DAY + FIRST_DAY for cut in choices]
        found.append([choices[row % len(choices)] if choices else None for row in range(SAMPLES)])
    return found


def _cuts(plain: Any) -> dict[int, set[float]]:  # noqa: ANN401 - plain data
    """Return the cuts of every column."""
    found: dict[int, set[float]] = {}
    for split in plain.get("splits", ()):
        if split[0] == CUTS:
            found.setdefault(split[1], set()).update(cut for cut in map(float, split[3]) if abs(cut) < np.inf)
    for rule in plain.get("rules", ()):
        for sign, column, bound, *_ in rule["conditions"]:
            if sign not in ("in", "missing") and abs(float(bound)) < np.inf:
                found.setdefault(column, set()).add(float(bound))
    return found


def _expected(data: dict[str, Any], model: Any, samples: list[list[Any]]) -> list[list[Any]]:  # noqa: ANN401
    """Return the predictions of the rows, for programs that show a sheet without computing it."""
    _, plain = unwrap(model)
    columns = [plain.schema.columns[place] for place in plain.schema.features]
    arrays: list[Any] = []
    for column, values in zip(columns, samples, strict=True):
        if isinstance(column, Nominal):
            code_of = {name: code for code, name in enumerate(column.categories)}
            arrays.append(np.array([code_of.get(value, -1) for value in values], np.int32))
        else:
            scale, start = (1, 0) if column.format is None else (DAY, FIRST_DAY)
            arrays.append(np.array([np.nan if value is None else (value - start) * scale for value in values], float))
    table = Table(Schema(tuple(columns), name="rows"), arrays)
    if plain.task != "classification":
        return [[value if np.isfinite(value) else "#N/A"] for value in plain.predict(table).tolist()]
    shares, decide = plain.probabilities(table), data["decide"]
    codes: Any
    if "costs" in decide:
        codes = least_cost(shares, [[float(cost) for cost in row] for row in decide["costs"]], decide.get("withRows"))
    elif "threshold" in decide:
        codes = by_threshold(shares, 1, float(decide["threshold"]), decide.get("withRows"))
    else:
        codes = plain.predict_codes(table)
    names = data["target"]["categories"]
    return [[names[code] if code >= 0 else "", *row] for code, row in zip(codes.tolist(), shares.tolist(), strict=True)]
