# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""Overfitting: a tree that learns the noise, and ways to prune it.

The class is B if X2 >= 0.5; X1 is irrelevant, and one label in ten is wrong. Run it with
`python examples/overfitting.py`: it prints a table, and draws three pictures into the current folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

SCHEMA = Schema((Numeric("X1"), Numeric("X2"), Nominal("class", ("A", "B"))), ("feature", "feature", "target"), "noise")
SEED = 1


def draw_rows(count: int, seed: int, flipped: float = 0.0) -> Table:
    """Draw points in the plane, some with the wrong label."""
    random = np.random.default_rng(seed)
    x1, x2 = random.random((2, count))
    label = (x2 >= 0.5).astype(np.int32)  # noqa: PLR2004 - the true boundary
    wrong = random.permutation(count)[: round(flipped * count)]
    label[wrong] = 1 - label[wrong]
    return Table(SCHEMA, [x1, x2, label])


def right(tree: Tree, table: Table) -> float:
    """The fraction of rows that a tree predicts right."""
    return float((tree.predict_codes(table) == table.target_values()).mean())


def columns_of(tree: Tree) -> list[str]:
    """The columns that a tree uses."""
    return sorted({tree.schema.names[column] for column in tree.splits.column[tree.split[tree.split >= 0]]})


def prune_all(train: Table) -> dict[str, Tree]:
    """The unpruned tree, and trees by several pruning methods."""
    grown = hornbeam.TreeClassifier(criterion="information-gain").fit(train).model_
    # Every split is the best of all cuts of both columns, so a test for a single cut is too lenient.
    cuts = sum(len(np.unique(train.column(name))) - 1 for name in ("X1", "X2"))
    tests = cuts * (grown.n_nodes - grown.n_leaves)
    reduced = hornbeam.TreeClassifier(criterion="information-gain", prune="reduced-error", random_state=SEED)
    return {
        "as grown": grown,
        "chi-square, 95% for one cut": hornbeam.prune.chi_square(grown, confidence=0.95).best,
        "chi-square, 95% for all cuts": hornbeam.prune.chi_square(grown, confidence=1 - 0.05 / tests).best,
        "reduced-error, a third held out": reduced.fit(train).model_,
        "pessimistic": hornbeam.prune.pessimistic(grown).best,
        "description length": hornbeam.prune.description_length(grown).best,
    }


def main() -> None:
    """Grow, prune, evaluate and draw."""
    train, test = draw_rows(200, SEED, flipped=0.1), draw_rows(10_000, SEED + 1)
    trees = prune_all(train)
    print(f"{'':32}  leaves  training      test  columns")
    for name, tree in trees.items():
        scores = f"{right(tree, train):8.1%}  {right(tree, test):8.1%}"
        print(f"{name:32}  {tree.n_leaves:6}  {scores}  {', '.join(columns_of(tree))}")

    print("\nThe pruned tree, with the p-value of its split:\n")
    print(hornbeam.show.text(trees["chi-square, 95% for all cuts"], p_values=True))

    draw_pictures(trees, train, test)


def draw_pictures(trees: dict[str, Tree], train: Table, test: Table) -> None:
    """Accuracy against size, and the plane before and after pruning."""
    path = hornbeam.prune.cost_complexity(trees["as grown"], cost="impurity", table=test)
    curves = {"training": 100 * (1 - path.train_error), "test": 100 * (1 - path.held_out_error)}
    picture = hornbeam.show.chart_svg.line_chart(
        {name: (path.n_leaves, values) for name, values in curves.items()},
        title="Overfitting: learning the noise",
        x_label="leaves",
        y_label="rows predicted right (%)",
        x_log=True,
    )
    Path("overfitting-size.svg").write_text(picture, encoding="utf-8")
    for name, place in (("as grown", "before"), ("chi-square, 95% for all cuts", "after")):
        picture = hornbeam.show.decision_regions(trees[name], train, title=f"The tree {place} pruning")
        Path(f"overfitting-{place}.svg").write_text(picture, encoding="utf-8")
    print("\npictures: overfitting-size.svg, overfitting-before.svg, overfitting-after.svg")


if __name__ == "__main__":
    main()
