"""Rule learners: one file for each named learner, and shared code.

c45rules: the leaves of an unpruned tree as rules, and the base of learners of such rules
exception_updates: adding an exception for a misclassified row
exceptions: rules with exceptions, learned at once or row by row
from_tree: rules of a tree, simplified by dropping conditions
grower: growing rules on the rows of a table, greedily or by beam search
induct: the most significant rule, one after another
irep: rules pruned as soon as they are grown
one_r: the rules of one column
part: the heaviest leaves of partial trees
prism: perfect rules, class by class
refine: the rules of one class, chosen and refined by description length
ripper: rules class by class, refined by description length
row_order: an order of rows that does not depend on the given order
rule_learner: the bases of the rule classifiers
score: scores of rules
separate_and_conquer: the loop that finds rules one by one, and pruning on held-out rows
significance: the probability that a random rule does as well
"""
