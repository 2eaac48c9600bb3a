"""Why a row is in its cluster: its values beside those that are typical of the cluster and of the other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent, plural
from hornbeam.model.base.align import align
from hornbeam.show.texts.neighbors.instances_text import row_words, value_words
from hornbeam.show.texts.traits import elsewhere, name_of, typical

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.clusters.clustering import Clustering

MOST_COLUMNS = 10
LEAST = 0.0005  # less would be written as 0.0%


def explain_cluster(model: Clustering, table: Table, row: int) -> str:
    """Write the values of a row and the typical ones of its cluster, the most distinctive columns first."""
    one = align(model.schema, table.take(np.array([row])))
    cluster = int(model.predict_codes(one)[0])
    found = next(described for described in model.describe() if described.cluster == cluster)
    lines = [f"row {row + 1}: {row_words(one, 0)}"]
    for trait in found.traits[:MOST_COLUMNS]:
        rest = elsewhere(trait, model.schema)
        own = ""
        if trait.column in model.schema.names:  # not several columns together
            place = model.schema.position(trait.column)
            own = f"{value_words(model.schema.columns[place], one.columns[place][0])}; "
        lines.append(f"  {name_of(trait)}: {own}in the cluster {typical(trait, model.schema)}{rest and f', {rest}'}")
    left = len(found.traits) - MOST_COLUMNS
    lines += [f"  and {plural(left, 'more column')}"] if left > 0 else []
    sure = ""
    if model.KIND == "mixture":
        shares = model.predict_proba(one)[0]
        sure = ", ".join(f"{number}: {percent(float(share))}" for number, share in enumerate(shares) if share >= LEAST)
        sure = f" (probability of cluster {sure})"
    return "\n".join([*lines, f"so cluster {cluster} of {model.n_clusters}, with {plural(found.rows, 'row')}{sure}"])
