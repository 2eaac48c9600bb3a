"""Compare everything with the reference programs: ``python -m oracle [SCHEME ...]``, run in the folder `tests`.

It prints one table, and writes RESULTS.md beside this file unless schemes are named. The exit status is 1 if anything
differs that exceptions.py does not explain, or is less accurate than it may be.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Any

from oracle import evidence, summary
from oracle.clusters import cluster_results
from oracle.forests import ensembles
from oracle.linear import linear_results
from oracle.neighbors import lazy, nearest
from oracle.rules import jrip_results, part_results, simple_rules
from oracle.schemes import PROGRAMS
from oracle.svm import margins
from oracle.trees import m5_results, quality, rpart_results, tree_results

CHAPTERS = tuple(
    module.CHAPTER
    for module in (
        tree_results,
        rpart_results,
        part_results,
        jrip_results,
        simple_rules,
        m5_results,
        linear_results,
        nearest,
        lazy,
        margins,
        quality,
        ensembles,
        cluster_results,
    )
)
Task = tuple[int, str, str]  # number of the chapter, scheme, set


def tasks(schemes: set[str]) -> list[Task]:
    """Everything to compare; large sets first, so that no process is left alone with one at the end."""
    found = [
        (number, scheme, data)
        for number, chapter in enumerate(CHAPTERS)
        for scheme, data in chapter.pairs()
        if scheme in schemes
    ]
    return sorted(found, key=lambda task: (-evidence.arff(task[2]).stat().st_size, task[2]))


@dataclass(frozen=True)
class Failed:
    """A comparison that ended in an error."""

    scheme: str
    data: str
    error: str


def compared(task: Task) -> Any:
    """Do one comparison."""
    number, scheme, data = task
    try:
        return CHAPTERS[number].compare(scheme, data)
    except Exception:  # noqa: BLE001 - one that fails must not hide the others; the exit status will be 1
        return Failed(scheme, data, traceback.format_exc())


def run(todo: list[Task]) -> tuple[list[list[Any]], list[str]]:
    """Do all comparisons: outcomes chapter by chapter, sets in alphabetical order; and errors."""
    found: dict[Task, Any] = {}
    began = time.monotonic()
    with ProcessPoolExecutor(cpu_count()) as pool:
        for task, outcome in zip(todo, pool.map(compared, todo), strict=True):
            found[task] = outcome
            if len(found) % 100 == 0:
                sys.stderr.write(f"{len(found)} of {len(todo)} comparisons, {time.monotonic() - began:.0f} s\n")
    failed = [each for each in found.values() if isinstance(each, Failed)]
    ordered = sorted((task for task in found if not isinstance(found[task], Failed)), key=lambda task: task[2])
    outcomes = [[found[task] for task in ordered if task[0] == number] for number in range(len(CHAPTERS))]
    return outcomes, [f"{each.scheme} on {each.data} ended in an error:\n{each.error}" for each in failed]


def page(outcomes: list[list[Any]], table: list[summary.Row]) -> str:
    """RESULTS.md."""
    lines = [
        "# Results against the reference programs",
        "",
        "Written by `make oracle`. *identical*: printed model and cross-validated predictions are the same, as the",
        "chapters below say in detail. *as good*: another algorithm, or random numbers; accuracy, or the fit of",
        "clusters, is compared.",
        "",
        *summary.markdown(table),
        "",
        *summary.notes(table),
    ]
    for chapter, found in zip(CHAPTERS, outcomes, strict=True):
        lines += ["", f"## {chapter.title}", "", *chapter.page(found)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare, print, and judge."""
    parser = argparse.ArgumentParser(prog="python -m oracle", description="Compare with the reference programs.")
    parser.add_argument("scheme", nargs="*", help="only these schemes; RESULTS.md is left alone")
    named = parser.parse_args().scheme
    known = {scheme for schemes in PROGRAMS.values() for scheme in schemes}
    if set(named) - known:
        parser.error(f"no such scheme: {', '.join(sorted(set(named) - known))}; there are {', '.join(sorted(known))}")
    outcomes, wrong = run(tasks(set(named) or known))
    findings = [each for chapter, found in zip(CHAPTERS, outcomes, strict=True) for each in chapter.findings(found)]
    table = summary.rows(findings)
    wrong += summary.wrong(findings)
    for chapter, found in zip(CHAPTERS, outcomes, strict=True):
        wrong += chapter.complaints(found) if found else []
    if not named and all(outcomes):
        Path(__file__).with_name("RESULTS.md").write_text(page(outcomes, table), encoding="utf-8")
    lines = [*summary.plain(table), "", *summary.notes(table), ""]
    lines += (
        ["WRONG:", "", *[f"* {line}" for line in wrong]] if wrong else ["Nothing is unexplained; all limits are kept."]
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
