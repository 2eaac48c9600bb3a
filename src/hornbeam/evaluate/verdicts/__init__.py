"""One plain sentence about how good a model is.

- verdict: `verdict` of any result: a score, a cross-validation, a tuning, a comparison
- conclusion: `Verdict`: the sentence with the numbers behind it
- of_score: held-out predictions against the baseline
- of_comparison: which method is best, and which are as good
- of_curve: the best point of a learning or complexity curve
- of_tuning: how good a tuned model is, and whether tuning helped
- doubts: columns that make a score doubtful
- in_rows: differences and their intervals in words
"""
