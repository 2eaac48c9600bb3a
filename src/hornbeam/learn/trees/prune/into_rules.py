"""Rule post-pruning: the leaves of a tree become rules, which lose conditions one by one.

A condition near the root can be dropped from one rule and stay in another, which no smaller tree can express.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 5.
T. M. Mitchell, *Machine Learning*, McGraw-Hill (1997), section 3.7.1.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.base.parameters import between
from hornbeam.learn.trees.prune.estimates import DEFAULT_CONFIDENCE
from hornbeam.learn.trees.prune.rebuild import ask_for_classes, the_tree, with_target
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree


@takes_rows(needs_target=True)
def rules(tree: Tree, table: Table, *, held_out: bool = False, confidence: float = DEFAULT_CONFIDENCE) -> RuleList:
    """Make rules of the leaves of a tree, and drop conditions as long as the expected errors of a rule do not rise.

    Parameters
    ----------
    tree : Tree or estimator
        Any classification tree without surrogates and sums of columns, which rules cannot express.
    table : Table
        The rows it was grown on, or held-out rows; columns are matched by name.
    held_out : bool
        Whether these rows were held out: a rule is then judged by its error rate, with one right and one wrong row
        added, and not by the upper limit of it.
    confidence : float
        The confidence of the limit; smaller values drop more conditions.

    Returns
    -------
    RuleList
        The rules with the least expected error rate come first, and the first rule that holds makes the prediction.
        Rules that no row reaches are left out. Coverage is counted on the given rows, and the default is the most
        frequent class of the rows that no rule covers. A row without a value passes the conditions of the branch that
        the tree sends it to, and fails them if the tree divides it.

    Raises
    ------
    ModelError
        For a tree with surrogates or with sums of columns.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> tree = hornbeam.C45Classifier(prune=None).fit(vote).model_
    >>> pruned = hornbeam.prune.rules(tree, vote)
    >>> tree.n_leaves, len(pruned)
    (19, 14)
    >>> pruned.rules[0].describe(vote.schema)
    'if physician-fee-freeze = n and adoption-of-the-budget-resolution = y then Class = democrat'
    """
    tree = the_tree(tree)
    from hornbeam.learn.rules.from_tree import post_pruned  # noqa: PLC0415 - it builds on this package

    ask_for_classes(tree, "rules", "conditions are dropped by the errors of rules for classes")
    between("confidence", confidence, 0, 1)
    known = align(tree.schema, usable(with_target(tree, table)))
    return post_pruned(tree, usable(known), None if held_out else confidence)
