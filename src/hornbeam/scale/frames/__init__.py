"""DataFrames of Spark and Dask: their partitions are the blocks, and predictions become a column of the frame.

held: the rows of a partition, for the task that works on it.
spark: partitions of a Spark DataFrame.
dask: partitions of a Dask DataFrame.
predict: predictions as columns.
doing: what estimators do with frames.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.learn.base.lazy import engine_of

if TYPE_CHECKING:
    from hornbeam.scale.executors.base import Executor
    from hornbeam.scale.frames.held import FrameParts


def opened(frame: Any) -> tuple[FrameParts, Executor]:
    """The partitions of a frame, and the executor that works on them."""
    if engine_of(frame) == "spark":
        from hornbeam.scale.frames.spark import SparkFrameExecutor

        on_spark = SparkFrameExecutor(frame)
        return on_spark.parts, on_spark
    from hornbeam.scale.frames.dask import DaskFrameExecutor

    on_dask = DaskFrameExecutor(frame)
    return on_dask.parts, on_dask
