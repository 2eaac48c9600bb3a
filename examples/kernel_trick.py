# ruff: noqa: INP001, T201 - a program that prints, in no package
"""The kernel trick: all products of n columns, made one by one, against a kernel that never makes them.

With c columns there are C(c + n - 1, n) products of n factors: a plane over them is a curved boundary over the columns.
The kernel (x·y)^n gives the same boundary from products of rows alone. Run it with `python examples/kernel_trick.py`:
it prints how many products there are, what both cost, and how far their predictions differ; and draws pictures into the
current folder: a class within a ring of the other, by a plane and by a kernel, and the margin of two columns.
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
    """Give rows whose class depends on products of columns."""
    x = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return x, (x[:, 0] * x[:, 1] * x[:, 2] > 0).astype(int)


def ring(n_rows: int) -> Table:
    """Give rows of a plane; the class says whether a row lies near the middle."""
    x, y = np.random.default_rng(1).uniform(-1, 1, size=(2, n_rows))
    columns = Numeric("x"), Numeric("y"), Nominal("lies", ("within", "without"))
    schema = Schema(columns, ("feature", "feature", "target"), "ring")
    return Table(schema, [x, y, (x**2 + y**2 > 0.4).astype(np.int32)])  # noqa: PLR2004 - where the ring begins


def draw_ring() -> None:
    """No straight line parts the two; a plane over x², xy and y² does, and the kernel never makes these."""
    rows = ring(150)
    for kernel, title in (("linear", "A plane over x and y"), ("polynomial", "A plane over products, by (x·y + 1)²")):
        svm = hornbeam.SVMClassifier(kernel=kernel, degree=2, C=100.0).fit(rows)
        picture = hornbeam.show.decision_regions(svm, rows, title=title)
        Path(f"kernel-{kernel}.svg").write_text(picture, encoding="utf-8")
        print(f"{title}: {svm.score(rows):.0%} of the rows right; picture: kernel-{kernel}.svg")


def main() -> None:
    """Compare cost and predictions for more and more factors."""
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
    print(
        f"\n10 columns and 5 factors would be {count_products(10, 5)} products; the kernel costs what it did before.\n"
    )

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
