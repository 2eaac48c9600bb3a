"""Rule lists and equations as formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import LEAST_SHARE, TIE
from hornbeam.export.excel_writer.outputs import Divided, Results, best_of
from hornbeam.export.excel_writer.sheet import ONE, ZERO, Formula, number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.excel_writer.sheet import Sheet

FIRES = 0.5  # deciding by first match, a rule fires for a row that passes with at least this weight


# ---- equations ----


def equation_or(sheet: Sheet, plain: dict[str, Any], otherwise: float | None = None) -> Formula:
    """Return an equation, or another number where its result is too large."""
    terms = [number(float(plain["intercept"]))]
    for weight, rest in plain["parts"]:
        if isinstance(weight, list):
            terms.append(_looked_up(sheet, rest, weight))
        else:
            terms.append(sheet.product([number(float(weight)), *(_factor(sheet, each) for each in rest)]))
    found = sheet.total(terms)
    return found if otherwise is None else sheet.call("IFERROR", found, number(otherwise))


def _factor(sheet: Sheet, plain: Sequence[Any]) -> Formula:
    """Return a factor: [column, table], or [column, fill, power]."""
    column = plain[0]
    if len(plain) == 2:  # noqa: PLR2004 - a column and a table
        return _looked_up(sheet, column, plain[1])
    value = sheet.choose(sheet.is_known(column), sheet.value(column), number(float(plain[1])))
    return value if plain[2] == 1 else Formula(f"{value.text}^{int(plain[2])}", value.depth)


def _looked_up(sheet: Sheet, column: int, table: Sequence[Any]) -> Formula:
    """Return the entry of a table for a category; the last entry is for a missing value."""
    found = number(float(table[-1]))
    entries = [float(each) for each in table[:-1]]
    for entry in dict.fromkeys(entries):
        codes = [code for code, each in enumerate(entries) if each == entry]
        found = sheet.choose(sheet.is_in(column, codes), number(entry), found)
    return found


def linear_results(sheet: Sheet, plain: dict[str, Any]) -> Results:
    """Return the result of a linear model."""
    return Results(lambda end, _: end(0), [[0.0]], [-1], {0: equation_or(sheet, plain)})


# ---- rules ----


def weight(sheet: Sheet, conditions: Sequence[Sequence[Any]]) -> Formula:
    """Return the weight with which a row satisfies conditions."""
    parts = []
    for condition in conditions:
        holds, unknown = _condition(sheet, condition)
        parts.append(sheet.choose(unknown, number(float(condition[3])), sheet.choose(holds, ONE, ZERO)))
    return sheet.product(parts)


def fires(sheet: Sheet, conditions: Sequence[Sequence[Any]]) -> Formula:
    """Return whether a row satisfies conditions with a weight of at least one half."""
    if any(float(each[3]) not in (0.0, 1.0) for each in conditions):
        return sheet.compare(weight(sheet, conditions), ">=", number(FIRES))
    parts = []
    for condition in conditions:
        holds, unknown = _condition(sheet, condition)
        if float(condition[3]) == 1.0:
            parts.append(sheet.either([unknown, holds]))
        elif condition[0] == "in" and not condition[4]:  # a missing value is not one of them
            parts.append(holds)
        else:
            parts += [sheet.call("NOT", unknown), holds]
    return sheet.both([_positive(part) for part in parts])


def _positive(condition: Formula) -> Formula:
    """Return a condition without NOT(NOT())."""
    text = condition.text
    return Formula(text[8:-2], condition.depth - 2) if text.startswith("NOT(NOT(") else condition


def _condition(sheet: Sheet, condition: Sequence[Any]) -> tuple[Formula, Formula]:
    """Return whether a condition holds, and whether its value counts as missing."""
    sign, column, bound = condition[:3]
    unknown = sheet.call("NOT", sheet.is_known(column))
    if sign not in ("in", "missing"):
        return sheet.compared(sheet.number_of(column), sign, float(bound)), unknown
    if condition[4]:
        unknown = sheet.either([unknown, sheet.is_in(column, condition[4])])
    return sheet.is_in(column, bound), unknown


class _Listed:
    """The results of a list: every rule, default and exception that can decide has a number."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.rules: list[dict[str, Any]] = []
        self.place: dict[int, int] = {}

    def first(self, plain: dict[str, Any], otherwise: Formula | None, end: Callable[[int], Formula]) -> Formula:
        """Return the result of a list that decides by its first rule that fires."""
        if plain["decide"] != "first":
            msg = "cannot write weighted exceptions as formulas; the formats python and javascript can hold them"
            raise TypeError(msg)
        found = otherwise
        if found is None:
            nothing = {"outputs": plain["nothing"], "label": -1}
            found = self.rule(plain["default"] or self.place_holder(nothing), end)
        for rule in reversed(plain["rules"]):
            found = self.sheet.choose(fires(self.sheet, rule["conditions"]), self.rule(rule, end), found)
        return found

    def place_holder(self, nothing: dict[str, Any]) -> dict[str, Any]:
        """Return the result of rows without a rule, the same object each time."""
        if not hasattr(self, "nothing"):
            self.nothing = nothing
        return self.nothing

    def rule(self, plain: dict[str, Any], end: Callable[[int], Formula]) -> Formula:
        """Return a rule's own result, or that of its exceptions."""
        if id(plain) not in self.place:
            self.place[id(plain)] = len(self.rules)
            self.rules.append(plain)
        own = end(self.place[id(plain)])
        return self.first(plain["exceptions"], own, end) if "exceptions" in plain else own


