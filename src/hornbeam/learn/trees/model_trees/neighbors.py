"""Model trees and rules put right by the training rows near the one asked about.

References
----------
Quinlan, J. R. (1993). Combining instance-based and model-based learning. Kuhn, M. & Johnson, K. (2013). Applied
predictive modeling, section 8.7: the weights by distance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.instances import Instances

if TYPE_CHECKING:
    from hornbeam.data.table import Table

NEAR_ENOUGH = 0.5  # of the mean distance of two training rows; beyond it a row says little about another


def put_right(model: Any, table: Table, k: int) -> CorrectedModel:
    """The model with the rows that it was learned from, of which the nearest `k` put each answer right.

    Differences of the columns are added up: of numbers as shares of the column's range, of categories 0 or 1, of
    missing values what two rows differ by on average.

    Parameters
    ----------
    model : Tree, RuleList or Ensemble
        What answers first.
    table : Table
        The training rows.
    k : int
        How many rows; those as far as the last count too.
    """
    distance = Distance.of(table, numeric="range", missing="average", squared=False)
    near = Instances(table.schema, table, distance, k, recipe={"kept": "all"})
    return CorrectedModel(table.schema, model, near, NEAR_ENOUGH * float((distance.weight * distance.expected).sum()))
