"""Sets and intervals that hold what they promise, at the leaves of a tree or the rules of a list."""
