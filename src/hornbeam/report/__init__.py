"""The report: one file to hand on, with the data, the models compared, the chosen one, and where it errs.

`build` makes a `Report` of a table: plain data, which writes itself as one HTML page that needs no network, as
Markdown, or as JSON. `report_clusters` does the same for clusters. Everything here puts together what `evaluate`,
`show` and `export` do.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
