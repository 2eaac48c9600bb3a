"""Read a path, optionally with a part after ``::``, into a Table. The format is recognized by the content.

Heavy libraries are imported only by the reader that needs them.
"""

from __future__ import annotations

import difflib
import errno
import glob
import os
import re
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, shorten
from hornbeam.data.infer import Kinds, apply_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.infer import FindKinds
    from hornbeam.data.table import Table
    from hornbeam.data.text.sniff import TextForm

PART = "::"
_SUFFIXES = re.compile(
    r"\.(csv|tsv|tab|txt|data|arff|parquet|pq|feather|arrow|ipc|xlsx|xlsm|xls|ods|json|jsonl|ndjson|db|sqlite3?|duckdb)"
    r"?(\.(gz|zip|bz2|xz|zst))?$",
    re.IGNORECASE,
)
_ARFF = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t\v\f]*(?:%[^\r\n]*)?[\r\n]+)*+[ \t\v\f]*@(?:relation|attribute|data)\b", re.IGNORECASE
)
# A file that starts like this is JSON, whatever its name: [{ or {"name":
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*\{\s*["}]|\[\s*\[\s*["0-9tfn-]|\{\s*"(?:[^"\\]|\\.){0,1000}"\s*:)')
_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|table)\b", re.IGNORECASE)
_BINARY_SUFFIXES = (".parquet", ".pq", ".feather", ".arrow", ".ipc", ".xlsx", ".xlsm", ".ods", ".duckdb", ".zip")
_HEAD = 1 << 16
_MOST_LAYERS = 3  # an archive inside an archive
_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Request:
    """The options of the caller."""

    kinds: FindKinds  # from the column names, the kinds that the caller named
    form: TextForm  # the caller's options for delimited text
    ignore: tuple[str, ...]  # columns that will not be used

    def with_nominal(self, columns: frozenset[str]) -> Request:
        """Return the same request with more columns that are read as categories."""

        def kinds(names: Sequence[str]) -> Kinds:
            named = self.kinds(names)
            return replace(named, nominal=named.nominal | columns)

        return replace(self, kinds=kinds)


@dataclass(frozen=True)
class Content:
    """The content of a file."""

    data: bytes  # all of it
    name: str  # the file's name; its ending distinguishes formats that look alike
    title: str  # the name of a table that has none of its own
    part: str | None = None  # the part given after ``::``
    layers: int = 0  # the archives around it

    @property
    def suffix(self) -> str:
        """The ending of the name, in lower case."""
        return Path(self.name).suffix.lower()


def open_source(source: Any, request: Request) -> Table:  # noqa: ANN401 (a path)
    """Read a path, a pattern of paths, ``-`` for standard input, or the name of an example set."""
    if isinstance(source, str) and source == "-":
        return open_content(Content(sys.stdin.buffer.read(), "", "standard input"), request)
    path, part = _split(source)
    if not _exists(path):
        if isinstance(source, str) and _PATTERN.search(str(path)):
            from hornbeam.data.files.several import read_several  # noqa: PLC0415 (only where needed)

            return read_several(_matching(str(path), part), request)
        from hornbeam.data import examples  # noqa: PLC0415 (only where needed)

        if isinstance(source, str) and source in examples.names():
            _refuse_form(source, request.form)
            return apply(examples.load(source), request)
        raise _not_found(path, source)
    try:
        with path.open("rb") as file:
            data = file.read()  # not mapped: a file that is truncated while it is mapped ends the process
        table = open_content(Content(data, path.name, _SUFFIXES.sub("", path.name), part), request)
    except DataError as error:
        raise _in_file(error, path.name) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise DataError(msg) from None
    log = path.with_name(path.name + "-wal")  # of a SQLite database that another program has open
    if data[:16] == b"SQLite format 3\0" and _exists(log) and log.stat().st_size:
        return noted(table, [f"database: changes that are still in {log.name} are not read"])
    return table


