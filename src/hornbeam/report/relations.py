"""The relation of each column to the target: information gain, gain ratio, chi-square; variance explained.

Numbers are divided into intervals with about equally many rows, without using the target, so that the tests are valid.
Rows without the value are left out of a column's statistics.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain
from hornbeam.learn.trees.criteria import chi_square, gain_ratio, information_gain
from hornbeam.report.parts import parts_of

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.data.table import Table

BINS = 10


@dataclass(frozen=True, slots=True)
class Relation(Plain):
    """One column against the target."""

    column: str  # its name
    rows: int  # rows in which both are known
    parts: int  # categories that occur, or intervals of numbers
    # gain, gain_ratio: information gain in bits and gain ratio; for classes
    gain: float | None
    gain_ratio: float | None
    explained: float | None  # fraction of the target's variance between the means of the parts; for numbers
    # statistic, degrees, p_value: Pearson's chi-square test (classes), or the F-test of the parts' means (numbers),
    # with degrees of freedom
    statistic: float
    degrees: tuple[int, ...]
    p_value: float

    @property
    def strength(self) -> float:
        """The gain or the variance explained in rows with the value."""
        return self.explained if self.explained is not None else self.gain or 0.0

    @property
    def adjusted(self) -> float:
        """The strength minus what a random column with as many parts would have."""
        if not self.rows:
            return 0.0
        if self.explained is None:  # the expected gain by chance is the degrees of freedom over 2 n ln 2
            return self.strength - self.degrees[0] / (2 * self.rows * math.log(2))
        free = self.degrees[1] if len(self.degrees) > 1 else 0
        return 1 - (1 - self.explained) * (self.rows - 1) / free if free else 0.0


def relations(table: Table) -> tuple[Relation, ...]:
    """Measure the relation of each feature to the target, strongest first; missing values count as no relation.

    The order is that of the adjusted strength, so that a column with a category for nearly every row is not first.

    Parameters
    ----------
    table : Table
        With a target. Each row counts once, regardless of its weight.

    Examples
    --------
    >>> import hornbeam
    >>> best = relations(hornbeam.read("weather"))[0]
    >>> best.column, round(best.gain, 3), round(best.gain_ratio, 3), round(best.p_value, 2)
    ('outlook', 0.247, 0.156, 0.17)
    """
    related = [_relation(table, position) for position in table.schema.features]
    return tuple(sorted(related, key=lambda relation: -relation.adjusted * relation.rows))


def _relation(table: Table, position: int) -> Relation:
    parts, target = parts_of(table, position, BINS), table.schema.target_column
    truth = table.target_values()
    known = (parts.codes >= 0) & ~target.missing(truth)
    codes, truth = parts.codes[known].astype(np.int64), truth[known]
    name, rows = table.schema.columns[position].name, len(codes)
    if isinstance(target, Nominal):
        classes = len(target.categories)
        counts = np.bincount(codes * classes + truth, minlength=len(parts.names) * classes).reshape(-1, classes)
        if not counts.size:
            return Relation(name, rows, 0, 0.0, 0.0, None, 0.0, (0,), 1.0)
        test = chi_square(counts)
        occurring = int(np.count_nonzero(counts.sum(axis=1)))
        gain = max(information_gain(counts), 0.0)  # below zero only by rounding
        ratio = max(gain_ratio(counts), 0.0)
        return Relation(name, rows, occurring, gain, ratio, None, test.statistic, (test.degrees,), test.p_value)
    return Relation(name, rows, *_explained(codes, truth, len(parts.names)))


def _explained(
    codes: Ints64, truth: Floats, n_parts: int
) -> tuple[int, None, None, float, float, tuple[int, int], float]:
    """Count the parts that occur, and give the fraction of variance between their means with its F-test."""
    from scipy.special import fdtrc  # noqa: PLC0415 - only numbers need it

    counts = np.bincount(codes, minlength=n_parts)
    occurring = int(np.count_nonzero(counts))
    degrees = (max(occurring - 1, 0), max(len(truth) - occurring, 0))
    if not degrees[0] or (truth == truth[0]).all():  # by rounding, equal targets may differ from their mean
        return occurring, None, None, 0.0, 0.0, degrees, 1.0
    centered = truth - truth.mean()
    total = float(centered @ centered)
    sums = np.bincount(codes, centered, n_parts)
    between = float((sums[counts > 0] ** 2 / counts[counts > 0]).sum())
    share = min(between / total, 1.0)
    within = max(total - between, 0.0)
    if not degrees[1]:
        return occurring, None, None, share, math.nan, degrees, 1.0
    if within <= 1e-12 * total:  # only rounding is left
        return occurring, None, None, share, math.inf, degrees, 0.0
    statistic = between / degrees[0] / (within / degrees[1])
    return occurring, None, None, share, statistic, degrees, float(fdtrc(*degrees, statistic))
