"""The result of tuning: plain data; `tuning_views` writes it as text and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hornbeam._display import ShowsText
from hornbeam.evaluate.measures import ABOUT, printed
from hornbeam.evaluate.plain import Plain, plain, plain_fields
from hornbeam.schemes.scheme import Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.comparing.comparison import Estimate, Measure
    from hornbeam.evaluate.cross_validation import CrossValidation
    from hornbeam.evaluate.tuning.settings import Grid, Setting
    from hornbeam.schemes.scheme import Search

Choose = Literal["best", "1-se"]


@dataclass(frozen=True, slots=True)
class Trial(Plain):
    """One setting, evaluated by cross-validation.

    Parameters
    ----------
    setting : dict
        Values by parameter.
    score : Estimate or None
        Fold by fold, with its mean; None if the setting could not be evaluated.
    size : Estimate or None
        The number of leaves of the trees, or of rules; NaN if the model has neither.
    problem : str or None
        Why the setting could not be evaluated.
    """

    _json = "setting score standard_error=score.standard_error size=size.mean problem"

    setting: Setting
    score: Estimate | None
    size: Estimate | None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Nested:
    """Nested cross-validation: rows were predicted by models that were tuned and fitted without them.

    Parameters
    ----------
    validation : CrossValidation
        Predictions and scores.
    settings : tuple of dict
        The settings chosen in the folds.
    """

    validation: CrossValidation
    settings: tuple[Setting, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {**self.validation.to_json(), "settings": list(self.settings)}


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(ShowsText):
    """The result of tuning.

    Parameters
    ----------
    table : str
        Name of the table.
    n_rows : int
        Rows with a target.
    estimator : estimator
        Not fitted, with the chosen setting.
    searches : dict
        The search ranges, by parameter.
    measure : str
        The metric of settings.
    trials : tuple of Trial
        Every setting once; the first is the estimator as it was given.
    grids : tuple of Grid
        The coarse grid and the finer ones, all of whose settings are among the trials; none if settings were drawn at
        random.
    folds, seed : int
        Of the cross-validation, the same for every setting.
    choose : {"best", "1-se"}
        Which setting was chosen: the best, or the simplest within one standard error of it.
    nested : Nested or None
        The unbiased score, if requested.
    remarks : tuple of str
        Warnings of the estimators, each once.
    order : str or None
        The column by which folds are in time order.
    """

    table: str
    n_rows: int
    estimator: Any
    searches: dict[str, Search]
    measure: Measure
    trials: tuple[Trial, ...]
    grids: tuple[Grid, ...]
    folds: int
    seed: int
    choose: Choose = "best"
    nested: Nested | None = None
    remarks: tuple[str, ...] = ()
    order: str | None = None

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        return ABOUT[self.measure].higher_is_better

    @property
    def given(self) -> Trial:
        """The setting of the estimator as it was given."""
        return self.trials[0]

    @property
    def best(self) -> Trial:
        """The setting with the best mean; in a tie the simplest, then the first."""
        return best_of(self.trials, self.searches, higher=self.higher_is_better)

    @property
    def simplest(self) -> Trial:
        """The simplest setting within one standard error of the best; the best if no range defines what is simpler."""
        best = self.best
        assert best.score is not None
        if not any(isinstance(search, Range) and search.simpler for search in self.searches.values()):
            return best
        limit = _loss(best, higher=self.higher_is_better) + best.score.standard_error
        near = [
            trial
            for trial in self.trials
            if trial.score is not None and _loss(trial, higher=self.higher_is_better) <= limit
        ]
        return min(
            near,
            key=lambda trial: (complexity(trial.setting, self.searches), _loss(trial, higher=self.higher_is_better)),
        )

    @property
    def chosen(self) -> Trial:
        """The setting of `estimator`."""
        return self.best if self.choose == "best" else self.simplest

    def trial(self, setting: Setting) -> Trial:
        """Return the trial of one setting."""
        return next(trial for trial in self.trials if trial.setting == setting)

    def at_edge(self) -> list[str]:
        """Return the parameters whose best value is an end of the search range: values beyond it may be better."""
        names = []
        for name, search in self.searches.items():
            value = self.best.setting[name]
            if isinstance(search, Range) and value in (search.low, search.high):
                names.append(name)
        return names

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return (
            plain_fields(self, "table rows=n_rows")
            | {"parameters": list(self.searches)}
            | plain_fields(self, "measure folds seed order choose given best simplest chosen=chosen.setting")
            | {"at_edge": self.at_edge()}
            | plain_fields(self, "trials")
            | {"grids": [plain(grid.axes) for grid in self.grids]}
            | plain_fields(self, "nested remarks")
        )

    def _headline(self) -> str:
        from hornbeam.evaluate.verdicts.verdict import verdict  # noqa: PLC0415 - it builds on this module

        return verdict(self).text

    def _short(self) -> str:
        chosen = self.chosen
        setting = ", ".join(f"{name} = {value}" for name, value in chosen.setting.items())
        score = "" if chosen.score is None else f": {printed(self.measure)} {chosen.score.mean:.4g}"
        return f"{len(self.trials)} settings tried by {self.folds}-fold cross-validation; chosen: {setting}{score}"

    def text(self) -> str:
        """Tables and sentences for a terminal."""
        from hornbeam.evaluate.tuning.tuning_views import write  # noqa: PLC0415 - it needs this module

        return write(self)

    def svg(self) -> str:
        """Draw a picture: a heat map of two parameters, a line with error bars of one."""
        from hornbeam.evaluate.tuning.tuning_views import draw  # noqa: PLC0415 - as above

        return draw(self)


def best_of(trials: Sequence[Trial], searches: dict[str, Search], *, higher: bool) -> Trial:
    """Return the trial with the best mean; in a tie the simplest, then the first."""
    judged = [trial for trial in trials if trial.score is not None]
    return min(judged, key=lambda trial: (_loss(trial, higher=higher), complexity(trial.setting, searches)))


def complexity(setting: Setting, searches: dict[str, Search]) -> float:
    """The sum of the distances of a setting from the simple ends of its ranges, relative to their lengths.

    A value that is not a number, such as None, is never the simplest.
    """
    total = 0.0
    for name, search in searches.items():
        if not isinstance(search, Range) or search.simpler is None:
            continue
        value = setting[name]
        if value is None or isinstance(value, str):
            return float("inf")
        place = search.place(value)
        total += place if search.simpler == "low" else 1 - place
    return total


def _loss(trial: Trial, *, higher: bool) -> float:
    assert trial.score is not None
    return -trial.score.mean if higher else trial.score.mean
