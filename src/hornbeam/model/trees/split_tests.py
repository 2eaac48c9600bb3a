"""The p-value of each split of a tree: Pearson's chi-square test of its branches against the classes.

The test only needs the class weights at the nodes, so it can be computed for any tree. `hornbeam.prune.chi_square`
prunes by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.trees.prune.chance import split_chances
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree


@dataclass(frozen=True, eq=False, slots=True)
class SplitTests:
    """The chi-square test of every split, one entry per node; NaN (degrees: 0) at leaves.

    Parameters
    ----------
    statistic : array of float
        Sum of (observed - expected)² / expected over branches and classes.
    degrees : array of int
        Degrees of freedom: (branches - 1)(classes - 1), of those that occur.
    log_p : array of float
        Natural logarithm of the p-value, which itself may underflow.
    """

    statistic: NDArray[np.float64]
    degrees: NDArray[np.int64]
    log_p: NDArray[np.float64]

    @property
    def p_value(self) -> NDArray[np.float64]:
        """The probability of a statistic at least as large by chance; 1 if nothing could differ."""
        return np.exp(self.log_p)


def split_tests(tree: Tree) -> SplitTests:
    """Test every split of a tree of classes.

    Parameters
    ----------
    tree : Tree
        Any classification tree; weights count as numbers of rows.

    Returns
    -------
    SplitTests

    Raises
    ------
    ModelError
        If the tree is a regression tree.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.ID3Classifier().fit(hornbeam.read("weather.nominal")).model_
    >>> found = split_tests(tree)
    >>> round(float(found.statistic[0]), 3), int(found.degrees[0]), round(float(found.p_value[0]), 2)
    (3.547, 2, 0.17)
    """
    if tree.task != "classification":
        msg = f"the chi-square test counts classes, and the target {tree.schema.target_column.name!r} is numeric"
        raise ModelError(msg)
    return SplitTests(*split_chances(tree.first_child, tree.n_children, tree.value))
