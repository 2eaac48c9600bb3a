"""Executors: they `load` partitions by a loader and its keys, and `map_reduce` a function over them.

base: what an executor offers, and the handle of loaded partitions.
local: this process, or several processes of this machine that read from disk.
worker: the program that a local process runs.
on_dask: a Dask cluster.
on_spark: a Spark session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing

if TYPE_CHECKING:
    from hornbeam.scale.executors.base import Executor

ENGINES = ("local", "dask", "spark")


def executor(engine: Any, workers: int | None, memory_mb: int | None) -> Executor:
    """Return the executor for a name, a Dask client or a Spark session.

    Parameters
    ----------
    engine : {"local", "dask", "spark"}, dask.distributed.Client, SparkSession or Executor
        Where the work is done.
    workers : int or None
        Number of local processes; 0: only this process; None: one per core.
    memory_mb : int or None
        The memory limit of all local processes together.
    """
    if engine == "local":
        from hornbeam.scale.executors.local import LocalExecutor

        return LocalExecutor(workers, memory_mb)
    if isinstance(engine, Closing):
        return engine  # type: ignore[return-value]
    place = type(engine).__module__
    if engine == "dask" or place.startswith("distributed"):
        from hornbeam.scale.executors.on_dask import DaskExecutor

        return DaskExecutor(None if engine == "dask" else engine)
    if engine == "spark" or place.startswith("pyspark"):
        from hornbeam.scale.executors.on_spark import SparkExecutor

        return SparkExecutor(None if engine == "spark" else engine)
    known = ", ".join(map(repr, ENGINES))
    msg = f"engine is {engine!r}; expected one of {known}, a Dask client or a Spark session"
    raise ValueError(msg)
