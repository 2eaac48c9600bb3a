"""The server of a model: its endpoints, its limits, and its error messages."""

from __future__ import annotations

import math
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hornbeam.model.base.plain import UnseenCategoryWarning
from hornbeam.web.description import openapi, summary
from hornbeam.web.rows import RowError, from_csv, from_json, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from hornbeam.data.table import Table
    from hornbeam.model.base.model import Model

MOST_BYTES = 16 * 2**20
MOST_EXPLAINED = 1000  # maximum number of rows in one request
LOCAL = ("localhost", "127.0.0.1", "[::1]")


def need_web() -> None:
    """Raise an ImportError that names what to install, if starlette or uvicorn is not installed."""
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise ImportError("serving a model needs starlette and uvicorn: pip install 'hornbeam[web]'")


class Refusal(Exception):  # noqa: N818 - a response, not a fault
    """A rejected request, with its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def application(model: Model, *, most_bytes: int = MOST_BYTES, hosts: Iterable[str] = ()) -> Starlette:
    """Make the server of a model.

    Parameters
    ----------
    model : Model
        What predicts.
    most_bytes : int
        The largest body of a request.
    hosts : iterable of str
        Host names that the server accepts, besides those of this machine. Others are rejected, so that a web page
        cannot reach the server under its own name.

    Returns
    -------
    Starlette
        An ASGI application.
    """
    need_web()
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    allowed = {name.lower() for name in (*LOCAL, *hosts)}
    described, listed = openapi(model), summary(model)

    async def about(request: Request) -> Response:
        _check_host(request, allowed)
        return JSONResponse(listed)

    async def health(request: Request) -> Response:
        _check_host(request, allowed)
        return JSONResponse({"status": "ok"})

    async def description(request: Request) -> Response:
        _check_host(request, allowed)
        return JSONResponse(described)

    async def predict(request: Request) -> Response:
        from starlette.concurrency import run_in_threadpool

        _check_host(request, allowed)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in ("application/json", "text/csv"):
            msg = f"the content type is {kind[:100]!r}; expected application/json or text/csv"
            raise Refusal(415, msg)
        body = await _body(request, most_bytes)
        explain = _switch(request, "explain")
        return JSONResponse(await run_in_threadpool(predicted, model, kind, body, explain=explain))

    routes = [
        Route("/", about),
        Route("/health", health),
        Route("/openapi.json", description),
        Route("/predict", predict, methods=["POST"]),
    ]
    return Starlette(routes=routes, exception_handlers=_handlers())


def predicted(model: Model, kind: str, body: bytes, *, explain: bool = False) -> dict[str, Any]:
    """Return the results for the rows of a body: one object for one JSON object, else ``results``."""
    header, single = None, False
    try:
        if kind == "text/csv":
            rows, header = from_csv(body)
        else:
            rows, single = from_json(body)
    except RowError as error:
        if error.row is not None:
            raise
        raise Refusal(400, str(error)) from None
    if explain and len(rows) > MOST_EXPLAINED:
        msg = f"{len(rows)} rows were sent; at most {MOST_EXPLAINED} are explained in one request"
        raise Refusal(400, msg)
    table = table_of(model.schema, rows, header)
    results = _results(model, table) if rows else []
    if explain:
        from hornbeam.show.texts.explanation import explain as explained

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenCategoryWarning)
            for place, result in enumerate(results):
                result["explanation"] = str(explained(model, table, place)).splitlines()
    return results[0] if single else {"results": results}


def _results(model: Model, table: Table) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenCategoryWarning)
        predictions = model.predict(table)
        probabilities = model.predict_proba(table) if model.task == "classification" else None
    results: list[dict[str, Any]] = [{"prediction": _plain(value)} for value in predictions]
    if probabilities is not None:
        classes = model.schema.target_column.categories  # type: ignore[union-attr]
        for result, own in zip(results, probabilities.tolist(), strict=True):
            result["probabilities"] = dict(zip(classes, own, strict=True))
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        known = len(_known(model, column.name))
        for place in (values >= known).nonzero()[0] if known else ():
            results[place].setdefault("unknown", []).append(column.name)
    return results


def _known(model: Model, name: str) -> tuple[str, ...]:
    if name not in model.schema.names:
        return ()
    return getattr(model.schema.columns[model.schema.position(name)], "categories", ())


def _plain(value: Any) -> Any:  # noqa: ANN401 - a prediction
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _switch(request: Request, name: str) -> bool:
    text = request.query_params.get(name, "false").lower()
    if text not in ("true", "false", "1", "0"):
        raise Refusal(400, f"the parameter {name} is {text[:40]!r}; expected true or false")
    return text in ("true", "1")


def _check_host(request: Request, allowed: set[str]) -> None:
    host = request.headers.get("host", "").lower()
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    if name not in allowed:
        shown = f"the host {name[:100]!r} is not allowed"
        msg = f"{shown}; use the address that the server printed, or start the server with --allow-host"
        raise Refusal(400, msg)


async def _body(request: Request, most_bytes: int) -> bytes:
    """Return the body, or reject it as soon as it is too large."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most_bytes:
            raise Refusal(413, f"the body has more than {most_bytes:,} bytes, the limit of this server (--max-mb)")
        parts.append(part)
    return b"".join(parts)


def _handlers() -> dict[Any, Any]:
    """Return the error handlers: responses are JSON with a message and, if known, the row and column."""
    from starlette.exceptions import HTTPException
    from starlette.responses import JSONResponse

    async def refused(_request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return JSONResponse({"error": {"message": str(error)}}, error.status)

    async def wrong_row(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RowError)
        where = {"row": error.row, "column": error.column}
        found = {key: value for key, value in where.items() if value is not None}
        return JSONResponse({"error": {"message": str(error), **found}}, 422)

    async def unknown(_request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        known = "GET /, GET /health, GET /openapi.json, POST /predict"
        message = f"{error.detail}; this server has {known}"
        return JSONResponse({"error": {"message": message}}, error.status_code, headers=error.headers)

    return {Refusal: refused, RowError: wrong_row, HTTPException: unknown}
