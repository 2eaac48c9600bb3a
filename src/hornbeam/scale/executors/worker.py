"""A local process: reads tasks from its standard input, writes results to its standard output.

Cached blocks are written as arrays to a folder, and opened as memory maps: they take no memory, and a process that
replaces a lost one finds them, or loads them again.
"""

from __future__ import annotations

import os
import pickle
import shutil
import struct
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hornbeam.scale.executors.base import Loader

SIZE = struct.Struct("<Q")


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message: its length and its bytes. Both ends are processes of the same program."""
    data = pickle.dumps(message, protocol=5)
    stream.write(SIZE.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, int]:
    """Read a message, and return its size in bytes too; raises EOFError if the other end is closed."""
    data = _exactly(stream, SIZE.unpack(_exactly(stream, SIZE.size))[0])
    return pickle.loads(data), len(data)  # noqa: S301 - written by our own process


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def block(loader: Loader, key: Any, folder: Path | None) -> Any:
    """The block of a key: from the folder, or loaded, and then cached if there is a folder."""
    if folder is None:
        return loader(key)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=folder.parent))
        for name, array in loader(key).items():
            np.save(partial / f"{name}.npy", array)
        try:
            partial.rename(folder)  # whole or not at all
        except OSError:  # another process has written it
            shutil.rmtree(partial)
    return {path.stem: _mapped(path) for path in sorted(folder.glob("*.npy"))}


def _mapped(path: Path) -> Any:
    # an empty array cannot be mapped
    return np.load(path, mmap_mode="r") if path.stat().st_size > 256 else np.load(path)  # noqa: PLR2004


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process."""
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


def main() -> None:
    """Work until the input ends."""
    tasks, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not be mixed with the results
    limit = int(sys.argv[1])
    if limit:
        limit_memory(limit)
    while True:
        try:
            (loader, key, folder, function, arguments), _ = receive(tasks)
        except EOFError:
            return
        try:
            answer = (True, function(block(loader, key, folder), *arguments))
        except MemoryError:
            answer = (False, _no_room(key, limit))
        except Exception as error:  # noqa: BLE001 - handed to the process that asked
            answer = (False, error)
        send(results, answer)


def _no_room(key: Any, limit: int) -> MemoryError:
    each = f" ({limit} MB for each process)" if limit else ""
    msg = f"partition {key} does not fit in memory{each}; use smaller partitions, fewer workers or a larger memory_mb"
    return MemoryError(msg)


if __name__ == "__main__":
    main()
