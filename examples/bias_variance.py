# ruff: noqa: INP001, T201 - a program that prints, in no package
"""Error = noise + bias + variance, where the truth is known: polynomials, trees, more rows, bags of trees, and classes.

Run it with `python examples/bias_variance.py`; `--pictures FOLDER` draws the same as charts (needs matplotlib).
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
WRONG = 0.1  # chance of a wrong class
ROWS, MANY = 20, 300
DEPTHS = (1, 2, 3, 4, 5, None)


def sine(x: np.ndarray) -> np.ndarray:
    """The truth about a number."""
    return np.sin(2 * np.pi * x)


def numbers(x: np.ndarray, chance: np.random.Generator) -> hornbeam.Table:
    """A table of places and noisy values."""
    schema = hornbeam.Schema((hornbeam.Numeric("x"), hornbeam.Numeric("y")), name="noisy sine").assign({"y": "target"})
    return hornbeam.Table(schema, [x, sine(x) + NOISE * chance.normal(size=len(x))])


def above(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The truth about a class: which side of a slanted line a point is on."""
    return (y > x).astype(np.int32)


def classes(rows: int, chance: np.random.Generator) -> hornbeam.Table:
    """A table of points in the unit square and their sides, some of them wrong."""
    columns = (hornbeam.Numeric("x"), hornbeam.Numeric("y"), hornbeam.Nominal("side", ("below", "above")))
    x, y = chance.random(rows), chance.random(rows)
    side = above(x, y) ^ (chance.random(rows) < WRONG)
    schema = hornbeam.Schema(columns, name="two sides").assign({"side": "target"})
    return hornbeam.Table(schema, [x, y, side.astype(np.int32)])


def sample(rows: int = ROWS) -> object:
    """A function that gives fresh tables."""
    return lambda chance: numbers(np.linspace(0, 1, rows), chance)


def by_degree() -> BiasVarianceCurve:
    """Polynomials of rising degree."""
    return bias_variance_curve(hornbeam.PolynomialRegressor(), sample(), "degree", range(1, 10), **test())


def by_depth() -> BiasVarianceCurve:
    """Regression trees of rising depth."""
    tree = hornbeam.TreeRegressor(min_samples_leaf=1)
    return bias_variance_curve(tree, sample(), "max_depth", DEPTHS, **test())


def of_classes() -> BiasVarianceCurve:
    """Trees of rising depth for classes: cuts along the axes, and a slanted truth."""
    rows = classes(MANY, np.random.default_rng(6))
    best, tree = above(rows.columns[0], rows.columns[1]), hornbeam.TreeClassifier()
    return bias_variance_curve(tree, lambda chance: classes(100, chance), "max_depth", DEPTHS, test=rows, truth=best)


def test() -> dict[str, object]:
    """The rows to predict, and their true values."""
    chance = np.random.default_rng(5)
    x = chance.random(MANY)
    return {"test": numbers(x, chance), "truth": sine(x)}


def main() -> None:
    """Print the study; draw it where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    asked = parser.parse_known_args()[0]
    warnings.simplefilter("ignore", FewRowsWarning)  # of few rows this is about

    curves = {"degree": by_degree(), "depth": by_depth(), "classes": of_classes()}
    for curve in curves.values():
        print(curve.text(), end="\n\n")

    print("Degree 9, more and more rows:")
    for rows in (15, 30, 60, 120):
        loss = bias_variance(hornbeam.PolynomialRegressor(9), sample(rows), **test(), rounds=50).loss
        print(f"{rows:6} rows: bias² {loss.bias:8.4f}, variance {loss.variance:8.4f}, expected error {loss.error:8.4f}")

    print("\nA whole tree, and a bag of 20:")
    tree = hornbeam.TreeRegressor(min_samples_leaf=1)
    for name, learner in {"tree": tree, "bag": hornbeam.BaggingRegressor(tree, 20, n_jobs=1)}.items():
        loss = bias_variance(learner, sample(), **test(), rounds=20).loss
        print(f"{name:>6}: bias² {loss.bias:8.4f}, variance {loss.variance:8.4f}, expected error {loss.error:8.4f}")

    if asked.pictures is not None:
        asked.pictures.mkdir(parents=True, exist_ok=True)
        for name, curve in curves.items():
            plot.save(curve.chart(), asked.pictures / f"bias-variance-{name}.svg")


if __name__ == "__main__":
    main()
