"""Linear models: an intercept and terms. Terms are also used in the equations of leaves and rules.

A term is a coefficient times a product of factors. A factor is a power of a numeric column, or an indicator: 1 if the
category is in a set, otherwise 0 (``maker in {asia, europe}``). Every factor has a replacement for missing values, so
an equation always has a prediction.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base import plain
from hornbeam.model.base.align import align, rows_of_matrix
from hornbeam.model.base.condition import printable
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats

MOST_DEGREE = 1000  # of one factor: any higher power is 0, 1 or too large


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor of a term: a power of a number, or an indicator of some categories."""

    column: int  # position in the schema
    # For a nominal column: the factor is 1 if the category is one of these, otherwise 0. They are shown in this order.
    codes: tuple[int, ...] | None = None
    # the replacement for a missing value: of the number, or for an indicator of the factor itself (from 0 to 1)
    fill: float = 0.0
    power: int = 1  # for a numeric column: its exponent

    def values(self, table: Table) -> Floats:
        """Return the factor for every row; the table has the model's columns in the model's order."""
        kind = table.schema.columns[self.column]
        return self.of(table.columns[self.column], len(kind.categories) if isinstance(kind, Nominal) else 0)

    def of(self, column: AnyArray, n_categories: int = 0) -> Floats:
        """Return the factor for some values (or codes, with this number of categories) of its column."""
        if self.codes is not None:
            predictions: Floats = self.by_code(n_categories)[column]
            return predictions
        known = np.where(np.isnan(column), self.fill, column)
        return known if self.power == 1 else known**self.power

    def by_code(self, n_categories: int) -> Floats:
        """Return an indicator's value for every category, and last for a missing one (code -1 is the last entry)."""
        values = np.zeros(n_categories + 1)
        values[list(self.codes or ())] = 1.0
        values[-1] = self.fill
        return values

    def describe(self, schema: Schema) -> str:
        """Return the factor in words, with the names of the schema."""
        column = schema.columns[self.column]
        name = printable(column.name)
        if self.codes is None:
            return name if self.power == 1 else f"{name}^{self.power}"
        assert isinstance(column, Nominal)
        names = [printable(column.categories[code]) for code in self.codes]
        return f"{name} = {names[0]}" if len(names) == 1 else f"{name} in {{{', '.join(names)}}}"


