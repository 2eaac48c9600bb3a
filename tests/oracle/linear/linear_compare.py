"""Hold our linear equations against the reference program's: the printed text, and cross-validated predictions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from oracle.linear.linear_answers import linear_answer

from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.learn.linear.linear import LinearRegressor
from hornbeam.show import text

PRINTED = 1e-5  # stored predictions have six figures
CORRELATION = 1e-6


@dataclass(frozen=True)
class LinearOutcome:
    """How one of our equations differs from the stored one."""

    data: str
    terms: int
    differing_lines: tuple[tuple[str, str], ...]  # ours and theirs
    correlation: float  # of our cross-validated predictions with the truth
    stored_correlation: float
    farthest: float  # difference of two predictions, over their size (at least the target's standard deviation)

    @property
    def predictions_same(self) -> bool:
        """Whether every prediction is the same to the printed figures."""
        return self.farthest < PRINTED

    @property
    def correlation_same(self) -> bool:
        """Whether predictions correlate with the truth as the stored ones do."""
        return abs(self.correlation - self.stored_correlation) <= CORRELATION

    @property
    def same(self) -> bool:
        """Whether the text is identical, and so are predictions and their correlation."""
        return not self.differing_lines and self.predictions_same and self.correlation_same


def compare(data: str) -> LinearOutcome:
    """Learn from all rows and from ten folds, and collect every difference from the stored answer."""
    stored = linear_answer(data)
    table, truth = stored.table, stored.table.target_values()
    known, found = ~np.isnan(truth), np.empty(table.n_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewRowsWarning)
        whole = LinearRegressor(compat="weka").fit(table)
        for train, test in cross_validation_folds(truth, stratify=False):
            found[test] = LinearRegressor(compat="weka").fit(table.take(train)).predict(table.take(test))
    theirs = np.array(stored.predictions, float)
    if len(theirs) != known.sum():  # rows without a target have a prediction in some files, and none in others
        theirs = theirs[known]
    lines = zip(text(whole, style="weka").split("\n"), stored.text.split("\n"), strict=False)
    counts = len(text(whole, style="weka").split("\n")), len(stored.text.split("\n"))
    differing = tuple(pair for pair in lines if pair[0] != pair[1])
    if counts[0] != counts[1]:
        differing = (*differing, (f"{counts[0]} lines", f"{counts[1]} lines"))
    return LinearOutcome(
        data,
        len(whole.model_.terms),
        differing,
        float(np.corrcoef(found[known], truth[known])[0, 1]),
        stored.correlation,
        float((np.abs(found[known] - theirs) / np.maximum(np.abs(theirs), truth[known].std())).max()),
    )
