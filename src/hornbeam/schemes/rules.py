"""The rule learners in the list of schemes."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hornbeam.schemes.scheme import (
    COMPAT,
    CONFIDENCES,
    CUT_VALUE,
    DECISIONS,
    FEW_ROWS,
    MDL,
    NOMINAL_BRANCHES,
    RANDOM_STATE,
    Parameter,
    Range,
    Scheme,
)

_scheme = partial(Scheme, predicts="category", makes="rules")

# Parameters that several rule learners share.
_MEASURE = Parameter(
    "measure", "share", "choice", "conditions are ranked by p/t, or by p (log p/t - log P/T)", ("share", "gain")
)
_NOMINAL_TESTS = Parameter(
    "nominal",
    "value",
    "choice",
    "a condition tests for one category, or for one of several",
    ("value", "set"),
    "nominal-tests",
)
_MISSING_TESTS = Parameter(
    "missing",
    "fails",
    "choice",
    "a missing value fails every condition, or is one more value",
    ("fails", "value"),
    "missing-values",
)
_COVERING = (_NOMINAL_TESTS, _MISSING_TESTS, *DECISIONS)
_BEAM_WIDTH = Parameter("beam_width", 1, "integer", "number of rules grown side by side")
_MIN_ACCURACY = Parameter(
    "min_accuracy",
    0.0,
    "number",
    "stop once the next rule would be less accurate than this",
    search=Range(0, 0.9, steps=4, simpler="high"),
)
_DISTRIBUTION = Parameter(
    "distribution",
    "hypergeometric",
    "choice",
    "how significance is computed: rows drawn without or with replacement",
    ("hypergeometric", "binomial"),
)

ONE_R = _scheme(
    name="one-r",
    title="1R",
    estimator="OneRClassifier",
    module="hornbeam.learn.rules.one_r",
    summary="rules on the one column that predicts the class best",
    parameters=(
        Parameter("min_bucket", 6, "number", "weight of the most frequent class of every interval", search=FEW_ROWS),
        COMPAT,
        *DECISIONS,
    ),
)

PRISM = _scheme(
    name="prism",
    title="PRISM",
    estimator="PrismClassifier",
    module="hornbeam.learn.rules.prism",
    summary="rules without errors, one class after another",
    parameters=(
        Parameter(
            "order",
            "given",
            "choice",
            "learn each class from all rows; or start with the smallest class and use the remaining rows",
            ("given", "smallest-first"),
            flag="class-order",
        ),
        Parameter(
            "decide", "first", "choice", "where several rules hold: the first decides, or all vote", ("first", "vote")
        ),
        _MIN_ACCURACY,
        _BEAM_WIDTH,
        COMPAT,
        _MEASURE,
        *_COVERING,
    ),
)

INDUCT = _scheme(
    name="induct",
    title="INDUCT",
    estimator="InductClassifier",
    module="hornbeam.learn.rules.induct",
    summary="rules without errors, pruned while that makes them more significant; the most significant first",
    parameters=(
        _DISTRIBUTION,
        Parameter(
            "max_significance",
            1.0,
            "number",
            "stop once the next rule's significance would be above this",
            search=Range(1e-6, 1, "log", 7, simpler="low"),
        ),
        _MIN_ACCURACY,
        _BEAM_WIDTH,
        _MEASURE,
        *_COVERING,
    ),
)

EXCEPTIONS = _scheme(
    name="exceptions",
    title="Exception",
    estimator="ExceptionRulesClassifier",
    module="hornbeam.learn.rules.exceptions",
    summary="a default class with exceptions, which can have exceptions themselves",
    parameters=(
        Parameter(
            "max_significance",
            0.1,
            "number",
            "maximum significance of a rule (how likely a random rule does as well)",
            search=Range(0.001, 1, "log", 4, simpler="low"),
        ),
        _DISTRIBUTION,
        Parameter("min_coverage", 2, "number", "minimum weight that a rule covers", search=FEW_ROWS),
        Parameter("min_accuracy", 0.5, "number", "minimum accuracy of a rule, before its exceptions"),
        Parameter("max_depth", None, "integer", "maximum depth of nested exceptions"),
        replace(_MEASURE, default="gain"),
        *_COVERING,
    ),
)

_CONDITION_MEASURES = "how conditions are chosen"
_HELD_OUT = (
    Parameter("folds", 3, "integer", "one of this many parts of the rows is held out for pruning"),
    Parameter(
        "min_samples_rule", 2, "number", "minimum weight of the rule's class after every condition", search=FEW_ROWS
    ),
    _NOMINAL_TESTS,
    _MISSING_TESTS,
    _BEAM_WIDTH,
    replace(RANDOM_STATE, summary="seed for the rows held out; none: a fixed seed"),
    *DECISIONS,
)

RIPPER = _scheme(
    name="ripper",
    title="RIPPER",
    estimator="RipperClassifier",
    module="hornbeam.learn.rules.ripper",
    summary="rules for the rarest class first; pruned on held-out rows and optimized by description length",
    parameters=(
        Parameter("prune", "incremental", "choice", "whether rules are pruned and optimized", ("incremental", None)),
        Parameter(
            "optimizations", 2, "integer", "how often to optimize the rules of a class", search=Range(0, 4, "whole", 5)
        ),
        Parameter("measure", "smoothed-gain", "choice", _CONDITION_MEASURES, ("smoothed-gain", "gain", "share")),
        Parameter("limit_errors", True, "switch", "reject rules that are wrong for half of their rows"),
        _MIN_ACCURACY,
        Parameter(
            "order",
            "smallest-first",
            "choice",
            "which class comes first; the last becomes the default",
            ("smallest-first", "largest-first", "given"),
            flag="class-order",
        ),
        Parameter(
            "decide",
            "first",
            "choice",
            "the first matching rule decides; or rules for every class: the best matching one decides, or all vote",
            ("first", "best", "vote"),
        ),
        replace(COMPAT, choices=(None, "weka", "weka-3.9")),
        *_HELD_OUT,
    ),
)

IREP = _scheme(
    name="irep",
    title="IREP",
    estimator="IrepClassifier",
    module="hornbeam.learn.rules.irep",
    summary="grow one rule per class, prune each on held-out rows, keep the best, and repeat",
    parameters=(
        Parameter(
            "worth",
            "margin",
            "choice",
            "how rules are scored on the pruning rows",
            ("margin", "share", "correct", "significance"),
        ),
        Parameter("measure", "gain", "choice", _CONDITION_MEASURES, ("gain", "smoothed-gain", "share")),
        Parameter(
            "prune",
            "incremental",
            "choice",
            "prune rule by rule, or the list as a whole",
            ("incremental", "whole-list", None),
        ),
        Parameter(
            "min_accuracy",
            0.5,
            "number",
            "stop at the first rule that is less accurate than this",
            search=Range(0.3, 0.9, steps=4, simpler="high"),
        ),
        *_HELD_OUT,
    ),
)

# Parameters of the trees that rules are read from.
_CONFIDENCE = Parameter(
    "confidence", 0.25, "number", "confidence of the error estimate: smaller means more pruning", search=CONFIDENCES
)
_OF_TREES = (
    Parameter(
        "min_samples_leaf", 2, "number", "minimum weight of at least two branches of every split", search=FEW_ROWS
    ),
    NOMINAL_BRANCHES,
    MDL,
    Parameter("leaf", "distribution", "choice", "how a rule estimates probabilities", ("distribution", "laplace")),
    CUT_VALUE,
    *DECISIONS,
)

PART = _scheme(
    name="part",
    title="PART",
    estimator="PartClassifier",
    module="hornbeam.learn.rules.part",
    summary="turn the largest leaf of a partial tree into a rule, and repeat on the remaining rows",
    parameters=(
        Parameter("prune", "pessimistic", "choice", "whether partial trees are pruned", ("pessimistic", None)),
        Parameter(
            "missing",
            "fractional",
            "choice",
            "a row with a missing value is divided among the branches, or missing is one more category",
            ("fractional", "value"),
            "missing-values",
        ),
        Parameter(
            "compat",
            None,
            "choice",
            "weka: do not merge conditions; weka-3.9: place cuts as later versions of WEKA do",
            (None, "weka", "weka-3.9"),
        ),
        replace(_CONFIDENCE, search=replace(CONFIDENCES, where=("prune", ("pessimistic",)))),
        *_OF_TREES,
    ),
)

C45_RULES = _scheme(
    name="c45rules",
    title="C4.5rules",
    estimator="C45RulesClassifier",
    module="hornbeam.learn.rules.c45rules",
    summary="the leaves of an unpruned tree as rules, simplified one by one and selected by description length",
    parameters=(
        _MISSING_TESTS,
        replace(_CONFIDENCE, summary="confidence of the error estimate: smaller means fewer conditions"),
        *_OF_TREES,
    ),
)

RULE_SCHEMES: tuple[Scheme, ...] = (ONE_R, PRISM, INDUCT, EXCEPTIONS, RIPPER, IREP, PART, C45_RULES)
