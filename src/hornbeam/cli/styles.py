"""Text styles and themes that the commands offer: own lists, since `hornbeam.show` needs NumPy and help must not."""

from __future__ import annotations

STYLES = ("default", "ascii", "weka", "rpart", "if-then", "table", "describe")
THEMES = ("auto", "light", "dark")
