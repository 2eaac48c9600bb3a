"""Lists of rules and linear models as plain data (for JSON) and back.

What comes in is checked piece by piece, so that a file from a stranger ends in a clear sentence, not deep inside
prediction.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Schema
from hornbeam.model.base.condition import Above, AtLeast, AtMost, Below, Condition, IsIn, IsMissing
from hornbeam.model.base.errors import ModelError
from hornbeam.model.linear.linear import Factor, LinearModel, Term
from hornbeam.model.rules.rule import MOST_NESTED, Rule, RuleList

if TYPE_CHECKING:
    from collections.abc import Iterable

BOUNDS: dict[str, type[AtMost | Below | Above | AtLeast]] = {
    "at most": AtMost,
    "below": Below,
    "above": Above,
    "at least": AtLeast,
}
_BOUND_NAMES = {kind: name for name, kind in BOUNDS.items()}
_JSON_CHOICES = ("category_order", "deviations")
_IS_IN, _IS_MISSING = "is in", "is missing"


def rules_to_plain(rules: RuleList) -> dict[str, Any]:
    """Plain data that `rules_from_plain` reads back; the schema is not in it."""
    return {
        "decide": rules.decide,
        "pseudo_count": rules.pseudo_count,
        "rules": [_rule_to_plain(rule) for rule in rules.rules],
        "default": None if rules.default is None else _rule_to_plain(rules.default),
        **({"recipe": dict(rules.recipe)} if rules.recipe else {}),
    }


def rules_from_plain(plain: Any, schema: Schema) -> RuleList:  # noqa: ANN401 - whatever a JSON file holds
    """Read what `rules_to_plain` wrote; anything else is a `ModelError`."""
    rules = _list_from_plain(plain, schema, 0)
    rules.validate()
    return rules


def linear_to_plain(model: LinearModel) -> dict[str, Any]:
    """Plain data that `linear_from_plain` reads back; the schema is not in it."""
    return {
        "intercept": model.intercept,
        "terms": terms_to_plain(model.terms),
        "standardized": None if model.standardized is None else list(model.standardized),
        "weight": model.weight,
        "error": model.error,
        "recipe": dict(model.recipe),
    }


def linear_from_plain(plain: Any, schema: Schema) -> LinearModel:  # noqa: ANN401 - whatever a JSON file holds
    """Read what `linear_to_plain` wrote; anything else is a `ModelError`."""
    standardized = _get(plain, "standardized")
    model = LinearModel(
        schema,
        _number(_get(plain, "intercept")),
        terms_from_plain(_get(plain, "terms")),
        None if standardized is None else tuple(numbers_from_plain(standardized)),
        _number(_get(plain, "weight")),
        _number(_get(plain, "error")),
        recipe_from_plain(_get(plain, "recipe")),
    )
    model.validate()
    return model


def terms_to_plain(terms: Iterable[Term]) -> list[dict[str, Any]]:
    """Plain data of the terms of an equation."""
    return [
        {
            "coefficient": term.coefficient,
            "factors": [
                {
                    "column": factor.column,
                    "codes": None if factor.codes is None else list(factor.codes),
                    "fill": factor.fill,
                    "power": factor.power,
                }
                for factor in term.factors
            ],
        }
        for term in terms
    ]


def terms_from_plain(plain: Any) -> tuple[Term, ...]:  # noqa: ANN401
    """Read the terms of an equation; whether they fit a schema is not looked at."""
    return tuple(
        Term(
            _number(_get(term, "coefficient")),
            tuple(_factor_from_plain(factor) for factor in _sequence(_get(term, "factors"))),
        )
        for term in _sequence(plain)
    )


def _factor_from_plain(plain: Any) -> Factor:  # noqa: ANN401
    codes = _get(plain, "codes")
    return Factor(
        _whole(_get(plain, "column")),
        None if codes is None else _codes(codes),
        _number(_get(plain, "fill")),
        _whole(_get(plain, "power")),
    )


def numbers_from_plain(plain: Any) -> list[float]:  # noqa: ANN401
    """Read a list of finite numbers."""
    return [_number(value) for value in _sequence(plain)]


def provenance_from_plain(plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """Read how a model came about; what the parameters mean is not looked at."""
    if not isinstance(plain, dict) or not isinstance(plain.get("parameters", {}), dict):
        msg = "the provenance is not an object, or its parameters are not"
        raise ModelError(msg)
    return plain


def whole_from_plain(name: str, plain: Any) -> int:  # noqa: ANN401
    """Read a whole number of 32 bits, which may be written as 3 or 3.0."""
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    try:
        return _whole(plain)
    except ModelError as error:
        msg = f"{name}: {error}"
        raise ModelError(msg) from None


def recipe_from_plain(plain: Any) -> dict[str, Any]:  # noqa: ANN401
    """Read the choices that a model was learned by."""
    if not isinstance(plain, dict) or not all(isinstance(v, str | int | float | None) for v in plain.values()):
        msg = "the recipe is not a list of named choices"
        raise ModelError(msg)
    for name, value in plain.items():
        if not isinstance(value, str | bool | None):
            _number(value)
        if name in _JSON_CHOICES and isinstance(value, str):
            _check_json_choice(name, value)
    return plain


def _check_json_choice(name: str, text: str) -> None:
    """Check choices that are lists, which a recipe holds as JSON: orders of categories, and figures."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        msg = f"the choice {name!r} of the recipe is not JSON"
        raise ModelError(msg) from None
    if name == "category_order":
        for codes in (found if isinstance(found, dict) else {"": found}).values():
            _codes(codes)
    else:
        numbers_from_plain(found)


