"""`scan`: files or a table that may be larger than memory, for estimators to learn from."""

from __future__ import annotations

import glob
import os
import weakref
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError
from hornbeam.learn.base.lazy import LazyRows, engine_of
from hornbeam.scale.executors import executor
from hornbeam.scale.parts.postgres import SCHEMES, PostgresParts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.schema import Schema
    from hornbeam.learn.base.lazy import Predictions
    from hornbeam.scale.database.columns import Described
    from hornbeam.scale.database.engines import Database
    from hornbeam.scale.executors.base import Executor
    from hornbeam.scale.parts import Key, Parts
    from hornbeam.scale.parts.typed import Typed
    from hornbeam.scale.trees.counter import Counter

MOST_BINS = 65_534  # codes are at most two bytes, and one code means missing
DATABASES = (".duckdb", ".ddb", ".db")
TEXTS = (".csv", ".tsv", ".txt")


def scan(
    source: Any,
    *,
    target: str | None = None,
    ignore: Sequence[str] = (),
    nominal: Sequence[str] = (),
    table: str | None = None,
    separator: str | None = None,
    engine: Any = "local",
    workers: int | None = None,
    memory_mb: int | None = None,
    bins: int = 254,
    local_rows: int = 50_000,
) -> Source:
    """Open files or a table that may be larger than memory, to learn from without reading them as a whole.

    Parameters
    ----------
    source : path, pattern or list of them, address, or a DataFrame of Spark or Dask
        Parquet files (their row groups are the partitions), CSV files (ranges of bytes), a DuckDB file, or the address
        of a PostgreSQL database, such as "postgresql://host/database". The engine of a DataFrame does the work.
    target : str, optional
        The column to predict.
    ignore : sequence of str
        Columns that are left out.
    nominal : sequence of str
        Columns of numbers that are categories, such as classes 0 and 1.
    table : str, optional
        The table of a database; not needed if a DuckDB file has only one.
    separator : str, optional
        The separator of a CSV file; by default a comma, or a tab in a ``.tsv`` file.
    engine : {"local", "dask", "spark", "duckdb", "postgres"}, dask.distributed.Client or SparkSession
        Where the work is done. The model does not depend on it. With "duckdb" and "postgres" the rows never leave the
        database.
    workers : int or None
        Number of local processes; 0: only this process; None: one per core.
    memory_mb : int or None
        The memory limit of all local processes together.
    bins : int
        A numeric column with at most this many distinct values is split exactly as in memory; others at this many
        quantiles, until a node has at most `local_rows` rows.
    local_rows : int
        Nodes with at most this many rows are finished in one process, exactly as in memory.

    Returns
    -------
    Source

    Examples
    --------
    >>> import tempfile, hornbeam
    >>> from hornbeam.data.write import write
    >>> folder = tempfile.TemporaryDirectory()
    >>> write(hornbeam.read("weather"), f"{folder.name}/weather.parquet")
    >>> source = hornbeam.scan(f"{folder.name}/*.parquet", target="play", workers=0)
    >>> hornbeam.C45Classifier().fit(source).model_.n_leaves
    5
    """
    if not 1 < bins <= MOST_BINS:
        msg = f"bins is {bins}; expected a number from 2 to {MOST_BINS}"
        raise ValueError(msg)
    if engine_of(source) is not None:
        from hornbeam.scale.frames import opened

        parts: Parts
        parts, engine = opened(source)
    elif isinstance(source, str) and source.startswith(SCHEMES):
        if table is None:
            raise DataError("a PostgreSQL database has several tables; name one: table=...")
        parts = PostgresParts(source, table)
    else:
        parts = _parts(_paths(source), table, separator)
    return Source(parts, target, tuple(ignore), tuple(nominal), engine, workers, memory_mb, bins, local_rows)


def _paths(source: Any) -> list[str]:
    given = [source] if isinstance(source, str | os.PathLike) else list(source)
    paths: list[str] = []
    for one in [os.fspath(path) for path in given]:
        found = sorted(glob.glob(one, recursive=True)) if glob.has_magic(one) else [one]  # noqa: PTH207 - any path
        if not found:
            raise DataError(f"no file matches {one!r}")
        for path in found:
            if Path(path).is_dir():
                inside = sorted(str(p) for p in Path(path).iterdir() if p.suffix in (".parquet", *TEXTS))
                if not inside:
                    raise DataError(f"{path}: the folder has no Parquet or CSV file")
                paths += inside
            elif not Path(path).exists():
                raise DataError(f"{path}: there is no such file")
            else:
                paths.append(path)
    if not paths:
        raise DataError("no file was given; expected at least one")
    return paths


