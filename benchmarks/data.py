"""Seeded data for the races: made once, kept as plain arrays, the same rows for every peer.

Each generator gives numbers (float32, NaN is missing), codes of nominal columns (int32, -1 is missing) and a target:
classes (int32) or numbers (float64). What is to be learned is a planted tree or a formula, with noise, so that a
learner has something to find and a tree grown to purity has something to overfit.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Columns = Sequence[NDArray[Any]]

MOST_HELD_OUT = 50_000
MOST_TRIES = 20  # at a fork of a planted tree
ARRAYS = ("numbers", "codes", "target")


@dataclass(frozen=True)
class Rows:
    """Some rows, as arrays in memory: where every peer starts from."""

    numbers: NDArray[np.float32]  # (rows, numeric columns), row-major
    codes: NDArray[np.int32]  # (rows, nominal columns)
    target: NDArray[Any]  # classes, int32; or numbers, float64
    n_categories: tuple[int, ...] = ()
    n_classes: int = 2  # 0: the target is numeric

    def __len__(self) -> int:
        return len(self.target)

    def part(self, rows: slice) -> Rows:
        """Some of the rows, as views."""
        return replace(self, numbers=self.numbers[rows], codes=self.codes[rows], target=self.target[rows])


# ---- planted trees ----


@dataclass(frozen=True)
class Fork:
    """A node of a planted tree: rows with a value up to `cut`, or a code among `chosen`, go to `left`."""

    column: int
    cut: float | None
    chosen: tuple[int, ...]
    left: Fork | int
    right: Fork | int

    def goes_left(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of some values of the column do."""
        return np.isin(values, self.chosen) if self.cut is None else values <= self.cut


def plant(
    random: np.random.Generator,
    columns: Columns,
    usable: Sequence[int],
    depth: int,
    fewest: int,
    label: Callable[[], int],
) -> Fork | int:
    """A random tree that divides `columns`, a sample of the data, evenly enough."""
    if not depth or len(columns[0]) < fewest:
        return label()
    numeric = [column for column in usable if columns[column].dtype.kind == "f"]
    nominal = [column for column in usable if columns[column].dtype.kind != "f"]
    for _ in range(MOST_TRIES):
        if nominal and random.random() < len(nominal) / len(usable):
            column = int(random.choice(nominal))
            present = np.unique(columns[column])
            n_chosen = max(1, round(len(present) * random.uniform(0.3, 0.7)))
            chosen = random.choice(present, min(n_chosen, max(1, len(present) - 1)), replace=False)
            fork = Fork(column, None, tuple(chosen.tolist()), 0, 0)
        else:
            column = int(random.choice(numeric))
            fork = Fork(column, float(np.quantile(columns[column], random.uniform(0.25, 0.75))), (), 0, 0)
        left = fork.goes_left(columns[column])
        if left.any() and not left.all():
            break
    else:
        return label()
    grown = [plant(random, [c[side] for c in columns], usable, depth - 1, fewest, label) for side in (left, ~left)]
    return replace(fork, left=grown[0], right=grown[1])


def labels(tree: Fork | int, columns: Columns) -> NDArray[np.int32]:
    """The class of every row by a planted tree."""
    found = np.empty(len(columns[0]), np.int32)

    def mark(node: Fork | int, rows: NDArray[np.intp]) -> None:
        if isinstance(node, int):
            found[rows] = node
            return
        left = node.goes_left(columns[node.column][rows])
        mark(node.left, rows[left])
        mark(node.right, rows[~left])

    mark(tree, np.arange(len(found)))
    return found


def noisy(random: np.random.Generator, classes: NDArray[np.int32], n_classes: int, share: float) -> NDArray[np.int32]:
    """The classes, a share of them moved to another one."""
    moved = random.random(len(classes)) < share
    changed = classes.copy()
    changed[moved] = (changed[moved] + random.integers(1, n_classes, moved.sum())) % n_classes
    return changed


def numeric(numbers: NDArray[Any], classes: NDArray[Any]) -> Rows:
    """Rows without nominal columns."""
    return Rows(
        np.ascontiguousarray(numbers, np.float32), np.empty((len(classes), 0), np.int32), classes.astype(np.int32)
    )


# ---- the data sets ----

MISSING_SHARE = 0.05
MIXED_CATEGORIES = (3, 4, 5, 6, 8, 10, 12, 20, 30, 50)


