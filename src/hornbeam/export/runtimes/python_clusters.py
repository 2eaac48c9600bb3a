"""The part of the Python runtime for clusters: centers, and mixtures of distributions.

As in python.py nothing depends on the model.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.export.runtimes.python import greatest
    from hornbeam.export.runtimes.python_models import in_order

LOG_TWO_PI = 1.8378770664093453
IMPOSSIBLE = -1e299  # a row whose log-densities are all at most this is impossible in every component
LOG_NORMAL, LOG_ODDS = 1, 2  # scales of numbers; 0: as they are


# ---- centers ----


def centers_of(plain):
    """Make the function of centers: outputs are 1 for the nearest one, the first in a tie, else 0."""

    def predict(values):
        costs = []
        for numbers, codes in zip(plain["numbers"], plain["codes"]):
            total = 0.0
            for (column, center, width, stretch), middle in zip(plain["scales"], numbers):
                value = values[column]
                if value == value:
                    away = ((value - center) / width if width > 0 else 0.0) * stretch - middle
                    total += away * away
            for (column, weight), code in zip(plain["nominal"], codes):
                if values[column] == values[column] and values[column] != code:
                    total += weight
            costs.append(total)
        label = min(range(len(costs)), key=costs.__getitem__)
        return [float(k == label) for k in range(len(costs))], label

    return predict


# ---- mixtures ----


def placed(value, scale, low, high):
    """Transform a number to the scale on which it is normal; NaN if it is missing or impossible."""
    if scale == LOG_NORMAL:
        return math.log(value - low) if value > low else math.nan
    if scale == LOG_ODDS:
        return math.log(value - low) - math.log(high - value) if low < value < high else math.nan
    return value


def is_count(value):
    """Whether a value is a whole number of at least 0."""
    return value >= 0 and value == math.floor(value)


def factored(matrix, known):
    """Return the known part of a covariance matrix as L D L': the rows of L before the diagonal, and D."""
    lower, pivots = [], []
    for i in known:
        row, left = [], []
        for j, other in enumerate(lower):
            left.append(matrix[i][known[j]] - in_order(a * b for a, b in zip(left, other)))
            row.append(left[j] / pivots[j])
        pivots.append(matrix[i][i] - in_order(a * b for a, b in zip(left, row)))
        lower.append(row)
    return lower, pivots


def correlated(lower, pivots, apart):
    """Return minus twice the logarithm of a normal density, of numbers given as differences from their means."""
    total, turned = 0.0, []
    for row, pivot, away in zip(lower, pivots, apart):
        turned.append(away - in_order(a * b for a, b in zip(row, turned)))
        total += turned[-1] * turned[-1] / pivot + math.log(pivot) + LOG_TWO_PI
    return total


def independent(deviations, logs, known, apart):
    """Return minus twice the logarithm of a normal density of independent columns."""
    scaled = [away / deviations[f] for f, away in zip(known, apart)]
    return in_order(away * away + logs[f] for f, away in zip(known, scaled))


def mixture_of(plain):
    """Make the function of a mixture: the probabilities of its components."""

    def densities(values):
        numbers = [placed(values[column], *scale) for column, *scale in plain["numbers"]]
        known = [f for f, number in enumerate(numbers) if number == number]
        counts = [(f, values[column]) for f, column in enumerate(plain["counts"]) if is_count(values[column])]
        cells = [
            sum(
                step * (int(values[column]) if values[column] == values[column] else missing)
                for column, missing, step in zip(group["columns"], group["codes"], group["steps"])
            )
            for group in plain["groups"]
        ]
        factors = [factored(matrix, known) for matrix in plain.get("matrices", ())]
        for k, base in enumerate(plain["base"]):
            total = base
            for group, cell in zip(plain["groups"], cells):
                total += group["cells"][k][cell]
            apart = [numbers[f] - plain["means"][k][f] for f in known]
            if factors:
                total -= 0.5 * correlated(*factors[min(k, len(factors) - 1)], apart)
            else:
                total -= 0.5 * independent(plain["deviations"][k], plain["logs"][k], known, apart)
            rates, logs = plain["rates"][k], plain["logRates"][k]
            for f, count in counts:
                total += count * logs[f] - rates[f]
            yield total

    def predict(values):
        found = list(densities(values))
        most = max(found)
        if not most > IMPOSSIBLE:
            return plain["weights"], greatest(plain["weights"])
        shares = [math.exp(each - most) for each in found]
        total = in_order(shares)
        outputs = [share / total for share in shares]
        return outputs, greatest(outputs)

    return predict


CLUSTERS = {"centers": centers_of, "mixture": mixture_of}
