"""Every public estimator describes every parameter; those declared by `estimator` with their defaults."""

from __future__ import annotations

import inspect
import re

import pytest
from sklearn.base import BaseEstimator

import hornbeam
from hornbeam.learn.base.declare import _entries, _sections, estimator

ESTIMATORS = [
    name
    for name in hornbeam.__all__
    if isinstance(getattr(hornbeam, name), type) and issubclass(getattr(hornbeam, name), BaseEstimator)
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_help_is_complete(name: str) -> None:
    cls = getattr(hornbeam, name)
    described = _entries(_sections(cls.__doc__)["Parameters"])
    names = [name for entry in described for name in entry.split(", ")]
    assert sorted(names) == sorted(cls().get_params(deep=False))
    for lines in described.values():
        assert len(lines) > 1, f"{lines[0]} is not described"
        if "__dataclass_fields__" in vars(cls):
            assert ", default=" in lines[0] or lines[0].endswith("optional"), lines[0]


class Base(BaseEstimator):
    """Base.

    Parameters
    ----------
    depth : int
        The greatest depth.
    how : {"well", "badly"}
        How to learn.

    Attributes
    ----------
    model_ : object
        What was learned.
    """

    depth: int


@estimator(kw_only=False)
class Learner(Base):
    """A learner.

    Parameters
    ----------
    how : {"well", "badly"}
        How to learn, in its own words.

    Notes
    -----
    A note.
    """

    depth: int = 3
    how: str = "well"


def test_descriptions_come_from_the_nearest_class() -> None:
    assert Learner.__doc__ == (
        "A learner.\n\nParameters\n----------\n"
        "depth : int, default=3\n    The greatest depth.\n"
        'how : {"well", "badly"}, default="well"\n    How to learn, in its own words.\n\n'
        "Attributes\n----------\nmodel_ : object\n    What was learned.\n\nNotes\n-----\nA note."
    )


@estimator
class Pruned(BaseEstimator):
    """Base of learners that prune.

    Parameters
    ----------
    folds : int
        How many folds.
    width : int
        How many at a time; only some learners have it.
    """

    folds: int = 3


@estimator
class PrunedLearner(Pruned):
    """A learner that prunes."""

    width: int = 1


def test_parameters_of_the_class_come_before_those_of_its_base() -> None:
    assert list(inspect.signature(PrunedLearner).parameters) == ["width", "folds"]
    assert PrunedLearner.__doc__ == (
        "A learner that prunes.\n\nParameters\n----------\n"
        "width : int, default=1\n    How many at a time; only some learners have it.\n"
        "folds : int, default=3\n    How many folds."
    )
    assert PrunedLearner(folds=2).get_params() == {"folds": 2, "width": 1}


def test_the_signature_is_that_of_the_fields() -> None:
    assert str(inspect.signature(Learner)) == "(depth: 'int' = 3, how: 'str' = 'well') -> None"
    assert Learner(2).get_params() == {"depth": 2, "how": "well"}
    assert repr(Learner(how="badly")) == "Learner(how='badly')"
    assert Learner() != Learner()
    with pytest.raises(TypeError, match=re.escape("unexpected keyword argument 'deep'")):
        Learner(deep=2)  # type: ignore[call-arg]
