"""The seed of a learner that another one is built on."""

from __future__ import annotations

from typing import Any, TypeVar

Learner = TypeVar("Learner", bound=Any)


def seeded(learner: Learner, random_state: Any) -> Learner:
    """Give a learner a seed, and learners inside it the same; None leaves them as they are.

    Examples
    --------
    >>> from hornbeam import BaggingClassifier, RandomForestClassifier
    >>> found = seeded(BaggingClassifier(RandomForestClassifier()), 7)
    >>> found.random_state, found.estimator.random_state
    (7, 7)
    """
    if random_state is not None:
        named = {name: random_state for name in learner.get_params() if name.endswith("random_state")}
        learner.set_params(**named)
    return learner
