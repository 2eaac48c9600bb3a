"""Ctrl-C while a command works: it ends soon, says so, and leaves no half file and no temporary one."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 400_000
SOON = 2.0  # seconds of work that may follow, of two threads together; without an interruption it is a minute and more
COMMANDS = {
    "report": ("report", "rows.csv", "-o", "out.html", "--n-jobs", "2"),
    "compare": ("compare", "rows.csv", "--schemes", "ripper,c45,cart", "--n-jobs", "2"),
    "tune": ("learn", "rows.csv", "-s", "ripper", "--tune", "--save", "out.model"),
    "curve": ("curve", "rows.csv", "--of", "rows", "-s", "ripper", "--n-jobs", "2"),
    "bagging": ("learn", "rows.csv", "-s", "bagging", "--n-jobs", "2", "--save", "out.model"),
    "svm": ("learn", "rows.csv", "-s", "svm", "--save", "out.model"),
    "cluster": ("cluster", "rows.csv", "-s", "hierarchical", "-k", "3", "--save", "out.model"),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(ROWS, 6))
    classes = np.digitize(numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + rng.normal(size=ROWS), [0, 1])
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("a,b,c,d,e,f,y\n")
        for row, label in zip(numbers.tolist(), classes.tolist(), strict=True):
            file.write(",".join(f"{number:.4f}" for number in row) + f",class{label}\n")
    return path


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """A command that is started from here hears Ctrl-C also where a shell runs the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """What a process has worked so far, however busy the machine is."""
    words = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.slow
@pytest.mark.parametrize("after", [4.0, 8.0])
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_that_is_interrupted_ends_soon(rows: Path, name: str, after: float) -> None:
    before = sorted(path.name for path in rows.parent.iterdir())
    command = [sys.executable, "-m", "hornbeam.cli.main", *COMMANDS[name]]
    earlier = children_seconds()
    with subprocess.Popen(
        command, cwd=rows.parent, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        while cpu_seconds(process) < after:
            assert process.poll() is None, "the command ended before it could be interrupted"
            time.sleep(0.05)
        worked = cpu_seconds(process)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=300)
    assert process.returncode == 130, complaint
    assert complaint.strip().endswith("hornbeam: interrupted")
    assert children_seconds() - earlier - worked < SOON
    assert sorted(path.name for path in rows.parent.iterdir()) == before