def _parts(paths: list[str], table: str | None, separator: str | None) -> Parts:
    kinds = {Path(path).suffix.lower() for path in paths}
    if kinds <= {".parquet", ".pq"}:
        from hornbeam.scale.parts.parquet import ParquetParts

        return ParquetParts(tuple(paths))
    if kinds <= set(TEXTS):
        from hornbeam.scale.parts.text import CsvParts

        return CsvParts(tuple(paths), separator or ("\t" if kinds == {".tsv"} else ","))
    if kinds <= set(DATABASES) and len(paths) == 1:
        from hornbeam.scale.parts.database import DuckDBParts, only_table

        return DuckDBParts(paths[0], table or only_table(paths[0]))
    msg = f"files of the kinds {', '.join(sorted(kinds))}; expected Parquet files, CSV files, or one DuckDB file"
    raise DataError(msg)


@dataclass(frozen=True, eq=False)
class Source(LazyRows):
    """Partitions to learn from; see `scan`."""

    parts: Parts
    target: str | None
    ignore: tuple[str, ...]
    nominal: tuple[str, ...]
    engine: Any
    workers: int | None
    memory_mb: int | None
    bins: int
    local_rows: int

    @cached_property
    def keys(self) -> list[Key]:
        """A key for every partition."""
        return self.parts.keys()

    @cached_property
    def executor(self) -> Executor:
        """The executor; started when it is first needed, stopped with this source or by `close`."""
        made = executor("local" if self.in_database else self.engine, self.workers, self.memory_mb)
        weakref.finalize(self, made.close)
        return made

    @cached_property
    def schema(self) -> Schema:
        """Columns, kinds and roles, found over all partitions."""
        if self.in_database:
            from hornbeam.scale.database.columns import schema_of

            return schema_of(self._database[1], self.target)
        from hornbeam.scale.found import find_schema

        return find_schema(self.executor, self.parts, self.keys, self.target, self.ignore, self.nominal)

    @property
    def in_database(self) -> bool:
        """Whether a database does the work, and rows stay in it."""
        return self.engine in ("duckdb", "postgres")

    @cached_property
    def _database(self) -> tuple[Database, list[Described]]:
        """The database, and the columns of the table."""
        from hornbeam.scale.database.columns import describe
        from hornbeam.scale.parts.database import DuckDBParts

        kind, expected = (
            (DuckDBParts, "a DuckDB file; expected one file")
            if self.engine == "duckdb"
            else (PostgresParts, "a PostgreSQL database; expected its address")
        )
        if not isinstance(self.parts, kind):
            raise ValueError(f"engine={self.engine!r} learns inside {expected} and a table")  # noqa: TRY004
        database = self.parts.database(self.memory_mb)
        return database, describe(database, self.parts.quoted, self.nominal, self.ignore)

    @cached_property
    def typed(self) -> Typed:
        """The loader of typed rows."""
        from hornbeam.scale.parts.typed import Typed

        return Typed(self.parts, self.schema)

    def counter(self, *, drop_empty: bool = False) -> Counter:
        """Counts of the rows, from partitions or from the database."""
        if self.in_database:
            from hornbeam.scale.database.counting import DatabaseCounter

            return DatabaseCounter(self, *self._database, drop_empty=drop_empty)
        from hornbeam.scale.trees.counter import PartitionCounter

        return PartitionCounter(self, drop_empty=drop_empty)

    def learn(self, estimator: Any) -> tuple[Any, str | None]:
        """Return the model learned from all rows, or a Table if they are few; and a digest of the data."""
        from hornbeam.scale.learning import learn

        return learn(self, estimator)

    def folds(self, folds: int) -> list[tuple[Source, Source]]:
        """The rows to learn from and the rows to predict, for every fold; partitions are not divided."""
        from hornbeam.scale.folds import fold_sources

        return fold_sources(self, folds)

    def predicted(self, estimator: Any, *, probabilities: bool = False) -> Predictions:
        """Predictions for all rows with a target, in memory."""
        from hornbeam.scale.folds import predictions_of

        return predictions_of(self, estimator, probabilities=probabilities)

    def close(self) -> None:
        """Stop the processes of this source, and remove their files."""
        if "executor" in self.__dict__:
            self.executor.close()
            del self.__dict__["executor"]
        if "_database" in self.__dict__:
            self._database[0].close()
            del self.__dict__["_database"]