def _rule_to_plain(rule: Rule) -> dict[str, Any]:
    return {
        "conditions": [_condition_to_plain(condition) for condition in rule.conditions],
        "value": rule.value.tolist() if isinstance(rule.value, np.ndarray) else rule.value,
        "label": rule.label,
        "coverage": rule.coverage,
        "errors": rule.errors,
        "exceptions": None if rule.exceptions is None else rules_to_plain(rule.exceptions),
        **({"terms": terms_to_plain(rule.terms)} if rule.terms else {}),
    }


def _condition_to_plain(condition: Condition) -> dict[str, Any]:
    plain: dict[str, Any] = {"column": condition.column, "if_missing": condition.if_missing}
    if isinstance(condition, IsIn):
        return {"is": _IS_IN, **plain, "codes": list(condition.codes), "as_missing": list(condition.as_missing)}
    if isinstance(condition, IsMissing):
        return {"is": _IS_MISSING, **plain, "as_missing": list(condition.as_missing)}
    return {"is": _BOUND_NAMES[type(condition)], **plain, "value": condition.value}


def _list_from_plain(plain: Any, schema: Schema, nested: int) -> RuleList:  # noqa: ANN401
    if nested > MOST_NESTED:
        msg = f"exceptions are nested more than {MOST_NESTED} deep"
        raise ModelError(msg)
    rules = tuple(_rule_from_plain(item, schema, nested) for item in _sequence(_get(plain, "rules")))
    default = _get(plain, "default")
    return RuleList(
        schema,
        rules,
        None if default is None else _rule_from_plain(default, schema, nested),
        _get(plain, "decide"),
        _number(_get(plain, "pseudo_count")),
        recipe_from_plain(plain.get("recipe", {})),
    )


def _rule_from_plain(plain: Any, schema: Schema, nested: int) -> Rule:  # noqa: ANN401
    value = _get(plain, "value")
    classes = isinstance(schema.target_column, Nominal)
    exceptions = _get(plain, "exceptions")
    return Rule(
        tuple(_condition_from_plain(item) for item in _sequence(_get(plain, "conditions"))),
        np.array([_number(part) for part in _sequence(value)], np.float64) if classes else _number(value),
        _whole(_get(plain, "label")),
        _number(_get(plain, "coverage")),
        _number(_get(plain, "errors")),
        None if exceptions is None else _list_from_plain(exceptions, schema, nested + 1),
        terms_from_plain(plain["terms"]) if "terms" in plain else (),
    )


def _condition_from_plain(plain: Any) -> Condition:  # noqa: ANN401
    kind, column, if_missing = _get(plain, "is"), _whole(_get(plain, "column")), _number(_get(plain, "if_missing"))
    if kind == _IS_IN:
        return IsIn(column, _codes(_get(plain, "codes")), if_missing, _codes(_get(plain, "as_missing")))
    if kind == _IS_MISSING:
        return IsMissing(column, if_missing, _codes(_get(plain, "as_missing")))
    if isinstance(kind, str) and kind in BOUNDS:
        return BOUNDS[kind](column, _number(_get(plain, "value")), if_missing)
    msg = f"unknown condition {kind!r}"
    raise ModelError(msg)


def _get(plain: Any, name: str) -> Any:  # noqa: ANN401
    if not isinstance(plain, dict) or name not in plain:
        msg = f"expected an object with an entry {name!r}"
        raise ModelError(msg)
    return plain[name]


def _sequence(plain: Any) -> list[Any]:  # noqa: ANN401
    if not isinstance(plain, list):
        msg = f"found {type(plain).__name__}; expected a list"
        raise ModelError(msg)
    return plain


def _number(plain: Any) -> float:  # noqa: ANN401
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        msg = f"found {plain!r:.40}; expected a number"
        raise ModelError(msg)
    try:
        number = float(plain)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        msg = "found a number that is not finite"
        raise ModelError(msg)
    return number


def _whole(plain: Any) -> int:  # noqa: ANN401
    if isinstance(plain, bool) or not isinstance(plain, int) or abs(plain) >= 2**31:
        msg = f"found {type(plain).__name__}; expected a whole number of 32 bits"
        raise ModelError(msg)
    return plain


def _codes(plain: Any) -> tuple[int, ...]:  # noqa: ANN401
    return tuple(_whole(code) for code in _sequence(plain))
