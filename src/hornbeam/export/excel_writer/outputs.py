"""From the results of a model to the prediction and the probabilities of a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.export.excel_writer.sheet import ONE, ZERO, Formula, TooLongError, letters, number
from hornbeam.export.pmml_writer.decisions import decided_constant
from hornbeam.model.base.decision import TIE as NEAR

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.excel_writer.sheet import Sheet


@dataclass
class Divided:
    """The outputs and the class of rows whose result is computed, each in a column of its own."""

    columns: list[Formula]
    label: Formula | None


@dataclass
class Results:
    """The results that a model can have.

    `choose(end, several)` returns the formula that chooses one: `end(k)` is the formula of result k, and `several` that
    of rows whose result is computed.
    """

    choose: Callable[[Callable[[int], Formula], Formula], Formula]
    outputs: list[list[float]]
    labels: list[int]
    equations: dict[int, Formula] | None = None
    divided: Divided | None = None


def final(sheet: Sheet, results: Results, decide: dict[str, Any]) -> tuple[list[Formula], list[list[Any]]]:
    """Return the formulas of the prediction and the probabilities, and the table of results that they look up."""
    classes = sheet.target.get("categories") if sheet.target["kind"] == "nominal" else None
    several = _decided(sheet, results.divided, decide) if results.divided else None
    if classes is None:
        kept = results.equations or {}
        constants = [[kept.get(k) or number(outputs[0])] for k, outputs in enumerate(results.outputs)]
        table: list[list[Any]] = [[outputs[0]] for outputs in results.outputs]
    else:
        decided = [
            decided_constant(outputs, label, decide)
            for outputs, label in zip(results.outputs, results.labels, strict=True)
        ]
        constants = [[sheet.named(code), *map(number, shares)] for shares, code in decided]
        table = [[classes[code], *shares] for shares, code in decided]
    try:
        sheet.may_help = False
        return [_chosen(results, constants, several, k) for k in range(sheet.n_outputs)], []
    except TooLongError:
        sheet.may_help = True
    if results.equations is not None:
        return [_chosen(results, constants, several, 0)], []
    which = sheet.helper("result", results.choose(lambda k: number(float(k + 1)), ZERO))
    found = []
    for k in range(sheet.n_outputs):
        name, last = letters(k + 1), len(table) + 1
        looked_up = Formula(f"INDEX(results!${name}$2:${name}${last},{which.text})", 1)
        if several is not None:
            looked_up = sheet.choose(sheet.compare(which, "=", ZERO), several[k], looked_up)
        found.append(looked_up)
    return found, table


def _chosen(results: Results, constants: list[list[Formula]], several: list[Formula] | None, k: int) -> Formula:
    """Return the formula of one output."""
    return results.choose(lambda place: constants[place][k], several[k] if several else ZERO)


def _decided(sheet: Sheet, found: Divided, decide: dict[str, Any]) -> list[Formula]:
    """Return the prediction and the probabilities of rows whose result is computed."""
    if sheet.target["kind"] == "numeric":
        return found.columns
    columns = found.columns
    if "overall" in decide:
        known = sheet.compare(sheet.helper("sum", sheet.total(columns)), ">", ZERO)
        overall = [number(float(each)) for each in decide["overall"]]
        columns = [
            sheet.helper("probability", sheet.choose(known, each, other))
            for each, other in zip(columns, overall, strict=True)
        ]
    possible = decide.get("withRows") or [True] * len(columns)
    if "costs" in decide:
        label = _least_cost(sheet, columns, decide["costs"], possible)
    elif "threshold" in decide:
        label = number(float(possible.index(True)))
        if all(possible):
            above = sheet.compare(columns[1], ">=", number(float(decide["threshold"]) - NEAR))
            label = sheet.choose(above, ONE, ZERO)
    else:
        assert found.label is not None
        label = sheet.choose(sheet.compare(found.label, "<", ZERO), best_of(sheet, columns, 0.0), found.label)
    label = sheet.helper("class", label)
    name = sheet.named(len(columns) - 1)
    for code in reversed(range(len(columns) - 1)):
        name = sheet.choose(sheet.compare(label, "=", number(float(code))), sheet.named(code), name)
    return [sheet.helper("name of the class", name), *columns]


def _least_cost(
    sheet: Sheet, columns: Sequence[Formula], costs: Sequence[Sequence[Any]], possible: Sequence[bool]
) -> Formula:
    """Return the class of least expected cost."""
    may = [label for label, can in enumerate(possible) if can]
    expected = []
    for label in may:
        parts = [sheet.product([p, number(float(row[label]))]) for p, row in zip(columns, costs, strict=True)]
        expected.append(sheet.helper("cost", sheet.total(parts)))
    slack = NEAR * max(float(cost) for row in costs for cost in row)
    least = sheet.many(expected, lambda group: sheet.call("MIN", *group))
    limit = sheet.helper("least cost", sheet.joined([least, number(slack)], "+"))
    found = number(float(may[-1]))
    for label, each in zip(reversed(may[:-1]), reversed(expected[:-1]), strict=True):
        found = sheet.choose(sheet.compare(each, "<=", limit), number(float(label)), found)
    return found


def best_of(sheet: Sheet, columns: Sequence[Formula], slack: float) -> Formula:
    """Return the index of the greatest of some columns; columns within a tolerance are a tie, which the first wins."""
    best, label = columns[0], ZERO
    for k, each in enumerate(columns[1:], 1):
        bound = sheet.joined([best, number(slack)], "+") if slack else best
        better = sheet.compare(each, ">", bound)
        label = sheet.helper("best class", sheet.choose(better, number(float(k)), label))
        if k < len(columns) - 1:
            best = sheet.helper("best probability", sheet.choose(better, each, best))
    return label
