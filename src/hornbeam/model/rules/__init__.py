"""Models that are rules.

by_hand: rules written as text by a person
exceptions: rules with exceptions: which rule decides a row, and what each covers
index: an index over conditions, by which lists of rules predict
rule: rules and lists of rules, and the rules of a tree
"""
