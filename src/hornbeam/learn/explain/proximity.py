"""How similar two rows are for an ensemble of trees: the fraction of the trees in which both end in the same leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.explain.members import leaves_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

BLOCK_ROWS = 1024


@takes_rows(also=("others",))
def proximities(model: Any, table: Table, others: Table | None = None) -> NDArray[np.float64]:
    """The fraction of the trees in which two rows end in the same leaf.

    Parameters
    ----------
    model : Tree, Forest, Ensemble of trees, or fitted estimator
        The trees to use.
    table : Table
        Rows with the features of the model.
    others : Table, optional
        Rows to compare them with; by default `table` itself.

    Returns
    -------
    array of shape (rows, other rows)
        From 0 to 1. For large tables see `proximity_blocks`.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> trees = hornbeam.BaggingClassifier(n_estimators=25, random_state=1).fit(iris)
    >>> near = hornbeam.proximities(trees, iris)
    >>> bool(near[:50, :50].mean() > 0.9), bool(near[:50, 50:].mean() < 0.01)
    (True, True)
    """
    blocks = [block for _, block in proximity_blocks(model, table, others)]
    n_others = (table if others is None else others).n_rows
    return np.concatenate(blocks) if blocks else np.empty((0, n_others))


def proximity_blocks(
    model: Any, table: Table, others: Table | None = None, block_rows: int = BLOCK_ROWS
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield `proximities` in blocks: the number of the first row, and an array of shape (some rows, other rows)."""
    mine = leaves_of(model, table)
    theirs = mine if others is None else leaves_of(model, others)
    n_trees = mine.shape[1]
    # The leaves of all trees are numbered one after another; each row has a one for each of its leaves.
    step = int(max(mine.max(initial=0), theirs.max(initial=0))) + 1
    shared = _ones(theirs, step).T.tocsc()
    for first in range(0, table.n_rows, block_rows):
        together = _ones(mine[first : first + block_rows], step) @ shared
        yield first, together.toarray() / n_trees


def _ones(leaves: NDArray[np.int32], step: int) -> Any:
    """A sparse matrix of rows by leaves, with 1 at the leaf of each row."""
    n_rows, n_trees = leaves.shape
    columns = (leaves + step * np.arange(n_trees, dtype=np.int64)).ravel()
    start = np.arange(n_rows + 1, dtype=np.int64) * n_trees
    return sparse.csr_array((np.ones(len(columns)), columns, start), shape=(n_rows, step * n_trees))
