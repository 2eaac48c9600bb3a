"""All products of n factors: explicit columns of the polynomial kernel of degree n.

With c columns there are C(c + n - 1, n) products. If each is weighted by the square root of its multinomial
coefficient, the inner product of two rows of products is the n-th power of the inner product of the rows.
"""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, groupby
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64

MOST_PRODUCTS = 200_000
MOST_FACTORS = 100


def count_products(n_columns: int, n_factors: int) -> int:
    """The number of products with this number of factors.

    Examples
    --------
    >>> count_products(10, 5), count_products(2, 3)
    (2002, 4)
    """
    return math.comb(n_columns + n_factors - 1, n_factors)


def exponents(n_columns: int, n_factors: int) -> Ints64:
    """The exponent of every column in every product, of shape (products, columns).

    Examples
    --------
    >>> exponents(2, 3).tolist()
    [[3, 0], [2, 1], [1, 2], [0, 3]]
    """
    found = np.zeros((count_products(n_columns, n_factors), n_columns), np.int64)
    for row, chosen in enumerate(combinations_with_replacement(range(n_columns), n_factors)):
        for column in chosen:
            found[row, column] += 1
    return found


def product_weights(n_columns: int, n_factors: int) -> Floats:
    """The square roots of the multinomial coefficients, n! / (product of the factorials of the exponents).

    Examples
    --------
    >>> (product_weights(2, 3) ** 2).round(6).tolist()
    [1.0, 3.0, 3.0, 1.0]
    """
    ways = [
        math.factorial(n_factors) / math.prod(math.factorial(len(list(run))) for _, run in groupby(chosen))
        for chosen in combinations_with_replacement(range(n_columns), n_factors)
    ]
    return np.sqrt(np.array(ways, np.float64))


def products(matrix: Floats, n_factors: int) -> Floats:
    """All weighted products of this number of factors for every row, of shape (rows, products).

    Examples
    --------
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    >>> (products(a, 3) @ products(b, 3).T).round(9), ((a @ b.T) ** 3).round(9)
    (array([[1.]]), array([[1.]]))
    """
    n_columns = matrix.shape[1]
    if n_factors == 1:
        return matrix
    found = np.empty((len(matrix), count_products(n_columns, n_factors)))
    chosen = combinations_with_replacement(range(n_columns), n_factors)
    for place, columns in enumerate(chosen):
        found[:, place] = matrix[:, columns].prod(axis=1)
    found *= product_weights(n_columns, n_factors)
    return found
