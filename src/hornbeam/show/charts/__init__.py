"""Charts: plain SVG, and matplotlib (an extra).

Plain SVG; functions that take a theme return a complete document:

- chart_field: axes and the field between them. chart_rows: bars, and dots with intervals.
- small_charts: curves and points for pages.
- error_bars: a line with error bars. heat_map: tables of numbers. histogram: histograms.
- rank_diagram: average ranks with the critical difference.

With matplotlib:

- curve_charts: curves, bands, stacked areas, matrices, residuals.
- pruning_charts: methods by size and score, pruning paths.
- space: the feature space of a tree. kept_rows: the rows that neighbors keep. margin_chart: support vector machines.

For both:

- plane: the plane of two columns.
"""
