"""A model as a list: one line per leaf or rule, with its conditions, its prediction, and the rows it covers.

A line has the key that the model's JavaScript uses for the leaf or rule that decides, so that a page can highlight it.
Texts are safe on a terminal, but must still be escaped for a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain
from hornbeam.model.base.condition import IsMissing
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.exceptions import places
from hornbeam.model.rules.rule import RuleList, rules_from_tree
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.linear.equations import equation_words
from hornbeam.show.texts.linear.linear_text import added
from hornbeam.show.texts.wording import branch, condition_of, date, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Line(Plain):
    """One leaf or rule."""

    # The leaf's node in the tree; or the rule's index, from 0, after those of the rules that it is an exception to,
    # separated by dots. The default rule is -1.
    key: str
    conditions: tuple[str, ...]  # as text; empty if the line always applies
    prediction: str  # the prediction as text
    weight: float  # training weight covered
    wrong: float | None  # how much of that is wrong; None if numbers are predicted
    depth: int = 0  # the number of rules that an exception belongs to


def listing(model: Any) -> tuple[Line, ...]:  # noqa: ANN401 - any model
    """List a model's leaves or rules; empty for a model that has neither.

    Examples
    --------
    >>> import hornbeam
    >>> for line in listing(hornbeam.C45Classifier().fit(hornbeam.read("weather")).model_)[:2]:
    ...     print(line.key, " and ".join(line.conditions), "->", line.prediction)
    4 outlook = sunny and humidity = high -> no
    5 outlook = sunny and humidity = normal -> yes
    """
    if isinstance(model, Tree):
        return _leaves(model)
    if isinstance(model, RuleList):
        return tuple(_rule(model, place, rule) for place, rule in places(model))
    return ()


def number_words(schema: Schema, value: float) -> str:
    """Write a predicted number, as a date where the target is one."""
    target = schema.target_column
    pattern = None if isinstance(target, Nominal) else target.format
    return short_number(value) if pattern is None else date(value, pattern)


def _leaves(tree: Tree) -> tuple[Line, ...]:
    nominal = isinstance(tree.schema.target_column, Nominal)
    lines = []
    leaves = [node.index for node in tree.walk() if node.is_leaf]
    for leaf, words in zip(leaves, _conditions(tree, leaves), strict=True):
        wrong = float(tree.error[leaf]) if nominal else None
        lines.append(Line(str(leaf), words, _leaf_prediction(tree, leaf), float(tree.weight[leaf]), wrong))
    return tuple(lines)


def _conditions(tree: Tree, leaves: list[int]) -> list[tuple[str, ...]]:
    """Return the conditions of each leaf; bounds on one column are merged where the tree can be written as rules."""
    try:
        rules = rules_from_tree(tree)
    except ModelError:
        return [_path(tree, leaf) for leaf in leaves]
    # A node where rows with a missing value stop has a rule too, which ends in "is missing".
    of_leaves = [r for r in rules.rules if not (r.conditions and isinstance(r.conditions[-1], IsMissing))]
    if len(of_leaves) != len(leaves):
        return [_path(tree, leaf) for leaf in leaves]
    return [tuple(condition_of(condition, rules) for condition in rule.conditions) for rule in of_leaves]


def _path(tree: Tree, node: int) -> tuple[str, ...]:
    words: list[str] = []
    while tree.parent[node] >= 0:
        words.append(str(branch(tree, node)))
        node = int(tree.parent[node])
    return tuple(reversed(words))


def _leaf_prediction(tree: Tree, leaf: int) -> str:
    target = tree.schema.target_column
    if isinstance(target, Nominal):
        label = int(tree.label[leaf])
        return printable(target.categories[label]) if label >= 0 else "no prediction"
    if tree.intercept is not None:
        return " ".join(equation_words(tree, leaf)).partition(" = ")[2]
    return number_words(tree.schema, float(tree.value[tree.predicting_node[leaf], 1]))


def _rule(rules: RuleList, place: tuple[int, ...], rule: Rule) -> Line:
    target = rules.schema.target_column
    if isinstance(target, Nominal):
        prediction = printable(target.categories[rule.label]) if rule.label >= 0 else "no prediction"
    else:
        prediction = number_words(rules.schema, float(rule.value))
        prediction += "".join(added(term, rules.schema) for term in rule.terms)
    words = tuple(condition_of(condition, rules) for condition in rule.conditions)
    wrong = rule.errors if isinstance(target, Nominal) else None
    return Line(".".join(map(str, place)), words, prediction, rule.coverage, wrong, len(place) - 1)
