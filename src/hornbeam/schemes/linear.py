"""Equations, and regression by discretization, in the list of schemes; see `schemes/__init__.py`."""

from __future__ import annotations

from hornbeam.schemes.scheme import COMPAT, RANDOM_STATE, RIDGES, Parameter, Range, Scheme

LINEAR = Scheme(
    name="linear",
    title="Linear",
    estimator="LinearRegressor",
    module="hornbeam.learn.linear.linear",
    summary="a linear equation; terms selected by Akaike's criterion, categories as ordered indicators",
    predicts="number",
    parameters=(
        Parameter("selection", "m5", "choice", "which terms are removed one by one", ("m5", "greedy", None)),
        Parameter("ridge", 1e-8, "number", "shrinks standardized coefficients towards zero", search=RIDGES),
        COMPAT,
        Parameter(
            "degree",
            1,
            "integer",
            "the highest degree of a term: from 2, powers and products of columns (pseudo-attributes) are terms too",
        ),
        Parameter("products", True, "switch", "whether different columns are multiplied, if degree is above 1"),
    ),
    makes="equation",
)

POLYNOMIAL = Scheme(
    name="polynomial",
    title="Polynomial",
    estimator="PolynomialRegressor",
    module="hornbeam.learn.linear.polynomial",
    summary="powers and products of columns, with a ridge penalty",
    predicts="number",
    parameters=(
        Parameter("degree", 2, "integer", "the highest power", search=Range(1, 6, "whole", 6, simpler="low")),
        Parameter("ridge", 0.0, "number", "the penalty on squared coefficients", search=RIDGES),
        Parameter("penalize_intercept", True, "switch", "whether the penalty includes the intercept"),
        Parameter("products", True, "switch", "whether different columns are multiplied"),
    ),
    makes="equation",
)

DISCRETIZED = Scheme(
    name="discretized",
    title="Discretized",
    estimator="DiscretizedRegressor",
    module="hornbeam.learn.linear.discretized",
    summary="a classifier predicts intervals of the target; their means are averaged by probability",
    predicts="number",
    parameters=(
        Parameter(
            "estimator",
            None,
            "choice",
            "scheme of the classifier; none: c45",
            (None,),
            "classifier",
            built_on="category",
        ),
        Parameter("bins", 10, "integer", "number of intervals", search=Range(2, 32, "whole", 5, simpler="low")),
        Parameter("method", "equal-width", "choice", "how the target is cut", ("equal-width", "equal-frequency")),
        Parameter("value", "midpoint", "choice", "the value predicted for an interval", ("midpoint", "mean")),
        RANDOM_STATE,
    ),
    makes="classifier",
)

LINEAR_SCHEMES: tuple[Scheme, ...] = (LINEAR, POLYNOMIAL, DISCRETIZED)
