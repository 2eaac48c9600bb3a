"""A map of costs: every scheme by number of rows and by option, and how fast its time grows.

``python -m benchmarks.costs`` measures everything; ``--scheme part --sizes 10000,20000,40000`` measures some of it.
Each point is a process of its own with a limit in seconds of CPU, on one thread. COSTS.md and costs.json keep what
was measured: a point that is measured again takes its old place, so that a difference shows in the history.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.as_table import table_of
from benchmarks.data import MISSING_SHARE, Rows, labels, noisy, plant
from benchmarks.measure import Clock, peak_memory
from benchmarks.report import table as as_text
from hornbeam.model.rules.exceptions import places
from hornbeam.model.rules.rule import RuleList
from hornbeam.schemes import ALL_SCHEMES, NAMES, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from hornbeam.schemes.scheme import Value

HERE = Path(__file__).resolve().parent
SIZES = (10_000, 20_000, 40_000, 80_000, 160_000)
OPTION_SIZE = 10_000
LIMIT = 40.0  # seconds of CPU
ASKED = 2_000  # rows that are predicted
MANY_ASKED, ENOUGH = 20_000, 0.2  # rows, predicted again until this many seconds have passed, if that is quick
CATEGORIES = (3, 5, 8, 12)
N_NUMERIC, N_CLASSES, NOISE = 10, 3, 0.20
INTERVALS = 6  # of a numeric column, for schemes that take only categories
NOMINAL_ONLY = ("id3", "prism", "induct")
SLOWER = 5  # an option that costs more than this many times the default is marked
STEEPEST = 1.15
UNCERTAIN = 0.02  # seconds: growth is not computed from shorter times


# ---- the data ----


def _columns(random: np.random.Generator, n_rows: int) -> list[NDArray[Any]]:
    numbers = random.normal(size=(N_NUMERIC, n_rows)).astype(np.float32)
    return [*numbers, *(random.integers(0, n, n_rows).astype(np.int32) for n in CATEGORIES)]


@cache
def _tree() -> Any:  # noqa: ANN401 - a planted tree
    random = np.random.default_rng(781)
    last = 0

    def label() -> int:  # never the class of the leaf before it
        nonlocal last
        drawn = int(random.integers(0, N_CLASSES - 1))
        last = drawn if drawn < last else drawn + 1
        return last

    return plant(random, _columns(random, 20_000), (0, 1, 2, 3, 4, 5, 10, 11, 12), 6, 200, label)


def rows_of(n_rows: int, predicts: str, *, nominal_only: bool = False) -> Rows:
    """10 numeric and 4 nominal columns, 5 % missing, and 3 classes by a tree over 9 columns with 20 % noise.

    Numbers to predict are the class, a plane over three columns, and noise.
    """
    random = np.random.default_rng(n_rows)
    columns = _columns(random, n_rows)
    classes = labels(_tree(), columns)
    numbers, codes = np.column_stack(columns[:N_NUMERIC]), np.column_stack(columns[N_NUMERIC:])
    plane = 2.0 * classes + numbers[:, :3].astype(np.float64) @ [1.0, -0.5, 0.25] + 0.5 * random.normal(size=n_rows)
    target = plane if predicts == "number" else noisy(random, classes, N_CLASSES, NOISE)
    numbers[random.random(numbers.shape) < MISSING_SHARE] = np.nan
    codes[random.random(codes.shape) < MISSING_SHARE] = -1
    rows = Rows(numbers, codes, target, CATEGORIES, 0 if predicts == "number" else N_CLASSES)
    if not nominal_only:
        return rows
    cuts = np.linspace(-1.5, 1.5, INTERVALS - 1)
    cut = np.where(np.isnan(numbers), -1, np.digitize(numbers, cuts)).astype(np.int32)
    n_categories = (*CATEGORIES, *(INTERVALS,) * N_NUMERIC)
    return replace(
        rows, numbers=np.empty((n_rows, 0), np.float32), codes=np.hstack([codes, cut]), n_categories=n_categories
    )


# ---- one point ----


@dataclass(frozen=True)
class Point:
    """A scheme with an option, and a number of rows."""

    scheme: str
    predicts: str
    rows: int
    option: str = ""  # its name; empty: as it comes
    value: Value = None
    limit: float = LIMIT

    @property
    def key(self) -> str:
        """Its name in costs.json."""
        option = f"{self.option}={json.dumps(self.value)}" if self.option else ""
        return " ".join((self.scheme, self.predicts, str(self.rows), option)).strip()


def measured(point: Point) -> dict[str, Any]:
    """Seconds to fit, MB above the rows, rules, microseconds per predicted row; an error if options are refused."""
    scheme = next(s for s in ALL_SCHEMES if (s.name, s.predicts) == (point.scheme, point.predicts))
    fixed: dict[str, Value] = {"n_jobs": 1, "random_state": 1}
    if point.scheme == "id3":
        fixed["missing"] = "own-category"  # it refuses missing values otherwise
    parameters = {name: value for name, value in fixed.items() if scheme.has(name)}
    if point.option:
        parameters[point.option] = point.value
    whole = table_of(rows_of(point.rows + MANY_ASKED, point.predicts, nominal_only=point.scheme in NOMINAL_ONLY))
    if point.predicts == "cluster":
        whole = whole.select(range(len(whole.schema.columns) - 1))
    train, asked = whole.take(np.arange(point.rows)), whole.take(np.arange(point.rows, len(whole)))
    new = scheme.load()
    warm = train.take(np.arange(500))
    fitted = new(**parameters).fit(warm)
    if hasattr(fitted, "predict"):
        fitted.predict(warm)
    used = peak_memory()
    with Clock() as clock:
        fitted = new(**parameters).fit(train)
    found = {"fit": clock.cpu, "memory": peak_memory() - used}
    model = getattr(fitted, "model_", None)
    if hasattr(model, "rules"):
        found["rules"] = sum(1 for _ in places(model)) if isinstance(model, RuleList) else len(model.rules)
    print(json.dumps(found), flush=True)  # kept where predicting takes too long
    if hasattr(fitted, "predict"):
        rows, n_asked, seconds = asked.take(np.arange(ASKED)), 0, 0.0
        while seconds < ENOUGH:
            with Clock() as clock:
                fitted.predict(rows)
            seconds, n_asked, rows = seconds + clock.cpu, n_asked + len(rows), asked
        found["row"] = 1e6 * seconds / n_asked
    return found


def taken(point: Point) -> dict[str, Any]:
    """Measure a point in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.costs", "--point", json.dumps(point.__dict__)]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines:
        found: dict[str, Any] = json.loads(lines[-1])
        return found
    if done.returncode < 0:
        return {"over": point.limit}
    return {"error": (done.stderr.strip().splitlines() or ["it failed"])[-1]}


