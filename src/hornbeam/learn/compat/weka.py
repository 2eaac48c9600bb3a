"""Details of WEKA: its random numbers, shuffles and folds, and learners that ignore row weights.

Most are functions that return row numbers, for `Table.take`.
Random numbers follow the published definition of Java's ``java.util.Random``, a 48-bit linear congruential generator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hornbeam.data.dates import show
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.estimator import TableEstimator, unweighted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Indices
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table

MULTIPLIER: Final = 0x5DEECE66D
INCREMENT: Final = 0xB
STATE_MASK: Final = (1 << 48) - 1
WHOLE_BITS: Final = 31  # random integers are made from this many bits
REAL_BITS: Final = (26, 27)  # random fractions are made from two draws of these many bits


class IgnoresWeights(TableEstimator):
    """A mixin for learners whose counterpart in the reference program ignores row weights."""

    compat: Any

    def _weighted(self, table: Table) -> Table:
        return super()._weighted(table if self.compat is None else unweighted(table))


class JavaRandom:
    """Java's pseudo-random generator.

    Parameters
    ----------
    seed : int
        Any whole number; as in Java only its lowest 48 bits count.

    Examples
    --------
    >>> random = JavaRandom(1)
    >>> [random.next_int(10) for _ in range(5)]
    [5, 8, 7, 3, 4]
    >>> JavaRandom(1).next_double()
    0.7308781907032909
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ MULTIPLIER) & STATE_MASK

    @property
    def state(self) -> int:
        """The state of the generator, for kernels that continue with it."""
        return self._state

    def next(self, bits: int) -> int:
        """Draw `bits` random bits (1 to 48) as a whole number that is not negative."""
        self._state = (self._state * MULTIPLIER + INCREMENT) & STATE_MASK
        return self._state >> (48 - bits)

    def next_int(self, below: int) -> int:
        """Draw a whole number from 0 to `below` - 1; `below` is from 1 to 2**31 - 1."""
        if not 1 <= below < 1 << WHOLE_BITS:
            msg = f"the bound of a random number is {below}; expected a whole number from 1 to {(1 << WHOLE_BITS) - 1}"
            raise ValueError(msg)
        bits = self.next(WHOLE_BITS)
        if below & (below - 1) == 0:
            return (below * bits) >> WHOLE_BITS
        value = bits % below
        # The last, incomplete run of `below` numbers is rejected, or small values would be too frequent.
        while bits - value + below - 1 >= 1 << WHOLE_BITS:
            bits = self.next(WHOLE_BITS)
            value = bits % below
        return value

    def next_double(self) -> float:
        """Draw a number from 0 up to, not including, 1."""
        high, low = REAL_BITS
        return ((self.next(high) << low) + self.next(low)) / (1 << (high + low))


def shuffled(n: int, random: JavaRandom) -> Indices:
    """Shuffle the numbers 0 to n - 1: from the last down, each is swapped with a random one up to itself.

    Parameters
    ----------
    n : int
        The number of rows.
    random : JavaRandom
        Advanced by n - 1 draws (and rejected ones).

    Returns
    -------
    array of int
        The row at each position.

    Examples
    --------
    >>> shuffled(6, JavaRandom(1)).tolist()
    [4, 2, 0, 1, 5, 3]
    """
    order = list(range(n))
    for last in range(n - 1, 0, -1):
        other = random.next_int(last + 1)
        order[last], order[other] = order[other], order[last]
    return np.array(order, dtype=np.intp)


def stratified(classes: ArrayLike, k: int) -> Indices:
    """Order rows so that k equal blocks have about the same proportions of classes.

    Rows are grouped by class, in order of the classes' first rows, by swapping each row forward (which changes the
    order of the rest), and then distributed: rows 0, k, 2k, ..., then 1, k + 1, ..., and so on.

    Parameters
    ----------
    classes : array-like of int
        The class code of each row; -1 (unknown) is a class like the others.
    k : int
        Number of blocks.

    Returns
    -------
    array of int
        The row at each position.

    Examples
    --------
    >>> stratified([0, 1, 0, 1, 0, 1], 3).tolist()
    [0, 3, 2, 1, 4, 5]
    """
    code = np.asarray(classes).tolist()
    order = list(range(len(code)))
    place = 1
    while place < len(order):
        group = code[place - 1]
        for later in range(place, len(order)):
            if code[later] == group:
                code[place], code[later] = code[later], code[place]
                order[place], order[later] = order[later], order[place]
                place += 1
        place += 1
    grouped = np.array(order, dtype=np.intp)
    return np.concatenate([grouped[start::k] for start in range(k)])


def fold_bounds(n: int, k: int, fold: int) -> tuple[int, int]:
    """The start and end of one of k contiguous blocks; the first n mod k blocks have one more row.

    Examples
    --------
    >>> [fold_bounds(11, 3, fold) for fold in range(3)]
    [(0, 4), (4, 8), (8, 11)]
    """
    size, longer = divmod(n, k)
    first = fold * size + min(fold, longer)
    return first, first + size + (fold < longer)


