"""Linear models and classifiers of intervals as JSON, by name: for those that read a model without this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.export.plain_json import dumps

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import Factor, LinearModel, Term


def linear_json(model: LinearModel) -> str:
    """Write a linear model as JSON.

    Parameters
    ----------
    model : LinearModel
        What to write.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``intercept``, ``weight``, ``error`` and ``terms``. A term has
        ``coefficient``, ``standardized`` where it is known, and ``factors``, which are multiplied: each with
        ``column``, ``fill`` (what stands in for a missing value) and ``power``, or ``categories``, for which an
        indicator is 1.
    """
    standardized = model.standardized or (None,) * len(model.terms)
    pairs = zip(model.terms, standardized, strict=True)
    plain = {
        "kind": "linear",
        "target": model.schema.target_column.name,
        "columns": model.schema.to_json()["columns"],
        "intercept": model.intercept,
        "weight": model.weight,
        "error": model.error,
        "terms": [term_plain(term, model.schema, figure) for term, figure in pairs],
    }
    return dumps(plain, indent=2)


def discretized_json(model: DiscretizedModel, classifier: str) -> str:
    """Write a classifier of intervals as JSON.

    Parameters
    ----------
    model : DiscretizedModel
        What to write.
    classifier : str
        Its classifier, written already.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``intervals`` (each with ``name`` and ``value``, the number it stands for),
        ``default`` and ``classifier``.
    """
    names = model.classifier.schema.target_column.categories
    pairs = zip(names, model.values.tolist(), strict=True)
    head = {
        "kind": "discretized",
        "target": model.schema.target_column.name,
        "intervals": [{"name": name, "value": value} for name, value in pairs],
        "default": model.default,
    }
    lines = [f"  {dumps(key)}: {dumps(value)}," for key, value in head.items()]
    return "\n".join(["{", *lines, f'  "classifier": {classifier}', "}"])


def term_plain(term: Term, schema: Schema, standardized: float | None = None) -> dict[str, Any]:
    """Give a term as plain data, with names in place of positions."""
    plain: dict[str, Any] = {"coefficient": term.coefficient}
    if standardized is not None:
        plain["standardized"] = standardized
    return plain | {"factors": [_factor_plain(factor, schema) for factor in term.factors]}


def _factor_plain(factor: Factor, schema: Schema) -> dict[str, Any]:
    column = schema.columns[factor.column]
    plain: dict[str, Any] = {"column": column.name, "fill": factor.fill}
    if factor.codes is None:
        return plain | {"power": factor.power}
    assert isinstance(column, Nominal)
    return plain | {"categories": [column.categories[code] for code in factor.codes]}
