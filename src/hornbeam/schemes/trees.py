"""Schemes that learn trees, and rules made from model trees."""

from __future__ import annotations

from dataclasses import replace

from hornbeam.schemes.scheme import (
    COMPAT,
    CONFIDENCES,
    CUT_VALUE,
    DECISIONS,
    DEPTHS,
    FEW_ROWS,
    KEEP_ALTERNATIVES,
    KEEP_TRACE,
    MDL,
    MONOTONE,
    N_JOBS,
    NOMINAL_BRANCHES,
    RANDOM_STATE,
    VERBOSE,
    Parameter,
    Range,
    Scheme,
    Value,
)

SIGNIFICANCE = Parameter("significance", None, "number", "only choose columns with a chi-square p-value up to this")

_OF_TREES = (N_JOBS, KEEP_TRACE, KEEP_ALTERNATIVES)

C45 = Scheme(
    name="c45",
    title="C4.5",
    estimator="C45Classifier",
    module="hornbeam.learn.trees.c45",
    summary="gain-ratio tree for mixed columns and missing values, pruned by estimated error",
    predicts="category",
    parameters=(
        Parameter(
            "confidence",
            0.25,
            "number",
            "confidence of the error estimate; smaller values prune more",
            search=replace(CONFIDENCES, where=("prune", ("pessimistic", "rules"))),
        ),
        Parameter(
            "min_samples_leaf", 2, "number", "minimum weight of at least two branches of every split", search=FEW_ROWS
        ),
        Parameter(
            "prune", "pessimistic", "choice", "how the tree is pruned", ("pessimistic", "reduced-error", "rules", None)
        ),
        Parameter("subtree_raising", True, "switch", "a branch may replace its parent when pruning"),
        NOMINAL_BRANCHES,
        MDL,
        Parameter("collapse", True, "switch", "replace a subtree by a leaf if it does not lower the training error"),
        Parameter("leaf", "distribution", "choice", "how a leaf estimates probabilities", ("distribution", "laplace")),
        CUT_VALUE,
        Parameter("folds", 3, "integer", "reduced-error pruning holds out one of this many parts"),
        RANDOM_STATE,
        replace(COMPAT, choices=(None, "weka", "weka-3.9")),
        *_OF_TREES,
        *DECISIONS,
    ),
)

ID3 = Scheme(
    name="id3",
    title="ID3",
    estimator="ID3Classifier",
    module="hornbeam.learn.trees.id3",
    summary="the textbook information-gain tree, grown until pure, not pruned",
    predicts="category",
    parameters=(
        Parameter(
            "missing",
            "error",
            "choice",
            "how missing values are treated: as an error or as a category",
            ("error", "own-category"),
            "missing-values",
        ),
        replace(CUT_VALUE, default="midpoint"),
        Parameter(
            "min_gain",
            0.0,
            "number",
            "a split must gain more than this many bits",
            search=Range(0.001, 1, "log", 4, simpler="high"),
        ),
        SIGNIFICANCE,
        Parameter("max_depth", None, "integer", "nodes at this depth are leaves", search=DEPTHS),
        COMPAT,
        *_OF_TREES,
        *DECISIONS,
    ),
)

# Parameters of TreeClassifier and TreeRegressor.
_DISCRETIZE = Parameter(
    "discretize",
    "mdl",
    "choice",
    "discretized: how intervals are made",
    ("mdl", "chi-merge", "equal-width", "equal-frequency"),
)
_OPEN: tuple[Parameter, ...] = (
    Parameter(
        "numeric",
        "one-cut",
        "choice",
        "splits of a numeric column",
        ("one-cut", "multi-cut", "discretized"),
        "numeric-splits",
    ),
    Parameter("max_cuts", 3, "integer", "multi-cut: maximum number of cuts per split"),
    Parameter("cuts_by", "optimal", "choice", "multi-cut: how the cuts are found", ("optimal", "greedy")),
    Parameter("bins", 10, "integer", "discretized: number of intervals, for methods that need one"),
    Parameter("combinations", False, "switch", "also cut linear combinations of numeric columns"),
    replace(NOMINAL_BRANCHES, default="subset", choices=("subset", "multiway", "one-vs-rest", "grouped")),
    Parameter(
        "missing",
        "default-direction",
        "choice",
        "what to do with rows without a value",
        ("default-direction", "fractional", "surrogate", "majority", "own-category", "impute", "error"),
        "missing-values",
    ),
    Parameter("max_surrogates", 5, "integer", "surrogate: how many to keep at each node"),
    Parameter(
        "min_samples_leaf", 1, "number", "minimum weight of at least two branches of every split", search=FEW_ROWS
    ),
    Parameter("min_samples_split", 2, "number", "nodes with less weight are leaves"),
    Parameter("max_depth", None, "integer", "nodes at this depth are leaves", search=DEPTHS),
    Parameter(
        "max_leaf_nodes",
        None,
        "integer",
        "maximum number of leaves, best splits first",
        search=Range(2, 128, "whole", 7, simpler="low"),
    ),
    Parameter("min_gain", 0.0, "number", "the best score must exceed this"),
    Parameter("min_gain_share", 0.0, "number", "a split must remove this fraction of the root's impurity"),
    Parameter("min_impurity", 0.0, "number", "nodes with at most this impurity are leaves"),
    MONOTONE,
    Parameter("interactions", None, "groups", "columns that may occur together on a path (repeatable)"),
    Parameter(
        "prune",
        None,
        "choice",
        "how the tree is pruned",
        (
            "pessimistic",
            "reduced-error",
            "cost-complexity",
            "critical-value",
            "chi-square",
            "minimum-error",
            "description-length",
            "rules",
            None,
        ),
    ),
    Parameter("prune_threshold", None, "number", "the score (chi-square: statistic) that splits must reach"),
    Parameter(
        "folds",
        None,
        "integer",
        "folds of cost-complexity (none: 10), reduced-error (3) and rules pruning (none held out)",
    ),
    Parameter("cp", 0.0, "number", "cost-complexity pruning: minimum decrease of the error per split"),
    Parameter("choose", "1-se", "choice", "cost-complexity pruning: how the tree is chosen", ("1-se", "least", "cp")),
    RANDOM_STATE,
    *_OF_TREES,
)
_FOR_NUMBERS: dict[str, tuple[Value, ...]] = {
    "nominal": ("subset", "multiway", "one-vs-rest"),
    "prune": ("reduced-error", "cost-complexity", "critical-value", "complexity-factor", None),
}

