"""Reports: one file with the data, the models compared, the chosen model, and where it is wrong.

`build` makes a `Report` on a table: plain data, which writes itself as one HTML page that needs no network, as
Markdown, or as JSON. `report_clusters` does the same for clusters. Everything here combines what `evaluate`, `show` and
`export` do.

making: `build`.
result: what a report holds, and saving it.
choice: which scheme the report is about, and why.
metrics: metrics of held-out predictions.
relations: how much each column alone says about the target.
slices: where the model is wrong.
parts: a column in parts, for counting.
examples: rows to trace through the model.
listing: a model as a list of leaves or rules.
origin: how to make the same report again.
content: the content of a report, section by section.
judged_content: its section of metrics and curves.
model_content: its section about the model.
blocks: texts, tables and pictures that the content is made of.
wording: numbers and names as text.
sparks: small pictures of columns.
page: the content as an HTML page (with page.css and page.js).
markup: pieces of HTML.
form: the what-if form of the page.
markdown: the content as Markdown.
compact: what a notebook shows.
clusters: a report on clusters.
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
