"""Estimators to compare: several schemes by name, or one scheme with several values of some parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.schemes import SCHEMES, USUAL, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hornbeam.evaluate.measures import Measure
    from hornbeam.schemes import Predicts

NONE = "none"  # the text for the value None of a parameter
ALL = "all"
BASELINE = "baseline"
_PLURAL = {"category": "categories", "number": "numbers"}


def schemes_by_name(
    names: Iterable[str] | None = None,
    predicts: Predicts = "category",
    *,
    tune: bool = False,
    tune_folds: int = 5,
    tune_by: Measure | None = None,
    **parameters: Any,  # noqa: ANN401 - of the schemes
) -> dict[str, Any]:
    """Make the estimators of several schemes and the baseline, for `compare`.

    Parameters
    ----------
    names : names of schemes, optional
        ``"all"`` means all that predict such targets; by default a few whose models can be read, and a forest.
    predicts : {"category", "number"}
        Whether the target holds classes or numbers.
    tune : bool
        Whether a scheme with search ranges for its parameters chooses two of them by cross-validation on its training
        rows (see `evaluate.tuning`): in a comparison this is nested cross-validation.
    tune_folds, tune_by : int, str
        Folds of the inner cross-validation, and its metric; by default that of `tune`.
    **parameters
        Set for every scheme that has a parameter of that name; they are not tuned.

    Returns
    -------
    dict of str to estimator
        ``"baseline"`` first, which always predicts the most frequent class or the mean; then the schemes.

    Examples
    --------
    >>> list(schemes_by_name(["one-r", "neighbors"]))
    ['baseline', 'one-r', 'neighbors']
    """
    wanted = list(dict.fromkeys(names)) if names is not None else list(USUAL[predicts])
    if ALL in wanted:
        fitting = [scheme.name for scheme in SCHEMES if scheme.predicts == predicts]
        wanted = list(dict.fromkeys([*fitting, *wanted]))
        wanted.remove(ALL)
    found = [find(name, predicts) for name in wanted if name != BASELINE]
    taken = {parameter.name for scheme in found for parameter in scheme.parameters}
    for name in parameters:
        if name not in taken:
            msg = f"none of the schemes has a parameter {name!r}: {', '.join(scheme.name for scheme in found)}"
            raise ValueError(msg)
    made: dict[str, Any] = {BASELINE: find("tree", predicts).load()(max_depth=0)}  # a tree of one leaf
    for scheme in found:
        own = {parameter.name for parameter in scheme.parameters}
        given = {name: value for name, value in parameters.items() if name in own}
        estimator = for_folds(scheme.load()(**given))
        made[scheme.name] = _tuned(estimator, list(given), tune_folds, tune_by) if tune else estimator
    return made


def variants(
    scheme: str,
    choices: Mapping[str, Sequence[Any] | None],
    *,
    predicts: Predicts = "category",
    **parameters: Any,  # noqa: ANN401 - of the scheme
) -> dict[str, Any]:
    """Make the estimators that differ in some parameters of a scheme, for `compare`.

    Parameters
    ----------
    scheme : str
        Its name, such as ``"tree"``.
    choices : mapping of parameter to values
        The values to try for each parameter, in all combinations; None means all values of a parameter with a fixed set
        of choices. The value None of a parameter is called ``"none"`` and comes first.
    predicts : {"category", "number"}
        The kind of target; some names have a scheme for each kind.
    **parameters
        Parameters that are the same for all variants. Critical-value pruning without a threshold chooses one on
        held-out rows.

    Returns
    -------
    dict of str to estimator

    Examples
    --------
    >>> list(variants("tree", {"criterion": ["gini", "gain-ratio"], "prune": [None, "pessimistic"]}))
    ['gini, none', 'gini, pessimistic', 'gain-ratio, none', 'gain-ratio, pessimistic']
    """
    found = find(scheme, predicts)
    known = {parameter.name: parameter for parameter in found.parameters}
    made: dict[str, dict[str, Any]] = {"": {}}
    for name, wanted in choices.items():
        if name not in known:
            raise ValueError(f"the scheme {scheme} has no parameter {name!r} for predicting {_PLURAL[predicts]}")
        possible = known[name].choices
        values = sorted(possible, key=lambda value: value is not None) if wanted is None else list(wanted)
        for value in values:
            if possible and value not in possible:
                text = ", ".join(_text(choice) for choice in possible)
                where = f"for predicting {_PLURAL[predicts]} with the scheme {scheme}"
                raise ValueError(f"{name} is {_text(value)!r}; expected one of these {where}: {text}")
        made = {
            f"{before}, {_text(value)}" if before else _text(value): {**given, name: value}
            for before, given in made.items()
            for value in values
        }
    estimator = found.load()
    return {name: _ready(estimator(**parameters, **given)) for name, given in made.items()}


def for_folds(estimator: Any) -> Any:  # noqa: ANN401 - any estimator of ours
    """Return a copy that learns the same model, stores nothing for display, and uses one thread per fold."""
    from sklearn.base import clone  # noqa: PLC0415 - half a second that reading the list of schemes does not need

    learner = clone(estimator)
    given = learner.get_params(deep=False)
    learner.set_params(**{name: value for name, value in (("n_jobs", None), ("keep_trace", False)) if name in given})
    if given.get("choose") == "cp":
        learner.set_params(folds=0)  # its complexity table is only for display
    return learner


def _tuned(estimator: Any, fixed: Sequence[str], folds: int, measure: Measure | None) -> Any:  # noqa: ANN401
    """Let an estimator tune its parameters, if it has search ranges for any that are not given."""
    from hornbeam.evaluate.tuning.settings import tunable  # noqa: PLC0415 - only for tuning
    from hornbeam.evaluate.tuning.tune import Tuned  # noqa: PLC0415 - needs scikit-learn

    names = tunable(estimator, fixed)
    return Tuned(estimator, names, folds=folds, measure=measure) if names else estimator


def _ready(estimator: Any) -> Any:  # noqa: ANN401 - any estimator of ours
    """Let a pruning method that needs a threshold choose it, if none was given."""
    given = estimator.get_params()
    if given.get("prune") != "critical-value" or given.get("prune_threshold") is not None:
        return estimator
    from hornbeam.evaluate.comparing.outside import ChosenThreshold  # noqa: PLC0415 - needs scikit-learn

    return ChosenThreshold(estimator)


def _text(value: object) -> str:
    return NONE if value is None else str(value)
