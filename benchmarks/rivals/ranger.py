"""R's ranger, an optional peer: an R script grows the forest and measures that alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import array_path
from benchmarks.peer import FOREST_TREES
from benchmarks.rivals.rpart import run_r

if TYPE_CHECKING:
    from benchmarks.peer import Measurement

SCRIPT = Path(__file__).with_name("ranger.R")


def why_absent() -> str | None:
    """Why ranger cannot take part, or None."""
    if not shutil.which("Rscript"):
        return "R was not found (Debian: apt install r-base-core r-cran-ranger)"
    if run_r("-e", 'if (!requireNamespace("ranger", quietly = TRUE)) quit(status = 1)').returncode:
        return "R has no package ranger (Debian: apt install r-cran-ranger)"
    return None


def measure(measurement: Measurement) -> dict[str, Any]:
    """Run the script on the arrays that every peer starts from."""
    arrays = (str(array_path(measurement.data, measurement.rows, array)) for array in ("numbers", "target"))
    done = run_r(str(SCRIPT), *arrays, str(measurement.rows), str(FOREST_TREES), str(measurement.threads))
    if done.returncode:
        msg = f"Rscript failed: {done.stderr.strip()[-500:]}"
        raise RuntimeError(msg)
    return dict(json.loads(done.stdout.splitlines()[-1]))