TREE_CLASSIFIER = Scheme(
    name="tree",
    title="Decision tree",
    estimator="TreeClassifier",
    module="hornbeam.learn.trees.tree_classifier",
    summary="criterion, splits, treatment of missing values and pruning can be chosen",
    predicts="category",
    parameters=(
        Parameter(
            "criterion",
            "gini",
            "choice",
            "how splits are ranked",
            ("gini", "information-gain", "gain-ratio", "misclassification", "chi-square"),
        ),
        Parameter("boundary_points", False, "switch", "cut only where the class changes"),
        _DISCRETIZE,
        Parameter("exhaustive_up_to", 10, "integer", "subset: try all subsets of up to this many categories"),
        Parameter("merge_significance", 0.05, "number", "grouped: merge categories while their p-value is above this"),
        SIGNIFICANCE,
        Parameter(
            "confidence",
            None,
            "number",
            "confidence of pessimistic and rules pruning (none: 0.25), and of chi-square (0.95)",
            search=replace(CONFIDENCES, where=("prune", ("pessimistic", "rules"))),
        ),
        Parameter("subtree_raising", True, "switch", "pessimistic pruning: a branch may replace its parent"),
        Parameter(
            "leaf",
            "distribution",
            "choice",
            "how a leaf estimates probabilities",
            ("distribution", "laplace", "m-estimate"),
        ),
        Parameter("m", 2.0, "number", "the weight of the m-estimate, of leaves and of minimum-error pruning"),
        *_OPEN,
        *DECISIONS,
    ),
)

TREE_REGRESSOR = replace(
    TREE_CLASSIFIER,
    title="Regression tree",
    estimator="TreeRegressor",
    module="hornbeam.learn.trees.tree_regressor",
    summary="criterion, splits, treatment of missing values and pruning can be chosen",
    predicts="number",
    parameters=(
        Parameter(
            "criterion", "variance", "choice", "how splits are ranked", ("variance", "sd-reduction", "absolute-error")
        ),
        replace(_DISCRETIZE, default="equal-frequency", choices=("equal-frequency", "equal-width")),
        Parameter(
            "leaf",
            None,
            "choice",
            "the prediction of a leaf; none: by the criterion",
            ("mean", "median", "linear", None),
        ),
        *(replace(each, choices=_FOR_NUMBERS.get(each.name, each.choices)) for each in _OPEN),
    ),
)

_CART: tuple[Parameter, ...] = (
    Parameter(
        "cp",
        0.01,
        "number",
        "minimum decrease of the error per split, as a fraction of the root's error",
        search=Range(0.0001, 0.1, "log", 7, simpler="high", where=("choose", ("cp",))),
    ),
    Parameter("min_samples_split", 20, "number", "smaller nodes are leaves"),
    Parameter("min_samples_leaf", 7, "number", "minimum weight of both branches of a split", search=FEW_ROWS),
    Parameter("max_surrogates", 5, "integer", "surrogate splits to keep at each node, for missing values"),
    Parameter("folds", 10, "integer", "folds of the cross-validation of the complexity table; 0 for none"),
    Parameter(
        "choose",
        "auto",
        "choice",
        "how the tree is chosen from that table; auto: 1-se, or cp without folds or like rpart",
        ("auto", "cp", "1-se", "least"),
    ),
    Parameter("max_depth", 30, "integer", "nodes at this depth are leaves", search=DEPTHS),
    Parameter("compat", None, "choice", "rpart: also follow rpart with row weights", (None, "rpart")),
    RANDOM_STATE,
    *_OF_TREES,
)

