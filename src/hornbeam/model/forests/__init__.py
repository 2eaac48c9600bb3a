"""Forests and ensembles.

contributions: predictions as sums of contributions of the columns
ensemble: several models of any kind that predict together
forest: many binary trees in one set of arrays
invariants: checks of a forest, before a kernel reads it
joined: forests one after another, and their first trees
one_tree: one tree of a forest as a `Tree`
precision: values of double precision, as sums of two
"""