def _refuse_form(example: str, form: TextForm) -> None:
    usual = type(form)()
    given = [each.name for each in fields(form) if getattr(form, each.name) not in (getattr(usual, each.name), (), [])]
    if given:
        msg = f"{example!r} is an example set; {', '.join(given)} can only be given for files"
        raise DataError(msg)


def _split(source: Any) -> tuple[Path, str | None]:  # noqa: ANN401 (a path)
    """Split a path from the part after it, unless there is a file of the whole name."""
    written = os.fspath(source)
    path, mark, part = written.partition(PART)
    if not mark or not path or _exists(Path(written)):
        return Path(written), None
    return Path(path), part


def _exists(path: Path) -> bool:
    try:
        return path.is_file() or path.is_fifo()
    except ValueError as error:  # a NUL inside the name
        msg = f"{str(path)!r} is not a path: {error}"
        raise DataError(msg) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        msg = f"the path {shorten(str(path))} has {len(str(path))} characters, more than the system allows"
        raise DataError(msg) from None


def _matching(pattern: str, part: str | None) -> list[str]:
    found = sorted(path for path in glob.glob(pattern, recursive=True) if Path(path).is_file())  # noqa: PTH207
    if not found:
        msg = f"no file matches {pattern!r}"
        raise DataError(msg)
    return found if part is None else [f"{path}{PART}{part}" for path in found]


def _in_file(error: DataError, name: str) -> DataError:
    named = DataError(f"{name}: {error}")
    named.line, named.column = error.line, error.column
    return named


def _not_found(path: Path, source: object) -> DataError:
    if path.is_dir():
        return DataError(f"{path} is a folder; expected a file, or a pattern such as '{path}/*.csv'")
    from hornbeam.data import examples  # noqa: PLC0415 (only where needed)

    close = difflib.get_close_matches(str(source), examples.names(), 1)
    hint = f" (did you mean the example set {close[0]!r}?)" if close else ""
    return DataError(f"there is no file {str(path)!r}, nor an example set of that name{hint}")


def apply(table: Table, request: Request) -> Table:
    """Return the table with the kinds of columns that the caller named."""
    return apply_kinds(table, request.kinds(table.schema.names))


def noted(table: Table, notes: Sequence[str]) -> Table:
    """Return the table with more notes, which come first."""
    return table.with_notes([*notes, *table.notes]) if notes else table


def open_content(content: Content, request: Request) -> Table:
    """Read the content of a file by its format."""
    head = content.data[:_HEAD]
    packed = _packed(content, request, head) or _database(content, request, head)
    if packed is not None:
        return packed
    if content.part is not None:
        msg = f"{PART}{content.part} names a part, which only workbooks, databases and zip files have"
        raise DataError(msg)
    if head[:4] == b"PAR1" or head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff":
        from hornbeam.data.frame import from_arrow_bytes  # noqa: PLC0415 (imports pyarrow)

        return apply(from_arrow_bytes(content.data, name=content.title, ignore=request.ignore), request)
    if content.suffix in _BINARY_SUFFIXES:
        msg = f"the name ends in {content.suffix}, but the content begins with {shorten(repr(head[:8]))}"
        raise DataError(msg)
    if content.suffix == ".arff" or _ARFF.match(head) or _is_wide_arff(head):
        return apply(_arff(content, request.form.encoding), request)
    if _PAGE.match(head):
        raise DataError("the file is a web page or XML; expected a table (open it in a spreadsheet and save it as CSV)")
    return _text(content, request, head)


def _text(content: Content, request: Request, head: bytes) -> Table:
    if _JSON.match(head) or (content.suffix in {".json", ".jsonl", ".ndjson"} and head):
        from hornbeam.data.files.json_rows import json_as_text  # noqa: PLC0415 (only where needed)

        text, notes = json_as_text(content.data, request.form.encoding, request.ignore)
        return _cells(text, notes, content.title, request, names=True)
    from hornbeam.data.text.csv import read_csv  # noqa: PLC0415 (imports pyarrow)

    prefer = "\t" if content.suffix in {".tsv", ".tab"} else None
    return read_csv(content.data, request.kinds, request.form, name=content.title, prefer=prefer, ignore=request.ignore)


