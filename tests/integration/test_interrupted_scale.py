"""Ctrl-C while a model is learned on an engine: the program ends soon, and nothing that it started is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scanned_tables import made_table, write_database, write_parts

pytestmark = pytest.mark.integration
PROGRAM = """
import logging, sys
import hornbeam
{before}
logging.getLogger("hornbeam.scale").setLevel(logging.INFO)
logging.getLogger("hornbeam.scale").addHandler(logging.StreamHandler(sys.stdout))
if __name__ == "__main__":
    for _ in range(1000):
        source = hornbeam.scan({place!r}, target="y", engine={engine!r}, local_rows=0)
        hornbeam.C45Classifier().fit(source)
        source.close()
"""
SPARK = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
from pyspark.sql import SparkSession
session = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").getOrCreate()
session.sparkContext.setLogLevel("OFF")
"""


def group(number: int) -> list[int]:
    """The processes of a session, without those that have ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == number and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


@pytest.mark.parametrize("engine", ["local", "dask", "spark", "duckdb"])
def test_an_interrupt_ends_everything(tmp_path: Path, engine: str) -> None:
    if engine != "local":
        pytest.importorskip({"dask": "distributed", "spark": "pyspark"}.get(engine, engine))
    table = made_table(20_000, values=None)
    if engine == "duckdb":
        place = write_database(table, tmp_path / "rows.duckdb")
    else:
        place = write_parts(table, tmp_path / "rows", 4)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(before=SPARK if engine == "spark" else "", place=place, engine=engine))
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if b"level 1" in line:
                break
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in said
    for _ in range(100):
        left = group(process.pid)
        if not left:
            break
        time.sleep(0.2)
    assert left == []
