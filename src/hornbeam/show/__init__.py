"""For people: models and decisions as text and pictures. Reads models, never learns them.

`text` prints a model, `why` prints how a tree came about, `explain` why a row gets its answer (`texts/`). `svg` draws a
tree or a list of rules, `importances` which columns count, `decision_regions` what is answered over two columns,
`cluster_map`, `parallel_coordinates`, `densities` and `dendrogram` clusters (`pictures/`). They are imported when first
asked for. The modules have other names, because a submodule would hide the function. `chart_svg` is a module: small
charts as SVG; so is `plot`: charts on matplotlib, which is an extra; both stand on `charts/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam._lazy import attach

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
    "cluster_map": "hornbeam.show.pictures.map_svg",
    "decision_regions": "hornbeam.show.pictures.regions_svg",
    "dendrogram": "hornbeam.show.pictures.dendrogram_svg",
    "densities": "hornbeam.show.pictures.density_svg",
    "explain": "hornbeam.show.texts.explanation",
    "importances": "hornbeam.show.pictures.importance_svg",
    "parallel_coordinates": "hornbeam.show.pictures.parallel_svg",
    "svg": "hornbeam.show.pictures.tree_svg",
    "text": "hornbeam.show.texts.styles",
    "why": "hornbeam.show.texts.trees.decisions",
}

_MODULES = {"chart_svg": "hornbeam.show.chart_svg", "plot": "hornbeam.show.plot"}

__all__ = list(_HOMES | _MODULES)

__getattr__, __dir__ = attach(__name__, _HOMES, _MODULES)
