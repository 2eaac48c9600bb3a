"""The model shown against the baseline, which uses no column: by its rows, as in the verdict, and by the folds.

The verdict compares them row by row: it is about the predictions that were made. The corrected t-test compares them
fold by fold, and also accounts for models learned from other rows, so it is stricter. If the two disagree, a sentence
states this wherever either is reported.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.methods import BASELINE
from hornbeam.report.content.blocks import p_text

if TYPE_CHECKING:
    from hornbeam.report.result import Report


def by_folds(report: Report) -> tuple[bool, str] | None:
    """Whether the model is better than the baseline by the corrected t-test, and the p-value; None if unknown."""
    pair = report.compared.pair(report.choice.scheme, BASELINE)
    if pair is None or math.isnan(pair.score.p_value):
        return None
    higher = (pair.score.mean > 0) == report.comparison.higher_is_better and pair.score.mean != 0
    return higher and differs(pair.score.p_value), p_text(pair.score.p_value)


def only_by_rows(report: Report) -> str:
    """A sentence if the rows show that the model is better and the folds do not; empty otherwise."""
    folds = by_folds(report)
    if folds is None or folds[0] or report.verdict.better is not True:
        return ""
    return (
        "The rows predicted here show an advantage over the baseline, but the folds are too few or differ too much to "
        f"be sure of it for a model learned from other rows (corrected t-test over the folds: p {folds[1]})."
    )


def against_baseline(report: Report) -> str:
    """Say whether the model is better than a prediction that uses no column, in agreement with the verdict."""
    folds = by_folds(report)
    if folds is None:
        return ""
    test = f"corrected t-test over the folds: p {folds[1]}"
    if report.verdict.better is True:
        return only_by_rows(report) or f"It is better than the baseline ({test})."
    if folds[0]:
        return (
            f"Its mean over the folds is better than the baseline's ({test}), but the predicted rows, compared one by "
            "one, do not show it clearly; see the verdict at the top."
        )
    return f"Note: it is not significantly better than the baseline, which uses no column ({test})."
