"""Warnings by the rule of thumb that a model needs ten rows per parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.errors import warn

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats

ROWS_A_PARAMETER = 10
MOST = 0.5  # of a tree's rows: some small leaves are normal


class FewRowsWarning(UserWarning):
    """A model has fewer than ten rows per parameter, so it may fit chance."""


def warn_of_few_rows(learner: str, rows: int, parameters: int, advice: str = "fewer columns or more rows") -> None:
    """Warn if there are fewer than ten rows per parameter.

    Parameters
    ----------
    learner : str
        The name of the learner.
    rows, parameters : int
        The numbers of training rows and of learned parameters.
    advice : str
        What would help.
    """
    if rows < ROWS_A_PARAMETER * parameters:
        text = (
            f"{learner} learned {parameters} parameters from {rows} rows, fewer than {ROWS_A_PARAMETER} rows per "
            f"parameter: the coefficients may be due to chance; {advice} would help"
        )
        warn(text, FewRowsWarning)


def warn_of_small_leaves(learner: str, weight: Floats, parameters: Floats, advice: str) -> None:
    """Warn, once, if most rows are in leaves whose equations have fewer than ten rows per parameter.

    Leaves that predict a mean do not count.

    Parameters
    ----------
    learner : str
        The name of the learner.
    weight, parameters : arrays
        The weight of each leaf, and the number of parameters of its equation.
    advice : str
        What would help.
    """
    few = (parameters > 1) & (weight < ROWS_A_PARAMETER * parameters)
    if weight[few].sum() > MOST * weight.sum():
        worst = int(np.argmin(np.where(few, weight / parameters, np.inf)))
        text = (
            f"{learner}: the equations of {int(few.sum())} of {len(few)} leaves, with "
            f"{weight[few].sum() / weight.sum():.0%} of the rows, have fewer than {ROWS_A_PARAMETER} rows per "
            f"parameter (leaf {worst + 1}: {int(parameters[worst])} parameters from {weight[worst]:g} rows): their "
            f"coefficients may be due to chance; {advice} would help"
        )
        warn(text, FewRowsWarning)
