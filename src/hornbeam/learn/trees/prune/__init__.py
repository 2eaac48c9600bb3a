"""Pruning: from a tree to a smaller tree, whatever grew it.

Every method gives a `PruningPath`: the sequence of trees from the one given to the smallest it reaches, with their
sizes and errors, and the one it chooses (`.best`).

| method | goes by | target |
|---|---|---|
| `pessimistic` | the upper confidence limit of the errors; may raise branches | classes |
| `minimum_error` | the m-estimate of the error rate | classes |
| `description_length` | bits that tell the tree and its rows' classes | classes |
| `complexity_factor` | errors times (n + v) / (n - v) | numbers |
| `reduced_error` | errors on held-out rows | both |
| `chi_square` | chi-square tests of the splits | classes |
| `critical_value` | the scores of the splits | both |
| `cost_complexity` | errors or impurity against leaves | both |

`to_size` and `levels` give a tree of a certain size. `rules` makes rules of a tree's leaves, which lose conditions one
by one, and gives a `RuleList`.

Examples
--------
>>> import hornbeam
>>> tree = hornbeam.C45Classifier(prune=None).fit(hornbeam.read("vote")).model_
>>> hornbeam.prune.pessimistic(tree)
PruningPath('pessimistic': 13 trees of 19 to 6 leaves; chosen: 12, 6 leaves)
"""

from __future__ import annotations

from hornbeam.learn.trees.prune.by_complexity import cost_complexity, levels, to_size
from hornbeam.learn.trees.prune.by_estimate import complexity_factor, description_length, minimum_error, pessimistic
from hornbeam.learn.trees.prune.by_threshold import chi_square, critical_value
from hornbeam.learn.trees.prune.held_out import reduced_error
from hornbeam.learn.trees.prune.into_rules import rules
from hornbeam.learn.trees.prune.path import PruningPath

__all__ = [
    "PruningPath",
    "chi_square",
    "complexity_factor",
    "cost_complexity",
    "critical_value",
    "description_length",
    "levels",
    "minimum_error",
    "pessimistic",
    "reduced_error",
    "rules",
    "to_size",
]
