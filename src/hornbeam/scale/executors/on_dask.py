"""Dask: partitions are futures, loaded by the workers; no data is sent from here.

When a worker is lost, Dask loads its partitions again from their keys.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing, Handle, check_versions, versions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.scale.executors.base import Combine, Loader

RETRIES = 3
LOST_OFTEN = 10  # how many workers may die during a task before Dask gives up


class DaskExecutor(Closing):
    """Works on a Dask cluster.

    Parameters
    ----------
    client : dask.distributed.Client or None
        The cluster; None: the client in use, or a new local cluster.
    """

    name = "dask"
    received = 0

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
        # tasks, which go to another worker if theirs is lost; `client.run` may wait for it without end
        workers = list(client.scheduler_info(n_workers=-1)["workers"])
        own = {"pure": False, "retries": RETRIES, "allow_other_workers": True}
        found = client.gather([client.submit(versions, place, workers=[place], **own) for place in workers])
        check_versions(dict(zip(workers, found, strict=True)))

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Create partitions by ``loader(key)``; cached ones stay on the workers."""
        held = [self._with_key(key, loader) for key in keys] if keep else None
        return Handle(loader, list(keys), keep, held=held)

    def _with_key(self, key: Any, function: Callable[..., Any], *arguments: Any) -> Any:
        """Submit ``function(key, *arguments)``."""
        return self.client.submit(function, key, *arguments, pure=False, retries=RETRIES)

    def map_reduce(
        self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...], combine: Combine
    ) -> Any:
        """Combine ``function(block, *arguments)`` over all partitions, pairwise on the workers."""
        submit = self.client.submit
        if handle.held is not None:
            results = [submit(_apply, block, function, arguments, pure=False, retries=RETRIES) for block in handle.held]
        else:
            results = [self._with_key(key, _load_and_apply, handle.loader, function, arguments) for key in handle.keys]
        while len(results) > 1:
            pairs = zip(results[::2], results[1::2], strict=False)
            last = results[-1:] if len(results) % 2 else []
            results = [submit(combine, one, other, pure=False, retries=RETRIES) for one, other in pairs] + last
        if not results:
            return None
        found = results[0].result()
        self.received += len(pickle.dumps(found, protocol=5))
        return found

    def release(self, handle: Handle) -> None:
        """Let the workers forget cached blocks."""
        if handle.held is not None:
            handle.held.clear()

    def close(self) -> None:
        """End the local cluster, if it was started here."""
        if self._own is not None:
            self._own.shutdown()
            self._own = None


def _apply(block: Any, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(block, *arguments)


def _load_and_apply(key: Any, loader: Loader, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(loader(key), *arguments)
