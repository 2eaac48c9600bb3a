"""Clusters as text: how many rows each has, its typical values, and what sets it apart, the most telling first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.show.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.model.clustering import ClusterDescription, Clustering, Trait

MOST_TRAITS = 8


def write(model: Clustering, *, plain: bool = False) -> str:
    """Write what clusters are like; `plain` without characters that ASCII lacks."""
    rows, k = int(model.profile.rows[-1]), model.n_clusters
    lines = [f"{printable(model.schema.name, NAME_LIMIT)}: {rows} rows in {k} cluster{'s' * (k != 1)}"]
    for figure, name in (("error", "squared error"), ("log_likelihood", "log-likelihood")):
        if hasattr(model, figure):
            lines[0] += f", {name} {short_number(getattr(model, figure))}"
    for told in model.describe():
        lines += ["", *_cluster(told)]
    written = "\n".join(lines)
    return written.replace(" ± ", " +- ") if plain else written


def _cluster(told: ClusterDescription) -> list[str]:
    rows = f"{told.rows} row{'s' * (told.rows != 1)}"
    head = f"cluster {told.cluster}: {rows} ({100 * told.share:.1f}%)"
    shown = told.traits[:MOST_TRAITS]
    names = [printable(trait.column, NAME_LIMIT) for trait in shown]
    values = [_value(trait) for trait in shown]
    width, room = max(map(len, names), default=0), max(map(len, values), default=0)
    lines = [
        f"  {name.ljust(width)}  {value.ljust(room)}  {_apart(trait)}".rstrip()
        for name, value, trait in zip(names, values, shown, strict=True)
    ]
    more = len(told.traits) - len(shown)
    return [head, *lines, *([f"  and {more} more column{'s' * (more != 1)}"] if more else [])]


def _value(trait: Trait) -> str:
    if trait.typical is None:
        return "no known value"
    if isinstance(trait.typical, str):
        return f"{printable(trait.typical, NAME_LIMIT)} ({100 * trait.spread:.0f}%)"
    return f"{short_number(trait.typical)} ± {short_number(trait.spread)}"


def _apart(trait: Trait) -> str:
    if trait.typical is None:
        return ""
    overall = f"{100 * trait.overall:.0f}%" if isinstance(trait.typical, str) else short_number(trait.overall)
    return f"{trait.apart:+.2f} deviations from all rows ({overall})"
