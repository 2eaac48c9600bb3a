"""Dask: partitions are futures made by a loader on the workers, never data sent from here.

When a worker is lost, Dask makes its partitions again from their keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing, Handle

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.scale.executors.base import Combine, Loader

RETRIES = 3
LOST_OFTEN = 10  # how many workers may die under a task before Dask gives it up


class DaskExecutor(Closing):
    """Works on a Dask cluster.

    Parameters
    ----------
    client : dask.distributed.Client or None
        The cluster; None: the client in use, or a new local cluster.
    """

    name = "dask"

    def __init__(self, client: Any = None) -> None:
        try:
            from dask import config
            from dask import distributed as installed
        except ModuleNotFoundError:
            raise ModuleNotFoundError("engine='dask' needs Dask: pip install 'hornbeam[dask]'") from None
        distributed: Any = installed
        self._own: Any = None
        if client is None:
            try:
                client = distributed.get_client()
            except ValueError:
                client = self._own = distributed.Client(processes=True, dashboard_address=None)
        config.set({"distributed.scheduler.allowed-failures": LOST_OFTEN})
        self.client = client

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Partitions made by ``loader(key)``; kept ones stay on the workers."""
        held = [self.client.submit(loader, key, pure=False, retries=RETRIES) for key in keys] if keep else None
        return Handle(loader, list(keys), keep, held=held)

    def map_reduce(
        self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...], combine: Combine
    ) -> Any:
        """Combine ``function(block, *arguments)`` over all partitions, two by two, on the workers."""
        submit = self.client.submit
        if handle.held is not None:
            results = [submit(_apply, block, function, arguments, pure=False, retries=RETRIES) for block in handle.held]
        else:
            results = [
                submit(_load_and_apply, handle.loader, key, function, arguments, pure=False, retries=RETRIES)
                for key in handle.keys
            ]
        while len(results) > 1:
            pairs = zip(results[::2], results[1::2], strict=False)
            last = results[-1:] if len(results) % 2 else []
            results = [submit(combine, one, other, pure=False, retries=RETRIES) for one, other in pairs] + last
        return results[0].result() if results else None

    def close(self) -> None:
        """End the local cluster, if it was started here."""
        if self._own is not None:
            self._own.shutdown()
            self._own = None


def _apply(block: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(block, *arguments)


def _load_and_apply(loader: Loader, key: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(loader(key), *arguments)
