"""Linear models as PMML, and their equations as expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.export.pmml_writer.elements import Expression, call, choose, constant, element, number
from hornbeam.export.pmml_writer.fields import Outputs, output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.pmml_writer.fields import Fields

NESTED = 20  # additions in one expression


def factor(fields: Fields, plain: Sequence[Any]) -> Expression:
    """Return a factor as a field: [column, table], or [column, fill, power]."""
    column = plain[0]
    if len(plain) == 2:  # noqa: PLR2004 - a column and a table
        return fields.derived(fields.looked_up(column, plain[1]))
    value = fields.derived(choose(fields.missing(column), constant(float(plain[1])), fields.value(column)))
    power = value
    for _ in range(1, int(plain[2])):
        power = call("*", power, value)
    return fields.derived(power)


def has_products(plain: dict[str, Any]) -> bool:
    """Whether an equation has powers or products; their large terms cancel, so it is summed in the model's order."""
    parts = (rest for weight, rest in plain["parts"] if not isinstance(weight, list))
    return any(len(rest) > 1 or (len(rest[0]) > 2 and rest[0][2] > 1) for rest in parts)  # noqa: PLR2004 - a power


def terms(fields: Fields, plain: dict[str, Any]) -> list[tuple[float, Expression]]:
    """Return the terms of an equation: coefficients and fields."""
    found: list[tuple[float, Expression]] = []
    for weight, rest in plain["parts"]:
        if isinstance(weight, list):
            found.append((1.0, fields.derived(fields.looked_up(rest, weight))))
            continue
        product = factor(fields, rest[0])
        for each in rest[1:]:
            product = call("*", product, factor(fields, each))
        found.append((float(weight), fields.derived(product)))
    return found


def equation(fields: Fields, plain: dict[str, Any]) -> Expression:
    """Return an equation as an expression: a sum from left to right, rounded as the model rounds it."""
    total = constant(float(plain["intercept"]))
    for position, (weight, each) in enumerate(terms(fields, plain)):
        total = call("+", total, call("*", constant(weight), each))
        if position % NESTED == NESTED - 1:
            total = fields.derived(total)
    return fields.derived(total)


def regression_model(
    schema: str,
    intercept: float,
    parts: Sequence[tuple[float, Expression]],
    outputs: Sequence[str] = (),
    local: str = "",
) -> str:
    """Return a RegressionModel of fields."""
    added: dict[str, float] = {}
    for weight, each in parts:  # a field may occur only once
        if not each.field:  # a constant
            intercept += weight * float(each.xml.partition(">")[2].partition("<")[0])
        else:
            added[each.field] = added.get(each.field, 0.0) + weight
    predictors = [element("NumericPredictor", name=name, coefficient=number(weight)) for name, weight in added.items()]
    return element(
        "RegressionModel",
        schema,
        element("Output", *outputs) if outputs else "",
        local,
        element("RegressionTable", *predictors, intercept=number(intercept)),
        functionName="regression",
        normalizationMethod="none",
    )


def linear_outputs(fields: Fields, plain: dict[str, Any]) -> Outputs:
    """Return the output of a linear model."""
    return Outputs([equation(fields, plain)])


def chosen_equation(fields: Fields, which: Expression, equations: dict[int, dict[str, Any]]) -> Outputs:
    """Add a model that computes one of several equations, chosen by the output of an earlier model."""
    segments, name = [], fields.fresh()
    outputs = [output(name, "predictedValue")]  # also on the chosen model, where PMML4S reads them
    for index, each in equations.items():
        test = element("SimplePredicate", field=which.field, operator="equal", value=number(float(index)))
        model = regression_model(fields.schema(), float(each["intercept"]), terms(fields, each), outputs)
        segments.append(element("Segment", test, model, id=str(index)))
    model = element(
        "MiningModel",
        fields.schema(fields=[which.field]),
        element("Output", *outputs),
        element("Segmentation", *segments, multipleModelMethod="selectFirst"),
        functionName="regression",
    )
    return Outputs(fields.segment(model, [name]))
