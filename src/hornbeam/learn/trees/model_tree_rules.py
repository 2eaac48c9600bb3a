"""Rules from model trees: the leaf that covers most rows becomes a rule, its rows go, and a new tree is learned."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.model_tree import learn_model_tree, plain_recipe
from hornbeam.learn.trees.model_tree_exact import ExactLearner, inputs_of, plain_choices
from hornbeam.learn.trees.model_tree_nodes import category_order, longest_codes
from hornbeam.model.condition import Above, AtMost, IsIn, simplify
from hornbeam.model.equation import equation_of
from hornbeam.model.linear import Term
from hornbeam.model.rule import FIRES, Rule, RuleList

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.model_tree import ModelChoices
    from hornbeam.learn.trees.model_tree_exact import ExactChoices, Inputs
    from hornbeam.learn.trees.model_tree_nodes import ModelNode
    from hornbeam.model.condition import Condition


def learn_rules(table: Table, choices: ModelChoices, n_threads: int = 1) -> RuleList:
    """Learn rules from model trees.

    Parameters
    ----------
    table : Table
        Training rows, each with a target; weights, if any, above zero.
    choices : ModelChoices
        How each tree is learned.
    n_threads : int
        Threads for growing.
    """
    rules: list[Rule] = []
    left = table
    while left.n_rows:
        tree, _ = learn_model_tree(left, choices, n_threads)
        leaf = int(np.argmax(np.where(tree.n_children == 0, tree.weight, -1.0)))
        equation = equation_of(tree, leaf)
        rule = Rule(
            simplify(tree.node(leaf).path), equation.intercept, -1, equation.weight, equation.error,
            terms=equation.terms,
        )  # fmt: skip
        rules.append(rule)
        covered = rule.holds(left) >= FIRES
        if not covered.any():  # every row went elsewhere for want of a value: the equation of all is the last rule
            equation = equation_of(tree, 0)
            rules[-1] = Rule((), equation.intercept, -1, equation.weight, equation.error, terms=equation.terms)
            break
        left = left.take(~covered)
    return RuleList(table.schema, tuple(rules), recipe=plain_recipe(choices))


def learn_rules_exactly(table: Table, order: NDArray[np.int64], choices: ExactChoices) -> RuleList:
    """Learn rules from model trees grown row by row.

    Parameters
    ----------
    table : Table
        Training rows, each with a target and of weight one.
    order : array of int
        The order in which the rows are taken.
    choices : ExactChoices
        How each tree is learned.
    """
    inputs = inputs_of(table, order)
    rows = np.arange(table.n_rows)
    rules: list[Rule] = []
    deviations: list[float] = []  # of the rows that were left for each rule
    while len(rows):
        learner = ExactLearner(inputs, choices)
        root = learner.learn(rows)
        deviations.append(learner.deviation)
        path = _largest_leaf(root)
        covered = np.ones(len(rows), np.bool_)
        for node, below in pairwise(path):
            low = inputs.values[node.input][rows] <= node.cut
            covered &= low if below is node.children[0] else ~low
        rules.append(_rule(path, inputs, table.schema))
        rows = rows[~covered]
    order_of = category_order(longest_codes(inputs.factors))
    recipe = {**plain_choices(choices), "category_order": order_of, "deviations": json.dumps(deviations)}
    return RuleList(table.schema, tuple(rules), recipe=recipe)


def _largest_leaf(root: ModelNode) -> list[ModelNode]:
    """The way to the leaf with most rows, the first of equal ones."""
    best: list[ModelNode] = []
    waiting = [[root]]
    while waiting:
        path = waiting.pop()
        if path[-1].children:
            waiting.extend([*path, child] for child in reversed(path[-1].children))
        elif not best or path[-1].rows > best[-1].rows:
            best = path
    return best


def _rule(path: list[ModelNode], inputs: Inputs, schema: Schema) -> Rule:
    conditions: list[Condition] = []
    for node, below in pairwise(path):
        factor, above = inputs.factors[node.input], below is node.children[1]
        passes = float((factor.fill > node.cut) == above)  # a row without the value goes with what stands in for it
        if factor.codes is None:
            conditions.append((Above if above else AtMost)(factor.column, node.cut, passes))
            continue
        kind = schema.columns[factor.column]
        assert isinstance(kind, Nominal)
        others = tuple(code for code in range(len(kind.categories)) if code not in factor.codes)
        conditions.append(IsIn(factor.column, tuple(sorted(factor.codes)) if above else others, passes))
    leaf = path[-1]
    terms = tuple(
        Term(coefficient, (inputs.factors[term],))
        for term, coefficient in zip(leaf.terms.tolist(), leaf.coefficients.tolist(), strict=True)
    )
    return Rule(tuple(conditions), leaf.intercept, -1, leaf.weight, leaf.residual**2 * leaf.weight, terms=terms)
