"""Learning on engines: ours on local processes, Dask and Spark, against Spark MLlib and LightGBM on Dask.

``python -m benchmarks.engines --rows 1000000`` writes 20 columns of numbers and two classes to Parquet files, and
learns a tree of depth 10, a forest of 20 trees of depth 10 and a boosting of 50 trees of depth 5 from them, each with
each program in a process of its own. It prints the seconds that `fit` took, the CPU seconds of this process and all
below it meanwhile (the JVM and all workers), and the accuracy on other rows. MLlib and LightGBM get the rows cached;
ours reads the files. Spark and Dask have done some work before `fit`: MLlib's rows are counted, and ours has started
its workers. MLlib's trees divide numbers at 32 quantiles by default, and so do our single trees here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.scaled import N_COLUMNS, write_rows

if TYPE_CHECKING:
    from collections.abc import Callable

FEATURES = [f"x{i}" for i in range(N_COLUMNS)]
DEPTH, TREES, ROUNDS, BOOSTING_DEPTH = 10, 20, 50, 5
BINS = 32  # of trees, as in MLlib
TESTED = 100_000  # rows
LEARNERS = ("tree", "forest", "boosting")
Learned = tuple[float, float, "Callable[[], float]"]  # seconds, CPU seconds, and a function for the accuracy


def cpu_seconds() -> float:
    """CPU seconds of this process and of all that descend from it, with those that have ended."""
    parents, ticks = {}, {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        process = int(status.parent.name)
        parents[process], ticks[process] = int(fields[1]), sum(map(int, fields[11:15]))
    total = 0
    for process, used in ticks.items():
        above: int | None = process
        while above not in (None, os.getpid()):
            above = parents.get(above)
        total += used if above is not None else 0
    return total / os.sysconf("SC_CLK_TCK")


def timed(fit: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds, CPU seconds and the result of a function."""
    started, used = time.perf_counter(), cpu_seconds()
    result = fit()
    return time.perf_counter() - started, cpu_seconds() - used, result


