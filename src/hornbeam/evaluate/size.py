"""How large a model is to read: leaves, rules and conditions."""

from __future__ import annotations

import math
from typing import Any

from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.rules.exceptions import places
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree


def size_of(model: Any) -> dict[str, float]:  # noqa: ANN401 - any model
    """Count what a reader of a model meets.

    Parameters
    ----------
    model : Tree, RuleList, Forest, Ensemble or any other

    Returns
    -------
    dict
        ``leaves`` of a tree, of all trees of a forest, and of all trees among the members of an ensemble; ``rules`` of
        a list, exceptions included, not the default; ``conditions``: those of all rules, and of a tree one at each
        branch. What a model does not have is NaN.

    Examples
    --------
    >>> import hornbeam
    >>> size_of(hornbeam.C45Classifier().fit(hornbeam.read("weather")).model_)
    {'leaves': 5.0, 'rules': nan, 'conditions': 7.0}
    """
    leaves = rules = conditions = math.nan
    if isinstance(model, DiscretizedModel):
        return size_of(model.classifier)
    if isinstance(model, CorrectedModel):
        return size_of(model.base)
    if isinstance(model, Ensemble):
        return _sums([size_of(member) for member in model.members])
    if isinstance(model, Tree):
        leaves, conditions = float(model.n_leaves), float(model.n_nodes - 1)
    elif isinstance(model, Forest):
        leaves, conditions = float(model.n_leaves), float(model.n_nodes - model.n_trees)
    elif isinstance(model, RuleList):
        listed = [rule for place, rule in places(model) if place[-1] >= 0]
        rules, conditions = float(len(listed)), float(sum(len(rule.conditions) for rule in listed))
    return {"leaves": leaves, "rules": rules, "conditions": conditions}


def _sums(sizes: list[dict[str, float]]) -> dict[str, float]:
    """Add up what members have; what none has is NaN."""
    found = {}
    for name in ("leaves", "rules", "conditions"):
        known = [size[name] for size in sizes if not math.isnan(size[name])]
        found[name] = sum(known) if known else math.nan
    return found
