"""The report: one file to hand on, with the data, the models compared, the chosen one, and where it errs.

`build` makes a `Report` of a table: plain data, which writes itself as one HTML page that needs no network, as
Markdown, or as JSON. `report_clusters` does the same for clusters. Everything here puts together what `evaluate`,
`show` and `export` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam._lazy import attach

if TYPE_CHECKING:
    from hornbeam.report.clusters import ClusterReport as ClusterReport
    from hornbeam.report.clusters import report_clusters as report_clusters
    from hornbeam.report.making import build as build
    from hornbeam.report.result import Report as Report

_HOMES = {
    "ClusterReport": "hornbeam.report.clusters",
    "Report": "hornbeam.report.result",
    "build": "hornbeam.report.making",
    "report_clusters": "hornbeam.report.clusters",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = attach(__name__, _HOMES)
