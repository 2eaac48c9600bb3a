"""Compare the speed of two commits on this machine: ``python -m benchmarks.compare OLD NEW``.

Both commits are built once and kept. Their measurements take turns, each in a process of its own, so that a busy
machine slows both. The best of several runs counts for each; how far the runs of one commit differ is the noise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import folder
from benchmarks.races import races
from benchmarks.run import HERE, last_line, python, report, setting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.peer import Measurement

ROOT = HERE.parent
INSTALLED = "."  # instead of a commit: this checkout with the package that is installed
LEAST_NOISE = 0.01  # two runs may agree by accident
LIMIT = 0.03  # slower by more than this, and by more than the noise, fails
SAME = ("accuracy", "rmse", "loss", "leaves", "size", "rules", "digest")  # results that should not change


@dataclass(frozen=True)
class Build:
    """A commit that can be measured."""

    name: str  # as given
    checkout: Path  # its benchmarks are run
    package: Path | None  # where its package is; None: the installed one

    def measure(self, one: Measurement) -> dict[str, Any]:
        """Make the data, once, and run one measurement in a process of its own."""
        if one.data:
            self._python("benchmarks.data", one.data, str(one.rows), *([one.text] if one.text else []))
        return dict(json.loads(self._python("benchmarks.measure", json.dumps(asdict(one)), threads=one.threads)))

    def _python(self, module: str, *arguments: str, threads: int = 0) -> str:
        paths = {"PYTHONPATH": str(self.package)} if self.package else {}
        return python(module, *arguments, threads=threads, folder=self.checkout, environment=paths)


@dataclass
class Pair:
    """One measurement of both commits."""

    measurement: Measurement
    old: list[dict[str, Any]] = field(default_factory=list)
    new: list[dict[str, Any]] = field(default_factory=list)
    problem: str | None = None

    def title(self) -> str:
        """What is measured, in words."""
        one = self.measurement
        threads = f", {one.threads} threads" if one.threads > 1 else ""
        return f"{one.task} {one.data} {one.rows:,}{threads}" if one.data else one.task

    def lines(self) -> Iterable[Comparison]:
        """Each quantity that was timed."""
        for quantity in quantities(self.measurement, self.old[0]):
            old, new = ([cost(run, quantity) for run in runs] for runs in (self.old, self.new))
            yield Comparison(f"{self.title()}: {quantity}", min(old), min(new), max(spread(old), spread(new)))

    def changed(self) -> list[str]:
        """Results of the two commits that differ."""
        old, new = self.old[0], self.new[0]
        return [f"{name} {old[name]} -> {new[name]}" for name in SAME if name in old and old[name] != new.get(name)]


@dataclass(frozen=True)
class Comparison:
    """One quantity of both commits: the less, the better."""

    title: str
    old: float
    new: float
    noise: float  # relative

    @property
    def ratio(self) -> float:
        """New over old."""
        return self.new / self.old

    def verdict(self, limit: float = LIMIT) -> str:
        """Whether it changed by more than the noise, and whether that is too much."""
        change = max(self.ratio, 1 / self.ratio) - 1
        if change <= self.noise:
            return ""
        return "faster" if self.ratio < 1 else "SLOWER" if change > limit else "slower"


def quantities(measurement: Measurement, run: dict[str, Any]) -> list[str]:
    """The names of what is compared: CPU seconds with one thread, wall-clock seconds with several."""
    names = ["cpu" if measurement.threads == 1 else "wall", "rows_per_second", "one_row", "importing", "helping"]
    return [name for name in names if name in run]


def cost(run: dict[str, Any], quantity: str) -> float:
    """A quantity for which less is better."""
    return 1 / float(run[quantity]) if quantity == "rows_per_second" else float(run[quantity])


def spread(runs: list[float]) -> float:
    """How well the best run was repeated: the relative distance to the second best."""
    first, second = (sorted(runs) * 2)[:2] if len(runs) == 1 else sorted(runs)[:2]
    return max(second / first - 1, LEAST_NOISE)


def build(name: str) -> Build:
    """Check a commit out and build its package, unless that was done before."""
    if name == INSTALLED:
        return Build(name, ROOT, None)
    commit = _git("rev-parse", "--verify", f"{name}^{{commit}}")
    place = folder().parent / "builds" / commit
    checkout, package = place / "checkout", place / "package"
    if not (place / "built").exists():
        report(f"building {name} ({commit[:10]}); this takes minutes, once")
        checkout.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S603, S607
        subprocess.run(["tar", "-x", "-C", str(checkout)], input=archive, check=True)  # noqa: S603, S607
        beside = Path(sys.executable).parent  # meson and Cython are looked for on the path
        tools = os.pathsep.join([str(beside), os.environ.get("PATH", "")])
        subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-build-isolation", "--upgrade",
             "--target", str(package), str(checkout)],
            env=dict(os.environ) | {"PATH": tools}, check=True,
        )  # fmt: skip
        (place / "built").touch()
    return Build(name, checkout, package)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def chosen(only: list[str] | None, *, quick: bool) -> list[Pair]:
    """Our own measurements in the races, each once."""
    every = {race.name: race for race in races(quick=quick)}
    for name in only or ():
        if name not in every:
            raise SystemExit(f"there is no race {name!r}; python -m benchmarks --list names them")
    entries = [entry for name in only or every for entry in every[name].entries if entry.peer == "ours"]
    return [Pair(entry) for entry in dict.fromkeys(entries)]


def take(pair: Pair, old: Build, new: Build, turn: int) -> None:
    """Measure both commits once, in an order that changes from turn to turn."""
    if pair.problem:
        return
    sides = [(old, pair.old), (new, pair.new)]
    for side, runs in sides if turn % 2 == 0 else reversed(sides):
        try:
            python("benchmarks.memory")
            runs.append(side.measure(pair.measurement))
        except subprocess.CalledProcessError as error:
            pair.problem = f"{side.name}: {last_line(error)}"
            return


def table(lines: list[Comparison], limit: float) -> list[str]:
    """The comparisons as text: what changed first, by how much."""
    ordered = sorted(lines, key=lambda line: (not line.verdict(limit), -line.ratio))
    width = max((len(line.title) for line in ordered), default=10)
    head = f"{'measurement':{width}}  {'old':>10}  {'new':>10}  ratio  noise"
    rows = [
        f"{line.title:{width}}  {line.old:>10.4g}  {line.new:>10.4g}  {line.ratio:5.3f}  {line.noise:5.1%}  "
        f"{line.verdict(limit)}".rstrip()
        for line in ordered
    ]
    return [head, *rows]


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description="Compare two commits.")
    parser.add_argument("old", help="a commit, or . for the installed package")
    parser.add_argument("new", nargs="?", default=INSTALLED, help="the same (default .)")
    parser.add_argument("--only", action="append", metavar="RACE", help="only this race (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="few rows: a trial of the command, not a measurement")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="runs of each measurement (default 5)")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="X", help="how much slower fails (default 0.03)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    options = parser.parse_args(arguments)
    pairs = chosen(options.only, quick=options.quick)
    old, new = build(options.old), build(options.new)
    for turn in range(max(options.repeats, 2)):
        for pair in pairs:
            report(f"{turn + 1}/{max(options.repeats, 2)} {pair.title()}")
            take(pair, old, new, turn)
    done = [pair for pair in pairs if not pair.problem]
    lines = [line for pair in done for line in pair.lines()]
    slower = [line for line in lines if line.verdict(options.limit) == "SLOWER"]
    if options.json:
        print(json.dumps({"setting": setting(), "old": old.name, "new": new.name, "lines": [asdict(x) for x in lines]}))
        return int(bool(slower))
    print(setting())
    print("\n".join(table(lines, options.limit)))
    for pair in done:
        for change in pair.changed():
            print(f"{pair.title()}: result changed: {change}")
    for pair in pairs:
        if pair.problem:
            print(f"{pair.title()}: not compared: {pair.problem}")
    changed = sum(bool(line.verdict(options.limit)) for line in lines)
    print(f"{changed} of {len(lines)} changed beyond noise; {len(slower)} slower by more than {options.limit:.0%}.")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
