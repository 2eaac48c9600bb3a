"""Settings to try: a grid of parameter values and finer grids around its best setting, or random settings."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

from hornbeam.schemes import of_estimator
from hornbeam.schemes.scheme import Range, Search, Value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Setting = dict[str, Value]
MOST_IN_GRID = 2  # maximum number of parameters of a grid; with more, settings are drawn at random
BY_DEFAULT = 2  # number of parameters tuned by default


@dataclass(frozen=True, slots=True)
class Grid:
    """All combinations of some values of each parameter."""

    axes: dict[str, tuple[Value, ...]]

    def settings(self) -> list[Setting]:
        """Return the combinations, the last parameter changing fastest."""
        return [dict(zip(self.axes, values, strict=True)) for values in product(*self.axes.values())]

    def finer(self, searches: Mapping[str, Search], best: Setting) -> Grid:
        """Return the grid around a setting, between its neighbors, with half the step; choices are kept."""
        axes = dict(self.axes)
        for name, values in self.axes.items():
            search = searches[name]
            if not isinstance(search, Range):
                continue
            numbers: list[Any] = sorted(values)
            place = numbers.index(best[name])
            near = numbers[max(place - 1, 0) : place + 2]
            half = [search.between(one, other) for one, other in pairwise(near)]
            axes[name] = tuple(sorted({*near, *half}))
        return Grid(axes)


def coarse(searches: Mapping[str, Search]) -> Grid:
    """Return the first grid: the steps that ranges declare."""
    return Grid({name: search.values() if isinstance(search, Range) else search for name, search in searches.items()})


def drawn(searches: Mapping[str, Search], tries: int, seed: int) -> list[Setting]:
    """Draw settings at random, uniformly on each range's scale; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return [
        {
            name: search.at(chance.random()) if isinstance(search, Range) else chance.choice(search)
            for name, search in searches.items()
        }
        for _ in range(tries)
    ]


def searched(
    estimator: Any,  # noqa: ANN401 - any estimator
    parameters: Sequence[str] | Mapping[str, Search | Sequence[Value] | None] | None,
) -> dict[str, Search]:
    """Return the parameters to tune and their search ranges.

    Parameters
    ----------
    estimator : estimator
        Estimators of hornbeam declare ranges; for others, `parameters` must give them.
    parameters : names, or a mapping of names to Range or values, optional
        By default the first two that declare a range and have an effect, given the estimator's other parameters.
    """
    given: dict[str, Any] = estimator.get_params(deep=False)
    who, declared = _declared(estimator)
    if parameters is None:
        return {name: declared[name] for name in usual(estimator)}
    wanted = dict(parameters) if isinstance(parameters, Mapping) else dict.fromkeys(parameters)
    if not wanted:
        raise ValueError("no parameter was named; expected one or more to tune, or None for the usual ones")
    found: dict[str, Search] = {}
    for name, search in wanted.items():
        if name not in given:
            msg = f"{who} has no parameter {name!r} to tune; those with a search range: {', '.join(declared) or 'none'}"
            raise ValueError(msg)
        if search is not None:
            found[name] = search if isinstance(search, Range) else _values(name, search)
        elif name not in declared:
            others = ", ".join(declared) or "none"
            msg = f"the parameter {name!r} of {who} declares no search range: give values; those that do: {others}"
            raise ValueError(msg)
        else:
            found[name] = declared[name]
        unmet = _unmet(found[name], given)
        if unmet is not None:
            raise ValueError(f"{name} has no effect if {unmet}; leave it out, or change that")
    return found


def usual(estimator: Any, fixed: Collection[str] = ()) -> list[str]:  # noqa: ANN401 - any estimator
    """Return the parameters that are tuned by default: the first two with a range that have an effect.

    Examples
    --------
    >>> import hornbeam
    >>> usual(hornbeam.C45Classifier()), usual(hornbeam.C45Classifier(prune=None))
    (['confidence', 'min_samples_leaf'], ['min_samples_leaf'])
    """
    names = tunable(estimator, fixed)
    if not names:
        who, declared = _declared(estimator)
        rest = " that is not given already" if declared else ""
        raise ValueError(f"{who} has no parameter with a declared search range{rest}; nothing can be tuned")
    return names


def tunable(estimator: Any, fixed: Collection[str] = ()) -> list[str]:  # noqa: ANN401 - any estimator
    """Return the parameters that are tuned by default, or none."""
    given = estimator.get_params(deep=False)
    _, declared = _declared(estimator)
    names = [name for name, search in declared.items() if name not in fixed and _unmet(search, given) is None]
    return names[:BY_DEFAULT]


def _declared(estimator: Any) -> tuple[str, dict[str, Search]]:  # noqa: ANN401 - any estimator
    """Return the name of an estimator, and the ranges that its scheme declares."""
    scheme = of_estimator(type(estimator).__name__)
    if scheme is None:
        return type(estimator).__name__, {}
    return f"the scheme {scheme.name}", {p.name: p.search for p in scheme.parameters if p.search is not None}


def _values(name: str, values: Sequence[Value]) -> tuple[Value, ...]:
    kept = tuple(dict.fromkeys(values))
    if not kept:
        raise ValueError(f"there is no value to try for {name}")
    return kept


def _unmet(search: Search, given: Mapping[str, Any]) -> str | None:
    """Return the other parameter that disables this one, if any."""
    if not isinstance(search, Range) or search.where is None:
        return None
    other, values = search.where
    if given.get(other) in values:
        return None
    expected = " or ".join("none" if value is None else str(value) for value in values)
    return f"{other} is {given.get(other)}, not {expected}"