def rules_results(sheet: Sheet, plain: dict[str, Any]) -> Results:
    """Return the results of a rule list."""
    if plain["decide"] != "first":
        return _weighed(sheet, plain)
    listed = _Listed(sheet)
    listed.first(plain, None, lambda _: ZERO)  # to number the rules
    results = Results(
        lambda end, _: listed.first(plain, None, end),
        [[float(each) for each in rule["outputs"]] for rule in listed.rules],
        [-1 if rule["label"] is None else rule["label"] for rule in listed.rules],
    )
    for k, rule in enumerate(listed.rules):
        if "equation" in rule:
            found = equation_or(sheet, rule["equation"], float(rule["outputs"][0]))
            results.equations = (results.equations or {}) | {k: sheet.helper(f"equation of rule {k + 1}", found)}
    return results


def _weighed(sheet: Sheet, plain: dict[str, Any]) -> Results:
    """Return the result of rules that vote, each with its weight, or with the weight that earlier rules left."""
    if any("exceptions" in rule for rule in plain["rules"]):
        msg = "cannot write weighted rules with exceptions as formulas; the formats python and javascript can hold them"
        raise TypeError(msg)
    listed, weights, left = list(plain["rules"]), [], ONE
    remaining = plain["decide"] == "remaining"
    for k, rule in enumerate(listed):
        own = sheet.product([weight(sheet, rule["conditions"]), left])
        weights.append(sheet.helper(f"weight of rule {k + 1}", own))
        if remaining:
            left = sheet.helper(f"left by rule {k + 1}", sheet.joined([left, weights[-1]], "-"))
    if remaining and plain["default"]:
        rest = sheet.choose(sheet.compare(left, ">", number(LEAST_SHARE)), left, ZERO)
        weights.append(sheet.helper("weight of the default", rest))
        listed.append(plain["default"])
    used = [sheet.compare(each, ">", ZERO) for each in weights]
    count = sheet.helper("rules that fire", sheet.total([sheet.choose(each, ONE, ZERO) for each in used]))
    total = sheet.helper("sum of weights", sheet.total(weights))
    some = sheet.compare(count, ">", ZERO)
    default = plain["default"] or {"outputs": plain["nothing"], "label": -1}
    columns = []
    for k in range(len(plain["nothing"])):
        parts = [sheet.product([w, _output(sheet, rule, k)]) for w, rule in zip(weights, listed, strict=True)]
        mean = sheet.joined([sheet.total(parts), total], "/")
        columns.append(sheet.helper("mean of the rules", sheet.choose(some, mean, _output(sheet, default, k))))
    if len(columns) == 1:
        return Results(lambda _, several: several, [], [], divided=Divided(columns, None))
    label = number(float(default["label"]))
    for condition, rule in zip(reversed(used), reversed(listed), strict=True):
        label = sheet.choose(condition, number(float(rule["label"])), label)
    best = sheet.choose(sheet.compare(count, ">", ONE), best_of(sheet, columns, TIE), label)
    divided = Divided(columns, sheet.helper("class of the rules", best))
    return Results(lambda _, several: several, [], [], divided=divided)


def _output(sheet: Sheet, rule: dict[str, Any], k: int) -> Formula:
    if "equation" in rule:
        return equation_or(sheet, rule["equation"], float(rule["outputs"][0]))
    return number(float(rule["outputs"][k]))
