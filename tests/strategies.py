"""What Hypothesis draws: schemas, tables with missing values and ties, weights, and valid trees.

Numbers come from a small grid, so that ties, and values equal to a cut, are common.
"""

from __future__ import annotations

import math
import random as random_module
from contextlib import suppress
from typing import Any

import numpy as np
from hypothesis import strategies as st

from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.valid import check
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SUMS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, STOP, Tree

GRID = (-2.0, -1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 3.0)
NAMES = ("red", "green", "blue", "a b", "'quoted'", "?", "", "naïve", "1")

Random = random_module.Random


def randoms() -> st.SearchStrategy[Random]:
    return st.randoms(use_true_random=False)


@st.composite
def schemas(
    draw: st.DrawFn,
    *,
    numeric_only: bool = False,
    target: str = "nominal",
    most_features: int = 4,
    weighted: bool = False,
) -> Schema:
    """A schema of up to `most_features` features and a target ("nominal" or "numeric") at any place."""
    random = draw(randoms())
    columns: list[Column] = []
    for place in range(random.randint(1, most_features)):
        kind = "numeric" if numeric_only else random.choice(("numeric", "nominal", "ordered"))
        if kind == "numeric":
            columns.append(Numeric(f"x{place}"))
        else:
            columns.append(Nominal(f"x{place}", NAMES[: random.randint(1, 5)], ordered=kind == "ordered"))
    roles = ["feature"] * len(columns)
    goal: Column = Numeric("y") if target == "numeric" else Nominal("y", NAMES[: random.randint(1, 4)])
    place = random.randint(0, len(columns))
    columns.insert(place, goal)
    roles.insert(place, "target")
    if weighted:
        columns.append(Numeric("w"))
        roles.append("weight")
    return Schema(tuple(columns), tuple(roles), "drawn")  # type: ignore[arg-type]


def fill_table(random: Random, schema: Schema, n_rows: int, missing: float) -> Table:
    """Rows with values from the grid; a share of the features' values is missing, never the target or weight."""
    columns: list[Any] = []
    for column, role in zip(schema.columns, schema.roles, strict=True):
        values: list[Any]
        if role == "weight":
            values = [random.choice((0.0, 0.5, 1.0, 2.0)) for _ in range(n_rows)]
        elif isinstance(column, Numeric):
            values = [random.choice(GRID) for _ in range(n_rows)]
        else:
            values = [random.randrange(len(column.categories)) for _ in range(n_rows)]
        if role == "feature":
            nothing = np.nan if isinstance(column, Numeric) else -1
            values = [nothing if random.random() < missing else value for value in values]
        columns.append(np.array(values, np.float64 if isinstance(column, Numeric) else np.int32))
    return Table(schema, columns)


@st.composite
def tables(draw: st.DrawFn, schema: Schema | None = None, *, most_rows: int = 30, **options: Any) -> Table:
    """A table over `schema`, or over one that is drawn."""
    chosen = draw(schemas(**options)) if schema is None else schema
    random = draw(randoms())
    return fill_table(random, chosen, random.randint(0, most_rows), random.choice((0.0, 0.2, 0.6)))


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    single_cuts: bool = False,
    surrogates: bool = False,
    sums: bool = False,
    most_inner: int = 8,
    target: str = "nominal",
) -> Tree:
    """A valid tree with splits of every kind and every policy for missing values.

    `single_cuts`: only single cuts on numeric columns; `surrogates`: inner nodes may have surrogate splits; `sums`:
    splits may cut sums of numeric columns.
    """
    schema = draw(schemas(numeric_only=single_cuts, target=target))
    return grow_tree(draw(randoms()), schema, most_inner=most_inner, surrogates=surrogates, sums=sums)


