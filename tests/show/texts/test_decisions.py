"""The decision log, on traces made by hand from figures of the weather data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from show.planting import Fork, Leaf, Other, plant

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.files.storage import read_trace
from hornbeam.model.trees.split import CODES, CUTS
from hornbeam.model.trees.trace import (
    BELOW_AVERAGE,
    CHOSEN,
    COLLAPSED,
    KEPT,
    MADE_LEAF,
    NO_SPLIT,
    OUTSCORED,
    RAISED,
    Trace,
)
from hornbeam.show import why

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree

SCHEMA = Schema(
    (
        Nominal("outlook", ("sunny", "overcast", "rainy")),
        Numeric("humidity"),
        Nominal("windy", ("true", "false")),
        Nominal("play", ("yes", "no")),
    ),
    ("feature", "feature", "feature", "target"),
    "weather",
)
NAN = float("nan")


def grown() -> Tree:
    sunny = Fork(1, CUTS, [75.0], [Leaf([2, 0]), Leaf([0, 3])])
    rainy = Fork(2, CODES, [0, 1], [Leaf([0, 2]), Leaf([3, 0])])
    return plant(SCHEMA, Fork(0, CODES, [0, 1, 2], [sunny, Leaf([4, 0]), rainy]))


def trace(**changes: object) -> Trace:
    """The first two nodes' candidates; the rainy node has one too."""
    made = Trace(
        grown=grown(),
        node=np.array([0, 0, 0, 1, 1, 1, 3], np.int32),
        column=np.array([0, 1, 2, 0, 1, 2, 2], np.int32),
        verdict=np.array([CHOSEN, BELOW_AVERAGE, OUTSCORED, NO_SPLIT, CHOSEN, OUTSCORED, CHOSEN], np.int8),
        gain=np.array([0.246750, 0.0, 0.048127, NAN, 0.770951, 0.019973, 0.970951]),
        charge=np.array([0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0]),
        split_information=np.array([1.577406, 0.94, 0.985228, NAN, 0.970951, 0.970951, 0.970951]),
        score=np.array([0.156428, 0.0, 0.048849, NAN, 0.794017, 0.020571, 1.0]),
        cut=np.array([NAN, 82.5, NAN, NAN, 75.0, NAN, NAN]),
        n_cuts=np.array([0, 4, 0, 0, 2, 0, 0], np.int32),
        average_gain=np.array([0.0983, 0.4, NAN, 0.97, NAN, NAN, NAN, NAN]),
        step_node=np.array([1, 3, 0], np.int32),
        step_action=np.array([KEPT, MADE_LEAF, RAISED], np.int8),
        step_leaf=np.array([3.1, 3.0, 7.0]),
        step_subtree=np.array([2.5, 2.95, 5.0]),
        step_branch=np.array([4.0, NAN, 4.9]),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_the_arithmetic_of_the_root_can_be_followed() -> None:
    log = why(trace())
    assert "Node 0: all rows\n  weight 14: yes 9, no 5; entropy 0.9403 bits" in log
    assert "outlook = sunny: weight 5: yes 2, no 3; entropy 0.9710 bits" in log
    assert "information after = 5/14 x 0.9710 + 4/14 x 0.0000 + 5/14 x 0.9710 = 0.6935" in log
    assert "gain = 0.9403 - 0.6935 = 0.2467" in log
    assert "gain ratio = 0.2467 / 1.5774 = 0.1564" in log
    assert "Average gain 0.0983: a column competes if its gain is at least 0.0983 - 0.001 = 0.0973." in log
    assert "outlook wins with the greatest gain ratio, 0.1564: windy is next with 0.0488." in log


def test_every_column_has_a_line_and_a_verdict() -> None:
    lines = why(trace()).split("\n")
    table = lines[lines.index("Node 0: all rows") + 3 :][:4]
    assert table[0].split() == ["column", "split", "raw", "gain", "charge", "gain", "split", "info", "gain", "ratio"]
    assert table[1].split() == ["outlook", "3", "categories", "0.2467", "0.2467", "1.5774", "0.1564", "chosen"]
    assert "at 82.5, best of 4 cuts" in table[2]
    assert table[2].endswith("gain below average")
    assert "  No split with enough rows in two branches: outlook." in lines


def test_the_charge_for_cuts_is_told() -> None:
    assert "charge for choosing among 2 cuts = log2(2)/5 = 0.2000, which leaves 0.7710" in why(trace())


def test_a_pure_node_says_why_it_is_a_leaf() -> None:
    assert "Node 2: outlook = overcast\n  weight 4: yes 4; entropy 0.0000 bits\n  Only one class: a leaf, yes." in why(
        trace()
    )


def test_a_gain_over_known_rows_only_is_not_forced_into_a_sum() -> None:
    changed = trace(gain=np.array([0.2, 0.0, 0.048127, NAN, 0.770951, 0.019973, 0.970951]))
    assert "rows with a missing value are divided over the branches" in why(changed)
    assert "information after = 5/14" not in why(changed)


def test_pruning_steps_give_the_estimates_and_the_decision() -> None:
    log = why(trace()).split("PRUNING")[1]
    assert "as a leaf 3.1000, as a subtree 2.5000, replaced by its largest branch 4.0000" in log
    assert "Kept: a leaf 0.6000 and the largest branch 1.5000 errors more than the subtree." in log
    assert "Made a leaf: 3.0000 is only 0.0500 more than the subtree's 2.9500." in log
    assert "Replaced by its largest branch: 4.9000 is no more than the subtree's 5.0000." in log
    assert "weight 5, of which a leaf gets 2 wrong in training" in log
    collapsed = why(trace(step_action=np.array([COLLAPSED, KEPT, KEPT], np.int8)))
    assert "Collapsed: in training, the subtree makes no fewer errors than a leaf." in collapsed


def test_below_a_raised_branch_the_grown_counts_are_not_told() -> None:
    log = why(trace(step_node=np.array([0, 1, 3], np.int32), step_action=np.array([RAISED, KEPT, KEPT], np.int8)))
    assert log.count("of which a leaf gets") == 1
    assert log.count("its rows have changed since a branch above was raised") == 2


def test_one_category_against_the_rest_is_named() -> None:
    cuts = np.array([1.0, 82.5, NAN, NAN, 75.0, NAN, NAN])
    assert "overcast against the rest" in why(trace(cut=cuts))


def test_ranking_by_gain_alone_has_no_ratios() -> None:
    plain = trace()
    gains = replace(
        plain, score=plain.gain, split_information=np.full(7, NAN), average_gain=np.full(8, NAN), charge=np.zeros(7)
    )
    log = why(gains)
    assert "ratio" not in log
    assert "Average" not in log
    assert "outlook wins with the greatest gain, 0.24" in log


def test_no_steps_means_nothing_pruned() -> None:
    empty = {name: np.empty(0) for name in ("step_node", "step_action", "step_leaf", "step_subtree", "step_branch")}
    assert why(trace(**empty)).endswith("Nothing was pruned.")


def test_an_estimator_gives_its_trace() -> None:
    class Estimator:
        trace_ = trace()

    assert why(Estimator()) == why(Estimator.trace_)


def recorded(tree: Tree, **changes: object) -> Trace:
    """A trace of a tree of one split: column 0 against column 1."""
    made = Trace(
        grown=tree,
        node=np.array([0, 0], np.int32),
        column=np.array([0, 1], np.int32),
        verdict=np.array([CHOSEN, OUTSCORED], np.int8),
        gain=np.array([0.0, 0.0]),
        charge=np.zeros(2),
        split_information=np.full(2, NAN),
        score=np.array([0.0, 0.0]),
        cut=np.array([1.5, 7.0]),
        n_cuts=np.array([3, 9], np.int32),
        average_gain=np.full(3, NAN),
        step_node=np.array([0], np.int32),
        step_action=np.array([KEPT], np.int8),
        step_leaf=np.array([50.0]),
        step_subtree=np.array([20.0]),
        step_branch=np.array([NAN]),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def two_numbers(criterion: str, **changes: object) -> Tree:
    schema = Schema((Numeric("x"), Numeric("z"), Numeric("y")), ("feature", "feature", "target"))
    fork = Fork(0, CUTS, [1.5], [Leaf([4, 2.0, 4.0]), Leaf([4, 6.0, 0.0])], **changes)  # type: ignore[arg-type]
    return plant(schema, fork, {"criterion": criterion})


@pytest.mark.parametrize(
    ("gain", "line"),
    [
        (4.0, "gain = 4.5000 - 0.5000 = 4.0000"),
        (32.0, "gain = 8 x (4.5000 - 0.5000) = 32.0000"),
        (4.0 / 4.5, "gain = (4.5000 - 0.5000) / 4.5000 = 0.8889"),
    ],
)
def test_a_fall_of_variance_can_be_followed(gain: float, line: str) -> None:
    figures = np.array([gain, gain / 2])
    log = why(recorded(two_numbers("variance"), gain=figures, score=figures))
    assert "Node 0: all rows\n  weight 8: mean 4, sd 2.12132; variance 4.5000" in log
    assert "x <= 1.5: weight 4: mean 2, sd 1; variance 1.0000" in log
    assert "variance after = 4/8 x 1.0000 + 4/8 x 0.0000 = 0.5000" in log
    assert line in log
    assert "Only one value: a leaf, 6." in log
    assert "weight 8, training error 36 as a leaf" in log
    assert "ratio" not in log


def test_other_impurities_are_called_by_their_name() -> None:
    schema = Schema((Numeric("x"), Numeric("z"), Nominal("y", ("a", "b"))), ("feature", "feature", "target"))
    fork = Fork(0, CUTS, [1.5], [Leaf([6, 2]), Leaf([0, 8])])
    for criterion, told in (
        ("gini", "gini after = 8/16 x 0.3750 + 8/16 x 0.0000 = 0.1875"),
        ("misclassification", "misclassified after = 8/16 x 0.2500 + 8/16 x 0.0000 = 0.1250"),
    ):
        before = {"gini": 2 * 6 / 16 * 10 / 16, "misclassification": 6 / 16}[criterion]
        gain = before - {"gini": 0.1875, "misclassification": 0.125}[criterion]
        figures = np.array([gain, gain / 2])
        log = why(recorded(plant(schema, fork, {"criterion": criterion}), gain=figures, score=figures))
        assert told in log
        assert "bits" not in log
    deviations = why(recorded(two_numbers("sd-reduction"), gain=np.array([1.6213, 1.0]), score=np.array([1.6213, 1.0])))
    assert "weight 8: mean 4; sd 2.1213" in deviations


def test_a_score_that_is_no_gain_has_its_own_column() -> None:
    log = why(recorded(two_numbers("chi-square"), gain=np.array([4.0, 1.0]), score=np.array([9.0, 2.0])))
    assert "x wins with the greatest score, 9.0000: z is next with 2.0000." in log
    assert "split info" not in log


OTHERS = [Other(1, CUTS, [7.0], score=0.5), Other(0, CUTS, [2.5], score=0.125)]
STAND_IN = [Other(1, CUTS, [3.0], agreement=0.75), Other(1, CUTS, [4.0], agreement=0.5, flipped=True)]


def test_runner_up_splits_are_told_with_score_and_gap() -> None:
    tree = two_numbers("variance", score=0.75, alternatives=OTHERS, surrogates=STAND_IN, missing=0)
    told = [
        "  Runner-up splits:",
        "    z <= 7    score 0.5000, gap 0.2500",
        "    x <= 2.5  score 0.1250, gap 0.6250",
        "  Surrogates, tried in this order if the value is missing:",
        "    z <= 3  agrees 75.0%",
        "    z > 4  agrees 50.0%",
        "  If all are missing, a row takes the branch x <= 1.5.",
    ]
    for log in (why(tree), why(recorded(tree))):
        assert "\n".join(told) in log
    assert why(tree).startswith("SPLITS\n\nNode 0: all rows\n  weight 8: mean 4, sd 2.12132; variance 4.5000\n")
    assert "  Split: x <= 1.5, score 0.7500" in why(tree)
    assert "Node 1: x <= 1.5\n  weight 4: mean 2, sd 1; variance 1.0000\n  A leaf, 2.\n" in why(tree)


def test_an_estimator_without_a_trace_tells_its_runner_up_splits() -> None:
    class Estimator:
        model_ = two_numbers("variance", alternatives=OTHERS)

    assert "z <= 7    score 0.5000\n" in why(Estimator())  # the chosen split has no score, so there is no gap


def test_without_a_trace_it_says_how_to_keep_one() -> None:
    with pytest.raises(TypeError, match="learn with keep_trace=True"):
        why(grown())


def test_a_leaf_at_the_greatest_depth_says_so() -> None:
    learner = hornbeam.TreeClassifier(max_depth=1, keep_trace=True).fit(hornbeam.read("iris"))
    told = why(learner.trace_)
    assert "The maximum depth, 1" in told
    assert "Too little weight" not in told


@pytest.mark.parametrize(
    ("method", "more", "told"),
    [
        ("chi-square", {}, "the least p-value here or below: 0.1573; needed: 0.05 or less"),
        ("chi-square", {"prune_threshold": 3.0}, "the greatest chi-square here or below: 2.0000; needed: 3.0000"),
        ("critical-value", {"prune_threshold": 0.6}, "the best score here or below: 0.5; needed: 0.6"),
        ("description-length", {}, "bits to encode the tree and the classes of its rows"),
    ],
)
def test_each_way_of_pruning_tells_its_own_figures(method: str, more: dict[str, float], told: str) -> None:
    learner = hornbeam.TreeClassifier(prune=method, keep_trace=True, **more).fit(hornbeam.read("weather"))
    said = why(learner.trace_)
    assert told in said
    assert "errors to be expected" not in said


@pytest.mark.parametrize("criterion", ["gini", "information-gain", "gain-ratio", "chi-square"])
def test_every_verdict_has_words_where_splits_must_be_significant(criterion: str, tmp_path: Path) -> None:
    learner = hornbeam.TreeClassifier(criterion=criterion, significance=0.05, keep_trace=True)
    learner.fit(hornbeam.read("vote"))
    assert learner.trace_ is not None
    told = why(learner.trace_)
    assert "not significant" in told
    learner.save(tmp_path / "model")
    again = read_trace(tmp_path / "model")
    assert again is not None
    assert why(again) == told
