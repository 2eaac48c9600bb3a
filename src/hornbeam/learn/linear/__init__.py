"""Linear equations and what is built on them.

- linear: `LinearRegressor`
- polynomial: `PolynomialRegressor`, by QR decomposition
- discretized: `DiscretizedRegressor`: numbers by a classifier of intervals
- least_squares: ridge regression from sums of products, and the selection of terms
- row_by_row: the same with sums in row order, for programs whose ties are decided by rounding
- terms: terms of an equation: columns, ordered indicators, powers and products
- few_rows: the warning that an equation has too few rows per parameter
"""
