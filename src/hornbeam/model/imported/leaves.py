"""Trees of formats that have only predictions at leaves: drafts of them, converted to a `Tree` or `Forest`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.imported.draft import Draft, assemble, mean_of_leaves
from hornbeam.model.imported.forests import Together, assemble_forest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.trees.tree import Tree


def leaf_draft(
    low: Ints64,
    high: Ints64,
    column: Ints32,
    cut: Floats,
    missing_low: Bools,
    value: Floats,
    *,
    codes: Mapping[int, Sequence[int]] | None = None,
    weight: Floats | None = None,
) -> Draft:
    """Return a draft whose leaves have these values, one or more each; values of inner nodes are means of their leaves.

    If weights are not known, all leaves have equal weight.
    """
    value, weight = value.copy(), np.ones(len(low)) if weight is None else weight.copy()
    mean_of_leaves(low, high, weight, value)
    return Draft(
        low=low,
        high=high,
        column=column,
        cut=np.where(low >= 0, cut, 0.0),
        codes=codes or {},
        missing_low=missing_low,
        score=np.where(low >= 0, 0.0, np.nan),
        rows=np.rint(weight).astype(np.int64),
        weight=weight,
        value=value,
        label=np.full(len(low), -1, np.int32),
        error=np.zeros(len(low)),
    )


def class_tree(schema: Schema, draft: Draft, recipe: Mapping[str, str | float | bool | None]) -> Tree:
    """Return a draft, whose values are class probabilities, as a tree."""
    value = draft.value * draft.weight[:, np.newaxis]
    label = np.where(draft.label >= 0, draft.label, draft.value.argmax(axis=1)).astype(np.int32)
    error = draft.weight - value[np.arange(len(value)), label]
    return assemble(schema, replace(draft, value=value, label=label, error=error), recipe)


def number_tree(schema: Schema, draft: Draft, recipe: Mapping[str, str | float | bool | None]) -> Tree:
    """Return a draft, whose values are numbers, as a tree."""
    value = np.column_stack([draft.weight, draft.value[:, 0], np.zeros(len(draft.weight))])
    return assemble(schema, replace(draft, value=value), recipe)


def averaged(schema: Schema, drafts: Sequence[Draft], recipe: Mapping[str, str | float | bool | None]) -> Tree | Forest:
    """Return the average of trees, whose leaves have class probabilities or numbers; a single tree is a `Tree`."""
    if len(drafts) == 1:
        make = class_tree if drafts[0].value.shape[1] > 1 else number_tree
        return make(schema, drafts[0], recipe)
    together = Together(base=np.zeros(drafts[0].value.shape[1]), combine="mean", wide=True)
    return assemble_forest(schema, drafts, together, recipe)
