"""Compare every model of every data set in every runtime: ``python -m exactness [--anew] [SET ...]``."""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

from oracle import evidence
from postgres_server import lacking, running

if TYPE_CHECKING:
    from pathlib import Path

from exactness import results, runs
from hornbeam.export.judges import compilers

RUNNING = results.WORKING / "running.txt"  # the set and the runtime that a process is at

MEMORY = 12 * 2**30  # bytes of a process: the Java virtual machine needs most of it
TOGETHER = 10  # sets in one process, which gives its memory back
DEATHS = 20  # times that a runtime may end a process


def main() -> int:
    """Run what is not there yet, and store everything in short; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m exactness", description=__doc__)
    parser.add_argument("sets", nargs="*", help="data sets; all by default")
    parser.add_argument("--runtimes", help="separated by commas; by default all that are on this machine")
    parser.add_argument("--models", help="names of estimators in kinds.py, separated by commas; all by default")
    parser.add_argument("--anew", action="store_true", help="run again what is there")
    parser.add_argument("--here", action="store_true", help="in this process")
    given = parser.parse_args()
    results.WORKING.mkdir(parents=True, exist_ok=True)
    if given.here:
        _run_all(given)
        return 0
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-Xmx3g")
    RUNNING.unlink(missing_ok=True)
    sets = given.sets or sorted(evidence.sets(), key=_size)  # the small ones first
    options = [each for each in sys.argv[1:] if each not in given.sets]
    with nullcontext() if lacking() else running():
        for first in range(0, len(sets), TOGETHER):
            _apart([*options, *sets[first : first + TOGETHER]])
    stored = results.merged(results.load(), results.gathered())
    results.store(stored)
    differing = results.differing(stored)
    sys.stdout.write("\n".join(differing) + f"\n{len(differing)} differences\n")
    return int(bool(differing))


def _apart(arguments: list[str]) -> None:
    """Run sets in another process; what ends it is noted as a difference by the next one."""
    for _ in range(DEATHS):
        done = subprocess.run([sys.executable, "-m", "exactness", "--here", *arguments], check=False)
        if not RUNNING.exists() or done.returncode == 1:
            break


def _run_all(given: argparse.Namespace) -> None:
    """Run the sets in this process."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    compilers.FLAGS = tuple(flag.replace("-O2", "-O1") for flag in compilers.FLAGS)
    compilers.RUST_FLAGS = tuple(flag.replace("opt-level=1", "opt-level=0") for flag in compilers.RUST_FLAGS)
    chosen = given.runtimes.split(",") if given.runtimes else runs.runtimes()
    only = tuple(given.models.split(",")) if given.models else ()
    for name in given.sets:
        _run(name, chosen, only, anew=given.anew)
        gc.collect()


def _size(name: str) -> int:
    return evidence.arff(name).stat().st_size


def _kept(path: Path) -> dict[str, dict[str, float | str]]:
    kept: dict[str, dict[str, float | str]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return kept


def _run(name: str, chosen: list[str], only: tuple[str, ...], *, anew: bool) -> None:
    """Run the runtimes that a set has no results for, and keep the results of each."""
    path = results.WORKING / f"{name}.json"
    kept = _kept(path)
    have = set.intersection(*(set(each) for each in kept.values())) if kept else set()
    wanted = [runtime for runtime in chosen if anew or only or runtime not in have]
    died = RUNNING.read_text("utf-8").split() if RUNNING.exists() else []
    if died[:1] == [name] and died[1] in wanted:
        ended = f"{runs.DIFFERS}the process ended"
        _keep(path, {key: ended for key, _ in runs.learned_of(name, only)}, died[1])
        wanted.remove(died[1])
    if not wanted:
        return
    results.note_commit(name)
    found = runs.of_set(name, wanted, only)
    for runtime in wanted:
        RUNNING.write_text(f"{name} {runtime}", "utf-8")
        _, models = next(found)
        _keep(path, models, runtime)
        RUNNING.unlink()
    sys.stdout.write(f"{name}: {', '.join(wanted)}\n")
    sys.stdout.flush()


def _keep(path: Path, found: dict[str, float | str], runtime: str) -> None:
    """Add the results of a runtime to those of a set; the file is written whole or not at all."""
    kept = _kept(path)
    for key, result in found.items():
        kept.setdefault(key, {})[runtime] = result
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(kept, indent=0), "utf-8")
    os.replace(draft, path)  # noqa: PTH105 - whole or not at all


if __name__ == "__main__":
    sys.exit(main())
