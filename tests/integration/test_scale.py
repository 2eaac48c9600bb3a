"""The same model file for any partitions and engine, also when workers are killed at any moment.

The number of killings for each engine is RUNS, 3 unless the environment has HORNBEAM_RUNS. All of them, 20 times:
``HORNBEAM_RUNS=20 pytest tests/integration/test_scale.py -k killed -m integration``.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scanned_tables import made_table, write_database, write_parts

import hornbeam

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.integration
RUNS = int(os.environ.get("HORNBEAM_RUNS", "3"))
PARTS = (1, 2, 3, 7, 64)


def of_run(run: int) -> int:
    """The number of files of a run: all of them in turn."""
    return (7, 3, 2, 64, 1)[run % len(PARTS)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """The same rows in several numbers of files, each in another order."""
    folder = tmp_path_factory.mktemp("rows")
    table = made_table(4000, missing=0.05, values=None)
    return {count: write_parts(table, folder / str(count), count, count) for count in PARTS}


def model(pattern: str, path: Path, **options: Any) -> bytes:
    source = hornbeam.scan(pattern, target="y", **{"local_rows": 200, "bins": 32, **options})
    hornbeam.C45Classifier(subtree_raising=False).fit(source).save(path)
    source.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def expected(folders: dict[int, str], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return model(folders[1], tmp_path_factory.mktemp("model") / "model", workers=0)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as one,
    ):
        yield one


def spark(master: str) -> Any:
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    made = builder.config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", "")).getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    made = spark("local[2,4]")
    yield made
    made.stop()


@contextlib.contextmanager
def killing(find: Callable[[], list[int]], within: float, seed: int) -> Iterator[list[int]]:
    """Kill one of the processes that are found, at a random moment; give those that were killed."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        time.sleep(random.Random(seed).uniform(0, within))  # noqa: S311 - any moment will do
        while not over.is_set() and not killed:
            for process in find()[:1]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def below(parent: int, word: str) -> list[int]:
    """Processes below one, at any depth, whose command has a word."""
    parents, found = {}, []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    for process in sorted(parents, reverse=True):
        above: int | None = process
        while above not in (None, parent):
            above = parents.get(above)  # type: ignore[arg-type]
        with contextlib.suppress(OSError):
            if above == parent and word in Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace"):
                found.append(process)
    return found


@pytest.mark.parametrize("count", PARTS)
def test_local(folders: dict[int, str], expected: bytes, tmp_path: Path, count: int) -> None:
    assert model(folders[count], tmp_path / "model", workers=2) == expected


@pytest.mark.parametrize("count", PARTS)
def test_dask(folders: dict[int, str], expected: bytes, tmp_path: Path, client: Any, count: int) -> None:
    assert model(folders[count], tmp_path / "model", engine=client) == expected


@pytest.mark.parametrize("count", PARTS)
def test_duckdb(folders: dict[int, str], tmp_path: Path, count: int) -> None:
    source = write_database(made_table(4000, missing=0.05, values=None), tmp_path / "rows.duckdb")
    inside = model(source, tmp_path / "inside", engine="duckdb", local_rows=0)
    assert model(folders[count], tmp_path / "model", workers=2, local_rows=0) == inside


@pytest.mark.parametrize("count", [*PARTS[:-1], pytest.param(PARTS[-1], marks=pytest.mark.slow)])
def test_spark(folders: dict[int, str], expected: bytes, tmp_path: Path, session: Any, count: int) -> None:
    assert model(folders[count], tmp_path / "model", engine=session) == expected


@pytest.mark.parametrize("run", range(RUNS))
def test_a_local_process_is_killed(folders: dict[int, str], expected: bytes, tmp_path: Path, run: int) -> None:
    with killing(lambda: below(os.getpid(), "hornbeam.scale.executors.worker"), 1, run) as killed:
        assert model(folders[of_run(run)], tmp_path / "model", workers=2) == expected
    assert killed


@pytest.mark.parametrize("run", range(RUNS))
def test_a_dask_worker_is_killed(
    folders: dict[int, str], expected: bytes, tmp_path: Path, client: Any, run: int
) -> None:
    client.wait_for_workers(2)  # one that was killed before may not be back
    workers = list(client.run(os.getpid).values())
    with killing(lambda: workers[run % 2 :], 1, run) as killed:
        assert model(folders[of_run(run)], tmp_path / "model", engine=client) == expected
    assert killed


@pytest.mark.parametrize("run", range(RUNS))
def test_a_python_worker_of_spark_is_killed(
    folders: dict[int, str], expected: bytes, tmp_path: Path, session: Any, run: int
) -> None:
    # the newest is a worker; the daemon that starts workers is older
    with killing(lambda: below(os.getpid(), "pyspark.daemon"), 5, run) as killed:
        assert model(folders[of_run(run)], tmp_path / "model", engine=session) == expected
    assert killed


