"""Why a tree predicts as it does for one row: the conditions on its path, and what its leaf predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.base.align import align
from hornbeam.show.texts.neighbors.instances_text import value_words
from hornbeam.show.texts.trees.indented import prediction_text
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, branch, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

WHOLE = 1.0 - 1e-9  # a row of at least this weight is not divided


def explain_tree(tree: Tree, table: Table, row: int) -> str:
    """Write the conditions on the path to the leaf, and its prediction."""
    one = align(tree.schema, table.take(np.array([row])))
    leaf = int(tree.apply(one)[0])
    _, nodes, weights = tree.decision_path(one)
    weight = float(weights[nodes == leaf].max())
    lines = [f"row {row + 1}:", *(f"  {words}" for words in _way(tree, leaf, one))]
    if weight < WHOLE:
        lines.append(f"  with {100 * weight:.0f}% of its weight; the rest takes other branches")
    return "\n".join([*lines, *_prediction(tree, leaf, one)])


def _way(tree: Tree, node: int, one: Table) -> list[str]:
    """The conditions on the path to a node, each with the row's value unless the condition is that value."""
    conditions: list[str] = []
    while tree.parent[node] >= 0:
        words = str(branch(tree, node))
        node = int(tree.parent[node])
        values = _values(tree, int(tree.split[node]), one)
        conditions.append(words if words.endswith(f" = {values}") else f"{words}: {values}")
    return conditions[::-1] or ["all rows"]


def _values(tree: Tree, split: int, one: Table) -> str:
    """The values of a row in the columns of a split."""
    places = tree.splits.columns_of(split).tolist()
    columns = [tree.schema.columns[place] for place in places]
    words = [value_words(column, one.columns[place][0]) for column, place in zip(columns, places, strict=True)]
    if len(words) == 1:
        return words[0]
    return ", ".join(
        f"{printable(column.name, NAME_LIMIT)} {word}" for column, word in zip(columns, words, strict=True)
    )


def _prediction(tree: Tree, leaf: int, one: Table) -> list[str]:
    target = tree.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    (rows,) = amounts([float(tree.weight[leaf])])
    if tree.intercept is None:
        return [f"so {name} = {prediction_text(tree, leaf)}, as for {rows} training rows"]
    from hornbeam.model.trees.equation import terms_of
    from hornbeam.show.texts.linear.linear_text import FIGURES, added_lines

    lines = added_lines(float(tree.intercept[leaf]), terms_of(tree, leaf), tree.schema, one)
    whole = short_number(float(tree.predict_codes(one)[0]), FIGURES)
    return [f"so {name} = {whole}, by the equation of {rows} training rows:", *lines]
