"""The model that a report is about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.comparing.comparison import Estimate, Outcome
from hornbeam.model.trees.equation import equation_of
from hornbeam.report import About, build
from hornbeam.report.choice import Size, choose, is_readable, model_size
from hornbeam.report.origin import origin


def outcome(method: str, folds: list[float], conditions: float) -> Outcome:
    size = Estimate.of([conditions] * len(folds), 0.1)
    return Outcome(method, Estimate.of(folds, 0.1), size, metrics={"conditions": size})


BEST = outcome("c45", [0.90, 0.94, 0.92, 0.92], 30)  # mean 0.92, standard error 0.00816
NEAR = outcome("ripper", [0.92, 0.91, 0.92, 0.91], 6)
FAR = outcome("one-r", [0.80, 0.80, 0.80, 0.80], 2)
FOREST = outcome("forest", [0.99, 0.99, 0.99, 0.99], 9000)
NOTHING_BEST = outcome("cart", [0.90, 0.94, 0.92, 0.92], 0)
NOTHING = outcome("cart", [0.915, 0.915, 0.915, 0.915], 0)


def test_the_simplest_within_one_standard_error() -> None:
    found = choose([BEST, NEAR, FAR, FOREST], "category", higher_is_better=True)
    assert (found.scheme, found.best) == ("ripper", "c45")
    assert found.limit == pytest.approx(0.91)  # one point, which is more than one standard error
    assert "simplest" in found.reason
    uncertain = outcome("c45", [0.84, 1.0, 0.92, 0.92], 30)  # standard error 0.0327
    assert choose([uncertain, NEAR], "category", higher_is_better=True).limit == pytest.approx(0.92 - 0.03266, abs=1e-5)


def test_a_forest_is_no_choice_unless_asked_for() -> None:
    assert choose([BEST, FOREST], "category", higher_is_better=True).scheme == "c45"
    asked = choose([BEST, FOREST], "category", higher_is_better=True, named="forest")
    assert (asked.scheme, asked.limit) == ("forest", None)


def test_what_asks_nothing_is_passed_over_where_another_is_near() -> None:
    assert choose([BEST, NOTHING], "category", higher_is_better=True).scheme == "c45"
    assert choose([FAR, NOTHING], "category", higher_is_better=True).scheme == "cart"


def test_less_is_better_of_errors() -> None:
    tree, equation = outcome("cart", [3.0, 3.2, 3.1, 3.1], 20), outcome("linear", [3.1, 3.2, 3.1, 3.1], 0)
    rules = outcome("m5-rules", [9.0, 9.0, 9.0, 9.0], 3)
    found = choose([tree, equation, rules], "number", higher_is_better=False)
    assert found.best == "cart"
    assert found.limit is not None
    assert found.limit > 3.1
    assert found.scheme == "linear"  # an equation has no conditions


def test_nothing_readable_is_an_error() -> None:
    with pytest.raises(ValueError, match="none of the schemes compared is readable"):
        choose([FOREST], "category", higher_is_better=True)


def test_what_is_readable() -> None:
    assert is_readable("c45", "category")
    assert is_readable("linear", "number")
    assert not is_readable("svm", "category")
    assert not is_readable("baseline", "category")


def test_the_scheme_asked_for_is_compared_too() -> None:
    report = build(hornbeam.read("weather"), schemes=["one-r"], scheme="id3", folds=3)
    assert report.choice.scheme == "id3"
    assert [one.method for one in report.compared.outcomes] == ["baseline", "one-r", "id3"]


def test_a_scheme_that_cannot_learn_is_told() -> None:
    with pytest.raises(ValueError, match="id3 could not learn from labor"):
        build(hornbeam.read("labor"), schemes=["one-r"], scheme="id3", folds=3)  # it takes no missing values


def test_slow_schemes_are_left_out_where_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.report.making.MANY_ROWS", 100)
    report = build(hornbeam.read("iris"), folds=3)
    assert report.left_out == ("part",)
    assert "part" not in report.comparison.methods
    assert "Left out, since they take long for this many rows: part" in report.markdown()
    assert build(hornbeam.read("iris"), schemes=["part"], folds=3).left_out == ()
    assert build(hornbeam.read("labor"), folds=3).left_out == ()


def test_the_reason_is_true() -> None:
    found = choose([BEST, NEAR, FAR, FOREST], "category", higher_is_better=True)
    assert found.reason == (
        "ripper is the simplest of the 2 readable schemes that are about as good as the best (c45)."
    )
    alone = choose([BEST, FAR], "category", higher_is_better=True).reason
    assert alone == "c45 has the best score of the readable schemes; no other of these is about as good."
    over = choose([NOTHING_BEST, NEAR], "category", higher_is_better=True)
    assert over.reason == (
        "ripper is the only one of the readable schemes about as good as the best (cart) whose model has any "
        "condition or term; one without is the baseline."
    )


SIZES = {"c45": Size(250, "leaf"), "ripper": Size(12, "rule"), "one-r": Size(1, "rule"), "forest": None}


def test_a_model_too_large_to_read_is_not_chosen() -> None:
    far = outcome("ripper", [0.88, 0.88, 0.88, 0.88], 40)
    alone = choose([BEST, far, FAR], "category", higher_is_better=True)
    assert alone.scheme == "c45"
    found = choose([BEST, far, FAR], "category", higher_is_better=True, sizes=SIZES, max_size=30)
    assert (found.scheme, found.best) == ("ripper", "ripper")
    assert "1 of 3 models is too large to read (more than 30 leaves, rules or terms)" in found.reason
    assert found.trade == (
        "The model shown is 4.0 points worse than c45, and 21 times smaller: 12 rules instead of 250 leaves. Use "
        "--scheme c45 for a report on that model."
    )
    assert [one.scheme for one in found.alternatives] == ["c45", "one-r"]
    assert found.alternatives[0].gain == pytest.approx(0.04)
    assert found.alternatives[1].ratio == pytest.approx(1 / 12)


def test_if_all_are_too_large_the_smallest_is_chosen() -> None:
    found = choose([BEST, NEAR], "category", higher_is_better=True, sizes=SIZES, max_size=5)
    assert found.scheme == "ripper"
    assert found.reason == (
        "None of the models compared has at most 5 leaves, rules or terms; ripper has the smallest (12 rules)."
    )


def test_the_baseline_is_no_scheme_to_make_a_report_on() -> None:
    """It read: Use --scheme baseline for a report on that model. There is no such scheme."""
    baseline = outcome("baseline", [0.95, 0.95, 0.95, 0.95], 0)
    found = choose([baseline, BEST, FAR], "category", higher_is_better=True)
    assert found.alternatives[0].scheme == "baseline"
    assert found.trade == ""
    found = choose([baseline, BEST, NEAR], "category", higher_is_better=True, sizes=SIZES)
    assert found.scheme == "ripper"
    assert " worse than c45" in found.trade


def test_an_error_is_compared_as_a_fraction() -> None:
    tree, large = outcome("cart", [10.0, 10.0, 10.0, 10.0], 6), outcome("m5", [9.0, 9.0, 9.0, 9.0], 900)
    sizes = {"cart": Size(4, "leaf"), "m5": Size(1051, "leaf")}
    found = choose([tree, large], "number", higher_is_better=False, sizes=sizes)
    assert found.scheme == "cart"
    assert found.trade.startswith(
        "The model shown is 10.0% worse than m5, and 263 times smaller: 4 leaves instead of 1,051 leaves."
    )
    assert choose([large, tree], "number", higher_is_better=False, sizes={}).trade == ""


def test_the_named_scheme_is_shown_whatever_its_size() -> None:
    found = choose([BEST, NEAR], "category", higher_is_better=True, named="c45", sizes=SIZES, max_size=3)
    assert found.scheme == "c45"
    assert [one.scheme for one in found.alternatives] == ["ripper"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_model_of_a_report_can_be_read() -> None:
    table = hornbeam.read("credit-g")
    report = build(table, folds=3, max_size=5)
    assert report.size is not None
    assert report.size.count <= 5
    assert "tree" in report.comparison.methods  # with at most 5 leaves, since other models are larger
    assert report.estimator.model_ is not None
    assert report.size == model_size(report.estimator.model_)
    small = report.compared.outcome("tree")
    assert small.size is not None
    assert max(small.size.folds) <= 5
    assert "--max-size 5" in report.origin.commands[0]
    assert "tree" not in build(table, folds=3, schemes=["c45", "ripper"], max_size=5).comparison.methods


def test_the_command_for_the_small_tree_has_its_limit() -> None:
    table = hornbeam.read("credit-g")
    tree = hornbeam.TreeClassifier(max_leaf_nodes=12, min_samples_leaf=5).fit(table)
    settings: dict[str, Any] = {"about": About(), "examples": 3, "max_size": 12, "folds": 3, "repeats": 1, "seed": 1}
    made = origin(table, tree, "tree", None, named=False, **settings)
    assert "--schemes" not in made.commands[0]
    assert "--max-size 12" in made.commands[0]
    assert "--scheme tree --min-samples-leaf 5 --max-leaf-nodes 12 " in made.commands[1]
    named = origin(table, tree, "tree", ["tree"], named=True, **settings)
    assert "--schemes tree --scheme tree --cv 3" in named.commands[0]


def test_a_model_tree_of_one_leaf_is_an_equation() -> None:
    rng = np.random.default_rng(5)
    x, z = rng.uniform(size=(2, 120))
    table = Table(
        Schema((Numeric("x"), Numeric("z"), Numeric("y")), ("feature", "feature", "target")),
        [x, z, 3 * x - 5 * z + rng.normal(0, 0.1, 120)],
    )
    report = build(table, folds=3)
    assert (report.choice.scheme, report.size) == ("linear", Size(2, "term"))
    assert "baseline" not in report.choice.reason
    sizes = {one.scheme: (one.size, one.ratio) for one in report.choice.alternatives}
    assert sizes["m5"] == sizes["m5-rules"] == (Size(2, "term"), 1.0)


def test_the_size_of_a_model_tree_has_the_terms_of_its_leaves() -> None:
    model = hornbeam.M5Regressor().fit(hornbeam.read("cpu")).model_
    leaves = [node for node in model.walk() if not node.children]
    terms = sum(len(equation_of(model, node.index).terms) for node in leaves)
    size = model_size(model)
    assert size == Size(len(leaves), "leaf", terms)
    assert str(size) == f"{len(leaves)} leaves and {terms} terms"
    small = outcome("cart", [10.0, 10.0, 10.0, 10.0], 6)
    large = outcome("m5", [9.0, 9.0, 9.0, 9.0], 4)
    found = choose(
        [small, large], "number", higher_is_better=False, named="cart", sizes={"cart": Size(4, "leaf"), "m5": size}
    )
    assert found.alternatives[0].ratio == (len(leaves) + terms) / 4


def test_terms_of_an_equation_are_its_size() -> None:
    model = hornbeam.LinearRegressor().fit(hornbeam.read("cpu")).model_
    assert model_size(model) == Size(len(model.terms), "term")
    assert model_size(hornbeam.KStarClassifier().fit(hornbeam.read("iris")).model_) is None


def test_rules_with_many_terms_are_too_large_to_read() -> None:
    small, large = outcome("cart", [10.0, 10.0, 10.0, 10.0], 6), outcome("m5-rules", [9.0, 9.0, 9.0, 9.0], 22)
    sizes = {"cart": Size(4, "leaf"), "m5-rules": Size(22, "rule", 423)}
    found = choose([small, large], "number", higher_is_better=False, sizes=sizes)
    assert found.scheme == "cart"
    assert "1 of 2 models is too large to read (more than 30 leaves, rules or terms)" in found.reason
    assert "4 leaves instead of 22 rules and 423 terms" in found.trade
    few = {"cart": Size(4, "leaf"), "m5-rules": Size(3, "rule", 30)}
    assert choose([small, large], "number", higher_is_better=False, sizes=few).scheme == "m5-rules"
