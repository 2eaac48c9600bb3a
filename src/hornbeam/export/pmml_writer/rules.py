"""Rule lists as PMML.

A list that decides by the first rule that fires is a TreeModel whose nodes are tried in order. A RuleSetModel would be
more natural, but evaluators return no class probabilities for it. Rules that vote are expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import LEAST_SHARE, TIE
from hornbeam.export.pmml_writer.decisions import greatest
from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, either, element, number, total
from hornbeam.export.pmml_writer.equations import chosen_equation, equation
from hornbeam.export.pmml_writer.fields import FALSE, TRUE, Condition, Outputs, compound, is_missing
from hornbeam.export.pmml_writer.trees import member_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.pmml_writer.fields import Fields

    End = Callable[[dict[str, Any]], tuple[str | None, str]]

FIRES = 0.5  # deciding by first match, a rule fires for a row that passes with at least this weight
ONE, ZERO = constant(1.0), constant(0.0)


def condition_of(fields: Fields, plain: Sequence[Any]) -> tuple[Condition, Condition | None]:
    """Return when a condition holds, and when a known value counts as missing."""
    sign, column, bound = plain[:3]
    if sign not in ("in", "missing"):
        return fields.compared(column, sign, float(bound)), None
    return fields.is_in(column, bound), fields.is_in(column, plain[4]) if plain[4] else None


def weight_of(fields: Fields, conditions: Sequence[Sequence[Any]]) -> Expression:
    """Return the weight with which a row satisfies conditions."""
    product = ONE
    for plain in conditions:
        holds, unknown = condition_of(fields, plain)
        missing = fields.missing(plain[1])
        if unknown is not None:
            missing = either([missing, unknown.test()])
        known = ZERO if holds.is_never else choose(holds.test(), ONE, ZERO)
        part = choose(missing, constant(float(plain[3])), known)
        product = part if product == ONE else call("*", product, part)
    return fields.derived(product)


def fires(fields: Fields, conditions: Sequence[Sequence[Any]]) -> str:
    """Return the predicate that a row satisfies conditions with a weight of at least one half."""
    if any(float(each[3]) not in (0.0, 1.0) for each in conditions):
        weight = weight_of(fields, conditions)
        return element("SimplePredicate", field=weight.field, operator="greaterOrEqual", value=number(FIRES))
    parts = []
    for plain in conditions:
        holds, unknown = condition_of(fields, plain)
        predicate = holds.predicate()
        if float(plain[3]) == 1.0:
            options = [is_missing(holds.field), predicate, *([unknown.predicate()] if unknown else [])]
            predicate = compound("or", [each for each in options if each != FALSE])
        elif unknown is not None:
            known = Condition(holds.field, "in", [each for each in holds.bound if each not in set(unknown.bound)])
            predicate = known.predicate()
        parts.append(predicate)
    return compound("and", parts) if parts else TRUE


class FirstMatch:
    """A list that decides by the first rule that fires, as nodes."""

    def __init__(self, fields: Fields, plain: dict[str, Any]) -> None:
        self.fields, self.plain = fields, plain
        self.count = 0

    def results(self) -> list[dict[str, Any]]:
        """Return all rules, exceptions and defaults that can decide."""
        found: list[dict[str, Any]] = []
        self.nodes(lambda rule: (found.append(rule), (None, ""))[1])  # type: ignore[func-returns-value]
        return found

    def nodes(self, end: End) -> str:
        """Return the nodes; `end` gives the score and the content of a rule's node."""
        self.count = 0
        nothing = {"outputs": self.plain["nothing"], "label": -1}
        return self._list(self.plain, TRUE, self.plain["default"] or nothing, end)

    def _list(self, plain: dict[str, Any], predicate: str, otherwise: dict[str, Any], end: End) -> str:
        """Return the node of a list, with the rules as its children and the default as the last one."""
        if plain["decide"] != "first":
            msg = "cannot write weighted exceptions as PMML; the formats python and javascript can hold them"
            raise TypeError(msg)
        self.count += 1
        number_ = self.count
        inner = [self._rule(rule, fires(self.fields, rule["conditions"]), end) for rule in plain["rules"]]
        if plain["rules"] and "exceptions" in otherwise and otherwise is not self.plain["default"]:
            otherwise = {key: value for key, value in otherwise.items() if key != "exceptions"}
        inner.append(self._rule(otherwise, TRUE, end))
        return element("Node", predicate, *inner, id=str(number_))

    def _rule(self, rule: dict[str, Any], predicate: str, end: End) -> str:
        if "exceptions" in rule:
            own = {key: value for key, value in rule.items() if key != "exceptions"}
            return self._list(rule["exceptions"], predicate, own, end)
        self.count += 1
        number_ = self.count
        score, content = end(rule)
        if score is None:
            return element("Node", predicate, id=str(number_))
        return element("Node", predicate, content, id=str(number_), score=score)


