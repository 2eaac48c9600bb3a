"""Two directions in which the rows of a table differ most: principal components of numbers and categories.

Every column weighs the same: numbers are brought to variance one, a nominal column becomes an indicator for each
category, and these have variance one together. A missing value is the mean, which says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

    Floats = NDArray[np.float64]

MOST_CATEGORIES = 50  # the most frequent ones of a column; rarer ones together move nothing
ALMOST = 1e-12  # a variance below this share of the column's size is rounding
NAME_CHARS = 18
MINUS = "\N{MINUS SIGN}"
TOLD = 3  # columns named beside a direction
LEAST_TOLD = 0.2  # of the greatest weight


@dataclass(frozen=True, eq=False)
class Components:
    """Rows along two directions.

    Parameters
    ----------
    places : array of shape (rows, 2)
        Where each row lies.
    shares : array of shape (2,)
        The share of the variance along each direction.
    names : list of str
        Of the columns and categories that directions are made of.
    weights : array of shape (names, 2)
        How much each moves a row along a direction.
    """

    places: Floats
    shares: Floats
    names: list[str]
    weights: Floats

    def words(self, direction: int) -> str:
        """Which columns a direction is made of, in words, the heaviest first."""
        weights = self.weights[:, direction]
        order = np.argsort(-np.abs(weights).round(9), kind="stable")[:TOLD]
        heavy = [f for f in order.tolist() if abs(weights[f]) >= LEAST_TOLD * abs(weights[order[0]]) > 0]
        return ", ".join(f"{'+' if weights[f] > 0 else MINUS} {self.names[f]}" for f in heavy)


def components(table: Table) -> Components:
    """Find the two directions.

    Parameters
    ----------
    table : Table
        Its features are looked at.

    Returns
    -------
    Components
        Directions in which nothing differs have share 0, and rows lie at 0. The heaviest weight of each is positive.

    Examples
    --------
    >>> import hornbeam
    >>> found = components(hornbeam.read("iris"))
    >>> found.shares.round(2).tolist(), found.words(0)
    ([0.73, 0.23], '+ petallength, + petalwidth, + sepallength')
    """
    names, matrix = _ready(table)
    n, d = matrix.shape
    weights, values = np.zeros((d, 2)), np.zeros(2)
    if n and d:
        across = d <= n  # whichever product is smaller
        square = matrix.T @ matrix if across else matrix @ matrix.T
        found, directions = np.linalg.eigh(square)
        for place in range(min(2, len(found))):
            value, direction = found[-1 - place], directions[:, -1 - place]
            if value <= ALMOST * max(found[-1], ALMOST):
                continue
            if not across:
                direction = matrix.T @ direction / np.sqrt(value)
            heaviest = int(np.argmax(np.abs(direction).round(9)))
            weights[:, place], values[place] = direction * np.sign(direction[heaviest]), value
    whole = float((matrix**2).sum())
    return Components(matrix @ weights, values / whole if whole > 0 else values, names, weights)


def _ready(table: Table) -> tuple[list[str], Floats]:
    names: list[str] = []
    parts: list[Floats] = []
    for place in table.schema.features:
        column, values = table.schema.columns[place], table.columns[place]
        name = printable(column.name, NAME_CHARS)
        if isinstance(column, Nominal):
            known = values >= 0
            counts = np.bincount(values[known], minlength=len(column.categories))
            codes = sorted(c for c in np.argsort(-counts, kind="stable")[:MOST_CATEGORIES].tolist() if counts[c])
            codes = codes[1:] if len(codes) == 2 else codes  # noqa: PLR2004 - the one says all about the other
            usual = counts / max(int(known.sum()), 1)
            block = np.array([np.where(known, values == code, usual[code]) for code in codes])
            found = [f"{name} = {printable(column.categories[code], NAME_CHARS)}" for code in codes]
        else:
            known = ~np.isnan(values)
            size = float(np.abs(values[known]).max(initial=0.0)) or 1.0  # squares of any are finite then
            scaled = values / size
            block, found = np.where(known, scaled, scaled[known].mean() if known.any() else 0.0)[np.newaxis], [name]
        if not len(block):
            continue
        block = block - block.mean(axis=1, keepdims=True)
        width = float(np.sqrt((block**2).sum(axis=0).mean()))
        if width > ALMOST:
            parts.append(block / width)
            names += found
    return names, np.concatenate(parts).T if parts else np.zeros((table.n_rows, 0))
