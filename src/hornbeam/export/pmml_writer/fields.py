"""The fields of a PMML file: columns, computed fields, and conditions on them."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.export.pmml_writer.elements import (
    Expression,
    call,
    constant,
    either,
    element,
    escaped,
    number,
    reference,
    text_constant,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PLAIN = re.compile(r"[^\s\"\\<>&]+(?: [^\s\"\\<>&]+)*")  # texts that need no quotes or escapes
OPERATORS = {"<=": "lessOrEqual", "<": "lessThan", ">": "greaterThan", ">=": "greaterOrEqual"}
TRUE, FALSE = "<True/>", "<False/>"


class Outputs(NamedTuple):
    """The outputs of a model: one number, or the class probabilities and the code of a class."""

    columns: list[Expression]
    label: Expression | None = None


class Condition(NamedTuple):
    """A condition on one field: a comparison with a number, or a set of categories of a column.

    Attributes
    ----------
    field : str
        The name of the field.
    sign : str
        "<=", "<", ">", ">=" or "in".
    bound : float or list of str
        A number, or categories.
    """

    field: str
    sign: str
    bound: Any

    @property
    def is_known(self) -> bool:
        """Whether every value that is not missing satisfies it."""
        return isinstance(self.bound, float) and self.bound == (math.inf if self.sign[0] == "<" else -math.inf)

    @property
    def is_never(self) -> bool:
        """Whether no value satisfies it."""
        return self.bound == [] or (
            isinstance(self.bound, float) and self.bound == (-math.inf if self.sign[0] == "<" else math.inf)
        )

    def predicate(self) -> str:
        """Return it as a predicate; it does not hold where the value is missing."""
        if self.is_never:
            return FALSE
        if self.is_known:
            return element("SimplePredicate", field=self.field, operator="isNotMissing")
        if self.sign != "in":
            return element("SimplePredicate", field=self.field, operator=OPERATORS[self.sign], value=number(self.bound))
        plain = [each for each in self.bound if PLAIN.fullmatch(each)]
        parts = []
        if len(plain) > 1:
            listed = element(
                "Array", " ".join(f'"{escaped(each)}"' for each in plain), type="string", n=str(len(plain))
            )
            parts.append(element("SimpleSetPredicate", listed, field=self.field, booleanOperator="isIn"))
        others = [each for each in self.bound if each not in set(plain)] if len(plain) > 1 else self.bound
        parts += [element("SimplePredicate", field=self.field, operator="equal", value=each) for each in others]
        return compound("or", parts)

    def test(self) -> Expression:
        """Return it as an expression, for values that are not missing."""
        value = reference(self.field)
        if self.is_never or self.is_known:
            return call("equal", constant(1.0), constant(float(self.is_known)))
        if self.sign != "in":
            return call(OPERATORS[self.sign], value, constant(self.bound))
        plain = [each for each in self.bound if PLAIN.fullmatch(each)]
        parts = [call("isIn", value, *map(text_constant, plain))] if plain else []
        parts += [
            call("equal", indicator(self.field, each), constant(1.0))
            for each in self.bound
            if not PLAIN.fullmatch(each)
        ]
        return either(parts)


def compound(operator: str, predicates: Sequence[str]) -> str:
    """Return several predicates as one."""
    if len(predicates) == 1:
        return predicates[0]
    return element("CompoundPredicate", *predicates, booleanOperator=operator)


def is_missing(field: str) -> str:
    """Return the predicate that a value is missing."""
    return element("SimplePredicate", field=field, operator="isMissing")


def indicator(field: str, category: str) -> Expression:
    """Return 1 where a column has a category, else 0."""
    return Expression(element("NormDiscrete", field=field, value=category, mapMissingTo="0"))


class Fields:
    """The fields of a file, and the models in it that come before the last one.

    Attributes
    ----------
    columns : list of dict
        The input columns, as in a program.
    early, late : list of str
        Computed fields: of input columns, and of outputs of models.
    segments : list of str
        Models whose outputs the last one needs, each with its outputs.
    given : list of str
        The names of these outputs.
    precision : str
        "float64", or "float32" if the model itself computes something in single precision.
    """

    def __init__(self, columns: list[dict[str, Any]], taken: Iterable[str]) -> None:
        self.columns = columns
        self.taken = {*(column["name"] for column in columns), *taken}
        self.early: list[str] = []
        self.late: list[str] = []
        self.segments: list[str] = []
        self.given: list[str] = []
        self.known: dict[str, Expression] = {}
        self.count = 0
        self.precision = "float64"

    def fresh(self) -> str:
        """Return a name for a new field."""
        self.count += 1
        while f"hb_{self.count}" in self.taken:
            self.count += 1
        return f"hb_{self.count}"

    def derived(self, expression: Expression) -> Expression:
        """Add a computed field, and return a reference to it; a field or a constant is returned as it is."""
        if expression.field or expression.xml.startswith("<Constant"):
            return expression
        return self.named(expression)

    def named(self, expression: Expression) -> Expression:
        """Add a computed field, even for a constant, and return a reference to it."""
        if expression.field:
            return expression
        if expression.xml not in self.known:
            name = self.fresh()
            field = element("DerivedField", expression.xml, name=name, optype="continuous", dataType="double")
            (self.late if expression.late else self.early).append(field)
            self.known[expression.xml] = reference(name, late=expression.late)
        return self.known[expression.xml]

    def name_of(self, column: int) -> str:
        """Return the name of an input column."""
        return str(self.columns[column]["name"])

    def value(self, column: int) -> Expression:
        """Return the value of an input column."""
        return reference(self.name_of(column))

    def missing(self, column: int) -> Expression:
        """Return whether the value of a column is missing."""
        return call("isMissing", self.value(column))

    def is_in(self, column: int, codes: Iterable[int]) -> Condition:
        """Return the condition that a column has one of some categories."""
        categories = self.columns[column].get("categories", ())
        return Condition(self.name_of(column), "in", [categories[int(c)] for c in codes if 0 <= c < len(categories)])

    def compared(self, column: int, sign: str, bound: float) -> Condition:
        """Return the comparison of a column with a number; of the codes, if it has categories."""
        if self.columns[column]["kind"] == "numeric":
            return Condition(self.name_of(column), sign, float(bound))
        codes = range(len(self.columns[column]["categories"]))
        holds = {"<=": "__le__", "<": "__lt__", ">": "__gt__", ">=": "__ge__"}[sign]
        return self.is_in(column, [code for code in codes if getattr(float(code), holds)(float(bound))])

    def looked_up(self, column: int, table: Sequence[Any]) -> Expression:
        """Return the entry of a table for the category of a column; the last one is for a missing value."""
        name = self.name_of(column)
        terms = [
            call("*", constant(float(entry)), indicator(name, category))
            for category, entry in zip(self.columns[column]["categories"], table, strict=False)
            if float(entry) != 0
        ]
        if float(table[-1]) != 0:
            terms.append(call("if", self.missing(column), constant(float(table[-1])), constant(0.0)))
        return total(terms)

    def schema(self, *targets: str, fields: Iterable[str] = ()) -> str:
        """Return the mining schema: all columns, outputs of models before, and targets."""
        inputs = [
            element("MiningField", name=column["name"], invalidValueTreatment="asMissing") for column in self.columns
        ]
        inputs += [element("MiningField", name=name) for name in fields]
        return element(
            "MiningSchema", *inputs, *(element("MiningField", name=name, usageType="target") for name in targets)
        )

    def segment(self, model: str, outputs: Sequence[str]) -> list[Expression]:
        """Add a model whose outputs later models need."""
        self.segments.append(model)
        self.given += outputs
        return [reference(name, late=True) for name in outputs]


def output(name: str, feature: str, *expression: str, optype: str = "continuous", **attributes: str) -> str:
    """Return an output field."""
    kind = "double" if optype == "continuous" else "string"
    return element("OutputField", *expression, name=name, optype=optype, dataType=kind, feature=feature, **attributes)
