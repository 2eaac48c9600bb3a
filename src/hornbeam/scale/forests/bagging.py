"""Bagging of trees from partitions: every member is a tree from counts, of rows that are drawn where they are read.

How often a row is drawn is a number by a hash of the member's seed and the number of the row, so rows are neither
collected nor listed, and the members do not depend on the partitions.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import poisson
from sklearn.base import clone
from sklearn.utils import check_random_state

from hornbeam.data.table import Table
from hornbeam.learn.base.parameters import one_of, whole
from hornbeam.learn.forests.bagging import MOST_SEED
from hornbeam.learn.forests.draws import amount
from hornbeam.learn.rules.row_order import mix
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.model.forests.ensemble import DECIDE, Ensemble
from hornbeam.scale.folds import part_of
from hornbeam.scale.gather import first_rows
from hornbeam.scale.parts.typed import Rows, Typed
from hornbeam.scale.trees.learn import learn_tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.parts import Key
    from hornbeam.scale.source import Source

LOGGER = logging.getLogger("hornbeam.scale")
MOST_DRAWS = 40  # more draws of one row, of one on average, have a probability below 2 to the -150th


@dataclass(frozen=True)
class Draw:
    """How often rows are drawn.

    Parameters
    ----------
    seed : int
        The seed of the member.
    mean : float
        How often a row is drawn on average.
    repeated : bool
        Whether a row can be drawn several times; then the numbers of draws have a Poisson distribution.
    """

    seed: int
    mean: float
    repeated: bool

    def counts(self, first: int, n_rows: int) -> Ints64:
        """How often each of some rows is drawn, by the number of the first of them.

        Examples
        --------
        >>> Draw(1, 1.0, repeated=True).counts(0, 10_000).mean().round(1)
        np.float64(1.0)
        """
        numbers = np.arange(first, first + n_rows, dtype=np.uint64)
        seed = mix(np.array([self.seed], np.uint64), 1)
        share = (mix(mix(numbers, 0) + seed, 2) >> np.uint64(11)) * 2.0**-53
        if not self.repeated:
            return (share < self.mean).astype(np.int64)
        below = poisson.cdf(np.arange(MOST_DRAWS), self.mean)
        return np.searchsorted(below, share, side="right").astype(np.int64)


@dataclass(frozen=True)
class Drawn(Typed):
    """A loader: from a key to the rows of a partition that are drawn."""

    draw: Draw = field(kw_only=True)
    first: Mapping[Key, int] = field(kw_only=True)  # the number of the first row of every partition

    def __call__(self, key: Key) -> Rows:
        """The rows of a partition."""
        return _DrawnRows(self, key)


class _DrawnRows(Rows):
    def __init__(self, loader: Drawn, key: Key) -> None:
        super().__init__(loader.parts, loader.schema, key, drop_empty=loader.drop_empty)
        self.draw, self.first = loader.draw, loader.first[key]

    def chosen(self, values: AnyArray) -> AnyArray:
        return np.repeat(values, self.draw.counts(self.first, len(values)))


def learn_bagging(source: Source, estimator: Any, sizes: Mapping[Key, int]) -> tuple[Ensemble, str]:
    """Return the ensemble of trees that an estimator learns from a source, and a digest of the data."""
    learner = estimator.estimator_ = estimator._member_learner(source)  # of which it needs the target's column
    _check(estimator, learner)
    total, n_rows = whole("n_estimators", estimator.n_estimators, 1), sum(sizes.values())
    decide = one_of("decide", estimator.decide, DECIDE)
    size = amount("max_samples", estimator.max_samples, n_rows)
    n_features = amount("max_features", estimator.max_features, len(source.schema.features))
    seeds = check_random_state(estimator.random_state).randint(MOST_SEED, size=total)
    first = first_rows(source.keys, sizes)
    members, digest = [], hashlib.sha256()
    for number, seed in enumerate(seeds.tolist(), 1):
        schema = _looking_at(source.schema, n_features, np.random.default_rng(seed))
        draw = Draw(seed, size / n_rows, bool(estimator.bootstrap))
        typed = Drawn(source.parts, schema, draw=draw, first=first)
        member = clone(learner)
        if "random_state" in member.get_params():
            member.set_params(random_state=seed)
        LOGGER.info("member %d of %d", number, total)
        found, own = learn_tree(part_of(source, schema=schema, typed=typed), member)
        members.append(member.fit(found).model_ if isinstance(found, Table) else found)
        digest.update(own.encode())
        estimator._report(number, total)
    recipe = {"samples": size, "features": n_features}
    return Ensemble(source.schema, tuple(members), _overall(members), decide, recipe), digest.hexdigest()


def _check(estimator: Any, learner: Any) -> None:
    """Raise an error for what needs all rows in memory."""
    wanted = [] if isinstance(learner, TreeLearner) else [(f"estimator={learner!r}", "a tree")]
    for name, value in (("oob_score", False), ("class_weight", None)):
        found = getattr(estimator, name, value)
        if found is not value:
            wanted.append((f"{name}={found!r}", f"{name}={value!r}"))
    for found, expected in wanted:
        msg = (
            f"{type(estimator).__name__} with {found} cannot learn from scanned data with more rows than local_rows; "
            f"expected {expected}, or a larger local_rows in hornbeam.scan if the rows fit in memory"
        )
        raise ValueError(msg)


def _looking_at(schema: Schema, count: int, random: np.random.Generator) -> Schema:
    """The schema with this many features, drawn at random; the others are ignored."""
    ignored = {schema.features[place] for place in random.permutation(len(schema.features))[count:].tolist()}
    roles = tuple("ignored" if place in ignored else role for place, role in enumerate(schema.roles))
    return replace(schema, roles=roles)


def _overall(members: list[Tree]) -> AnyArray:
    """The proportions of the classes, or the mean, of the rows of all members."""
    roots = np.array([tree.value[0] for tree in members])
    if members[0].task == "classification":
        shares: AnyArray = roots.sum(axis=0) / roots.sum()
        return shares
    return np.array([np.average(roots[:, 1], weights=roots[:, 0])])