def spark_session(workers: int) -> Any:
    """A session on this machine."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(f"local[{workers},4]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def dask_client(workers: int) -> Any:
    """Processes on this machine."""
    from distributed import Client

    return Client(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


# ---- programs ----


def ours(learner: str, folder: str, engine: str, workers: int) -> Learned:
    """Our learners, on an engine."""
    import hornbeam

    made: dict[str, Any] = {
        "tree": hornbeam.TreeClassifier(max_depth=DEPTH),
        "forest": hornbeam.RandomForestClassifier(TREES, max_depth=DEPTH, random_state=1, n_jobs=workers),
        "boosting": hornbeam.GradientBoostingClassifier(
            ROUNDS, max_depth=BOOSTING_DEPTH, max_leaf_nodes=2**BOOSTING_DEPTH, early_stopping=False, n_jobs=workers
        ),
    }
    where: Any = {"local": "local", "dask": dask_client, "spark": spark_session}[engine]
    where = where if isinstance(where, str) else where(workers)
    source = hornbeam.scan(f"{folder}/*.parquet", target="y", engine=where, workers=workers, bins=BINS)
    if engine == "spark":
        where.read.parquet(f"{folder}/*.parquet").count()
    assert source.executor.name  # it is started
    seconds, used, fitted = timed(lambda: made[learner].fit(source))
    source.close()
    return seconds, used, lambda: float(fitted.score(hornbeam.read(f"{folder}/test/0000.parquet", target="y")))


def mllib(learner: str, folder: str, _engine: str, workers: int) -> Learned:
    """The learners of Spark."""
    from pyspark.ml.classification import DecisionTreeClassifier, GBTClassifier, RandomForestClassifier
    from pyspark.ml.feature import VectorAssembler
    from pyspark.sql import functions

    session = spark_session(workers)
    assembler = VectorAssembler(inputCols=FEATURES, outputCol="features")

    def rows(place: str) -> Any:
        read = session.read.parquet(place).withColumn("label", (functions.col("y") == "yes").cast("double"))
        return assembler.transform(read).select("features", "label").cache()

    made: dict[str, Any] = {
        "tree": DecisionTreeClassifier(maxDepth=DEPTH),
        "forest": RandomForestClassifier(numTrees=TREES, maxDepth=DEPTH, seed=1),
        "boosting": GBTClassifier(maxIter=ROUNDS, maxDepth=BOOSTING_DEPTH, stepSize=0.1, seed=1),
    }
    training = rows(f"{folder}/*.parquet")
    training.count()
    seconds, used, model = timed(lambda: made[learner].fit(training))

    def accuracy() -> float:
        found = model.transform(rows(f"{folder}/test/*.parquet"))
        right = found.where(functions.col("prediction") == functions.col("label")).count()
        return float(right / found.count())

    return seconds, used, accuracy


def lightgbm(learner: str, folder: str, _engine: str, workers: int) -> Learned:
    """LightGBM on Dask."""
    import dask.dataframe
    import pandas as pd
    from lightgbm import DaskLGBMClassifier

    client = dask_client(workers)
    options: dict[str, Any] = {"max_depth": BOOSTING_DEPTH, "num_leaves": 2**BOOSTING_DEPTH, "n_estimators": ROUNDS}
    if learner == "forest":
        options = {"boosting_type": "rf", "max_depth": DEPTH, "num_leaves": 2**DEPTH, "n_estimators": TREES}
        options |= {"subsample": 0.632, "subsample_freq": 1, "colsample_bynode": 0.23}
    frame = dask.dataframe.read_parquet(f"{folder}/*.parquet").repartition(npartitions=workers).persist()
    classes = (frame["y"] == "yes").astype("int8").persist()
    len(frame)
    model = DaskLGBMClassifier(client=client, verbose=-1, **options)
    seconds, used, fitted = timed(lambda: model.fit(frame[FEATURES], classes))
    test = pd.read_parquet(f"{folder}/test")

    def accuracy() -> float:
        return float((fitted.to_local().predict(test[FEATURES]) == (test["y"] == "yes")).mean())

    return seconds, used, accuracy


PROGRAMS: dict[str, tuple[Callable[..., Learned], str]] = {
    "ours-local": (ours, "local"),
    "ours-dask": (ours, "dask"),
    "ours-spark": (ours, "spark"),
    "mllib": (mllib, "spark"),
    "lightgbm-dask": (lightgbm, "dask"),
}


def main() -> None:
    """Write the rows, and learn from them with each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--learners", default=",".join(LEARNERS))
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--folder", help="learn from these files, in this process")
    given = parser.parse_args()
    if given.folder is not None:
        program, engine = PROGRAMS[given.programs]
        seconds, used, accuracy = program(given.learners, given.folder, engine, given.workers)
        figures = {"seconds": round(seconds, 1), "cpu seconds": round(used, 1), "accuracy": round(accuracy(), 4)}
        print(json.dumps({"program": given.programs, "learner": given.learners, **figures}), flush=True)
        os._exit(0)  # engines may take long to stop
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), given.rows)
        (Path(folder) / "test").mkdir()
        write_rows(Path(folder) / "test", TESTED, seed=2)
        for learner in given.learners.split(","):
            for name in given.programs.split(","):
                if name == "lightgbm-dask" and learner == "tree":
                    continue
                asked = ["--folder", folder, "--learners", learner, "--programs", name]
                command = [sys.executable, "-m", "benchmarks.engines", *asked, "--workers", str(given.workers)]
                done = subprocess.run(  # noqa: S603 - ourselves
                    command, capture_output=True, text=True, check=False
                )
                lines = done.stdout.strip().splitlines()
                print(given.rows, lines[-1] if lines else done.stderr.strip()[-500:], flush=True)


if __name__ == "__main__":
    main()
