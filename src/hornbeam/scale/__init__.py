"""Learning from data that does not fit in memory: partitions are read, counted and released.

source: `scan`, and the source that it returns.
learning: chooses the learner for a source.
folds: parts for cross-validation, and predictions in memory.
gather: all rows in memory, if they are few.
predict: predictions for all partitions.
found: the schema of all partitions together.
executors: run tasks in this process, local processes, Dask or Spark.
frames: DataFrames of Spark and Dask.
parts: where partitions come from: Parquet, CSV, DuckDB.
clusters: k-means from sums.
database: counts by SQL, for rows in a database.
forests: forests and boosting from codes.
linear: linear equations from sums.
model_trees: model trees from sums.
trees: trees from counts, level by level.
"""