class _Splits:
    """Splits as they are drawn, before they become arrays."""

    def __init__(self, *, sums: bool = False) -> None:
        self.rows: list[tuple[int, int, int, bool, list[float], list[int], list[int], int, bool]] = []
        self.sums = sums
        self.terms: list[dict[int, float]] = []

    def draw(self, random: Random, schema: Schema, n_branches: int | None = None) -> tuple[int, int]:
        """Add a split (of at most `n_branches` branches, where given); its index and its number of branches."""
        position = random.choice(schema.features)
        column = schema.columns[position]
        most = 4 if n_branches is None else n_branches
        cuts: list[float] = []
        codes: list[int] = []
        branches: list[int] = []
        other = -1
        numeric_only = all(isinstance(schema.columns[i], Numeric) for i in schema.features)
        terms: dict[int, float] = {}
        if self.sums and isinstance(column, Numeric) and random.random() < 0.6:
            kind, count = SUMS, 2
            numbers = [i for i in schema.features if isinstance(schema.columns[i], Numeric)]
            for chosen in sorted(random.sample(numbers, random.randint(1, len(numbers)))):
                terms[chosen] = random.choice((-3.0, -1.0, -0.1, 0.5, 1.0, 2.0))
            position = min(terms)
            cuts = [random.choice(GRID)]
        elif isinstance(column, Numeric) or (column.ordered and random.random() < 0.5):
            kind, count = CUTS, 2 if numeric_only or n_branches == 2 else random.randint(2, most)
            places = GRID if isinstance(column, Numeric) else [code + 0.5 for code in range(-1, 8)]
            cuts = sorted(random.sample(list(places), count - 1))
            if isinstance(column, Numeric) and random.random() < 0.1:
                cuts[-1] = math.inf
        elif random.random() < 0.5:
            kind, count = CODES, random.randint(2, most)
            codes = [random.randint(-1, count - 1) for _ in column.categories]
        else:
            kind, count = CODE_SETS, random.randint(2, most)
            codes = sorted(random.sample(range(len(column.categories)), random.randint(0, len(column.categories))))
            branches = [random.randint(-1, count - 1) for _ in codes]
            other = random.randint(-1, count - 1)
        if not branches:
            branches = [0] * len(codes)
        flipped = kind in (CUTS, SUMS) and random.random() < 0.3
        self.terms.append(terms)
        self.rows.append((position, kind, count, random.random() < 0.5, cuts, codes, branches, other, flipped))
        return len(self.rows) - 1, count

    def store(self, *, agreement: bool) -> SplitStore:
        column, kind, count, low, cuts, codes, branches, other, flipped = (
            ([row[i] for row in self.rows] for i in range(9)) if self.rows else ([] for _ in range(9))  # type: ignore[misc]
        )
        terms: dict[str, Any] = {}
        if self.sums:
            terms["term_start"] = np.cumsum([0, *map(len, self.terms)]).astype(np.int64)
            terms["term_column"] = np.array([place for some in self.terms for place in some], np.int32)
            terms["term_coefficient"] = np.array([times for some in self.terms for times in some.values()], np.float64)
        return SplitStore(
            column=np.array(column, np.int32),
            kind=np.array(kind, np.int8),
            n_branches=np.array(count, np.int32),
            score=np.full(len(self.rows), np.nan),
            equal_low=np.array(low, np.bool_),
            cut_start=np.cumsum([0, *map(len, cuts)]).astype(np.int64),
            cuts=np.array([cut for part in cuts for cut in part], np.float64),
            code_start=np.cumsum([0, *map(len, codes)]).astype(np.int64),
            codes=np.array([code for part in codes for code in part], np.int32),
            code_branch=np.array([branch for part in branches for branch in part], np.int32),
            other=np.array(other, np.int32),
            agreement=np.full(len(self.rows), 0.5) if agreement else None,
            flipped=np.array(flipped, np.bool_) if any(flipped) else None,
            **terms,
        )


