"""The verdict on a comparison: which method is best, whether it beats the baseline, and which others are as good.

On one table methods are compared fold by fold by the corrected resampled t-test, with p-values adjusted for the number
of tests (Holm); over several tables by their average ranks and Nemenyi's critical difference.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import printable
from hornbeam.evaluate.comparing.comparison import differs
from hornbeam.evaluate.comparing.comparison_text import figure_text
from hornbeam.evaluate.comparing.methods import BASELINE, NONE
from hornbeam.evaluate.comparing.significance import holm
from hornbeam.evaluate.measures import ABOUT, printed
from hornbeam.evaluate.verdicts.conclusion import Verdict
from hornbeam.evaluate.verdicts.in_rows import digits_for, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.comparing.comparison import Comparison, Outcome, Pair, TableComparison
    from hornbeam.evaluate.comparing.significance import Ranking
    from hornbeam.evaluate.verdicts.conclusion import Severity

NAME_ROOM = 40
MOST_NAMED = 3
SMALLER = 0.67  # a model of at most this relative size is mentioned as smaller
SMALL_P = 0.001


def of_comparison(found: Comparison) -> Verdict:
    """Say which method is best, and which are not distinguishable from it."""
    if len(found.tables) == 1:
        return _on_one(found, found.tables[0])
    if found.ranking is None:
        text = "Too few tables to say which method is best: fewer than two on which every method could be evaluated."
        return Verdict(text, None, "unsure", found.measure)
    return _over_tables(found, found.ranking)


def _on_one(found: Comparison, table: TableComparison) -> Verdict:
    sign = 1.0 if found.higher_is_better else -1.0
    judged = [one for one in table.outcomes if one.score is not None and not math.isnan(one.score.mean)]
    if not judged:
        return Verdict("No method could be evaluated.", None, "unsure", found.measure)
    best = max(judged, key=lambda one: sign * _mean(one))
    against = table.against(found.baseline)
    base = next((one for one in judged if one.method == found.baseline), None)
    if base is None:
        text = f"{_name(best)} is best ({_score(found, best)}); {found.baseline} could not be evaluated."
        return Verdict(text + _as_good(found, table, best, judged), None, "unsure", found.measure, _mean(best))
    if best is base:
        text = f"No method is better than {_baseline(found)} ({_score(found, base)})."
        severity: Severity = "bad" if found.baseline == BASELINE else "unsure"
        return Verdict(text, False, severity, found.measure, _mean(base), _mean(base), 0.0)
    pair, p_value = against[best.method]
    low, high = pair.score.interval
    difference = sign * pair.score.mean
    interval = (low, high) if sign > 0 else (-high, -low)
    figures = (found.measure, _mean(best), _mean(base), difference, interval)
    if math.isnan(p_value):
        text = f"Too few folds to say whether {_name(best)} ({_score(found, best)}) is better than {_baseline(found)}"
        return Verdict(f"{text} ({_score(found, base)}).", None, "unsure", *figures)
    if not differs(p_value):
        text = (
            f"No method is clearly better than {_baseline(found)} ({_score(found, base)}): the best, {_name(best)}, "
            f"has {_value(found, best)} ({_p(p_value)})."
        )
        return Verdict(text, False, "unsure", *figures)
    text = (
        f"{_name(best)} is best: {_score(found, best)}, {_apart(found, difference)} better than {_baseline(found)} "
        f"({_p(p_value)})."
    )
    return Verdict(text + _as_good(found, table, best, judged), True, "good", *figures)


def _as_good(found: Comparison, table: TableComparison, best: Outcome, judged: Sequence[Outcome]) -> str:
    """A sentence about the methods that are not distinguishable from the best; especially the smallest of them."""
    others = [one for one in judged if one is not best and one.method != found.baseline]
    pairs: list[tuple[Outcome, Pair]] = [
        (one, pair) for one in others if (pair := table.pair(best.method, one.method)) is not None
    ]
    if not pairs:
        return ""
    adjusted = holm([pair.score.p_value for _, pair in pairs])
    alike = [one for (one, _), p_value in zip(pairs, adjusted, strict=True) if not differs(p_value)]
    if not alike:
        return " Every other method is worse (p < 0.05, adjusted for the number of tests)."
    smallest = min(alike, key=_size)
    verb = "is" if len(alike) == 1 else "are"
    small = ""
    if math.isfinite(_size(smallest)) and (math.isinf(_size(best)) or _size(smallest) <= SMALLER * _size(best)):
        only = f"has only {_size_text(smallest)}"
        if math.isfinite(_size(best)):
            only += f", not {_size_text(best)}"
        small = f" and {only}" if len(alike) == 1 else f"; {_name(smallest)} {only}"
        alike = [smallest, *(one for one in alike if one is not smallest)]
    return f" {_listed(alike)} {verb} not distinguishable from it{small}."


def _over_tables(found: Comparison, ranking: Ranking) -> Verdict:
    best, average = ranking.methods[0], ranking.average_ranks[0]
    limit = ranking.critical_difference
    near = [
        name for name, one in zip(ranking.methods[1:], ranking.average_ranks[1:], strict=True) if one - average < limit
    ]
    place = ranking.methods.index(found.baseline)
    gap = ranking.average_ranks[place] - average
    figures = ("average rank", average, ranking.average_ranks[place], gap)
    over = f"over {ranking.n_tables} tables"
    if best == found.baseline or gap <= 0:
        text = f"No method has a better average rank {over} than {_baseline(found)} ({average:.2f})."
        return Verdict(text, False, "unsure", *figures)
    text = f"{_shown(best)} has the best average rank {over} ({average:.2f}), "
    beats = gap >= limit
    text += "better than " if beats else "but not clearly better than "
    text += f"{_baseline(found)} ({ranking.average_ranks[place]:.2f}; critical difference {limit:.2f})."
    near = [name for name in near if name != found.baseline]
    if near:
        names = [_shown(name) for name in near]
        text += f" {_list(names)} {'is' if len(names) == 1 else 'are'} not distinguishable from it."
    return Verdict(text, beats, "good" if beats else "unsure", *figures)


# --- words -------------------------------------------------------------------------------------------------------


def _mean(one: Outcome) -> float:
    assert one.score is not None
    return one.score.mean


def _name(one: Outcome) -> str:
    return _shown(one.method)


def _shown(name: str) -> str:
    """A method's name, in quotes if it would be unclear in a sentence, such as 'none' or 'gini, none'."""
    text = printable(name, NAME_ROOM)
    return f"'{text}'" if name == NONE or "," in name else text


