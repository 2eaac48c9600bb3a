"""Progress of learners that take long: lines of text (`verbose`) and functions that are called after each step."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, ClassVar, Self

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import TableEstimator

if TYPE_CHECKING:
    from collections.abc import Callable

    Callback = Callable[[int, int], bool | None]

LINES = 10  # with verbose=1


@estimator
class ReportsProgress(TableEstimator):
    """A mixin that goes before `TableClassifier`, `TableRegressor` or `TableClusterer`.

    Parameters
    ----------
    verbose : int
        0: nothing is written. 1: about ten lines on standard error while the model is learned. 2: a line per step. A
        step is a tree, a member, a round, a pair of classes, or a start.
    """

    verbose: int = 0
    _callbacks: ClassVar[tuple[Callback, ...]] = ()

    def set_callbacks(self, *callbacks: Callback) -> Self:
        """Set the functions that `fit` calls after each step.

        Parameters
        ----------
        *callbacks : functions of (step, total)
            Called with the number of steps done and the number of all steps. Forests and boosting stop, and keep what
            they have learned so far, if one returns True; so do the starts of k-means and mixtures. An exception stops
            any learner.

        Returns
        -------
        self
            Copies by `clone` and by pickling have no callbacks.

        Examples
        --------
        >>> import hornbeam
        >>> boosted = hornbeam.GradientBoostingClassifier().set_callbacks(lambda step, total: step == 3)
        >>> boosted.fit(hornbeam.read("iris")).n_iter_
        3
        """
        self.__dict__["_callbacks"] = callbacks
        return self

    def _report(self, step: int, total: int) -> bool:
        """Report a step; True if learning should stop here."""
        if self.verbose and (self.verbose > 1 or step == total or step * LINES // total > (step - 1) * LINES // total):
            sys.stderr.write(f"{type(self).__name__}: {step} of {total}{self._reached()}\n")
        return any([bool(callback(step, total)) for callback in self._callbacks])  # noqa: C419 - all are called

    def _reached(self) -> str:
        """The text after the step number."""
        return ""

    def _reported(self, step: int, total: int) -> None:
        """Report a step of work that runs in threads, which only an exception stops."""
        if step:
            self._report(step, total)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_callbacks", None)
        return state
