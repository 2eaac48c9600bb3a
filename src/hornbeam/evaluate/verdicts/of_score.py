"""The verdict on held-out predictions: whether they are better than the baseline, by how much, and how certain that is.

The baseline always predicts the most frequent class of the same rows (with costs the cheapest class), or their mean.
Both predict the same rows, so they are compared row by row (`hornbeam.evaluate.intervals`): the difference is
significant if its 95% interval does not contain zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent, plural, printable
from hornbeam.evaluate.intervals import NORMAL_95
from hornbeam.evaluate.scores import ClassificationScore
from hornbeam.evaluate.verdicts.conclusion import Verdict
from hornbeam.evaluate.verdicts.in_rows import FEW_ROWS, digits_for, number, span

if TYPE_CHECKING:
    from hornbeam.evaluate.class_figures import ClassMetrics
    from hornbeam.evaluate.scores import RegressionScore
    from hornbeam.evaluate.verdicts.conclusion import Severity

TOO_WIDE = 0.1  # if the interval reaches from no difference to this much better, there are too few rows
TOO_WIDE_R2 = 0.2  # the same for R²
NAME_ROOM = 40
FEWEST_OF_CLASS = 5  # minimum number of rows of a class whose recall is mentioned
RARE, LOW_RECALL = 0.2, 0.5  # a class with a smaller fraction of the rows and a lower recall is mentioned, too
MOST_NAMED = 3  # classes named in one sentence
HALF = 0.5
# The mean of other rows has a squared error that is greater than that of the mean of these n rows by about 2/n of it;
# a model that is worse by less than twice that, or 2%, is about as good as the mean.
AS_GOOD, AS_GOOD_OF_ROWS = 0.02, 4.0
LEAST_FOR_CORRELATION = 4  # minimum number of rows


def of_score(score: ClassificationScore | RegressionScore, noun: str = "model") -> Verdict:
    """Compare held-out predictions with the baseline.

    Parameters
    ----------
    score : ClassificationScore or RegressionScore
        The score of held-out rows.
    noun : str
        What made the predictions, such as ``"tree"``.
    """
    if isinstance(score, ClassificationScore):
        return _of_costs(score, noun) if score.mean_cost is not None else _of_classes(score, noun)
    return _of_numbers(score, noun)


# --- classes -----------------------------------------------------------------------------------------------------


def _of_classes(score: ClassificationScore, noun: str) -> Verdict:
    low, high = score.difference_interval
    name = f"always predicting {_quoted(score.baseline_class)}"
    if not score.n_rows or math.isnan(score.accuracy):
        return _undecided("There are no held-out rows to evaluate.", "accuracy")
    if score.baseline >= 1:
        text = f"All held-out rows are of one class, {_quoted(score.baseline_class)}: there is nothing to predict."
        return _undecided(text, "accuracy", score.accuracy, score.baseline)
    if math.isnan(low):
        return _undecided("Too few held-out rows to say anything.", "accuracy", score.accuracy, score.baseline)
    better, severity, text = _judged(score, name, noun)
    unseen = "" if severity == "bad" and better is False and not _ranks(score) else _unseen(score)
    if " but " in text:  # one contrast is enough
        unseen = unseen.replace(" But it finds ", " It finds ")
    if unseen and severity == "good":
        severity = "unsure"
    return Verdict(
        text + unseen, better, severity, "accuracy", score.accuracy, score.baseline, score.difference, (low, high)
    )


def _judged(score: ClassificationScore, name: str, noun: str) -> tuple[bool | None, Severity, str]:
    """Whether it is better, the severity, and the sentence."""
    low, high = score.difference_interval
    rows = _RowsInWords(score)
    ranks = _ranks(score)
    if low > 0:
        text = f"Right in {rows.right}, {rows.more} more than {name} (95% interval {rows.interval})."
        return True, "good", text
    if high < 0:
        text = f"Worse than {name}: right in {rows.right}, {rows.fewer} fewer (95% interval {rows.fewer_interval})"
        return False, "unsure" if ranks else "bad", text + (f", but {ranks}." if ranks else ".")
    if high >= TOO_WIDE:
        text = (
            f"Too few rows to say whether this {noun} is better than {name}: right in {rows.right} against "
            f"{rows.by_baseline}, a difference of {rows.more} (95% interval {rows.interval})."
        )
        return None, "unsure", text
    if score.difference > 0:
        text = (
            f"Not clearly better than {name}: right in {rows.right} against {rows.by_baseline}, a difference of "
            f"{rows.more} (95% interval {rows.interval})"
        )
        return False, "unsure", text + (f"; but {ranks}." if ranks else ".")
    against = percent(score.baseline)
    if score.difference < 0:
        against += f" right, the {noun} {percent(score.accuracy)}"
        if percent(score.baseline) == percent(score.accuracy):
            against = f"both {percent(score.baseline)} right"
    if ranks:
        return False, "unsure", f"By accuracy no better than {name} ({against}), but {ranks}."
    return False, "bad", f"This {noun} has learned nothing: {name} does as well ({against})."


class _RowsInWords:
    """Accuracies and their difference in rows: of all rows if there are few, else of a hundred."""

    def __init__(self, score: ClassificationScore) -> None:
        right = float(score.confusion.trace())
        counted = score.n_rows < FEW_ROWS and right == round(right) and _total(score) == score.n_rows
        of = score.n_rows if counted else 100
        low, high = score.difference_interval
        ends = of * low, of * high
        digits = 0 if counted else digits_for(of * score.difference, *ends, within=(of * score.accuracy, of))
        of_rows = plural(of, "held-out row")
        self.right = f"{number(of * score.accuracy, digits)} of {of_rows}"
        self.by_baseline = number(of * score.baseline, digits)
        self.more, self.fewer = number(of * score.difference, digits), number(-of * score.difference, digits)
        precise = digits_for(*ends) if counted else digits
        self.interval, self.fewer_interval = span((low, high), of, precise), span((-high, -low), of, precise)


def _total(score: ClassificationScore) -> float:
    return math.fsum(one.support for one in score.report.classes)


def _ranks(score: ClassificationScore) -> str:
    """A sentence that the probabilities rank rows although predictions are no better than the baseline; else empty.

    With two classes, by the ROC AUC of the rarer one; with more, by those of all classes, corrected for their number.
    """
    report = score.report
    there = report.occurring if report.positive is None else (report.positive,)
    ranked = [one for one in there if _above_half(one, len(there))]
    if not ranked:
        return ""
    best = max(ranked, key=lambda one: one.auc)
    of = "" if report.positive is not None else f" of {_quoted(best.name)}"
    low, high = best.auc_interval
    return f"its probabilities rank the rows: ROC AUC{of} {best.auc:.3f} (95% interval {low:.3f} to {high:.3f})"


def _above_half(one: ClassMetrics, tests: int) -> bool:
    """Whether an ROC AUC is above one half, on the scale of log-odds, where its interval is symmetric."""
    low, high = one.auc_interval
    if math.isnan(low) or low <= HALF or high >= 1:
        return False
    if tests == 1:
        return True
    from scipy.special import ndtri  # noqa: PLC0415 - only for several classes

    center, end = (math.log(p / (1 - p)) for p in (one.auc, low))
    return center - (center - end) / NORMAL_95 * float(ndtri(1 - 0.025 / tests)) > 0


def _unseen(score: ClassificationScore) -> str:
    """A sentence about classes that are never or rarely predicted correctly; empty if there are none."""
    total = _total(score)
    there = [one for one in score.report.occurring if one.support >= FEWEST_OF_CLASS]
    missed = sorted((one for one in there if one.recall == 0), key=lambda one: -one.support)
    if missed:
        named = [f"{_quoted(one.name)} ({percent(one.support / total)} of the rows)" for one in missed[:MOST_NAMED]]
        more = f" and {len(missed) - MOST_NAMED} more classes" if len(missed) > MOST_NAMED else ""
        return f" But it finds no row of {', '.join(named)}{more}: recall 0."
    rare = [one for one in there if one.support < RARE * total and one.recall < LOW_RECALL]
    if len(score.report.occurring) == 2 and rare:  # noqa: PLR2004 - of many classes some are always hard
        one = rare[0]
        share = percent(one.support / total)
        return f" But it finds only {percent(one.recall)} of the rows of {_quoted(one.name)} ({share} of all): recall."
    return ""


# --- costs -------------------------------------------------------------------------------------------------------


def _of_costs(score: ClassificationScore, noun: str) -> Verdict:
    low, high = score.difference_interval
    cost, baseline = score.mean_cost, score.baseline_cost
    assert cost is not None
    assert baseline is not None
    if math.isnan(cost) or math.isnan(low):
        return _undecided("Too few held-out rows to say anything.", "mean cost", cost, baseline)
    figures = ("mean cost", cost, baseline, score.difference, (low, high))
    name = f"always predicting the cheapest class ({_four(baseline)})"
    interval = f"95% interval of the difference {_four(low)} to {_four(high)}"
    if low > 0:
        return Verdict(f"A row costs {_four(cost)} on average, less than {name}; {interval}.", True, "good", *figures)
    if high < 0:
        text = f"Worse than {name}: a row costs {_four(cost)} on average; {interval}."
        return Verdict(text, False, "bad", *figures)
    if score.difference > 0:
        text = f"Not clearly cheaper than {name}: a row costs {_four(cost)} on average; {interval}."
        return Verdict(text, False, "unsure", *figures)
    text = f"This {noun} saves nothing: {name} costs no more; a row costs {_four(cost)} on average."
    return Verdict(text, False, "bad", *figures)


# --- numbers -----------------------------------------------------------------------------------------------------


def _of_numbers(score: RegressionScore, noun: str) -> Verdict:
    if not score.n_rows:
        return _undecided("There are no held-out rows to evaluate.", "R2")
    if math.isnan(score.r2):
        return _undecided("The held-out values are all the same: there is nothing to predict.", "R2")
    if math.isnan(score.interval[0]):
        return _undecided("Too few held-out rows to say anything.", "R2", score.r2, 0.0)
    better, severity, text = _judged_numbers(score, noun)
    return Verdict(text, better, severity, "R2", score.r2, 0.0, score.r2, score.interval)


def _judged_numbers(score: RegressionScore, noun: str) -> tuple[bool | None, Severity, str]:
    """Whether it is better, the severity, and the sentence."""
    low, high = score.interval
    name = "always predicting the mean"
    interval = f"R² {_three(score.r2)}, 95% interval {_three(low)} to {_three(high)}"
    error = percent(score.root_relative_squared_error)
    if low > 0:
        return True, "good", _explains(score)
    if high < 0 and -score.r2 > max(AS_GOOD, AS_GOOD_OF_ROWS / score.n_rows):
        return False, "bad", f"Worse than {name}: its error (RMSE) is {error} of that ({interval})."
    if high >= TOO_WIDE_R2:
        rows = plural(score.n_rows, "held-out row")
        return None, "unsure", f"Too few rows to say whether this {noun} is better than {name}: {interval}, {rows}."
    if score.r2 > 0:
        return False, "unsure", f"Not clearly better than {name}: {interval}."
    if _correlates(score):
        known = f"its predictions correlate with the truth ({_three(score.correlation)})"
        return False, "unsure", f"By its errors no better than {name} (RMSE {error} of that), but {known}."
    why = f"{name} does as well (RMSE {error} of that)"
    if high < 0:
        why = f"its error (RMSE) is {error} of that of {name}"
    return False, "bad", f"This {noun} has learned nothing: {why}."


def _explains(score: RegressionScore) -> str:
    share, interval = explained(score)
    smaller = 1 - score.root_relative_squared_error
    return (
        f"Explains {share} of the variance of the held-out rows (95% interval {interval}); its error (RMSE) is "
        f"{percent(smaller)} smaller than that of always predicting the mean."
    )


def explained(score: RegressionScore) -> tuple[str, str]:
    """Write R² and its interval in percent, with the same digits wherever a reader sees them."""
    if math.isnan(score.r2):
        return "-", "unknown"
    most = 100 * score.r2
    digits = digits_for(*(100 * end for end in score.interval), within=(most, 100))
    return f"{number(most, digits)}%", span(score.interval, 100, digits, "%")


def _correlates(score: RegressionScore) -> bool:
    """Whether the correlation is above zero, by Fisher's transformation."""
    if score.n_rows < LEAST_FOR_CORRELATION or math.isnan(score.correlation):
        return False
    bounded = min(score.correlation, 1 - 1e-12)
    return math.atanh(max(bounded, -1 + 1e-12)) - NORMAL_95 / math.sqrt(score.n_rows - 3) > 0


# --- words -------------------------------------------------------------------------------------------------------


def _undecided(text: str, measure: str, value: float = math.nan, baseline: float = math.nan) -> Verdict:
    return Verdict(text, None, "unsure", measure, value, baseline, value - baseline)


def _quoted(name: str) -> str:
    return f"'{printable(name, NAME_ROOM)}'"


def _four(value: float) -> str:
    return f"{value:.4g}" if value else "0"


def _three(value: float) -> str:
    return number(value, 3)
