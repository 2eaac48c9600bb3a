"""A mixture of distributions: what EM learns. A row belongs to every component with a probability.

Numbers are normal, with one of several forms of covariance; categories have shares, independently of everything else.
A missing value is left out of the density: no value is put in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.align import align
from hornbeam.model.clustering import Clustering, Profile, profile_arrays, profile_from
from hornbeam.model.errors import ModelError
from hornbeam.model.plain import numbers_from_plain, recipe_from_plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.instances_plain import HasArray, ReadArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int32]

FORMS = ("spherical", "diagonal", "tied", "full", "fixed")
LOG_TWO_PI = float(np.log(2 * np.pi))
BLOCK = 4096
SHAPES = {"spherical": "k", "fixed": "", "diagonal": "kd", "tied": "dd", "full": "kdd"}


@dataclass(frozen=True, eq=False)
class Components:
    """The distributions themselves, over numbers and codes.

    Parameters
    ----------
    form : {"spherical", "diagonal", "tied", "full", "fixed"}
        One variance a component; one a component and column; one covariance matrix for all; one each; one variance,
        known beforehand, for all.
    weights : array
        Of the components; they sum to 1.
    means : array of shape (components, numeric columns)
    covariances : array
        Of shape (components,), (components, columns), (columns, columns), (components, columns, columns), or ().
    shares : tuple of arrays of shape (components, categories)
        One for each nominal column.
    """

    form: str
    weights: Floats
    means: Floats
    covariances: Floats
    shares: tuple[Floats, ...]

    @property
    def variances(self) -> Floats:
        """Variances by component and column."""
        k, d = self.means.shape
        if self.form == "full":
            return np.ascontiguousarray(np.diagonal(self.covariances, axis1=1, axis2=2))
        if self.form == "tied":
            return np.tile(np.diagonal(self.covariances), (k, 1))
        if self.form == "diagonal":
            return self.covariances
        return np.broadcast_to(np.reshape(self.covariances, (-1, 1)), (k, d)).copy()

    @property
    def is_correlated(self) -> bool:
        """Whether columns of a component depend on each other."""
        return self.form in ("tied", "full")

    def matrix(self, component: int) -> Floats:
        """A component's covariance matrix."""
        if self.form == "tied":
            return self.covariances
        return np.asarray(self.covariances[component] if self.form == "full" else np.diag(self.variances[component]))

    def log_densities(self, numbers: Floats, codes: Codes) -> Floats:
        """Logarithms of weight times density, by row and component; missing values (NaN, -1) are left out."""
        out = np.empty((len(numbers), len(self.weights)))
        for first in range(0, len(numbers), BLOCK):
            part = slice(first, first + BLOCK)
            out[part] = self.log_shares(codes[part])
            if self.is_correlated:
                self._add_correlated(numbers[part], out[part])
            elif self.means.shape[1]:
                self._add_independent(numbers[part], out[part])
        return out

    def log_shares(self, codes: Codes) -> Floats:
        """The part of the weights and the categories."""
        with np.errstate(divide="ignore"):
            total = np.tile(np.log(self.weights), (len(codes), 1))
            for j, shares in enumerate(self.shares):
                table = np.vstack([np.log(shares).T, np.zeros(len(self.weights))])  # the last row: missing
                total += table[codes[:, j]]
        return total

    def _add_independent(self, numbers: Floats, out: Floats) -> None:
        known = ~np.isnan(numbers)
        complete = bool(known.all())
        filled = numbers if complete else np.where(known, numbers, 0.0)
        variances = self.variances
        for k in range(len(self.weights)):
            apart = (filled - self.means[k]) ** 2 / variances[k] + (LOG_TWO_PI + np.log(variances[k]))
            out[:, k] -= 0.5 * (apart.sum(axis=1) if complete else (apart * known).sum(axis=1))

    def _add_correlated(self, numbers: Floats, out: Floats) -> None:
        for known, rows in patterns(numbers):
            if not known.any():
                continue
            some = numbers[np.ix_(rows, known)]
            for k in range(len(self.weights)):
                root = np.linalg.cholesky(self.matrix(k)[np.ix_(known, known)])
                apart = np.linalg.solve(root, (some - self.means[k, known]).T)
                logarithm = 2 * float(np.log(np.diagonal(root)).sum()) + int(known.sum()) * LOG_TWO_PI
                out[rows, k] -= 0.5 * ((apart**2).sum(axis=0) + logarithm)


