"""Divisions by category: a branch each, one against the rest, a set against the others, or groups that differ."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from reference.division import (
    Division,
    Place,
    directions,
    gains_at_all,
    low_then_high,
    measure,
    score_scale,
    tolerances,
)
from reference.limits import keep_allowed
from reference.mass import chi_square, log_p_value, lower_median, mean
from reference.possible import above, possible_bests, unique
from reference.sample import NEAR, SLACK, Feature, Pieces, Sample, is_exact, weight_of

if TYPE_CHECKING:
    from hornbeam.learn.trees.recipe import Recipe

Groups = tuple[tuple[int, ...], ...]
MOST_SUBSETS = 10  # categories of which every subset is looked at where an order is a matter of rounding
MOST_GROUPINGS = 400
CLEAR = 0.8  # the second principal component is no more than this share of the first where that is told clearly
Sets = list[tuple[list[list[int]], bool]]  # codes of both branches, and whether rounding decides if they are tried


def category_candidates(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """What may be the best split of a nominal column."""
    if recipe.nominal == "one-vs-rest":
        return one_vs_rest(sample, recipe, place, feature)
    if recipe.nominal == "subset":
        return subset(sample, recipe, place, feature)
    if recipe.nominal == "multiway":
        return one_division(sample, recipe, place, feature, [[code] for code in range(feature.n_codes)])
    assert recipe.nominal == "grouped", recipe.nominal
    outcomes: list[Division | None] = []
    for groups in possible_groupings(sample, recipe, by_code(place, feature)):
        outcomes += one_division(sample, recipe, place, feature, [list(group) for group in groups])
    return unique(outcomes)


def by_code(place: Place, feature: Feature) -> dict[int, Pieces]:
    """The rows of each category present at the node."""
    found: dict[int, Pieces] = {}
    for row, weight in place.pieces:
        value = feature.seen[row]
        if value is not None:
            found.setdefault(int(value), []).append((row, weight))
    return dict(sorted(found.items()))


def divide(place: Place, feature: Feature, groups: list[list[int]], other: int = -1) -> Division:
    """The division of a node's rows by groups of codes."""
    home = {code: branch for branch, codes in enumerate(groups) for code in codes}
    branch: list[int | None] = []
    for row, _ in place.pieces:
        value = feature.seen[row]
        branch.append(None if value is None else home.get(int(value), other))
    return Division(feature, max(len(groups), other + 1), branch, groups=groups, other=other)


def sides(place: Place, division: Division, recipe: Recipe) -> int:
    """How many branches hold the least weight."""
    return sum(weight_of(part) >= recipe.min_branch - SLACK for part in division.parts(place.pieces))


def scale_of(place: Place, candidates: list[Division]) -> float:
    """What differences are compared with to tell rounding."""
    return max((c.known_mass for c in candidates), default=0.0) / place.weight


def one_division(
    sample: Sample, recipe: Recipe, place: Place, feature: Feature, groups: list[list[int]]
) -> list[Division | None]:
    """A branch for each group; rows without a value may choose theirs. Splits without gain are kept: they count."""
    division = divide(place, feature, groups)
    if len(groups) < 2 or sides(place, division, recipe) < 2:
        return [None]
    ways = [measure(sample, recipe, place, way) for way in directions(recipe, place, division)]
    if len(ways) > 1:
        good = [way for way in ways if gains_at_all(way)]
        slack = tolerances(recipe, place, good)
        bests = possible_bests(good, lambda d: d.gain, start=0.0, tolerance=slack, scale=scale_of(place, good))
    else:
        bests = [*ways]
    outcomes: list[Division | None] = []
    for best in bests:
        kept = [] if best is None else keep_allowed(sample, recipe, place, [best])
        outcomes += kept
        if not kept or kept[0].doubtful:
            outcomes.append(None)
    return unique(outcomes)


