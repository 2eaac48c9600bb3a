"""Checks of a model's arrays before a kernel reads them.

The kernels do not check indices; these checks make that safe for trees made by hand and for crafted files. Each error
is one sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.schema import Nominal, Schema, SchemaError
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, STOP, SUMS, SplitStore

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Ints64
    from hornbeam.model.trees.tree import Tree

MOST_NODES = 2**31 - 2  # node numbers are int32

Problem = tuple[Any, str]  # a mask of wrong entries, and the message


def check_splits(splits: SplitStore, schema: Schema) -> None:
    """Raise an error for a split store with columns, codes or branches that do not exist."""
    splits.check_arrays()
    n_splits = len(splits.column)
    check_offsets("splits.cut_start", splits.cut_start, len(splits.cuts))
    check_offsets("splits.code_start", splits.code_start, len(splits.codes))
    column, kind, n_branches = splits.column, splits.kind, splits.n_branches
    refuse("split", [((column < 0) | (column >= len(schema.columns)), "names a column that the schema does not have")])
    is_feature = np.array([role == "feature" for role in schema.roles], np.bool_)
    n_categories = np.array([len(c.categories) if isinstance(c, Nominal) else -1 for c in schema.columns], np.int64)
    n_cuts, n_codes = np.diff(splits.cut_start), np.diff(splits.code_start)
    by_code = (kind == CODES) | (kind == CODE_SETS)
    by_cut = (kind == CUTS) | (kind == SUMS)
    categories = n_categories[column] if n_splits else np.empty(0, np.int64)
    refuse(
        "split",
        [
            (~(is_feature[column] if n_splits else np.empty(0, np.bool_)), "uses a column that is not a feature"),
            (~by_code & ~by_cut, "is of an unknown kind"),
            (n_branches < 2, "has fewer than two branches"),  # noqa: PLR2004 - a split has two at least
            (by_cut & (n_cuts + 1 != n_branches), "does not have one cut less than branches"),
            (by_code & (n_cuts != 0), "has cuts, but splits by codes"),
            (by_cut & (n_codes != 0), "has codes, but splits by cuts"),
            (by_code & (categories < 0), "splits by codes, but its column is numeric"),
            ((kind == CODES) & (n_codes != categories), "does not have a branch for every category of its column"),
            ((splits.other < -1) | (splits.other >= n_branches), "sends other codes to a branch that does not exist"),
        ],
    )
    if np.isnan(splits.cuts).any() or (splits.cuts == -np.inf).any():
        raise ModelError("a cut is not a number, or below every number")
    if len(splits.code_branch) not in (0, len(splits.codes)):
        msg = f"splits.code_branch has {len(splits.code_branch)} entries; expected {len(splits.codes)}, one per code"
        raise ModelError(msg)
    _check_rising("cuts", splits.cuts, splits.cut_start)
    _check_codes(splits, categories)
    _check_terms(splits, is_feature & (n_categories < 0))


def _check_codes(splits: SplitStore, categories: Ints64) -> None:
    n_codes = np.diff(splits.code_start)
    owner = np.repeat(np.arange(len(splits)), n_codes)
    listed = splits.kind[owner] == CODE_SETS
    if listed.any() and len(splits.code_branch) == 0:
        raise ModelError("splits.code_branch is empty; expected a branch for every listed code")
    branch = np.where(listed, splits.code_branch if len(splits.code_branch) else -1, splits.codes)
    outside = listed & ((splits.codes < 0) | (splits.codes >= categories[owner]))
    wrong = np.zeros(len(splits), np.bool_)
    wrong[owner[(branch < -1) | (branch >= splits.n_branches[owner])]] = True
    unknown = np.zeros(len(splits), np.bool_)
    unknown[owner[outside]] = True
    refuse("split", [(wrong, "sends a code to a branch that does not exist"), (unknown, "lists an unknown code")])
    lists = np.repeat(splits.kind == CODE_SETS, n_codes)
    steps = np.diff(splits.codes.astype(np.int64)) if len(splits.codes) else np.empty(0, np.int64)
    falls = (steps <= 0) & (owner[1:] == owner[:-1]) & lists[1:]
    if falls.any():
        msg = f"split {owner[1:][falls][0]}: its codes are not in rising order"
        raise ModelError(msg)


def _check_terms(splits: SplitStore, is_number: Bools) -> None:
    sums = splits.kind == SUMS
    start, column, coefficient = splits.term_start, splits.term_column, splits.term_coefficient
    if start is None or column is None or coefficient is None:
        if not (start is None and column is None and coefficient is None):
            msg = "the splits have only some of term_start, term_column and term_coefficient; expected all or none"
            raise ModelError(msg)
        refuse("split", [(sums, "splits by a sum, but has no terms")])
        return
    check_offsets("splits.term_start", start, len(column))
    n_terms = np.diff(start)
    refuse(
        "split",
        [
            (sums & (n_terms == 0), "splits by a sum, but has no terms"),
            (~sums & (n_terms != 0), "has terms, but does not split by a sum"),
            (sums & (splits.n_branches != 2), "splits by a sum, but has more than two branches"),  # noqa: PLR2004
        ],
    )
    owner = np.repeat(np.arange(len(splits)), n_terms)
    outside = (column < 0) | (column >= len(is_number))
    refuse_at("split", owner, outside, "has a term for a column that the schema does not have")
    refuse_at("split", owner, ~is_number[column], "has a term for a column that is not a numeric feature")
    broken = ~np.isfinite(coefficient) | (coefficient == 0)
    refuse_at("split", owner, broken, "has a term with a coefficient that is 0 or not a number")
    refuse_at("split", owner[1:], (np.diff(column) <= 0) & (owner[1:] == owner[:-1]), "has terms out of order")
    refuse_at("split", np.flatnonzero(sums), column[start[:-1][sums]] != splits.column[sums], "names another column")
    endless = splits.cuts[splits.cut_start[:-1][sums]] == np.inf
    refuse_at("split", np.flatnonzero(sums), endless, "splits by a sum, but its cut is infinite")


def check_tree(tree: Tree) -> None:
    """Raise an error if the arrays do not form a tree over the schema."""
    n_nodes = len(tree.parent)
    if not 1 <= n_nodes <= MOST_NODES:
        msg = f"the tree has {n_nodes} nodes; expected 1 to {MOST_NODES}"
        raise ModelError(msg)
    try:
        target = tree.schema.target_column
    except SchemaError as error:
        raise ModelError(str(error)) from None
    width = len(target.categories) if isinstance(target, Nominal) else 3
    if width == 0:
        msg = f"the target {target.name!r} has no categories; expected at least one"
        raise ModelError(msg)
    tree.check_arrays(nodes=n_nodes, width=width)
    check_splits(tree.splits, tree.schema)
    _check_shape(tree)
    _check_content(tree, width if isinstance(target, Nominal) else 0)
    _check_equations(tree)
    for name, start, indices in (
        ("surrogate", tree.surrogate_start, tree.surrogates),
        ("alternative", tree.alternative_start, tree.alternatives),
    ):
        if (start is None) != (indices is None):
            msg = f"the tree has only one of {name}_start and {name}s; expected both or neither"
            raise ModelError(msg)
        if start is not None and indices is not None:
            check_offsets(f"{name}_start", start, len(indices))
            if len(indices) and not (indices.min() >= 0 and indices.max() < len(tree.splits)):
                msg = f"{name}s has the number of a split that does not exist"
                raise ModelError(msg)
            owner = np.repeat(np.arange(n_nodes), np.diff(start))
            if name == "surrogate" and (tree.splits.n_branches[indices] > tree.n_children[owner]).any():
                raise ModelError("a surrogate has more branches than its node")


def _check_shape(tree: Tree) -> None:
    """Check that children are contiguous, follow their parent, refer to it, and are all reached."""
    n_nodes = len(tree.parent)
    nodes = np.arange(n_nodes, dtype=np.int64)
    first, count = tree.first_child.astype(np.int64), tree.n_children.astype(np.int64)
    leaf = first < 0
    refuse(
        "node",
        [
            (first < -1, "has a first child below -1"),
            (leaf & (count != 0), "is a leaf, but has children"),
            (leaf & (tree.split != -1), "is a leaf, but has a split"),
            (~leaf & (count < 2), "is an inner node with fewer than two children"),  # noqa: PLR2004
            (~leaf & (first <= nodes), "has children that do not come after it"),
            (~leaf & (first + count > n_nodes), "has children beyond the last node"),
            (~leaf & ((tree.split < 0) | (tree.split >= len(tree.splits))), "has a split that is not in the store"),
            (
                (tree.missing < STOP) | (tree.missing >= np.maximum(count, 1)),
                "sends missing values to a branch that it does not have",
            ),
        ],
    )
    inner = nodes[~leaf]
    refuse_at(
        "node",
        inner,
        tree.splits.n_branches[tree.split[inner]] != count[inner],
        "has more or fewer children than its split has branches",
    )
    if int(count.sum()) != n_nodes - 1:
        msg = f"the nodes have {int(count.sum())} children in all; expected {n_nodes - 1}, every node but the root"
        raise ModelError(msg)
    parent = np.full(n_nodes, -1, np.int64)
    # Lengths add up to n_nodes - 1, so this is not larger than the tree.
    offsets = np.arange(n_nodes - 1) - np.repeat(np.cumsum(count[inner]) - count[inner], count[inner])
    parent[np.repeat(first[inner], count[inner]) + offsets] = np.repeat(inner, count[inner])
    refuse("node", [(parent != tree.parent, "does not refer to its parent")])
    if n_nodes > 1 and (parent[1:] < 0).any():
        msg = f"node {int(np.argmax(parent[1:] < 0)) + 1} is not a child of any node"
        raise ModelError(msg)


def _check_content(tree: Tree, n_classes: int) -> None:
    """Check that counts and weights are in their ranges; `n_classes` is 0 for a numeric target."""
    problems: list[Problem] = [
        (tree.rows < 0, "has a negative number of rows"),
        (~(np.isfinite(tree.weight) & (tree.weight >= 0)), "has a weight that is negative or not a number"),
        (~np.isfinite(tree.error), "has an error that is not a number"),
        (~((tree.share >= 0) & (tree.share <= 1 + SLACK)), "has a share outside 0 to 1"),
        (~np.isfinite(tree.value).all(axis=1), "has a value that is not a number"),
    ]
    if n_classes:
        total = tree.value.sum(axis=1)
        apart = np.abs(total - tree.weight) > SLACK * np.maximum(1.0, tree.weight)
        problems += [
            ((tree.label < -1) | (tree.label >= n_classes), "has a label that is not a class"),
            ((tree.value < 0).any(axis=1), "has a negative class weight"),
            (apart, "has a weight that is not the sum of its class weights"),
        ]
    refuse("node", problems)
    if tree.prior is not None and not (np.isfinite(tree.prior).all() and (tree.prior >= 0).all()):
        raise ModelError("the prior class probabilities are not numbers of at least 0")
    if not (np.isfinite(tree.pseudo_count) and tree.pseudo_count >= 0):
        msg = f"pseudo_count is {tree.pseudo_count}; expected a number of at least 0"
        raise ModelError(msg)


def _check_equations(tree: Tree) -> None:
    """Check that the terms of linear models have existing columns and codes, and finite numbers."""
    names = ("intercept", "residual", "term_start", "term_column", "term_coefficient", "term_fill")
    given = [name for name in names if getattr(tree, name) is not None]
    if len(given) not in (0, len(names)) or (tree.term_code_start is None) != (tree.term_codes is None):
        msg = f"the tree has only some of the arrays of linear models ({', '.join(given)}); expected all or none"
        raise ModelError(msg)
    start, column, coefficient, fill = tree.term_start, tree.term_column, tree.term_coefficient, tree.term_fill
    if start is None or column is None or coefficient is None or fill is None:
        if tree.term_codes is not None:
            raise ModelError("the tree has codes of terms, but no linear models")
        return
    assert tree.intercept is not None
    assert tree.residual is not None
    if isinstance(tree.schema.target_column, Nominal):
        raise ModelError("the tree has linear models, but its target is nominal")
    check_offsets("term_start", start, len(column))
    refuse(
        "node",
        [
            (~np.isfinite(tree.intercept), "has an intercept that is not a number"),
            (~(np.isfinite(tree.residual) & (tree.residual >= 0)), "has a residual that is not a number of at least 0"),
        ],
    )
    refuse("term", [((column < 0) | (column >= len(tree.schema.columns)), "is of a column that does not exist")])
    columns = tree.schema.columns
    is_feature = np.array([role == "feature" for role in tree.schema.roles], np.bool_)
    n_categories = np.array([len(c.categories) if isinstance(c, Nominal) else -1 for c in columns], np.int64)
    refuse("term", [(~is_feature[column], "is of a column that is not a feature")])
    n_codes = np.zeros(len(column), np.int64)
    if tree.term_code_start is not None and tree.term_codes is not None:
        check_offsets("term_code_start", tree.term_code_start, len(tree.term_codes))
        n_codes = np.diff(tree.term_code_start)
        owner = np.repeat(np.arange(len(column)), n_codes)
        outside = (tree.term_codes < 0) | (tree.term_codes >= n_categories[column][owner])
        refuse_at("term", owner, outside, "has a code that does not exist")
    refuse(
        "term",
        [
            ((n_codes > 0) != (n_categories[column] >= 0), "has codes for a number, or none for a nominal column"),
            (~(np.isfinite(coefficient) & np.isfinite(fill)), "has a coefficient or a fill that is not a number"),
        ],
    )


def check_offsets(name: str, start: Ints64, length: int) -> None:
    """Raise an error for offsets that do not rise from 0 to the length of their array."""
    if start[0] != 0 or start[-1] != length or (start[1:] < start[:-1]).any():
        msg = f"{name} does not rise from 0 to {length}"
        raise ModelError(msg)


def _check_rising(name: str, values: Floats, start: Ints64) -> None:
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    falls = (values[1:] <= values[:-1]) & (owner[1:] == owner[:-1])
    if falls.any():
        msg = f"split {owner[1:][falls][0]}: its {name} are not in rising order"
        raise ModelError(msg)


def refuse(noun: str, problems: list[Problem]) -> None:
    """Raise an error for the first entry that one of the masks names."""
    for mask, text in problems:
        if mask.any():
            msg = f"{noun} {int(np.argmax(mask))} {text}"
            raise ModelError(msg)


def refuse_at(noun: str, where: Ints64, mask: Bools, text: str) -> None:
    """Raise an error for the first entry that the mask names, by its number in `where`."""
    if mask.any():
        msg = f"{noun} {int(where[mask][0])} {text}"
        raise ModelError(msg)
