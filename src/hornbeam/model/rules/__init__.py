"""Rule models.

by_hand: rules written as text by a person
exceptions: rules with exceptions: the deciding rule of each row, and the coverage of rules
index: an index over conditions, for fast predictions of rule lists
rule: rules and lists of rules, and the rules of a tree
"""
