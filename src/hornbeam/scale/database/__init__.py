"""Learning inside a DuckDB database: it counts, and its rows never leave it.

columns: the schema of a table, and its columns as expressions.
counting: counts of rows by node, value and class.
branching: splits as expressions.
"""
