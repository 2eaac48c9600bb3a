"""`verdict`: one plain sentence about any result of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.evaluate.comparing.comparison import Comparison
from hornbeam.evaluate.cross_validation import CrossValidation
from hornbeam.evaluate.scores import ClassificationScore, RegressionScore
from hornbeam.evaluate.tuning.tuning import Tuning
from hornbeam.evaluate.verdicts.of_comparison import of_comparison
from hornbeam.evaluate.verdicts.of_score import of_score
from hornbeam.evaluate.verdicts.of_tuning import of_tuning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.evaluate.verdicts.conclusion import Verdict

    Result = ClassificationScore | RegressionScore | CrossValidation | Comparison | Tuning


def verdict(result: Result, *, noun: str = "model", doubts: Iterable[str] = ()) -> Verdict:
    """Say in one plain sentence whether a model is better than the baseline, by how much, and how certain that is.

    Parameters
    ----------
    result : ClassificationScore, RegressionScore, CrossValidation, Comparison or Tuning
        A score must be that of held-out rows.
    noun : str
        What made the predictions, such as ``"tree"``.
    doubts : iterable of str
        Reasons not to trust the scores, such as ``"'arrival' alone determines the target"``; they are added to a
        verdict unless it is already bad.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import evaluate
    >>> found = evaluate.cross_validate(hornbeam.C45Classifier(), hornbeam.read("iris"))
    >>> print(evaluate.verdict(found, noun="tree").text)
    Right in 94 of 100 held-out rows, 61 more than always predicting 'Iris-setosa' (95% interval 52 to 68).
    """
    if isinstance(result, Comparison):
        found = of_comparison(result)
    elif isinstance(result, Tuning):
        found = of_tuning(result, noun)
    elif isinstance(result, CrossValidation):
        found = of_score(result.score, noun)
    elif isinstance(result, ClassificationScore | RegressionScore):
        found = of_score(result, noun)
    else:
        expected = "a score, a cross-validation, a tuning or a comparison"
        msg = f"there is no verdict on {type(result).__name__!r}; expected {expected}"
        raise TypeError(msg)
    return found.with_doubts(doubts)
