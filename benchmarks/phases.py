"""Where the time of a fit goes, and how much of it only one thread works (Linux).

``python -m benchmarks.phases em --rows 200000 --n-jobs 2`` fits a scheme to the rows of the cost map. A second thread
looks every few milliseconds at the innermost function of hornbeam in the fitting thread, the phase, and at how long
every thread of the process has run, or waited for a core, since the last look. Printed by phase: wall-clock time, CPU
time, and the share of that CPU time in which only one thread had work. The last line says how many times faster the
whole could be on 16 cores if everything else were divided evenly (Amdahl's law). On a busy machine CPU time and the
shares are right, and wall-clock time is too long.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

import hornbeam
from benchmarks.as_table import table_of
from benchmarks.costs import NOMINAL_ONLY, rows_of
from hornbeam.schemes import ALL_SCHEMES

if TYPE_CHECKING:
    from types import FrameType

HOME = str(Path(hornbeam.__file__).parent)
STEP = 0.002  # seconds between two looks
BUSY = 0.1  # a thread that has work for a smaller share of the time between two looks does not count
CORES = 16
NANOSECOND = 1e-9
OUTSIDE = "outside"


class Spent(NamedTuple):
    """What a thread did so far, in seconds."""

    ran: float = 0.0
    waited: float = 0.0  # for a core


def spent() -> dict[int, Spent]:
    """What every thread of this process did so far."""
    found = {}
    for folder in Path("/proc/self/task").iterdir():
        try:
            ran, waited, _ = (folder / "schedstat").read_text(encoding="ascii").split()
        except OSError:  # the thread has just ended
            continue
        found[int(folder.name)] = Spent(NANOSECOND * int(ran), NANOSECOND * int(waited))
    return found


def phase_of(frame: FrameType | None) -> str:
    """The innermost function of the package on a stack."""
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(HOME) and not path.endswith("threads.py"):
            return f"{Path(path).relative_to(HOME).with_suffix('')}: {frame.f_code.co_qualname}"
        frame = frame.f_back
    return OUTSIDE


class Watch:
    """Looks at a thread while a ``with`` block runs; `wall`, `cpu` and `alone` are seconds by phase."""

    def __init__(self) -> None:
        self.wall: defaultdict[str, float] = defaultdict(float)
        self.cpu: defaultdict[str, float] = defaultdict(float)
        self.alone: defaultdict[str, float] = defaultdict(float)
        self._watched = threading.get_ident()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Self:
        """Begin to look."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop looking."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        own, last, when = threading.get_native_id(), spent(), time.perf_counter()
        while not self._over.wait(STEP):
            phase = phase_of(sys._current_frames().get(self._watched))
            now, at = spent(), time.perf_counter()
            before = {thread: last.get(thread, Spent()) for thread in now.keys() - {own}}
            ran = sum(now[thread].ran - then.ran for thread, then in before.items())
            busy = [sum(now[thread]) - sum(then) > BUSY * (at - when) for thread, then in before.items()]
            self.wall[phase] += at - when
            self.cpu[phase] += ran
            if sum(busy) <= 1:
                self.alone[phase] += ran
            last, when = now, at

    def lines(self, least: float = 0.01) -> list[str]:
        """The phases by CPU time, those with less than a share of it left out, and the whole."""
        total, alone = sum(self.cpu.values()), sum(self.alone.values())
        rows = [f"{'wall':>8} {'CPU':>8} {'one thread':>10} {'of all':>7}  phase"]
        rows += [
            _line(self.wall[phase], self.cpu[phase], self.alone[phase], total, phase)
            for phase in sorted(self.cpu, key=lambda each: -self.cpu[each])
            if self.cpu[phase] >= least * total
        ]
        rows.append(_line(sum(self.wall.values()), total, alone, total, "all"))
        if total > 0:
            rows.append(f"at most {total / (alone + (total - alone) / CORES):.1f} times as fast on {CORES} cores")
        return rows


def _line(wall: float, cpu: float, alone: float, total: float, name: str) -> str:
    """One row: seconds, the share of a phase that one thread did, and the share of all that this is."""
    return f"{wall:8.2f} {cpu:8.2f} {alone / max(cpu, 1e-9):10.1%} {alone / max(total, 1e-9):7.1%}  {name}"


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description="Phases of a fit.")
    parser.add_argument("scheme", help="its name, such as boosting")
    parser.add_argument("--predicts", choices=("category", "number", "cluster"), help="if the scheme predicts several")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--n-jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    found = [s for s in ALL_SCHEMES if s.name == given.scheme and given.predicts in (None, s.predicts)]
    if not found:
        parser.error(f"no scheme is called {given.scheme!r}, or it predicts something else")
    scheme = found[0]
    fixed = {"n_jobs": given.n_jobs, "random_state": 1}
    parameters = {name: value for name, value in fixed.items() if scheme.has(name)}
    table = table_of(rows_of(given.rows, scheme.predicts, nominal_only=scheme.name in NOMINAL_ONLY))
    if scheme.predicts == "cluster":
        table = table.select(range(len(table.schema.columns) - 1))
    new = scheme.load()
    new(**parameters).fit(table.take(range(500)))
    with Watch() as watch:
        new(**parameters).fit(table)
    print("\n".join([f"{scheme.name}, {given.rows:,} rows, n_jobs={given.n_jobs}", *watch.lines()]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