CART_CLASSIFIER = Scheme(
    name="cart",
    title="CART",
    estimator="CartClassifier",
    module="hornbeam.learn.trees.cart",
    summary="binary splits, surrogates for missing values, cost-complexity pruning",
    predicts="category",
    parameters=(
        Parameter("criterion", "gini", "choice", "how splits are ranked", ("gini", "entropy", "misclassification")),
        Parameter(
            "priors", None, "figures", "proportion of a class among the rows to predict (repeatable)", flag="prior"
        ),
        Parameter(
            "loss", None, "costs", "like --cost, but also used to grow and prune the tree (repeatable)", flag="loss"
        ),
        *_CART,
        *DECISIONS,
    ),
)

CART_REGRESSOR = replace(
    CART_CLASSIFIER,
    estimator="CartRegressor",
    summary="the same for numbers, by squared or absolute error",
    predicts="number",
    parameters=(
        Parameter("criterion", "variance", "choice", "how splits are ranked", ("variance", "absolute-error")),
        *_CART,
    ),
)

_MODEL_TREE: tuple[Parameter, ...] = (
    Parameter("min_samples_split", 4, "number", "smaller nodes are leaves"),
    Parameter(
        "min_deviation",
        0.05,
        "number",
        "nodes with less than this fraction of the deviation are leaves",
        search=Range(0.01, 0.32, "log", 6, simpler="high"),
    ),
    Parameter("prune", "linear-error", "choice", "whether equations can replace subtrees", ("linear-error", None)),
    Parameter("smoothing", True, "switch", "smooth the equations of the leaves with those of the nodes above"),
    Parameter("leaf", "linear", "choice", "linear equations, or means", ("linear", "mean")),
    COMPAT,
    Parameter("min_samples_leaf", 2, "number", "minimum weight of both sides of a split", search=FEW_ROWS),
    Parameter("path_columns", False, "switch", "equations may also use columns of splits above them"),
    Parameter("committees", 1, "integer", "number of models to average, each correcting the one before"),
    Parameter(
        "criterion",
        None,
        "choice",
        "how splits are ranked; none: sd-reduction for one tree, linear-error for rules and committees",
        (None, "sd-reduction", "linear-error"),
    ),
    N_JOBS,
    Parameter("neighbors", 0, "integer", "number of near training rows that correct a prediction"),
)

M5 = Scheme(
    name="m5",
    title="M5'",
    estimator="M5Regressor",
    module="hornbeam.learn.trees.model_trees.m5",
    summary="a tree with a linear model at every leaf",
    predicts="number",
    parameters=_MODEL_TREE,
)

M5_RULES = replace(
    M5,
    name="m5-rules",
    estimator="M5RulesRegressor",
    summary="rules with linear models, made from model trees",
    makes="rules",
)

_OPTIMAL: tuple[Parameter, ...] = (
    Parameter(
        "max_depth",
        3,
        "integer",
        "nodes at this depth are leaves; at most 6",
        search=Range(1, 3, "whole", simpler="low"),
    ),
    Parameter(
        "penalty",
        0.0,
        "number",
        "cost of a leaf, as a fraction of the weight (numbers: of the squared error about the mean)",
        search=Range(0.001, 0.1, "log", 5, simpler="high"),
    ),
    Parameter("min_samples_leaf", 1, "number", "minimum weight of every leaf", search=FEW_ROWS),
    replace(NOMINAL_BRANCHES, default="one-vs-rest", choices=("one-vs-rest", "multiway")),
    Parameter(
        "missing",
        "default-direction",
        "choice",
        "where rows without a value go: to the better branch, or to a category of their own",
        ("default-direction", "own-category"),
        "missing-values",
    ),
    Parameter("time_limit", None, "number", "seconds after which the best tree so far is kept"),
    Parameter("keep_on_interrupt", False, "switch", "Ctrl-C ends the search and keeps the best tree so far"),
    N_JOBS,
    VERBOSE,
)

OPTIMAL_CLASSIFIER = Scheme(
    name="optimal",
    title="Optimal",
    estimator="OptimalTreeClassifier",
    module="hornbeam.learn.trees.optimal.learner",
    summary="the tree of a given depth with the fewest errors, proved to be the best",
    predicts="category",
    parameters=(*_OPTIMAL, *DECISIONS),
)

OPTIMAL_REGRESSOR = replace(
    OPTIMAL_CLASSIFIER,
    estimator="OptimalTreeRegressor",
    summary="the same for numbers, by squared error",
    predicts="number",
    parameters=_OPTIMAL,
)

TREE_SCHEMES: tuple[Scheme, ...] = (
    C45, ID3, CART_CLASSIFIER, CART_REGRESSOR, TREE_CLASSIFIER, TREE_REGRESSOR, OPTIMAL_CLASSIFIER, OPTIMAL_REGRESSOR
)  # fmt: skip
MODEL_TREE_SCHEMES: tuple[Scheme, ...] = (M5, M5_RULES)
