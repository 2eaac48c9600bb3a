"""Comparing methods.

- compare: `compare`: methods on the same folds of one or more tables
- methods: methods by name, and variants of one method
- outside: estimators of scikit-learn on tables, and critical-value pruning with a threshold chosen on held-out rows
- comparison: the result as plain data
- comparison_text: the result as text
- comparison_chart: the result as a chart
- significance: tests of differences, ranks and their critical difference
"""
