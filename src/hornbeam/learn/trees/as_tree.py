"""From the arrays of the grower to a Tree: its splits, its surrogates, and where rows without a value go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SUMS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints8, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.choices import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe

Arrays = Mapping[str, Any]
# arrays that the tree has as the grower made them
UNCHANGED = ("parent", "first_child", "n_children", "split", "rows", "weight", "value", "share")


def feature_kinds(schema: Schema) -> Ints8:
    """Which features are cut, and which are split by category."""
    columns = (schema.columns[position] for position in schema.features)
    return np.array([CODES if isinstance(c, Nominal) and not c.ordered else CUTS for c in columns], np.int8)


def as_tree(arrays: Arrays, schema: Schema, recipe: Recipe, factors: ClassFactors | None = None) -> Tree:
    """The tree that was grown; `factors` of its classes if errors differ in cost."""
    n_nodes = len(arrays["parent"])
    features = np.asarray(schema.features, np.int32)
    column = features[arrays["column"]] if len(arrays["column"]) else np.empty(0, np.int32)
    missing = np.full(n_nodes, FRACTIONAL, np.int32) if arrays["missing"] is None else arrays["missing"]
    if arrays["n_extra"] is None and not (arrays["kind"] > CUTS).any():
        splits = _single_cuts(column, arrays, recipe)
    else:
        inner = np.flatnonzero(arrays["n_children"] > 0)
        part = {
            name: np.full(len(column), absent, np.int32) if arrays[name] is None else arrays[name]
            for name, absent in {"category": -1, "flipped": 0, "extra_start": 0, "n_extra": 0}.items()
        }
        part |= {name: arrays[name] for name in ("kind", "score", "cut")}
        part |= {"column": column, "n_branches": arrays["n_children"][inner]}
        splits, own_branch = split_store(schema, part, arrays["extra"], recipe)
        missing[inner] = np.where(own_branch >= 0, own_branch, missing[inner])
    label, error = _labels_and_errors(arrays, schema, recipe, factors)
    surrogates: dict[str, Any] = {}
    if recipe.missing == "surrogate":
        store, start = _surrogates(arrays, schema, recipe)
        numbers = len(splits) + np.arange(len(store), dtype=np.int32)
        surrogates = {"surrogate_start": start, "surrogates": numbers}
        splits = splits.join(store)
    return Tree(
        schema=schema,
        splits=splits,
        missing=missing,
        label=label,
        error=error,
        recipe=plain_recipe(recipe),
        **{name: arrays[name] for name in UNCHANGED},
        **pseudo_counts(arrays["value"], recipe),
        **surrogates,
    ).known_sound()


def _labels_and_errors(
    arrays: Arrays, schema: Schema, recipe: Recipe, factors: ClassFactors | None
) -> tuple[Ints32, Floats]:
    """The class that each node predicts, and the weight (or cost) of its errors; of numbers the squared error."""
    label, value = arrays["label"], arrays["value"]
    if not isinstance(schema.target_column, Nominal):
        return label, value[:, 2].copy()
    if recipe.empty_branch == "none":
        label[(arrays["n_children"] == 0) & (arrays["weight"] <= SLACK)] = -1
    if factors is None or factors.loss is None:
        return label, arrays["weight"] - value.max(axis=1)
    expected = factors.expected(value)
    if recipe.row_by_row:  # the first of the least costs, exactly
        label = expected.argmin(axis=1).astype(np.int32)
    return label, expected.min(axis=1)


def _surrogates(arrays: Arrays, schema: Schema, recipe: Recipe) -> tuple[SplitStore, Ints64]:
    """The surrogate splits by node, and where those of each node start."""
    order = np.argsort(arrays["surrogates"]["node"], kind="stable")
    part = {name: array[order] for name, array in arrays["surrogates"].items()}
    features = np.asarray(schema.features, np.int32)
    part |= {
        "column": features[part["column"]] if len(order) else np.empty(0, np.int32),
        "n_branches": np.full(len(order), 2, np.int32), "score": part["adjusted"],
        "category": np.full(len(order), -1, np.int32),
    }  # fmt: skip
    store, _ = split_store(schema, part, arrays["extra"], recipe, surrogate=True)
    count = np.bincount(part["node"], minlength=len(arrays["parent"]))
    return store, offsets(count)


def plain_recipe(recipe: Recipe) -> dict[str, str | float | bool | None]:
    """A recipe as plain values; everything else as JSON."""
    return {
        field.name: value
        if isinstance(value := getattr(recipe, field.name), str | int | float | bool | None)
        else json.dumps(value)
        for field in fields(recipe)
    }


def pseudo_counts(value: Floats, recipe: Recipe) -> dict[str, Any]:
    """What is added to class weights for probabilities: one to each, or `m` in the proportions of the classes."""
    if recipe.leaf == "laplace":
        return {"pseudo_count": 1.0}
    if recipe.leaf == "m-estimate":
        return {"pseudo_count": float(recipe.m), "prior": value[0] / value[0].sum()}
    return {}


def split_store(
    schema: Schema, part: Arrays, extra: Floats, recipe: Recipe, *, surrogate: bool = False
) -> tuple[SplitStore, Ints32]:
    """Splits by column, kind, branches, score, and one cut or category, or the values of `extra` from `extra_start` on.

    The second result is the branch of missing values if these are a category of their own, otherwise -1.
    """
    column, kind, category = part["column"], part["kind"], part["category"]
    n_splits = len(column)
    n_categories = np.array([len(getattr(c, "categories", ())) for c in schema.columns], np.int64)[column]
    described = _ranges(part["extra_start"], part["n_extra"])
    owner = np.repeat(np.arange(n_splits), part["n_extra"])
    by_cuts, in_sets = kind == CUTS, kind == CODE_SETS
    # several cuts, or one
    by_sums = kind == SUMS
    n_cuts = np.where(by_cuts, np.maximum(part["n_extra"], 1), by_sums.astype(np.int64))
    cut_start = offsets(n_cuts)
    cuts = np.repeat(part["cut"], n_cuts)
    several = by_cuts & (part["n_extra"] > 0)
    cuts[np.repeat(several, n_cuts)] = extra[described[several[owner]]]
    # pairs of code and branch; one category; every category
    pair = described[in_sets[owner]].reshape(-1, 2)
    pair_owner = owner[in_sets[owner]][::2]
    codes, branch = extra[pair[:, 0]].astype(np.int64), extra[pair[:, 1]].astype(np.int64)
    own_branch = np.full(n_splits, -1, np.int32)
    is_own = codes >= n_categories[pair_owner]
    own_branch[pair_owner[is_own]] = branch[is_own]
    one_apart = recipe.nominal == "one-vs-rest" and not surrogate
    keep = ~is_own & (branch == 0) if one_apart else ~is_own
    single = np.flatnonzero(in_sets & (category >= 0) & (category < n_categories) & (part["n_extra"] == 0))
    own_single = in_sets & (part["n_extra"] == 0) & (category == n_categories)
    dense = np.flatnonzero(kind == CODES)
    all_codes = np.concatenate([np.arange(n) for n in n_categories[dense]]) if len(dense) else np.empty(0, np.int64)
    owners = np.concatenate([pair_owner[keep], single, np.repeat(dense, n_categories[dense])])
    all_branches = np.concatenate([branch[keep], np.zeros(len(single) + len(all_codes), np.int64)])
    all_codes = np.concatenate([codes[keep], category[single], all_codes])
    order = np.argsort(owners, kind="stable")
    store = SplitStore(
        column=column.astype(np.int32),
        kind=kind.astype(np.int8),
        n_branches=part["n_branches"].astype(np.int32),
        score=part["score"],
        equal_low=np.full(n_splits, recipe.equal_low, np.bool_),
        cut_start=cut_start,
        cuts=cuts,
        code_start=offsets(np.bincount(owners, minlength=n_splits)),
        codes=all_codes[order].astype(np.int32),
        code_branch=all_branches[order].astype(np.int32),
        other=np.where(in_sets & one_apart, 1, -1).astype(np.int32),
        agreement=part["agreement"] if surrogate else None,
        flipped=part["flipped"].astype(np.bool_) if part["flipped"].any() else None,
        **(_terms(schema, part["n_extra"] * by_sums, extra[described[by_sums[owner]]].reshape(-1, 2))),
    )
    if recipe.missing == "own-category":
        has_own = (kind == CODES) & (part["n_branches"] > n_categories)
        own_branch[has_own] = n_categories[has_own]
        own_branch[own_single] = 0
        own_branch[in_sets & one_apart & (own_branch < 0)] = 1
    return store, own_branch


def _terms(schema: Schema, n_numbers: AnyArray, pairs: Floats) -> dict[str, Any]:
    """Columns and coefficients of sums; empty if there are no sums."""
    if not len(pairs):
        return {}
    return {
        "term_start": offsets(n_numbers // 2),
        "term_column": np.asarray(schema.features, np.int32)[pairs[:, 0].astype(np.int64)],
        "term_coefficient": np.ascontiguousarray(pairs[:, 1]),
    }


def _single_cuts(column: Ints32, arrays: Arrays, recipe: Recipe) -> SplitStore:
    """Splits by one cut each, the most frequent kind."""
    n_splits = len(column)
    none = np.empty(0, np.int32)
    flipped = arrays["flipped"]
    return SplitStore(
        column=column,
        kind=np.full(n_splits, CUTS, np.int8),
        n_branches=np.full(n_splits, 2, np.int32),
        score=arrays["score"],
        equal_low=np.full(n_splits, recipe.equal_low, np.bool_),
        cut_start=np.arange(n_splits + 1, dtype=np.int64),
        cuts=arrays["cut"],
        code_start=np.zeros(n_splits + 1, np.int64),
        codes=none,
        code_branch=none.copy(),
        other=np.full(n_splits, -1, np.int32),
        flipped=flipped.astype(np.bool_) if flipped is not None and flipped.any() else None,
    )


def _ranges(start: Ints64, count: Ints32) -> Ints64:
    """The numbers of several ranges, one after another."""
    before = np.cumsum(count) - count
    result: Ints64 = np.arange(int(count.sum())) + np.repeat(start - before, count)
    return result
