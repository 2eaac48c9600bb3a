"""How far a small model that was learned to answer as another agrees with it: lines below the small model's text."""

from __future__ import annotations

from typing import Any

from hornbeam.data.in_words import percent, plural
from hornbeam.data.schema import Nominal
from hornbeam.show.texts.wording import NAME_LIMIT, printable


def lines(distilled: Any) -> list[str]:  # noqa: ANN401 - hornbeam.distill.Distilled, which this package must not import
    """Tell the agreement on rows that were held out, and of classes each one's.

    Parameters
    ----------
    distilled : Distilled
        A small model and its agreement with the large one.

    Returns
    -------
    list of str
    """
    counts, rows = distilled.confusion, f"{distilled.n_held_out} rows"
    rows += (
        " that were not learned from" if distilled.folds is None else f", held out in turn ({distilled.folds} parts)"
    )
    if counts is None:
        return [f"fidelity: R² {distilled.fidelity:.3f} on {rows}"]
    target = distilled.model_.schema.target_column
    assert isinstance(target, Nominal)
    whole = counts.sum()
    usual = f"; always the commonest answer: {percent(counts.sum(axis=1).max() / whole)}" if whole else ""
    told = [f"fidelity: the same answer for {percent(distilled.fidelity)} of {rows}{usual}"]
    for code, name in enumerate(target.categories):
        own = int(counts[code].sum())
        if not own:
            continue
        others = [(int(count), -other) for other, count in enumerate(counts[code]) if other != code and count]
        most = max(others, default=None)
        taken = "" if most is None else f", else most often {printable(target.categories[-most[1]], NAME_LIMIT)}"
        right = f"{percent(counts[code, code] / own)} of {plural(own, 'row')}"
        told.append(f"  {printable(name, NAME_LIMIT)}: {right}{taken}")
    return told
