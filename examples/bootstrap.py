# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""The bootstrap: how much a tree changes between bootstrap samples, and how accurate many such trees are together.

The data are Breiman's waves: every row is a mixture of two of three triangular waves at 21 points, with noise, and the
class says which two. Run it with `python examples/bootstrap.py`: it prints the results, and draws pictures into the
current folder.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

POINTS = np.arange(1, 22)
PEAKS = (7, 15, 11)  # positions of the three waves, each 6 high and 12 wide
PAIRS = tuple(combinations(range(3), 2))
SCHEMA = Schema(
    (*(Numeric(f"x{point}") for point in POINTS), Nominal("waves", ("1 and 2", "1 and 3", "2 and 3"))),
    (*["feature"] * len(POINTS), "target"),
    "waves",
)
SEED = 1
SIZES = (1, 2, 5, 10, 20, 50, 100)


def draw_rows(count: int, seed: int) -> Table:
    """Draw mixtures of two waves."""
    random = np.random.default_rng(seed)
    waves = np.array([np.maximum(6 - np.abs(POINTS - peak), 0) for peak in PEAKS])
    label = random.integers(0, len(PAIRS), count)
    fraction = random.random((count, 1))
    pairs = np.array(PAIRS)[label]
    noise = random.normal(size=(count, len(POINTS)))
    rows = fraction * waves[pairs[:, 0]] + (1 - fraction) * waves[pairs[:, 1]] + noise
    return Table(SCHEMA, [*rows.T, label.astype(np.int32)])


def learners(n_estimators: int) -> dict[str, Any]:
    """Bagged trees and a forest with a given number of trees; the first trees are the same for any number."""
    shared: dict[str, Any] = {"n_estimators": n_estimators, "oob_score": True, "random_state": SEED}
    return {"bagging": hornbeam.BaggingClassifier(**shared), "forest": hornbeam.RandomForestClassifier(**shared)}


def errors(train: Table, test: Table) -> dict[str, list[float]]:
    """Error rates in percent by number of trees: on out-of-bag rows, and on test rows."""
    rates: dict[str, list[float]] = {}
    for size in SIZES:
        for name, learner in learners(size).items():
            learner.fit(train)
            rates.setdefault(f"{name}, out of bag", []).append(100 * (1 - learner.oob_score_))
            rates.setdefault(f"{name}, test", []).append(100 * (1 - learner.score(test)))
    return rates


def resampled(train: Table, count: int) -> list[Tree]:
    """Small trees, each learned from a bootstrap sample."""
    small = hornbeam.TreeClassifier(max_depth=3)
    return list(hornbeam.BaggingClassifier(small, n_estimators=count, random_state=SEED).fit(train).model_.members)


def disagreement(trees: list[Tree], table: Table) -> float:
    """How often two of the trees predict a row differently, on average over pairs."""
    predictions = [tree.predict_codes(table) for tree in trees]
    return float(np.mean([(one != other).mean() for one, other in combinations(predictions, 2)]))


def main() -> None:
    """Draw rows, resample them, learn, evaluate and draw pictures."""
    train, test = draw_rows(300, SEED), draw_rows(5000, SEED + 1)
    print("Errors (%) by number of trees, on out-of-bag rows and on 5000 test rows\n")
    rates = errors(train, test)
    print(f"{'trees':>5}" + "".join(f"{name:>21}" for name in rates))
    for index, size in enumerate(SIZES):
        print(f"{size:5}" + "".join(f"{values[index]:21.1f}" for values in rates.values()))

    trees = resampled(train, 50)
    wrong = [100 * float((tree.predict_codes(test) != test.target_values()).mean()) for tree in trees]
    print(f"\n50 trees of depth 3, each learned from a bootstrap sample of the same {train.n_rows} rows:")
    print(f"  each tree alone is wrong on {min(wrong):.1f}% to {max(wrong):.1f}% of the test rows")
    print(f"  two of them predict {100 * disagreement(trees, test):.1f}% of the rows differently")
    print("  their first splits:")
    roots = hornbeam.stable_splits(trees, train, max_depth=1, tolerance=0.1, least=0.0)
    for split in roots[:5]:
        print(f"    {split}")
    if len(roots) > 5:  # noqa: PLR2004 - the number shown
        print(f"    and {len(roots) - 5} others")

    draw_pictures(rates, trees)


def draw_pictures(rates: dict[str, list[float]], trees: list[Tree]) -> None:
    """Errors against the number of trees; the columns of the first splits; two trees from the same rows."""
    charts = hornbeam.show.chart_svg
    curves = {name: (SIZES, values) for name, values in rates.items()}
    labels = {"title": "More trees, fewer errors", "x_label": "trees", "y_label": "errors (%)"}
    Path("bootstrap-errors.svg").write_text(charts.line_chart(curves, x_log=True, **labels), encoding="utf-8")
    first = [SCHEMA.names[int(tree.splits.column[tree.split[0]])] for tree in trees]
    percent = {name: 100 * first.count(name) / len(trees) for name in SCHEMA.names if name in first}
    bars = charts.bar_chart(list(percent), list(percent.values()), title="The column of the root", x_label="trees (%)")
    Path("bootstrap-roots.svg").write_text(bars, encoding="utf-8")
    for number in (0, 1):
        Path(f"bootstrap-tree-{number + 1}.svg").write_text(hornbeam.show.svg(trees[number]), encoding="utf-8")
    print("\npictures: bootstrap-errors.svg, bootstrap-roots.svg, bootstrap-tree-1.svg, bootstrap-tree-2.svg")


if __name__ == "__main__":
    main()
