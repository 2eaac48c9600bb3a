"""A division of a node's rows into branches, what it gains, and where rows without a value go."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reference.mass import chi_square, log_p_value, mass, mean, x_log_x
from reference.sample import NEAR, SLACK, Feature, Pieces, Sample, is_exact, weight_of

from hornbeam.model.trees.split import FRACTIONAL, LEAST_SHARE, STOP

if TYPE_CHECKING:
    from hornbeam.learn.trees.recipe import Recipe

KNOWN_ROWS_ONLY = ("fractional", "majority", "surrogate", "error")  # policies that judge a split by known rows


@dataclass
class Place:
    """A node to be split: its rows, how deep it lies, what its answers are held to, what its path has used."""

    pieces: Pieces
    depth: int = 0
    low: float = -math.inf
    high: float = math.inf
    used: frozenset[int] = frozenset()

    @property
    def weight(self) -> float:
        """Weight of its rows."""
        return weight_of(self.pieces)


@dataclass(eq=False)
class Division:
    """Which branch each of a node's rows takes (None: its value is missing), and what that gains.

    `defaults` are the branches (or FRACTIONAL) that may be stored for rows without a value; empty: anything.
    """

    feature: Feature
    n_branches: int
    branch: list[int | None]
    cuts: tuple[float, ...] = ()
    groups: list[list[int]] = field(default_factory=list)  # codes of each branch
    other: int = -1
    defaults: frozenset[int] = frozenset()
    flipped: bool = False  # is the first branch above the cut
    doubtful: bool = False
    difference: float = 0.0  # of masses
    known_mass: float = 0.0
    node_mass: float = 0.0
    gain: float = 0.0
    score: float = 0.0

    def parts(self, pieces: Pieces) -> list[Pieces]:
        """The rows of each branch, without those that have no value."""
        parts: list[Pieces] = [[] for _ in range(self.n_branches)]
        for piece, branch in zip(pieces, self.branch, strict=True):
            if branch is not None:
                parts[branch].append(piece)
        return parts

    def describe(self) -> str:
        """One line for messages."""
        by = f"cuts {self.cuts}" if self.cuts else f"groups {self.groups}"
        return (
            f"{self.feature.name} by {by}, missing {sorted(self.defaults)}, gain {self.gain!r}, score {self.score!r}, "
            f"branches {self.branch}"
        )


def measure(sample: Sample, recipe: Recipe, place: Place, division: Division) -> Division:
    """The division with its gain and score."""
    parts = division.parts(place.pieces)
    known = [piece for part in parts for piece in part]
    before = mass(sample, recipe, known, known)
    difference = before - math.fsum(mass(sample, recipe, part, known) for part in parts)
    over = weight_of(known) if recipe.known_only else place.weight
    gain = score = difference / over
    if recipe.criterion == "gain-ratio":
        score = gain_ratio(recipe, place, parts, gain, over)
    if recipe.criterion == "chi-square":
        score = -log_p_value(*chi_square([sample.class_weights(part) for part in parts]))
    known_mass, node_mass = before, mass(sample, recipe, place.pieces, place.pieces)
    if recipe.criterion == "chi-square":
        known_mass, node_mass = weight_of(known), place.weight
    return replace(division, difference=difference, known_mass=known_mass, node_mass=node_mass, gain=gain, score=score)


def gain_ratio(recipe: Recipe, place: Place, parts: list[Pieces], gain: float, over: float) -> float:
    """Gain by split information, in which missing values are one more branch where rows go on in pieces."""
    weights = [weight_of(part) for part in parts]
    known, total = math.fsum(weights), place.weight
    bits = x_log_x(known) - math.fsum(x_log_x(weight) for weight in weights)
    if recipe.missing == "fractional":
        bits = x_log_x(total) - x_log_x(total - known) - math.fsum(x_log_x(weight) for weight in weights)
    return 0.0 if bits < SLACK else gain / (bits / over)


def gains_at_all(division: Division) -> bool:
    """Whether there is a gain beyond rounding."""
    return division.difference > 1e-12 * division.node_mass


def score_scale(recipe: Recipe, division: Division, place: Place) -> float:
    """What differences of scores are compared with to tell rounding."""
    if recipe.criterion == "chi-square":
        return 100 * max(1.0, division.score)  # a p-value is known to fewer digits
    return 1.0 if recipe.criterion == "gain-ratio" else division.known_mass / place.weight


def tolerances(recipe: Recipe, place: Place, divisions: list[Division]) -> tuple[float, float]:
    """By how much a later split of a column must gain more: the tolerance, or that share of the node's impurity."""
    share = max((division.known_mass for division in divisions), default=0.0) / place.weight
    return recipe.tolerance, recipe.tolerance * share


