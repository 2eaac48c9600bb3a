"""Compare every model of every data set in every runtime: ``python -m exactness [--anew] [SET ...]``."""

from __future__ import annotations

import argparse
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


def main() -> int:
    """Run what is not there yet, and store everything in short; the exit code is 1 if something differs."""
    parser = argparse.ArgumentParser(prog="python -m exactness", description=__doc__)
    parser.add_argument("sets", nargs="*", help="data sets; all by default")
    parser.add_argument("--runtimes", help="separated by commas; by default all that are on this machine")
    parser.add_argument("--models", help="names of estimators in kinds.py, separated by commas; all by default")
    parser.add_argument("--anew", action="store_true", help="run again what is there")
    parser.add_argument("--here", action="store_true", help="in this process, with at most 6 GB of memory")
    given = parser.parse_args()
    if given.here:
        resource.setrlimit(resource.RLIMIT_DATA, (6 * 2**30, 6 * 2**30))
    results.WORKING.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-Xmx1g")
    with nullcontext() if given.here or lacking() else running():
        chosen = given.runtimes.split(",") if given.runtimes else runs.runtimes()
        options = [each for each in sys.argv[1:] if each not in given.sets]
        only = tuple(given.models.split(",")) if given.models else ()
        for name in given.sets or sorted(evidence.sets(), key=_size):
            if given.here:
                _run(name, chosen, only, anew=given.anew)
            else:  # in a process of its own, which gives its memory back
                subprocess.run([sys.executable, "-m", "exactness", "--here", *options, name], check=False)
    if given.here:
        return 0
    stored = results.gathered()
    results.store(stored)
    differing = results.differing(stored)
    sys.stdout.write("\n".join(differing) + f"\n{len(differing)} differences\n")
    return int(bool(differing))


def _size(name: str) -> int:
    return evidence.arff(name).stat().st_size


def _kept(path: Path) -> dict[str, dict[str, float | str]]:
    kept: dict[str, dict[str, float | str]] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return kept


def _run(name: str, chosen: list[str], only: tuple[str, ...], *, anew: bool) -> None:
    """Run the runtimes that a set has no results for, and keep them."""
    path = results.WORKING / f"{name}.json"
    kept = _kept(path)
    have = set.intersection(*(set(each) for each in kept.values())) if kept else set()
    wanted = [runtime for runtime in chosen if anew or only or runtime not in have]
    if not wanted:
        return
    results_now = runs.of_set(name, wanted, only)
    kept = _kept(path)  # another run may have added to it
    for key, found in results_now.items():
        kept[key] = kept.get(key, {}) | found
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(kept, indent=0), "utf-8")
    os.replace(draft, path)  # noqa: PTH105 - whole or not at all
    results.note_commit(name)
    sys.stdout.write(f"{name}: {', '.join(wanted)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
