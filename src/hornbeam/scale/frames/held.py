"""The rows of a partition of a frame: the engine hands them to a task, and its loader reads them by their key."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from hornbeam.scale.parts import Key

_task = threading.local()  # a task runs in one thread


@contextmanager
def holding(key: Key, table: pa.Table) -> Iterator[None]:
    """Let the loaders of this thread read a partition."""
    before = getattr(_task, "held", None)
    _task.held = (key, table)
    try:
        yield
    finally:
        _task.held = before


@dataclass(frozen=True)
class FrameParts:
    """The partitions of a frame that have rows, by their numbers."""

    what: str  # for messages, such as "Spark DataFrame"
    columns: tuple[str, ...]
    numbers: tuple[int, ...]
    from_text: bool = False

    def keys(self) -> list[Key]:
        """A key for every partition."""
        return [(f"partition {number} of the {self.what}", number) for number in self.numbers]

    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of the partition that this task was given."""
        found: Any = getattr(_task, "held", None)
        if found is None or found[0] != key:
            raise DataError(f"{key[0]}: its rows are only available to the task that works on it")
        table: pa.Table = found[1]
        return table if columns is None else table.select(list(columns))
