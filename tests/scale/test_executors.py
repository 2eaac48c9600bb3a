"""Every executor gives the same, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import scanned_tasks
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.scale.executors.base import ScaleError
from hornbeam.scale.executors.local import LocalExecutor

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers find the functions of the tests."""
    monkeypatch.setenv("PYTHONPATH", str(Path(scanned_tasks.__file__).parent))


@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("keep", [False, True])
def test_local_processes(workers: int, *, keep: bool) -> None:
    with LocalExecutor(workers) as executor:
        handle = executor.load(scanned_tasks.numbers, [0, 3, 5, 1], keep=keep)
        assert executor.map_reduce(handle, scanned_tasks.total, (1,), scanned_tasks.add) == 13
        assert executor.map_reduce(handle, scanned_tasks.total, (2,), scanned_tasks.add) == 26
        assert (
            executor.map_reduce(executor.load(scanned_tasks.numbers, []), scanned_tasks.total, (2,), scanned_tasks.add)
            is None
        )


@pytest.mark.parametrize("keep", [False, True])
def test_a_killed_local_process_is_replaced(tmp_path: Path, *, keep: bool) -> None:
    with LocalExecutor(2) as executor:
        handle = executor.load(scanned_tasks.numbers, [0, 3, 5, 1], keep=keep)
        mark = str(tmp_path / "mark")
        assert executor.map_reduce(handle, scanned_tasks.killed_once, (mark,), scanned_tasks.add) == 13
        assert Path(mark).exists()
        with pytest.raises(ScaleError, match="ended 4 times"):
            executor.map_reduce(handle, scanned_tasks.killed_always, (), scanned_tasks.add)


def test_the_limit_of_memory_is_kept() -> None:
    with LocalExecutor(1, memory_mb=400) as executor:
        handle = executor.load(scanned_tasks.numbers, [3])
        assert executor.map_reduce(handle, scanned_tasks.hungry, (50,), scanned_tasks.add) > 0
        with pytest.raises(MemoryError, match=r"partition 3 does not fit in memory \(400 MB for each process\)"):
            executor.map_reduce(handle, scanned_tasks.hungry, (500,), scanned_tasks.add)
        assert executor.map_reduce(handle, scanned_tasks.total, (1,), scanned_tasks.add) == 3


