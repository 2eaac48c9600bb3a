"""The fixed part of every exported Python file: predicts rows with a model given as plain data.

It needs only the standard library. Nothing in it depends on the model, and no text of a model is ever run. Sums are
taken in the order of the compiled kernels, so that predictions are equal.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.export.runtimes.python_models import MODELS, greatest, in_order

TIE = 1e-6  # summed probabilities that differ by less are a tie, which the first class wins
LEAST_SHARE = 1e-6  # a branch with at most this fraction of the rows gets no fraction of a row
NEAR = 1e-9  # probabilities, and costs relative to the greatest, that differ by less are equal
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
DATE = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?)?")


# ---- rows: one number per column; a category is its code, a missing value is NaN ----


def number_of(value, column):
    """Return the number of a value, NaN for an empty text; raise an error if it is not a finite number."""
    number = value
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return math.nan
        number = None
        if PLAIN_NUMBER.fullmatch(text):
            number = float(text)
        elif column.get("format") and DATE.fullmatch(text):
            number = seconds_of(text)
    if isinstance(number, (int, float)) and math.isfinite(number):
        return float(number)
    expected = "a date such as 2024-02-29 or 2024-02-29 13:45" if column.get("format") else "a finite number"
    raise ValueError(f"column {column['name']!r} has {value!r}; expected {expected}")


def seconds_of(text):
    """Return the seconds from 1970 to a date."""
    day, time = DATE.fullmatch(text).groups()
    return datetime.fromisoformat(f"{day}T{time or '00:00'}").replace(tzinfo=timezone.utc).timestamp()


def values_of(columns, codes, row):
    """Return the values of a row (a mapping of column names to values)."""
    values = []
    for column, code_of in zip(columns, codes):
        value = row.get(column["name"])
        if value is None or value != value:
            values.append(math.nan)
        elif column["kind"] == "numeric":
            values.append(number_of(value, column))
        else:
            values.append(code_of.get(str(value), math.nan))
    return values


# ---- from outputs to a prediction ----


def model_of(plain):
    """Make the function of a model of any kind."""
    return MODELS[plain["kind"]](plain)


def least_cost(outputs, costs, possible):
    """Return the class of least expected cost."""
    expected = [in_order(value * row[label] for value, row in zip(outputs, costs)) for label in range(len(costs))]
    slack = NEAR * max(max(row) for row in costs)
    least = min(cost for cost, may in zip(expected, possible) if may) + slack
    return next(label for label, cost in enumerate(expected) if possible[label] and cost <= least)


def decided(outputs, label, decide):
    """Choose a class by costs, by a threshold, or as the model does."""
    possible = decide.get("withRows") or [True] * len(outputs)
    if "overall" in decide and not sum(outputs) > 0:
        outputs = decide["overall"]
    if "costs" in decide:
        return outputs, least_cost(outputs, decide["costs"], possible)
    if "threshold" in decide:
        if not all(possible):
            return outputs, possible.index(True)
        return outputs, int(outputs[1] >= decide["threshold"] - NEAR)
    return outputs, greatest(outputs) if label < 0 else label


class Predictor:
    """A model that predicts rows, each a mapping of column names to numbers, texts or None."""

    def __init__(self, program):
        self.columns, self.target = program["columns"], program["target"]
        self.codes = [
            {name: code for code, name in reversed(list(enumerate(column.get("categories", ()))))}
            for column in self.columns
        ]
        self.decide = program.get("decide") or {}
        self.model = model_of(program["model"])

    def result(self, row):
        """Return the prediction (a class, a number, or None) and the probabilities by class (None for numbers)."""
        outputs, label = self.model(values_of(self.columns, self.codes, row))
        if self.target["kind"] == "numeric":
            return (outputs[0] if outputs[0] == outputs[0] else None), None
        outputs, label = decided(outputs, label, self.decide)
        classes = self.target["categories"]
        return (classes[label] if label >= 0 else None), dict(zip(classes, outputs))

    def predict(self, rows):
        """Return the predictions of rows."""
        return [self.result(row)[0] for row in rows]

    def predict_proba(self, rows):
        """Return the probabilities of the classes for rows, one mapping per row."""
        return [self.result(row)[1] for row in rows]


def main(predictor, paths):
    """Predict the rows of CSV files, or of the standard input, and write the predictions as CSV."""
    classes = predictor.target.get("categories", ())
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["prediction", *classes])
    for path in paths or ["-"]:
        with open(path, encoding="utf-8-sig", newline="") if path != "-" else sys.stdin as file:
            for row in csv.DictReader(file):
                prediction, probabilities = predictor.result({name: value or None for name, value in row.items()})
                out.writerow([prediction, *(probabilities[name] for name in classes)])
