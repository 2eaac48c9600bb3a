# ruff: noqa: INP001, T201 - a program that prints, in no package
"""The kernel trick: all products of n columns, made one by one, against a kernel that never makes them.

With c columns there are C(c + n - 1, n) products of n factors: a plane over them is a curved boundary over the columns.
The kernel (x·y)^n gives the same boundary from products of rows alone. Run it with `python examples/kernel_trick.py`:
it prints how many products there are, what both cost, and how far their answers are apart; and draws the margin of two
columns into the current folder.
"""

from __future__ import annotations

import time

import numpy as np

import hornbeam
from hornbeam.model.products import count_products


def drawn(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Give rows whose class depends on products of columns."""
    x = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return x, (x[:, 0] * x[:, 1] * x[:, 2] > 0).astype(int)


def main() -> None:
    """Compare cost and answer for more and more factors."""
    x, y = drawn(300, 6)
    hornbeam.SVMClassifier().fit(x, y)  # what is imported on first use is not part of the cost
    print("factors  products  s explicit  s kernel  farthest apart  same class")
    for n in (1, 2, 3, 4):
        start = time.process_time()
        explicit = hornbeam.SVMClassifier(kernel="linear", products=n, tol=1e-6).fit(x, y)
        middle = time.process_time()
        trick = hornbeam.SVMClassifier(kernel="polynomial", degree=n, coef0=0.0, tol=1e-6).fit(x, y)
        end = time.process_time()
        said, meant = explicit.decision_function(x), trick.decision_function(x)
        same = np.mean((said > 0) == (meant > 0))
        print(
            f"{n:7}  {count_products(6, n):8}  {middle - start:10.3f}  {end - middle:8.3f}  "
            f"{np.abs(said - meant).max():14.1e}  {same:10.1%}"
        )
    print(f"\n10 columns and 5 factors would be {count_products(10, 5)} products; the kernel costs what it did before.")

    table = hornbeam.read("iris").select(["petallength", "petalwidth", "class"])
    svm = hornbeam.SVMClassifier(kernel="linear").fit(table)
    print(f"\n{hornbeam.show.text(svm)}")
    try:
        hornbeam.show.plot.save(hornbeam.show.plot.margin(svm, table=table, machine=2), "margin.svg")
    except ImportError:
        print("\nno picture: matplotlib is not installed")
    else:
        print("\npicture: margin.svg")


if __name__ == "__main__":
    main()
