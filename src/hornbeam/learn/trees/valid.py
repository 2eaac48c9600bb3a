"""Which choices of a recipe can be combined: a table of requirements, and an error message for each.

An estimator checks its recipe here before it learns, so that an error names the parameters of the estimator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.criterion import CLASS_CRITERIA, CRITERIA, NUMBER_CRITERIA

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe

CLASS_LEAVES = ("distribution", "laplace", "m-estimate")
NUMBER_LEAVES = ("mean", "median", "linear")
EITHER_PRUNE = ("reduced-error", "cost-complexity", "critical-value")
CLASS_PRUNE = ("pessimistic", *EITHER_PRUNE, "chi-square", "minimum-error", "description-length", "rules")
NUMBER_PRUNE = (*EITHER_PRUNE, "complexity-factor")
TWO_WAY_NOMINAL = ("subset", "one-vs-rest")
ONE_CUT = ("one-cut", "discretized")
CLASSES, NUMBERS = "classes", "numbers"
GIVEN = "given"  # any value that is not empty
TWO_CLASSES = 2

Values = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Need:
    """If a recipe has all of `where`, it must have `choice` among `needed`; `reason` explains why."""

    where: Values
    choice: str
    needed: tuple[Any, ...]
    reason: str


# The choice "task" is the kind of the target.
NEEDS: tuple[Need, ...] = (
    Need({"criterion": CLASS_CRITERIA}, "task", (CLASSES,), "it compares classes"),
    Need({"criterion": NUMBER_CRITERIA}, "task", (NUMBERS,), "it compares numbers"),
    Need({"leaf": CLASS_LEAVES}, "task", (CLASSES,), "it counts classes"),
    Need({"leaf": NUMBER_LEAVES}, "task", (NUMBERS,), "classes have none"),
    Need(
        {"prune": ("pessimistic", "minimum-error")}, "task", (CLASSES,), "it estimates how many rows are misclassified"
    ),
    Need({"prune": ("chi-square",)}, "task", (CLASSES,), "the chi-square test counts classes"),
    Need({"prune": ("description-length",)}, "task", (CLASSES,), "the code is one of classes"),
    Need({"prune": ("complexity-factor",)}, "task", (NUMBERS,), "the factor is one of squared errors"),
    Need({"prune": ("rules",)}, "task", (CLASSES,), "conditions are dropped by the errors of rules for classes"),
    Need({"prune": ("rules",)}, "combinations", (False,), "a condition of a rule tests one column"),
    Need({"prune": ("rules",)}, "monotonic_cst", ((),), "a rule that loses conditions may violate the limits"),
    Need({"prune": ("rules",)}, "loss", (None,), "conditions are dropped by errors, not by their costs"),
    Need(
        {"prune": ("rules",)},
        "missing",
        ("fractional", "default-direction", "majority", "own-category", "impute", "error"),
        "a rule cannot use other columns if a value is missing",
    ),
    Need({"prune": ("critical-value",)}, "prune_threshold", (GIVEN,), "it is the score that splits must reach"),
    Need({"loss": (GIVEN,)}, "task", (CLASSES,), "it has an entry for every pair of classes"),
    Need({"nominal": ("grouped",)}, "task", (CLASSES,), "categories are compared by their classes"),
    Need({"significance": (GIVEN,)}, "task", (CLASSES,), "the chi-square test counts classes"),
    Need({"boundary_points": (True,)}, "task", (CLASSES,), "a boundary is where the class changes"),
    Need({"boundary_points": (True,)}, "numeric", ("one-cut", "multi-cut"), "the edges of the intervals are fixed"),
    Need(
        {"numeric": ("discretized",), "discretize": ("mdl", "chi-merge")},
        "task",
        (CLASSES,),
        "these methods compare classes; equal-width and equal-frequency do not need them",
    ),
    Need({"missing": ("surrogate",)}, "nominal", TWO_WAY_NOMINAL, "a surrogate stands in for a two-way split"),
    Need({"missing": ("surrogate",)}, "numeric", ONE_CUT, "a surrogate stands in for a two-way split"),
    Need({"criterion": ("absolute-error",)}, "numeric", ONE_CUT, "several cuts are found by sums, not by medians"),
    Need({"monotonic_cst": (GIVEN,)}, "leaf", ("mean", "median", *CLASS_LEAVES), "an equation may violate the limits"),
    Need({"criterion": ("absolute-error",)}, "leaf", ("median",), "the median minimizes the absolute error"),
    Need(
        {"monotonic_cst": (GIVEN,), "leaf": ("median",)},
        "criterion",
        ("absolute-error",),
        "limits apply to the columns of splits",
    ),
    Need(
        {"monotonic_cst": (GIVEN,)},
        "missing",
        ("default-direction", "own-category", "impute", "error"),
        "otherwise rows with missing values change the branches' predictions after they were compared",
    ),
    Need({"monotonic_cst": (GIVEN,)}, "nominal", TWO_WAY_NOMINAL, "the limits need two-way splits"),
    Need({"monotonic_cst": (GIVEN,)}, "numeric", ONE_CUT, "the limits need two-way splits"),
    Need(
        {"monotonic_cst": (GIVEN,)},
        "combinations",
        (False,),
        "a combination may rise with one column and fall with another",
    ),
    Need({"interactions": (GIVEN,)}, "combinations", (False,), "a combination chooses its columns itself"),
    Need(
        {"combinations": (True,)},
        "criterion",
        ("information-gain", "gini", "misclassification", "variance", "sd-reduction"),
        "sums of columns are compared by their gain",
    ),
    Need({"combinations": (True,)}, "equal_low", (True,), "a sum equal to its cut takes the lower branch"),
    Need({"combinations": (True,)}, "numeric", ("one-cut",), "a combination is cut once"),
    Need(
        {"combinations": (True,)},
        "missing",
        ("fractional", "surrogate", "default-direction", "majority", "error"),
        "a sum has no category for missing terms, and no replacement for them",
    ),
)

# Names of an estimator's parameters that differ from those of the recipe.
PARAMETER = {"loss": "costs", "task": "the target"}


def check(recipe: Recipe, schema: Schema) -> Recipe:
    """Raise an error for a recipe whose choices cannot be combined, or do not fit the table.

    Parameters
    ----------
    recipe : Recipe
        The recipe to check.
    schema : Schema
        Of the table to learn from.

    Returns
    -------
    The recipe.

    Raises
    ------
    ValueError
        Names the two parameters, and what is expected.
    """
    target = schema.target_column
    task = CLASSES if isinstance(target, Nominal) else NUMBERS
    for need in NEEDS:
        if not all(_chosen(recipe, name, values) for name, values in need.where.items()):
            continue
        found = task if need.choice == "task" else getattr(recipe, need.choice)
        if found is None if need.needed == (GIVEN,) else found not in need.needed:
            raise ValueError(_sentence(recipe, need, found))
    most = CRITERIA[recipe.criterion].most_classes
    if most is not None and isinstance(target, Nominal) and len(target.categories) > most:
        count = len(target.categories)
        raise ValueError(f"criterion={recipe.criterion!r} is for at most {most} classes; {target.name!r} has {count}")
    if any(recipe.monotonic_cst):
        _check_monotone(recipe, schema)
    return recipe


def _chosen(recipe: Recipe, name: str, values: tuple[Any, ...]) -> bool:
    value = getattr(recipe, name)
    if values == (GIVEN,):
        return value is not None and (not isinstance(value, tuple) or any(value))
    return any(value is one or value == one for one in values)


def _sentence(recipe: Recipe, need: Need, found: Any) -> str:
    asked = " with ".join(
        f"{PARAMETER.get(name, name)}{'' if values == (GIVEN,) else f'={getattr(recipe, name)!r}'}"
        for name, values in need.where.items()
    )
    if need.choice == "task":
        return f"{asked} is for a target of {need.needed[0]}, and the target has {found}: {need.reason}"
    if need.needed == (GIVEN,):
        return f"{asked} needs {need.choice}, and it is {found!r}: {need.reason}"
    choice = PARAMETER.get(need.choice, need.choice)
    expected = " or ".join(f"{choice}={value!r}" for value in need.needed)
    return f"{asked} conflicts with {choice}={found!r}: {need.reason}; expected {expected}"


def _check_monotone(recipe: Recipe, schema: Schema) -> None:
    target = schema.target_column
    if isinstance(target, Nominal) and len(target.categories) != TWO_CLASSES:
        msg = f"monotonic_cst needs a numeric target or two classes; {target.name!r} has {len(target.categories)}"
        raise ValueError(msg)
    for limit, position in zip(recipe.monotonic_cst, schema.features, strict=True):
        column = schema.columns[position]
        if limit and isinstance(column, Nominal) and not column.ordered:
            msg = f"monotonic_cst: the categories of column {column.name!r} have no order; expected ordered ones"
            raise ValueError(msg)