def _mixed_columns(random: np.random.Generator, n_rows: int) -> list[NDArray[Any]]:
    first = random.normal(size=n_rows).astype(np.float32)
    numbers = [
        first,
        random.uniform(size=n_rows),
        random.lognormal(size=n_rows),
        random.integers(0, 100, n_rows),
        random.normal(size=n_rows) + first,
        random.exponential(size=n_rows),
        random.integers(0, 10, n_rows),
        random.normal(size=n_rows),
        random.uniform(-1, 1, n_rows),
        random.normal(size=n_rows),
    ]
    nominal = []
    for n_categories in MIXED_CATEGORIES:
        share = 1 / np.arange(1, n_categories + 1) ** 0.5
        nominal.append(random.choice(n_categories, n_rows, p=share / share.sum()).astype(np.int32))
    return [column.astype(np.float32) for column in numbers] + nominal


def mixed(n_rows: int) -> Rows:
    """10 numeric and 10 nominal columns, 4 classes by a tree over 12 of them, 10 % noise, 5 % missing."""
    random = np.random.default_rng(777)
    sample = _mixed_columns(random, 50_000)
    last = 0

    def label() -> int:  # never the class of the leaf before it
        nonlocal last
        drawn = int(random.integers(0, 3))
        last = drawn if drawn < last else drawn + 1
        return last

    tree = plant(random, sample, (0, 1, 2, 3, 4, 5, 11, 13, 14, 16, 17, 19), 6, 400, label)
    random = np.random.default_rng(1)
    columns = _mixed_columns(random, n_rows)
    classes = noisy(random, labels(tree, columns), 4, 0.10)
    numbers, codes = np.column_stack(columns[:10]), np.column_stack(columns[10:])
    numbers[random.random(numbers.shape) < MISSING_SHARE] = np.nan
    codes[random.random(codes.shape) < MISSING_SHARE] = -1
    return Rows(numbers, codes, classes, MIXED_CATEGORIES, 4)


def _covertype_numbers(random: np.random.Generator, n_rows: int) -> NDArray[np.float32]:
    place = random.normal(size=(n_rows, 3)).astype(np.float32)
    mixing = np.random.default_rng(5).normal(size=(3, 10)).astype(np.float32)
    numbers = np.zeros((n_rows, 54), np.float32)
    noise = random.normal(size=(n_rows, 10)).astype(np.float32)
    numbers[:, :10] = np.round((place @ mixing + noise) * 100)
    area = np.clip((place[:, 0] + random.normal(size=n_rows) * 0.7) * 1.2 + 2, 0, 3).astype(int)
    soil = np.clip((place[:, 1] + random.normal(size=n_rows) * 0.5) * 8 + 20, 0, 39).astype(int)
    numbers[np.arange(n_rows), 10 + area] = 1
    numbers[np.arange(n_rows), 14 + soil] = 1
    return numbers


def covertype(n_rows: int) -> Rows:
    """10 integer columns and 44 of zeros and ones (two nominal columns written out), 7 uneven classes, 5 % noise."""
    random = np.random.default_rng(778)
    sample = _covertype_numbers(random, 100_000)
    share = np.array([0.365, 0.487, 0.062, 0.005, 0.016, 0.030, 0.035])
    usable = (*range(14), *range(26, 42))
    tree = plant(random, list(sample.T), usable, 10, 60, lambda: int(random.choice(7, p=share)))
    random = np.random.default_rng(2)
    numbers = _covertype_numbers(random, n_rows)
    return replace(numeric(numbers, noisy(random, labels(tree, list(numbers.T)), 7, 0.05)), n_classes=7)


def higgs(n_rows: int) -> Rows:
    """21 measured columns and 7 made from them, 2 classes that overlap a good deal."""
    random = np.random.default_rng(3)
    measured = random.normal(size=(n_rows, 21))
    measured[:, ::4] = np.abs(measured[:, ::4])
    made = np.hypot(measured[:, 0::3], measured[:, 1::3]) * np.abs(measured[:, 2::3])
    score = (
        1.5 * np.tanh(made[:, 0] - 0.8)
        - 0.8 * made[:, 1]
        + np.where(made[:, 3] > 0.6, 0.8, 0)  # noqa: PLR2004 - any formula would do
        + measured[:, 3] * measured[:, 7]
        + np.sin(2 * measured[:, 10])
        + 0.5 * measured[:, 13]
    )
    classes = random.random(n_rows) < 1 / (1 + np.exp(0.15 - 1.5 * score))
    return numeric(np.hstack([measured, made + 0.3 * random.normal(size=made.shape)]), classes)


