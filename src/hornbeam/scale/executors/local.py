"""Local processes: each reads partitions from disk, so that the data need not fit in memory.

A process that dies is replaced, and its task is retried.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.scale.executors.base import Closing, Handle, ScaleError
from hornbeam.scale.executors.worker import block, receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.scale.executors.base import Combine, Loader

TRIES = 4  # a task fails after its process has died this many times
OWN_MEMORY = 256  # megabytes that a process needs for program and libraries, without data

KILLED = -9  # the status of a process that was ended by SIGKILL

Task = tuple[int, int]  # index and number of tries


class LocalExecutor(Closing):
    """Works in this process (no workers) or in several processes.

    Parameters
    ----------
    workers : int or None
        Number of processes; 0: this process; None: one per core.
    memory_mb : int or None
        The memory limit of all processes together.
    """

    name = "local"

    def __init__(self, workers: int | None = None, memory_mb: int | None = None) -> None:
        self.workers = (os.cpu_count() or 1) if workers is None else workers
        self.limit = 0
        if memory_mb is not None and self.workers:
            self.limit = memory_mb // self.workers
            if self.limit < OWN_MEMORY:
                msg = (
                    f"memory_mb={memory_mb} leaves {self.limit} MB for each of {self.workers} processes; "
                    f"expected at least {OWN_MEMORY} MB each: use a larger memory_mb or fewer workers"
                )
                raise ValueError(msg)
        self._folder: Path | None = None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._number = 0
        self.lock = threading.RLock()  # while processes are started or ended
        self.received = 0

    def load(self, loader: Loader, keys: Sequence[Any], *, keep: bool = False) -> Handle:
        """Create partitions by ``loader(key)``; cached ones are files in a temporary folder."""
        if keep and self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="hornbeam-"))
        self._number += 1
        return Handle(loader, list(keys), keep, self._number)

    def map_reduce(
        self, handle: Handle, function: Callable[..., Any], arguments: tuple[Any, ...], combine: Combine
    ) -> Any:
        """Combine ``function(block, *arguments)`` over all partitions."""
        if not self.workers:
            result = None
            for number, key in enumerate(handle.keys):
                one = function(block(handle.loader, key, self._place(handle, number)), *arguments)
                result = one if number == 0 else combine(result, one)
            return result
        return _Run(self, handle, function, arguments, combine).result()

    def release(self, handle: Handle) -> None:
        """Remove the files of cached blocks."""
        if handle.keep and self._folder is not None:
            shutil.rmtree(self._folder / str(handle.number), ignore_errors=True)

    def close(self) -> None:
        """End the processes and remove the files."""
        with self.lock:
            for process in self._processes:
                process.kill()
            for process in self._processes:
                process.wait()
                for stream in (process.stdin, process.stdout):
                    if stream is not None:
                        with contextlib.suppress(OSError):
                            stream.close()
            self._processes = []
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None

    def _place(self, handle: Handle, number: int) -> Path | None:
        if not handle.keep:
            return None
        assert self._folder is not None
        return self._folder / str(handle.number) / str(number)

    def process(self, place: int) -> subprocess.Popen[bytes]:
        """Return the process with this index, a new one if there is none or it died."""
        while len(self._processes) <= place:
            self._processes.append(self._start())
        if self._processes[place].poll() is not None:
            self._processes[place] = self._start()
        return self._processes[place]

    def _start(self) -> subprocess.Popen[bytes]:
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "ARROW_IO_THREADS"), "1")
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "hornbeam.scale.executors.worker", str(self.limit)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **threads}, start_new_session=True,
        )  # fmt: skip


class _Run:
    """One `map_reduce`: a thread per process assigns tasks and combines the results."""

    def __init__(
        self,
        owner: LocalExecutor,
        handle: Handle,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        combine: Combine,
    ) -> None:
        self.owner, self.handle, self.combine = owner, handle, combine
        self.work = (function, arguments)
        self.tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for number in range(len(handle.keys)):
            self.tasks.put((number, 0))
        self.lock = threading.Lock()
        self.left = len(handle.keys)
        self.answers: list[Any] = []
        self.error: BaseException | None = None

    def result(self) -> Any:
        count = min(self.owner.workers, len(self.handle.keys))
        threads = [threading.Thread(target=partial(self.serve, place), daemon=True) for place in range(count)]
        try:
            for place in range(count):
                self.owner.process(place)  # started by this thread, one after another
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)  # so that Ctrl-C is noticed
        except BaseException:
            with self.owner.lock:  # so that no thread starts another process afterwards
                self.error = self.error or KeyboardInterrupt()
                self.owner.close()
            raise
        if self.error is not None:
            raise self.error
        return self.answers[0] if self.answers else None

    def serve(self, place: int) -> None:
        while self.error is None and self.left:
            try:
                task = self.tasks.get(timeout=0.05)
            except queue.Empty:
                continue
            try:
                self.take(self.ask(place, *task))
            except BaseException as error:  # noqa: BLE001 - raised again where the result is wanted
                self.error = error

    def ask(self, place: int, number: int, tries: int) -> tuple[bool, Any] | None:
        with self.owner.lock:
            if self.error is not None:
                return None
            process = self.owner.process(place)
        key = self.handle.keys[number]
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, (self.handle.loader, key, self.owner._place(self.handle, number), *self.work))
            answer, size = receive(process.stdout)
        except (EOFError, OSError):
            process.wait()
            if tries + 1 == TRIES:
                killed = "; it was killed, perhaps because memory was short" if process.returncode == KILLED else ""
                msg = (
                    f"the process that worked on partition {key} ended {TRIES} times (status {process.returncode})"
                    f"{killed}: use smaller partitions, fewer workers, or memory_mb"
                )
                raise ScaleError(msg) from None
            self.tasks.put((number, tries + 1))
            return None
        with self.lock:
            self.owner.received += size
        found: tuple[bool, Any] = answer
        return found

    def take(self, answer: tuple[bool, Any] | None) -> None:
        if answer is None:
            return
        good, value = answer
        if not good:
            raise value
        with self.lock:
            self.answers = [self.combine(self.answers[0], value) if self.answers else value]
            self.left -= 1
