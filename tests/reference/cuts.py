"""Cuts of a number (or of ordered categories): one, or several found greedily or by trying every set of cuts."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from reference.division import (
    Division,
    Place,
    directions,
    gain_ratio,
    gains_at_all,
    low_then_high,
    measure,
    score_scale,
    tolerances,
    with_default,
)
from reference.limits import keep_allowed
from reference.mass import ENTROPIES
from reference.possible import above, beats, duel, possible_bests, unique
from reference.sample import NEAR, SLACK, Feature, Sample, weight_of

if TYPE_CHECKING:
    from hornbeam.learn.trees.recipe import Recipe

Gap = tuple[float, float]  # two neighboring values that may be cut between


def cut_candidates(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """What may be the best split of a column that is cut."""
    if recipe.numeric == "multi-cut" and recipe.max_cuts > 1:
        return several_cuts(sample, recipe, place, feature)
    assert recipe.numeric in ("one-cut", "multi-cut"), recipe.numeric
    return one_cut(sample, recipe, place, feature)


def gaps(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Gap]:
    """Neighboring values at the node that may be cut between, whatever that leaves on either side."""
    targets: dict[float, set[float]] = {}
    for row, _ in place.pieces:
        value = feature.seen[row]
        if value is not None:
            targets.setdefault(value, set()).add(sample.target[row])
    found = []
    for low, high in pairwise(sorted(targets)):
        one_target = len(targets[low] | targets[high]) == 1 and not math.isinf(high)
        if low + recipe.min_gap < high and not (recipe.boundary_points and one_target):
            found.append((low, high))
    return found


def cut_value(recipe: Recipe, feature: Feature, gap: Gap) -> float:
    """Where the cut is put: half-way, or at the largest training value not above that."""
    low, high = gap
    if math.isinf(high):
        return math.inf
    middle = (low + high) / 2
    if middle == high:
        middle = low
    if recipe.threshold == "midpoint":
        return middle
    if feature.n_codes:  # every code is a value, whether it occurs or not
        return float(math.floor(middle))
    return max(v for v in feature.raw if v is not None and (v <= middle or v - middle < recipe.threshold_slack))


def divide(recipe: Recipe, place: Place, feature: Feature, chosen: tuple[Gap, ...]) -> Division:
    """The division by these cuts, not yet measured."""
    branch: list[int | None] = []
    for row, _ in place.pieces:
        value = feature.seen[row]
        branch.append(None if value is None else sum(value >= high for _, high in chosen))
    cuts = tuple(cut_value(recipe, feature, gap) for gap in chosen)
    return Division(feature, len(chosen) + 1, branch, cuts=cuts)


def least_side(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> float:
    """Least weight of either side of a cut."""
    if not recipe.adaptive_minimum:
        return recipe.min_branch
    known = math.fsum(weight for row, weight in place.pieces if feature.seen[row] is not None)
    least = 0.1 * known / sample.n_classes
    return recipe.min_branch if least <= recipe.min_branch + SLACK else min(least, 25.0)


def holds(place: Place, division: Division, least: float) -> bool:
    """Whether every branch holds the least weight."""
    return all(weight_of(part) >= least - SLACK for part in division.parts(place.pieces))


def one_cut(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """The best cut; the first that is better than all before it by more than the tolerance."""
    least = least_side(sample, recipe, place, feature)
    cuts = [divide(recipe, place, feature, (gap,)) for gap in gaps(sample, recipe, place, feature)]
    ways = [way for way in low_then_high(recipe, place, cuts) if holds(place, way, least)]
    n_cuts = len({way.cuts for way in ways})
    candidates = [measure(sample, recipe, place, way) for way in ways]
    bests = best_in_order(sample, recipe, place, candidates)
    return unique(outcome for best in bests for outcome in charged(recipe, place, best, n_cuts))


def best_in_order(sample: Sample, recipe: Recipe, place: Place, candidates: list[Division]) -> list[Division | None]:
    """The candidate that gains most, where a later one must gain more by more than the tolerance."""
    good = keep_allowed(sample, recipe, place, [c for c in candidates if gains_at_all(c)])
    tolerance = tolerances(recipe, place, good)
    scale = max((c.known_mass for c in good), default=0.0) / place.weight
    return possible_bests(good, lambda c: c.gain, start=0.0, tolerance=tolerance, scale=scale)


def charged(recipe: Recipe, place: Place, best: Division | None, n_cuts: int) -> list[Division | None]:
    """The best cut after paying for the choice among cuts, where the recipe asks for that."""
    if best is None:
        return [None]
    if recipe.criterion not in ENTROPIES:
        return [best]
    if recipe.charge_cuts:
        gain = best.gain - math.log2(n_cuts) / place.weight
        score = gain
        if recipe.criterion == "gain-ratio":
            over = best.difference / best.gain
            score = gain_ratio(recipe, place, best.parts(place.pieces), gain, over)
        best = replace(best, gain=gain, score=score)
    charged_or_ratio = recipe.charge_cuts or recipe.criterion == "gain-ratio"
    enough = above(best.gain, SLACK if charged_or_ratio else recipe.min_gain, NEAR)
    return [best] if enough is True else [None] if enough is False else [best, None]


# ---- several cuts -----------------------------------------------------------------------------------------------


def several_cuts(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """The best set of at most `max_cuts` cuts, found on the known rows; then rows without a value choose a branch."""
    least = least_side(sample, recipe, place, feature)
    find = greedy_cuts if recipe.cuts_by == "greedy" else optimal_cuts
    return unique(
        best
        for path in find(sample, recipe, place, feature, least)
        for best in best_number(sample, recipe, place, path)
    )


def measured_cuts(sample: Sample, recipe: Recipe, place: Place, feature: Feature, chosen: tuple[Gap, ...]) -> Division:
    """The division of the known rows by these cuts."""
    return measure(sample, recipe, place, with_default(recipe, place, divide(recipe, place, feature, chosen)))


def best_number(sample: Sample, recipe: Recipe, place: Place, path: list[Division]) -> list[Division | None]:
    """Of divisions with one, two, ... cuts the one with the best score, rows of no value being where they do best."""
    bests: list[Division | None] = [None]
    for division in path:
        ways = [measure(sample, recipe, place, way) for way in directions(recipe, place, division)]
        homes = best_in_order(sample, recipe, place, ways)
        outcomes: list[Division | None] = []
        for best in bests:
            for home in homes:
                if home is None:
                    outcomes.append(best)
                elif best is None:
                    outcomes.append(home)
                else:
                    scale = score_scale(recipe, home, place)
                    tolerance = (recipe.tolerance, recipe.tolerance * best.score)
                    outcomes += duel(home, best, beats(home.score, best.score, tolerance, scale))
        bests = unique(outcomes)
    return bests


def optimal_cuts(sample: Sample, recipe: Recipe, place: Place, feature: Feature, least: float) -> list[list[Division]]:
    """For every number of cuts the set with the greatest gain, by trying all; several where sets tie."""
    places = gaps(sample, recipe, place, feature)
    paths: list[list[Division]] = [[]]
    for count in range(1, recipe.max_cuts + 1):
        every = (divide(recipe, place, feature, chosen) for chosen in combinations(places, count))
        tried = [
            measure(sample, recipe, place, with_default(recipe, place, division))
            for division in every
            if holds(place, division, least)
        ]
        if not tried:
            break
        most = max(division.gain for division in tried)
        leeway = NEAR * max(abs(most), tried[0].known_mass / place.weight)
        ties = [division for division in tried if division.gain >= most - leeway]
        paths = [[*path, tie] for path in paths for tie in ties][:200]
    return paths


def greedy_cuts(sample: Sample, recipe: Recipe, place: Place, feature: Feature, least: float) -> list[list[Division]]:
    """One best cut after another, while each gains something; several ways where cuts tie."""
    places = gaps(sample, recipe, place, feature)
    paths: list[list[Division]] = []

    def add(chosen: tuple[Gap, ...], path: list[Division]) -> None:
        reached = path[-1].gain if path else 0.0
        tried: dict[int, tuple[Gap, ...]] = {}
        candidates = []
        for gap in places:
            more = tuple(sorted({*chosen, gap}))
            division = measured_cuts(sample, recipe, place, feature, more)
            if gap not in chosen and holds(place, division, least):
                candidates.append(division)
                tried[id(division)] = more
        scale = max((c.known_mass for c in candidates), default=0.0) / place.weight
        bests: list[Division | None] = [None]
        if len(chosen) < recipe.max_cuts:
            bests = possible_bests(candidates, lambda d: d.gain, start=reached, tolerance=(0.0, 0.0), scale=scale)
        for best in bests:
            if best is None:
                paths.append(path)
            else:
                add(tried[id(best)], [*path, best])

    add((), [])
    return paths
