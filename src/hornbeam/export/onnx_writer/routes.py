"""Trees as the operator TreeEnsemble, which finds the leaf of every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.export.onnx_writer.graph import ML

if TYPE_CHECKING:
    from hornbeam.export.onnx_writer.graph import Graph

BELOW = 0  # the mode: a value at most the cut goes to the first branch


class Routes:
    """Trees of tests of one column against one cut; leaves are numbers. Each tree gives one column of leaf numbers.

    A test is a tuple: column, cut, whether a missing value goes to the first branch, the two nodes below. A node below
    is a test (by its index), or a leaf (``~number``).
    """

    def __init__(self) -> None:
        self.tests: list[tuple[int, float, bool]] = []
        self.below: list[list[int]] = []  # two per test: a test, or ~leaf
        self.roots: list[int] = []  # a test, or ~leaf

    def add_test(self, column: int, cut: float, *, missing_first: bool) -> int:
        """Add a test, whose branches are set later; return its index."""
        self.tests.append((column, cut, missing_first))
        self.below.append([0, 0])
        return len(self.tests) - 1

    def write(self, graph: Graph, values: str) -> str:
        """Return the number of the leaf of every row in every tree, rows x trees, as doubles."""
        from onnx import numpy_helper

        leaves: list[tuple[int, int]] = []  # tree, number
        tests, below = list(self.tests), [list(pair) for pair in self.below]
        roots = []
        owner: dict[int, int] = {}
        for tree, root in enumerate(self.roots):
            if root < 0:  # a tree without a test: both branches of one lead to its leaf
                tests.append((0, 0.0, True))
                below.append([root, root])
                roots.append(len(tests) - 1)
            else:
                roots.append(root)
            pending = [roots[-1]]
            while pending:
                at = pending.pop()
                owner[at] = tree
                pending += [each for each in below[at] if each >= 0]
        ends: list[list[tuple[int, int]]] = []
        for at, pair in enumerate(below):
            found = []
            for each in pair:
                if each >= 0:
                    found.append((each, 0))
                else:
                    leaves.append((owner[at], ~each))
                    found.append((len(leaves) - 1, 1))
            ends.append(found)
        return graph.op(
            "TreeEnsemble",
            values,
            domain=ML,
            n_targets=len(self.roots),
            aggregate_function=1,
            post_transform=0,
            tree_roots=roots,
            nodes_modes=numpy_helper.from_array(np.full(len(tests), BELOW, np.uint8), "modes"),
            nodes_featureids=[column for column, _, _ in tests],
            nodes_splits=numpy_helper.from_array(np.array([cut for _, cut, _ in tests], np.float64), "splits"),
            nodes_truenodeids=[first[0] for first, _ in ends],
            nodes_trueleafs=[first[1] for first, _ in ends],
            nodes_falsenodeids=[second[0] for _, second in ends],
            nodes_falseleafs=[second[1] for _, second in ends],
            nodes_missing_value_tracks_true=[int(first) for _, _, first in tests],
            leaf_targetids=[tree for tree, _ in leaves],
            leaf_weights=numpy_helper.from_array(np.array([number for _, number in leaves], np.float64), "weights"),
        )
