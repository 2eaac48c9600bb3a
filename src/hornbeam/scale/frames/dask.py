"""Partitions of a Dask DataFrame.

They are kept on the workers, which write them to disk if memory is short; Dask makes lost ones again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError
from hornbeam.scale.executors.on_dask import RETRIES, DaskExecutor
from hornbeam.scale.frames.held import FrameParts, holding

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from hornbeam.scale.parts import Key


class DaskFrameExecutor(DaskExecutor):
    """Works on the partitions of a Dask DataFrame.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
    """

    def __init__(self, frame: Any) -> None:
        super().__init__(None)
        self.blocks = self.client.compute(frame.to_delayed(), retries=RETRIES)
        sizes = self.client.gather([self.client.submit(len, block, pure=False) for block in self.blocks])
        numbers = tuple(number for number, size in enumerate(sizes) if size)
        if not numbers:
            raise DataError("the Dask DataFrame has no rows; expected rows to learn from")
        self.parts = FrameParts("Dask DataFrame", tuple(frame.columns), numbers)

    def _with_key(self, key: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        return self.client.submit(
            _with_rows, self.blocks[key[1]], key, function, arguments, pure=False, retries=RETRIES
        )

    def close(self) -> None:
        """Release the partitions, and end the local cluster if it was started here."""
        self.blocks = []
        super().close()


def as_arrow(rows: Any) -> pa.Table:
    """The rows of a partition, a pandas DataFrame, without their index."""
    import pyarrow as pa

    return pa.Table.from_pandas(rows, preserve_index=False)


def _with_rows(rows: Any, key: Key, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    with holding(key, as_arrow(rows)):
        return function(key, *arguments)
