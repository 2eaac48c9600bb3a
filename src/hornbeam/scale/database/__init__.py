"""Learning inside a database: it counts, and its rows never leave it.

engines: DuckDB and PostgreSQL.
columns: the schema of a table, and its columns as expressions.
counting: counts of rows by node, value and class.
branching: splits as expressions.
"""
