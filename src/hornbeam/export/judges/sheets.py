"""Judges that compute sheets: LibreOffice, and the Python package formulas.

The rows are put into the first sheet of an exported workbook, and the formulas of its second row are filled down.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from hornbeam.data.files.xml import parsed
from hornbeam.export.excel_writer.sheet import LARGEST, letters
from hornbeam.export.excel_writer.workbook import DAY, FIRST_DAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.judges import Manifests, Result, Rows

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
SHEET = "xl/worksheets/sheet1.xml"
CONTROL = re.compile(r"[\x00-\x1f\x7f\ufffe\uffff]|_x(?=[0-9A-Fa-f]{4}_)")


def find_libreoffice() -> str | None:
    """Return what is missing, if LibreOffice is not installed."""
    if shutil.which("soffice") is None:
        return "LibreOffice (no program `soffice` on the path)"
    return None if find_spec("python_calamine") else "python-calamine (pip install 'hornbeam[excel]')"


def many_libreoffice(paths: Sequence[Path], rows: Rows, manifests: Manifests) -> list[list[Result]]:
    """Compute exported workbooks in LibreOffice, which starts once."""
    if not rows:
        return [[] for _ in paths]
    import python_calamine

    with tempfile.TemporaryDirectory() as folder:
        given = [Path(folder) / f"rows_{number}.xlsx" for number in range(len(paths))]
        for place, path, manifest in zip(given, paths, manifests, strict=True):
            place.write_bytes(with_rows(path.read_bytes(), rows, manifest))
        command = ["soffice", f"-env:UserInstallation={Path(folder, 'profile').as_uri()}", "--headless"]
        command += ["--convert-to", "ods", "--outdir", str(Path(folder) / "computed"), *map(str, given)]
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - no text of ours in it
        computed = [Path(folder) / "computed" / f"{place.stem}.ods" for place in given]
        if done.returncode or not all(place.exists() for place in computed):
            msg = f"soffice stopped with exit code {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"
            raise RuntimeError(msg)
        books = [python_calamine.CalamineWorkbook.from_path(str(place)) for place in computed]
        sheets = [book.get_sheet_by_name("predict").to_python(skip_empty_area=False) for book in books]
    return [
        [_result(cells[row], manifest) for row in range(1, len(rows) + 1)]
        for cells, manifest in zip(sheets, manifests, strict=True)
    ]


def find_formulas() -> str | None:
    """Return what is missing, if the package formulas is not installed."""
    if not find_spec("python_calamine"):
        return "python-calamine (pip install 'hornbeam[excel]')"
    return None if find_spec("formulas") else "the package formulas (pip install formulas)"


def run_formulas(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Compute an exported workbook with the package formulas, cell by cell."""
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_path(str(path))
    sheets = {name.upper(): book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}
    with zipfile.ZipFile(path) as parts:
        cells = _Cells(_formulas(parts.read(SHEET)), sheets)
    first = len(manifest["columns"])
    outputs = [f"{letters(first + k)}2" for k in range(len(manifest["outputs"]))]
    results = []
    for row in rows:
        cells.start({f"{letters(k)}2": _given(row[c["name"]], c) for k, c in enumerate(manifest["columns"])})
        results.append(_result([None] * first + [cells.value(name) for name in outputs], manifest))
    return results


class _Cells:
    """The cells of the second row of a sheet, computed when they are needed."""

    def __init__(self, texts: dict[str, str], sheets: dict[str, list[list[Any]]]) -> None:
        import formulas  # type: ignore[import-untyped]

        parser = formulas.Parser()
        self.computed = {f"{name}2": parser.ast(f"={text}")[1].compile() for name, text in texts.items()}
        self.sheets, self.ranges, self.values = sheets, {}, {}  # type: ignore[var-annotated]

    def start(self, given: dict[str, Any]) -> None:
        """Take the values of a row."""
        self.values = dict(given)

    def value(self, name: str) -> Any:  # noqa: ANN401 - a number, a text or an error
        """Return the value of a cell."""
        pending = [name]
        while pending:
            cell = pending[-1]
            needed = [each for each in self.computed[cell].inputs if "!" not in each and each not in self.values]
            if needed:
                pending += needed
                continue
            function = self.computed[cell]
            found = function(*(self._input(each) for each in function.inputs))
            self.values[cell] = found.ravel()[0] if hasattr(found, "ravel") else found
            pending.pop()
        return self.values[name]

    def _input(self, name: str) -> Any:  # noqa: ANN401 - a value, or a range of cells
        return self.values[name] if "!" not in name else self._range(name)

    def _range(self, name: str) -> Any:  # noqa: ANN401 - a range of cells
        if name not in self.ranges:
            import numpy as np
            from formulas.ranges import Ranges  # type: ignore[import-untyped]

            sheet, _, place = name.partition("!")
            ends = [_place(each) for each in place.split(":")]
            (column, first), (_, last) = ends[0], ends[-1]
            values = [[self.sheets[sheet][row][column]] for row in range(first, last + 1)]
            self.ranges[name] = Ranges().push(name, np.array(values, object))
        return self.ranges[name]


