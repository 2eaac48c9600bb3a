"""Models as text, one folder per family, and what they share.

- styles: `hornbeam.show.text`, which chooses the writer for a model and a style.
- explanation: `hornbeam.show.explain`, why a row gets its prediction.
- wording: names, numbers, branches and splits as text.
- columns: tables for a terminal and for Markdown.
- several: the models of several targets.
- calibrated: calibration of leaves and stability of splits. traits: columns of clusters.
- trees, rules, linear, forests, neighbors, svm, clusters: the models of each family.
"""