def p_value(sample: Sample, place: Place, division: Division) -> float:
    """How likely so great a difference between branches is by chance."""
    table = [sample.class_weights(part) for part in division.parts(place.pieces)]
    return math.exp(log_p_value(*chi_square(table)))


def heaviest(place: Place, division: Division) -> frozenset[int]:
    """The branch with most weight, the first on a tie; several where rounding decides."""
    weights = [weight_of(part) for part in division.parts(place.pieces)]
    most = max(weights)
    if is_exact(place.pieces):
        return frozenset({weights.index(most)})
    return frozenset(branch for branch, weight in enumerate(weights) if weight >= most * (1 - NEAR))


def with_default(recipe: Recipe, place: Place, division: Division) -> Division:
    """The division with what may be stored for rows without a value, for policies that need no choice."""
    feature = division.feature
    defaults: frozenset[int] = frozenset()
    if recipe.missing == "fractional":
        defaults = frozenset({FRACTIONAL})
    elif recipe.missing == "surrogate":
        defaults = last_resort(recipe, place, division)
    elif recipe.missing in ("majority", "default-direction"):
        defaults = heaviest(place, division)
    elif recipe.missing == "impute" and feature.imputed is not None:
        here = branch_of_value(division, feature.imputed, equal_low=recipe.equal_low)
        defaults = heaviest(place, division) if here < 0 else frozenset({here})
    elif feature.own and feature.cut:
        defaults = frozenset({division.n_branches - 1})
    elif feature.own:
        here = branch_of_value(division, feature.n_codes - 1)
        defaults = heaviest(place, division) if here < 0 else frozenset({here})
    return replace(division, defaults=defaults)


def last_resort(recipe: Recipe, place: Place, division: Division) -> frozenset[int]:
    """Where rows go that no surrogate can tell: with most, or nowhere on a tie or where no surrogates are wanted."""
    low, high = (weight_of(part) for part in division.parts(place.pieces))
    if recipe.max_surrogates == 0 or low == high:
        return frozenset({STOP})
    doubt = abs(low - high) <= NEAR * (low + high)
    return frozenset({int(high > low), STOP}) if doubt else frozenset({int(high > low)})


def branch_of_value(division: Division, value: float, *, equal_low: bool = True) -> int:
    """The branch of a value, where it is not missing."""
    if division.cuts:
        return sum(value > cut or (value == cut and not equal_low) for cut in division.cuts)
    for branch, codes in enumerate(division.groups):
        if value in codes:
            return branch
    return division.other


def directions(recipe: Recipe, place: Place, division: Division) -> list[Division]:
    """The division with its rows without a value sent each way that may be tried, in order."""
    if recipe.missing != "default-direction" or None not in division.branch:
        return [with_default(recipe, place, division)]
    home = [bool(part) for part in division.parts(place.pieces)]
    return [
        replace(
            division,
            branch=[to if branch is None else branch for branch in division.branch],
            defaults=frozenset({to}),
        )
        for to in range(division.n_branches)
        if home[to]
    ]


def low_then_high(recipe: Recipe, place: Place, divisions: list[Division]) -> list[Division]:
    """Two-way divisions in the order in which they are tried: all with rows of no value low, then all high."""
    ways = [directions(recipe, place, division) for division in divisions]
    return [some[side] for side in range(2) for some in ways if side < len(some)]


def by_answer(sample: Sample, place: Place, division: Division) -> list[Division]:
    """The division with that branch first whose known rows have the lesser mean (of class numbers); both on a tie."""
    low, high = (mean(sample, part) for part in division.parts(place.pieces))
    turned = replace(
        division,
        branch=[None if branch is None else 1 - branch for branch in division.branch],
        groups=division.groups[::-1],
        defaults=frozenset(1 - to if to >= 0 else to for to in division.defaults),
        flipped=bool(division.cuts),
    )
    leeway = NEAR * max(abs(low), abs(high))
    return [division] if low < high - leeway else [turned] if low > high + leeway else [division, turned]


def route(place: Place, branch: list[int | None], n_branches: int, default: int) -> list[Pieces]:
    """All rows of a node by branch; those without a value whole to `default`, in pieces to every branch, or nowhere."""
    parts: list[Pieces] = [[] for _ in range(n_branches)]
    known = [piece for piece, to in zip(place.pieces, branch, strict=True) if to is not None]
    shares = [0.0] * n_branches
    for (_, weight), to in zip(place.pieces, branch, strict=True):
        if to is not None:
            shares[to] += weight / weight_of(known)
    for (row, weight), to in zip(place.pieces, branch, strict=True):
        if to is not None:
            parts[to].append((row, weight))
        elif default >= 0:
            parts[default].append((row, weight))
        elif default == FRACTIONAL:
            for number, share in enumerate(shares):
                if share > LEAST_SHARE:
                    parts[number].append((row, weight * share))
    return parts
