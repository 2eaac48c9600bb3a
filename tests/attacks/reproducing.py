"""Processes and changed model files for reproductions of faults."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

START = """
import resource, sys, warnings
import numpy as np, scipy.sparse, hornbeam
warnings.simplefilter("ignore")
X = np.random.default_rng(0).normal(size=(40, 3))
y = np.repeat(["a", "b"], 20)
def limit(seconds=600, gigabytes=64):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
"""


def apart(code: str, *arguments: object, seconds: float = 300.0) -> str:
    """What code prints in a process of its own, which must end by itself, soon, and well."""
    done = subprocess.run(
        [sys.executable, "-c", START + code, *map(str, arguments)],
        timeout=seconds, capture_output=True, text=True, check=False, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout


def ran(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A command that was run."""
    words = [sys.executable, "-m", "hornbeam.cli.main", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300, cwd=folder)


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
