"""Kept rows with an entropic distance or local models as text, in a few lines; boxes as their rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.neighbors.exemplars import Exemplars
from hornbeam.model.neighbors.kstar import KStarModel
from hornbeam.show.texts.rules import rule_list
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.model.base.kept_predictions import Answering

MISSING = {
    "average": "as likely as others on average",
    "farthest": "as the least likely",
    "exclude": "not at all",
    "equal": "as the likeliest",
}


def write(model: Answering) -> str:
    """Write what answers, and how far it reaches."""
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    if isinstance(model, Exemplars):
        single = int((model.rows <= 1).sum())
        head = f"{name}: the box that a row lies in, or the nearest; {len(model) - single} boxes, {single} single rows"
        return f"{head}\n\n{rule_list.write(model.to_rules())}"
    n_kept = model.kept.n_rows  # type: ignore[attr-defined]
    if isinstance(model, KStarModel):
        how = "the rows that chance would turn into the row asked about, by how likely that is"
        reach = f"blend {short_number(model.blend)}; missing values {MISSING[model.missing]}"
    else:
        near: Any = model.near  # type: ignore[attr-defined]
        how = f"a model for every row asked about; {near.kernel} weights"
        rows = "the farthest row" if near.k >= n_kept else f"the nearest {near.k} rows"
        reach = f"reach: {short_number(near.reach) if near.reach > 0 else rows}"
    return f"{name}: {how}\nrows kept: {n_kept}\n{reach}"