@pytest.mark.slow
@pytest.mark.parametrize("run", range(RUNS))
def test_an_executor_of_spark_is_killed(folders: dict[int, str], expected: bytes, tmp_path: Path, run: int) -> None:
    before = spark("local[1]")
    before.stop()  # another session may be active
    cluster = spark("local-cluster[2,1,1024]")
    try:
        with killing(lambda: below(os.getpid(), "CoarseGrainedExecutorBackend"), 20, run) as killed:
            assert model(folders[of_run(run)], tmp_path / "model", engine=cluster) == expected
        assert killed
    finally:
        cluster.stop()


def test_two_fits_at_once(folders: dict[int, str], expected: bytes, tmp_path: Path, client: Any) -> None:
    found: dict[int, bytes] = {}

    def fit(number: int, **options: Any) -> None:
        found[number] = model(folders[3], tmp_path / str(number), **options)

    threads = [threading.Thread(target=fit, args=(i,), kwargs={"engine": client}) for i in range(2)]
    threads.append(threading.Thread(target=fit, args=(2,), kwargs={"workers": 2}))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(3), expected)


LEARNERS = [
    hornbeam.GradientBoostingClassifier(3, early_stopping=True),
    hornbeam.RandomForestClassifier(3, random_state=1),
    hornbeam.KMeans(3, random_state=1),
    hornbeam.MixtureModel(3, random_state=1),
    hornbeam.BaggingClassifier(n_estimators=2, random_state=1),
    hornbeam.TreeRegressor(max_depth=5),
    hornbeam.M5Regressor(min_samples_leaf=20),
]


def learned(estimator: Any, pattern: str, path: Path, **options: Any) -> bytes:
    target = "x3" if isinstance(estimator, hornbeam.TreeRegressor | hornbeam.M5Regressor) else "y"
    source = hornbeam.scan(pattern, target=target, local_rows=200, **options)
    type(estimator)(**estimator.get_params()).fit(source).save(path)
    source.close()
    return path.read_bytes()


@pytest.fixture(scope="module")
def in_order(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """The same rows in the same order in several numbers of files."""
    folder = tmp_path_factory.mktemp("ordered")
    table = made_table(2000, missing=0.05, values=None)
    return {count: write_parts(table, folder / str(count), count) for count in PARTS}


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_other_learners_everywhere(in_order: dict[int, str], tmp_path: Path, client: Any, estimator: Any) -> None:
    expected = learned(estimator, in_order[1], tmp_path / "model", workers=0)
    for count in PARTS[1:]:
        assert learned(estimator, in_order[count], tmp_path / "model", workers=2) == expected
        assert learned(estimator, in_order[count], tmp_path / "model", engine=client) == expected


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_other_learners_on_spark(in_order: dict[int, str], tmp_path: Path, session: Any, estimator: Any) -> None:
    expected = learned(estimator, in_order[1], tmp_path / "model", workers=0)
    assert learned(estimator, in_order[3], tmp_path / "model", engine=session) == expected


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
@pytest.mark.parametrize("seed", range(RUNS))
def test_other_learners_with_a_killed_worker(
    in_order: dict[int, str], tmp_path: Path, client: Any, estimator: Any, seed: int
) -> None:
    expected = learned(estimator, in_order[1], tmp_path / "model", workers=0)
    with killing(lambda: below(os.getpid(), "hornbeam.scale.executors.worker"), 1.0, seed):
        assert learned(estimator, in_order[7], tmp_path / "model", workers=2) == expected
    client.wait_for_workers(2)
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    # tasks and not `client.run`, which may wait without end for a worker that was killed a moment ago
    where = [client.submit(os.getpid, pure=False, workers=[one], allow_other_workers=True) for one in workers]
    processes = client.gather(where)
    with killing(lambda: processes[seed % 2 :], 0.5, seed):
        assert learned(estimator, in_order[7], tmp_path / "model", engine=client) == expected


def test_spark_frames(session: Any) -> None:
    import numpy as np

    from hornbeam.data.arrow import to_arrow

    rows = to_arrow(made_table(900, missing=0.1, values=None)).to_pandas().astype({"y": str, "color": object})
    frame = session.createDataFrame(rows).repartition(3)
    expected = hornbeam.C45Classifier().fit(frame.toPandas(), "y")
    tree = hornbeam.C45Classifier().fit(frame, "y")
    assert tree.model_.n_nodes == expected.model_.n_nodes
    assert not frame.is_cached
    found = tree.predict(frame).toPandas()
    assert (found["predicted_y"].to_numpy() == tree.predict(found.drop(columns=["y", "predicted_y"]))).all()
    shares = tree.predict_proba(frame).toPandas()
    assert np.allclose(shares[["P(p)", "P(q)", "P(r)"]].sum(axis=1), 1.0)
    models = []
    for count in (1, 5, 20):  # more than tasks of a session with two cores
        source = hornbeam.scan(frame.repartition(count), target="y", local_rows=100, bins=16)
        models.append(hornbeam.TreeClassifier(criterion="entropy", max_depth=3).fit(source).model_)
        source.close()
    assert models[0].same_as(models[1])
    assert models[0].same_as(models[2])
