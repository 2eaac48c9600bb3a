"""A model put right by neighbors, as text: a line below the model, and the rows that moved one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.base.align import align
from hornbeam.show.texts.linear.linear_text import FIGURES
from hornbeam.show.texts.neighbors.instances_text import MOST_NEIGHBORS, differing, value_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.corrected import CorrectedModel


def write(model: CorrectedModel) -> str:
    """Write the line about neighbors that stands below the model itself."""
    k = model.near.k
    rows = "the nearest training row" if k == 1 else f"the nearest {k} training rows"
    kept, reach = len(model.near), short_number(model.reach)
    return (
        f"then put right by {rows} of {kept}, where within {reach}: by the mean of how far off the answer is for them"
    )


def explain(model: CorrectedModel, told: str, table: Table, row: int) -> str:
    """Write below the explanation of the model's own answer which rows put it right, and by how much."""
    one = align(model.schema, table.take(np.array([row])))
    neighbors = model.near.neighbors(one)
    rows, far = neighbors.of(0)
    says = model.says(neighbors)
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    answer = short_number(float(model.predict_codes(one)[0]), FIGURES)
    if not says.any():
        return f"{told}\nno training row is within {short_number(model.reach)}, so {name} stays {answer}"
    shares = says / says.sum()
    added = [short_number(float(share * model.residuals[place]), FIGURES) if share else "" for place, share in
             zip(rows, shares, strict=True)]  # fmt: skip
    room = max(width(figure) for figure in added)
    lines = [told, "put right by what the model is off for training rows:"]
    target = model.near.kept.target_values()
    for figure, place, share, apart in list(zip(added, rows.tolist(), shares, far, strict=True))[:MOST_NEIGHBORS]:
        truth = value_words(model.schema.target_column, target[place])
        if share:
            off = short_number(float(model.residuals[place]), FIGURES)
            how = f"{100 * share:.0f}% of {off}: row {place + 1}, {truth}, {short_number(float(apart))} away"
        else:
            how = f"too far: row {place + 1}, {truth}, {short_number(float(apart))} away"
        lines.append(f"  {figure.rjust(room)}  {how}{differing(model.near, one, place)}")
    if len(rows) > MOST_NEIGHBORS:
        lines.append(f"  and {len(rows) - MOST_NEIGHBORS} more")
    return "\n".join([*lines, f"so {name} = {answer}"])
