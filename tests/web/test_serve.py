"""The server predicts as the model, and refuses what it should."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

pytest.importorskip("starlette")
pytest.importorskip("httpx")
from starlette.testclient import TestClient

from hornbeam.web.app import application

if TYPE_CHECKING:
    from pathlib import Path


def client(model: Any, **options: Any) -> TestClient:
    return TestClient(application(model, **options), base_url="http://127.0.0.1:8000")


@pytest.fixture
def play() -> Any:
    return hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric")).model_


ROW = {"outlook": "rainy", "temperature": 71, "humidity": None, "windy": "TRUE"}


def as_rows(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(table.n_rows)]
    for position in table.schema.features:
        column, values = table.schema.columns[position], table.columns[position]
        for row, value in zip(rows, values.tolist(), strict=True):
            if isinstance(column, Nominal):
                row[column.name] = column.categories[value] if value >= 0 else None
            else:
                row[column.name] = None if np.isnan(value) else value
    return rows


@pytest.mark.parametrize("name", ["labor", "glass", "cpu", "servo"])
def test_it_predicts_as_the_model(name: str) -> None:
    table = hornbeam.read(name)
    is_class = isinstance(table.schema.target_column, Nominal)
    estimator = (hornbeam.C45Classifier() if is_class else hornbeam.CartRegressor(random_state=0)).fit(table)
    answer = client(estimator.model_).post("/predict", json=as_rows(table))
    assert answer.status_code == 200
    results = answer.json()["results"]
    assert [one["prediction"] for one in results] == estimator.predict(table).tolist()
    if is_class:
        found = np.array([list(one["probabilities"].values()) for one in results])
        assert np.array_equal(found, estimator.predict_proba(table))


def test_one_row_many_rows_and_csv(play: Any) -> None:
    app = client(play)
    one = app.post("/predict", json=ROW).json()
    assert one == {"prediction": "no", "probabilities": {"yes": 0.0, "no": 1.0}}
    assert app.post("/predict", json=[ROW]).json() == {"results": [one]}
    assert app.post("/predict", json={"rows": [ROW, ROW]}).json() == {"results": [one, one]}
    body = "outlook,temperature,humidity,windy,id\nrainy,71,,TRUE,7\n"
    assert app.post("/predict", content=body, headers={"content-type": "text/csv"}).json() == {"results": [one]}
    assert app.post("/predict", json=[]).json() == {"results": []}
    explained = app.post("/predict?explain=true", json=ROW).json()["explanation"]
    assert explained[0] == "row 1:"
    assert "windy = TRUE" in "\n".join(explained)


def test_unknown_categories_are_named(play: Any) -> None:
    found = client(play).post("/predict", json={**ROW, "outlook": "foggy"}).json()
    assert found["unknown"] == ["outlook"]
    missing = client(play).post("/predict", json={**ROW, "outlook": None}).json()
    assert found["probabilities"] == missing["probabilities"]


@pytest.mark.parametrize(
    ("body", "status", "message", "where"),
    [
        (b"{", 400, "the body is not JSON", {}),
        (b"3", 400, "the body is a JSON number; expected an object", {}),
        (b"[1]", 422, "row 1 is a JSON number", {"row": 1}),
        (b"[" * 100_000, 400, "the body is not JSON", {}),
        (b'{"outlook": "rainy"}', 422, "no row has the column 'temperature'", {"column": "temperature"}),
        (json.dumps([ROW, {**ROW, "temperature": "hot"}]).encode(), 422,
         "row 2, column 'temperature': found \"hot\"; expected a number or null", {"row": 2, "column": "temperature"}),
        (json.dumps({**ROW, "temperature": "7_1"}).encode(), 422,
         'found "7_1"; expected a number', {"row": 1, "column": "temperature"}),
        (json.dumps({**ROW, "temperature": True}).encode(), 422, "found true", {"row": 1, "column": "temperature"}),
        (json.dumps({**ROW, "outlook": ["x"]}).encode(), 422,
         'found ["x"]; expected a text', {"row": 1, "column": "outlook"}),
        (b'{"outlook":"rainy","temperature":1e999,"humidity":1,"windy":"TRUE"}', 422,
         "found Infinity", {"row": 1, "column": "temperature"}),
    ],
)  # fmt: skip
def test_wrong_rows_are_refused(play: Any, body: bytes, status: int, message: str, where: dict[str, Any]) -> None:
    answer = client(play).post("/predict", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    error = answer.json()["error"]
    assert message in error.pop("message")
    assert error == where


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is empty"),
        (b"a,b\n1\n", "line 2 has 1 fields; expected 2"),
        (b"\xff\xfe,b\n", "the body is not UTF-8"),
        (b'a,"b\n', "is not CSV"),
        (b"windy,outlook,windy\nTRUE,sunny,FALSE\n", "the first line names the column 'windy' more than once"),
        (b"outlook,windy\n", "the first line does not name the column 'temperature'"),
        (b"outlook,windy\nsunny,TRUE\n", "the first line does not name the column 'temperature'"),
    ],
)
def test_wrong_csv_is_refused(play: Any, body: bytes, message: str) -> None:
    answer = client(play).post("/predict", content=body, headers={"content-type": "text/csv"})
    assert answer.status_code in (400, 422)
    assert message in answer.json()["error"]["message"]


def test_other_requests_are_refused(play: Any) -> None:
    app = client(play, most_bytes=1000)
    plain = {"content-type": "text/plain"}
    assert app.post("/predict", content=b"{}", headers=plain).status_code == 415
    large = app.post("/predict", content=b" " * 1001, headers={"content-type": "application/json"})
    assert large.status_code == 413
    assert "more than 1,000 bytes" in large.json()["error"]["message"]
    assert app.get("/predict").status_code == 405
    assert "POST /predict" in app.get("/nothing").json()["error"]["message"]
    assert app.post("/predict?explain=perhaps", json=ROW).status_code == 400
    for host in ("evil.example", "127.0.0.1.evil.example:8000", ""):
        for path in ("/", "/health", "/openapi.json"):
            assert app.get(path, headers={"host": host}).status_code == 400
        assert app.post("/predict", json=ROW, headers={"host": host}).status_code == 400
    assert client(play, hosts=["Named.Example"]).get("/", headers={"host": "named.example:1"}).status_code == 200


def test_it_describes_itself(play: Any) -> None:
    app = client(play)
    described = app.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    assert described["components"]["schemas"]["Row"]["properties"]["outlook"]["examples"] == [
        "sunny",
        "overcast",
        "rainy",
    ]
    assert app.get("/").json()["classes"] == ["yes", "no"]
    assert app.get("/health").json() == {"status": "ok"}


def test_hostile_names_and_clusters() -> None:
    names = ('a"b', "</script>", "x\ny", "")
    random = np.random.default_rng(0)
    table = Table(Schema((*map(Numeric, names),), name="rows"), [random.normal(size=30) for _ in names])
    model = hornbeam.KMeans(2, random_state=0).fit(table).model_
    found = client(model).post("/predict", json=as_rows(table)).json()["results"]
    assert [one["prediction"] for one in found] == model.predict(table).tolist()


def test_the_command_serves_until_it_is_interrupted(play: Any, tmp_path: Path) -> None:
    import httpx

    hornbeam.save(play, tmp_path / "play.hornbeam")
    command = [sys.executable, "-m", "hornbeam", "serve", str(tmp_path / "play.hornbeam"), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        assert process.stderr is not None
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stderr.readline())
        assert address is not None
        assert httpx.post(f"{address[0]}/predict", json=ROW, timeout=30).json()["prediction"] == "no"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)
    finally:
        process.kill()
