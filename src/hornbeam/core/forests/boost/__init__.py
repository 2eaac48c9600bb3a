"""The kernel of gradient boosting."""
