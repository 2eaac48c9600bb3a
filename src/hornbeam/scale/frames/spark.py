"""Partitions of a Spark DataFrame.

The frame is persisted while a model is learned, so that its partitions stay as they are; Spark makes a lost one again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError
from hornbeam.scale.executors.on_spark import FORM, SparkExecutor, batch_of
from hornbeam.scale.frames.held import FrameParts, holding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from hornbeam.scale.executors.on_spark import Batches
    from hornbeam.scale.parts import Key


class SparkFrameExecutor(SparkExecutor):
    """Works on the partitions of a Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
    """

    def __init__(self, frame: Any) -> None:
        super().__init__(frame.sparkSession)
        self.frame = frame
        self._persisted = not frame.is_cached
        if self._persisted:
            frame.persist()
        rows = frame.mapInArrow(_partition, FORM).collect()
        numbers = tuple(sorted(int(row["number"]) for row in rows))
        if not numbers:
            self.close()
            raise DataError("the Spark DataFrame has no rows; expected rows to learn from")
        self.parts = FrameParts("Spark DataFrame", tuple(frame.columns), numbers)

    def _tasks(self) -> int | None:
        """Partitions are recognized by the number of their task, so each has one of its own."""
        return None

    def _blocks(self, keys: Sequence[Any], work: Callable[[Batches], Batches]) -> Any:
        return self.frame.mapInArrow(partial(_with_rows, list(keys), work), FORM)

    def close(self) -> None:
        """Release the frame, if it was persisted here."""
        super().close()
        if self._persisted:
            self._persisted = False
            self.frame.unpersist()


def _partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The number of a partition, if it has rows."""
    from pyspark import TaskContext

    if sum(batch.num_rows for batch in batches):
        context = TaskContext.get()
        assert context is not None
        yield batch_of(context.partitionId(), None)


def _with_rows(keys: list[Key], work: Callable[[Batches], Batches], batches: Batches) -> Iterator[pa.RecordBatch]:
    """Do the work on the block that is made from the rows of this partition."""
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    place = {key[1]: number for number, key in enumerate(keys)}.get(context.partitionId())
    if place is None:
        return
    table = pa.Table.from_batches(list(batches))
    with holding(keys[place], table):
        yield from work(iter([batch_of(place, None)]))
