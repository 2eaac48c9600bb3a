"""Lists of rules as JSON, by name: for those that read a model without this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.condition_json import condition_plain, number_plain
from hornbeam.export.linear_json import term_plain
from hornbeam.export.plain_json import dumps

if TYPE_CHECKING:
    from hornbeam.model.rules.rule import Rule, RuleList


def rules_json(rules: RuleList) -> str:
    """Write a list of rules as JSON.

    Parameters
    ----------
    rules : RuleList
        What to write.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``decide`` (``"first"``, ``"vote"`` or ``"remaining"``),
        ``rules`` and ``default`` (null: no answer). A rule has ``conditions``, ``label`` and ``distribution`` (or
        ``value``, and ``terms`` of an equation), ``coverage``, ``errors`` and, where it has some, ``exceptions``, again
        with ``decide``, ``rules`` and ``default``.
    """
    plain = {
        "kind": "rules",
        "target": rules.schema.target_column.name,
        "columns": rules.schema.to_json()["columns"],
        **_list(rules),
    }
    return dumps(plain, indent=2)


def _list(rules: RuleList) -> dict[str, Any]:
    return {
        "decide": rules.decide,
        "rules": [_rule(rule, rules) for rule in rules.rules],
        "default": None if rules.default is None else _rule(rules.default, rules),
    }


def _rule(rule: Rule, rules: RuleList) -> dict[str, Any]:
    target = rules.schema.target_column
    plain: dict[str, Any] = {"conditions": [condition_plain(c, rules.schema) for c in rule.conditions]}
    if isinstance(target, Nominal):
        weights = np.asarray(rule.value).tolist()
        plain["label"] = target.categories[rule.label] if rule.label >= 0 else None
        plain["distribution"] = {
            name: number_plain(weight) for name, weight in zip(target.categories, weights, strict=True)
        }
    else:
        plain["value"] = number_plain(float(rule.value))
        if rule.terms:
            plain["terms"] = [term_plain(term, rules.schema) for term in rule.terms]
    plain |= {"coverage": number_plain(rule.coverage), "errors": number_plain(rule.errors)}
    if rule.exceptions is not None:
        plain["exceptions"] = _list(rule.exceptions)
    return plain