def has_equations(plain: dict[str, Any]) -> bool:
    """Whether a rule of a list, or an exception, has an equation."""
    listed = [*plain["rules"], *([plain["default"]] if plain["default"] else [])]
    return any("equation" in rule or ("exceptions" in rule and has_equations(rule["exceptions"])) for rule in listed)


def rules_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Add a rule list to the models before the last one, and return its outputs."""
    if plain["decide"] != "first":
        return _weighed(fields, plain)
    first, classes = FirstMatch(fields, plain), len(plain["nothing"])
    is_number = classes == 1 and (plain["nothing"][0] == "NaN")
    if is_number and has_equations(plain):
        results = first.results()
        index = iter(range(len(results)))
        which = member_model(fields, lambda end: first.nodes(lambda _: end([next(index)], -1)), 0)
        none = {"intercept": "NaN", "parts": []}
        equations = {
            place: rule.get("equation") or {**none, "intercept": rule["outputs"][0]}
            for place, rule in enumerate(results)
            if "equation" in rule or rule["outputs"][0] != "NaN"
        }
        return chosen_equation(fields, which.columns[0], equations)

    def nodes(end: Callable[[Sequence[Any], int], tuple[str, str]]) -> str:
        return first.nodes(
            lambda rule: (None, "") if is_number and rule["outputs"][0] == "NaN" else end(rule["outputs"], _label(rule))
        )

    return member_model(fields, nodes, 0 if is_number else classes, "NullPrediction")


def _label(rule: dict[str, Any]) -> int:
    return -1 if rule["label"] is None else int(rule["label"])


def _weighed(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Rules that vote, each with its weight, or with the weight that earlier rules left."""
    rules, default = plain["rules"], plain["default"]
    if any("exceptions" in rule for rule in rules):
        msg = "cannot write weighted rules with exceptions as PMML; the formats python and javascript can hold them"
        raise TypeError(msg)
    weights = [weight_of(fields, rule["conditions"]) for rule in rules]
    listed = list(rules)
    if plain["decide"] == "remaining":
        left, shares = ONE, []
        for weight in weights:
            shares.append(fields.derived(weight if left == ONE else call("*", weight, left)))
            left = fields.derived(call("-", left, shares[-1]))
        if default:
            rest = left if left == ONE else choose(call("greaterThan", left, constant(LEAST_SHARE)), left, ZERO)
            shares.append(fields.derived(rest))
            listed.append(default)
        weights = shares
    count = fields.derived(total([choose(call("greaterThan", each, ZERO), ONE, ZERO) for each in weights]))
    whole = fields.derived(total(weights))
    outputs = [_rule_outputs(fields, rule) for rule in listed]
    nothing = _rule_outputs(fields, default) if default else [constant(float(each)) for each in plain["nothing"]]
    any_fired = call("greaterThan", count, ZERO)
    columns = []
    for k in range(len(plain["nothing"])):
        parts = total([call("*", w, out[k]) for w, out in zip(weights, outputs, strict=True)])
        columns.append(fields.derived(choose(any_fired, call("/", fields.derived(parts), whole), nothing[k])))
    if plain["nothing"][0] == "NaN":
        return Outputs(columns)
    label = constant(float(_label(default) if default else -1))
    for weight, rule in zip(reversed(weights), reversed(listed), strict=True):
        label = choose(call("greaterThan", weight, ZERO), constant(float(_label(rule))), label)
    several = call("greaterThan", count, ONE)
    return Outputs(columns, fields.derived(choose(several, greatest(fields, columns, TIE), fields.derived(label))))


def _rule_outputs(fields: Fields, rule: dict[str, Any]) -> list[Expression]:
    if "equation" in rule:
        return [equation(fields, rule["equation"])]
    return [constant(float(each)) for each in rule["outputs"]]