def one_vs_rest(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """The category whose split from all others scores best; a split without gain where none is better."""
    candidates: list[Division] = []
    for code in range(feature.n_codes):
        for way in directions(recipe, place, divide(place, feature, [[code]], other=1)):
            candidates += [measure(sample, recipe, place, way)] if sides(place, way, recipe) > 1 else []
    if not candidates:
        return [None]
    free = [c for c in candidates if recipe.first_category_free and c.groups == [[0]]]
    rest = [c for c in candidates if c not in free and gains_at_all(c)]
    scale = max((score_scale(recipe, candidate, place) for candidate in rest), default=0.0)
    start = free[0].score if free else 0.0
    bests = possible_bests(
        keep_allowed(sample, recipe, place, rest),
        lambda d: d.score,
        start=start,
        tolerance=tolerances(recipe, place, rest),
        scale=scale,
    )
    nothing = Division(feature, 2, candidates[0].branch, groups=candidates[0].groups, other=1)
    return [(free[0] if free else nothing) if best is None else best for best in bests]


# ---- a set of categories against the others ------------------------------------------------------------------------


def subset(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Division | None]:
    """The best of the sets that the recipe looks at."""
    present = by_code(place, feature)
    if len(present) < 2:
        return [None]
    in_order, sets = sets_to_try(sample, recipe, present)
    divisions = [replace(divide(place, feature, codes), doubtful=doubtful) for codes, doubtful in sets]
    ways = low_then_high(recipe, place, divisions)
    ways = [measure(sample, recipe, place, way) for way in ways if sides(place, way, recipe) > 1]
    good = keep_allowed(sample, recipe, place, [way for way in ways if gains_at_all(way)])
    scale = scale_of(place, good)
    slack = tolerances(recipe, place, good)
    if in_order:
        return possible_bests(good, lambda d: d.gain, start=0.0, tolerance=slack, scale=scale)
    certain = [way.gain for way in good if not way.doubtful]
    most = max(certain, default=-math.inf)
    leeway = max(slack) + NEAR * max(abs(most), scale)
    bests: list[Division | None] = [way for way in good if way.gain >= most - leeway and way.gain > min(slack)]
    if not certain or most <= max(slack) + leeway:
        bests.append(None)
    return bests


def sets_to_try(sample: Sample, recipe: Recipe, present: dict[int, Pieces]) -> tuple[bool, Sets]:
    """Both sides of each division to try, and whether they are tried in a certain order.

    Where the order of categories is a matter of rounding, all divisions that some such order has.
    """
    codes = list(present)
    if sample.classes_seen > 2:
        if len(codes) > recipe.exhaustive_up_to:
            return False, component_sets(sample, present)
        some = [([codes[0], *others], rest) for others, rest in every_subset(codes[1:])]
        return False, [([*sides], False) for one, other in some for sides in ((one, other), (other, one))]
    keys = {code: order_key(sample, recipe, pieces) for code, pieces in present.items()}
    by_mean = sample.n_classes == 0 and recipe.criterion != "absolute-error"  # which depends on what sums are about
    exact = not by_mean and all(is_exact(pieces) for pieces in present.values())
    if exact or all(above(one, other, 100.0) is not None for one, other in combinations(keys.values(), 2)):
        return True, in_order_of(keys)
    return False, ordered_sets(keys, 1e-9)


def order_key(sample: Sample, recipe: Recipe, pieces: Pieces) -> float:
    """What categories are ordered by: the share of the second of the classes seen, the mean or the median."""
    if sample.n_classes > 0:
        return sample.class_weights(pieces)[int(max(sample.target))] / weight_of(pieces)
    return lower_median(sample, pieces) if recipe.criterion == "absolute-error" else mean(sample, pieces)


def every_subset(codes: list[int]) -> list[tuple[list[int], list[int]]]:
    """Every subset and what it leaves, which is never nothing."""
    chosen = [set(some) for count in range(len(codes)) for some in combinations(codes, count)]
    return [([c for c in codes if c in some], [c for c in codes if c not in some]) for some in chosen]


def in_order_of(keys: dict[int, float]) -> Sets:
    """Divisions with the smaller keys on one side; equal ones by code."""
    order = sorted(keys, key=lambda code: (keys[code], code))
    return [([sorted(order[:at]), sorted(order[at:])], False) for at in range(1, len(order))]


def ordered_sets(keys: dict[int, float], leeway: float) -> Sets:
    """All divisions with the smaller keys on one side; doubtful where keys on both sides differ by rounding only."""
    if len(keys) > MOST_SUBSETS:
        return in_order_of(keys)
    found: Sets = []
    for low, high in every_subset(list(keys)):
        apart = min(keys[code] for code in high) - max((keys[code] for code in low), default=math.inf)
        if apart >= -leeway:
            found.append(([low, high], apart <= leeway))
    return found


def component_sets(sample: Sample, present: dict[int, Pieces]) -> Sets:
    """Divisions along the first principal component of the class shares, in either direction."""
    codes = list(present)
    weights = np.array([weight_of(pieces) for pieces in present.values()])
    shares = np.array([sample.class_weights(pieces) for pieces in present.values()]) / weights[:, None]
    centered = shares - (weights @ shares) / weights.sum()
    values, vectors = np.linalg.eigh((centered.T * weights) @ centered)
    if values[-2] > CLEAR * values[-1] and len(codes) <= MOST_SUBSETS:  # no direction stands out: any division will do
        return [([low, high], True) for low, high in every_subset(codes) if low]
    along = dict(zip(codes, (centered @ vectors[:, -1]).tolist(), strict=True))
    against = {code: -key for code, key in along.items()}
    return ordered_sets(along, 1e-7) + ordered_sets(against, 1e-7)


# ---- groups of categories that differ ------------------------------------------------------------------------------


def possible_groupings(sample: Sample, recipe: Recipe, present: dict[int, Pieces]) -> list[Groups]:
    """What is left where the two groups most alike are merged again and again; several where rounding decides."""
    assert sample.n_classes > 0, "categories are grouped by their classes"
    start: Groups = tuple((code,) for code in present)
    counts = {code: sample.class_weights(pieces) for code, pieces in present.items()}
    seen, waiting, final = {start}, [start], []
    while waiting and len(seen) < MOST_GROUPINGS:
        groups = waiting.pop()
        likeness = pair_p_values(groups, counts)
        most = max(likeness.values(), default=0.0)
        merge = len(groups) > 2 and most > recipe.merge_significance
        doubt = len(groups) > 2 and abs(most - recipe.merge_significance) < 1e-9
        if not merge or doubt:
            final.append(groups)
        if merge or doubt:
            for (first, second), p in likeness.items():
                if p >= most - 1e-6:
                    merged = merge_two(groups, first, second)
                    if merged not in seen:
                        seen.add(merged)
                        waiting.append(merged)
    return final


def pair_p_values(groups: Groups, counts: dict[int, list[float]]) -> dict[tuple[int, int], float]:
    """For every two groups, how likely their difference is by chance."""
    tables = [[math.fsum(column) for column in zip(*(counts[code] for code in group), strict=True)] for group in groups]
    return {
        (i, j): math.exp(log_p_value(*chi_square([tables[i], tables[j]])))
        for i, j in combinations(range(len(groups)), 2)
    }


def merge_two(groups: Groups, first: int, second: int) -> Groups:
    """Two groups as one; groups stay in order of their smallest code."""
    left = [group for number, group in enumerate(groups) if number not in (first, second)]
    return tuple(sorted([*left, tuple(sorted(groups[first] + groups[second]))]))