@dataclass(frozen=True, slots=True)
class Term:
    """A coefficient times a product of factors. Only polynomials of several columns have more than one factor.

    Examples
    --------
    >>> Term.of(2, 0.5, codes=(0, 3))
    Term(coefficient=0.5, factors=(Factor(column=2, codes=(0, 3), fill=0.0, power=1),))
    """

    coefficient: float
    factors: tuple[Factor, ...]

    @classmethod
    def of(
        cls, column: int, coefficient: float, codes: tuple[int, ...] | None = None, fill: float = 0.0, power: int = 1
    ) -> Term:
        """Make a term of one factor."""
        return cls(coefficient, (Factor(column, codes, fill, power),))

    def to_entry(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {"coefficient": self.coefficient, "factors": [asdict(factor) for factor in self.factors]}

    @property
    def degree(self) -> int:
        """The degree: the sum of the exponents of its factors."""
        return sum(factor.power for factor in self.factors)

    def values(self, table: Table) -> Floats:
        """Return the product of the factors for every row of a table with the model's columns in its order."""
        product = self.factors[0].values(table)
        for factor in self.factors[1:]:
            product = product * factor.values(table)
        return product

    def describe(self, schema: Schema) -> str:
        """Return the product of the factors as text, with the names of the schema."""
        return " * ".join(factor.describe(schema) for factor in self.factors)


def evaluate(intercept: float, terms: Iterable[Term], table: Table) -> Floats:
    """Return the intercept plus all terms for every row of a table with the model's columns in the model's order.

    All indicators of one nominal column are looked up at once, however many there are.
    """
    predictions = np.full(table.n_rows, float(intercept))
    others, looked_up = look_ups(terms, table.schema)
    with np.errstate(over="ignore", invalid="ignore"):  # the caller reports rows whose sum is not finite
        for term in others:
            predictions += term.coefficient * term.values(table)
        for column, by_code in looked_up.items():
            predictions += by_code[table.columns[column]]
    return predictions


def look_ups(terms: Iterable[Term], schema: Schema) -> tuple[list[Term], dict[int, Floats]]:
    """Separate terms that are single indicators from the others: the sums of those of a column, by code.

    The last entry of a column's array is for a missing value.
    """
    others: list[Term] = []
    looked_up: dict[int, Floats] = {}
    for term in terms:
        factor = term.factors[0]
        kind = schema.columns[factor.column]
        if len(term.factors) == 1 and factor.codes is not None and isinstance(kind, Nominal):
            added = term.coefficient * factor.by_code(len(kind.categories))
            looked_up[factor.column] = looked_up.get(factor.column, 0.0) + added
        else:
            others.append(term)
    return others, looked_up


def terms_from_plain(entries: Any) -> tuple[Term, ...]:  # noqa: ANN401 - whatever a file holds
    """Read the terms of an equation; whether they fit a schema is not checked."""
    return tuple(
        Term(
            plain.number(plain.entry(term, "coefficient")),
            tuple(_factor_from_plain(factor) for factor in plain.sequence(plain.entry(term, "factors"))),
        )
        for term in plain.sequence(entries)
    )


def _factor_from_plain(factor: Any) -> Factor:  # noqa: ANN401
    codes = plain.entry(factor, "codes")
    return Factor(
        plain.whole(plain.entry(factor, "column")),
        None if codes is None else plain.codes(codes),
        plain.number(plain.entry(factor, "fill")),
        plain.whole(plain.entry(factor, "power")),
    )


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """An equation that predicts for every row.

    Parameters
    ----------
    schema : Schema
        The columns of the terms, and the target.
    intercept : float
        The prediction if every term is zero.
    terms : tuple of Term
        The terms that are added to it, in the order in which they are shown.
    standardized : tuple of float, optional
        The coefficient of each term if its standard deviation and that of the target were 1.
    weight : float
        The weight of the training rows.
    error : float
        Their sum of squared errors.
    recipe : mapping
        The parameters it was learned by, as plain values.

    Examples
    --------
    >>> from hornbeam.data.schema import Numeric, Schema
    >>> schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    >>> model = LinearModel(schema, 1.0, (Term.of(0, 2.0, fill=10.0),))
    >>> model.predict([[3.0], [float("nan")]]).tolist()
    [7.0, 21.0]
    """

    KIND: ClassVar = "linear"
    PLAIN: ClassVar = {
        "intercept": plain.number,
        "terms": terms_from_plain,
        "standardized": plain.numbers_or_none,
        "weight": plain.number,
        "error": plain.number,
        "recipe": plain.recipe,
    }

    schema: Schema
    intercept: float
    terms: tuple[Term, ...] = ()
    standardized: tuple[float, ...] | None = None
    weight: float = 0.0
    error: float = 0.0
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"LinearModel({self.schema.name!r}: an intercept and {len(self.terms)} terms)"

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def n_parameters(self) -> int:
        """The number of learned parameters: the coefficients and the intercept."""
        return len(self.terms) + 1

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as every model
        """Return the prediction for every row; a `ModelError` names a row whose sum overflows."""
        if isinstance(rows, Table):
            return self._finite(evaluate(self.intercept, self.terms, align(self.schema, rows)))
        rows_of_matrix(self.schema, rows, self._first_nominal)  # raises an error if it does not fit
        array = np.asarray(rows, np.float64)
        used = sorted({factor.column for term in self.terms for factor in term.factors})
        if not used:
            return np.full(len(array), self.intercept)
        # only the columns that some term uses are copied from the matrix
        feature_of = {place: feature for feature, place in enumerate(self.schema.features)}
        narrow = Schema(tuple(self.schema.columns[column] for column in used))
        table = Table(narrow, [array[:, feature_of[column]] for column in used])
        place_of = {column: place for place, column in enumerate(used)}
        terms = [renumbered(term, place_of) for term in self.terms]
        return self._finite(evaluate(self.intercept, terms, table))

    def _finite(self, predictions: Floats) -> Floats:
        wrong = ~np.isfinite(predictions)
        if wrong.any():
            msg = f"row {int(np.argmax(wrong)) + 1}: its values are so large that the equation has no finite result"
            raise ModelError(msg)
        return predictions

    def validate(self) -> None:
        """Check that the terms fit the schema; raise a `ModelError` if not."""
        if not isinstance(self.schema.target_column, Numeric):
            msg = f"a linear model predicts a number; the target {self.schema.target_column.name!r} is nominal"
            raise ModelError(msg)
        check_terms(self.intercept, self.terms, self.schema)
        if self.standardized is not None and len(self.standardized) != len(self.terms):
            msg = f"{len(self.standardized)} standardized coefficients were given for {len(self.terms)} terms"
            raise ModelError(msg)
        for name, value in (("weight", self.weight), ("error", self.error)):
            if not (math.isfinite(value) and value >= 0):
                msg = f"the {name} of a linear model is {value}; expected a number of at least 0"
                raise ModelError(msg)

    def coefficients(self) -> dict[str, float]:
        """Return the coefficients by the text of their terms, the intercept as ``"intercept"`` first."""
        found = {"intercept": self.intercept}
        for term in self.terms:
            found[term.describe(self.schema)] = term.coefficient
        return found


def renumbered(term: Term, place_of: Mapping[int, int]) -> Term:
    """Return a term with other column positions."""
    factors = tuple(Factor(place_of[f.column], f.codes, f.fill, f.power) for f in term.factors)
    return Term(term.coefficient, factors)


def check_terms(intercept: float, terms: Sequence[Term], schema: Schema) -> None:
    """Raise an error for an equation with unknown columns or codes, or with values that are not numbers."""
    if not math.isfinite(intercept):
        msg = f"the intercept of an equation is {intercept}; expected a finite number"
        raise ModelError(msg)
    for place, term in enumerate(terms):
        where = f"term {place + 1} of an equation"
        if not math.isfinite(term.coefficient):
            msg = f"{where} has the coefficient {term.coefficient}; expected a finite number"
            raise ModelError(msg)
        if not term.factors:
            msg = f"{where} has no factors"
            raise ModelError(msg)
        for factor in term.factors:
            _check_factor(where, factor, schema)


def _check_factor(where: str, factor: Factor, schema: Schema) -> None:
    if not 0 <= factor.column < len(schema.columns):
        msg = f"{where} uses column {factor.column}; the schema has {len(schema.columns)} columns"
        raise ModelError(msg)
    column: Any = schema.columns[factor.column]
    if schema.roles[factor.column] != "feature":
        msg = f"{where} uses column {column.name!r}, which is not a feature"
        raise ModelError(msg)
    if isinstance(column, Nominal) != (factor.codes is not None):
        said = "numeric" if factor.codes is None else "nominal"
        msg = f"{where} uses column {column.name!r} as {said}, which it is not"
        raise ModelError(msg)
    if factor.codes is not None:
        if any(not 0 <= code < len(column.categories) for code in factor.codes):
            msg = f"{where} has a code outside the {len(column.categories)} categories of column {column.name!r}"
            raise ModelError(msg)
        if len(set(factor.codes)) != len(factor.codes):
            msg = f"{where} has a category of column {column.name!r} twice"
            raise ModelError(msg)
    if not math.isfinite(factor.fill):
        msg = f"{where} fills missing values of column {column.name!r} with {factor.fill}; expected a finite number"
        raise ModelError(msg)
    if not 1 <= factor.power <= (MOST_DEGREE if factor.codes is None else 1):
        msg = f"{where} raises column {column.name!r} to the power {factor.power}"
        raise ModelError(msg)
