"""For people: models and decisions as text and pictures. Reads models, never learns them.

`text` prints a model (`styles.py`), `why` prints how a tree came about (`decisions.py`), `explain` why a row gets its
answer (`explanation.py`), `svg` draws a tree or a list of rules (`tree_svg.py`, `rule_svg.py`), `importances` which
columns count (`importance_svg.py`), `decision_regions` what is answered over two columns (`regions_svg.py`);
`cluster_map`, `parallel_coordinates` and `dendrogram` draw clusters (`map_svg.py`, `parallel_svg.py`,
`dendrogram_svg.py`). They are imported when first asked for. The modules have other names, because a submodule would
hide the function. `chart_svg` is a module: small charts as SVG; so is `plot`: charts on matplotlib, which is an extra.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.show import chart_svg as chart_svg
    from hornbeam.show import plot as plot
    from hornbeam.show.decisions import why as why
    from hornbeam.show.dendrogram_svg import dendrogram as dendrogram
    from hornbeam.show.explanation import explain as explain
    from hornbeam.show.importance_svg import importances as importances
    from hornbeam.show.map_svg import cluster_map as cluster_map
    from hornbeam.show.parallel_svg import parallel_coordinates as parallel_coordinates
    from hornbeam.show.regions_svg import decision_regions as decision_regions
    from hornbeam.show.styles import text as text
    from hornbeam.show.tree_svg import svg as svg

__all__ = [
    "chart_svg",
    "cluster_map",
    "decision_regions",
    "dendrogram",
    "explain",
    "importances",
    "parallel_coordinates",
    "plot",
    "svg",
    "text",
    "why",
]

_HOMES = {
    "cluster_map": "hornbeam.show.map_svg",
    "decision_regions": "hornbeam.show.regions_svg",
    "dendrogram": "hornbeam.show.dendrogram_svg",
    "explain": "hornbeam.show.explanation",
    "importances": "hornbeam.show.importance_svg",
    "parallel_coordinates": "hornbeam.show.parallel_svg",
    "svg": "hornbeam.show.tree_svg",
    "text": "hornbeam.show.styles",
    "why": "hornbeam.show.decisions",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name in ("chart_svg", "plot"):
        return import_module(f"hornbeam.show.{name}")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
