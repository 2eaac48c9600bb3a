"""Reports: one file with the data, the models compared, the chosen model, and where it is wrong.

`build` makes a `Report` on a table: plain data, which writes itself as one HTML page that needs no network, as
Markdown, or as JSON. `report_clusters` does the same for clusters. Everything here combines what `evaluate`, `show` and
`export` do.

making: `build`.
result: the contents of a report, and saving it.
about: title, author, date and notes.
choice: which scheme the report is about, and why; what a larger model would gain.
alerts: what to know first, by severity.
baseline: the model against the baseline, by rows and by folds.
effects: importance of columns, and how predictions change with them.
thresholds: counts of held-out rows by threshold.
metrics: metrics of held-out predictions.
relations: how much information each column alone has about the target.
slices: where the model is wrong.
parts: a column in parts, for counting.
examples: rows to trace through the model.
listing: a model as a list of leaves or rules.
origin: how to make the same report again.
content: the content of a report, section by section: texts, tables and pictures.
page: the content as an HTML page (with page.css and page.js).
markup: pieces of HTML.
form: the what-if form of the page.
markdown: the content as Markdown.
compact: views for notebooks.
clusters: a report on clusters.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
