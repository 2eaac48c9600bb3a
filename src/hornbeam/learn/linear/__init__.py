"""Linear equations and what is built on them.

- linear: `LinearRegressor`
- polynomial: `PolynomialRegressor`, by orthogonal triangles
- discretized: `DiscretizedRegressor`: numbers by a classifier of intervals
- least_squares: least squares with a ridge from sums of products, and the selection of terms
- row_by_row: the same with sums in the order of the rows, for programs whose ties its rounding decides
- terms: terms of an equation: columns, ordered indicators, powers and products
- few_rows: the warning that an equation has too few rows per parameter
"""
