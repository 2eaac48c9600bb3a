"""Tasks for executors to run, some of which kill their process."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np


def numbers(key: int) -> dict[str, np.ndarray]:
    return {"x": np.arange(key)}


def total(block: dict[str, np.ndarray], factor: int) -> int:
    return int(block["x"].sum()) * factor


def killed_once(block: dict[str, np.ndarray], mark: str) -> int:
    """The first process that gets here dies, as if the system had killed it."""
    try:
        Path(mark).touch(exist_ok=False)
    except FileExistsError:
        return total(block, 1)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def killed_always(block: object) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError(block)


def add(one: int, other: int) -> int:
    return one + other


def hungry(block: dict[str, np.ndarray], megabytes: int) -> int:
    """Takes memory, and writes to it."""
    return len(np.ones(megabytes << 17)) + len(block)


def slow(block: dict[str, np.ndarray], mark: str) -> int:
    """Says that it has begun, and takes long."""
    Path(mark).touch()
    time.sleep(60)
    return len(block)
