"""How a mixture reads the columns of a table: as normal numbers (possibly transformed), counts or categories.

For a number above a minimum, the logarithm can be normal (log-normal); for one between two bounds, the log-odds; counts
have Poisson distributions. Nominal columns that depend on each other are read together, as one column of combinations.
Normal columns may be projected onto their principal axes (`principal_axes.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored
from hornbeam.model.clusters.components import Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.model.clusters.principal_axes import Axes


BOUNDS: dict[str, tuple[float, ...]] = {"normal": (), "poisson": (), "log-normal": (0.0,), "log-odds": (0.0, 1.0)}
MOST_CELLS = 2**20  # combinations of categories
NODES, NODE_WEIGHTS = np.polynomial.hermite_e.hermegauss(32)  # for expectations of transformed normal numbers


@dataclass(frozen=True)
class Distribution:
    """The distribution of a numeric column within a component."""

    # {"normal", "poisson", "log-normal", "log-odds"}: the number itself has a normal or Poisson distribution; or the
    # logarithm of its distance from a minimum, or the log-odds of its position between two bounds, is normal
    kind: str = "normal"
    bounds: tuple[float, ...] = ()  # the minimum, or the two bounds: values are between them, never on them

    @classmethod
    def of(cls, column: str, given: Any) -> Distribution:  # noqa: ANN401 - whatever the caller says
        """Make one from a name, or a name and bounds: ``"poisson"``, ``("log-normal", 0.0)``."""
        parts = (given,) if isinstance(given, str) else given
        if not isinstance(parts, tuple | list) or not parts or parts[0] not in BOUNDS:
            msg = f"column {column!r}: its distribution is {given!r}; expected one of {', '.join(BOUNDS)}"
            raise ValueError(msg)
        made = cls(parts[0], tuple(parts[1:]) or BOUNDS[parts[0]])
        if made.problem:
            msg = f"column {column!r}: its distribution is {given!r}; {made.problem}"
            raise ValueError(msg)
        return cls(made.kind, tuple(map(float, made.bounds)))

    @property
    def problem(self) -> str:
        """A description of what is wrong, or None."""
        wanted = len(BOUNDS[self.kind])
        bounds = ("no bounds", "a minimum, as ('log-normal', 0)", "two rising bounds, as ('log-odds', 0, 1)")[wanted]
        are_numbers = all(isinstance(b, int | float) and math.isfinite(b) for b in self.bounds)
        rise = are_numbers and all(low < high for low, high in zip(self.bounds, self.bounds[1:], strict=False))
        return "" if len(self.bounds) == wanted and rise else f"expected {bounds}"

    @property
    def is_count(self) -> bool:
        """Whether the numbers are counts."""
        return self.kind == "poisson"

    @property
    def expects(self) -> str:
        """The possible values, in words."""
        if self.is_count:
            return "whole numbers of at least 0"
        if self.kind == "log-normal":
            return f"numbers above {self.bounds[0]:g}"
        return f"numbers above {self.bounds[0]:g} and below {self.bounds[1]:g}" if self.bounds else "numbers"

    def possible(self, values: Floats) -> Bools:
        """Whether each value is possible; missing values are."""
        fit = np.isnan(values)
        if self.is_count:
            return np.asarray(fit | ((values >= 0) & (values == np.floor(values))))
        if self.kind == "log-normal":
            return np.asarray(fit | (values > self.bounds[0]))
        if self.kind == "log-odds":
            return np.asarray(fit | ((values > self.bounds[0]) & (values < self.bounds[1])))
        return np.ones(len(values), np.bool_)

    def to_normal(self, values: Floats) -> tuple[Floats, Floats]:
        """Values on the scale where they are normal (counts as they are), and the terms this adds to log-densities."""
        if self.is_count:
            kinds, member = np.unique(np.nan_to_num(values), return_inverse=True)
            return values, -np.array([math.lgamma(kind + 1) for kind in kinds])[member.ravel()]
        if self.kind == "log-normal":
            placed = np.log(values - self.bounds[0])
            return placed, np.nan_to_num(-placed)
        if self.kind == "log-odds":
            low, high = self.bounds
            below, above = np.log(values - low), np.log(high - values)
            return below - above, np.nan_to_num(math.log(high - low) - below - above)
        return values, np.zeros(len(values))

    def from_normal(self, placed: Floats) -> Floats:
        """Values for numbers on the normal scale."""
        if self.kind == "log-normal":
            low = self.bounds[0]
            return np.maximum(low + np.exp(np.minimum(placed, 700.0)), np.nextafter(low, np.inf))
        if self.kind == "log-odds":
            low, high = self.bounds
            share = 1 / (1 + np.exp(np.clip(-placed, -700.0, 700.0)))
            return np.clip(low + (high - low) * share, np.nextafter(low, high), np.nextafter(high, low))
        return placed

    def expected(self, mean: Floats, variance: Floats) -> Floats:
        """Expected values, for these means and variances on the normal scale."""
        if self.kind == "log-normal":
            return self.from_normal(mean + variance / 2)
        if self.kind == "log-odds":
            drawn = mean[..., np.newaxis] + np.sqrt(variance)[..., np.newaxis] * NODES
            return np.asarray(self.from_normal(drawn) @ (NODE_WEIGHTS / NODE_WEIGHTS.sum()))
        return mean


@dataclass(frozen=True, eq=False)
class Columns(Stored):
    """How the features of a table are read."""

    schema: Schema  # of the table
    distributions: tuple[Distribution, ...]  # of its numeric features
    # groups of nominal features, numbered among the nominal ones; a group is read as one column
    groups: tuple[tuple[int, ...], ...]
    axes: Axes | None = None  # onto which the normal columns are projected

    @classmethod
    def of(
        cls, schema: Schema, distributions: Mapping[str, Any] | None, joint: Iterable[Iterable[str]] | None
    ) -> Columns:
        """Make them from distributions by the names of columns, and groups of nominal columns."""
        asked = dict(distributions or {})
        for name in asked:
            if isinstance(_feature(schema, name, "distributions"), Nominal):
                msg = f"distributions has the column {name!r}, which is nominal; expected a column of numbers"
                raise SchemaError(msg)
        features = [schema.columns[place] for place in schema.features]
        kinds = [Distribution.of(c.name, asked.get(c.name, "normal")) for c in features if not isinstance(c, Nominal)]
        nominal = [column.name for column in features if isinstance(column, Nominal)]
        together: dict[int, tuple[int, ...]] = {}
        for asked_group in joint or ():
            names = [asked_group] if isinstance(asked_group, str) else list(asked_group)
            for name in names:
                if not isinstance(_feature(schema, name, "joint"), Nominal):
                    msg = f"joint has the column {name!r}, which is a column of numbers; expected nominal columns"
                    raise SchemaError(msg)
            places = tuple(sorted(nominal.index(name) for name in names))
            if len(set(places)) < max(2, len(names)) or any(place in together for place in places):
                msg = f"joint has the group {names!r}; expected two or more columns, each in one group only"
                raise SchemaError(msg)
            together |= dict.fromkeys(places, places)
        groups = tuple(dict.fromkeys(together.get(place, (place,)) for place in range(len(nominal))))
        made = cls(schema, tuple(kinds), groups)
        for group, sizes in zip(groups, made.sizes, strict=True):
            if len(group) > 1 and math.prod(size + 1 for size in sizes) > MOST_CELLS:
                both = " and ".join(repr(nominal[place]) for place in group)
                msg = f"joint: {both} have {math.prod(sizes)} combinations of categories; expected at most {MOST_CELLS}"
                raise SchemaError(msg)
        return made

    @cached_property
    def _features(self) -> list[Any]:
        return [self.schema.columns[place] for place in self.schema.features]

    @cached_property
    def numeric(self) -> list[int]:
        """Positions of the numeric features in the table."""
        pairs = zip(self.schema.features, self._features, strict=True)
        return [place for place, column in pairs if not isinstance(column, Nominal)]

    @cached_property
    def nominal(self) -> list[int]:
        """Positions of the nominal features in the table."""
        pairs = zip(self.schema.features, self._features, strict=True)
        return [place for place, column in pairs if isinstance(column, Nominal)]

    @cached_property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of categories of the columns of each group."""
        counts = [len(column.categories) for column in self._features if isinstance(column, Nominal)]
        return tuple(tuple(counts[place] for place in group) for group in self.groups)

    @property
    def n_numbers(self) -> int:
        """The number of normal columns, on any scale."""
        return sum(not one.is_count for one in self.distributions)

    @property
    def is_plain(self) -> bool:
        """Whether no numeric column is transformed, and no nominal columns are joined."""
        return not any(one.bounds or one.is_count for one in self.distributions) and all(
            len(group) == 1 for group in self.groups
        )

    def check(self, table: Table, rows: Bools) -> None:
        """Raise an error for the first value that is impossible by the distribution of its column."""
        for place, distribution in zip(self.numeric, self.distributions, strict=True):
            odd = np.flatnonzero(rows & ~distribution.possible(table.columns[place]))
            if len(odd):
                name, value = table.schema.columns[place].name, table.columns[place][odd[0]]
                msg = (
                    f"column {name!r}, row {odd[0] + 1}: found {value:g}; expected {distribution.expects}, "
                    f"as its distribution is {distribution.kind}"
                )
                raise SchemaError(msg)

    def places(self, table: Table) -> Places:
        """Rows before projection; a row with an impossible value has density 0, and the value is left out."""
        numbers: list[Floats] = []
        counts: list[Floats] = []
        constant = np.zeros(table.n_rows)
        for place, distribution in zip(self.numeric, self.distributions, strict=True):
            values = table.columns[place]
            possible = distribution.possible(values)
            if not possible.all():
                constant[~possible] = -np.inf
                values = np.where(possible, values, np.nan)
            placed, more = distribution.to_normal(values)
            constant += more
            (counts if distribution.is_count else numbers).append(placed)
        cells = []
        for group, sizes in zip(self.groups, self.sizes, strict=True):
            codes = [table.columns[self.nominal[place]] for place in group]
            known = [np.where(code < 0, size, code) for code, size in zip(codes, sizes, strict=True)]
            cells.append(np.ravel_multi_index(known, [size + 1 for size in sizes]))
        return Places(
            _by_row(numbers, table.n_rows, np.float64),
            _by_row(cells, table.n_rows, np.int32),
            _by_row(counts, table.n_rows, np.float64),
            constant,
        )

    def table(self, places: Places) -> Table:
        """Rows in the units of the columns, from unprojected numbers."""
        numbers, counts = iter(places.numbers.T), iter(places.counts.T)
        values = {
            place: one.from_normal(next(counts) if one.is_count else next(numbers))
            for place, one in zip(self.numeric, self.distributions, strict=True)
        }
        for j, (group, sizes) in enumerate(zip(self.groups, self.sizes, strict=True)):
            codes = np.unravel_index(places.codes[:, j], [size + 1 for size in sizes])
            for place, code, size in zip(group, codes, sizes, strict=True):
                values[self.nominal[place]] = np.where(code == size, -1, code)
        features = self.schema.features
        return Table(self.schema.select(features), [values[place] for place in features])

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        return {
            "distributions": [[one.kind, *one.bounds] for one in self.distributions],
            "groups": [list(group) for group in self.groups],
        }

    def validate(self) -> None:
        """Check that every feature is read once; raise a `ModelError` if not."""
        if len(self.distributions) != len(self.numeric) or any(one.problem for one in self.distributions):
            raise ModelError("the distributions of the mixture do not fit its numeric columns")
        if sorted(place for group in self.groups for place in group) != list(range(len(self.nominal))):
            raise ModelError("a nominal column is in no group or in several")
        if self.axes is not None:
            self.axes.validate(self.n_numbers)


def columns_from_plain(plain: Any, schema: Schema, axes: Axes | None) -> Columns:  # noqa: ANN401 - whatever the file holds
    """Read the columns from plain data, fully checked; older files have none, and columns are then not transformed."""
    made = Columns.of(schema, None, None)
    distributions, groups = made.distributions, made.groups
    try:
        if "distributions" in plain:
            distributions = tuple(Distribution.of("", tuple(item)) for item in plain["distributions"])
            groups = tuple(tuple(int(place) for place in group) for group in plain["groups"])
    except (TypeError, ValueError) as error:
        msg = f"the mixture has no valid description of its columns: {error}"
        raise ModelError(msg) from error
    made = Columns(schema, distributions, groups, axes)
    made.validate()
    return made


def _feature(schema: Schema, name: str, where: str) -> Any:  # noqa: ANN401 - a column
    place = schema.position(name)
    if place not in schema.features:
        msg = f"{where} has the column {name!r}, which is not a feature of the table"
        raise SchemaError(msg)
    return schema.columns[place]


def _by_row(columns: list[Any], n_rows: int, dtype: type) -> AnyArray:
    return np.ascontiguousarray(np.array(columns, dtype).reshape(len(columns), n_rows).T)
