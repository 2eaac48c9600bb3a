# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""Fit curves to a noisy sine: coefficients and errors against degree, ridge and the number of rows.

Run it with `python examples/curve_fitting.py`; `--pictures FOLDER` also draws charts (needs matplotlib).
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path

import numpy as np

from hornbeam import PolynomialRegressor
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.show import plot

NOISE = 0.3
DEGREES = range(10)
LOGARITHMS = (-math.inf, *range(-36, 3, 2))  # natural logarithms of the ridge penalty
SIZES = (10, 12, 15, 20, 30, 50, 100, 200, 500)
MANY = 1000


def sample(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of the sine with noise, evenly spaced over the unit interval."""
    x = np.linspace(0, 1, rows)
    return x[:, None], np.sin(2 * np.pi * x) + NOISE * np.random.default_rng(seed).normal(size=rows)


def fit(rows: int, degree: int, logarithm: float = -math.inf) -> PolynomialRegressor:
    """A polynomial fitted to a number of points; exp(-inf) means no ridge penalty."""
    return PolynomialRegressor(degree, ridge=math.exp(logarithm)).fit(*sample(rows, seed=4))


def rms(curve: PolynomialRegressor, x: np.ndarray, y: np.ndarray) -> float:
    """Root mean squared error."""
    return float(np.sqrt(np.mean((curve.predict(x) - y) ** 2)))


def errors(curve: PolynomialRegressor, rows: int) -> tuple[float, float]:
    """Error on the training points, and on many test points."""
    return rms(curve, *sample(rows, seed=4)), rms(curve, *sample(MANY, seed=5))


def print_coefficients(curves: dict[str, PolynomialRegressor]) -> None:
    """Print one column per curve and one line per power."""
    print("      " + "".join(f"{name:>16}" for name in curves))
    for power in DEGREES:
        cells = []
        for curve in curves.values():
            found = list(curve.coefficients_.values())
            cells.append(f"{found[power]:16.2f}" if power < len(found) else " " * 16)
        print(f"  w{power}  " + "".join(cells))


def print_errors(name: str, found: dict[float, tuple[float, float]]) -> None:
    """Print a line for each degree, ridge or number of rows."""
    print(f"{name:>12}  training    test")
    for place, (training, test) in found.items():
        print(f"{place:12g}  {training:8.3f}  {test:6.3f}")


def draw(folder: Path, by: dict[str, dict[float, tuple[float, float]]]) -> None:
    """Draw the results as charts."""
    folder.mkdir(parents=True, exist_ok=True)
    x, y = sample(10, seed=4)
    fine = np.linspace(0, 1, 201)[:, None]
    curves = {f"M = {degree}": fit(10, degree).predict(fine) for degree in (0, 1, 3, 9)}
    axes = plot.line(fine[:, 0], curves, title="Polynomials of degree M", x_label="x", y_label="y")
    axes.set_ylim(-2, 2)
    plot.save(plot.scatter(x[:, 0], y, axes=axes), folder / "curves.svg")
    labels = {"degree": "degree M", "ridge": "logarithm of the ridge", "rows": "rows"}
    for name, found in by.items():
        known = {place: pair for place, pair in found.items() if math.isfinite(place)}
        lines = {kind: [pair[i] for pair in known.values()] for i, kind in enumerate(("training", "test"))}
        title = {"degree": "Error by degree", "ridge": "Error by ridge, M = 9", "rows": "Error by rows, M = 9"}[name]
        axes = plot.line(list(known), lines, title=title, x_label=labels[name], y_label="root mean squared error")
        axes.set_ylim(0, 1)
        if name == "rows":
            axes.set_xscale("log")
        plot.save(axes, folder / f"error-by-{name}.svg")
    for name, sized in {
        "degree": {f"M = {degree}": fit(10, degree) for degree in (1, 3, 6, 9)},
        "ridge": {f"ln ridge = {k:g}": fit(10, 9, k) for k in (-math.inf, -18, 0)},
    }.items():
        curve_sizes = {}
        for label, curve in sized.items():
            size = np.full(len(DEGREES), np.nan)
            found_sizes = np.abs(list(curve.coefficients_.values()))
            size[: len(found_sizes)] = found_sizes
            curve_sizes[label] = size
        axes = plot.line(list(DEGREES), curve_sizes, title=f"Coefficients by {name}", x_label="power", y_label="size")
        axes.set_yscale("log")
        plot.save(axes, folder / f"coefficients-by-{name}.svg")


def main() -> None:
    """Print the results; draw them if requested."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    arguments = parser.parse_known_args()[0]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FewRowsWarning)
        fit(10, 9)
    print(f"warning: {caught[0].message}\n")
    warnings.simplefilter("ignore", FewRowsWarning)

    print("Coefficients by degree, from 10 points:")
    print_coefficients({f"M = {degree}": fit(10, degree) for degree in (0, 1, 3, 9)})
    print("\nCoefficients by ridge, M = 9:")
    print_coefficients({f"ln = {k:g}": fit(10, 9, k) for k in (-math.inf, -18, 0)})

    by = {
        "degree": {degree: errors(fit(10, degree), 10) for degree in DEGREES},
        "ridge": {k: errors(fit(10, 9, k), 10) for k in LOGARITHMS},
        "rows": {rows: errors(fit(rows, 9), rows) for rows in SIZES},
    }
    for name, found in by.items():
        print(f"\nRoot mean squared error by {name}{'' if name == 'degree' else ', M = 9'}:")
        print_errors({"ridge": "ln ridge"}.get(name, name), found)
    if arguments.pictures is not None:
        draw(arguments.pictures, by)


if __name__ == "__main__":
    main()
