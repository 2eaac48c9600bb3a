"""The figures below boosted trees, and below models of several targets, are recomputed from the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.test_printed_figures import check, table_of
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.learn.forests.boost import CATEGORY_CHARGE

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

DIGITS = 6e-5  # half a unit of the last printed digit, and the rounding of gradients to 22 bits

Slopes = tuple["Floats", "Floats"]  # first and second derivatives of the loss of every row, in its score


def squared(scores: Floats, truth: Floats, _: int) -> Slopes:
    return scores[0] - truth, np.ones(len(truth))


def absolute(scores: Floats, truth: Floats, _: int) -> Slopes:
    return np.sign(scores[0] - truth), np.ones(len(truth))


def poisson(scores: Floats, truth: Floats, _: int) -> Slopes:
    rate = np.exp(scores[0])
    return rate - truth, rate


def logistic(scores: Floats, truth: Floats, _: int) -> Slopes:
    share = 1.0 / (1.0 + np.exp(-scores[0]))
    return share - truth, share * (1.0 - share)


def multinomial(scores: Floats, truth: Floats, output: int) -> Slopes:
    """Of K classes, the second derivatives are multiplied by K / (K - 1)."""
    powers = np.exp(scores - scores.max(axis=0))
    share = powers[output] / powers.sum(axis=0)
    return share - (truth == output), share * (1.0 - share) * len(scores) / (len(scores) - 1)


LOSSES: dict[str, Callable[[Floats, Floats, int], Slopes]] = {
    "squared": squared,
    "absolute": absolute,
    "poisson": poisson,
    "logistic": logistic,
    "multinomial": multinomial,
}


def rows_of_nodes(tree: Tree, table: Table) -> list[Any]:
    """The rows that come to every node."""
    start, nodes, _ = tree.decision_path(table)
    rows = np.repeat(np.arange(table.n_rows), np.diff(start))
    order = np.argsort(nodes, kind="stable")
    return np.split(rows[order], np.cumsum(np.bincount(nodes, minlength=tree.n_nodes))[:-1])


def gains_of(tree: Tree, table: Table, slope: Floats, curve: Floats) -> dict[str, float]:
    """By column, how much the splits of a tree reduce the loss: G^2 / 2H of both branches, less that of the node.

    A split on a nominal column is charged for every category in the node beyond two, as meaningless splits gain too.
    """
    weights, found = table.row_weights, dict.fromkeys(names_of(table), 0.0)
    here = rows_of_nodes(tree, table)
    worth = [(weights * slope)[rows].sum() ** 2 / (weights * curve)[rows].sum() / 2 for rows in here]
    charge = CATEGORY_CHARGE / 2 * (weights * slope**2).sum() / (weights * curve).sum()
    for node in np.flatnonzero(tree.n_children).tolist():
        place = int(tree.splits.column[tree.split[node]])
        column, first = table.schema.columns[place], int(tree.first_child[node])
        gain = worth[first] + worth[first + 1] - worth[node]
        if isinstance(column, Nominal):
            gain -= charge * (len(np.unique(table.columns[place][here[node]])) - 2)
        found[column.name] += gain
    return found


def names_of(table: Table) -> list[str]:
    return [table.schema.columns[place].name for place in table.schema.features]


def shares_of_gains(model: Any, table: Table, loss: str) -> dict[str, float]:
    """The importance of every column: all trees again, with the scores before each round."""
    found = dict.fromkeys(names_of(table), 0.0)
    truth = table.target_values().astype(np.float64)
    scores = np.repeat(np.asarray(model.base)[:, np.newaxis], table.n_rows, axis=1)
    outputs = len(scores)
    for round_ in range(model.n_trees // outputs):
        before = scores.copy()
        for output in range(outputs):
            tree = model.tree(round_ * outputs + output)
            slope, curve = LOSSES[loss](before, truth, output)
            for name, gain in gains_of(tree, table, slope, curve).items():
                found[name] += gain
            scores[output] += tree.value[tree.apply(table), 1]
    whole = sum(found.values())
    return {name: gain / whole for name, gain in found.items()}


def check_importance(model: Any, table: Table, loss: str) -> None:
    expected = shares_of_gains(model, table, loss)
    text = hornbeam.show.text(model)
    lines = text.partition("importance: fraction of the gain of all splits\n")[2].splitlines()
    assert lines
    assert len(lines) == len(expected)
    printed = {line.split()[0]: float(line.split()[1]) for line in lines}
    assert printed == pytest.approx(expected, abs=DIGITS)
    assert list(printed.values()) == sorted(printed.values(), reverse=True)


CASES = [
    ("servo", "squared"),
    ("auto-mpg", "squared"),
    ("servo", "absolute"),
    ("auto-mpg", "poisson"),
    ("vote", "logistic"),
    ("credit-g", "logistic"),
    ("iris", "multinomial"),
    ("glass", "multinomial"),
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_importance_in_boosted_trees(name: str, loss: str, lacking: bool, weighted: bool) -> None:
    table = table_of(name, lacking=lacking, weighted=weighted)
    classes = isinstance(table.schema.target_column, Nominal)
    make = hornbeam.GradientBoostingClassifier if classes else hornbeam.GradientBoostingRegressor
    check_importance(make(4, loss=loss, learning_rate=0.3, min_samples_leaf=8).fit(table).model_, table, loss)


# --- several targets --------------------------------------------------------------------------------------------------


def parts_of(text: str, targets: list[str]) -> list[str]:
    """The text of the model of each target, without its heading."""
    heads = [f"target {number} of {len(targets)}: {name}\n\n" for number, name in enumerate(targets, start=1)]
    assert text.startswith(heads[0])
    found = []
    for head in reversed(heads):
        text, between, part = text.rpartition(head)
        assert between
        found.insert(0, part.removesuffix("\n\n"))
    assert not text
    return found


BOOSTED: dict[str, Any] = {"max_leaf_nodes": 5, "learning_rate": 0.3, "min_samples_leaf": 8}
SEVERAL: dict[str, tuple[Any, str, list[str]]] = {
    "C4.5": (hornbeam.C45Classifier(), "servo", ["motor", "screw"]),
    "CART of classes": (hornbeam.CartClassifier(random_state=0), "servo", ["motor", "screw"]),
    "tree of classes": (
        hornbeam.TreeClassifier(missing="fractional", min_samples_leaf=3),
        "credit-g",
        ["job", "class"],
    ),
    "CART of numbers": (hornbeam.CartRegressor(random_state=0), "iris", ["petallength", "petalwidth"]),
    "tree of numbers": (hornbeam.TreeRegressor(min_samples_leaf=5), "auto-mpg", ["horsepower", "class"]),
    "linear leaves": (hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=20), "auto-mpg", ["weight", "class"]),
    "boosted classes": (hornbeam.GradientBoostingClassifier(3, **BOOSTED), "credit-g", ["own_telephone", "class"]),
    "boosted numbers": (hornbeam.GradientBoostingRegressor(4, **BOOSTED), "iris", ["petallength", "petalwidth"]),
}


def of_target(frame: Any, features: Any, model: Any, weights: Floats | None) -> Table:
    """The training rows of the model of one target."""
    given, target = hornbeam.read(features), model.schema.target_column
    values = frame[target.name].to_numpy()
    if isinstance(target, Nominal):
        values = np.array([target.categories.index(value) for value in values], np.int32)
    columns, roles, arrays = [*given.schema.columns, target], [*given.schema.roles, "target"], [*given.columns, values]
    if weights is not None:
        columns, roles, arrays = [*columns, Numeric("w")], [*roles, "weight"], [*arrays, weights]
    return hornbeam.Table(Schema(tuple(columns), tuple(roles)), arrays)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("setting", SEVERAL)
def test_models_of_several_targets(setting: str, weighted: bool) -> None:
    """The text has the model of every target, and its figures are those of this target."""
    learner, name, targets = SEVERAL[setting]
    table = hornbeam.read(name)
    known = np.all([table.known(table.schema.names.index(target)) for target in targets], axis=0)
    frame = table.take(known).to_pandas()
    features = frame.drop(columns=targets)
    weights = np.random.default_rng(4).integers(1, 4, len(frame)).astype(float) if weighted else None
    model = clone(learner).fit(features, frame[targets], sample_weight=weights).model_
    parts = parts_of(hornbeam.show.text(model), targets)
    for target, member, part in zip(targets, model.members, parts, strict=True):
        assert member.schema.target_column.name == target
        assert part == hornbeam.show.text(member)
        rows = of_target(frame, features, member, weights)
        if not setting.startswith("boosted"):
            check(member, rows)
        else:
            loss = {"softmax": "multinomial", "logistic": "logistic"}.get(member.link, "squared")
            check_importance(member, rows, loss)