def grow_tree(
    random: Random, schema: Schema, *, most_inner: int = 8, surrogates: bool = False, sums: bool = False
) -> Tree:
    """A valid tree over a schema, numbered as learners number theirs."""
    splits = _Splits(sums=sums)
    parent, first_child, n_children, split, missing, share = [-1], [-1], [0], [-1], [FRACTIONAL], [1.0]
    extra: list[list[int]] = [[]]
    pending, left = [0], random.randint(0, most_inner)
    while pending and left:
        node = pending.pop(0 if random.random() < 0.2 else -1)
        if random.random() < 0.2:
            continue
        left -= 1
        split[node], count = splits.draw(random, schema)
        first_child[node], n_children[node] = len(parent), count
        missing[node] = random.choice((FRACTIONAL, FRACTIONAL, FRACTIONAL, STOP, random.randrange(count)))
        if surrogates:
            extra[node] = [splits.draw(random, schema, 2)[0] for _ in range(random.randint(0, 2))]
        weights = [random.choice((0.0, 1e-7, 1.0, 1.0, 3.0)) for _ in range(count)]
        for weight in weights:
            parent.append(node)
            first_child.append(-1)
            n_children.append(0)
            split.append(-1)
            missing.append(FRACTIONAL)
            share.append(weight / max(sum(weights), 1.0))
            extra.append([])
        pending.extend(reversed(range(first_child[node], first_child[node] + count)))
    n_nodes = len(parent)
    target = schema.target_column
    if isinstance(target, Nominal):
        value = np.array([[random.choice((0, 0, 1, 2, 2.5)) for _ in target.categories] for _ in range(n_nodes)], float)
        value[[i for i in range(1, n_nodes) if random.random() < 0.3]] = 0.0
        weight_of = value.sum(axis=1)
        label = [
            random.randint(-1, len(target.categories) - 1) if random.random() < 0.2 else int(v.argmax()) for v in value
        ]
    else:
        weight_of = np.array([random.choice((0.0, 1.0, 2.0)) for _ in range(n_nodes)])
        value = np.column_stack([weight_of, [random.choice(GRID) for _ in range(n_nodes)], np.ones(n_nodes)])
        label = [-1] * n_nodes
    prior = None
    if isinstance(target, Nominal) and random.random() < 0.3:
        prior = np.array([random.choice((0.0, 1.0, 2.0)) for _ in target.categories]) + 0.5
        prior /= prior.sum()
    return Tree(
        schema=schema,
        splits=splits.store(agreement=surrogates),
        parent=np.array(parent, np.int32),
        first_child=np.array(first_child, np.int32),
        n_children=np.array(n_children, np.int32),
        split=np.array(split, np.int32),
        missing=np.array(missing, np.int32),
        rows=np.array([random.randint(0, 9) for _ in range(n_nodes)], np.int64),
        weight=weight_of,
        value=value,
        label=np.array(label, np.int32),
        error=np.zeros(n_nodes),
        share=np.array(share),
        pseudo_count=random.choice((0.0, 1.0)),
        prior=prior,
        surrogate_start=np.cumsum([0, *map(len, extra)]).astype(np.int64) if surrogates else None,
        surrogates=np.array([index for part in extra for index in part], np.int32) if surrogates else None,
    )


# ---- the open recipe -----------------------------------------------------------------------------------------------

DYADIC = (0.25, 0.5, 1.0, 1.0, 2.0, 3.0)  # sums of such weights are exact, so that ties are ties
CLASS_CRITERIA = ("information-gain", "gain-ratio", "gini", "misclassification", "chi-square")
NUMBER_CRITERIA = ("variance", "sd-reduction", "absolute-error")
CLASS_SPLITS = ("multiway", "one-vs-rest", "subset", "grouped")
NUMBER_SPLITS = CLASS_SPLITS[:3]
POLICIES = ("fractional", "majority", "default-direction", "own-category", "impute", "error")


def seeded_or_shrinking() -> st.SearchStrategy[Random]:
    """Half of the time numbers as random as can be, for large trees; else those that Hypothesis makes small."""
    return st.one_of(st.integers(0, 2**40).map(Random), randoms())


