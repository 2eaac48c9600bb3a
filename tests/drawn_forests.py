"""What Hypothesis draws: valid forests of every kind, averaged and added up, over numbers and categories."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from strategies import GRID, NAMES, Random, randoms

from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.model.forests.forest import Forest

KINDS = ("mean", "regression", "logistic", "softmax", "exp", "boosted")
WIDE = 300  # categories of a wide column


def draw_schema(random: Random, kind: str, *, numeric_only: bool = False) -> Schema:
    columns: list[Column] = []
    for place in range(random.randint(1, 5)):
        form = "numeric" if numeric_only else random.choice(("numeric", "numeric", "nominal", "ordered", "wide"))
        if form == "numeric":
            columns.append(Numeric(f"x{place}"))
        elif form == "wide":
            columns.append(Nominal(f"x{place}", tuple(f"c{code}" for code in range(random.choice((40, 70, WIDE))))))
        else:
            columns.append(Nominal(f"x{place}", NAMES[: random.randint(1, 5)], ordered=form == "ordered"))
    goal: Column = Numeric("y")
    if kind in ("mean", "logistic", "softmax"):
        goal = Nominal("y", NAMES[: 2 if kind == "logistic" else random.randint(1, 4)])
    place = random.randint(0, len(columns))
    columns.insert(place, goal)
    roles = ["feature"] * len(columns)
    roles[place] = "target"
    return Schema(tuple(columns), tuple(roles), "drawn")  # type: ignore[arg-type]


def _question(random: Random, column: Column) -> tuple[float, list[int]]:
    """A cut, or a list of codes."""
    if isinstance(column, Numeric):
        return (math.inf if random.random() < 0.1 else random.choice(GRID)), []
    n_categories = len(column.categories)
    if column.ordered:
        return random.randrange(n_categories) + 0.5, []
    return 0.0, sorted(random.sample(range(n_categories), random.randint(1, n_categories)))


def _grow_shape(random: Random, schema: Schema, n_trees: int, most_inner: int) -> tuple[list[Any], ...]:
    """Nodes and what they ask for, as lists: roots, feature, cut, first_child, missing, codes."""
    roots, feature, cut, first_child, missing, codes = [0], [], [], [], [], []  # type: ignore[var-annotated]
    features = [schema.columns[i] for i in schema.features]
    for _ in range(n_trees):
        pending = [len(feature)]
        left = random.randint(0, most_inner)
        for part, start in ((feature, -1), (cut, 0.0), (first_child, -1), (missing, 0), (codes, [])):
            part.append(start)  # type: ignore[attr-defined]
        while pending and left:
            node = pending.pop(random.randrange(len(pending)) if random.random() < 0.5 else -1)
            left -= 1
            feature[node] = random.randrange(len(features))
            cut[node], codes[node] = _question(random, features[feature[node]])
            first_child[node], missing[node] = len(feature), random.randrange(2)
            pending += [len(feature), len(feature) + 1]
            for part, start in ((feature, -1), (cut, 0.0), (first_child, -1), (missing, 0), (codes, [])):
                part += [start, start]  # type: ignore[operator]
        roots.append(len(feature))
    return roots, feature, cut, first_child, missing, codes


def grow_forest(
    random: Random, schema: Schema, kind: str, *, n_trees: int, most_inner: int, targets: bool = False
) -> Forest:
    """A valid forest over a schema; trees have up to `most_inner` inner nodes, each its own number of them."""
    roots, feature, cut, first_child, missing, codes = _grow_shape(random, schema, n_trees, most_inner)
    n_nodes = len(feature)
    target = schema.target_column
    n_classes = len(target.categories) if isinstance(target, Nominal) else 1
    source = np.random.default_rng(random.randrange(2**32))
    options: dict[str, Any] = {"combine": "mean", "base": np.zeros(n_classes)}
    value = source.normal(size=(n_nodes, 1))
    if kind == "mean":
        value = source.integers(0, 4, (n_nodes, n_classes)) + 1e-3
        value /= value.sum(axis=1, keepdims=True)
    elif kind != "regression":
        outputs = n_classes if kind == "softmax" else 1
        link = "identity" if kind == "boosted" else kind
        options = {"combine": "sum", "base": source.normal(size=outputs), "link": link}
        if kind == "softmax" and random.random() < 0.5:
            options["output"] = np.array([random.randrange(outputs) for _ in range(n_trees)], np.int32)
        elif kind == "softmax":
            value = source.normal(size=(n_nodes, outputs))
    if kind in {"regression", "boosted"} and random.random() < 0.5:
        options["base"] = source.normal(size=1, scale=1e6)
        options["unit"] = np.array([random.choice([1.0, 2.0**-200, 2.0**200])])
    if any(codes):
        options["set_start"] = np.cumsum([0, *map(len, codes)]).astype(np.int64)
        options["codes"] = np.array([code for part in codes for code in part], np.int32)
    inner = np.array(first_child) >= 0
    if targets and kind == "regression":
        count = np.where(inner, 0, source.integers(0, 4, n_nodes))
        options["target_start"] = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        options["targets"] = source.integers(-3, 4, int(count.sum())).astype(np.float32)
    return Forest(
        schema=schema,
        roots=np.array(roots, np.int64),
        feature=np.array(feature, np.int32),
        cut=np.array(cut, np.float64),
        first_child=np.array(first_child, np.int32),
        missing=np.array(missing, np.int8),
        weight=source.integers(0, 5, n_nodes).astype(np.float32),
        value=value.astype(np.float32),
        gain=np.where(inner, source.random(n_nodes), 0).astype(np.float32),
        recipe={"drawn": True},
        **options,
    )


@st.composite
def forests(draw: st.DrawFn, *, numeric_only: bool = False, large: bool = True) -> Forest:
    """A valid forest: `large` trees take one word of bits, or several."""
    kind = draw(st.sampled_from(KINDS))
    random: Random = draw(randoms())
    schema = draw_schema(random, kind, numeric_only=numeric_only)
    most_inner = random.choice((0, 3, 20, 31, 32, 63, 64, 150) if large else (0, 2, 6))
    return grow_forest(
        random, schema, kind, n_trees=random.randint(1, 6), most_inner=most_inner, targets=random.random() < 0.5
    )
