"""The report: one file to hand on, with the data, the models compared, the chosen one, and where it errs.

`build` makes a `Report` of a table: plain data, which writes itself as one HTML page that needs no network, as
Markdown, or as JSON. `report_clusters` does the same for clusters. Everything here puts together what `evaluate`,
`show` and `export` do.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.report.clusters import ClusterReport as ClusterReport
    from hornbeam.report.clusters import report_clusters as report_clusters
    from hornbeam.report.making import build as build
    from hornbeam.report.result import Report as Report

__all__ = ["ClusterReport", "Report", "build", "report_clusters"]

_HOMES = {
    "ClusterReport": "hornbeam.report.clusters",
    "Report": "hornbeam.report.result",
    "build": "hornbeam.report.making",
    "report_clusters": "hornbeam.report.clusters",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
