"""A judge that is Spark SQL: exported queries are run by PySpark on this machine.

One session is used per process; a running one is reused.
"""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hornbeam.export.judges.databases import row_column, with_row

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.export.judges import Result, Rows

OPTIONS = {  # one thread, reachable only from this machine, no web page, no log messages
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "1",
}


def find_spark() -> str | None:
    """Return what is missing, if PySpark or Java is not installed."""
    if not find_spec("pyspark"):
        return "PySpark (pip install 'hornbeam[spark]')"
    if not shutil.which("java") and "JAVA_HOME" not in os.environ:
        return "Java 17 or later for Spark (no program `java` on the path)"
    return None


def _session() -> Any:  # noqa: ANN401 - of Spark
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers must run the same Python
    builder = SparkSession.builder.appName("hornbeam").master("local[1]")
    for option, value in OPTIONS.items():
        builder = builder.config(option, value)
    return SparkSession.getActiveSession() or builder.getOrCreate()


def run_spark(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported query in Spark SQL, on a temporary view with the rows."""
    from pyspark.sql.types import DoubleType, IntegerType, StringType, StructField, StructType

    if "." in manifest["table"]:
        msg = f"the query reads the table {manifest['table']!r}; a temporary view of Spark has no schema"
        raise ValueError(msg)
    columns = manifest["columns"]
    kinds = {"numeric": DoubleType(), "nominal": StringType()}
    row_name = row_column(columns)
    fields = [StructField(row_name, IntegerType()), *(StructField(c["name"], kinds[c["kind"]]) for c in columns)]
    values = [(number, *(_value(row[c["name"]]) for c in columns)) for number, row in enumerate(rows)]
    session = _session()
    session.createDataFrame(values, StructType(fields)).createOrReplaceTempView(_quoted(manifest["table"]))
    found = sorted(session.sql(with_row(path, _quoted(row_name), escapes=True)).collect(), key=lambda row: row[0])
    n_outputs = len(manifest["outputs"])
    return [(row[-n_outputs], list(row[len(row) - n_outputs + 1 :]) or None) for row in found]


def _value(value: Any) -> Any:  # noqa: ANN401 - a number, a text or None
    return value if value is None or isinstance(value, str) else float(value)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
