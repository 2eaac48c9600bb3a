"""What is claimed about rpart: which tables and which options each claim is tried on."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from fuzz.random_tables import Drawn, Wanted, drawn
from fuzz.rpart_process import Options

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

BINARY = 2
CONTROLS = (
    Options(),
    Options(cp=0.0, min_split=5, min_bucket=2),
    Options(cp=0.001, min_split=4, min_bucket=1, split="information"),
    Options(cp=0.0, min_split=2, min_bucket=1, max_surrogates=0),
    Options(cp=0.005, min_split=10, min_bucket=3, max_surrogates=3, max_depth=4),
    Options(cp=0.0, min_split=6, min_bucket=2, max_surrogates=1, split="information"),
)


@dataclass(frozen=True)
class Claim:
    """A kind of tables, and what is asked of the tree."""

    name: str
    wanted: Wanted
    priors: bool = False
    losses: bool = False
    compat: bool = True  # whether the estimators are told to follow rpart where their defaults do not

    def case(self, seed: int) -> tuple[Drawn, Options]:
        """The table and the options that belong to a seed."""
        pair = drawn(seed, self.wanted)
        again = 0
        while self.wanted.target == "classes" and not self._suits(pair):
            again += 1
            pair = drawn(seed + again * 1_000_000, self.wanted)
        options = CONTROLS[seed % len(CONTROLS)]
        source = random.Random(f"{self.name} {seed}")  # noqa: S311 - made-up tables
        if self.wanted.target == "classes":
            count = n_classes(pair.training)
            if self.priors:
                options = replace(options, priors=_priors(source, count))
            if self.losses:
                options = replace(options, loss=_losses(source, count))
        return pair, options

    def _suits(self, pair: Drawn) -> bool:
        """Whether rpart can learn it: it stops where there is one class, and wants priors of classes without rows."""
        table = pair.training
        count = n_classes(table.take(has_value(table)))
        return count >= BINARY and (count == n_classes(table) or not (self.priors or self.losses))


CLASSES = Wanted()
NUMBERS = Wanted(target="number")
CLAIMS = (
    Claim("class", CLASSES),
    Claim("anova", NUMBERS),
    Claim("class, by default", replace(CLASSES, missing_target=False), compat=False),
    Claim("anova, by default", replace(NUMBERS, missing_target=False), compat=False),
    Claim(
        "class, priors and losses, by default",
        replace(CLASSES, missing_target=False),
        priors=True,
        losses=True,
        compat=False,
    ),
    Claim("class, weights", replace(CLASSES, weighted=True)),
    Claim("anova, weights", replace(NUMBERS, weighted=True)),
    Claim("class, priors", CLASSES, priors=True),
    Claim("class, losses", CLASSES, losses=True),
    Claim("class, priors and losses, complete", replace(CLASSES, missing=False), priors=True, losses=True),
    Claim("class, priors and losses, missing", CLASSES, priors=True, losses=True),
    Claim("class, weights, priors and losses", replace(CLASSES, weighted=True), priors=True, losses=True),
)


def n_classes(table: Table) -> int:
    """How many classes have rows."""
    codes = table.target_values()
    return len(np.unique(codes[codes >= 0]))


def has_value(table: Table) -> NDArray[np.bool_]:
    """Which rows have a value in some feature."""
    return np.any([_known(table, position) for position in table.schema.features], axis=0)


def _known(table: Table, position: int) -> NDArray[np.bool_]:
    values = table.columns[position]
    return values >= 0 if isinstance(table.schema.columns[position], Nominal) else ~np.isnan(values)


def _priors(source: random.Random, count: int) -> tuple[float, ...]:
    """Equal, round or any; in parts of a power of two, so that the sum is exactly one, as rpart demands."""
    style = source.choice(("equal", "round", "any"))
    made = {"equal": [1] * count, "round": [source.randint(1, 5) for _ in range(count)]}.get(style)
    if made is None:
        made = [source.randint(50, 1000) for _ in range(count)]
    whole = 2**40
    parts = [each * whole // sum(made) for each in made]
    parts[0] += whole - sum(parts)
    return tuple(part / whole for part in parts)


def _losses(source: random.Random, count: int) -> tuple[tuple[float, ...], ...]:
    """Whole numbers mostly; no cost for a right prediction."""
    style = source.choice(("few", "whole", "tenths"))
    rows = []
    for true in range(count):
        row = []
        for answer in range(count):
            cost = {"few": source.randint(1, 2), "whole": source.randint(1, 9), "tenths": source.randint(1, 80) / 10}
            row.append(0.0 if answer == true else float(cost[style]))
        rows.append(tuple(row))
    return tuple(rows)
