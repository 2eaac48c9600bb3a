"""What `TreeClassifier` and `TreeRegressor` share: most parameters, and the recipe made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, number, one_of, share, whole, whole_or_none
from hornbeam.learn.trees.recipe import CHOOSE, Recipe
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.learn.trees.valid import check

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema

NUMERIC = ("one-cut", "multi-cut", "discretized")
CUTS_BY = ("greedy", "optimal")
DISCRETIZE = ("equal-width", "equal-frequency", "mdl", "chi-merge")
NOMINAL = ("multiway", "one-vs-rest", "subset", "grouped")
MISSING = ("fractional", "surrogate", "default-direction", "majority", "own-category", "impute", "error")
PRUNE_FOLDS = 10
FOLDS = {"reduced-error": 3, "rules": 0}  # if `folds` is None; 0: nothing is held out

# Of gains that only differ by rounding, the first column wins.
TOLERANCE = 1e-9


@estimator
class OpenTree(TreeLearner):
    """The parameters that `TreeClassifier` and `TreeRegressor` share.

    Parameters
    ----------
    numeric : {"one-cut", "multi-cut", "discretized"}
        Cut a numeric column once, several times, or only between intervals made before growing.
    max_cuts : int
        With ``numeric="multi-cut"``: the maximum number of cuts per split.
    cuts_by : {"optimal", "greedy"}
        With ``numeric="multi-cut"``: find the best set of cuts, or add one best cut after another.
    bins : int
        With ``numeric="discretized"``: the number of intervals, for the methods that need one.
    combinations : bool
        Also try cuts of linear combinations of numeric columns.
    missing : {"default-direction", "fractional", "surrogate", "majority", "own-category", "impute", "error"}
        What to do with rows without a value: send them to the branch where they fit best, to every branch in fractions,
        the way that another column suggests, to the branch with most weight, or to a category of their own; replace the
        value by the training mean or mode; or raise an error.
    max_surrogates : int
        With ``missing="surrogate"``: how many surrogate splits to keep at each node.
    min_samples_leaf : float
        At least two branches of every split have this weight (of a two-way split: both).
    min_samples_split : float
        Nodes with less weight than this are leaves.
    max_leaf_nodes : int or None
        The maximum number of leaves. The leaf whose split gains most is split first.
    min_gain : float
        The best score must exceed this. With a negative value, splits that gain nothing are made too.
    min_gain_share : float
        The best split must remove at least this fraction of the impurity of the root.
    min_impurity : float
        Nodes whose impurity is at most this are leaves.
    interactions : sequence of sequences of str, optional
        Groups of columns that may occur together on a path.
    cp : float
        For cost-complexity pruning: the minimum decrease of the error per split, as a fraction of the root's error.
    choose : {"1-se", "least", "cp"}
        For cost-complexity pruning: choose the smallest tree within one standard error of the least cross-validated
        error, the tree with the least error, or the tree for `cp`.
    """

    numeric: str = "one-cut"
    max_cuts: int = 3
    cuts_by: str = "optimal"
    bins: int = 10
    combinations: bool = False
    nominal: str = "subset"
    missing: str = "default-direction"
    max_surrogates: int = 5
    min_samples_leaf: float = 1
    min_samples_split: float = 2
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_gain: float = 0.0
    min_gain_share: float = 0.0
    min_impurity: float = 0.0
    monotonic_cst: Mapping[str, int] | Sequence[int] | None = None
    interactions: Sequence[Sequence[str]] | None = None
    prune: str | None = None
    prune_threshold: float | None = None
    folds: int | None = None
    cp: float = 0.0
    choose: str = "1-se"
    random_state: int | None = None

    @property
    def _takes_missing(self) -> bool:  # type: ignore[override]
        return self.missing != "error"


def open_recipe(estimator: Any, schema: Schema | None, **decided: Any) -> Recipe:
    """The recipe for the parameters of an estimator.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        The estimator with the parameters.
    schema : Schema, optional
        The schema of the table to learn from, for looking up column names and checking that the choices go together.
        Without it, parameters that name columns are left out and nothing is checked.
    **decided
        What only classes or only numbers have: criterion, prune, leaf, loss and so on.
    """
    given = estimator
    prune = decided["prune"]
    folds = whole_or_none("folds", given.folds, 2)
    if folds is None:
        folds = FOLDS.get(prune, PRUNE_FOLDS)
    recipe = Recipe(
        numeric=one_of("numeric", given.numeric, NUMERIC),
        max_cuts=whole("max_cuts", given.max_cuts, 1),
        cuts_by=one_of("cuts_by", given.cuts_by, CUTS_BY),
        discretize=one_of("discretize", given.discretize, DISCRETIZE),
        bins=whole("bins", given.bins, 2),
        combinations=bool(given.combinations),
        nominal=one_of("nominal", given.nominal, NOMINAL),
        missing=one_of("missing", given.missing, MISSING),
        max_surrogates=whole("max_surrogates", given.max_surrogates, 0) if given.missing == "surrogate" else 0,
        min_branch=at_least("min_samples_leaf", given.min_samples_leaf, 0),
        min_node=at_least("min_samples_split", given.min_samples_split, 0),
        min_impurity=at_least("min_impurity", given.min_impurity, 0),
        min_gain=number("min_gain", given.min_gain),
        min_gain_share=share("min_gain_share", given.min_gain_share),
        max_depth=whole_or_none("max_depth", given.max_depth, 0),
        max_leaf_nodes=whole_or_none("max_leaf_nodes", given.max_leaf_nodes, 1),
        tolerance=TOLERANCE,
        monotonic_cst=() if schema is None else limits(given.monotonic_cst, schema),
        interactions=() if schema is None else groups(given.interactions, schema),
        folds=folds,
        cp=at_least("cp", given.cp, 0),
        choose=one_of("choose", given.choose, CHOOSE),
        prune_threshold=None if given.prune_threshold is None else number("prune_threshold", given.prune_threshold),
        **decided,
    )
    return recipe if schema is None else check(recipe, schema)


def limits(monotonic_cst: Any, schema: Schema) -> tuple[int, ...]:
    """The parameter `monotonic_cst` (by column name, or a list) as one number per feature; empty if none is limited."""
    if monotonic_cst is None:
        return ()
    names = [schema.columns[position].name for position in schema.features]
    if isinstance(monotonic_cst, Mapping):
        for name in monotonic_cst:
            _index("monotonic_cst", name, names)
        by_feature = [monotonic_cst.get(name, 0) for name in names]
    else:
        by_feature = list(monotonic_cst) if _is_listing(monotonic_cst) else [monotonic_cst]
        if len(by_feature) != len(names):
            count = len(by_feature)
            msg = f"monotonic_cst has {count} entries; expected one for each of the {len(names)} features, or a mapping"
            raise ValueError(msg)
    for name, limit in zip(names, by_feature, strict=True):
        if limit not in (-1, 0, 1):
            msg = f"monotonic_cst is {limit!r} for column {name!r}; expected 1 (rising), -1 (falling) or 0 (free)"
            raise ValueError(msg)
    return tuple(int(limit) for limit in by_feature) if any(by_feature) else ()


def groups(interactions: Any, schema: Schema) -> tuple[tuple[int, ...], ...]:
    """The parameter `interactions` (lists of column names) as groups of feature numbers."""
    if interactions is None:
        return ()
    names = [schema.columns[position].name for position in schema.features]
    if not _is_listing(interactions) or not all(_is_listing(group) for group in interactions):
        msg = f"interactions is {interactions!r}; expected a list of lists of column names"
        raise ValueError(msg)
    return tuple(tuple(sorted({_index("interactions", name, names) for name in group})) for group in interactions)


def _is_listing(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _index(parameter: str, name: Any, names: list[str]) -> int:
    if name not in names:
        shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")  # noqa: PLR2004 - enough to see
        msg = f"{parameter} names the column {name!r}, which is not a feature; the features: {shown}"
        raise ValueError(msg)
    return names.index(name)