def _cells(text: bytes, notes: Sequence[str], title: str, request: Request, *, names: bool) -> Table:
    """Read the text of another format's cells; with `names`, its first line is the header."""
    from hornbeam.data.files.cells import of_cells  # noqa: PLC0415 (only where needed)
    from hornbeam.data.text.csv import read_csv  # noqa: PLC0415 (imports pyarrow)

    form = of_cells(request.form, names=names)
    left_out = {note.partition(": left out")[0] for note in notes if ": left out" in note}
    ignore = [name for name in request.ignore if name not in left_out]
    return noted(read_csv(text, request.kinds, form, name=title, ignore=ignore), notes)


def _packed(content: Content, request: Request, head: bytes) -> Table | None:
    """Read gzipped files, zip archives and workbooks; None for others."""
    if head[:2] == b"\x1f\x8b":
        from hornbeam.data.files.unzip import unzipped  # noqa: PLC0415 (only where needed)

        name = re.sub(r"\.gz$", "", content.name, flags=re.IGNORECASE)
        return open_content(_inside(content, unzipped(content.data), name), request)
    if head.startswith((b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")):
        from hornbeam.data.files.unzip import unpacked  # noqa: PLC0415 (only where needed)

        name = re.sub(r"\.(bz2|xz|zst)$", "", content.name, flags=re.IGNORECASE)
        return open_content(_inside(content, unpacked(content.data), name), request)
    if head[:4] not in {b"PK\3\4", b"PK\5\6"} and head[:8] != b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        return None
    from hornbeam.data.files.excel import OLE, excel_as_text, is_workbook  # noqa: PLC0415 (only where needed)

    if head[: len(OLE)] != OLE:
        from hornbeam.data.files.archive import Archive, choose  # noqa: PLC0415 (only where needed)

        archive = Archive(content.data)
        if not is_workbook(archive.names):
            name, part, note = choose(archive.names, content.part, content.name)
            inside = _inside(content, archive.content(name), Path(name).name)
            title = _SUFFIXES.sub("", inside.name) or content.title
            try:
                return noted(open_content(replace(inside, part=part, title=title), request), [note] if note else [])
            except DataError as error:
                raise _in_file(error, name) from None
    text, sheet, notes = excel_as_text(content.data, content.part, content.name)
    title = content.title if content.part is None else sheet
    return _cells(text, notes, title, request, names=False)


def _inside(content: Content, data: bytes, name: str) -> Content:
    if content.layers >= _MOST_LAYERS:
        raise DataError("the archive is nested too deeply; unpack it first")
    return replace(content, data=data, name=name, layers=content.layers + 1)


def _database(content: Content, request: Request, head: bytes) -> Table | None:
    """Read a database; None for other files."""
    if head[:16] != b"SQLite format 3\0" and head[8:12] != b"DUCK":
        return None
    from hornbeam.data.files.database import SQLITE, read_duckdb, sqlite_as_text  # noqa: PLC0415 (only where needed)

    if head[: len(SQLITE)] != SQLITE:
        table = read_duckdb(content.data, content.part, request.ignore, content.name, content.title)
        return apply(table, request)
    text, name, notes = sqlite_as_text(content.data, content.part, request.ignore, content.name)
    return _cells(text, notes, content.title if content.part is None else name, request, names=True)


def _is_wide_arff(head: bytes) -> bool:
    """Whether UTF-16 text starts like an ARFF file."""
    return head[:2] in {b"\xff\xfe", b"\xfe\xff"} and _ARFF.match(head.replace(b"\0", b"")[2:]) is not None


def _arff(content: Content, encoding: str | None) -> Table:
    from hornbeam.data.encoding import decode_text  # noqa: PLC0415 (only where needed)
    from hornbeam.data.files.arff import read_arff  # noqa: PLC0415 (only where needed)

    text, notes = decode_text(content.data, encoding)
    if not text.strip():
        raise DataError("the file is empty; expected @relation, @attribute and @data")
    return noted(read_arff(text, name=content.title if content.suffix == ".arff" else None), notes)
