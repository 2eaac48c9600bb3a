"""The rows of a table at the nodes of a tree: weights of classes, or a histogram of a numeric target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

BINS = 16


@dataclass(frozen=True, eq=False)
class NodeRows:
    """Rows at nodes."""

    # of shape (nodes, classes or bins): by node, the weight of its rows of each class, or in each bin of the
    # target's range
    weights: Floats
    range: tuple[float, float]  # the least and the greatest target; zeros for classes
    table: str  # the name of the table


def rows_at_nodes(tree: Tree, table: Table) -> NodeRows:
    """Send rows down a tree; fractions of rows count as fractions, rows without a target not at all.

    Parameters
    ----------
    tree : Tree
        The tree.
    table : Table
        The rows, with the target.
    """
    target = tree.schema.target_column
    if target.name not in table.schema.names:
        msg = f"the table {table.schema.name!r} has no column {target.name!r}, the target to draw in the nodes"
        raise ValueError(msg)
    rows = align(tree.schema, table)
    values = rows.column(target.name)
    if isinstance(target, Nominal):
        bins, count, ends = values.astype(np.int64), len(target.categories), (0.0, 0.0)
    else:
        known = values[~np.isnan(values)]
        ends = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
        wide = ends[1] - ends[0] or 1.0
        share = np.where(np.isnan(values), -1.0, (values - ends[0]) / wide)
        bins, count = np.where(share < 0, -1, np.minimum(share * BINS, BINS - 1)).astype(np.int64), BINS
    start, nodes, parts = tree.decision_path(rows)
    row = np.repeat(np.arange(rows.n_rows), np.diff(start))
    if table.weights is not None:
        parts = parts * table.weights[row]
    counted = bins[row] >= 0
    slots = nodes[counted].astype(np.int64) * count + bins[row[counted]]
    weights = np.bincount(slots, weights=parts[counted], minlength=tree.n_nodes * count)
    return NodeRows(weights.astype(np.float64).reshape(tree.n_nodes, count), ends, table.schema.name)
