"""Support vector machines in the list of schemes; see `schemes.py`."""

from __future__ import annotations

from hornbeam.schemes.scheme import CLASS_WEIGHT, COSTS, DECISION_THRESHOLD, N_JOBS, RANDOM_STATE, Parameter, Scheme
from hornbeam.schemes.search_range import Range

_PRICES = Range(2.0**-5, 2.0**15, "log", 6, simpler="low")
_REACHES = Range(2.0**-15, 2.0**3, "log", 7, simpler="low", where=("kernel", ("rbf", "polynomial", "sigmoid")))
_KERNEL: tuple[Parameter, ...] = (
    Parameter(
        "kernel",
        "rbf",
        "choice",
        "how alike two rows are: exp(-gamma |x - y|^2), x.y, (gamma x.y + coef0)^degree, or tanh of that",
        ("rbf", "linear", "polynomial", "sigmoid", "precomputed"),
    ),
    Parameter("degree", 3, "integer", "of the polynomial kernel"),
    Parameter(
        "gamma", None, "number", "of the kernel; none: by the spread of the columns (1 for polynomial)", search=_REACHES
    ),
    Parameter("coef0", 1.0, "number", "of the polynomial and sigmoid kernels"),
    Parameter(
        "scale",
        "normalize",
        "choice",
        "numbers from 0 to 1, or with mean 0 and deviation 1, or as they are",
        ("normalize", "standardize", None),
    ),
    Parameter("products", 1, "integer", "linear kernel: all products of so many columns in place of the columns"),
)
_SOLVING: tuple[Parameter, ...] = (
    Parameter("tol", 0.001, "number", "by how much a pair of rows may violate the conditions of an optimum"),
    Parameter("max_iter", -1, "integer", "most steps; -1 for no limit"),
    Parameter("cache_size", 200, "number", "megabytes of kernel values held"),
    Parameter("shrinking", True, "switch", "set rows aside that are out of the question"),
    Parameter("warm_start", False, "switch", "begin with the coefficients of the last fit", flag=None),
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
        Parameter(
            "C", 1.0, "number", "what a row on the wrong side of the margin costs; inf allows none", search=_PRICES
        ),
        *_KERNEL,
        Parameter("probability", False, "switch", "chances of classes, by rows held out in turn"),
        Parameter(
            "solver",
            "auto",
            "choice",
            "steps on pairs of rows, or (linear, very many rows) planes column by column",
            ("auto", "pairs", "planes"),
        ),
        Parameter("loss", "hinge", "choice", "of planes", ("hinge", "squared_hinge")),
        CLASS_WEIGHT,
        COSTS,
        DECISION_THRESHOLD,
        *_SOLVING,
        RANDOM_STATE,
    ),
    makes="margin",
)

SVM_REGRESSOR = Scheme(
    name="svm",
    title="Support vector regression",
    estimator="SVMRegressor",
    module="hornbeam.learn.svm.regressor",
    summary="the flattest function whose errors beyond epsilon cost least",
    predicts="number",
    parameters=(
        Parameter("C", 1.0, "number", "what an error beyond epsilon costs; inf allows none", search=_PRICES),
        Parameter("epsilon", 0.1, "number", "errors up to this cost nothing"),
        *_KERNEL,
        *_SOLVING,
    ),
    makes="margin",
)

SVM_SCHEMES: tuple[Scheme, ...] = (SVM_CLASSIFIER, SVM_REGRESSOR)
