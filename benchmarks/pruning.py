"""What pruning costs beside growing: every method of `hornbeam.prune` on one large tree, in one process."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam import prune
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.trees.tree import Tree

    Method = Callable[[Tree, Table], Any]

ROUNDS = 9  # of growing and of every method, in turns; the best of them counts

BOTH: dict[str, Method] = {
    "reduced-error": lambda tree, held_out: prune.reduced_error(tree, held_out).best,
    "reduced-error, greedy": lambda tree, held_out: prune.reduced_error(tree, held_out, order="greedy").best,
    "cost-complexity": lambda tree, _: prune.cost_complexity(tree).best,
    "cost-complexity, impurity": lambda tree, _: prune.cost_complexity(tree, cost="impurity").best,
    "critical-value": lambda tree, _: prune.critical_value(tree, threshold=0.01).best,
    "to_size": lambda tree, _: prune.to_size(tree, 50),
    "levels": lambda tree, _: prune.levels(tree, 3),
}
CLASSES: dict[str, Method] = {
    "pessimistic": lambda tree, _: prune.pessimistic(tree).best,
    "chi-square": lambda tree, _: prune.chi_square(tree).best,
    "description-length": lambda tree, _: prune.description_length(tree).best,
    "minimum-error": lambda tree, _: prune.minimum_error(tree).best,
}
NUMBERS: dict[str, Method] = {"complexity-factor": lambda tree, _: prune.complexity_factor(tree).best}


def costs(learner: Any, table: Table) -> dict[str, float]:  # noqa: ANN401 - any learner of one tree
    """Seconds of CPU: growing a tree on two thirds of the rows, and pruning it by every method; a third is held out."""
    grown_on = np.arange(table.n_rows) % 3 > 0
    train, held_out = table.take(np.flatnonzero(grown_on)), table.take(np.flatnonzero(~grown_on))
    best = {"grow": np.inf}
    for _ in range(ROUNDS):
        fresh = Table(train.schema, train.columns)  # without what a table remembers of an earlier growing
        start = time.process_time()
        tree = learner.fit(fresh).model_
        best["grow"] = min(best["grow"], time.process_time() - start)
        for name, method in (BOTH | (CLASSES if tree.task == "classification" else NUMBERS)).items():
            again = replace(tree).known_sound()  # without what a tree remembers
            start = time.process_time()
            method(again, held_out)
            best[name] = min(best.get(name, np.inf), time.process_time() - start)
    return {**best, "leaves": tree.n_leaves}
