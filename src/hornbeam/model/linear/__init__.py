"""Linear models, and regression through classes."""
