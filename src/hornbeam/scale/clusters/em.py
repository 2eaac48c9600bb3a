"""EM from a source: components are found on a sample of the rows; then every pass sums all rows by their components.

Fractions and densities are computed row by row, and their sums are sums of integers, so the mixture does not depend on
the partitions.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hornbeam.data.errors import warn
from hornbeam.learn.clusters.em import Fit, Moments
from hornbeam.learn.clusters.em import Rows as Prepared
from hornbeam.model.clusters.components import Components, Places, log_sum
from hornbeam.model.clusters.mixture import Mixture, typical_scores
from hornbeam.model.clusters.mixture_columns import Columns
from hornbeam.scale.clusters.places import features_of, sample_of, spread_of
from hornbeam.scale.clusters.profile import profile_of
from hornbeam.scale.clusters.sums import as_numbers, powers_above, sums_by

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.table import Table
    from hornbeam.learn.clusters.em import Choices
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Typed
    from hornbeam.scale.source import Source

LOGGER = logging.getLogger("hornbeam.scale")
FORMS = ("diagonal", "spherical", "fixed")  # no sums of products of columns
Sums = dict[str, Any]
OF_LIKELIHOOD = 2.0**20  # log-likelihoods of rows are summed in this unit


def learn_mixture(source: Source, estimator: Any, sizes: dict[Key, int]) -> tuple[Mixture, str]:
    """Return the mixture that an estimator finds in a source, and a digest of the data."""
    _check(estimator)
    executor, rows = source.executor, source.executor.load(source.typed, source.keys)
    sample = sample_of(source, rows, sizes)
    LOGGER.info("finding components in %d of %d rows", sample.n_rows, sum(sizes.values()))
    first = clone(estimator).fit(sample)
    columns = Columns.of(sample.schema, estimator.distributions, estimator.joint)
    placed = executor.load(Placed(source.typed, columns), source.keys, keep=True)
    choices = estimator._choices()
    rows_and_reach = _prepared(executor, placed, columns, choices.form)
    fit = ScannedFit(executor, placed, *rows_and_reach, choices, first.model_.components, sample.n_rows)
    best = estimator._ascend(fit, None)
    executor.release(placed)
    if not best.converged:
        msg = f"EM took {estimator.max_iter} steps without converging; use a larger max_iter or tol"
        warn(msg, ConvergenceWarning)
    _note(estimator, first, best, fit)
    components = fit.in_units(best.components)
    spread = spread_of(executor, rows, source.schema)
    profile = profile_of(executor, rows, Likeliest(columns, components), fit.k, spread)
    places = columns.places(sample)
    scores = typical_scores(log_sum(components.log_densities(places)) + places.constant, sample.row_weights)
    recipe = {"init": estimator.init, "prior": estimator.prior, "pseudo_count": choices.pseudo_count}
    likelihood = float(best.log_likelihoods[-1])
    model = Mixture(sample.schema, columns, components, profile, likelihood, scores, recipe)
    estimator._set_fitted(model, components)
    content = repr((sample.schema.names, sorted(spread.means.items()), sorted(spread.variances.items()), fit.n_rows))
    return model, hashlib.sha256(content.encode()).hexdigest()


def _check(estimator: Any) -> None:
    """Raise an error for what needs all rows in memory."""
    wanted = []
    if estimator.pca is not None:
        wanted.append((f"pca={estimator.pca!r}", "pca=None"))
    if estimator.covariance_type not in FORMS:
        wanted.append((f"covariance_type={estimator.covariance_type!r}", f"one of {', '.join(map(repr, FORMS))}"))
    if not isinstance(estimator.init, str):
        wanted.append(("init as an array", "the name of a way to start"))
    for found, expected in wanted:
        msg = (
            f"{type(estimator).__name__} with {found} cannot learn from scanned data with more rows than local_rows; "
            f"expected {expected}, or a larger local_rows in hornbeam.scan if the rows fit in memory"
        )
        raise ValueError(msg)


def _note(estimator: Any, first: Any, best: Any, fit: ScannedFit) -> None:
    """Set the attributes of a fitted estimator."""
    for name in ("log_evidence_", "validation_", "labels_"):
        estimator.__dict__.pop(name, None)  # of an earlier fit
    if hasattr(first, "validation_"):
        estimator.validation_ = first.validation_
    if fit.choices.conjugate and fit.choices.pseudo_count:
        estimator.log_evidence_ = fit.log_evidence(best.components)
    estimator.log_likelihoods_, estimator.log_posteriors_ = best.log_likelihoods, best.log_posteriors
    estimator.n_iter_, estimator.converged_ = len(best.log_likelihoods) - 1, best.converged
    estimator.restarts_ = np.array([best.log_posteriors[-1]])
    estimator.lower_bound_ = float(best.log_likelihoods[-1] / fit.n_rows)


# ---- partitions ----


@dataclass(frozen=True)
class Placed:
    """A loader: from a key to the numbers, cells and counts of a partition."""

    typed: Typed
    columns: Columns

    def __call__(self, key: Key) -> dict[str, AnyArray]:
        """The rows of a partition."""
        table = features_of(self.typed(key))
        self.columns.check(table, np.ones(table.n_rows, np.bool_))
        places = self.columns.places(table)
        return {name: getattr(places, name) for name in ("numbers", "codes", "counts", "constant")}


@dataclass(frozen=True)
class Likeliest:
    """The most probable component of every row of a table."""

    columns: Columns
    components: Components

    def __call__(self, table: Table) -> Ints32:
        """The numbers of the components."""
        likeliest: Ints32 = self.components.log_densities(self.columns.places(table)).argmax(axis=1).astype(np.int32)
        return likeliest


def _added(one: Sums, other: Sums) -> Sums:
    return {name: total + other[name] for name, total in one.items()}


def _largest(block: dict[str, AnyArray]) -> dict[str, AnyArray]:
    """The largest size of the numbers and the counts, and how many of each are known."""
    found = {"rows": np.array(len(block["constant"]))}
    for name in ("numbers", "counts"):
        values = block[name]
        found[name] = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
        found[f"known {name}"] = (~np.isnan(values)).sum(axis=0)
    return found


def _larger(one: dict[str, AnyArray], other: dict[str, AnyArray]) -> dict[str, AnyArray]:
    return {
        name: np.maximum(here, other[name]) if name in ("numbers", "counts") else here + other[name]
        for name, here in one.items()
    }


def _about(block: dict[str, AnyArray], name: str, units: Floats, middle: Floats, power: int) -> Sums:
    """Sums of columns in units, or of squares of their differences from means."""
    none = np.zeros(len(block["constant"]), np.int32)
    columns = ((column / unit - mean) ** power for column, unit, mean in zip(block[name].T, units, middle, strict=True))
    return {"sums": np.array([sums_by(none, column, 1)[0] for column in columns], object)}


@dataclass(frozen=True)
class Reach:
    """Powers of two above all distances between numbers, on their scale, and above all counts."""

    numbers: Floats
    counts: Floats


def _prepared(executor: Executor, placed: Handle, columns: Columns, form: str) -> tuple[Prepared, Reach]:
    """The scales of all rows, as `Rows.of` finds them for a table, without the rows."""
    found: dict[str, AnyArray] = executor.map_reduce(placed, _largest, (), _larger)
    n_rows = int(found["rows"])

    def mean(name: str, units: Floats, middle: Floats, power: int) -> Floats:
        sums: Sums = executor.map_reduce(placed, _about, (name, units, middle, power), _added)
        return as_numbers(sums["sums"], found[f"known {name}"])

    units, of_counts = powers_above(found["numbers"]), powers_above(found["counts"])
    nothing = np.zeros(len(units))
    middle = mean("numbers", units, nothing, 1)
    spread = np.sqrt(mean("numbers", units, middle, 2)) * units
    rates = mean("counts", of_counts, np.zeros(len(of_counts)), 1) * of_counts
    scale = np.where(spread > 0, spread, 1.0)
    if form != "diagonal" and len(scale):
        scale = np.full(len(scale), float(np.exp(np.log(scale).mean())))
    complete = bool((found["known numbers"] == n_rows).all() and (found["known counts"] == n_rows).all())
    shape = (1, len(units)), (1, len(columns.sizes)), (1, len(of_counts))
    empty = Places(np.zeros(shape[0]), np.zeros(shape[1], np.int32), np.zeros(shape[2]), np.zeros(1))
    weights = np.array([float(n_rows)])
    middle = middle * units
    prepared = Prepared(empty, columns.sizes, weights, middle, scale, (spread / scale) ** 2, rates, complete)
    return prepared, Reach(powers_above(2 * (found["numbers"] + np.abs(middle)) / scale), of_counts)


# ---- steps ----


class ScannedFit(Fit):
    """The EM algorithm, with sums over partitions.

    Parameters
    ----------
    executor : Executor
        Computes the sums.
    placed : Handle
        Partitions of numbers, cells and counts.
    rows : Rows
        The scales, without rows.
    reach : Reach
        The units of the sums.
    choices : Choices
        The settings.
    first : Components
        Where to start, in the units of the table.
    n_sample : int
        The number of rows from which `first` was found.
    """

    def __init__(
        self, executor: Executor, placed: Handle, rows: Prepared, reach: Reach, choices: Choices, first: Components,
        n_sample: int,
    ) -> None:  # fmt: skip
        super().__init__(rows, choices, None, len(first.weights))  # type: ignore[arg-type]
        self.executor, self.placed, self.reach, self.steps = executor, placed, reach, 0
        self.n_rows = float(rows.weights.sum())
        one = float(rows.scale[0]) if len(rows.scale) else 1.0
        squares = rows.scale**2 if choices.form == "diagonal" else np.array(one**2)
        means, covariances = (first.means - rows.middle) / rows.scale, np.asarray(first.covariances / squares)
        # categories that a component does not have in the sample are possible, as if it had one row more of all
        shares = tuple((share + 1.0 / (n_sample * share[0].size)) / (1.0 + 1.0 / n_sample) for share in first.shares)
        self.first = replace(first, means=means, covariances=covariances, shares=shares)

    def start(self, shares: Any) -> Components:  # noqa: ARG002 - found on a sample
        """The components of the sample."""
        return self.first

    def _shared_out(self, components: Components) -> tuple[Moments, float]:
        arguments = (components, self.rows.middle, self.rows.scale, self.rows.n_cells, self.reach)
        found: Sums = self.executor.map_reduce(self.placed, _sums, arguments, _added)
        numbers = {name: as_numbers(total, np.ones(total.shape, np.int64)) for name, total in found.items()}
        cells = tuple(numbers[f"cells {j}"] for j in range(len(self.rows.sizes)))
        likelihood, reach = float(numbers["likelihood"][0]) * OF_LIKELIHOOD, self.reach
        LOGGER.info("step %d: log-likelihood %.6g", self.steps, likelihood)
        self.steps += 1
        moments = Moments(
            components.means, numbers["held"], numbers["known"], numbers["first"] * reach.numbers,
            numbers["second"] * reach.numbers**2, cells, numbers["counted"], numbers["total"] * reach.counts,
        )  # fmt: skip
        return moments, likelihood


def _sums(
    block: dict[str, AnyArray], components: Components, middle: Floats, scale: Floats, n_cells: list[int], reach: Reach
) -> Sums:
    """Sums of one partition by component, around the means."""
    numbers = (block["numbers"] - middle) / scale
    places = Places(numbers, np.asarray(block["codes"]), np.asarray(block["counts"]), np.asarray(block["constant"]))
    shares = components.log_densities(places)
    whole = log_sum(shares)
    shares = np.exp(shares - whole[:, np.newaxis])
    none, (k, d) = np.zeros(len(whole), np.int32), components.means.shape

    def total(values: Floats) -> int:
        return int(sums_by(none, values, 1)[0])

    def table(rows: list[list[int]], width: int) -> AnyArray:
        return np.array(rows, object).reshape(k, width)

    lost = (~np.isnan(numbers)) @ np.log(scale)
    found = {
        "likelihood": np.array([total((whole + block["constant"] - lost) / OF_LIKELIHOOD)], object),
        "held": np.array([total(shares[:, c]) for c in range(k)], object),
    }
    apart = [[(numbers[:, j] - components.means[c, j]) / reach.numbers[j] for j in range(d)] for c in range(k)]
    is_known = ~np.isnan(numbers)
    found["known"] = table([[total(shares[:, c] * is_known[:, j]) for j in range(d)] for c in range(k)], d)
    found["first"] = table([[total(shares[:, c] * apart[c][j]) for j in range(d)] for c in range(k)], d)
    found["second"] = table([[total(shares[:, c] * apart[c][j] ** 2) for j in range(d)] for c in range(k)], d)
    counts = places.counts
    p = counts.shape[1]
    is_count = ~np.isnan(counts)
    found["counted"] = table([[total(shares[:, c] * is_count[:, j]) for j in range(p)] for c in range(k)], p)
    found["total"] = table(
        [[total(shares[:, c] * counts[:, j] / reach.counts[j]) for j in range(p)] for c in range(k)], p
    )
    for j, size in enumerate(n_cells):
        found[f"cells {j}"] = np.array([sums_by(places.codes[:, j], shares[:, c], size) for c in range(k)], object)
    return found
