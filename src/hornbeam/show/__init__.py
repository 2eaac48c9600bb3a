"""For people: models and decisions as text and pictures. Reads models, never learns them.

`text` prints a model, `why` prints how a tree came about, `explain` why a row gets its answer (`texts/`). `svg` draws a
tree or a list of rules, `importances` which columns count, `decision_regions` what is answered over two columns,
`cluster_map`, `parallel_coordinates`, `densities` and `dendrogram` clusters (`pictures/`). They are imported when first
asked for. The modules have other names, because a submodule would hide the function. `chart_svg` is a module: small
charts as SVG; so is `plot`: charts on matplotlib, which is an extra; both stand on `charts/`.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
