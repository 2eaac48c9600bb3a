"""A mixture of distributions, as learned by EM. A row belongs to every component with a probability.

The components (`components.py`) are distributions of prepared rows. `mixture_columns.py` prepares rows, and converts
rows that are drawn or filled in back to the columns of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.table import Table
from hornbeam.model.base import plain as readers
from hornbeam.model.base.align import align
from hornbeam.model.base.plain import ModelError
from hornbeam.model.clusters.clustering import ClusterDescription, Clustering, Profile, trait_of_shares
from hornbeam.model.clusters.components import FORMS, Components, Places, log_sum, patterns, with_margins
from hornbeam.model.clusters.mixture_columns import Columns, columns_from_plain
from hornbeam.model.clusters.principal_axes import Axes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.base.stored import Members


SHAPES = {"spherical": "k", "fixed": "", "diagonal": "kd", "tied": "dd", "full": "kdd"}
GRID = 1000  # quantiles of the training rows' scores that are kept


@dataclass(frozen=True)
class ColumnDistribution:
    """The distribution of one column, or of several together, in one component.

    Parameters
    ----------
    column : str
        The name of the column, or the names.
    distribution : str
        "normal", "log-normal", "log-odds", "poisson", "categories".
    parameters : mapping
        By name: mean and deviation; minimum, median and factor (one standard deviation of the logarithm); low, high,
        median and the deviation of the log-odds; rate; or probabilities of categories.
    """

    column: str
    distribution: str
    parameters: Mapping[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Clustering):
    """Clusters as components of a mixture.

    Parameters
    ----------
    schema : Schema
        The schema of the rows.
    columns : Columns
        How the columns are read.
    components : Components
        Distributions of prepared rows, in the units of the table, or on the scales and axes of `columns`.
    profile : Profile
        The profile of the rows by their most probable component.
    log_likelihood : float
        The total log-likelihood of the training rows.
    scores : array
        Quantiles of the log-likelihoods of the training rows, ascending, at equal steps of weight.
    recipe : mapping
        The parameters by which it was learned.
    """

    KIND: ClassVar = "mixture"

    schema: Schema
    columns: Columns
    components: Components
    profile: Profile
    log_likelihood: float
    scores: Floats
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, k = int(self.profile.rows[-1]), self.n_clusters
        text = f"{plural(k, f'{self.components.form} component')}, log-likelihood {self.log_likelihood:.6g}"
        return f"Mixture({self.schema.name!r}: {rows} rows, {text})"

    # ---- densities ----

    @cached_property
    def straight(self) -> Components:
        """The components in terms of the columns, not of principal axes."""
        axes = self.columns.axes
        if axes is None:
            return self.components
        return self.components.spread(*axes.matrix(self.columns.n_numbers), axes.rest)

    def log_densities(self, table: Table) -> Floats:
        """Logarithms of weight times density, by row and component."""
        densities, constant = self._densities(align(self.schema, self.as_table(table)))
        return np.asarray(densities + constant[:, np.newaxis])

    def _densities(self, aligned: Table) -> tuple[Floats, Floats]:
        """The same, with terms common to all components returned separately, so that a density of 0 is avoided."""
        places, axes = self.columns.places(aligned), self.columns.axes
        if axes is None:
            return self.components.log_densities(places), places.constant
        turned = axes.turn(places)
        densities, constant = self.components.log_densities(turned), turned.constant
        broken = np.isnan(places.numbers[:, axes.columns]).any(axis=1)
        if broken.any():  # has no position on the axes
            densities[broken] = self.straight.log_densities(places.take(broken))
            constant[broken] = places.constant[broken]
        return densities, constant

    def score_samples(self, table: Table) -> Floats:
        """The log-likelihood of every row; low for unusual rows."""
        densities, constant = self._densities(align(self.schema, self.as_table(table)))
        return log_sum(densities) + constant

    def anomaly_score(self, table: Table) -> Floats:
        """The fraction of the training rows that are more probable than the row: 1 for a row less probable than all."""
        return np.asarray(1 - np.searchsorted(self.scores, self.score_samples(table), side="right") / len(self.scores))

    def surprises(self, table: Table) -> Floats:
        """Minus the log-density of every known value given the rest of the row, by row and feature; 0 if missing."""
        aligned = align(self.schema, self.as_table(table))
        whole = self.score_samples(aligned)
        found = np.zeros((aligned.n_rows, len(self.schema.features)))
        for j, place in enumerate(self.schema.features):
            values = aligned.columns[place]
            nothing = np.full_like(values, np.nan if values.dtype.kind == "f" else -1)
            known = aligned.known(place)
            arrays = [nothing if other == place else column for other, column in enumerate(aligned.columns)]
            without = self.score_samples(Table(aligned.schema, arrays))
            with np.errstate(invalid="ignore"):
                found[:, j] = np.where(known, np.where(np.isneginf(whole), np.inf, without - whole), 0.0)
            found[known & np.isneginf(without), j] = 0.0  # other values are impossible
        return found

    def predict_proba(self, rows: Any, n_threads: int = 1) -> Floats:  # noqa: ANN401, ARG002 - as every model
        """Return probabilities of the components, by row; the component weights for a row that is impossible in all."""
        return self._shares(align(self.schema, self.as_table(rows)))

    def _shares(self, aligned: Table) -> Floats:
        densities, _ = self._densities(aligned)
        most = densities.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            shares = np.exp(densities - most)
            shares /= shares.sum(axis=1, keepdims=True)
        return np.where(np.isfinite(most), shares, self.components.weights)

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The most probable component of every row; on a tie the first."""
        return np.asarray(self.predict_proba(aligned, n_threads).argmax(axis=1), np.int32)

    # ---- rows made ----

    def sample(self, n: int, random: np.random.RandomState) -> tuple[Table, Ints32]:
        """Draw rows: return a table, and the component of each row."""
        own, axes = self.components, self.columns.axes
        member = random.choice(len(own.weights), size=n, p=own.weights / own.weights.sum())
        numbers = np.empty((n, own.means.shape[1]))
        counts = np.empty((n, own.rates.shape[1]))
        codes = np.empty((n, len(own.shares)), np.int32)
        for k in range(len(own.weights)):
            here = np.flatnonzero(member == k)
            if own.means.shape[1]:
                numbers[here] = random.multivariate_normal(own.means[k], own.matrix(k), size=len(here))
            if own.rates.shape[1]:
                counts[here] = random.poisson(own.rates[k], size=(len(here), own.rates.shape[1]))
            for j, shares in enumerate(own.shares):
                probabilities = shares[k].ravel() / shares[k].sum()
                drawn = random.choice(len(probabilities), size=len(here), p=probabilities)
                codes[here, j] = _as_cells(drawn, shares.shape[1:])
        if axes is not None:
            matrix, shift = axes.matrix(self.columns.n_numbers)
            rest = random.normal(size=(n, len(axes.rest))) * np.sqrt(axes.rest)
            numbers = np.hstack([numbers, rest]) @ matrix.T + shift
        drawn_rows = self.columns.table(Places(numbers, codes, counts, np.zeros(n)))
        return drawn_rows, member.astype(np.int32)

    def fill(self, table: Table) -> Table:
        """The features of rows, missing values filled in: expected numbers (counts rounded), likeliest categories."""
        aligned = align(self.schema, self.as_table(table))
        shares, own, columns = self._shares(aligned), self.straight, self.columns
        places = columns.places(aligned)
        values = {place: aligned.columns[place].copy() for place in self.schema.features}
        kinds = list(zip(columns.numeric, columns.distributions, strict=True))
        normal = [(place, kind) for place, kind in kinds if not kind.is_count]
        for known, rows in patterns(places.numbers):
            absent = np.flatnonzero(~known)
            if not len(absent):
                continue
            expected = np.zeros((len(rows), len(absent)))
            for k in range(len(own.weights)):
                slope, left = own.conditional(k, known)
                there = own.means[k, absent] + (places.numbers[np.ix_(rows, known)] - own.means[k, known]) @ slope.T
                for j, number in enumerate(absent):
                    spread = np.full(len(rows), max(left[j, j], 0.0))
                    expected[:, j] += shares[rows, k] * normal[number][1].expected(there[:, j], spread)
            for j, number in enumerate(absent):
                values[normal[number][0]][rows] = expected[:, j]
        expected = np.round(shares @ own.rates) if own.rates.size else np.empty((len(shares), 0))
        for j, place in enumerate(place for place, kind in kinds if kind.is_count):
            values[place] = np.where(np.isnan(values[place]), expected[:, j], values[place])
        for j, group in enumerate(columns.groups):
            codes = _likeliest(shares, own.shares[j], places.codes[:, j])
            for place, code in zip(group, codes, strict=True):
                here = columns.nominal[place]
                values[here] = np.where(values[here] < 0, code, values[here])
        for place in columns.numeric:  # an impossible value is still a known value
            given = aligned.columns[place]
            values[place] = np.where(np.isnan(given), values[place], given)
        return Table(self.schema.select(self.schema.features), [values[place] for place in self.schema.features])

    # ---- for people ----

    def describe(self) -> list[ClusterDescription]:
        """Return a description of each cluster; columns that are read together are described as one more column."""
        described = super().describe()
        joint = [j for j, group in enumerate(self.columns.groups) if len(group) > 1]
        if not joint:
            return described
        own, made = self.components, []
        for one in described:
            traits, weight = list(one.traits), float(own.weights[one.cluster])
            for j in joint:
                shares = own.shares[j].reshape(len(own.weights), -1)
                cells = [self._cell_name(j, cell) for cell in range(shares.shape[1])]
                ratio = weight / (1 - weight) if weight < 1 else None
                overall = own.weights @ shares
                traits.append(trait_of_shares(self._group_name(j), cells, shares[one.cluster], overall, ratio))
            traits.sort(key=lambda trait: -abs(trait.apart))
            made.append(replace(one, traits=tuple(traits)))
        return made

    def distributions(self, component: int) -> list[ColumnDistribution]:
        """Return the distribution of each column in a component, in the units of the table."""
        own, columns = self.straight, self.columns
        means, deviations = own.means[component], np.sqrt(own.variances[component])
        listed, number, count = [], 0, 0
        for place, one in zip(columns.numeric, columns.distributions, strict=True):
            figures: dict[str, float]
            if one.is_count:
                figures = {"rate": float(own.rates[component, count])}
                count += 1
            else:
                mean, deviation = float(means[number]), float(deviations[number])
                median = float(one.from_normal(np.array([mean]))[0])
                number += 1
                if one.kind == "log-normal":
                    with np.errstate(over="ignore"):
                        figures = {"minimum": one.bounds[0], "median": median, "factor": float(np.exp(deviation))}
                elif one.kind == "log-odds":
                    figures = {"low": one.bounds[0], "high": one.bounds[1], "median": median, "deviation": deviation}
                else:
                    figures = {"mean": mean, "deviation": deviation}
            listed.append(ColumnDistribution(self.schema.columns[place].name, one.kind, figures))
        for j in range(len(columns.groups)):
            shares = own.shares[j][component].ravel()
            figures = {self._cell_name(j, cell): float(share) for cell, share in enumerate(shares)}
            listed.append(ColumnDistribution(self._group_name(j), "categories", figures))
        return listed

    def _group_name(self, group: int) -> str:
        places = [self.columns.nominal[place] for place in self.columns.groups[group]]
        return " & ".join(self.schema.columns[place].name for place in places)

    def _cell_name(self, group: int, cell: int) -> str:
        codes = np.unravel_index(cell, self.columns.sizes[group])
        places = [self.columns.nominal[place] for place in self.columns.groups[group]]
        categories: list[Any] = [self.schema.columns[place] for place in places]
        return " & ".join(column.categories[code] for column, code in zip(categories, codes, strict=True))

    # ---- as data ----

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        own = self.components
        plain = {"form": own.form, "log_likelihood": self.log_likelihood, "recipe": dict(self.recipe)}
        return plain | self.columns.to_plain() | {"covariances": list(own.covariances.shape)}

    def file_arrays(self) -> dict[str, AnyArray]:
        """Return all arrays by their names in a file."""
        own, axes = self.components, self.columns.axes
        arrays: dict[str, AnyArray] = {
            f"shares/{number}": array.reshape(len(array), -1) for number, array in enumerate(own.shares)
        }
        arrays |= {"weights": own.weights, "means": own.means, "covariances": own.covariances.reshape(-1)}
        arrays |= {"rates": own.rates, "scores": self.scores}
        parts: dict[str, AnyArray] = {f"profile/{name}": array for name, array in self.profile.arrays().items()}
        parts |= {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        return parts | ({} if axes is None else {f"axes/{name}": array for name, array in axes.arrays().items()})

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the mixture."""
        axes = Axes.from_file({}, schema, members.inside("axes")) if members.has("axes/columns") else None
        columns = columns_from_plain(plain, schema, axes)
        flat = (members.array(f"shares/{number}", "<f8") for number in range(len(columns.groups)))
        shares = tuple(array.reshape(len(array), *sizes) for array, sizes in zip(flat, columns.sizes, strict=True))
        weights, means, rates, scores = (members.array(name, "<f8") for name in ("weights", "means", "rates", "scores"))
        covariances = members.array("covariances", "<f8").reshape(tuple(int(size) for size in plain["covariances"]))
        return cls(
            schema,
            columns,
            Components(plain["form"], weights, means, covariances, shares, rates),
            Profile.from_file({}, schema, members.inside("profile")),
            readers.number(plain["log_likelihood"]),
            scores,
            readers.recipe(plain["recipe"]),
        )

    def validate(self) -> None:
        """Check sizes and values; raise a `ModelError` if they are wrong."""
        own, columns = self.components, self.columns
        if own.form not in FORMS:
            msg = f"the covariance has the form {own.form!r}; expected one of {', '.join(FORMS)}"
            raise ModelError(msg)
        columns.validate()
        k, d = len(own.weights), columns.n_numbers - (0 if columns.axes is None else len(columns.axes.rest))
        sizes = {"k": k, "d": d}
        if (
            k < 1
            or own.weights.ndim != 1
            or own.means.shape != (k, d)
            or own.covariances.shape != tuple(sizes[letter] for letter in SHAPES[own.form])
            or own.rates.shape != (k, len(columns.distributions) - columns.n_numbers)
            or len(own.shares) != len(columns.groups)
            or self.scores.ndim != 1
            or not len(self.scores)
        ):
            msg = "the weights, means, covariances, rates, probabilities or scores of the mixture have a wrong shape"
            raise ModelError(msg)
        if not all(np.isfinite(array).all() for array in self.file_arrays().values()) or not np.isfinite(
            self.log_likelihood
        ):
            raise ModelError("the mixture has a value that is not a finite number")
        if (own.weights < 0).any() or not np.isclose(own.weights.sum(), 1):
            raise ModelError("a weight of the mixture is below zero, or the weights do not sum to 1")
        if (own.variances <= 0).any() or (own.rates <= 0).any() or (np.diff(self.scores) < 0).any():
            raise ModelError("a variance or a rate of the mixture is not above zero, or its scores do not rise")
        for matrix in (own.matrix(c) for c in range(k if own.is_correlated else 0)):
            if not np.allclose(matrix, matrix.T) or (d and not _is_covariance(matrix)):
                msg = "a covariance matrix of the mixture is not symmetric and positive definite"
                raise ModelError(msg)
        for shape, shares in zip(columns.sizes, own.shares, strict=True):
            if shares.shape != (k, *shape) or (shares < 0).any():
                raise ModelError("the probabilities of categories have a wrong shape, or one is below zero")
        self.profile.validate(self.schema, k)


def _is_covariance(matrix: Floats) -> bool:
    """Whether a covariance matrix is positive definite in floating point."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        root = np.sqrt(np.diagonal(matrix))
        scaled = matrix / np.outer(root, root)
    try:
        return bool(np.isfinite(scaled).all() and np.linalg.eigvalsh(scaled)[0] > 0) and bool(
            np.isfinite(np.linalg.cholesky(matrix)).all()
        )
    except np.linalg.LinAlgError:
        return False


def typical_scores(scores: Floats, weights: Floats) -> Floats:
    """Quantiles of the log-likelihoods of rows at equal steps of weight."""
    if weights.min() == weights.max():
        rising, reached = np.sort(scores), weights.cumsum()
    else:
        order = np.argsort(scores, kind="stable")
        rising, reached = scores[order], weights[order].cumsum()
    steps = np.searchsorted(reached, np.linspace(0, reached[-1], GRID + 1))
    return np.asarray(rising[np.minimum(steps, len(rising) - 1)])


def _as_cells(cells: AnyArray, sizes: tuple[int, ...]) -> Ints64:
    """Convert numbers of category combinations to cell numbers, where every column also has a code for missing."""
    return np.asarray(np.ravel_multi_index(np.unravel_index(cells, sizes), [size + 1 for size in sizes]))


def _likeliest(member: Floats, shares: Floats, cells: Ints32) -> list[Ints64]:
    """The most probable codes of the columns of a group, by row, given the known ones."""
    sizes = shares.shape[1:]
    codes = [np.array(code) for code in np.unravel_index(cells, [size + 1 for size in sizes])]
    for cell in np.unique(cells):
        given = np.unravel_index(cell, [size + 1 for size in sizes])
        absent = [axis for axis, (code, size) in enumerate(zip(given, sizes, strict=True)) if code == size]
        if not absent:
            continue
        rows = np.flatnonzero(cells == cell)
        at = tuple(slice(None) if axis in absent else int(code) for axis, code in enumerate(given))
        probabilities = shares[(slice(None), *at)]
        if not probabilities[0].size:
            continue
        total = with_margins(shares)[(slice(None), *given)]
        flat = probabilities.reshape(len(shares), -1) / np.maximum(total, np.finfo(np.float64).tiny)[:, np.newaxis]
        best = np.unravel_index((member[rows] @ flat).argmax(axis=1), probabilities.shape[1:])
        for axis, found in zip(absent, best, strict=True):
            codes[axis][rows] = found
    return codes
