"""The record of how a tree was made: every column's candidate split at every node, and every pruning step.

Kept only on request (`keep_trace`), for the decision log. Node numbers are those of `grown`, the tree before pruning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from hornbeam.core.base import enums
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.trees.invariants import check_tree, refuse

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints8, Ints32
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
    ARRAYS: ClassVar = declared("""
        <i4[records] node column n_cuts
        <i4[steps] step_node
        |i1[records] verdict
        |i1[steps] step_action
        <f8[records] gain charge split_information score cut
        <f8[nodes] average_gain
        <f8[steps] step_leaf step_subtree step_branch
    """)

    grown: Tree
    node: Ints32
    column: Ints32  # position in the schema
    verdict: Ints8
    gain: Floats  # after the charge for the choice of cut; NaN where there was no candidate
    charge: Floats  # bits per row charged for the choice among `n_cuts` cuts; 0 for nominal columns
    split_information: Floats
    score: Floats  # the value by which candidates are ranked
    cut: Floats  # the cut, or the category against the rest; NaN for one branch per category
    n_cuts: Ints32  # numeric columns: the number of allowed cuts
    average_gain: Floats  # by node; NaN at leaves, and if no average was computed
    step_node: Ints32
    step_action: Ints8
    step_leaf: Floats  # estimated errors as a leaf
    step_subtree: Floats  # estimated errors of the subtree
    step_branch: Floats  # estimated errors with the largest branch in place of the node; NaN: not tried


def check_trace(trace: Trace) -> None:
    """Raise an error for a trace with nodes or columns that do not exist."""
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
