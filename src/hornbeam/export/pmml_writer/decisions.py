"""How a class is chosen from probabilities, as expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, total
from hornbeam.model.base.decision import TIE as NEAR
from hornbeam.model.base.decision import by_threshold, least_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.pmml_writer.fields import Fields, Outputs


def greatest(fields: Fields, columns: Sequence[Expression], slack: float = 0.0) -> Expression:
    """Return the index of the greatest of some values, the first of those within a tolerance."""
    columns = [fields.derived(each) for each in columns]
    best, label = columns[0], constant(0.0)
    for k, each in enumerate(columns[1:], 1):
        bound = call("+", best, constant(slack)) if slack else best
        better = call("greaterThan", each, bound)
        label = fields.derived(choose(better, constant(float(k)), label))
        best = fields.derived(choose(better, each, best))
    return label


def decision(fields: Fields, outputs: Outputs, decide: dict[str, Any]) -> Outputs:
    """Return the probabilities and the class of a model, chosen by costs, by a threshold, or by its own label."""
    columns = [fields.derived(each) for each in outputs.columns]
    if "overall" in decide:
        known = call("greaterThan", fields.derived(total(columns)), constant(0.0))
        columns = [
            fields.derived(choose(known, each, constant(float(other))))
            for each, other in zip(columns, decide["overall"], strict=True)
        ]
    possible = decide.get("withRows") or [True] * len(columns)
    if "costs" in decide:
        return outputs._replace(columns=columns, label=_least_cost(fields, columns, decide["costs"], possible))
    if "threshold" in decide:
        if not all(possible):
            return outputs._replace(columns=columns, label=constant(float(possible.index(True))))
        above = call("greaterOrEqual", columns[1], constant(float(decide["threshold"]) - NEAR))
        return outputs._replace(columns=columns, label=choose(above, constant(1.0), constant(0.0)))
    best = greatest(fields, columns)
    if outputs.label is None:
        return outputs._replace(columns=columns, label=best)
    own = fields.derived(outputs.label)
    label = choose(call("lessThan", own, constant(0.0)), best, own)
    return outputs._replace(columns=columns, label=label)


def _least_cost(
    fields: Fields, columns: Sequence[Expression], costs: Sequence[Sequence[Any]], possible: Sequence[bool]
) -> Expression:
    """Return the class of least expected cost."""
    may = [label for label, can in enumerate(possible) if can]
    expected = [
        fields.derived(
            total([call("*", p, constant(float(row[label]))) for p, row in zip(columns, costs, strict=True)])
        )
        for label in may
    ]
    slack = NEAR * max(float(cost) for row in costs for cost in row)
    least = expected[0] if len(expected) == 1 else call("min", *expected)
    least = fields.derived(call("+", least, constant(slack)))
    found = constant(float(may[-1]))
    for label, each in zip(reversed(may[:-1]), reversed(expected[:-1]), strict=True):
        found = choose(call("lessOrEqual", each, least), constant(float(label)), found)
    return found


def decided_constant(outputs: Sequence[Any], label: int, decide: dict[str, Any]) -> tuple[list[float], int]:
    """Return the probabilities and the class of a result that is the same for all its rows."""
    shares = [float(each) for each in outputs]
    if "overall" in decide and not sum(shares) > 0:
        shares = [float(each) for each in decide["overall"]]
    if "costs" in decide:
        costs = [[float(cost) for cost in row] for row in decide["costs"]]
        return shares, int(least_cost([shares], costs, decide.get("withRows"))[0])
    if "threshold" in decide:
        return shares, int(by_threshold([shares], 1, float(decide["threshold"]), decide.get("withRows"))[0])
    return shares, int(np.argmax(shares)) if label < 0 else label
