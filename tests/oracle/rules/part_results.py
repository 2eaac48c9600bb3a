"""The chapter on rules from trees: whether PART's are WEKA's, and how C4.5rules compares with J48's trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding, cell, count_same
from oracle.rules.rule_answers import rule_answer
from oracle.trees.answers import CODES, answer
from oracle.trees.compare import folds_of, table_of

from hornbeam.learn.rules.c45rules import C45RulesClassifier
from hornbeam.learn.rules.part import PartClassifier
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.show import text

if TYPE_CHECKING:
    from oracle.rules.rule_answers import RuleAnswer

OPTIONS: dict[str, dict[str, Any]] = {"PART": {}, "PART-U": {"prune": None}, "PART-B": {"nominal": "one-vs-rest"}}
NEWER: dict[str, dict[str, Any]] = {"w39-PART": {}, "w39-PART-noMDL": {"mdl": False}}
SCHEMES = (*OPTIONS, *NEWER)
BAR = -0.3  # points of accuracy on average: of the default against PART, of C4.5rules against J48
MOST_CONDITIONS = 0.7  # of C4.5rules for one condition of the tree's leaves
SLOW = {"letter"}  # C4.5rules and the default's accuracy are left out there


@dataclass(frozen=True)
class Simplified:
    """C4.5rules on one set."""

    better_by: float  # points of accuracy over the tree
    conditions: int
    of_the_tree: int  # conditions of the leaves of the tree


@dataclass(frozen=True)
class Outcome:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str
    better_by: float | None  # points of accuracy of the default over the program; PART only
    simplified: Simplified | None  # PART only


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)


def learner(scheme: str) -> PartClassifier:
    """The estimator that follows a scheme."""
    if scheme in NEWER:
        return PartClassifier(compat="weka-3.9", **NEWER[scheme])
    return PartClassifier(compat="weka", **OPTIONS[scheme])


def body_of(stored: RuleAnswer) -> str:
    """The stored rules, without title and count."""
    assert stored.text is not None
    return stored.text.partition("------------------\n\n")[2].rpartition("\n\nNumber of Rules")[0]


def better_by(data: str) -> float:
    """By how many points the default is better than the program."""
    stored = rule_answer("PART", data)
    truth = stored.table.target_values()
    return 100 * float(np.mean(stored.cross_validated(PartClassifier) == truth) - np.mean(stored.codes == truth))


def simplified(data: str) -> Simplified:
    """Compare C4.5rules with J48's tree, on the same folds."""
    stored = answer("J48", data)
    table = table_of(stored.arff)
    truth = table.target_values()
    codes = np.empty(table.n_rows, np.int64)
    for train, test in folds_of(stored.arff):
        codes[test] = C45RulesClassifier().fit(table.take(train)).model_.predict(table.take(test))
    theirs = np.array([CODES.find(character) for character in stored.predictions])
    rules = C45RulesClassifier().fit(table).model_.rules
    leaves = rules_from_tree(C45Classifier().fit(table).model_).rules
    return Simplified(
        100 * float(np.mean(codes == truth) - np.mean(theirs == truth)),
        sum(len(rule.conditions) for rule in rules),
        sum(len(rule.conditions) for rule in leaves),
    )


def difference(scheme: str, data: str) -> str:
    """Learn from all rows and from ten folds, and say what differs."""
    stored = rule_answer(scheme, data)
    wrong = [] if text(learner(scheme).fit(stored.table), style="weka") == body_of(stored) else ["text differs"]
    if stored.predictions is not None:
        differing = int(np.sum(stored.cross_validated(lambda: learner(scheme)) != stored.codes))
        wrong += [f"{differing} predictions differ"] if differing else []
    return "; ".join(wrong)


def compare(scheme: str, data: str) -> Outcome:
    """Compare one scheme on one set, and for PART the learners that are only as accurate."""
    found = difference(scheme, data)
    if scheme != "PART" or data in SLOW:
        return Outcome(scheme, data, found, None, None)
    return Outcome(scheme, data, found, better_by(data), simplified(data))


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, each.difference) for each in outcomes]


def judge(found: list[Simplified]) -> list[str]:
    """Whether C4.5rules is less accurate, or longer, than it may be."""
    mean = float(np.mean([each.better_by for each in found]))
    ours, trees = sum(each.conditions for each in found), sum(each.of_the_tree for each in found)
    told = [f"C4.5rules: {mean:+.2f} points against J48; at least {BAR} are required"] if mean < BAR else []
    if ours >= MOST_CONDITIONS * trees:
        told.append(f"C4.5rules: {ours} conditions against {trees} of the trees")
    return told


def complaints(outcomes: list[Outcome]) -> list[str]:
    """Limits that are not kept."""
    points = [each.better_by for each in outcomes if each.better_by is not None]
    if not points:
        return []
    mean = float(np.mean(points))
    told = [f"PART: the default has {mean:+.2f} points; at least {BAR} are required"] if mean < BAR else []
    return told + judge([each.simplified for each in outcomes if each.simplified is not None])


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    found = {(each.scheme, each.data): each for each in outcomes}
    points = {each.data: each.better_by for each in outcomes if each.better_by is not None}
    rules = {each.data: each.simplified for each in outcomes if each.simplified is not None}
    default, mean = np.mean(list(points.values())), np.mean([each.better_by for each in rules.values()])
    ours, trees = sum(each.conditions for each in rules.values()), sum(each.of_the_tree for each in rules.values())
    lines = [
        '*same*: with `compat="weka"` (`w39`: "weka-3.9") the text of PART\'s rules is identical, character by',
        "character, and so is every cross-validated prediction where there is one.",
        "",
        f"{count_same(findings(outcomes))} On the same folds, the default `PartClassifier`: {default:+.2f} points of",
        f"accuracy against PART, on average over {len(points)} sets (at least {BAR}). C4.5rules: {mean:+.2f} against",
        f"J48's tree, over {len(rules)} sets (at least {BAR}), with {ours} conditions against its {trees}.",
        "",
        "| set | " + " | ".join(SCHEMES) + " | default better by | C4.5rules better by | conditions | of the tree |",
        "|---|" + "---|" * (len(SCHEMES) + 4),
    ]
    for data in sorted({each.data for each in outcomes}):
        cells = [cell(found[scheme, data].difference) if (scheme, data) in found else "" for scheme in SCHEMES]
        cells.append(f"{points[data]:+.2f}" if data in points else "")
        one = rules.get(data)
        cells += ["", "", ""] if one is None else [f"{one.better_by:+.2f}", str(one.conditions), str(one.of_the_tree)]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return lines


CHAPTER = Chapter("PART and C4.5rules", pairs, compare, findings, complaints, page)