def training_table(random: Random, task: str, *, most_rows: int = 40, missing: float = 0.0) -> Table:
    """Rows to learn from: small numbers and dyadic weights, ties, categories that do not occur, missing values."""
    n_rows = random.randint(2, most_rows)
    if task == "classification":
        n_classes = random.choice((2, 2, 3, 4))
        goal: Column = Nominal("y", NAMES[:n_classes])
        target = [random.randrange(n_classes) for _ in range(n_rows)]
    else:
        goal, target = Numeric("y"), [random.randint(-3, 9) for _ in range(n_rows)]
    columns: list[Column] = []
    arrays: list[Any] = []
    for place in range(random.randint(1, 4)):
        kind = random.choice(("numeric", "numeric", "nominal", "nominal", "ordered"))
        n_values = random.choice((2, 3, 4, 6, 7))
        # Most columns follow the target in part, or most trees would be a single leaf.
        loyalty = random.choice((0.0, 0.3, 0.6, 0.9))
        values = [
            int(goal_value) % n_values if random.random() < loyalty else random.randrange(n_values)
            for goal_value in target
        ]
        gone = [random.random() < missing for _ in range(n_rows)]
        if kind == "numeric":
            columns.append(Numeric(f"x{place}"))
            filled = [np.nan if hidden else value / 2 - 1 for value, hidden in zip(values, gone, strict=True)]
        else:
            names = tuple(f"c{code}" for code in range(n_values + random.randint(0, 1)))
            columns.append(Nominal(f"x{place}", names, ordered=kind == "ordered"))
            filled = [-1 if hidden else value for value, hidden in zip(values, gone, strict=True)]
        arrays.append(filled)
    roles = ["feature"] * len(columns) + ["target"]
    columns.append(goal)
    arrays.append(target)
    if random.random() < 0.5:
        columns.append(Numeric("w"))
        arrays.append([random.choice(DYADIC) for _ in range(n_rows)])
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)  # type: ignore[arg-type]


def open_recipe(random: Random, table: Table, policy: str, criterion: str | None = None) -> Recipe:
    """Any recipe that can grow a tree on the table; most stops are off, or trees would be small."""
    classes = isinstance(target := table.schema.target_column, Nominal)
    n_classes = len(target.categories) if isinstance(target, Nominal) else 0
    choices: dict[str, Any] = {
        "criterion": criterion or random.choice(CLASS_CRITERIA if classes else NUMBER_CRITERIA),
        "missing": policy,
        "nominal": random.choice(CLASS_SPLITS if classes else NUMBER_SPLITS),
        "exhaustive_up_to": random.choice((2, 4, 10)),
        "merge_significance": random.choice((0.05, 0.3, 0.8)),
        "numeric": random.choice(("one-cut", "one-cut", "multi-cut")),
        "max_cuts": random.randint(1, 3),
        "cuts_by": random.choice(("greedy", "optimal")),
        "boundary_points": classes and random.random() < 0.3,
        "known_only": random.random() < 0.3,
        "min_branch": random.choice((0.0, 0.5, 1.0, 2.0, 3.0)),
        "tolerance": random.choice((0.0, 1e-9, 1e-6)),
        "leaf": "distribution" if classes else random.choice(("mean", "median")),
    }
    if classes and random.random() < 0.3:
        choices["loss"] = tuple(
            tuple(0.0 if k == c else random.choice((0.5, 1.0, 1.0, 3.0)) for c in range(n_classes))
            for k in range(n_classes)
        )
    choices |= random_stops(random, table)
    if policy == "surrogate":
        two_way = {"numeric": "one-cut", "nominal": random.choice(("one-vs-rest", "subset"))}
        choices |= two_way | {"max_surrogates": random.randint(0, 3), "order_by_target": random.random() < 0.5}
        choices["equal_low"] = random.random() < 0.5
    features = [table.schema.columns[i] for i in table.schema.features]
    if n_classes <= 2 and random.random() < 0.2:
        choices["monotonic_cst"] = tuple(
            0 if isinstance(c, Nominal) and not c.ordered else random.choice((-1, 0, 1)) for c in features
        )
        choices |= {"numeric": "one-cut", "nominal": random.choice(("one-vs-rest", "subset"))}
    if random.random() < 0.2:
        groups = [random.sample(range(len(features)), random.randint(1, len(features))) for _ in range(2)]
        choices["interactions"] = tuple(tuple(sorted(group)) for group in groups)
    return first_allowed(choices, table)


