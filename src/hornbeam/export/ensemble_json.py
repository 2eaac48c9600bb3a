"""Models that answer together, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.export.plain_json import dumps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.model.forests.ensemble import Ensemble


def ensemble_json(model: Ensemble, members: Sequence[str]) -> str:
    """Write an ensemble as JSON.

    Parameters
    ----------
    model : Ensemble
        What to write.
    members : sequence of str
        Its members, written already.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``decide`` ("mean" or "vote"), ``default`` (the answer where no member has
        one: class shares, or a number) and ``members``.
    """
    head = {
        "kind": "ensemble",
        "target": model.schema.target_column.name,
        "decide": model.decide,
        "default": model.default.tolist(),
    }
    lines = [f"  {dumps(key)}: {dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, '  "members": [', ",\n".join(members), "  ]", "}"])
