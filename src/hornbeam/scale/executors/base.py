"""The interface of executors.

Partitions are always loaded from keys, so that the partitions of a lost worker can be loaded again. Tasks are short and
keep no state; results are combined in any order, so `combine` must not depend on the order (as for integers).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

Loader = Callable[[Any], Any]  # from a key to a block; a cached block is a dict of arrays
Combine = Callable[[Any, Any], Any]


class ScaleError(RuntimeError):
    """A task on a partition failed, even after retries."""


Versions = tuple[str, str]  # of Python and of hornbeam


def versions(_key: Any = None) -> Versions:
    """The versions in this process."""
    import hornbeam

    return f"{sys.version_info.major}.{sys.version_info.minor}", str(hornbeam.__version__)


def check_versions(found: Mapping[Any, Versions]) -> None:
    """Raise an error if a worker runs other versions than this process; `found` has those of some workers."""
    own = versions()
    for worker, theirs in found.items():
        if theirs != own:
            msg = (
                f"worker {worker} runs Python {theirs[0]} and hornbeam {theirs[1]}, and this process Python {own[0]} "
                f"and hornbeam {own[1]}; expected the same versions: install them on every worker"
            )
            raise ScaleError(msg)


@dataclass(frozen=True, eq=False)
class Handle:
    """Partitions that can be mapped over."""

    loader: Loader
    keys: Sequence[Any]
    # whether workers cache blocks; otherwise each task loads its block again
    keep: bool
    number: int = 0
    held: Any = field(default=None, repr=False)  # what the executor needs to find cached blocks


class Executor(Protocol):
    """Loads partitions and maps functions over them."""

    name: str
    received: int  # bytes of results that this process has received

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Create partitions by ``loader(key)`` for every key."""

    def map_reduce(self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...],
                   combine: Combine) -> Any:  # fmt: skip
        """Combine ``function(block, *arguments)`` over all partitions; None if there are none."""

    def release(self, handle: Handle) -> None:
        """Forget the cached blocks of partitions; they are loaded again if they are needed."""

    def close(self) -> None:
        """Release processes and files; partitions cannot be used afterwards."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None: ...


class Closing:
    """A mixin for ``with``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()  # type: ignore[attr-defined]
