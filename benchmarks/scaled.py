"""Learning from Parquet files under a hard limit of memory: CPU time, peak memory and growth with the number of rows.

``python -m benchmarks.scaled --rows 2000000,20000000 --memory 4096`` writes 20 columns of numbers and two classes to a
temporary folder, and learns from them in a process of its own for each learner. The limit is for all processes
together: local processes get a quarter of it, and the address space of the process that learns is
limited to the rest (RLIMIT_AS).
"""

from __future__ import annotations

import argparse
import json
import logging
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import hornbeam

N_COLUMNS, FILE_ROWS, GROUP_ROWS = 20, 500_000, 250_000
LEARNERS = {
    "c4.5": lambda: hornbeam.C45Classifier(min_samples_leaf=100, subtree_raising=False),
    "forest": lambda: hornbeam.RandomForestClassifier(20, min_samples_leaf=100, random_state=1),
    "boosting": lambda: hornbeam.GradientBoostingClassifier(50),
    "k-means": lambda: hornbeam.KMeans(8, n_init=3, max_iter=20, random_state=1),
}


def write_rows(folder: Path, n_rows: int, seed: int = 1) -> None:
    """Write random rows, whose class depends on five columns."""
    random = np.random.default_rng(seed)
    for number, first in enumerate(range(0, n_rows, FILE_ROWS)):
        n = min(FILE_ROWS, n_rows - first)
        x = [random.normal(size=n).astype(np.float32) for _ in range(N_COLUMNS)]
        score = x[0] - x[1] * (x[2] > 0) + 0.5 * x[3] * x[4] + random.normal(size=n)
        columns = {**{f"x{i}": one for i, one in enumerate(x)}, "y": np.where(score > 0, "yes", "no")}
        path = folder / f"{number:04}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=GROUP_ROWS, use_dictionary=["y"])


class Levels(logging.Handler):
    """Collects, for every level of a tree, its nodes and the bytes of counts that arrived, from the log."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the lines about levels and bytes, with the memory of this process so far."""
        text = record.getMessage()
        if text.startswith(("level", "received")):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            self.found.append(f"{text}; peak {peak} MB")


def learn(folder: str, name: str, memory: int, workers: int) -> dict[str, Any]:
    """Learn in this process, which is limited from now on."""
    shared = memory // 4 if memory and workers else None
    if memory:
        own_limit = (memory - (shared or 0)) << 20
        resource.setrlimit(resource.RLIMIT_AS, (own_limit, own_limit))
    estimator = LEARNERS[name]()
    levels = Levels()
    logging.getLogger("hornbeam.scale").addHandler(levels)
    logging.getLogger("hornbeam.scale").setLevel(logging.INFO)
    source = hornbeam.scan(f"{folder}/*.parquet", target="y", workers=workers)
    if shared is not None:
        source.executor.limit = shared // workers
    started = time.perf_counter()
    estimator.fit(source)
    seconds = time.perf_counter() - started
    received = source.executor.received
    source.close()
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "learner": name,
        "seconds": round(seconds, 1),
        "cpu seconds": round(own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime, 1),
        "peak MB": own.ru_maxrss >> 10,
        "largest worker MB": others.ru_maxrss >> 10,
        "received MB": round(received / 1e6, 1),
        "model": repr(estimator.model_),
        "levels": levels.found,
    }


def main() -> None:
    """Write the rows, and learn from them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="2000000", help="numbers of rows, separated by commas")
    parser.add_argument("--memory", type=int, default=0, help="megabytes of address space; 0: no limit")
    parser.add_argument("--workers", type=int, default=2, help="local processes")
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--folder", help="learn from these files, in this process")
    given = parser.parse_args()
    if given.folder is not None:
        print(json.dumps(learn(given.folder, given.learners, given.memory, given.workers)))
        return
    for n_rows in map(int, given.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            write_rows(Path(folder), n_rows)
            for name in given.learners.split(","):
                asked = ["--folder", folder, "--learners", name, "--memory", str(given.memory)]
                command = [sys.executable, "-m", "benchmarks.scaled", *asked, "--workers", str(given.workers)]
                done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - ourselves
                print(n_rows, done.stdout.strip() or done.stderr.strip()[-500:], flush=True)


if __name__ == "__main__":
    main()
