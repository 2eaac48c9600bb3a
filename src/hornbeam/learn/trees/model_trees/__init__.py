"""Model trees: linear equations at the leaves."""
