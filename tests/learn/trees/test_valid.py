"""Which choices go together: every row of the table can be hit, and says what is wrong by parameter names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_recipe import MISSING, NOMINAL, NUMERIC, groups, limits
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from hornbeam.learn.trees.valid import CLASS_CRITERIA, NEEDS, NUMBER_CRITERIA, check
from hornbeam.model.trees.criterion import CRITERIA

FEATURES = (Numeric("size"), Nominal("color", ("red", "blue")), Nominal("grade", ("low", "high"), ordered=True))
ROLES = ("feature", "feature", "feature", "target")


def schema(classes: int = 2) -> Schema:
    """Three features and a target of so many classes; none: a number."""
    target = Nominal("y", tuple(f"c{k}" for k in range(classes))) if classes else Numeric("y")
    return Schema((*FEATURES, target), ROLES)  # type: ignore[arg-type]


GOOD = {
    0: {"criterion": "variance", "leaf": "mean", "nominal": "subset", "missing": "default-direction"},
    2: {"criterion": "gini", "leaf": "distribution", "nominal": "subset", "missing": "default-direction"},
}


@pytest.mark.parametrize(
    ("classes", "choices", "message"),
    [
        (0, {"criterion": "gini"}, "criterion='gini' is for a target of classes, and the target has numbers"),
        (2, {"criterion": "variance"}, "criterion='variance' is for a target of numbers"),
        (0, {"leaf": "laplace"}, "leaf='laplace' is for a target of classes"),
        (2, {"leaf": "median"}, "leaf='median' is for a target of numbers"),
        (0, {"prune": "pessimistic"}, "prune='pessimistic' is for a target of classes.*misclassified"),
        (0, {"loss": ((0.0, 1.0), (1.0, 0.0))}, "costs is for a target of classes"),
        (0, {"nominal": "grouped"}, "nominal='grouped' is for a target of classes"),
        (0, {"significance": 0.05}, "significance is for a target of classes"),
        (0, {"boundary_points": True}, "boundary_points=True is for a target of classes"),
        (2, {"boundary_points": True, "numeric": "discretized"}, "boundary_points=True conflicts with numeric="),
        (0, {"numeric": "discretized", "discretize": "mdl"}, "numeric='discretized' with discretize='mdl' is for a"),
        (2, {"missing": "surrogate", "nominal": "multiway"}, "missing='surrogate' conflicts with nominal='multiway'"),
        (2, {"missing": "surrogate", "numeric": "multi-cut"}, "expected numeric='one-cut' or numeric='discretized'"),
        (0, {"criterion": "absolute-error"}, "criterion='absolute-error' conflicts with leaf='mean'"),
        (0, {"criterion": "absolute-error", "leaf": "median", "numeric": "multi-cut"}, "conflicts with numeric="),
        (
            2,
            {"monotonic_cst": (1, 0, 0), "missing": "fractional"},
            "monotonic_cst conflicts with missing='fractional'",
        ),
        (
            0,
            {"monotonic_cst": (1, 0, 0), "leaf": "median"},
            "monotonic_cst with leaf='median' conflicts with criterion=",
        ),
        (2, {"monotonic_cst": (1, 0, 0), "nominal": "multiway"}, "monotonic_cst conflicts with nominal='multiway'"),
        (0, {"monotonic_cst": (1, 0, 0), "numeric": "multi-cut"}, "monotonic_cst conflicts with numeric='multi-cut'"),
        (0, {"monotonic_cst": (1, 0, 0), "combinations": True}, "monotonic_cst conflicts with combinations=True"),
        (0, {"interactions": ((0, 1),), "combinations": True}, "interactions conflicts with combinations=True"),
        (0, {"combinations": True, "numeric": "multi-cut"}, "combinations=True conflicts with numeric='multi-cut'"),
        (0, {"combinations": True, "missing": "own-category"}, "combinations=True conflicts with missing="),
        (3, {"monotonic_cst": (1, 0, 0)}, "monotonic_cst needs a numeric target or two classes; 'y' has 3"),
        (2, {"monotonic_cst": (0, 1, 0)}, "the categories of column 'color' have no order"),
    ],
)
def test_what_does_not_go_together_is_told(classes: int, choices: dict[str, Any], message: str) -> None:
    base = GOOD[min(classes, 2)]
    check(Recipe(**base), schema(classes))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        check(Recipe(**{**base, **choices}), schema(classes))  # type: ignore[arg-type]


def test_an_ordered_column_may_be_monotone() -> None:
    check(Recipe(**GOOD[2], monotonic_cst=(1, 0, -1)), schema())  # type: ignore[arg-type]


def test_every_need_names_a_field_of_the_recipe() -> None:
    fields = set(Recipe.__dataclass_fields__)
    for need in NEEDS:
        assert set(need.where) <= fields
        assert need.choice in fields | {"task"}


@given(
    st.sampled_from(CLASS_CRITERIA + NUMBER_CRITERIA),
    st.sampled_from(NUMERIC),
    st.sampled_from(NOMINAL),
    st.sampled_from(MISSING),
    st.sampled_from((0, 2, 3)),
)
def test_any_combination_is_taken_or_refused_in_a_sentence(
    criterion: str, numeric: str, nominal: str, missing: str, classes: int
) -> None:
    leaf = "distribution" if classes else ("median" if criterion == "absolute-error" else "mean")
    recipe = Recipe(criterion=criterion, numeric=numeric, nominal=nominal, missing=missing, leaf=leaf)  # type: ignore[arg-type]
    most = CRITERIA[criterion].most_classes
    fits = (criterion in CLASS_CRITERIA) == bool(classes) and (most is None or classes <= most)
    surrogate = missing != "surrogate" or (nominal in ("subset", "one-vs-rest") and numeric != "multi-cut")
    numbers = bool(classes) or (nominal != "grouped" and numeric != "discretized")
    several = numeric == "multi-cut" and criterion == "absolute-error"
    if fits and surrogate and numbers and not several:
        assert check(recipe, schema(classes)) is recipe
    else:
        with pytest.raises(ValueError, match=r"(is for a target of|conflicts with) .*: \w+|is for at most"):
            check(recipe, schema(classes))


def test_a_criterion_may_be_for_few_classes_only(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe(**GOOD[2])
    monkeypatch.setitem(CRITERIA, "gini", replace(CRITERIA["gini"], most_classes=2))
    assert check(recipe, schema(2)) is recipe
    with pytest.raises(ValueError, match="criterion='gini' is for at most 2 classes; 'y' has 3"):
        check(recipe, schema(3))


@pytest.mark.parametrize("learner", [TreeClassifier(), TreeRegressor()])
def test_the_defaults_go_together(learner: Any) -> None:
    learner.classes_ = np.array(["a", "b"])
    target = schema(2 if isinstance(learner, TreeClassifier) else 0)
    recipe = learner.recipe(target)
    assert recipe.nominal == "subset"
    assert recipe.missing == "default-direction"
    assert recipe.prune is None
    assert recipe.min_branch == 1
    assert recipe.max_surrogates == 0  # none are looked for unless they are asked for
    assert recipe == learner.recipe()


def test_folds_fit_the_pruning() -> None:
    assert TreeClassifier(prune="cost-complexity").recipe().folds == 10
    assert TreeClassifier(prune="reduced-error").recipe().folds == 3
    assert TreeClassifier(prune="reduced-error", folds=5).recipe().folds == 5


def test_a_leaf_fits_the_criterion() -> None:
    assert TreeRegressor().recipe().leaf == "mean"
    assert TreeRegressor(criterion="absolute-error").recipe().leaf == "median"
    assert TreeRegressor(criterion="absolute-error", leaf="mean").recipe().leaf == "mean"


def test_costs_become_a_loss() -> None:
    tree = TreeClassifier(costs={"c1": {"c0": 4}}, criterion="misclassification")
    tree.classes_ = np.array(["c0", "c1"])
    assert tree.recipe(schema()).loss == ((0.0, 1.0), (4.0, 0.0))


def test_columns_are_found_by_name() -> None:
    assert limits({"grade": -1, "size": 1}, schema()) == (1, 0, -1)
    assert limits([0, 0, 1], schema()) == (0, 0, 1)
    assert limits(np.array([0, 0, 1]), schema()) == (0, 0, 1)
    assert limits(None, schema()) == limits({}, schema()) == limits([0, 0, 0], schema()) == ()
    assert groups([["grade", "size"], ["color"]], schema()) == ((0, 2), (1,))
    assert groups(None, schema()) == ()


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        (
            limits,
            {"weight": 1},
            "monotonic_cst names the column 'weight', which is not a feature; the features: 'size', 'color'",
        ),
        (limits, {"size": 2}, "monotonic_cst is 2 for column 'size'; expected 1"),
        (limits, {"size": "up"}, "monotonic_cst is 'up' for column 'size'"),
        (limits, [1, 0], "monotonic_cst has 2 entries; expected one for each of the 3 features"),
        (limits, 1, "monotonic_cst has 1 entries"),
        (groups, [["size", "y"]], "interactions names the column 'y', which is not a feature"),
        (groups, ["size"], "expected a list of lists of column names"),
        (groups, "size", "expected a list of lists of column names"),
    ],
)
def test_a_wrong_column_is_named(call: Any, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(given, schema())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "variance"}, "criterion is 'variance'; expected one of 'information-gain'"),
        ({"numeric": "histogram"}, "numeric is 'histogram'"),
        ({"max_cuts": 0}, "max_cuts is 0; expected a whole number of at least 1"),
        ({"bins": 1}, "bins is 1"),
        ({"exhaustive_up_to": 30}, "exhaustive_up_to is 30; expected at most 20"),
        ({"merge_significance": 1}, "merge_significance is 1; expected a number between 0 and 1"),
        ({"missing": "drop"}, "missing is 'drop'"),
        ({"min_samples_split": -2}, "min_samples_split is -2"),
        ({"min_gain": float("nan")}, "min_gain is nan; expected a finite number"),
        ({"min_gain_share": 1.5}, "min_gain_share is 1.5; expected a number from 0 to 1"),
        ({"max_depth": 1.5}, "max_depth is 1.5; expected None or a whole number of at least 0"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes is 0"),
        ({"significance": 0}, "significance is 0"),
        ({"folds": 1}, "folds is 1; expected None or a whole number of at least 2"),
        ({"choose": "best"}, "choose is 'best'"),
        ({"m": -1}, "m is -1"),
    ],
)
def test_a_bad_parameter_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TreeClassifier(**parameters).recipe()


def test_a_gain_below_zero_may_be_asked_for() -> None:
    assert TreeClassifier(min_gain=-1).recipe().min_gain == -1