def test_an_interrupt_ends_the_processes_and_removes_the_files(tmp_path: Path) -> None:
    program = f"""
import scanned_tasks
from hornbeam.scale.executors.local import LocalExecutor
executor = LocalExecutor(2)
handle = executor.load(scanned_tasks.numbers, [3, 4], keep=True)
executor.map_reduce(handle, scanned_tasks.total, (1,), scanned_tasks.add)
print(executor._folder, *(process.pid for process in executor._processes), flush=True)
executor.map_reduce(handle, scanned_tasks.slow, ({str(tmp_path / "mark")!r},), scanned_tasks.add)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        folder, *pids = process.stdout.readline().decode().split()
        for _ in range(300):
            if (tmp_path / "mark").exists():
                break
            time.sleep(0.1)
        assert Path(folder).exists()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in said
    assert not Path(folder).exists()
    assert len(pids) == 2
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


@pytest.mark.parametrize("after", [1, 2])
def test_an_interrupt_while_threads_start_ends_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    executor = LocalExecutor(2)
    handle = executor.load(scanned_tasks.numbers, [3, 4], keep=True)
    executor.map_reduce(handle, scanned_tasks.total, (1,), scanned_tasks.add)
    processes, folder = list(executor._processes), executor._folder
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        started.append(thread)
        if len(started) == after:
            raise KeyboardInterrupt
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        executor.map_reduce(handle, scanned_tasks.slow, (str(tmp_path / "mark"),), scanned_tasks.add)
    for thread in started[:-1]:
        thread.join(10)
        assert not thread.is_alive()
    assert len(processes) == 2
    assert all(process.poll() is not None for process in processes)
    assert not executor._processes
    assert folder is not None
    assert not folder.exists()


def test_files_are_removed() -> None:
    executor = LocalExecutor(0)
    executor.map_reduce(
        executor.load(scanned_tasks.numbers, [3], keep=True), scanned_tasks.total, (1,), scanned_tasks.add
    )
    folder = executor._folder
    assert folder is not None
    assert folder.exists()
    executor.close()
    assert not folder.exists()


def test_other_versions_are_named() -> None:
    from hornbeam.scale.executors import base
    from hornbeam.scale.executors.on_spark import _collected

    base.check_versions({"a": base.versions()})
    with pytest.raises(ScaleError, match=r"worker b runs Python 3.7 and hornbeam 0.0.1, and this process Python 3"):
        base.check_versions({"a": base.versions(), "b": ("3.7", "0.0.1")})

    class Frame:
        def __init__(self, said: str) -> None:
            self.said = said

        def collect(self) -> None:
            raise RuntimeError(self.said)

    with pytest.raises(ScaleError, match="do not have hornbeam; install it on every worker"):
        _collected(Frame("ModuleNotFoundError: No module named 'hornbeam'"))
    with pytest.raises(ScaleError, match="another version of Python than this process"):
        _collected(Frame("[PYTHON_VERSION_MISMATCH] Python in worker has different version"))
    with pytest.raises(RuntimeError, match="anything"):
        _collected(Frame("anything"))


def model(pattern: str, folder: Path, **options: Any) -> bytes:
    source = hornbeam.scan(pattern, target="y", local_rows=60, bins=16, **options)
    hornbeam.C45Classifier().fit(source).save(folder / "model")
    source.close()
    return (folder / "model").read_bytes()


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as one,
    ):
        yield one


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_dask_gives_the_same_model(tmp_path: Path, client: Any, missing: float) -> None:
    table = made_table(900, missing=missing, values=None)
    expected = model(write_parts(table, tmp_path / "1", 1), tmp_path, workers=0)
    for parts in (1, 2, 3, 7):
        assert model(write_parts(table, tmp_path / str(parts), parts, parts), tmp_path, engine=client) == expected


def test_a_killed_dask_worker_does_not_change_the_model(tmp_path: Path, client: Any) -> None:
    import threading

    table = made_table(900, values=None)
    pattern = write_parts(table, tmp_path / "5", 5)
    expected = model(pattern, tmp_path, workers=0)
    workers = client.run(os.getpid)

    def kill() -> None:
        time.sleep(0.3)
        os.kill(next(iter(workers.values())), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    assert model(pattern, tmp_path, engine=client) == expected
    thread.join()
    assert model(pattern, tmp_path, engine=client) == expected
    assert set(client.run(os.getpid).values()) != set(workers.values())


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    import shutil
    import sys

    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("no Java: Spark is not tested")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    other = SparkSession.getActiveSession()  # of other tests, with one thread and no second try
    if other is not None:
        other.stop()
    made = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


def test_spark_gives_the_same_model(tmp_path: Path, session: Any) -> None:
    table = made_table(900, missing=0.1, values=None)
    expected = model(write_parts(table, tmp_path / "1", 1), tmp_path, workers=0)
    for parts in (2, 3):
        assert model(write_parts(table, tmp_path / str(parts), parts, parts), tmp_path, engine=session) == expected


def test_a_killed_spark_worker_is_replaced(tmp_path: Path, session: Any) -> None:
    from hornbeam.scale.executors.on_spark import SparkExecutor

    session.sparkContext.addPyFile(scanned_tasks.__file__)
    executor = SparkExecutor(session)
    for keep in (False, True):
        handle = executor.load(scanned_tasks.numbers, [0, 3, 5, 1], keep=keep)
        mark = str(tmp_path / f"mark-{keep}")
        assert executor.map_reduce(handle, scanned_tasks.killed_once, (mark,), scanned_tasks.add) == 13
        assert Path(mark).exists()


def test_spark_combines_many_partitions_on_the_workers(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from hornbeam.scale.executors import on_spark

    session.sparkContext.addPyFile(scanned_tasks.__file__)
    monkeypatch.setattr(on_spark, "TASKS_PER_CORE", 1)  # two tasks
    executor = on_spark.SparkExecutor(session)
    numbers = list(range(9))
    for keep in (False, True):
        handle = executor.load(scanned_tasks.numbers, numbers, keep=keep)
        expected = LocalExecutor(0).map_reduce(
            LocalExecutor(0).load(scanned_tasks.numbers, numbers), scanned_tasks.total, (1,), scanned_tasks.add
        )
        before = executor.received
        assert executor.map_reduce(handle, scanned_tasks.total, (1,), scanned_tasks.add) == expected
        assert executor.received - before < 2 * 60  # bytes: two small numbers
        executor.release(handle)
