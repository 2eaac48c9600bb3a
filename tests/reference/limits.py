"""Limits on what may be learned: answers that only rise or fall with a column, columns that may meet on a path."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from reference.division import Division, Place, route
from reference.mass import answer
from reference.possible import above

from hornbeam.model.trees.split import FRACTIONAL

if TYPE_CHECKING:
    from reference.sample import Pieces, Sample

    from hornbeam.learn.trees.recipe import Recipe


def keep_allowed(sample: Sample, recipe: Recipe, place: Place, divisions: list[Division]) -> list[Division]:
    """The divisions that monotone limits allow; doubtful ones where rounding decides."""
    if not any(recipe.monotonic_cst):
        return divisions
    verdicts = [(division, is_monotone(sample, recipe, place, division)) for division in divisions]
    return [replace(d, doubtful=True) if verdict is None else d for d, verdict in verdicts if verdict is not False]


def is_monotone(sample: Sample, recipe: Recipe, place: Place, division: Division) -> bool | None:
    """Whether the answers keep to the node's bounds and the column's direction; None: rounding decides."""
    parts = route(place, division.branch, division.n_branches, min(division.defaults, default=FRACTIONAL))
    answers = [answer(sample, recipe, part) for part in parts if part]
    sign = recipe.monotonic_cst[division.feature.number]
    wrong = [above(a, place.high) for a in answers] + [above(place.low, a) for a in answers]
    for before, after in pairwise(answers):
        if sign:
            wrong.append(above(sign * before, sign * after))
    if True in wrong:
        return False
    # equal answers are allowed, and answers that are equal but for rounding are doubtful
    exact = all(a == b for a in answers for b in answers if above(a, b) is None)
    return None if None in wrong and not exact else True


def bounds_of_branches(
    sample: Sample, recipe: Recipe, place: Place, feature: int, parts: list[Pieces]
) -> list[tuple[float, float]]:
    """What each child's answers are held to."""
    bounds = [(place.low, place.high) for _ in parts]
    if not any(recipe.monotonic_cst) or not recipe.monotonic_cst[feature]:
        return bounds
    filled = [branch for branch, part in enumerate(parts) if part]
    for left, right in pairwise(filled):
        middle = (answer(sample, recipe, parts[left]) + answer(sample, recipe, parts[right])) / 2
        lower, upper = (left, right) if recipe.monotonic_cst[feature] > 0 else (right, left)
        bounds[lower] = (bounds[lower][0], middle)
        bounds[upper] = (middle, bounds[upper][1])
    return bounds


def allowed_features(recipe: Recipe, n_features: int, used: frozenset[int]) -> set[int]:
    """Features that may be split on below a path that has used some; those in no group are one more group."""
    if not recipe.interactions:
        return set(range(n_features))
    groups = [set(group) for group in recipe.interactions]
    groups.append(set(range(n_features)).difference(*groups))
    return {feature for group in groups if used <= group for feature in group}
