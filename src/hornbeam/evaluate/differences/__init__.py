"""How two models differ.

- difference: `diff` and its result
- tree_difference: two trees, and conditions by name
- rule_difference: two lists of rules, and two equations
- prediction_difference: rows that get different predictions
- difference_text: the result as text
"""
