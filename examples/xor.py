# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""XOR: early stopping fails, and pruning afterwards works.

Neither column alone predicts the class, but both together determine it. A tree that stops when no split helps is only a
root. A tree that is grown first and pruned afterwards finds the pattern. Run it with `python examples/xor.py`: it
prints the trees, and draws the last one into the current folder.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table

BITS = ("0", "1")
SCHEMA = Schema(tuple(Nominal(name, BITS) for name in ("a", "b", "a xor b")), ("feature", "feature", "target"), "xor")


def xor(times: int) -> Table:
    """The four rows of XOR, each several times."""
    a, b = (np.tile(bits, times).astype(np.int32) for bits in ([0, 0, 1, 1], [0, 1, 0, 1]))
    return Table(SCHEMA, [a, b, a ^ b])


def main() -> None:
    """Stop early, then grow and prune."""
    table = xor(5)
    early = hornbeam.TreeClassifier(nominal="multiway", significance=0.05, min_gain=-1.0).fit(table)
    print("Stopped early, because no column passes the chi-square test:\n")
    print(hornbeam.show.text(early))

    grown = hornbeam.TreeClassifier(nominal="multiway", min_gain=-1.0).fit(table)
    print("\nFully grown (with a negative min_gain, splits without any gain are made too):\n")
    print(hornbeam.show.text(grown, p_values=True))

    print("\nThe first split is not significant, but those below it are. Pruning from the leaves up keeps it:\n")
    pruned = hornbeam.prune.chi_square(grown.model_).best
    print(f"  chi-square     {grown.model_.n_leaves} leaves, {pruned.n_leaves} after pruning")
    print(f"  pessimistic    {hornbeam.prune.pessimistic(grown.model_).best.n_leaves} after pruning")
    print(f"  early stopping {early.model_.n_leaves}")

    Path("xor.svg").write_text(hornbeam.show.svg(pruned, p_values=True), encoding="utf-8")
    print("\npicture: xor.svg")


if __name__ == "__main__":
    main()
