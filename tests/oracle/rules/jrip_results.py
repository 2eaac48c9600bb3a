"""The chapter on RIPPER: whether its rules are WEKA's, and whether the default is as accurate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding, cell, count_same
from oracle.rules.rule_answers import rule_answer

from hornbeam.learn.rules.ripper import RipperClassifier
from hornbeam.show import text

if TYPE_CHECKING:
    from oracle.rules.rule_answers import RuleAnswer

OPTIONS: dict[str, dict[str, Any]] = {
    "JRip": {},
    "JRip-P": {"prune": None},
    "JRip-O0": {"optimizations": 0},
    "w39-JRip": {"compat": "weka-3.9"},
}
SEEDS = (None, 2, 3, 4, 5)
BAR = -0.3  # points of accuracy, on average


@dataclass(frozen=True)
class Outcome:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str
    better_by: float | None  # points of accuracy of the default over the program; JRip only


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set where the program had an answer."""
    found = evidence.small_pairs(OPTIONS) + evidence.large_pairs(OPTIONS)
    return [pair for pair in found if evidence.cross_validated(*pair)]


def learner(scheme: str) -> RipperClassifier:
    """The estimator that follows a scheme."""
    return RipperClassifier(**{"compat": "weka", **OPTIONS[scheme]})


def body_of(stored: RuleAnswer) -> str:
    """The stored rules, without title and count."""
    assert stored.text is not None
    return stored.text.partition("===========\n\n")[2].rpartition("\n\nNumber of Rules")[0]


def better_by(data: str) -> float:
    """By how many points the default is better than the program, on average over seeds."""
    stored = rule_answer("JRip", data)
    truth = stored.table.target_values()
    ours = [
        np.mean(stored.cross_validated(lambda seed=seed: RipperClassifier(random_state=seed)) == truth)  # type: ignore[misc]
        for seed in SEEDS
    ]
    return 100 * float(np.mean(ours) - np.mean(stored.codes == truth))


def compare(scheme: str, data: str, *, default: bool = True) -> Outcome:
    """Learn from all rows and from ten folds, and collect every difference."""
    stored = rule_answer(scheme, data)
    wrong = [] if text(learner(scheme).fit(stored.table), style="weka") == body_of(stored) else ["text differs"]
    differing = int(np.sum(stored.cross_validated(lambda: learner(scheme)) != stored.codes))
    wrong += [f"{differing} predictions differ"] if differing else []
    return Outcome(scheme, data, "; ".join(wrong), better_by(data) if default and scheme == "JRip" else None)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, each.difference) for each in outcomes]


def points_of(outcomes: list[Outcome]) -> dict[str, float]:
    """For each set, the points by which the default is better."""
    return {each.data: each.better_by for each in outcomes if each.better_by is not None}


def complaints(outcomes: list[Outcome]) -> list[str]:
    """Whether the default is less accurate than it may be."""
    points = list(points_of(outcomes).values())
    if not points or np.mean(points) >= BAR:
        return []
    return [f"RIPPER: the default has {np.mean(points):+.2f} points against JRip; at least {BAR} are required"]


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    points, found = points_of(outcomes), {(each.scheme, each.data): each for each in outcomes}
    mean = float(np.mean(list(points.values())))
    lines = [
        '*same*: with `compat="weka"` the text of the rules is identical, character by character, and so is every',
        "cross-validated prediction.",
        "",
        f"{count_same(findings(outcomes))} The default `RipperClassifier`, on the same folds, means of {len(SEEDS)}",
        f"seeds: {mean:+.2f} points of accuracy against JRip, on average over {len(points)} sets (at least {BAR}).",
        "",
        "| set | " + " | ".join(OPTIONS) + " | the default better by |",
        "|---|" + "---|" * (len(OPTIONS) + 1),
    ]
    for data in sorted({each.data for each in outcomes}):
        cells = [cell(found[scheme, data].difference) if (scheme, data) in found else "" for scheme in OPTIONS]
        lines.append(f"| {data} | " + " | ".join(cells) + f" | {points[data]:+.2f} |")
    return lines


CHAPTER = Chapter("RIPPER", pairs, compare, findings, complaints, page)
