"""How a tree came about: every column's candidate at every node, and every pruning step.

Kept only on request (`keep_trace`), for the decision log. Node numbers are those of `grown`, the tree before anything
was cut back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hornbeam.core.base import enums
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.trees.invariants import check_tree, refuse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

# Why a column's candidate split was or was not taken.
NO_SPLIT, NO_GAIN, BELOW_AVERAGE = enums.NO_SPLIT, enums.NO_GAIN, enums.BELOW_AVERAGE
OUTSCORED, CHOSEN, INSIGNIFICANT = enums.OUTSCORED, enums.CHOSEN, enums.INSIGNIFICANT
# What a pruning step did.
KEPT, MADE_LEAF, RAISED, COLLAPSED = enums.KEPT, enums.MADE_LEAF, enums.RAISED, enums.COLLAPSED


@dataclass(frozen=True, eq=False)
class Trace(Stored):
    """Records of growing (one per node and column, in this order) and of pruning (in the order of the steps)."""

    NOUN: ClassVar = "trace"
    CONTIGUOUS: ClassVar = True
    ARRAYS: ClassVar = declared(
        ("<i4", "records", "node column n_cuts"),
        ("<i4", "steps", "step_node"),
        ("|i1", "records", "verdict"),
        ("|i1", "steps", "step_action"),
        ("<f8", "records", "gain charge split_information score cut"),
        ("<f8", "nodes", "average_gain"),
        ("<f8", "steps", "step_leaf step_subtree step_branch"),
    )

    grown: Tree
    node: NDArray[np.int32]
    column: NDArray[np.int32]  # position in the schema
    verdict: NDArray[np.int8]
    gain: NDArray[np.float64]  # after the charge for the choice of cut; NaN where there was no candidate
    charge: NDArray[np.float64]  # bits per row charged for the choice among `n_cuts` cuts; 0 for nominal columns
    split_information: NDArray[np.float64]
    score: NDArray[np.float64]  # what candidates are ranked by
    cut: NDArray[np.float64]  # the cut, or the category set apart from the rest; NaN for one branch per category
    n_cuts: NDArray[np.int32]  # numeric columns: how many cuts were allowed
    average_gain: NDArray[np.float64]  # by node; NaN at leaves, and where no average was computed
    step_node: NDArray[np.int32]
    step_action: NDArray[np.int8]
    step_leaf: NDArray[np.float64]  # estimated errors as a leaf
    step_subtree: NDArray[np.float64]  # estimated errors of the subtree
    step_branch: NDArray[np.float64]  # estimated errors with the largest branch in the node's place; NaN: not tried


def check_trace(trace: Trace) -> None:
    """Refuse a trace that speaks of nodes or columns that are not there."""
    check_tree(trace.grown)
    n_nodes = trace.grown.n_nodes
    trace.check_arrays(nodes=n_nodes)
    n_columns = len(trace.grown.schema.columns)
    refuse(
        "record",
        [
            ((trace.node < 0) | (trace.node >= n_nodes), "names a node that is not there"),
            ((trace.column < 0) | (trace.column >= n_columns), "names a column that is not there"),
            ((trace.verdict < 0) | (trace.verdict > INSIGNIFICANT), "has an unknown verdict"),
        ],
    )
    refuse(
        "pruning step",
        [
            ((trace.step_node < 0) | (trace.step_node >= n_nodes), "names a node that is not there"),
            ((trace.step_action < 0) | (trace.step_action > 3), "has an unknown action"),  # noqa: PLR2004
        ],
    )
