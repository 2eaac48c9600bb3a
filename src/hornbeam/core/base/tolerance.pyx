"""Tolerances that kernels and Python share (see tolerance.pxd, which this module exposes to Python as floats)."""

globals().update(
    SLACK=SLACK, AVERAGE_SLACK=AVERAGE_SLACK, LEAF_MARGIN=LEAF_MARGIN, LEAST_SHARE=LEAST_SHARE, TIE=TIE,
)
