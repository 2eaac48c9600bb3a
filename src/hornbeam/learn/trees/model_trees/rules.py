"""Rules from model trees: the largest leaf becomes a rule, its rows are removed, and a new tree is learned."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.model_trees.exact import ExactLearner, inputs_of, plain_choices
from hornbeam.learn.trees.model_trees.model_tree import learn_model_tree, plain_recipe
from hornbeam.learn.trees.model_trees.nodes import category_order, longest_codes
from hornbeam.model.base.condition import Above, AtMost, IsIn, simplify
from hornbeam.model.linear.linear import LinearModel, Term
from hornbeam.model.rules.rule import FIRES, Rule, RuleList
from hornbeam.model.trees.equation import equation_of, squared_errors

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.model_trees.exact import ExactChoices, Inputs
    from hornbeam.learn.trees.model_trees.model_tree import ModelChoices
    from hornbeam.learn.trees.model_trees.nodes import ModelNode
    from hornbeam.model.base.condition import Condition


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
        rule = _judged(equation_of(tree, leaf), simplify(tree.node(leaf).path), left)
        if rule.coverage <= 0:  # a moved cut left the leaf without rows: the equation of all rows is the last rule
            rules.append(_judged(equation_of(tree, 0), (), left))
            break
        rules.append(rule)
        left = left.take(rule.holds(left) < FIRES)
    return RuleList(table.schema, tuple(rules), recipe=plain_recipe(choices))


def _judged(equation: LinearModel, conditions: tuple[Condition, ...], left: Table) -> Rule:
    """The rule of an equation, with the weight and the squared error of its own predictions for the rows left."""
    rule = Rule(conditions, equation.intercept, -1, 0.0, 0.0, terms=equation.terms)
    covered = left.take(rule.holds(left) >= FIRES)
    weight = float(covered.n_rows if covered.weights is None else covered.weights.sum())
    return replace(rule, coverage=weight, errors=float(squared_errors(equation.predict_codes(covered), covered).sum()))


def learn_rules_exactly(table: Table, order: Ints64, choices: ExactChoices) -> RuleList:
    """Learn rules from model trees that are grown as `learn_exactly` does."""
    inputs = inputs_of(table, order)
    rows = np.arange(table.n_rows)
    rules: list[Rule] = []
    deviations: list[float] = []  # of the rows that were left for each rule
    residuals: list[float] = []  # of each rule's equation as it was fitted, before smoothing
    while len(rows):
        learner = ExactLearner(inputs, choices)
        root = learner.learn(rows)
        deviations.append(learner.deviation)
        path = _largest_leaf(root)
        covered = np.ones(len(rows), np.bool_)
        for node, below in pairwise(path):
            low = inputs.values[node.input][rows] <= node.cut
            covered &= low if below is node.children[0] else ~low
        residuals.append(path[-1].residual)
        rules.append(_rule(path, inputs, table.take(order[rows[covered]])))
        rows = rows[~covered]
    order_of = category_order(longest_codes(inputs.factors))
    printed = {"deviations": json.dumps(deviations), "residuals": json.dumps(residuals)}
    recipe = {**plain_choices(choices), "category_order": order_of, **printed}
    return RuleList(table.schema, tuple(rules), recipe=recipe)


def _largest_leaf(root: ModelNode) -> list[ModelNode]:
    """The path to the leaf with most rows, the first of equal ones."""
    best: list[ModelNode] = []
    waiting = [[root]]
    while waiting:
        path = waiting.pop()
        if path[-1].children:
            waiting.extend([*path, child] for child in reversed(path[-1].children))
        elif not best or path[-1].rows > best[-1].rows:
            best = path
    return best


def _rule(path: list[ModelNode], inputs: Inputs, covered: Table) -> Rule:
    """The rule of a leaf, with the squared error of its own predictions for the rows that it covers."""
    conditions: list[Condition] = []
    for node, below in pairwise(path):
        factor, above = inputs.factors[node.input], below is node.children[1]
        passes = float((factor.fill > node.cut) == above)  # a row without the value goes with its replacement
        if factor.codes is None:
            conditions.append((Above if above else AtMost)(factor.column, node.cut, passes))
            continue
        kind = covered.schema.columns[factor.column]
        assert isinstance(kind, Nominal)
        others = tuple(code for code in range(len(kind.categories)) if code not in factor.codes)
        conditions.append(IsIn(factor.column, tuple(sorted(factor.codes)) if above else others, passes))
    leaf = path[-1]
    terms = tuple(
        Term(coefficient, (inputs.factors[term],))
        for term, coefficient in zip(leaf.terms.tolist(), leaf.coefficients.tolist(), strict=True)
    )
    equation = LinearModel(covered.schema, leaf.intercept, terms)
    error = float(squared_errors(equation.predict_codes(covered), covered).sum())
    return Rule(tuple(conditions), leaf.intercept, -1, leaf.weight, error, terms=terms)
