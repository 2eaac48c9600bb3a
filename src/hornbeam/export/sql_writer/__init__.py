"""The format ``sql``: a model as one query, in the dialect of a database.

- query: the entry function, and the decision rule.
- dialect: names, numbers and texts as a database writes them.
- layers: the query as a chain of common table expressions, each with columns for the next.
- trees: trees and forests.
- mixtures: mixtures of distributions.
- models: rules, equations, ensembles and other models.
"""
