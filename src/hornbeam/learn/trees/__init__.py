"""Trees: recipes, the grower and its criteria, and one file for each named algorithm."""
