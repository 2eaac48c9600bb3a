"""Curves and matrices of predictions.

- curve: `learning_curve` and `complexity_curve`
- curve_result: their result, as text and as a chart
- bias_variance: `bias_variance` and `bias_variance_curve`
- decomposition: the decomposition of the expected error into noise, bias and variance
- class_curves: curves of every class against all others
- ranking_curves: `roc`, `precision_recall` and `lift`
- calibration_curve: `calibration`
- ranked_rows: rows sorted by predicted probability
- confusion: `confusion`
- residual_figures: `residuals`
"""
