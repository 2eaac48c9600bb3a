"""One plain sentence about how good a model is.

- verdict: `verdict` of any result: a score, a cross-validation, a tuning, a comparison
- conclusion: `Verdict`: the sentence with the figures it follows from
- of_score: held-out predictions against the baseline
- of_comparison: which method is best, and which are as good
- of_curve: the best point of a learning or complexity curve
- of_tuning: what a tuned model is worth, and whether tuning helped
- doubts: columns that speak against a figure
- in_rows: differences and their intervals in words
"""
