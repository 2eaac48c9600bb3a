"""The choices of a recipe that can be learned from counts, as a table, and the error for all others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe


class Only(NamedTuple):
    """A choice of a recipe, its allowed values, and the name of the estimator's parameter."""

    choice: str
    values: tuple[Any, ...]
    parameter: str


COUNT_PRUNE = (
    None,
    "pessimistic",
    "cost-complexity",
    "chi-square",
    "critical-value",
    "minimum-error",
    "description-length",
)
SUPPORTED: tuple[Only, ...] = (
    Only("numeric", ("one-cut",), "numeric"),
    Only("boundary_points", (False,), "boundary_points"),
    Only("combinations", (False,), "combinations"),
    Only("missing", ("fractional", "majority", "default-direction", "error", "surrogate"), "missing"),
    Only("max_surrogates", (0,), "max_surrogates"),
    Only("count_for_cut", (False,), "compat"),
    Only("count_rows", (False,), "compat"),
    Only("textbook_gain", (False,), "compat"),
    Only("empty_branch", ("parent",), "compat"),
    Only("priors", (None,), "priors"),
    Only("loss", (None,), "loss"),
    Only("monotonic_cst", ((),), "monotonic_cst"),
    Only("interactions", ((),), "interactions"),
    Only("max_leaf_nodes", (None,), "max_leaf_nodes"),
    Only("prune", COUNT_PRUNE, "prune"),
    Only("leaf", ("distribution", "laplace"), "leaf"),
)
OF_NUMBERS: tuple[Only, ...] = (
    Only("criterion", ("variance",), "criterion"),
    Only("missing", ("majority", "default-direction", "error", "surrogate"), "missing"),
    Only("prune", (None, "cost-complexity", "critical-value", "complexity-factor"), "prune"),
    Only("leaf", ("mean",), "leaf"),
)


def check_supported(estimator: Any, recipe: Recipe, schema: Schema, *, numbers: bool = True) -> None:
    """Raise an error for choices that cannot be learned from counts; it names the parameter and its allowed values.

    Parameters
    ----------
    estimator : TreeLearner
        The estimator with the parameters.
    recipe : Recipe
        The choices that they stand for.
    schema : Schema
        The columns.
    numbers : bool
        Whether the target may be numeric.
    """
    of_numbers = not isinstance(schema.target_column, Nominal)
    if of_numbers and not numbers:
        _refuse(estimator, f"the numeric target {schema.target_column.name!r}", "a target of classes")
    own = OF_NUMBERS if of_numbers else ()
    for only in (*own, *(one for one in SUPPORTED if one.choice not in {other.choice for other in own})):
        found = getattr(recipe, only.choice)
        if found not in only.values:
            given = getattr(estimator, only.parameter, found)
            expected = " or ".join(map(repr, only.values)) if only.parameter == only.choice else "None"
            _refuse(estimator, f"{only.parameter}={given!r}", f"{only.parameter}={expected}")
    if recipe.prune == "cost-complexity" and (recipe.folds > 1 or recipe.choose != "cp"):
        _refuse(estimator, f"folds={recipe.folds}", "folds=0")
    for name, absent in (("class_weight", None), ("keep_trace", False), ("keep_alternatives", 0)):
        if getattr(estimator, name, absent) not in (absent, None):
            _refuse(estimator, f"{name}={getattr(estimator, name)!r}", f"{name}={absent!r}")
    if schema.with_role("weight") is not None:
        _refuse(estimator, "a column of weights", "none")


def _refuse(estimator: Any, found: str, expected: str) -> None:
    msg = (
        f"{type(estimator).__name__} with {found} cannot learn from scanned data with more rows than local_rows; "
        f"expected {expected}, or read the data into memory with hornbeam.read"
    )
    raise ValueError(msg)
