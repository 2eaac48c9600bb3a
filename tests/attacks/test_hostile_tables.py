"""No table ends the process, whichever estimator learns from it; none takes memory or time without end."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "hostile_tables.py"
PARTS = 6
LIMIT = 600  # seconds for a part; it takes some 20


@pytest.mark.parametrize("part", range(PARTS))
def test_no_table_ends_the_process(part: int) -> None:
    command = [sys.executable, "-X", "faulthandler", SCRIPT, str(part), str(PARTS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-2000:])
    assert lines[-1] == "done"
    late = [case for case, outcome in pairwise(lines) if outcome == "  takes too long"]
    assert not late
    memory = [case for case, outcome in pairwise(lines) if outcome.startswith("  MemoryError")]
    assert not memory
