"""The OpenAPI description of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.files.members import package_version
from hornbeam.web.rows import needed

if TYPE_CHECKING:
    from hornbeam.data.schema import Column
    from hornbeam.model.base.model import Model

    Plain = dict[str, Any]

MOST_CATEGORIES = 200  # maximum number of categories listed


def openapi(model: Model) -> dict[str, Any]:
    """Return the OpenAPI description of the server of a model."""
    row = {
        "type": "object",
        "properties": {column.name: _column(column) for column in needed(model.schema)},
        "additionalProperties": True,
    }
    result = {
        "type": "object",
        "required": ["prediction"],
        "properties": {
            "prediction": _prediction(model),
            "probabilities": {"type": "object", "additionalProperties": {"type": "number"}},
            "unknown": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Columns whose category did not occur in training; they count as missing.",
            },
            "explanation": {"type": "array", "items": {"type": "string"}},
        },
    }
    schemas = {"Row": row, "Result": result, "Error": _error()}
    reference = {name: {"$ref": f"#/components/schemas/{name}"} for name in schemas}
    many = {"type": "object", "properties": {"results": {"type": "array", "items": reference["Result"]}}}
    rows = {"type": "array", "items": reference["Row"]}
    wrapped = {"type": "object", "required": ["rows"], "properties": {"rows": rows}, "additionalProperties": False}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"hornbeam: {_target(model)}", "version": package_version()},
        "paths": {
            "/": _get("The model: its kind, target and columns."),
            "/health": _get("Whether the server works."),
            "/openapi.json": _get("This description."),
            "/predict": {"post": _predict(reference, rows, wrapped, many)},
        },
        "components": {"schemas": schemas},
    }


def _get(text: str) -> dict[str, Any]:
    content = {"application/json": {"schema": {"type": "object"}}}
    return {"get": {"summary": text, "responses": {"200": {"description": "An object.", "content": content}}}}


def _predict(reference: Plain, rows: Plain, wrapped: Plain, many: Plain) -> Plain:
    explain = "Also return why each row gets its prediction."
    switch = {"type": "boolean", "default": False}
    refused = {"content": {"application/json": {"schema": reference["Error"]}}}
    return {
        "summary": "Predict one row or many.",
        "parameters": [{"name": "explain", "in": "query", "schema": switch, "description": explain}],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"anyOf": [reference["Row"], rows, wrapped]}},
                "text/csv": {"schema": {"type": "string"}},
            },
        },
        "responses": {
            "200": {
                "description": "One result for one row, else a list of results.",
                "content": {"application/json": {"schema": {"anyOf": [reference["Result"], many]}}},
            },
            "400": {"description": "The body or the request cannot be read.", **refused},
            "413": {"description": "The body is too large.", **refused},
            "415": {"description": "The body is neither JSON nor CSV.", **refused},
            "422": {"description": "A row has a wrong value, or a column is missing.", **refused},
        },
    }


def summary(model: Model) -> dict[str, Any]:
    """Return what the model is and which columns it needs."""
    return {
        "kind": model.KIND,
        "task": model.task,
        "target": _target(model),
        "classes": list(_classes(model)),
        "columns": [{"name": column.name, **_column(column)} for column in needed(model.schema)],
        "hornbeam": package_version(),
    }


def _target(model: Model) -> str:
    return "cluster" if model.schema.target is None else model.schema.target_column.name


def _classes(model: Model) -> tuple[str, ...]:
    target = None if model.schema.target is None else model.schema.target_column
    return target.categories if isinstance(target, Nominal) else ()


def _column(column: Column) -> dict[str, Any]:
    if not isinstance(column, Nominal):
        said = f"A date written as {column.format}." if column.format else "A number, also as text."
        return {"type": ["number", "string", "null"], "description": said}
    listed: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
    if len(column.categories) <= MOST_CATEGORIES:
        listed["examples"] = list(column.categories)
    return listed


def _prediction(model: Model) -> dict[str, Any]:
    if model.task == "classification":
        return {"type": ["string", "null"], "enum": [*_classes(model), None]}
    return {"type": ["number", "null"] if model.task == "regression" else "integer"}


def _error() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["message"],
                "properties": {
                    "message": {"type": "string"},
                    "row": {"type": "integer", "description": "Counted from 1."},
                    "column": {"type": "string"},
                },
            }
        },
    }
