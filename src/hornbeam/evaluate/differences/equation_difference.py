"""Two equations side by side, term by term; terms are found by what they multiply, in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.evaluate.differences.by_name import FIGURES
from hornbeam.show.texts.linear.linear_text import term_words
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from hornbeam.model.linear.linear import LinearModel

INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True)
class Unlike:
    """Something that both models have, or may have: a parameter, a figure, a term.

    Parameters
    ----------
    name : str
        What it is.
    a, b : plain value
        What it is in each; None where it is not there.
    """

    name: str
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class EquationDifference:
    """What `compare_equations` finds.

    Parameters
    ----------
    terms : tuple of Unlike
        All terms of either equation, the intercept first, with their coefficients; None where an equation lacks one.
    """

    terms: tuple[Unlike, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no figure that is shown differs."""
        return all(None not in (one.a, one.b) and _told(one.a) == _told(one.b) for one in self.terms)

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {"terms": [asdict(term) for term in self.terms]}


def compare_equations(a: LinearModel, b: LinearModel) -> EquationDifference:
    """Put two equations side by side.

    Parameters
    ----------
    a, b : LinearModel
        For the same target.

    Returns
    -------
    EquationDifference

    Examples
    --------
    >>> import hornbeam
    >>> cpu = hornbeam.read("cpu")
    >>> a, b = hornbeam.LinearRegressor().fit(cpu).model_, hornbeam.LinearRegressor(selection=None).fit(cpu).model_
    >>> [term.name for term in compare_equations(a, b).terms if term.a is None]
    ['CHMIN']
    """
    ours, theirs = (
        {INTERCEPT: model.intercept, **{term_words(term, model.schema): term.coefficient for term in model.terms}}
        for model in (a, b)
    )
    return EquationDifference(
        tuple(Unlike(name, ours.get(name), theirs.get(name)) for name in dict.fromkeys((*ours, *theirs)))
    )


def _told(coefficient: float) -> str:
    return short_number(coefficient, FIGURES)
