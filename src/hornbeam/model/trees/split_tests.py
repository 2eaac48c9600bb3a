"""The p-value of each split of a tree: Pearson's chi-square test of its branches against the classes.

The test needs the class weights at the nodes only, so it can be shown for any tree, without learning anything. Pruning
by them is `hornbeam.prune.chi_square`.
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
        Sum of (found - expected)² / expected over branches and classes.
    degrees : array of int
        Degrees of freedom: (branches - 1)(classes - 1), of those that occur.
    log_p : array of float
        Natural log of the p-value, which may be too small for a number.
    """

    statistic: NDArray[np.float64]
    degrees: NDArray[np.int64]
    log_p: NDArray[np.float64]

    @property
    def p_value(self) -> NDArray[np.float64]:
        """How often chance alone gives a statistic at least as great; 1 where nothing could differ."""
        return np.exp(self.log_p)


def split_tests(tree: Tree) -> SplitTests:
    """Test every split of a tree of classes.

    Parameters
    ----------
    tree : Tree
        Any tree of classes; rows' weights count as rows.

    Returns
    -------
    SplitTests

    Raises
    ------
    ModelError
        The tree is one of numbers.

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
