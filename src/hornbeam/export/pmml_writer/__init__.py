"""Models as PMML 4.4: the format ``pmml``.

- document: the entry function, and the parts of a file around the model.
- elements: XML elements and expressions.
- fields: the fields of a file: columns, computed fields, conditions on them.
- decisions: how a class is chosen from probabilities, as expressions.
- trees: trees, with expressions for rows that are divided.
- forests: random forests and boosting.
- rules: rule lists.
- equations: linear models, and what their terms need.
- vectors: support vector machines and clusters.
- mixtures: mixtures of distributions.
- models: models of every kind; ensembles and classifiers of intervals.
"""
