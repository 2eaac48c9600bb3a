"""Random forests.

- best: best-first growth: the leaf with the greatest gain is split first
- bits: columns with two codes
- class: the class that Python sees
- count: sums by code, and scores
- few: nodes with few rows
- grower: the module; its structures are in grower.pxd
- pair: nodes with two rows
- records: a tree's records of rows
- search: the best split of a node
- tree: from the sampled rows to a tree
"""
