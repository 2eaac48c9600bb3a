# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""Noise, bias and variance on simulated data: polynomials, trees, more rows, bagged trees, and classes.

Run it with `python examples/bias_variance.py`; `--pictures FOLDER` also draws charts (needs matplotlib).
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

import hornbeam
from hornbeam.evaluate import BiasVarianceCurve, bias_variance, bias_variance_curve
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.show import plot

NOISE = 0.3  # standard deviation; its square is the error that no model can avoid
WRONG = 0.1  # probability of a wrong class
ROWS, MANY = 20, 300
DEPTHS = (1, 2, 3, 4, 5, None)


def sine(x: np.ndarray) -> np.ndarray:
    """The true value of y."""
    return np.sin(2 * np.pi * x)


def numbers(x: np.ndarray, random: np.random.Generator) -> hornbeam.Table:
    """A table of x and noisy y."""
    schema = hornbeam.Schema((hornbeam.Numeric("x"), hornbeam.Numeric("y")), name="noisy sine").assign({"y": "target"})
    return hornbeam.Table(schema, [x, sine(x) + NOISE * random.normal(size=len(x))])


def above(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The true class: which side of a diagonal line a point is on."""
    return (y > x).astype(np.int32)


def classes(rows: int, random: np.random.Generator) -> hornbeam.Table:
    """A table of points in the unit square with their classes, some of them wrong."""
    columns = (hornbeam.Numeric("x"), hornbeam.Numeric("y"), hornbeam.Nominal("side", ("below", "above")))
    x, y = random.random(rows), random.random(rows)
    side = above(x, y) ^ (random.random(rows) < WRONG)
    schema = hornbeam.Schema(columns, name="two sides").assign({"side": "target"})
    return hornbeam.Table(schema, [x, y, side.astype(np.int32)])


def sample(rows: int = ROWS) -> object:
    """A function that draws a new table."""
    return lambda random: numbers(np.linspace(0, 1, rows), random)


def by_degree() -> BiasVarianceCurve:
    """Polynomials of increasing degree."""
    return bias_variance_curve(hornbeam.PolynomialRegressor(), sample(), "degree", range(1, 10), **test())


def by_depth() -> BiasVarianceCurve:
    """Regression trees of increasing depth."""
    tree = hornbeam.TreeRegressor(min_samples_leaf=1)
    return bias_variance_curve(tree, sample(), "max_depth", DEPTHS, **test())


def of_classes() -> BiasVarianceCurve:
    """Classification trees of increasing depth: their cuts are parallel to the axes, the true boundary is diagonal."""
    rows = classes(MANY, np.random.default_rng(6))
    best, tree = above(rows.columns[0], rows.columns[1]), hornbeam.TreeClassifier()
    return bias_variance_curve(tree, lambda random: classes(100, random), "max_depth", DEPTHS, test=rows, truth=best)


def test() -> dict[str, object]:
    """The rows to predict, and their true values."""
    random = np.random.default_rng(5)
    x = random.random(MANY)
    return {"test": numbers(x, random), "truth": sine(x)}


def main() -> None:
    """Print the results; draw them if requested."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    arguments = parser.parse_known_args()[0]
    warnings.simplefilter("ignore", FewRowsWarning)  # this example is about few rows

    curves = {"degree": by_degree(), "depth": by_depth(), "classes": of_classes()}
    for curve in curves.values():
        print(curve.text(), end="\n\n")

    print("Degree 9, more and more rows:")
    for rows in (15, 30, 60, 120):
        loss = bias_variance(hornbeam.PolynomialRegressor(9), sample(rows), **test(), rounds=50).loss
        print(f"{rows:6} rows: bias² {loss.bias:8.4f}, variance {loss.variance:8.4f}, expected error {loss.error:8.4f}")

    print("\nOne unpruned tree, and 20 bagged trees:")
    tree = hornbeam.TreeRegressor(min_samples_leaf=1)
    for name, learner in {"tree": tree, "bagged": hornbeam.BaggingRegressor(tree, n_estimators=20, n_jobs=1)}.items():
        loss = bias_variance(learner, sample(), **test(), rounds=20).loss
        print(f"{name:>6}: bias² {loss.bias:8.4f}, variance {loss.variance:8.4f}, expected error {loss.error:8.4f}")

    if arguments.pictures is not None:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
        for name, curve in curves.items():
            plot.save(curve.chart(), arguments.pictures / f"bias-variance-{name}.svg")


if __name__ == "__main__":
    main()
