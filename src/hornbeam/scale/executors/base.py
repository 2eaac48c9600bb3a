"""What an executor offers.

Partitions are always made by a loader from keys, so that what a lost worker held is simply made again. Tasks are short
and keep nothing; results are combined in any order, so `combine` must give the same for any order (integers do).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

Loader = Callable[[Any], Any]  # from a key to a block; a kept block is a dict of arrays
Combine = Callable[[Any, Any], Any]


class ScaleError(RuntimeError):
    """Work on partitions failed, and trying again did not help."""


@dataclass(frozen=True, eq=False)
class Handle:
    """Partitions that can be mapped over."""

    loader: Loader
    keys: Sequence[Any]
    # whether blocks are kept where the work is done; otherwise each task loads its block again
    keep: bool
    number: int = 0
    held: Any = field(default=None, repr=False)  # what the executor needs to find kept blocks


class Executor(Protocol):
    """Loads partitions and maps functions over them."""

    name: str

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Partitions made by ``loader(key)`` for every key."""

    def map_reduce(self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...],
                   combine: Combine) -> Any:  # fmt: skip
        """Combine ``function(block, *arguments)`` over all partitions; None if there are none."""

    def close(self) -> None:
        """Give back processes and files; partitions cannot be used any more."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Closing:
    """A mixin for ``with``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()  # type: ignore[attr-defined]
