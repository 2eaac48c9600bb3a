"""Linear models as text."""
