"""Learners whose model is a function of the columns: equations, and numbers by way of classes."""
