"""Zip archives: the file to read inside one, unpacked in memory up to a limit. Nothing is ever written to disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError, for_shell, shorten
from hornbeam.data.files import unzip

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_NAMES = 10  # listed in a message
_TABLES = (
    ".csv", ".tsv", ".tab", ".txt", ".data", ".arff", ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".xlsx", ".xlsm",
    ".xls", ".ods", ".json", ".jsonl", ".ndjson", ".db", ".sqlite", ".sqlite3", ".duckdb", ".gz",
)  # fmt: skip


class Archive:
    """A zip archive in memory.

    Parameters
    ----------
    data : bytes
        The whole file.
    """

    def __init__(self, data: bytes) -> None:
        self.most = max(unzip.ALWAYS, unzip.RATIO * len(data))
        self.size = len(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self.names = tuple(dict.fromkeys(entry.filename for entry in self._zip.infolist() if not entry.is_dir()))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
            msg = f"the zip file is damaged: {shorten(str(error))}"
            raise DataError(msg) from None

    def content(self, name: str) -> bytes:
        """Unpack one file."""
        out = io.BytesIO()
        try:
            with self._zip.open(name) as member:
                while piece := member.read(unzip.BLOCK):
                    out.write(piece)
                    self._check(out.tell())
        except RuntimeError:  # it needs a password
            msg = f"{shorten(name)} in the zip file is encrypted; unpack it first"
            raise DataError(msg) from None
        except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, OSError, EOFError) as error:
            if isinstance(error, DataError):
                raise
            msg = f"{shorten(name)} in the zip file is damaged: {shorten(str(error))}"
            raise DataError(msg) from None
        return out.getvalue()

    def check_size(self) -> None:
        """Unpack every file, one after another, and raise an error if they are too large together."""
        total = 0
        for name in self.names:
            total += len(self.content(name))
            self._check(total)

    def _check(self, size: int) -> None:
        if size > self.most:
            msg = (
                f"the zip file of {self.size} bytes unpacks to more than {self.most}; if that is right, unpack it "
                "first and read the unpacked file"
            )
            raise DataError(msg)


def choose(names: tuple[str, ...], wanted: str | None, file_name: str) -> tuple[str, str | None, str | None]:
    """Choose the table inside an archive.

    Parameters
    ----------
    names : tuple of str
        The files inside.
    wanted : str, optional
        The name that the caller gave, also with a part behind ``::``.
    file_name : str
        The archive's, for messages.

    Returns
    -------
    name : str
        The file to read.
    part : str, optional
        The part of it, such as a sheet.
    note : str, optional
        What was chosen from several files.
    """
    if wanted is not None:
        if wanted in names:
            return wanted, None, None
        name, _, part = wanted.partition("::")
        if name not in names:
            msg = f"there is no file {shorten(name)} in the zip file; it has {listed(names)}"
            raise DataError(msg)
        return name, part, None
    own = [name for name in names if not name.startswith("__MACOSX/") and not PurePosixPath(name).name.startswith(".")]
    tables = [name for name in own if name.lower().endswith(_TABLES)] or own
    if len(tables) == 1:
        note = f"zip: {shorten(tables[0])} is read, the only table in the archive" if len(own) > 1 else None
        return tables[0], None, note
    if not tables:
        raise DataError("the zip file has no files; expected one table")
    msg = f"the zip file has {len(tables)} tables ({listed(tables)}); name one: {part_of(file_name, tables[0])}"
    raise DataError(msg)


def listed(names: Sequence[str]) -> str:
    """List names for a message, at most ten."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(shorten, names[:MOST_NAMES])) + more if names else "none"


def part_of(file_name: str, part: str) -> str:
    """Write the name of a part of a file, as it is typed.

    Examples
    --------
    >>> part_of("book.xlsx", "Sheet 2")
    "'book.xlsx::Sheet 2'"
    """
    return for_shell(f"{file_name or 'FILE'}::{part}")
