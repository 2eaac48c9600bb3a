"""Models of kept rows as text.

- instances_text: the model: what predicts, how rows are compared, which rows are kept
- rows_explanation: why a row gets its prediction
"""
