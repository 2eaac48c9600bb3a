"""Processes and changed model files for reproductions of faults."""

from __future__ import annotations

import io
import json
import os
import select
import signal
import subprocess
import sys
import zipfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# Imports what programs need, which takes longer than most of them run, and starts each as a copy of itself.
SERVER = """
import json, os, resource, sys, warnings
import numpy as np, scipy.sparse, hornbeam, hornbeam.cli.main
for name in hornbeam.__all__:
    getattr(hornbeam, name)
def limit(seconds=600, gigabytes=64):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
for line in sys.stdin:
    child = os.fork()
    if not child:
        break
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
code, sys.argv, folder = json.loads(line)
for number, place in enumerate((os.devnull, "out", "err")):
    os.dup2(os.open(os.path.join(folder[0], place), os.O_RDWR | os.O_CREAT), number)
os.chdir(folder[1])
exec(code)
"""
START = """
warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(40, 3))
y = np.repeat(["a", "b"], 20)
"""
COMMAND = "sys.exit(hornbeam.cli.main.run())"


@cache
def server() -> subprocess.Popen[bytes]:
    """The process that the others are copies of; it ends when nobody can write to it anymore."""
    return subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}, start_new_session=True,
    )  # fmt: skip


def done(code: str, words: list[str], folder: Path, seconds: float = 300.0) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, in a folder, with `words` as its arguments."""
    asked, told = server().stdin, server().stdout
    assert asked is not None
    assert told is not None
    with TemporaryDirectory() as written:
        asked.write(json.dumps([code, words, [written, str(folder)]]).encode() + b"\n")
        child = int(told.readline())
        ended = bool(select.select([told], [], [], seconds)[0])
        if not ended:
            os.kill(child, signal.SIGKILL)
        status = int(told.readline())
        out, err = ((Path(written) / name).read_text(encoding="utf-8") for name in ("out", "err"))
    if not ended:
        raise subprocess.TimeoutExpired(words, seconds, out, err)
    return subprocess.CompletedProcess(words, status, out, err)


def apart(code: str, *arguments: object, seconds: float = 300.0) -> str:
    """What code prints in a process of its own, which must end by itself, soon, and well."""
    found = done(START + code, ["-c", *map(str, arguments)], Path.cwd(), seconds)
    assert found.returncode == 0, (found.returncode, found.stderr[-2000:])
    return found.stdout


def ran(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A command that was run."""
    return done(COMMAND, ["hornbeam", *map(str, arguments)], folder)


def changed(data: bytes, change: Any) -> bytes:
    """A model file with changed plain data and checksums that are right."""

    def change_plain(members: dict[str, bytes]) -> None:
        plain = json.loads(members["model.json"])
        change(plain)
        members["model.json"] = json.dumps(plain).encode()

    return repacked(data, change_plain)


def repacked(data: bytes, change: Any) -> bytes:
    """A model file with changed members and checksums that are right."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    change(members)
    for name, about in manifest["members"].items():
        about.update(bytes=len(members[name]), sha256=sha256(members[name]).hexdigest())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in [("manifest.json", json.dumps(manifest).encode()), *members.items()]:
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()
