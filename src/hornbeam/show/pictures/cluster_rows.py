"""The rows of a picture of clusters: each with its cluster, and no more than a reader can distinguish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.model.base.align import align
from hornbeam.model.clusters.clustering import SAME, Clustering, Profile
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Ints64
    from hornbeam.data.table import Table

LEAST = 5  # minimum number of rows drawn per cluster, if it has that many


@dataclass(frozen=True, eq=False)
class ClusterRows:
    """Rows of a table with the columns of the model, the cluster of each, and which of them are drawn."""

    table: Table
    labels: Ints64
    profile: Profile
    drawn: Ints64

    @property
    def n_clusters(self) -> int:
        """How many clusters."""
        return self.profile.n_clusters

    def names(self) -> list[str]:
        """The name of every cluster, for a legend."""
        counts = self.profile.rows[:-1].tolist()
        return [f"cluster {number}: {plural(count, 'row')}" for number, count in enumerate(counts)]

    def sizes(self) -> str:
        """How many rows, and how many of them are drawn."""
        rows, drawn = self.table.n_rows, len(self.drawn)
        return plural(rows, "row") if drawn == rows else f"{drawn} of {rows} rows drawn"

    def has_gaps(self) -> bool:
        """Whether any value of a feature is missing."""
        return bool((self.profile.known[-1] < self.profile.weight[-1] * (1 - SAME)).any())

    def title(self) -> str:
        """A title for the picture."""
        k = self.n_clusters
        return f"{printable(self.table.schema.name, NAME_LIMIT)}: {plural(k, 'cluster')}"


def rows_of(model: Any, table: Any, labels: ArrayLike | None, most: int) -> ClusterRows:  # noqa: ANN401 - dispatches on it
    """Find the cluster of every row, and choose the rows to draw, always the same ones.

    The parameters are those of `cluster_map`.
    """
    found = getattr(model, "model_", model)
    if not isinstance(found, Clustering):
        msg = f"cannot draw the clusters of a {type(found).__name__}; expected a model of clusters or its estimator"
        raise TypeError(msg)
    if table is None:
        if not isinstance(found, Dendrogram):
            raise ValueError("the model does not hold its rows; give a table")
        table, labels = found.kept, found.labels if labels is None else labels
    table = found.as_table(table)
    if not table.n_rows:
        raise ValueError(f"the table {table.schema.name!r} has no rows to draw")
    if most < 1:
        raise ValueError(f"most is {most}; expected at least 1")
    rows = align(found.schema, table)
    clusters = np.asarray(found.predict_codes(table) if labels is None else labels, np.int64)
    if clusters.shape != (table.n_rows,) or clusters.min() < 0 or clusters.max() >= found.n_clusters:
        msg = f"labels are expected to be {table.n_rows} numbers of clusters, from 0 to {found.n_clusters - 1}"
        raise ValueError(msg)
    return ClusterRows(rows, clusters, Profile.of(rows, clusters, found.n_clusters), sample(clusters, most))


def sample(labels: Ints64, most: int) -> Ints64:
    """Choose about `most` rows, from each cluster in proportion to its size, but at least a few.

    Examples
    --------
    >>> labels = np.repeat([0, 1], [1000, 10])
    >>> np.bincount(labels[sample(labels, 100)]).tolist()
    [99, 5]
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    random = np.random.default_rng(0)
    kept = []
    for cluster in np.unique(labels):
        rows = np.flatnonzero(labels == cluster)
        count = min(len(rows), max(LEAST, round(most * len(rows) / len(labels))))
        kept.append(random.permutation(rows)[:count])
    return np.sort(np.concatenate(kept))
