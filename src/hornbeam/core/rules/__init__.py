"""Kernels of the rule learners and of prediction by rules.

cover: the rule engine; grows rules by adding the best condition repeatedly
generalize: drops conditions of the rules of a tree, by their expected errors
match: which rules match a row, by an index over their conditions
partial: partial trees, whose heaviest leaves become rules
pruning: rows divided into sets for growing and pruning rules, and description lengths of rule sets
"""
