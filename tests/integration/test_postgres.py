"""Queries in a real PostgreSQL server, which is started here on loopback (Debian: apt install postgresql)."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from export.exported import CASES, is_refused, learned
from node_answers import other_rows

import hornbeam
from hornbeam.export import sql
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.integration
pytest.importorskip("sqlglot")
NO_SQL = {"neighbors", "ib2", "ib3", "ib5", "svm"}
SETS = ("labor", "glass", "servo", "weather.numeric")


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [
        Path(name) for name in [shutil.which("initdb")] if name
    ]
    return found[-1].parent if found else None


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """A server of its own, with its files in a temporary folder; it never runs as root."""
    programs = _programs()
    if programs is None or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt install postgresql)")
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(dir="/tmp", prefix="hornbeam-postgres-"))
    if prefix:
        shutil.chown(folder, "postgres")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = str(folder / "data")
    made = [*prefix, programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8"]
    subprocess.run(made, check=True, capture_output=True)
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
    start = [*prefix, programs / "pg_ctl", "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start"]
    subprocess.run(start, check=True, capture_output=True)
    names = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres", "PGDATABASE": "postgres"}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        subprocess.run(
            [*prefix, programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], check=True, capture_output=True
        )
        shutil.rmtree(folder, ignore_errors=True)


def _agrees(path: Path, model: Any, rows: Any, **options: Any) -> None:
    (path / "model.sql").write_text(sql(model, dialect="postgres", **options), "utf-8")
    found = check(path / "model.sql", model, rows, "postgres")
    assert found.is_equal, str(found)


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(("scheme", "name"), [case for case in CASES if case.values[1] in SETS])
def test_every_scheme(scheme: Any, name: str, tmp_path: Path) -> None:
    if is_refused(scheme) or scheme.name in NO_SQL:
        pytest.skip("not written as SQL")
    _agrees(tmp_path, learned(scheme, name), other_rows(hornbeam.read(name), 40, seed=5))


@pytest.mark.usefixtures("server")
def test_hostile_names_costs_and_many_trees(tmp_path: Path) -> None:
    from export.test_sql import HOSTILE

    table = hornbeam.read("credit-g")
    rows = other_rows(table, 60, seed=2)
    costly = hornbeam.C45Classifier(costs={"bad": {"good": 5}}).fit(table)
    _agrees(tmp_path, costly, rows, table='a "schema".it\'s a table')
    renamed = {old: f"{HOSTILE[i % len(HOSTILE)]}{i}" for i, old in enumerate(table.schema.names)}
    from dataclasses import replace

    columns = tuple(replace(column, name=renamed[column.name]) for column in table.schema.columns)
    hostile = type(table)(replace(table.schema, columns=columns), table.columns)
    _agrees(tmp_path, hornbeam.C45Classifier().fit(hostile), other_rows(hostile, 60, seed=3))
    many = hornbeam.GradientBoostingClassifier(n_estimators=200, max_leaf_nodes=8, early_stopping=False).fit(table)
    _agrees(tmp_path, many, rows)
