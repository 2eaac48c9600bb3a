"""Pruning: make a tree smaller, whatever grew it.

Every method returns a `PruningPath`: the sequence of trees from the given tree to the smallest, with their sizes and
errors, and the tree that the method chooses (`.best`).

====================  ============================================================  =======
method                prunes by                                                     target
====================  ============================================================  =======
`pessimistic`         the upper confidence limit of the errors; may raise branches  classes
`minimum_error`       the m-estimate of the error rate                              classes
`description_length`  bits that encode the tree and the classes of its rows         classes
`complexity_factor`   errors times (n + v) / (n - v)                                numbers
`reduced_error`       errors on held-out rows                                       both
`chi_square`          chi-square tests of the splits                                classes
`critical_value`      the scores of the splits                                      both
`cost_complexity`     errors or impurity against number of leaves                   both
====================  ============================================================  =======

`to_size` and `levels` return a tree of a certain size. `rules` makes rules of the leaves of a tree, which lose
conditions one by one, and returns a `RuleList`.

Modules
-------
by_complexity: `cost_complexity`, `to_size` and `levels`.
by_estimate: `pessimistic`, `minimum_error`, `description_length` and `complexity_factor`.
by_threshold: `chi_square` and `critical_value`.
code_length: the number of bits needed to encode a tree and its classes.
complexity: the complexity table of CART.
estimates: the upper confidence limit of an error rate.
held_out: costs of held-out rows, `reduced_error`, and backfitting.
into_rules: `rules`.
path: `PruningPath`, and the record of pruning decisions.
rebuild: the tree that is left when nodes become leaves, and what pruning reads from a tree.

Examples
--------
>>> import hornbeam
>>> tree = hornbeam.C45Classifier(prune=None).fit(hornbeam.read("vote")).model_
>>> hornbeam.prune.pessimistic(tree)
PruningPath('pessimistic': 13 trees of 19 to 6 leaves; chosen: 12, 6 leaves)
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
