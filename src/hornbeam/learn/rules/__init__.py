"""Rule learners: one file for each named learner, and what they share.

c45rules: the leaves of an unpruned tree as rules, and the base of learners of such rules
exception_updates: one more exception for a row that rules with exceptions get wrong
exceptions: rules with exceptions, learned at once or row by row
from_tree: rules of a tree, with the conditions dropped that they do better without
grower: rules in the making over the rows of a table, greedy or by beam search
induct: the most significant rule, one after another
irep: rules pruned as soon as they are grown
one_r: the rules of one column
part: the heaviest leaves of partial trees
prism: perfect rules, class by class
refine: the rules of one class, chosen and refined by description length
ripper: rules class by class, refined by description length
row_order: an order of rows that does not depend on the one they came in
rule_learner: the bases of the rule classifiers
score: what a rule is worth
separate_and_conquer: the loop that finds rules one by one, and pruning on rows held out
significance: how likely it is that a random rule does as well
"""
