"""Models of kept rows as text."""
