"""R's rpart, an optional peer: an R script fits the tree and measures that alone, after R's start and the reading."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import array_path

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SCRIPT = Path(__file__).with_name("rpart.R")


def why_absent() -> str | None:
    """Why rpart cannot take part, or None."""
    if not shutil.which("Rscript"):
        return "R was not found (Debian: apt install r-base-core r-cran-rpart)"
    if run_r("-e", 'if (!requireNamespace("rpart", quietly = TRUE)) quit(status = 1)').returncode:
        return "R has no package rpart (Debian: apt install r-cran-rpart)"
    return None


def measure(measurement: Measurement) -> dict[str, Any]:
    """Run the script on the arrays that every peer starts from."""
    arrays = (str(array_path(measurement.data, measurement.rows, array)) for array in ("numbers", "target"))
    done = run_r(str(SCRIPT), *arrays, str(measurement.rows))
    if done.returncode:
        msg = f"Rscript failed: {done.stderr.strip()[-500:]}"
        raise RuntimeError(msg)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def run_r(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run R on its own words, with messages and numbers as they are everywhere."""
    path = shutil.which("Rscript")
    assert path is not None
    command = [path, "--vanilla", *arguments]
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
