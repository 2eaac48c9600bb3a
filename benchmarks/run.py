"""Run the races: ``python -m benchmarks``, or ``make bench``.

Every measurement is a process of its own; a race's peers take turns. Full runs are kept in results.json and shown in
RESULTS.md beside this file; a race that is run alone takes its old place there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, best, races
from benchmarks.report import bars, document, section

HERE = Path(__file__).resolve().parent
LONGEST = 3_600  # seconds for one measurement
PACKAGES = ("hornbeam", "numpy", "scikit-learn", "pyarrow", "ydf")


class Runner:
    """Takes measurements, each of them once for all the races that need it."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.runs: dict[Measurement, list[dict[str, Any]]] = {}
        self.absent: dict[Measurement, str] = {}
        self.failed = False

    def take(self, race: Race) -> None:
        """Every entry of a race, in turns, as often as requested."""
        for _ in range(self.repeats):
            for entry in race.entries:
                if entry not in self.absent and len(self.runs.get(entry, [])) < self.repeats:
                    self._run(entry)

    def results(self) -> dict[Measurement, dict[str, Any]]:
        """The best of what was measured."""
        return {entry: best(runs) for entry, runs in self.runs.items()}

    def _run(self, entry: Measurement) -> None:
        try:
            if entry.data:
                python("benchmarks.data", entry.data, str(entry.rows), *([entry.text] if entry.text else []))
            python("benchmarks.memory")
            line = python("benchmarks.measure", json.dumps(asdict(entry)), threads=entry.threads)
            result = json.loads(line)
        except (subprocess.SubprocessError, json.JSONDecodeError) as error:
            self.absent[entry], self.failed = f"It failed: {last_line(error)}", True
            report(f"  {NAMES[entry.peer]} failed: {getattr(error, 'stderr', None) or error}")
            return
        if "absent" in result:
            self.absent[entry] = result["absent"]
            report(f"  {NAMES[entry.peer]} takes no part: {result['absent']}")
            return
        self.runs.setdefault(entry, []).append(result)
        cost = f"{result['cpu']:.2f} s CPU, {result['wall']:.2f} s" if "cpu" in result else "done"
        report(f"  {NAMES[entry.peer]}: {entry.task} {entry.data} {entry.rows:,} rows, threads {entry.threads}: {cost}")


def python(
    module: str,
    *arguments: str,
    threads: int = 0,
    folder: Path = HERE.parent,
    environment: dict[str, str] | None = None,
) -> str:
    """Run a module of a checkout (by default this one) in a process of its own; its last line."""
    variables = dict(os.environ) | (environment or {})
    if threads:
        variables |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-m", module, *arguments],
        cwd=folder, env=variables, capture_output=True, text=True, check=True, timeout=LONGEST,
    )  # fmt: skip
    return (done.stdout.splitlines() or [""])[-1]


def last_line(error: Exception) -> str:
    """What a failed process said last."""
    lines = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
    return lines[-1].rstrip(".") if lines else type(error).__name__


def judge(bar: Bar, results: dict[Measurement, dict[str, Any]], *, quick: bool) -> dict[str, Any]:
    """A bar with its value and a verdict, as plain data."""
    plain = {"says": bar.says, "must_be": bar.must_be, "limit": bar.limit, "unit": bar.unit}
    try:
        value = bar.value(results)
    except KeyError:
        return {**plain, "value": None, "verdict": "not measured"}
    verdict = "too small to judge" if quick else "met" if bar.met(value) else "missed"
    return {**plain, "value": value, "verdict": verdict}


def outcome(race: Race, runner: Runner, *, quick: bool) -> dict[str, Any]:
    """A race with what came of it, as plain data."""
    results = runner.results()
    entries = [
        {**asdict(entry), "result": results.get(entry), "absent": runner.absent.get(entry)} for entry in race.entries
    ]
    judged = [judge(bar, results, quick=quick) for bar in race.bars]
    return {"title": race.title, "entries": entries, "bars": judged}


def setting() -> str:
    """What the results depend on, in one line."""
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    load = f", {os.getloadavg()[0]:.1f} of them busy before the start" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} on {platform.machine()}, {os.cpu_count()} cores{load}; {', '.join(versions)}"


def keep(results: dict[str, Any]) -> None:
    """Put races in their places in results.json and RESULTS.md."""
    store = HERE / "results.json"
    old = json.loads(store.read_text(encoding="utf-8"))["races"] if store.exists() else {}
    merged = {**old, **results["races"]}
    order = [race.name for race in races() if race.name in merged]
    whole = {"setting": results["setting"], "races": {name: merged[name] for name in order}}
    store.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    (HERE / "RESULTS.md").write_text(document(whole), encoding="utf-8")


def report(line: str) -> None:
    """Progress, on the error stream."""
    print(line, file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Side-by-side races and their bars.")
    parser.add_argument("--list", action="store_true", help="name the races and stop")
    parser.add_argument("--only", action="append", metavar="NAME", help="run this race alone (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="few rows, one run: a smoke test; nothing is kept")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="runs of each measurement (default 3)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args(arguments)
    chosen = {race.name: race for race in races(quick=options.quick)}
    if options.list:
        width = max(map(len, chosen))
        print("\n".join(f"{name:{width}} {race.title}" for name, race in chosen.items()))
        return 0
    for name in options.only or ():
        if name not in chosen:
            parser.error(f"there is no race {name!r}; expected one of {', '.join(chosen)}")
    results: dict[str, Any] = {"setting": setting(), "races": {}}
    runner = Runner(1 if options.quick else max(1, options.repeats))
    for name in options.only or chosen:
        report(name)
        runner.take(chosen[name])
        results["races"][name] = outcome(chosen[name], runner, quick=options.quick)
        if not options.json:
            print("\n".join(section(name, results["races"][name])), flush=True)
        if not options.quick:
            keep(results)  # after each race: a run that is stopped keeps what it has
    if options.json:
        print(json.dumps(results, indent=1))
    elif len(results["races"]) > 1:
        print("\n".join(bars(results["races"].items())))
    return int(runner.failed)


if __name__ == "__main__":
    sys.exit(main())
