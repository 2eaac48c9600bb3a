"""Kernels of the rule learners and of prediction by rules.

cover: the rule engine; grows rules by the best condition after another
generalize: drops conditions of the rules of a tree, by their expected errors
match: which rules hold for a row, by an index over their conditions
partial: partial trees, whose heaviest leaves become rules
pruning: rows dealt out to grow and to prune rules, and description lengths of rule sets
"""
