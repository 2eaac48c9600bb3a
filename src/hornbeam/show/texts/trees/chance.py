"""How likely a split is to be chance, in words: the chi-square test of its branches against the classes.

The figures are those of `hornbeam.model.trees.chance`. They are given as in the textbook, "27% likely to be chance":
how often branches would differ this much or more if what the split asks for had nothing to do with the class.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.model.trees.chance import Chances, chances
from hornbeam.show.texts.wording import asked, number

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

LEAST = 1e-4  # less is not told as a figure
ALMOST_ALL = 0.995


def chances_of(tree: Tree) -> Chances:
    """Test every split, refusing a tree that does not predict categories by saying so of the option."""
    if tree.task != "classification":
        target = tree.schema.target_column.name
        msg = f"chance tells how likely splits are to be chance for classes; the target {target!r} is a number"
        raise ValueError(msg)
    return chances(tree)


def likely(p_value: float) -> str:
    """Say a p-value as the textbook does.

    Examples
    --------
    >>> likely(0.2689), likely(0.0254)
    ('27% likely to be chance', '2.5% likely to be chance')
    >>> likely(0.00034), likely(1e-9)
    ('0.034% likely to be chance', 'less than 0.01% likely to be chance')
    """
    if p_value < LEAST:
        told = f"less than {100 * LEAST:g}%"
    elif p_value >= ALMOST_ALL:
        told = "100%" if p_value > 1 - LEAST else "more than 99%"
    else:
        told = f"{number(float(f'{100 * p_value:.2g}'))}%"
    return f"{told} likely to be chance"


def chance_figures(found: Chances, node: int) -> str:
    """Chi-square statistic and degrees of freedom of a node's split."""
    return f"chi-square {found.statistic[node]:.2f}, {int(found.degrees[node])} df"


def chance_line(tree: Tree, found: Chances, node: int) -> str:
    """Say what an inner node asks for and how likely that is to be chance."""
    column = asked(tree.splits, int(tree.split[node]), tree.schema.columns)
    return f"({column}: {likely(math.exp(found.log_p[node]))}; {chance_figures(found, node)})"