def _place(cell: str) -> tuple[int, int]:
    """Return the column and the row of a cell, counted from 0."""
    name = cell.rstrip("0123456789")
    column = 0
    for letter in name:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1, int(cell[len(name) :]) - 1


def _given(value: Any, column: dict[str, Any]) -> Any:  # noqa: ANN401 - a number, a text or None
    """Return a value in the form that the package formulas expects."""
    if value is None:
        import schedula  # type: ignore[import-untyped]

        return schedula.EMPTY
    return value if isinstance(value, str) else _number(value, column)


def _number(value: float, column: dict[str, Any]) -> float:
    """Return a number for a cell: a date in days, an infinite number as the largest one."""
    if column.get("format") is not None:
        value = value / DAY + FIRST_DAY
    return min(max(value, -LARGEST), LARGEST)


def _result(cells: list[Any], manifest: dict[str, Any]) -> Result:
    first = len(manifest["columns"])
    prediction, *shares = cells[first : first + len(manifest["outputs"])]
    if manifest["target"]["kind"] == "numeric":
        return (float(prediction) if isinstance(prediction, (int, float)) else None), None
    return prediction, [float(share) if isinstance(share, (int, float)) else float("nan") for share in shares]


def with_rows(data: bytes, rows: Rows, manifest: dict[str, Any]) -> bytes:
    """Return a workbook with other rows, its formulas filled down."""
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    formulas = _formulas(parts[SHEET])
    lines = [_line(row + 2, values, len(rows) + 1, formulas, manifest) for row, values in enumerate(rows)]
    parts[SHEET] = (
        f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="{MAIN[1:-1]}"><sheetData>'
        f"{''.join(lines)}</sheetData></worksheet>"
    ).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in parts.items():
            book.writestr(name, part)
    return file.getvalue()


def _formulas(sheet: bytes) -> dict[str, str]:
    """Return the formulas of the second row of a sheet, by column."""
    found: dict[str, str] = {}
    for cell in parsed(sheet).iter(f"{MAIN}c"):
        place, text = cell.get("r", ""), cell.findtext(f"{MAIN}f")
        if text and place.rstrip("0123456789") + "2" == place:
            found[place[:-1]] = text
    return found


def _line(row: int, values: dict[str, Any], last: int, formulas: dict[str, str], manifest: dict[str, Any]) -> str:
    """Return a row of the sheet: its values, and formulas that are shared with the row above."""
    cells = []
    for place, column in enumerate(manifest["columns"]):
        value, name = values[column["name"]], f"{letters(place)}{row}"
        if value is None:
            continue
        if isinstance(value, str):
            written = f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{_escaped(value)}</t></is></c>'
            cells.append(written if value else f'<c r="{name}" t="str"><f>""</f></c>')
            continue
        cells.append(f'<c r="{name}"><v>{_number(value, column)!r}</v></c>')
    for number, (name, text) in enumerate(formulas.items()):
        content = f' ref="{name}2:{name}{last}" si="{number}">{escape(text)}</f>' if row == 2 else f' si="{number}"/>'  # noqa: PLR2004
        cells.append(f'<c r="{name}{row}"><f t="shared"{content}</c>')
    return f'<row r="{row}">{"".join(cells)}</row>'


def _escaped(text: str) -> str:
    """Escape a text for a cell: characters that XML does not allow are written as ``_xHHHH_``."""
    return escape(CONTROL.sub(lambda found: f"_x{ord(found.group()[0]):04X}_" + found.group()[1:], text))
