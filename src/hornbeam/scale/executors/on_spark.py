"""Spark: each partition is one row of a DataFrame, and `mapInArrow` turns it into blocks and results.

Only DataFrames are used, no RDDs and no barrier, so that this also works with Spark Connect, and Spark recomputes the
partitions of a lost executor.
"""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing, Handle, ScaleError, check_versions, versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from hornbeam.scale.executors.base import Combine, Loader

    Batches = Iterator[pa.RecordBatch]

FORM = "number long, content binary"
TASKS_PER_CORE = 4


class SparkExecutor(Closing):
    """Works in a Spark session.

    Parameters
    ----------
    session : SparkSession or None
        The session; None: the one in use, or a new local one.
    """

    name = "spark"
    received = 0

    def __init__(self, session: Any = None) -> None:
        # workers must run the same Python, with the same packages
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
        self._own: Any = None
        if session is None:
            session = self._session()
        self.session = session
        frame = session.range(0, 1, 1, 1).mapInArrow(_about, FORM)
        check_versions({row["number"]: pickle.loads(bytes(row["content"])) for row in _collected(frame)})  # noqa: S301

    def _session(self) -> Any:
        try:
            from pyspark.sql import SparkSession
        except ModuleNotFoundError:
            raise ModuleNotFoundError("engine='spark' needs PySpark: pip install 'hornbeam[spark]'") from None
        session = SparkSession.getActiveSession()
        if session is not None:
            return session
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ and "SPARK_REMOTE" not in os.environ:
            raise RuntimeError(
                "engine='spark' needs Java 17 or later, and no java was found; install it or set JAVA_HOME"
            )
        builder = SparkSession.builder.appName("hornbeam").master(f"local[{os.cpu_count() or 1},4]")
        self._own = builder.config("spark.ui.enabled", "false").getOrCreate()
        return self._own

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Create partitions by ``loader(key)``; cached ones are rows of a persisted DataFrame."""
        keys = list(keys)
        held = None
        if keep and keys:
            held = self._blocks(keys, partial(_loaded, loader, keys)).persist()
        return Handle(loader, keys, keep, held=held)

    def map_reduce(
        self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...], combine: Combine
    ) -> Any:
        """Combine ``function(block, *arguments)`` over all partitions: first those of each task, then here."""
        if not handle.keys:
            return None
        if handle.held is not None:
            frame = handle.held.mapInArrow(partial(_applied, function, arguments), FORM)
        else:
            work = partial(_loaded_and_applied, handle.loader, handle.keys, function, arguments)
            frame = self._blocks(handle.keys, work)
        tasks = self._tasks()
        if tasks is not None and tasks < len(handle.keys):
            frame = frame.coalesce(tasks).mapInArrow(partial(_combined, combine), FORM)
        rows = sorted((row["number"], bytes(row["content"])) for row in _collected(frame))
        self.received += sum(len(content) for _, content in rows)
        result = None
        for position, (_, content) in enumerate(rows):
            good, one = pickle.loads(content)  # noqa: S301 - written by our own workers
            if not good:
                raise one
            result = one if position == 0 else combine(result, one)
        return result

    def _tasks(self) -> int | None:
        """Into how many tasks many partitions are put; None: not known, as with Spark Connect."""
        try:
            return TASKS_PER_CORE * int(self.session.sparkContext.defaultParallelism)
        except Exception:  # noqa: BLE001 - the error is a class of PySpark's own
            return None

    def release(self, handle: Handle) -> None:
        """Unpersist the frame of cached blocks, which is computed again if it is needed."""
        if handle.held is not None:
            handle.held.unpersist()

    def close(self) -> None:
        """End the session, if it was started here."""
        if self._own is not None:
            self._own.stop()
            self._own = None

    def _blocks(self, keys: Sequence[Any], work: Callable[[Batches], Batches]) -> Any:
        """A frame of the results of work on the numbers of the keys."""
        return self.session.range(0, len(keys), 1, len(keys)).mapInArrow(work, FORM)


def _collected(frame: Any) -> list[Any]:
    """The rows of a frame; errors about workers that differ from this process explain what to do."""
    try:
        return list(frame.collect())
    except Exception as error:
        said = str(error)
        if "No module named 'hornbeam'" in said:
            raise ScaleError(
                "the workers of Spark do not have hornbeam; install it on every worker, or set PYSPARK_PYTHON to a "
                "Python that has it, before the session is made"
            ) from None
        if "PYTHON_VERSION_MISMATCH" in said:
            msg = (
                f"the workers of Spark run another version of Python than this process ({versions()[0]}); set "
                "PYSPARK_PYTHON to the same version, before the session is made"
            )
            raise ScaleError(msg) from None
        raise


def batch_of(number: int, content: Any) -> pa.RecordBatch:
    """A row of a number and any content."""
    import pyarrow as pa

    data = [pa.array([number], pa.int64()), pa.array([pickle.dumps(content, protocol=5)], pa.binary())]
    return pa.RecordBatch.from_arrays(data, ["number", "content"])


def _about(batches: Batches) -> Iterator[pa.RecordBatch]:
    for number in _numbers_in(batches):
        yield batch_of(number, versions())


def _numbers_in(batches: Iterator[pa.RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _loaded(loader: Loader, keys: Sequence[Any], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for number in _numbers_in(batches):
        yield batch_of(number, loader(keys[number]))


def _applied(
    function: Callable[..., Any], arguments: tuple[Any, ...], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            block = pickle.loads(content.as_buffer())  # noqa: S301 - written by our own workers
            yield batch_of(number, _attempt(function, block, arguments))


def _loaded_and_applied(
    loader: Loader, keys: Sequence[Any], function: Callable[..., Any], arguments: tuple[Any, ...],
    batches: Iterator[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    for number in _numbers_in(batches):
        yield batch_of(number, _attempt(_of_key, keys[number], (loader, function, arguments)))


def _combined(combine: Combine, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One result for all results of a task; an error goes on as it is."""
    first: int | None = None
    result: Any = None
    for batch in batches:
        for number, content in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
            good, one = pickle.loads(content.as_buffer())  # noqa: S301 - written by our own workers
            if not good:
                yield batch_of(number, (False, one))
                return
            first, result = (number, one) if first is None else (first, combine(result, one))
    if first is not None:
        yield batch_of(first, (True, result))


def _of_key(key: Any, loader: Loader, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(loader(key), *arguments)


def _attempt(function: Callable[..., Any], block: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Return the result, or an error in the data, for which a retry by Spark would not help."""
    try:
        return True, function(block, *arguments)
    except ValueError as error:
        return False, error