def _baseline(found: Comparison) -> str:
    return "the baseline" if found.baseline == BASELINE else _shown(found.baseline)


def _value(found: Comparison, one: Outcome) -> str:
    return figure_text(found.measure, _mean(one))


def _score(found: Comparison, one: Outcome) -> str:
    return f"{printed(found.measure)} {_value(found, one)}"


def _apart(found: Comparison, difference: float) -> str:
    """How much better, in percentage points or in the unit of the metric."""
    if ABOUT[found.measure].percent:
        points = 100 * difference
        return f"{number(points, max(1, digits_for(points)))} points"
    return number(difference, max(3, digits_for(difference))) if abs(difference) < 1 else f"{difference:.4g}"


def _size(one: Outcome) -> float:
    """Leaves or rules of a model; infinite if it has neither."""
    return math.inf if one.size is None or math.isnan(one.size.mean) else one.size.mean


def _size_text(one: Outcome) -> str:
    unit = "rules" if one.has("rules") else "leaves"
    size = f"{_size(one):.0f}" if _size(one) >= 1 else f"{_size(one):.1f}"
    return f"{size} {unit[:-1] if unit == 'rules' else 'leaf'}" if size == "1" else f"{size} {unit}"


def _listed(outcomes: Sequence[Outcome]) -> str:
    return _list([_name(one) for one in outcomes])


def _list(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _p(value: float) -> str:
    return f"p < {SMALL_P}" if value < SMALL_P else f"p = {value:.3f}"