def limit_cpu(seconds: float) -> None:
    """End this process after this many seconds of CPU. Making the rows and warming up count, too."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds) + 4, math.ceil(seconds) + 8))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# ---- many points ----


def options_of(scheme: Scheme) -> Iterator[tuple[str, Value]]:
    """Every other choice and switch of a scheme, one at a time."""
    for parameter in scheme.parameters:
        if parameter.built_on is not None:
            continue
        others = (
            parameter.choices if parameter.kind == "choice" else (True, False) if parameter.kind == "switch" else ()
        )
        yield from ((parameter.name, value) for value in others if value != parameter.default)


def points(names: Iterable[str], sizes: Iterable[int], limit: float, *, options: bool) -> Iterator[Point]:
    """The points of some schemes: sizes in order, then options."""
    chosen = set(names)
    for scheme in ALL_SCHEMES:
        if scheme.name not in chosen:
            continue
        yield from (Point(scheme.name, scheme.predicts, n, limit=limit) for n in sizes)
        if options:
            for name, value in options_of(scheme):
                yield Point(scheme.name, scheme.predicts, OPTION_SIZE, name, value, limit)


def exponent(times: dict[int, float], start: int = 20_000) -> float | None:
    """How time grows between the first size from `start` on and the largest: time is rows to this power."""
    sizes = sorted(n for n, seconds in times.items() if seconds >= UNCERTAIN)
    sizes = [n for n in sizes if n >= start] if len([n for n in sizes if n >= start]) > 1 else sizes
    if len(sizes) < 2:  # noqa: PLR2004 - growth needs two
        return None
    first, last = sizes[0], sizes[-1]
    return math.log(times[last] / times[first]) / math.log(last / first)


def cell(found: dict[str, Any] | None, what: str = "fit", form: str = "{:.2f}") -> str:
    """One figure of a point, as text."""
    if found is None:
        return ""
    if what in found:
        return form.format(found[what])
    return f"> {found['over']:g}" if "over" in found else "refused"


def page(kept: dict[str, Any]) -> str:
    """COSTS.md."""
    lines = [
        "# Costs", "",
        "Written by `python -m benchmarks.costs`; README.md says how. Seconds of CPU of fitting by rows, one thread;",
        "the growth between 20,000 rows and the largest size that ended within the limit (time is rows to this power);",
        "peak memory of that fit above the rows, in MB; microseconds per predicted row; the number of its rules (with",
        f"exceptions and defaults). Growth above {STEEPEST} and options that take more than {SLOWER} times as long",
        "as the default are in bold.", "",
    ]  # fmt: skip
    whole: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
    options: list[list[str]] = []
    for key, found in kept.items():
        name, predicts, n, *option = key.split(" ", 3)
        if not option:
            whole.setdefault((name, predicts), {})[int(n)] = found
    for key, found in kept.items():
        name, predicts, n, *option = key.split(" ", 3)
        if option and "error" not in found:
            usual = whole.get((name, predicts), {}).get(int(n), {})
            times = found.get("fit", math.inf) / max(usual.get("fit", math.inf), 1e-4)
            asked = found.get("row", math.inf) / max(usual.get("row", math.inf), 1e-4)
            text = [("**{:.1f}**" if each > SLOWER else "{:.1f}").format(each) if math.isfinite(each) else ""
                    for each in (times, asked)]  # fmt: skip
            options.append([name, predicts, f"`{option[0]}`", cell(found), text[0], cell(found, "row"), text[1]])
    sizes = sorted({n for by_size in whole.values() for n in by_size})
    rows = []
    for (name, predicts), by_size in whole.items():
        times = {n: found["fit"] for n, found in by_size.items() if "fit" in found}
        growth = exponent(times)
        shown = "" if growth is None else f"{growth:.2f}" if growth <= STEEPEST else f"**{growth:.2f}**"
        last = by_size[max(times)] if times else None
        cells = [cell(by_size.get(n)) for n in sizes]
        rows.append([name, predicts, *cells, shown, cell(last, "memory", "{:,.0f}"), cell(last, "row")])
        rows[-1].append(cell(last, "rules", "{:,}") if last and "rules" in last else "")
    heads = ["scheme", "predicts", *(f"{n:,}" for n in sizes), "growth", "MB", "µs per row", "rules"]
    lines += as_text(heads, rows)
    if options:
        heads = ["scheme", "predicts", "option", "fit, s", "of default", "µs per row", "of default"]
        lines += ["", f"## Options, {OPTION_SIZE:,} rows", "", *as_text(heads, options)]
    return "\n".join(lines) + "\n"


def keep(found: dict[str, Any]) -> dict[str, Any]:
    """Put points in their places in costs.json, and write COSTS.md."""
    store = HERE / "costs.json"
    kept = {**(json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}), **found}
    order = {name: i for i, name in enumerate(scheme.name for scheme in ALL_SCHEMES)}
    kept = dict(sorted(kept.items(), key=lambda item: order.get(item[0].split()[0], -1)))
    store.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    (HERE / "COSTS.md").write_text(page(kept), encoding="utf-8")
    return kept


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.costs", description="A map of costs.")
    parser.add_argument("--scheme", action="append", metavar="NAME", help="measure this scheme alone (may be repeated)")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), metavar="N,N", help="numbers of rows")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="of CPU for one point (40)")
    parser.add_argument("--no-options", action="store_true", help="the schemes as they come")
    parser.add_argument("--dry", action="store_true", help="print what was measured and keep nothing")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.point:
        point = Point(**json.loads(options.point))
        limit_cpu(point.limit)
        print(json.dumps(measured(point)))
        return 0
    every = (*NAMES, *(scheme.name for scheme in ALL_SCHEMES if scheme.name not in NAMES))
    for name in options.scheme or ():
        if name not in every:
            parser.error(f"no scheme is called {name!r}; expected one of {', '.join(every)}")
    found: dict[str, Any] = {}
    too_long: set[tuple[str, str]] = set()
    sizes = sorted(map(int, options.sizes.split(",")))
    for point in points(options.scheme or every, sizes, options.limit, options=not options.no_options):
        scheme = point.scheme, point.predicts
        if scheme in too_long and not point.option:
            found[point.key] = {"over": point.limit}  # fewer rows took too long already
            continue
        result = found[point.key] = taken(point)
        if "over" in result and not point.option:
            too_long.add(scheme)
        shown = ", ".join(
            f"{name} {value if isinstance(value, str) else f'{value:.4g}'}" for name, value in result.items()
        )
        print(f"{point.key}: {shown}", file=sys.stderr, flush=True)
        if not options.dry:
            keep(found)  # after each point: a run that is stopped keeps what it has
    if options.dry:
        print(page(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
