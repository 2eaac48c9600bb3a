"""Sheets of Excel (.xlsx, .xls) and OpenDocument (.ods) workbooks, through python-calamine."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, shorten
from hornbeam.data.files.archive import Archive, listed, part_of
from hornbeam.data.files.cells import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how .xls files, and encrypted .xlsx files, start
MOST_CELLS = 20_000_000  # in a sheet of mostly empty cells
_MOST_EMPTY = 50  # per filled cell, in a larger sheet
_CELL = re.compile(rb"""\br\s*=\s*["']\$?([A-Za-z]{1,7})\$?([0-9]{1,9})["']""")
_REPEATED = re.compile(rb"""number-(?:columns|rows)-repeated\s*=\s*["']([0-9]{1,12})["']""")
_PIECE = 1 << 22
_LETTERS = 26


def is_workbook(names: tuple[str, ...]) -> bool:
    """Whether a zip archive is a workbook."""
    return "xl/workbook.xml" in names or ("content.xml" in names and "mimetype" in names) or "xl/workbook.bin" in names


def excel_as_text(data: bytes, wanted: str | None, file_name: str) -> tuple[bytes, str, list[str]]:
    """Turn a sheet of a workbook into delimited text; also return the sheet's name and the notes about it."""
    try:
        import python_calamine as calamine  # noqa: PLC0415 (an extra)
    except ImportError:
        msg = "an Excel workbook needs python-calamine: pip install 'hornbeam[excel]'"
        raise DataError(msg) from None
    if data[: len(OLE)] != OLE:
        _check_size(Archive(data))
    try:
        book = calamine.load_workbook(io.BytesIO(data))
        names = [sheet.name for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        chosen, notes = _choose(book, names, wanted, file_name)
        found = book.get_sheet_by_name(chosen)
        return as_text(_rows(found)), chosen, notes
    except DataError:
        raise
    except calamine.PasswordError:
        raise DataError("the workbook is encrypted; save it without a password") from None
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":  # of the compiled reader
            raise
        msg = f"the workbook is damaged or of an unknown kind: {shorten(str(error))}"
        raise DataError(msg) from None


def _choose(book: Any, names: list[str], wanted: str | None, file_name: str) -> tuple[str, list[str]]:  # noqa: ANN401
    shown = listed(names)
    if wanted is not None:
        if wanted not in names:
            msg = f"there is no sheet {shorten(wanted)}; the workbook has {shown}"
            raise DataError(msg)
        return wanted, []
    if not names:
        raise DataError("the workbook has no sheets")
    chosen = next((name for name in names if book.get_sheet_by_name(name).height), names[0])
    if len(names) == 1:
        return chosen, []
    other = next(name for name in names if name != chosen)
    which = "the first" if chosen == names[0] else "the first that is not empty"
    return chosen, [
        f"sheet: {shorten(chosen)} is read, {which} of {len(names)} ({shown}); {part_of(file_name, other)} to change"
    ]


def _rows(sheet: Any) -> Iterator[list[object]]:  # noqa: ANN401 (a CalamineSheet)
    """Return the rows from the top of the sheet, so that lines are its rows, without empty columns on the left."""
    if not sheet.height:
        msg = f"the sheet {shorten(sheet.name)} is empty; expected a header and rows"
        raise DataError(msg)
    for _ in range(sheet.start[0]):
        yield []
    for row in sheet.to_python(skip_empty_area=True):
        yield [] if all(value == "" for value in row) else row


def _check_size(archive: Archive) -> None:
    """Refuse a workbook that unpacks to too much, or whose few cells are so far apart that a sheet fills the memory."""
    archive.check_size()
    for name in archive.names:
        if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
            _check_cells(name, *_extent(archive.content(name)))
        elif name == "content.xml":
            for sheet in archive.content(name).split(b"<table:table ")[1:]:
                _check_cells(name, *_repeated_extent(sheet))


def _check_cells(name: str, height: int, width: int, filled: int) -> None:
    if height * width > max(MOST_CELLS, _MOST_EMPTY * filled):
        msg = f"{name} has {filled} cells in {height} rows and {width} columns; expected fewer empty cells between them"
        raise DataError(msg)


def _extent(sheet: bytes) -> tuple[int, int, int]:
    """Return the last row, the last column and the number of cells of an Excel sheet."""
    height = width = filled = start = 0
    while start < len(sheet):
        end = sheet.find(b">", start + _PIECE)
        end = len(sheet) if end < 0 else end + 1
        cells = _CELL.findall(sheet, start, end)
        filled += len(cells)
        if cells:
            height = max(height, *{int(row) for _, row in cells})
            width = max(width, *map(_column, {letters for letters, _ in cells}))
        start = end
    return height, width, filled


def _repeated_extent(sheet: bytes) -> tuple[int, int, int]:
    """Return the last row, the last column and the number of cells of an OpenDocument sheet with repeated cells."""
    height = width = filled = rows = 0
    for row in sheet.split(b"<table:table-row")[1:]:
        head, _, cells = row.partition(b">")
        times = _REPEATED.search(head)
        rows += int(times[1]) if times else 1
        last = max(cells.rfind(b"<text:"), cells.rfind(b"office:value"))
        if last < 0:
            continue
        columns = [
            _REPEATED.search(cell) for cell in cells[:last].split(b"table-cell")[1:] if not cell.startswith(b">")
        ]
        filled += len(columns)
        height, width = rows, max(width, sum(int(found[1]) if found else 1 for found in columns))
    return height, width, filled


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * _LETTERS + letter - ord("A") + 1
    return number
