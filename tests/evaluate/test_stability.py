"""How often splits come again: counterparts against sets of rows, and trees whose splits must or cannot come again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from strategies import Random, fill_table, randoms, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import stability
from hornbeam.evaluate.stable_splits import _Place, counterparts
from hornbeam.learn.forests.draws import Draws
from hornbeam.model.trees.question import question

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def passed(tree: Tree, table: Table) -> list[set[int]]:
    """The rows of each node, those in pieces along their largest piece."""
    rows: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for row, end in enumerate(tree.apply(table).tolist()):
        node = end
        while node >= 0:
            rows[node].add(row)
            node = int(tree.parent[node])
    return rows


@given(trees(), randoms())
def test_counterparts_have_most_rows_in_common(tree: Tree, random: Random) -> None:
    table = fill_table(random, tree.schema, random.choice((1, 8, 40)), random.choice((0.0, 0.3)))
    from strategies import grow_tree

    other = grow_tree(random, tree.schema, most_inner=8, surrogates=False, sums=False)
    weights = [1.0] * table.n_rows if table.weights is None else table.weights.tolist()
    weigh = lambda rows: sum(weights[row] for row in rows)  # noqa: E731
    found = counterparts(_Place(tree, table), _Place(other, table))
    theirs = passed(other, table)
    for node, rows in enumerate(passed(tree, table)):
        shares = [weigh(rows & them) / weigh(rows | them) if weigh(rows | them) else 0.0 for them in theirs]
        best = max(shares)
        assert found[node] == (int(np.argmax(np.array(shares) >= best - 1e-12)) if best > 0.5 else -1)


def plain(n_rows: int = 200) -> Table:
    """The class is a number above 0.5, and nothing else."""
    random = np.random.default_rng(3)
    a, b = random.uniform(size=n_rows), random.uniform(size=n_rows)
    schema = Schema(
        (Numeric("a"), Numeric("b"), Nominal("y", ("no", "yes"))), ("feature", "feature", "target"), name="plain"
    )
    return Table(schema, [a, b, (a > 0.5).astype(np.int32)])


@pytest.mark.parametrize("resample", ["bootstrap", "half"])
def test_a_split_that_says_everything_always_comes_again(resample: Any) -> None:
    found = stability(hornbeam.C45Classifier(), plain(), 30, resample=resample)
    (root,) = found.nodes
    assert (root.node, root.column, root.found, root.same_column, root.same_split) == (0, "a", 1.0, 1.0, 1.0)
    exact = stability(hornbeam.C45Classifier(), plain(), 30, resample=resample, tolerance=0.0)
    assert 0.0 < exact.nodes[0].same_split < 1.0  # the very value is not in every draw


def test_a_split_of_noise_rarely_comes_again() -> None:
    table = plain()
    random = np.random.default_rng(1)
    shuffled = Table(table.schema, [*table.columns[:-1], random.permutation(table.columns[-1])])
    found = stability(hornbeam.TreeClassifier(), shuffled, 30)
    assert found.nodes[0].found == 1.0  # the root has all rows
    assert found.nodes[0].same_split < 0.5
    assert all(node.same_split <= node.same_column <= node.found for node in found.nodes)


def test_figures_are_those_of_the_trees_learned_again() -> None:
    table = hornbeam.read("credit-g")
    learner = hornbeam.C45Classifier(confidence=0.05)
    found = stability(learner, table, 5, seed=9)
    tree = learner.fit(table).model_
    draws = Draws.of(table)
    mine = passed(tree, table)
    counts = {node.node: [0, 0, 0] for node in found.nodes}
    for number in range(5):
        random = np.random.default_rng([9, number])
        drawn = draws.counts(random, table.n_rows, replace=True)
        other = hornbeam.C45Classifier(confidence=0.05).fit(table, sample_weight=drawn.astype(float)).model_
        theirs = passed(other, table)
        for node, count in counts.items():
            shares = [len(mine[node] & them) / len(mine[node] | them) for them in theirs]
            best = int(np.argmax(shares))
            if shares[best] <= 0.5:
                continue
            count[0] += 1
            if other.first_child[best] < 0:
                continue
            one, two = question(tree, node), question(other, best)
            count[1] += one.column == two.column
            near = one.cuts is None or (
                two.cuts is not None
                and abs(one.cuts[0] - two.cuts[0]) <= 0.05 * np.ptp(table.column(one.column).astype(float))
            )
            count[2] += one.column == two.column and one.branches == two.branches and bool(near)
    assert {n.node: [round(5 * f) for f in (n.found, n.same_column, n.same_split)] for n in found.nodes} == counts


def test_threads_and_a_fitted_tree_change_nothing() -> None:
    iris = hornbeam.read("iris")
    seen: list[tuple[int, int]] = []
    one = stability(hornbeam.C45Classifier(), iris, 12, seed=5, progress=lambda done, total: seen.append((done, total)))
    fitted = hornbeam.C45Classifier().fit(iris)
    assert stability(hornbeam.C45Classifier(), iris, 12, seed=5, fitted=fitted, n_jobs=2) == one
    assert stability(hornbeam.C45Classifier(), iris, 12, seed=6) != one
    assert seen[0] == (0, 12)
    assert seen[-1] == (12, 12)
    assert [node.node for node in one.nodes] == np.flatnonzero(fitted.model_.first_child >= 0).tolist()
    assert json.loads(json.dumps(one.to_json()))["nodes"][0] == one.nodes[0].to_json()
    assert "petalwidth" in one.text()


def test_a_lone_leaf_has_no_split() -> None:
    found = stability(hornbeam.C45Classifier(min_samples_leaf=500), hornbeam.read("iris"), 3)
    assert found.nodes == ()
    assert "one leaf" in found.text()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"trees": 0}, "trees is 0"), ({"resample": "all"}, "resample is 'all'"), ({"tolerance": 2}, "tolerance is 2")],
)
def test_wishes_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        stability(hornbeam.C45Classifier(), hornbeam.read("iris"), **options)


def test_a_model_without_a_tree_is_refused() -> None:
    with pytest.raises(TypeError, match="does not have one tree with splits"):
        stability(hornbeam.RipperClassifier(), hornbeam.read("iris"), 2)


def test_learners_that_draw_at_random_are_given_the_seed() -> None:
    learner, table = hornbeam.TreeClassifier(prune="reduced-error"), hornbeam.read("credit-g")
    assert stability(learner, table, 3, seed=4).to_json() == stability(learner, table, 3, seed=4).to_json()
