"""Models and decisions as text and pictures, for people. Reads models, never learns them.

- texts/: `text` writes a model, `why` how a tree was learned, `explain` why a row gets its prediction.
- pictures/: `svg` draws a tree or rules, `importances` the importance of columns, `decision_regions` predictions over
  two columns, `cluster_map`, `parallel_coordinates`, `densities` and `dendrogram` clusters.
- charts/: what `chart_svg` (small charts as SVG) and `plot` (charts with matplotlib, an extra) are made of.

Functions are imported when they are first used. Their modules have other names, because a submodule would hide the
function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.show import chart_svg as chart_svg
    from hornbeam.show import plot as plot
    from hornbeam.show.pictures.dendrogram_svg import dendrogram as dendrogram
    from hornbeam.show.pictures.density_svg import densities as densities
    from hornbeam.show.pictures.importance_svg import importances as importances
    from hornbeam.show.pictures.map_svg import cluster_map as cluster_map
    from hornbeam.show.pictures.parallel_svg import parallel_coordinates as parallel_coordinates
    from hornbeam.show.pictures.regions_svg import decision_regions as decision_regions
    from hornbeam.show.pictures.tree_svg import svg as svg
    from hornbeam.show.texts.explanation import explain as explain
    from hornbeam.show.texts.styles import text as text
    from hornbeam.show.texts.trees.decisions import why as why

_HOMES = {
    "cluster_map": "pictures.map_svg",
    "decision_regions": "pictures.regions_svg",
    "dendrogram": "pictures.dendrogram_svg",
    "densities": "pictures.density_svg",
    "explain": "texts.explanation",
    "importances": "pictures.importance_svg",
    "parallel_coordinates": "pictures.parallel_svg",
    "svg": "pictures.tree_svg",
    "text": "texts.styles",
    "why": "texts.trees.decisions",
}

__all__ = ["chart_svg", "plot", *_HOMES]  # noqa: PLE0604 - names


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name in ("chart_svg", "plot"):
        return import_module(f"hornbeam.show.{name}")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = getattr(import_module(f"hornbeam.show.{_HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted(__all__)
