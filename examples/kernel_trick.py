# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""The kernel trick: explicit products of n columns, compared with a kernel that never computes them.

With c columns there are C(c + n - 1, n) products of n factors. A plane over the products is a curved boundary over the
columns. The kernel (x·y)^n gives the same boundary from inner products of rows alone.

Run it with `python examples/kernel_trick.py`. It prints the number of products, the time of both ways, and how much
their predictions differ. It draws pictures into the current folder: a class inside a ring of the other class, with a
linear and a polynomial kernel, and the margin for two columns.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.svm.products import count_products


def drawn(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows whose class depends on a product of columns."""
    x = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return x, (x[:, 0] * x[:, 1] * x[:, 2] > 0).astype(int)


def ring(n_rows: int) -> Table:
    """Draw points in the plane; the class says whether a point is near the center."""
    x, y = np.random.default_rng(1).uniform(-1, 1, size=(2, n_rows))
    columns = Numeric("x"), Numeric("y"), Nominal("position", ("inside", "outside"))
    schema = Schema(columns, ("feature", "feature", "target"), "ring")
    return Table(schema, [x, y, (x**2 + y**2 > 0.4).astype(np.int32)])  # noqa: PLR2004 - the squared radius


def draw_ring() -> None:
    """No straight line separates the classes; a plane over x², xy and y² does, and the kernel never computes these."""
    rows = ring(150)
    for kernel, title in (("linear", "A plane over x and y"), ("polynomial", "A plane over products, by (x·y + 1)²")):
        svm = hornbeam.SVMClassifier(kernel=kernel, degree=2, C=100.0).fit(rows)
        picture = hornbeam.show.decision_regions(svm, rows, title=title)
        Path(f"kernel-{kernel}.svg").write_text(picture, encoding="utf-8")
        print(f"{title}: {svm.score(rows):.0%} of the rows right; picture: kernel-{kernel}.svg")


def main() -> None:
    """Compare time and predictions for one to four factors."""
    x, y = drawn(300, 6)
    hornbeam.SVMClassifier().fit(x, y)  # so that imports on first use are not part of the time
    print("factors  products  s explicit  s kernel  max difference  same class")
    for n in (1, 2, 3, 4):
        start = time.process_time()
        explicit = hornbeam.SVMClassifier(kernel="linear", products=n, tol=1e-6).fit(x, y)
        middle = time.process_time()
        trick = hornbeam.SVMClassifier(kernel="polynomial", degree=n, coef0=0.0, tol=1e-6).fit(x, y)
        end = time.process_time()
        by_products, by_kernel = explicit.decision_function(x), trick.decision_function(x)
        same = np.mean((by_products > 0) == (by_kernel > 0))
        print(
            f"{n:7}  {count_products(6, n):8}  {middle - start:10.3f}  {end - middle:8.3f}  "
            f"{np.abs(by_products - by_kernel).max():14.1e}  {same:10.1%}"
        )
    print(f"\n10 columns and 5 factors would be {count_products(10, 5)} products; the kernel takes no more time.\n")

    draw_ring()
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
