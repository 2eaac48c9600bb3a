"""Naive, readable implementations that the compiled learners are held against."""
