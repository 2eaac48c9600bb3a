"""Rule post-pruning: the leaves of a tree become rules, and rules lose conditions where subtrees could only go whole.

A condition near the root can go from one rule and stay in another, which no smaller tree can say.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 5.
T. M. Mitchell, *Machine Learning*, McGraw-Hill (1997), section 3.7.1.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.learn.base.estimator import usable
from hornbeam.learn.base.parameters import between
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE
from hornbeam.learn.trees.prune.figures import ask_for_classes
from hornbeam.learn.trees.prune.held_out import with_target
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree


def rules(tree: Tree, table: Table, *, held_out: bool = False, confidence: float = DEFAULT_CONFIDENCE) -> RuleList:
    """Make rules of a tree's leaves and drop conditions as long as a rule is expected to err no more.

    Parameters
    ----------
    tree : Tree
        Of classes, whatever grew it; without surrogates and sums of columns, which rules cannot say.
    table : Table
        The rows it was grown on, or rows held out; columns are found by name.
    held_out : bool
        Whether the tree has not seen these rows: a rule is then judged by its share of errors, with one right and one
        wrong row added, and not by the upper limit of it.
    confidence : float
        Of the limit; smaller drops more.

    Returns
    -------
    RuleList
        The rules expected to err least come first, and the first that holds answers; rules are left out that no row
        reaches. What they cover is counted on the rows given, and the most frequent class of the rows that none covers
        is the default. A row without a value passes the conditions of the branch that the tree sends it down whole;
        where it goes in pieces, it fails them.

    Raises
    ------
    ModelError
        For a tree with surrogates or with sums of columns.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.C45Classifier(prune=None).fit(vote).model_
    >>> found = hornbeam.prune.rules(tree, vote)
    >>> tree.n_leaves, len(found)
    (19, 14)
    >>> found.rules[0].describe(vote.schema)
    'if physician-fee-freeze = n and adoption-of-the-budget-resolution = y then Class = democrat'
    """
    from hornbeam.learn.rules.from_tree import post_pruned  # noqa: PLC0415 - it builds on this package

    ask_for_classes(tree, "rules", "conditions are dropped by the errors of rules for classes")
    between("confidence", confidence, 0, 1)
    known = align(tree.schema, usable(with_target(tree, table)))
    return post_pruned(tree, usable(known), None if held_out else confidence)