def patterns(numbers: Floats) -> list[tuple[NDArray[np.bool_], NDArray[np.int64]]]:
    """Which columns are known, and the rows where these and no others are."""
    known = ~np.isnan(numbers)
    if known.all():
        return [(np.ones(numbers.shape[1], np.bool_), np.arange(len(numbers)))]
    kinds, member = np.unique(known, axis=0, return_inverse=True)
    member = member.ravel()
    return [(kind, np.flatnonzero(member == number)) for number, kind in enumerate(kinds)]


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Clustering):
    """Clusters as components of a mixture.

    Parameters
    ----------
    schema : Schema
        Of the rows.
    components : Components
        In the units of the table.
    profile : Profile
        What the rows most probably of each component are like.
    log_likelihood : float
        Of the rows learned from, in all.
    recipe : mapping
        The choices that it was learned by.
    """

    schema: Schema
    components: Components
    profile: Profile
    log_likelihood: float
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, k = int(self.profile.rows[-1]), self.n_clusters
        told = f"{k} {self.components.form} component{'s' * (k != 1)}, log-likelihood {self.log_likelihood:.6g}"
        return f"Mixture({self.schema.name!r}: {rows} rows, {told})"

    @cached_property
    def _is_nominal(self) -> list[bool]:
        return [isinstance(self.schema.columns[place], Nominal) for place in self.schema.features]

    def places(self, aligned: Table) -> tuple[Floats, Codes]:
        """Numbers and codes of the rows, row by row."""
        return places_of(aligned)

    def log_densities(self, table: Table) -> Floats:
        """Logarithms of weight times density, by row and component."""
        return self.components.log_densities(*self.places(align(self.schema, table)))

    def score_samples(self, table: Table) -> Floats:
        """The log-likelihood of every row: the lower, the odder the row."""
        return log_sum(self.log_densities(table))

    def predict_proba(self, table: Table, n_threads: int = 1) -> Floats:  # noqa: ARG002 - as every model
        """Probabilities of the components, by row; the weights where a row cannot be of any."""
        densities = self.log_densities(table)
        total = log_sum(densities)
        possible = np.isfinite(total)
        with np.errstate(invalid="ignore"):
            shares = np.exp(densities - total[:, np.newaxis])
        return np.where(possible[:, np.newaxis], shares, self.components.weights)

    def predict_proba_matrix(self, matrix: Any, n_threads: int = 1) -> Floats:  # noqa: ANN401 - whatever is an array
        """The same from numbers: one matrix column a feature."""
        return self.predict_proba(self._table_of(matrix), n_threads)

    def assign(self, aligned: Table, n_threads: int) -> Codes:
        """The most probable component of every row, the first of equals."""
        return np.asarray(self.predict_proba(aligned, n_threads).argmax(axis=1), np.int32)

    def same_as(self, other: object) -> bool:
        """Whether the other is the same, bit for bit."""
        return (
            isinstance(other, Mixture)
            and self.schema == other.schema
            and self.components.form == other.components.form
            and all(np.array_equal(a, b) for a, b in zip(self._arrays(), other._arrays(), strict=True))
            and self.profile.same_as(other.profile)
            and self.log_likelihood == other.log_likelihood
            and dict(self.recipe) == dict(other.recipe)
        )

    def _arrays(self) -> list[Floats]:
        own = self.components
        return [own.weights, own.means, np.atleast_1d(own.covariances), *own.shares]

    def validate(self) -> None:
        """Check sizes and values.

        Raises
        ------
        ModelError
            A sentence on the first thing that is wrong.
        """
        own = self.components
        if own.form not in FORMS:
            msg = f"the covariance has the form {own.form!r}; expected one of {', '.join(FORMS)}"
            raise ModelError(msg)
        k, d = len(own.weights), self._is_nominal.count(False)
        sizes = {"k": k, "d": d}
        if (
            k < 1
            or own.means.shape != (k, d)
            or own.covariances.shape != tuple(sizes[letter] for letter in SHAPES[own.form])
            or len(own.shares) != self._is_nominal.count(True)
        ):
            msg = "the weights, means, covariances or shares of the mixture have a wrong shape"
            raise ModelError(msg)
        if not all(np.isfinite(array).all() for array in self._arrays()) or not np.isfinite(self.log_likelihood):
            msg = "the mixture has a value that is no finite number"
            raise ModelError(msg)
        if (own.weights < 0).any() or not np.isclose(own.weights.sum(), 1) or (own.variances <= 0).any():
            msg = "a weight or a variance of the mixture is not above zero, or the weights do not sum to 1"
            raise ModelError(msg)
        features = [self.schema.columns[place] for place in self.schema.features]
        nominal = [column for column in features if isinstance(column, Nominal)]
        for column, shares in zip(nominal, own.shares, strict=True):
            if shares.shape != (k, len(column.categories)) or (shares < 0).any():
                msg = f"the shares of the categories of {column.name!r} have a wrong shape, or one is below zero"
                raise ModelError(msg)
        self.profile.validate(self.schema, k)


