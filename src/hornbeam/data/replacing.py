"""Files that appear whole or not at all: written beside their place, and renamed when nothing went wrong.

A file that is replaced keeps its permissions; a new one gets those of the process. Where the path is a symbolic link,
the file it points to is replaced, and the link stays. What is not a file, such as a pipe or a terminal, is written to
as it is.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the place of `path` when all went well; DataError where none can be opened."""
    with contextlib.ExitStack() as opened:
        try:
            file = opened.enter_context(whole_file(path))
        except (OSError, ValueError) as error:
            msg = f"{path} cannot be written: {getattr(error, 'strerror', None) or error}"
            raise DataError(msg) from None
        yield file


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, to_disk: bool = False) -> Iterator[IO[bytes]]:
    """The same, with the system's own errors; `to_disk` waits until the file is on the disk before it is renamed."""
    place = Path(os.path.realpath(path))
    found = _status(place)
    if found is not None and not stat.S_ISREG(found.st_mode):
        with place.open("wb") as file:  # a folder is refused here
            yield file
        return
    temporary = place.with_name(f".{secrets.token_hex(12)}.part")  # as short as a name of any length allows
    try:
        with _opened(temporary, place) as file:
            if found is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
            yield file
            if to_disk:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(place)
    finally:
        temporary.unlink(missing_ok=True)
    if to_disk:
        _sync_folder(place.parent)


def _opened(temporary: Path, place: Path) -> IO[bytes]:
    try:
        return temporary.open("xb")
    except OSError as error:
        error.filename = str(place)  # the name that was asked for
        raise


def _status(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Bring the renaming to disk too, where the system lets a folder be opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
