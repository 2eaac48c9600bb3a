"""The formats ``excel`` and ``formula``: small trees, rule lists and equations as formulas of a spreadsheet.

- sheet: the formulas of one row while they are written, within the limits of Excel.
- trees: trees, and rows that are divided at missing values.
- rules: rule lists and equations.
- outputs: from the results of a model to the prediction and the probabilities.
- workbook: the workbook, and the same formulas as text.
"""
