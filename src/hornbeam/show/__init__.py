"""Models and decisions as text and pictures, for people. Reads models, never learns them.

- texts/: `text` writes a model, `why` how a tree was learned, `explain` why a row gets its prediction.
- pictures/: `svg` draws a tree or rules, `importances` the importance of columns, `decision_regions` predictions over
  two columns, `cluster_map`, `parallel_coordinates`, `densities` and `dendrogram` clusters.
- charts/: what `chart_svg` (small charts as SVG) and `plot` (charts with matplotlib, an extra) are made of.

Functions are imported when they are first used. Their modules have other names, because a submodule would hide the
function.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
