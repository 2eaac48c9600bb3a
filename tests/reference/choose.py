"""What may become of a node: a leaf, or one of the splits that might win. One outcome, but where rounding decides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reference.categories import category_candidates
from reference.cuts import cut_candidates
from reference.division import Division, Place, by_answer, gains_at_all, p_value, score_scale
from reference.limits import allowed_features
from reference.mass import ENTROPIES, impurity, mass
from reference.possible import above, beats, duel, unique
from reference.sample import SLACK, Feature, Sample, weight_of

if TYPE_CHECKING:
    from hornbeam.learn.trees.recipe import Recipe

MANY_VALUED_SHARE = 0.3  # of categories a row: such nominal columns do not count in the average gain
AVERAGE_SLACK = 1e-3
Outcome = Division | None  # None: a leaf
NOTHING: list[Outcome] = [None]


def outcomes(sample: Sample, recipe: Recipe, place: Place) -> list[Outcome]:
    """Everything that may become of a node."""
    stopped = must_stop(sample, recipe, place)
    if stopped is True:
        return [None]
    found = best_splits(sample, recipe, place)
    if recipe.order_by_target:
        found = [turned for split in found for turned in (by_answer(sample, place, split) if split else [None])]
    return unique([*found, *([None] if stopped is None else [])])


def must_stop(sample: Sample, recipe: Recipe, place: Place) -> bool | None:
    """Whether the node is a leaf before any split is looked at; None where rounding decides."""
    pieces = place.pieces
    if len(pieces) < 2 or place.weight < recipe.min_node - SLACK or place.depth == recipe.max_depth:
        return True
    if sample.n_classes:
        pure = place.weight - max(sample.class_weights(pieces)) < SLACK
    else:
        pure = len({sample.target[row] for row, _ in pieces}) == 1
    if pure:
        return True
    mixed = impurity(sample, recipe, pieces)
    if recipe.min_impurity <= 0:
        return mixed <= 0
    verdict = above(mixed, recipe.min_impurity)
    return None if verdict is None else not verdict


def column_outcomes(sample: Sample, recipe: Recipe, place: Place, feature: Feature) -> list[Outcome]:
    """What may be a column's best split."""
    if all(feature.seen[row] is None for row, _ in place.pieces):
        return [None]
    find = cut_candidates if feature.cut else category_candidates
    return find(sample, recipe, place, feature)


def best_splits(sample: Sample, recipe: Recipe, place: Place) -> list[Outcome]:
    """The best of the columns' best splits, compared in the columns' order."""
    allowed = allowed_features(recipe, len(sample.features), place.used)
    columns = [
        column_outcomes(sample, recipe, place, feature) if feature.number in allowed else NOTHING
        for feature in sample.features
    ]
    if recipe.average_gain_filter:
        average = average_gain(sample, columns)
        columns = [by_average(column, average) for column in columns]
    bests: list[Outcome] = [None]
    for column in columns:
        bests = unique(
            outcome
            for best in bests
            for candidate in column
            for outcome in (
                [best] if candidate is None else duel(candidate, best, wins(sample, recipe, place, candidate, best))
            )
        )
    return unique(outcome for best in bests for outcome in worth_it(sample, recipe, best))


def wins(sample: Sample, recipe: Recipe, place: Place, candidate: Division, best: Outcome) -> bool | None:
    """Whether a column's split takes the place of the best so far."""
    if not gains_at_all(candidate):
        return False
    doubt = False
    if recipe.significance is not None:
        likely = above(p_value(sample, place, candidate), recipe.significance, 100.0)
        if likely is True:
            return False
        doubt = likely is None
    scale = score_scale(recipe, candidate, place)
    if best is not None:
        verdict = beats(candidate.score, best.score, (recipe.tolerance, recipe.tolerance * best.score), scale)
    elif recipe.criterion in ENTROPIES:
        verdict = beats(candidate.score, recipe.min_gain, (0.0, SLACK), scale)
    else:  # without a minimum any gain will do
        verdict = above(candidate.score, recipe.min_gain, scale) if recipe.min_gain else True
    return None if doubt and verdict is True else verdict


def worth_it(sample: Sample, recipe: Recipe, best: Outcome) -> list[Outcome]:
    """The best split, or a leaf where it takes away too little of the root's mass."""
    if best is None or recipe.min_gain_share <= 0:
        return [best]
    root = sample.all_pieces()
    whole = weight_of(root) if recipe.criterion == "chi-square" else mass(sample, recipe, root, root)
    enough = above(best.difference, recipe.min_gain_share * whole, 100 * best.known_mass)
    return [best] if enough is True else [None] if enough is False else [best, None]


def average_gain(sample: Sample, columns: list[list[Outcome]]) -> float:
    """Mean gain of the columns' best splits, nominal columns of very many categories left out."""
    total = math.fsum(sample.weights)
    many = [not f.cut and not f.n_codes - f.own < MANY_VALUED_SHARE * total - SLACK for f in sample.features]
    if all(many):
        many = [False] * len(many)
    gains = [column[0].gain for column, out in zip(columns, many, strict=True) if column[0] is not None and not out]
    return sum(gains) / len(gains) if gains else math.inf


def by_average(column: list[Outcome], average: float) -> list[Outcome]:
    """A column's outcomes where splits below the average gain are out; within twice the slack rounding decides."""
    kept: list[Outcome] = []
    for outcome in column:
        above_average = outcome is not None and outcome.gain >= average - AVERAGE_SLACK
        kept.append(outcome if above_average else None)
        if outcome is not None and abs(outcome.gain - average + AVERAGE_SLACK) < 2 * SLACK:
            kept += [outcome, None]
    return unique(kept)
