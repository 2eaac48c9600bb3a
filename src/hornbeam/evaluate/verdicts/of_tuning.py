"""The verdict on tuning: how good the tuned model is, and whether tuning helped."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.comparison_text import figure_text
from hornbeam.evaluate.comparing.significance import corrected_t_test
from hornbeam.evaluate.measures import printed
from hornbeam.evaluate.verdicts.conclusion import Verdict
from hornbeam.evaluate.verdicts.of_score import of_score

if TYPE_CHECKING:
    from hornbeam.evaluate.tuning.tuning import Tuning


def of_tuning(found: Tuning, noun: str = "model") -> Verdict:
    """Say how good the tuned model is, if there is a nested cross-validation, and whether tuning helped."""
    if found.nested is None:
        return _helped(found)
    return of_score(found.nested.validation.score, f"tuned {noun}")


def _helped(found: Tuning) -> Verdict:
    """Whether the chosen setting is better than the given one, fold by fold."""
    chosen, given = found.chosen, found.given
    assert chosen.score is not None
    measure = printed(found.measure)
    value = figure_text(found.measure, chosen.score.mean)
    flatters = "the best of many settings looks better than it is"
    if given.score is None:
        text = f"The chosen setting has {measure} {value}; the given one could not be evaluated; {flatters}."
        return Verdict(text, None, "unsure", found.measure, chosen.score.mean)
    before = figure_text(found.measure, given.score.mean)
    figures: tuple[str, float, float] = (found.measure, chosen.score.mean, given.score.mean)
    sign = 1.0 if found.higher_is_better else -1.0
    apart = [sign * (a - b) for a, b in zip(chosen.score.folds, given.score.folds, strict=True)]
    test = corrected_t_test(apart, 1 / max(found.folds - 1, 1))
    if chosen.setting == given.setting:
        text = f"Tuning found nothing better than the given setting ({measure} {value})."
        return Verdict(text, False, "unsure", *figures, 0.0)
    if test.mean <= 0 or math.isnan(test.p_value) or not differs(test.p_value):
        text = f"Tuning did not clearly help: {measure} {value}, with the given setting {before}; {flatters}."
        return Verdict(text, False if test.mean <= 0 else None, "unsure", *figures, test.mean, test.interval)
    text = f"Tuning helped: {measure} {value}, with the given setting {before}; {flatters}."
    return Verdict(text, True, "good", *figures, test.mean, test.interval)
