"""Write files completely or not at all: to a temporary file in the same folder, which is then renamed.

A file that is replaced keeps its permissions; a new one gets those of the process. Where the path is a symbolic link,
the file it points to is replaced, and the link stays. Anything else than a file, such as a pipe or a terminal, is
written to directly.
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
    """Open a temporary file that replaces `path` on success; raise DataError if it cannot be opened."""
    with contextlib.ExitStack() as opened:
        try:
            file = opened.enter_context(whole_file(path))
        except (OSError, ValueError) as error:
            msg = f"{path} cannot be written: {getattr(error, 'strerror', None) or error}"
            raise DataError(msg) from None
        yield file


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str], *, to_disk: bool = False) -> Iterator[IO[bytes]]:
    """Do the same with the system's own errors; `to_disk` waits until the file is on disk before it is renamed."""
    target = Path(os.path.realpath(path))
    found = _status(target)
    if found is not None and not stat.S_ISREG(found.st_mode):
        with target.open("wb") as file:  # a folder is refused here
            yield file
        return
    temporary = target.with_name(
        f".{secrets.token_hex(12)}.part"
    )  # short, since the name of the file may already be as long as allowed
    try:
        with _opened(temporary, target) as file:
            if found is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
            yield file
            if to_disk:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    if to_disk:
        _sync_folder(target.parent)


def _opened(temporary: Path, target: Path) -> IO[bytes]:
    try:
        return temporary.open("xb")
    except OSError as error:
        error.filename = str(target)  # the name that the caller gave
        raise


def _status(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    """Write the renaming to disk too, where the system can open a folder."""
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
