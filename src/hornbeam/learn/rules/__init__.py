"""Rule learners: one file for each named learner, and what they share.

exception_updates: one more exception for a row that rules with exceptions get wrong
exceptions: rules with exceptions, learned at once or row by row
from_tree: rules of a tree, with the conditions dropped that they do better without
grower: rules in the making over the rows of a table, greedy or by beam search
one_r: the rules of one column
refine: the rules of one class, chosen and refined by description length
row_order: an order of rows that does not depend on the one they came in
rule_learner: the base of the rule classifiers
score: what a rule is worth
separate_and_conquer: the loop that finds rules one by one, and random divisions of rows
significance: how likely it is that a random rule does as well
"""