def cross_validation_folds(
    target_codes: ArrayLike, folds: int = 10, seed: int = 1, *, stratify: bool = True
) -> list[tuple[Indices, Indices]]:
    """Training and test rows of every fold, both in the order of the reference program.

    One generator shuffles the rows first and then every fold's training rows, so a fold's order depends on the folds
    before it.

    Parameters
    ----------
    target_codes : array-like
        The class code of each row; its values do not matter if `stratify` is false.
    folds : int
        From 2 to the number of rows.
    seed : int
        The seed of the generator.
    stratify : bool
        Whether every fold has about the same class proportions; false for a numeric target.

    Returns
    -------
    list of (array of int, array of int)
        Training rows and test rows of each fold.

    Examples
    --------
    >>> train, test = cross_validation_folds([0, 1, 0, 1, 0, 1], folds=3)[0]
    >>> train.tolist(), test.tolist()
    ([3, 5, 0, 2], [4, 1])
    """
    codes = np.asarray(target_codes)
    if not 2 <= folds <= len(codes):  # noqa: PLR2004
        msg = f"folds is {folds}; expected a number from 2 to the number of rows, {len(codes)}"
        raise ValueError(msg)
    random = JavaRandom(seed)
    order = shuffled(len(codes), random)
    if stratify:
        order = order[stratified(codes[order], folds)]
    parts: list[tuple[Indices, Indices]] = []
    for fold in range(folds):
        first, after = fold_bounds(len(codes), folds, fold)
        train = np.concatenate([order[:first], order[after:]])
        parts.append((train[shuffled(len(train), random)], order[first:after]))
    return parts


def grow_and_prune_parts(target_codes: ArrayLike, folds: int = 3, seed: int = 1) -> tuple[Indices, Indices]:
    """Rows for growing a tree and rows for pruning it, for reduced-error pruning.

    The rows are stratified without a shuffle; the last fold is for pruning, and the others, shuffled, are for growing.

    Parameters
    ----------
    target_codes : array-like of int
        The class code of each row.
    folds : int
        The number of parts, one of which is for pruning; at least 2.
    seed : int
        The seed of the generator that shuffles the rows for growing.

    Returns
    -------
    (array of int, array of int)
        Rows for growing and rows for pruning.

    Examples
    --------
    >>> grow, prune = grow_and_prune_parts([0, 1, 0, 1, 0, 1])
    >>> sorted(grow.tolist()), prune.tolist()
    ([0, 1, 2, 3], [4, 5])
    """
    codes = np.asarray(target_codes)
    if folds < 2:  # noqa: PLR2004
        msg = f"folds is {folds}; reduced-error pruning needs at least 2, one to prune with"
        raise ValueError(msg)
    order = stratified(codes, folds)
    first, after = fold_bounds(len(codes), folds, folds - 1)
    grow = np.concatenate([order[:first], order[after:]])
    return grow[shuffled(len(grow), JavaRandom(seed))], order[first:after]


def generator_by_row_text(table: Table, seed: int = 1) -> JavaRandom:
    """The generator of schemes that seed it by the text of a random row.

    Parameters
    ----------
    table : Table
        Training rows in order.
    seed : int
        Draws the row, and is added to the hash of its text.
    """
    row = JavaRandom(seed).next_int(table.n_rows)
    shown = [place for place, role in enumerate(table.schema.roles) if role != "weight"]
    text = ",".join(_value_text(table.schema.columns[place], table.columns[place][row]) for place in shown)
    return JavaRandom(text_hash(text) + seed)


def text_hash(text: str) -> int:
    """Java's hash code of a string, a signed 32-bit integer.

    Examples
    --------
    >>> text_hash("hello"), text_hash("Hello World")
    (99162322, -862545276)
    """
    units = text.encode("utf-16-le")
    value = 0
    for place in range(0, len(units), 2):
        value = (31 * value + units[place] + (units[place + 1] << 8)) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def _value_text(column: Column, value: Any) -> str:
    """A value as in a row of a data file: numbers with at most six decimals, names in quotes if needed."""
    if isinstance(column, Nominal):
        return "?" if value < 0 else _quoted(column.categories[int(value)])
    if np.isnan(value):
        return "?"
    if column.format is not None:
        return _quoted(show(float(value), column.format))
    whole = int(abs(float(value)) * 1e6 + 0.5)
    text = f"{whole // 10**6}.{whole % 10**6:06d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and whole else text


ESCAPES: Final = str.maketrans({c: f"\\{c}" for c in "\\'\"%"} | {"\n": "\\n", "\r": "\\r", "\t": "\\t"})


def _quoted(name: str) -> str:
    escaped = name.translate(ESCAPES)
    return f"'{escaped}'" if escaped != name or not name or name == "?" or any(c in "{}, " for c in name) else name
