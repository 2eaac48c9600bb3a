"""A linear model as text: its equation, one term per line, with standardized coefficients beside it.

`intervals_in_style` writes a classifier of intervals of the target. `explain_equation` writes what the intercept and
each term add to one prediction, `explain_intervals` the same for the intervals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.show.texts.explanation import explain
from hornbeam.show.texts.trees.classic import rounded_number
from hornbeam.show.texts.wording import LIST_LIMIT, NAME_LIMIT, among, number_column, printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import Factor, LinearModel, Term
    from hornbeam.show.texts.styles import Request

FIGURES = 5  # significant digits of a coefficient
FEW_FIGURES = 3  # significant digits of a standardized one
HEADER = "Linear Regression Model"
CLASSIC_WIDTH, CLASSIC_DECIMALS = 12, 4
BESIDE = "standardized"


def term_words(term: Term, schema: Schema, *, shorten: bool = True) -> str:
    """Write what a coefficient multiplies, such as ``weight``, ``x^2`` or ``maker in {asia, europe}``."""
    return " * ".join(_factor_words(factor, schema, shorten=shorten) for factor in term.factors)


def added(term: Term, schema: Schema) -> str:
    """Write a term as it follows others: ``" + 0.5 weight"``."""
    size = short_number(abs(term.coefficient), FIGURES)
    return f" {'-' if term.coefficient < 0 else '+'} {size} {term_words(term, schema)}"


def _factor_words(factor: Factor, schema: Schema, *, shorten: bool) -> str:
    column = schema.columns[factor.column]
    name = printable(column.name, NAME_LIMIT if shorten else None)
    if factor.codes is not None:
        assert isinstance(column, Nominal)
        return " ".join((name, *among(column, list(factor.codes), LIST_LIMIT if shorten else None)))
    return name if factor.power == 1 else f"{name}^{factor.power}"


def in_style(model: LinearModel, request: Request) -> str:
    """Write a linear model in a style."""
    request.expect("a linear model", ("default", "ascii", "weka"))
    return classic_body(model) if request.style == "weka" else write(model)


def write(model: LinearModel) -> str:
    """Write the equation, one term per line; the last line gives the training weight and the training error."""
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    described = [short_number(abs(term.coefficient), FIGURES) for term in model.terms]
    room = max(map(len, described), default=0)
    margin = " " * (width(name) + 1)
    lines = [f"{name} = {short_number(model.intercept, FIGURES)}"]
    for term, figure in zip(model.terms, described, strict=True):
        sign = "-" if term.coefficient < 0 else "+"
        lines.append(f"{margin}{sign} {figure.rjust(room)} {term_words(term, model.schema)}")
    if model.standardized and model.terms:
        lines = _with_standardized(lines, model.standardized)
    count = len(model.terms)
    said = plural(count, "term")
    if model.weight > 0:
        off = short_number(math.sqrt(model.error / model.weight))
        said += f", learned from rows of weight {short_number(model.weight)}; root mean squared error there {off}"
    return "\n".join([*lines, "", said])


def _with_standardized(lines: list[str], standardized: tuple[float, ...]) -> list[str]:
    """Add a column with the standardized coefficient of every term."""
    figures = [short_number(value, FEW_FIGURES) for value in standardized]
    room = max(map(len, [BESIDE, *figures]))
    column = max(map(width, lines)) + 2
    first, *others = lines
    beside = [(first, BESIDE), *zip(others, figures, strict=True)]
    return [line + " " * (column - width(line)) + figure.rjust(room) for line, figure in beside]


def classic_body(model: LinearModel) -> str:
    """Write the equation in the classic layout: ``0.0491 * MYCT +``, the intercept last."""
    terms = [f"{_in_column(term.coefficient)} * {_classic_name(term, model.schema)}" for term in model.terms]
    equation = " +\n".join([*(terms or [""]), _in_column(model.intercept)])
    return f"{HEADER}\n\n{printable(model.schema.target_column.name)} =\n\n{equation}"


def _in_column(value: float) -> str:
    """Write a number with at most four decimals, so that the decimal points are aligned."""
    text = rounded_number(value, CLASSIC_DECIMALS)
    whole, point, decimals = text.partition(".")
    padded = whole.rjust(CLASSIC_WIDTH - CLASSIC_DECIMALS - 1)
    return padded + (point + decimals).ljust(CLASSIC_DECIMALS + 1)


def _classic_name(term: Term, schema: Schema) -> str:
    words = []
    for factor in term.factors:
        column = schema.columns[factor.column]
        name = printable(column.name)
        if factor.codes is not None:
            assert isinstance(column, Nominal)
            name += "=" + ",".join(printable(column.categories[code]) for code in factor.codes)
        words.append(name if factor.power == 1 else f"{name}^{factor.power}")
    return "*".join(words)


def intervals_in_style(model: DiscretizedModel, request: Request) -> str:
    """Write the intervals with their numbers, and below them the classifier in any style."""
    names = [printable(name) for name in model.classifier.schema.target_column.categories]
    room = max(map(width, names))
    figures = number_column(model.values.tolist())
    far = max(map(len, figures))
    target = printable(model.schema.target_column.name)
    lines = [f"{target}: the mean of these, weighted by the probabilities of the intervals"]
    lines += [
        f"  {name}{' ' * (room - width(name))}  {figure.rjust(far)}"
        for name, figure in zip(names, figures, strict=True)
    ]
    return "\n".join([*lines, "", request.text(model.classifier)])


def explain_equation(model: LinearModel, table: Table, row: int) -> str:
    """Write the prediction of a linear model for one row, and what each term adds to it."""
    one = align(model.schema, table.take(np.array([row])))
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    whole = short_number(float(model.predict_codes(one)[0]), FIGURES)
    lines = added_lines(model.intercept, model.terms, model.schema, one)
    return "\n".join([f"row {row + 1}:", *lines, f"so {name} = {whole}, the sum"])


def explain_intervals(model: DiscretizedModel, table: Table, row: int) -> str:
    """Write why the classifier gives each interval its probability, and the weighted mean of the intervals."""
    one = table.take(np.array([row]))
    probabilities = model.classifier.predict_proba(one)[0]
    target = model.classifier.schema.target_column
    assert isinstance(target, Nominal)
    parts = [
        (
            short_number(p * value, FIGURES),
            f"{short_number(p, FIGURES)} * {short_number(value, FIGURES)}: {name}",
        )
        for p, value, name in zip(probabilities.tolist(), model.values.tolist(), target.categories, strict=True)
        if p > 0
    ]
    longest = max((width(product) for product, _ in parts), default=0)
    whole = short_number(float(model.predict_codes(one)[0]), FIGURES)
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    return "\n".join(
        [
            explain(model.classifier, table, row),
            "probability of each interval * its number:",
            *(f"  {product.rjust(longest)}  {words}" for product, words in parts),
            f"so {name} = {whole}" + (", the sum" if parts else ", because no interval has a probability"),
        ]
    )


def added_lines(intercept: float, terms: Iterable[Term], schema: Schema, one: Table) -> list[str]:
    """What the intercept and each term add for the only row of a table, one per line, values right-aligned."""
    described = [(short_number(float(intercept), FIGURES), "intercept"), *(_added(term, schema, one) for term in terms)]
    room = max(width(figure) for figure, _ in described)
    return [f"  {figure.rjust(room)}  {words}" for figure, words in described]


def _added(term: Term, schema: Schema, one: Table) -> tuple[str, str]:
    """What a term adds for a row, and how it is computed."""
    value = float(term.values(one)[0])
    words = f"{short_number(term.coefficient, FIGURES)} * {term_words(term, schema)}"
    if any(_is_missing(factor, schema, one) for factor in term.factors):
        words += f", missing: {short_number(value, FIGURES)}"
    elif all(factor.codes is not None for factor in term.factors):
        words += f": {'yes' if value else 'no'}"
    else:
        words += f": {short_number(value, FIGURES)}"
    return short_number(term.coefficient * value, FIGURES), words


def _is_missing(factor: Factor, schema: Schema, one: Table) -> bool:
    return bool(schema.columns[factor.column].missing(one.columns[factor.column])[0])
