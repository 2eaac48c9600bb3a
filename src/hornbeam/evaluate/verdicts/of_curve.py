"""The verdict on a learning or complexity curve: its best point against the baseline, fold by fold.

The baseline always predicts the most frequent class or the mean, on the same folds. Points are compared by the
corrected resampled t-test.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import printable
from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.comparison_text import figure_text
from hornbeam.evaluate.comparing.significance import corrected_t_test
from hornbeam.evaluate.curves.curve_result import ROWS, value_text
from hornbeam.evaluate.measures import printed
from hornbeam.evaluate.verdicts.conclusion import Verdict

if TYPE_CHECKING:
    from hornbeam.evaluate.comparing.comparison import Estimate
    from hornbeam.evaluate.comparing.significance import TTest
    from hornbeam.evaluate.curves.curve_result import Curve, CurvePoint


def of_curve(found: Curve, baseline: Curve) -> Verdict:
    """Compare the best point, or that of all rows, with the baseline, and describe the curve.

    Parameters
    ----------
    found : Curve
        The result of `learning_curve` or `complexity_curve`.
    baseline : Curve
        The curve of the baseline with the same folds, seed and metric; its last point is used.
    """
    point, base = _point(found), baseline.points[-1].test
    assert point.test is not None
    assert base is not None
    test = _apart(found, point.test, base)
    where = (
        f"{printable(found.of)} {value_text(point.value)}" if found.of != ROWS else f"{value_text(point.value)} rows"
    )
    value, before = (figure_text(found.measure, figure.mean) for figure in (point.test, base))
    figures = (found.measure, point.test.mean, base.mean, test.mean, test.interval)
    against = f"{printed(found.measure)} {value} with {where} against {before}"
    if math.isnan(test.p_value):
        return Verdict(
            f"Too few folds to say whether it is better than the baseline: {against}.", None, "unsure", *figures
        )
    if test.mean <= 0 or not differs(test.p_value):
        nothing = test.mean <= 0
        text = f"{'Not' if nothing else 'Not clearly'} better than the baseline: {against}."
        return Verdict(text, False, "bad" if nothing else "unsure", *figures)
    text = f"Better than the baseline: {against} (p {_p(test.p_value)}). {_shown(found, point)}"
    return Verdict(text.strip(), True, "good", *figures)


def _point(found: Curve) -> CurvePoint:
    """Return the point that is compared: the best value of a parameter, or the largest number of rows."""
    known = [point for point in found.points if point.test is not None and not math.isnan(point.test.mean)]
    return found.best if found.of != ROWS else known[-1]


def _apart(found: Curve, one: Estimate, other: Estimate) -> TTest:
    sign = 1.0 if found.higher_is_better else -1.0
    pairs = zip(one.folds, other.folds, strict=True)
    return corrected_t_test([sign * (a - b) for a, b in pairs if math.isfinite(a - b)], 1 / max(found.folds - 1, 1))


def _shown(found: Curve, point: CurvePoint) -> str:
    """Write what else the curve shows: whether more rows help, or that the best of many values looks too good."""
    known = [one for one in found.points if one.test is not None and not math.isnan(one.test.mean)]
    if found.of != ROWS:
        return f"The best of {len(known)} values looks better than it is." if len(known) > 1 else ""
    if len(known) < 2 or point.test is None or known[-2].test is None:  # noqa: PLR2004 (a point before the last)
        return ""
    test = _apart(found, point.test, known[-2].test)
    if math.isnan(test.p_value) or not differs(test.p_value) or test.mean <= 0:
        return f"It is not clearly better than with {value_text(known[-2].value)} rows: more rows may not help."
    return f"It is better than with {value_text(known[-2].value)} rows: more rows may help."


def _p(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"  # noqa: PLR2004
