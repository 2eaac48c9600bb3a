"""The text styles that the commands offer: a list of its own, since `hornbeam.show` needs NumPy and help must not."""

from __future__ import annotations

STYLES = ("default", "ascii", "weka", "rpart", "if-then", "table", "describe")
