"""Predictions with stated coverage (conformal prediction).

- conformal: `conformal` and `calibrate`
- conformal_parts: where rows end in a model, and which leaves share calibration rows
- conformal_result: `CalibratedModel`: the result, and as text
"""
