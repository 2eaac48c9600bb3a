"""Fixed programs that predict with a model given as plain data (`hornbeam.export.program`).

They are copied as text into what is exported; hornbeam itself does not run them.

- javascript.js: for browsers and Node.js.
- javascript_rows.js: its part for models that keep rows, and for clusters.
- python: for Python without any package: rows, decisions, and the command line.
- python_models: its part for trees, rules, equations, forests and ensembles.
- python_rows: its part for models that keep rows.
- python_clusters: its part for clusters.
"""