def gaussian(n_rows: int) -> Rows:
    """20 Gaussian columns, 2 classes by a smooth boundary over 8 of them, 5 % noise."""
    random = np.random.default_rng(4)
    numbers = random.normal(size=(n_rows, 20))
    score = numbers[:, 0] * numbers[:, 1] + (numbers[:, 2:6] ** 2).sum(1) / 2 - 2 + numbers[:, 6] - numbers[:, 7]
    return numeric(numbers, noisy(random, (score > 0).astype(np.int32), 2, 0.05))


def friedman(n_rows: int) -> Rows:
    """10 uniform columns, 5 of them in Friedman's first formula, Gaussian noise of variance 1: a numeric target."""
    random = np.random.default_rng(5)
    numbers = random.random((n_rows, 10), np.float32)
    x = numbers.astype(np.float64).T
    formula = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    return Rows(numbers, np.empty((n_rows, 0), np.int32), formula + random.normal(size=n_rows), n_classes=0)


PLANES_CATEGORIES = (4, 8)


def _planes_columns(random: np.random.Generator, n_rows: int, drawn_as: type[np.floating[Any]]) -> list[NDArray[Any]]:
    numbers = random.random((n_rows, 8), drawn_as).astype(np.float32)  # numbers drawn wider are other numbers
    nominal = [random.integers(0, n_categories, n_rows).astype(np.int32) for n_categories in PLANES_CATEGORIES]
    return [*np.ascontiguousarray(numbers.T), *nominal]


def pwl(n_rows: int) -> Rows:
    """8 uniform and 2 nominal columns; at every leaf of a tree over 6 of them a plane of its own, noise of 0.5."""
    random = np.random.default_rng(779)
    n_leaves = 0

    def label() -> int:
        nonlocal n_leaves
        n_leaves += 1
        return n_leaves - 1

    tree = plant(random, _planes_columns(random, 20_000, np.float64), (0, 1, 2, 3, 8, 9), 4, 800, label)
    slopes = 4 * random.normal(size=(n_leaves, 8)) * (random.random((n_leaves, 8)) < 0.5)  # noqa: PLR2004 - half of them
    offsets = 3 * random.normal(size=n_leaves)
    random = np.random.default_rng(6)
    columns = _planes_columns(random, n_rows, np.float32)
    leaf = labels(tree, columns)
    numbers = np.column_stack(columns[:8])
    target = (slopes[leaf] * numbers).sum(axis=1) + offsets[leaf] + 0.5 * random.normal(size=n_rows)
    return Rows(numbers, np.column_stack(columns[8:]), target, PLANES_CATEGORIES, 0)


RULES_CATEGORIES = (3, 4, 6, 8, 12)


def rules(n_rows: int) -> Rows:
    """5 uniform and 5 nominal columns, 2 classes: the second where any of four rules holds, 5 % noise."""
    random = np.random.default_rng(10)
    numbers = random.random((n_rows, 5), np.float32)
    codes = np.stack([random.integers(0, n, n_rows) for n in RULES_CATEGORIES], axis=1).astype(np.int32)
    x, c = numbers.T, codes.T
    holds = (x[0] > 0.7) & (c[0] == 1)  # noqa: PLR2004 - any rules would do
    holds |= (x[1] < 0.35) & (x[2] > 0.6) & (c[2] != 5)  # noqa: PLR2004
    holds |= (c[3] == 2) & (c[1] == 0)  # noqa: PLR2004
    holds |= (x[3] > 0.45) & (x[3] < 0.6) & (c[4] < 5)  # noqa: PLR2004
    return Rows(numbers, codes, noisy(random, holds.astype(np.int32), 2, 0.05), RULES_CATEGORIES)


def _clouds(n_rows: int, n_columns: int, spread: float, n_clouds: int, n_classes: int) -> Rows:
    """Gaussian clouds around centers of a wider one; a cloud is of one class."""
    centers = np.random.default_rng(780).normal(size=(n_clouds, n_columns))
    random = np.random.default_rng(7)
    cloud = random.integers(0, n_clouds, n_rows)
    numbers = centers[cloud] + spread * random.normal(size=(n_rows, n_columns))
    return replace(numeric(numbers, cloud % n_classes), n_classes=n_classes)


def clouds8(n_rows: int) -> Rows:
    """8 columns, 50 clouds that touch."""
    return _clouds(n_rows, 8, 0.5, 50, 2)


