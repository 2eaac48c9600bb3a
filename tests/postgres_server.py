"""A PostgreSQL server that is started on loopback and runs as long as it is needed (Debian: apt install postgresql)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [
        Path(name) for name in [shutil.which("initdb")] if name
    ]
    return found[-1].parent if found else None


def lacking() -> str | None:
    """What is missing, if a server cannot be started here."""
    if _programs() is None or shutil.which("psql") is None:
        return "PostgreSQL is not installed (Debian: apt install postgresql)"
    return None


@contextmanager
def running() -> Iterator[None]:
    """A server of its own, with its files in a temporary folder; it never runs as root. PGHOST etc. name it."""
    programs = _programs()
    assert programs is not None
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="hornbeam-postgres-"))
    if prefix:
        shutil.chown(folder, "postgres")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = str(folder / "data")
    made = [*prefix, programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8"]
    subprocess.run(made, check=True, capture_output=True)
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
    start = [*prefix, programs / "pg_ctl", "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start"]
    subprocess.run(start, check=True, capture_output=True)
    names = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres", "PGDATABASE": "postgres"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        stop = [*prefix, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
        subprocess.run(stop, check=True, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
