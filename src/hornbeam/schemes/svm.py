"""Support vector machines in the list of schemes; see `schemes/__init__.py`."""

from __future__ import annotations

from dataclasses import replace

from hornbeam.schemes.scheme import DECISIONS, N_JOBS, RANDOM_STATE, VERBOSE, Parameter, Range, Scheme

_PRICES = Range(2.0**-5, 2.0**15, "log", 6, simpler="low")
_REACHES = Range(2.0**-15, 2.0**3, "log", 7, simpler="low", where=("kernel", ("rbf", "polynomial", "sigmoid")))
_KERNEL: tuple[Parameter, ...] = (
    Parameter(
        "kernel",
        "rbf",
        "choice",
        "kernel: exp(-gamma |x - y|^2), x.y, (gamma x.y + coef0)^degree, or tanh(gamma x.y + coef0)",
        ("rbf", "linear", "polynomial", "sigmoid", "precomputed"),
    ),
    Parameter("degree", 3, "integer", "degree of the polynomial kernel"),
    Parameter(
        "gamma",
        None,
        "number",
        "scale of the kernel; none: from the variance of the columns (1 for polynomial)",
        search=_REACHES,
    ),
    Parameter("coef0", 1.0, "number", "constant of the polynomial and sigmoid kernels"),
    Parameter(
        "scale",
        "normalize",
        "choice",
        "scale numbers to 0 to 1, to mean 0 and deviation 1, or not at all",
        ("normalize", "standardize", None),
    ),
    Parameter("products", 1, "integer", "linear kernel: use all products of this many columns"),
)
_SOLVING: tuple[Parameter, ...] = (
    Parameter("tol", 0.001, "number", "tolerance of the optimality conditions"),
    Parameter("max_iter", -1, "integer", "maximum number of steps; -1 for no limit"),
    Parameter("cache_size", 200, "number", "megabytes of kernel values kept in memory"),
    Parameter("shrinking", True, "switch", "set aside rows that are unlikely to change"),
    Parameter("warm_start", False, "switch", "start from the coefficients of the last fit", flag=None),
    N_JOBS,
)

SVM_CLASSIFIER = Scheme(
    name="svm",
    title="Support vector machine",
    estimator="SVMClassifier",
    module="hornbeam.learn.svm.classifier",
    summary="the widest margin between classes",
    predicts="category",
    parameters=(
        Parameter("C", 1.0, "number", "cost of a row on the wrong side of the margin; inf allows none", search=_PRICES),
        *_KERNEL,
        Parameter("probability", False, "switch", "estimate class probabilities by cross-validation"),
        Parameter(
            "solver",
            "auto",
            "choice",
            "pairs of rows (exact), or coordinate descent (linear kernel, very many rows)",
            ("auto", "pairs", "planes"),
        ),
        Parameter("loss", "hinge", "choice", "loss of the solver planes", ("hinge", "squared_hinge")),
        *DECISIONS,
        *_SOLVING,
        RANDOM_STATE,
        VERBOSE,
    ),
    makes="margin",
)

SVM_REGRESSOR = replace(
    SVM_CLASSIFIER,
    title="Support vector regression",
    estimator="SVMRegressor",
    module="hornbeam.learn.svm.regressor",
    summary="a flat function with small errors; errors up to epsilon cost nothing",
    predicts="number",
    parameters=(
        Parameter("C", 1.0, "number", "cost of an error beyond epsilon; inf allows none", search=_PRICES),
        Parameter("epsilon", 0.1, "number", "errors up to this cost nothing"),
        *_KERNEL,
        *_SOLVING,
    ),
)

SVM_SCHEMES: tuple[Scheme, ...] = (SVM_CLASSIFIER, SVM_REGRESSOR)