def places_of(table: Table) -> tuple[Floats, Codes]:
    """Numbers and codes of a table's features, row by row."""
    nominal = [isinstance(table.schema.columns[place], Nominal) for place in table.schema.features]
    pairs = list(zip(nominal, table.schema.features, strict=True))
    numbers = [table.columns[place] for is_nominal, place in pairs if not is_nominal]
    codes = [table.columns[place] for is_nominal, place in pairs if is_nominal]
    return (
        np.ascontiguousarray(np.array(numbers, np.float64).reshape(len(numbers), table.n_rows).T),
        np.ascontiguousarray(np.array(codes, np.int32).reshape(len(codes), table.n_rows).T),
    )


def log_sum(densities: Floats) -> Floats:
    """The logarithm of the sum of exponentials, by row."""
    most = densities.max(axis=1)
    shift = np.where(np.isfinite(most), most, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(densities - shift[:, np.newaxis]).sum(axis=1)) + shift)


def mixture_to_plain(model: Mixture) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is no array as plain data, and the arrays by name."""
    own = model.components
    plain = {"form": own.form, "log_likelihood": model.log_likelihood, "recipe": dict(model.recipe)}
    plain["covariances"] = list(own.covariances.shape)
    shares = {f"shares/{number}": np.ascontiguousarray(array) for number, array in enumerate(own.shares)}
    flat = np.ascontiguousarray(own.covariances).reshape(-1)
    arrays = {"weights": own.weights, "means": own.means, "covariances": flat, **shares}
    return plain, profile_arrays(model.profile) | arrays


def mixture_from_plain(plain: Any, schema: Schema, read: ReadArray, has: HasArray) -> Mixture:  # noqa: ANN401, ARG001 - whatever the file holds
    """The model, checked in full."""
    nominal = sum(isinstance(schema.columns[place], Nominal) for place in schema.features)
    shares = tuple(read(f"shares/{number}", "<f8") for number in range(nominal))
    shape = tuple(int(size) for size in plain["covariances"])
    covariances = read("covariances", "<f8").reshape(shape)
    (likelihood,) = numbers_from_plain([plain["log_likelihood"]])
    components = Components(plain["form"], read("weights", "<f8"), read("means", "<f8"), covariances, shares)
    model = Mixture(schema, components, profile_from(read), likelihood, recipe_from_plain(plain["recipe"]))
    model.validate()
    return model
