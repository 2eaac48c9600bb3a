"""The model of K*: kept rows are weighted by the probability that random changes turn them into the row to predict.

In every column a value may randomly change into another. A category changes into any other with the same likelihood;
for numbers the likelihood decreases exponentially with the difference. For every value of a row to predict, the scale
is set such that the effective number of rows, (sum of likelihoods)² / (sum of their squares), is a given fraction of
the way from the number of nearest rows to that of all rows. The likelihoods of the columns are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.core.neighbors import kstar as kernels
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.base import plain as readers
from hornbeam.model.base.kept_predictions import OutputModel, check_kept, in_parts, overall_prediction
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, declared
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import Bools, Floats, Ints32
    from hornbeam.data.schema import Schema

    Columns = tuple[Floats, Ints32]  # (columns, rows) each

MissingLikelihood = Literal["average", "farthest", "exclude", "equal"]
MISSING: tuple[MissingLikelihood, ...] = ("average", "farthest", "exclude", "equal")  # in the kernel's order
BLOCK_CELLS = 1 << 22  # pairs of rows whose likelihoods are held at a time
NEAR = 0.01  # tolerance of the effective number of rows if likelihoods are raised to powers
MOST_COST = 745.13  # minus the logarithms of the smallest and the largest positive number
LEAST_COST = -709.78


@dataclass(frozen=True, eq=False)
class KStarModel(OutputModel):
    """Kept rows with an entropic distance.

    Parameters
    ----------
    schema : Schema
        Columns and target.
    kept : Table
        The rows, with that schema; every row has a target.
    blend : float
        Above 0, at most 1: the position of the effective number of rows between that of the nearest rows and that of
        all rows.
    missing : {"average", "farthest", "exclude", "equal"}
        The likelihood of a kept row's missing value: the average of the column's known values, the smallest of them,
        zero, or the largest. Missing values of the row to predict are ignored.
    code_costs : array of shape (categories of all nominal columns together, 3)
        Minus the logarithm of the likelihoods of the same category, another category, and a missing value.
    least_rate : float
        The minimum rate at which the likelihood of numbers decreases.
    raised : int
        Above 0: ignored columns make the other columns count more. After every column the likelihood so far is raised
        to the power `raised` / (`raised` - columns ignored so far); if that leaves the range of floating point for all
        kept rows, all classes are equally likely.
    recipe : mapping
        The parameters of learning, as plain values.
    """

    KIND: ClassVar = "kstar"
    PARTS: ClassVar = {"kept": Table, "": None}
    ARRAYS: ClassVar = declared("<f8[codes, three] code_costs")
    PLAIN: ClassVar = {
        **dict.fromkeys(("blend", "missing", "least_rate", "raised"), readers.unchecked),
        "recipe": readers.recipe,
    }

    schema: Schema
    kept: Table
    blend: float
    missing: MissingLikelihood
    code_costs: Floats
    least_rate: float = 0.0
    raised: int = 0
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"KStarModel({self.schema.name!r}: {self.kept.n_rows} rows kept, blend {self.blend:g})"

    def __len__(self) -> int:
        return self.kept.n_rows

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Class probabilities or numbers for every row, from the likelihoods of the kept rows."""
        target = self.kept.target_values()
        column = self.schema.target_column
        if isinstance(column, Nominal):
            per_class = np.zeros((self.kept.n_rows, len(column.categories)))
            per_class[np.arange(len(target)), target] = 1.0
        else:
            center = float(target.mean())  # more accurate for numbers far from zero
            per_class = np.column_stack([np.ones(len(target)), target - center])
        found = np.empty((aligned.n_rows, per_class.shape[1]))
        weights = np.ones(self.kept.n_rows) if self.kept.weights is None else self.kept.weights
        asked = self._asked(aligned)
        for part, costs in self._blocks(asked, n_threads, self._columns(self.kept)):
            beyond = self._beyond(asked.part(part), costs)
            found[part] = _likelihoods(costs, weights, n_threads) @ per_class
            found[part][beyond] = 1.0 if isinstance(column, Nominal) else 0.0
        if isinstance(column, Nominal):
            total = found.sum(axis=1, keepdims=True)
            shares = found / np.where(total > 0, total, 1.0)
            return np.where(total > 0, shares, overall_prediction(self.kept))
        known_sum = found[:, :1] > 0
        mean = found[:, 1:] / np.where(known_sum, found[:, :1], 1.0) + center
        return np.where(known_sum, mean, overall_prediction(self.kept))

    def row_weights(self, aligned: Table, n_threads: int = 1) -> Floats:
        """The weight of each kept row for each row, of shape (rows, kept rows).

        The weights for a row add up to 1, or are all zero if all likelihoods underflow.
        """
        asked = self._asked(aligned)
        weights = np.ones(self.kept.n_rows) if self.kept.weights is None else self.kept.weights
        found = np.zeros((aligned.n_rows, self.kept.n_rows))
        for part, costs in self._blocks(asked, n_threads, self._columns(self.kept)):
            beyond = self._beyond(asked.part(part), costs)
            likely = _likelihoods(costs, weights, n_threads)
            likely[beyond] = 0.0
            total = likely.sum(axis=1, keepdims=True)
            found[part] = likely / np.where(total > 0, total, 1.0)
        return found

    def bits(self, aligned: Table, others: Table, n_threads: int = 1) -> Floats:
        """The number of bits that turn each row of a table into each row of another, of shape (rows, other rows)."""
        asked = self._asked(aligned)
        blocks = self._blocks(asked, n_threads, self._columns(others))
        costs = np.concatenate([np.empty((0, others.n_rows)), *(costs.copy() for _, costs in blocks)])
        return np.asarray((costs + asked.density[:, np.newaxis]) / np.log(2.0))

    def _blocks(self, asked: _Asked, n_threads: int, columns: Columns) -> Iterator[tuple[slice, Floats]]:
        """Yield costs for blocks of rows to predict, all in the same memory, so that memory is limited."""
        n_asked, n_kept = len(asked.density), columns[0].shape[1]
        size = max(1, BLOCK_CELLS // max(n_kept, 1))
        memory = np.empty((min(size, n_asked), n_kept))
        for start in range(0, n_asked, size):
            part = slice(start, min(start + size, n_asked))
            costs = memory[: part.stop - start]
            run = partial(_cost_part, columns, asked.part(part), costs)
            in_parts(run, len(costs), n_kept * max(1, len(self.schema.features)), n_threads)
            yield part, costs

    def _beyond(self, asked: _Asked, costs: Floats) -> Bools:
        """Rows to predict whose likelihoods all underflow, or overflow, if powers are used."""
        if not self.raised or not costs.size:
            return np.zeros(len(costs), bool)
        least = costs.min(axis=1) + asked.density
        return np.asarray((least > MOST_COST) | (least < LEAST_COST))

    def _asked(self, aligned: Table) -> _Asked:
        n = aligned.n_rows
        numbers, rates, without = (np.full((n, len(self._number_places)), np.nan) for _ in range(3))
        for c, place in enumerate(self._number_places):
            values = numbers_of(self.schema.columns[place], aligned.columns[place])
            there = ~np.isnan(values)
            distinct, where = np.unique(values[there], return_inverse=True)
            known, weights = self._distinct[c]
            rate, lost = np.empty(len(distinct)), np.empty(len(distinct))
            within = NEAR if self.raised else 0.0
            kernels.rates(
                distinct, known, weights, self.blend, self.least_rate, within, MISSING.index(self.missing), rate, lost
            )
            numbers[there, c] = distinct[where]
            rates[there, c], without[there, c] = rate[where], lost[where]
        codes = np.full((n, len(self._code_places)), -1, np.int32)
        code_costs = np.zeros((n, len(self._code_places), 3))
        for c, place in enumerate(self._code_places):
            codes[:, c] = aligned.columns[place]
            there = codes[:, c] >= 0
            code_costs[there, c] = self.code_costs[self._code_start[c] + codes[there, c]]
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.where(rates > 0, -np.log(rates / 2), 0.0)  # of numbers; NaN is not above zero
        if self.raised:
            powers = self._powers(aligned)
            by_number, by_code = powers[:, self._number_features], powers[:, self._code_features]
            rates, without, density = rates * by_number, without * by_number, density * by_number
            code_costs *= by_code[:, :, np.newaxis]
        return _Asked(numbers, rates, without, codes, code_costs, density.sum(axis=1))

    def _powers(self, aligned: Table) -> Floats:
        """The final exponent of the likelihood of every feature, for each row to predict."""
        features = self.schema.features
        lacking = np.zeros((aligned.n_rows, len(features)), bool)
        for c, place in enumerate(features):
            column, values = self.schema.columns[place], aligned.columns[place]
            lacking[:, c] = np.isnan(numbers_of(column, values)) if is_number(column) else values < 0
        power = np.where(lacking, 1.0, self.raised / (self.raised - np.cumsum(lacking, axis=1)))
        return np.asarray(np.cumprod(power[:, ::-1], axis=1)[:, ::-1])

    @cached_property
    def _number_places(self) -> list[int]:
        return [place for place in self.schema.features if is_number(self.schema.columns[place])]

    @cached_property
    def _code_places(self) -> list[int]:
        return [place for place in self.schema.features if not is_number(self.schema.columns[place])]

    @cached_property
    def _number_features(self) -> list[int]:
        """The indices of the numeric columns among the features."""
        return [c for c, place in enumerate(self.schema.features) if place in self._number_places]

    @cached_property
    def _code_features(self) -> list[int]:
        return [c for c, place in enumerate(self.schema.features) if place in self._code_places]

    @cached_property
    def _code_start(self) -> list[int]:
        return [0, *np.cumsum([n_categories(self.schema, place) for place in self._code_places]).tolist()]

    def _columns(self, table: Table) -> Columns:
        """Numbers and codes of rows, stored by column."""
        n = table.n_rows
        numbers = [numbers_of(self.schema.columns[place], table.columns[place]) for place in self._number_places]
        codes = [table.columns[place] for place in self._code_places]
        return (
            np.array(numbers, np.float64).reshape(len(numbers), n),
            np.array(codes, np.int32).reshape(len(codes), n),
        )

    @cached_property
    def _distinct(self) -> list[tuple[Floats, Floats]]:
        """The distinct values of every numeric column, and their weights."""
        found = []
        for values in self._columns(self.kept)[0]:
            there = ~np.isnan(values)
            weights = None if self.kept.weights is None else self.kept.weights[there]
            distinct, where = np.unique(values[there], return_inverse=True)
            found.append((distinct, np.bincount(where, weights, minlength=len(distinct)).astype(np.float64)))
        return found

    def validate(self) -> None:
        """Check the rows and the values; raise a `ModelError` if they are wrong."""
        check_kept(self.schema, self.kept)
        if not 0 < self.blend <= 1:
            msg = f"the blend is {self.blend!r}; expected a number above 0 and at most 1"
            raise ModelError(msg)
        if not 0 <= self.least_rate < np.inf:
            msg = f"the least rate is {self.least_rate!r}; expected a number of at least 0"
            raise ModelError(msg)
        if self.raised and self.raised <= len(self.schema.features):
            msg = f"raised is {self.raised!r}; expected 0, or more than the {len(self.schema.features)} features"
            raise ModelError(msg)
        if self.missing not in MISSING:
            msg = f"missing is {self.missing!r}; expected one of {', '.join(MISSING)}"
            raise ModelError(msg)
        self.check_arrays(codes=self._code_start[-1], three=3)
        if not (self.code_costs >= 0).all():
            raise ModelError("a cost of a category is below zero")

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        values = [self.blend, self.least_rate, self.raised]
        return {"figures": values, "missing": self.missing, "recipe": dict(self.recipe)}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model; old files do not have `raised`."""
        blend, least_rate, *raised = readers.numbers(plain["figures"])
        values = {"blend": blend, "least_rate": least_rate, "raised": int(raised[0]) if raised else 0}
        return super().from_file({**plain, **values}, schema, members)


@dataclass(frozen=True)
class _Asked:
    """Rows to predict, with the scales of their values."""

    numbers: Floats  # (rows, numeric columns); NaN: missing
    rates: Floats
    without: Floats
    codes: Ints32  # (rows, nominal columns); -1: missing
    code_costs: Floats  # (rows, nominal columns, 3)
    density: Floats  # by row: the term by which costs differ from those of a density

    def part(self, rows: slice) -> _Asked:
        """Some of the rows."""
        return _Asked(
            self.numbers[rows],
            self.rates[rows],
            self.without[rows],
            self.codes[rows],
            self.code_costs[rows],
            self.density[rows],
        )


def _cost_part(columns: Columns, asked: _Asked, costs: Floats, first: int, last: int) -> None:
    kernels.costs(
        *columns, asked.numbers, asked.rates, asked.without, asked.codes, asked.code_costs, first, last, costs
    )


def _likelihoods(costs: Floats, weights: Floats, n_threads: int) -> Floats:
    """Convert costs to likelihoods times weights, in place; the greatest likelihood of every row is 1."""
    in_parts(lambda first, last: kernels.likelihoods(costs, weights, first, last), len(costs), len(weights), n_threads)
    return costs


def n_categories(schema: Schema, place: int) -> int:
    """The number of categories of a nominal column."""
    column = schema.columns[place]
    assert isinstance(column, Nominal)
    return len(column.categories)
