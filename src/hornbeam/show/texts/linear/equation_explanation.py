"""Why a row gets its number from an equation: what the intercept and each term add; they sum to the prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.show.texts.linear.linear_text import FIGURES, term_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.linear.linear import Factor, LinearModel, Term


def explain_equation(model: LinearModel, table: Table, row: int) -> str:
    """Write the prediction of a linear model for one row, and what each term adds to it."""
    one = align(model.schema, table.take(np.array([row])))
    name = printable(model.schema.target_column.name, NAME_LIMIT)
    whole = short_number(float(model.predict_codes(one)[0]), FIGURES)
    lines = added_lines(model.intercept, model.terms, model.schema, one)
    return "\n".join([f"row {row + 1}:", *lines, f"so {name} = {whole}, the sum"])


def added_lines(intercept: float, terms: Iterable[Term], schema: Schema, one: Table) -> list[str]:
    """What the intercept and each term add for the only row of a table, one per line, figures flush right."""
    told = [(short_number(float(intercept), FIGURES), "intercept"), *(_added(term, schema, one) for term in terms)]
    room = max(width(figure) for figure, _ in told)
    return [f"  {figure.rjust(room)}  {words}" for figure, words in told]


def _added(term: Term, schema: Schema, one: Table) -> tuple[str, str]:
    """What a term adds for a row, and how that comes about."""
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
    given = one.columns[factor.column][0]
    return bool(given < 0 if isinstance(schema.columns[factor.column], Nominal) else np.isnan(given))
