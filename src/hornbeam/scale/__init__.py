"""Learning from data that does not fit in memory: partitions are read, counted and forgotten.

source: `scan`, and the source that it gives.
learning: which learner learns from a source.
predict: predictions for all partitions.
found: the schema of all partitions together.
executors: who does the work: this process, local processes, Dask, Spark.
parts: where partitions come from: Parquet, CSV, DuckDB.
database: counts by SQL, where rows stay in a database.
linear: linear equations from sums.
trees: trees from counts, level by level.
"""
