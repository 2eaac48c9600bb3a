"""Checks of parameter values: each error names what was found and what was expected."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

Learner = TypeVar("Learner", bound=Any)


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """The value, if it is one of the allowed ones, or the allowed one that means the same (see `aliases`)."""
    if any(value is choice or (isinstance(choice, str) and value == choice) for choice in allowed):
        return value
    from hornbeam.learn.base.aliases import own_value, with_aliases  # noqa: PLC0415 - rarely needed

    known = own_value(name, value, allowed)
    if known is None:
        msg = f"{name} is {value!r}; expected one of {with_aliases(name, allowed)}"
        raise ValueError(msg)
    return known


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def at_least(name: str, value: Any, least: float) -> float:
    """The value as a number of at least `least`."""
    if not _is_number(value) or not least <= value < math.inf:
        msg = f"{name} is {value!r}; expected a number of at least {least}"
        raise ValueError(msg)
    return float(value)


def number(name: str, value: Any) -> float:
    """The value as a finite number."""
    if not _is_number(value) or not math.isfinite(value):
        msg = f"{name} is {value!r}; expected a finite number"
        raise ValueError(msg)
    return float(value)


def share(name: str, value: Any) -> float:
    """The value as a number from 0 to 1, both included."""
    if not _is_number(value) or not 0 <= value <= 1:
        msg = f"{name} is {value!r}; expected a number from 0 to 1"
        raise ValueError(msg)
    return float(value)


def between(name: str, value: Any, low: float, high: float) -> float:
    """The value as a number strictly between two others."""
    if not _is_number(value) or not low < value < high:
        msg = f"{name} is {value!r}; expected a number between {low} and {high}"
        raise ValueError(msg)
    return float(value)


def whole(name: str, value: Any, least: int) -> int:
    """The value as a whole number of at least `least`."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        msg = f"{name} is {value!r}; expected a whole number of at least {least}"
        raise ValueError(msg)
    return int(value)


def whole_or_none(name: str, value: Any, least: int) -> int | None:
    """The value as a whole number of at least `least`, or None."""
    if value is None:
        return None
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        msg = f"{name} is {value!r}; expected None or a whole number of at least {least}"
        raise ValueError(msg)
    return int(value)


def threads(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` stands for: None is one, -1 all cores of this process, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        msg = f"n_jobs is {n_jobs!r}; expected None, a number of threads, or -1 for every core"
        raise ValueError(msg)
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, len(os.sched_getaffinity(0)) + 1 + int(n_jobs))


def seeded(learner: Learner, random_state: Any) -> Learner:
    """Set the seed of a learner and of the learners inside it; None leaves them as they are.

    Examples
    --------
    >>> from hornbeam import BaggingClassifier, RandomForestClassifier
    >>> learner = seeded(BaggingClassifier(RandomForestClassifier()), 7)
    >>> learner.random_state, learner.estimator.random_state
    (7, 7)
    """
    if random_state is not None:
        named = {name: random_state for name in learner.get_params() if name.endswith("random_state")}
        learner.set_params(**named)
    return learner


def require_target(estimator: object, y: Any) -> None:
    """Refuse features without a target."""
    if y is None:
        msg = f"{type(estimator).__name__} requires y to be passed, but the target y is None"
        raise ValueError(msg)
    if isinstance(y, str):
        msg = f"y is the text {y!r}; expected the values of the target, or fit(hornbeam.read(X, target={y!r}))"
        raise ValueError(msg)  # noqa: TRY004 - as scikit-learn


def plain_value(value: Any) -> Any:
    """A parameter as plain data if possible, otherwise its `repr`."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(float(value))
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, np.ndarray):
        return plain_value(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(entry) for entry in value]
    return repr(value)