def first_allowed(choices: dict[str, Any], table: Table) -> Recipe:
    """The recipe, less as much as need be of what does not go together."""
    middle = {"leaf": "median" if choices["criterion"] == "absolute-error" else choices["leaf"]}
    without: tuple[dict[str, Any], ...] = (
        {},
        {"monotonic_cst": ()},
        {"numeric": "one-cut"},
        middle,
        {"numeric": "one-cut"} | middle,
        {"numeric": "one-cut", "monotonic_cst": ()} | middle,
    )
    for less in without:
        recipe = Recipe(**(choices | less))
        with suppress(ValueError):
            return check(recipe, table.schema)
    return check(recipe, table.schema)


def random_stops(random: Random, table: Table) -> dict[str, Any]:
    """Some of the stopping rules."""
    offered: dict[str, tuple[Any, ...]] = {
        "min_node": (3.0, 6.5),
        "min_impurity": (0.25, 0.5, 1.0),
        "min_gain": (0.01, 0.1, 0.5),
        "min_gain_share": (0.02, 0.1),
        "max_depth": (0, 1, 2, 3),
        "max_leaf_nodes": (2, 3, 5, 8),
    }
    if isinstance(table.schema.target_column, Nominal):
        offered["significance"] = (0.05, 0.3)
    return {name: random.choice(values) for name, values in offered.items() if random.random() < 0.15}


@st.composite
def open_cases(
    draw: st.DrawFn, *, criterion: str | None = None, policy: str | None = None, most_rows: int = 40
) -> tuple[Table, Recipe]:
    """A table to learn from, of classes or numbers, and a recipe that can grow a tree on it."""
    random = draw(seeded_or_shrinking())
    chosen = policy or random.choice(POLICIES)
    missing = 0.0 if chosen == "error" else random.choice((0.0, 0.1, 0.3))
    task = random.choice(("classification", "regression"))
    if criterion is not None:
        task = "classification" if criterion in CLASS_CRITERIA else "regression"
    table = training_table(random, task, most_rows=most_rows, missing=missing)
    return table, open_recipe(random, table, chosen, criterion)


@st.composite
def entropy_cases(draw: st.DrawFn) -> tuple[Table, Recipe]:
    """A table of classes, and a recipe with the choices that only entropies have."""
    random = draw(seeded_or_shrinking())
    policy = random.choice(("fractional", "fractional", "error"))
    missing = 0.0 if policy == "error" else random.choice((0.0, 0.1, 0.3))
    table = training_table(random, "classification", missing=missing)
    ratio = random.random() < 0.5
    recipe = Recipe(
        criterion="gain-ratio" if ratio else "information-gain",
        missing=policy,  # type: ignore[arg-type]
        nominal=random.choice(("multiway", "one-vs-rest")),
        first_category_free=random.random() < 0.5,
        average_gain_filter=ratio and random.random() < 0.6,
        charge_cuts=ratio and random.random() < 0.5,
        adaptive_minimum=random.random() < 0.3,
        threshold=random.choice(("midpoint", "data-value")),
        min_gap=random.choice((0.0, 1e-5, 0.75)),
        min_branch=random.choice((0.0, 0.5, 1.0, 2.0, 2.5)),
        min_node=random.choice((0.0, 0.0, 4.0)),
        min_gain=random.choice((0.0, 0.0, 0.05)),
        max_depth=random.choice((None, None, 2)),
        tolerance=random.choice((0.0, 1e-9, 1e-6)),
        empty_branch=random.choice(("parent", "none")),
        leaf=random.choice(("distribution", "laplace")),
    )
    return table, recipe