def clouds32(n_rows: int) -> Rows:
    """32 columns, 50 clouds."""
    return _clouds(n_rows, 32, 0.5, 50, 2)


def islands(n_rows: int) -> Rows:
    """8 columns, 20 clouds apart but for their edges, 4 classes: few rows are enough to find them."""
    return _clouds(n_rows, 8, 0.3, 20, 4)


GENERATORS = {
    "mixed": mixed,
    "covertype": covertype,
    "higgs": higgs,
    "gaussian": gaussian,
    "friedman": friedman,
    "pwl": pwl,
    "rules": rules,
    "clouds8": clouds8,
    "clouds32": clouds32,
    "islands": islands,
}
CATEGORIES = {"mixed": MIXED_CATEGORIES, "pwl": PLANES_CATEGORIES, "rules": RULES_CATEGORIES}


# ---- kept on disk ----


def folder() -> Path:
    """Where data is kept: named after this file's text, so that a changed generator makes its data anew."""
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    root = os.environ.get("HORNBEAM_BENCH_DATA") or Path(tempfile.gettempdir()) / "hornbeam-benchmarks"
    return Path(root) / digest


def array_path(name: str, n_rows: int, array: str) -> Path:
    """The file of one of `ARRAYS`: rows to learn from, then held-out ones."""
    return folder() / f"{name}-{n_rows}-{array}.npy"


def load(name: str, n_rows: int) -> tuple[Rows, Rows]:
    """The rows to learn from, and held-out rows."""
    numbers, codes, target = (np.load(array_path(name, n_rows, array)) for array in ARRAYS)
    n_categories = CATEGORIES.get(name, ())
    n_classes = int(target.max()) + 1 if target.dtype.kind == "i" else 0
    whole = Rows(numbers, codes, target, n_categories, n_classes)
    return whole.part(slice(None, n_rows)), whole.part(slice(n_rows, None))


def make(name: str, n_rows: int, text: str | None = None) -> None:
    """Make what is not there yet; in a process of its own, so that a peer's memory is its own."""
    folder().mkdir(parents=True, exist_ok=True)
    if not array_path(name, n_rows, ARRAYS[-1]).exists():
        rows = GENERATORS[name](n_rows + min(n_rows // 4, MOST_HELD_OUT))
        for array in ARRAYS:
            np.save(array_path(name, n_rows, array), getattr(rows, array))
    if text and not text_path(name, n_rows, text).exists():
        _write_text(name, n_rows, text)


def text_path(name: str, n_rows: int, ending: str) -> Path:
    """The file with the same rows as text: csv has those to learn from, arff all, held-out ones last."""
    return folder() / f"{name}-{n_rows}.{ending}"


def _write_text(name: str, n_rows: int, ending: str) -> None:
    import pyarrow as pa  # noqa: PLC0415 - only where text is needed
    from pyarrow import compute, csv  # noqa: PLC0415

    train, held_out = load(name, n_rows)
    parts = [train] if ending == "csv" else [train, held_out]
    missing = "" if ending == "csv" else "?"
    header, columns = [], {}
    for j in range(train.numbers.shape[1]):
        values = np.concatenate([part.numbers[:, j] for part in parts]).astype(np.float64)  # exact: all digits
        if ending == "csv":
            values = np.round(values, 4)  # as a person would write them
        columns[f"x{j}"] = compute.cast(pa.array(values, from_pandas=True), pa.string()).fill_null(missing)
        header.append(f"@attribute x{j} numeric")
    for j, n_categories in enumerate(train.n_categories):
        names = np.array([*(f"v{code}" for code in range(n_categories)), missing])
        columns[f"c{j}"] = names[np.concatenate([part.codes[:, j] for part in parts])]
        header.append(f"@attribute c{j} {{{','.join(names[:-1])}}}")
    target = np.concatenate([part.target for part in parts])
    if train.n_classes:
        names = np.array([f"k{code}" for code in range(train.n_classes)])
        columns["class"] = names[target]
        header.append(f"@attribute class {{{','.join(names)}}}")
    else:
        columns["class"] = compute.cast(pa.array(target), pa.string())
        header.append("@attribute class numeric")
    path = text_path(name, n_rows, ending)
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        opening = ",".join(columns) if ending == "csv" else "\n".join([f"@relation {name}", *header, "@data"])
        file.write(opening.encode() + b"\n")
        options = csv.WriteOptions(include_header=False, quoting_style="none")
        csv.write_csv(pa.table(columns), file, options)
    unfinished.rename(path)


if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
