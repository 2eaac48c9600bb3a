"""Equations of trees and rules in the text styles: hornbeam's own, and the bodies that WEKA's M5P and M5Rules print."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.model.base.condition import Above, IsIn
from hornbeam.model.trees.equation import terms_of
from hornbeam.model.trees.split import CODE_SETS
from hornbeam.show.texts.linear.linear_text import FIGURES, added
from hornbeam.show.texts.trees.classic import indentation, rounded_number
from hornbeam.show.texts.wording import NAME_LIMIT, number, printable, short_number, width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.linear.linear import Term
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.texts.styles import Room

INDENT = "|   "
LINE_LIMIT = 100  # a longer equation continues on the next line, broken between terms
CUT_DECIMALS, COEFFICIENT_DECIMALS = 3, 4


def numbered(tree: Tree) -> dict[int, int]:
    """Number the equations of the leaves in branch order, from 1; leaves that predict a constant have none."""
    assert tree.term_start is not None
    leaves = [node.index for node in tree.walk() if node.is_leaf]
    with_terms = [leaf for leaf in leaves if tree.term_start[leaf] < tree.term_start[leaf + 1]]
    return {leaf: place for place, leaf in enumerate(with_terms, start=1)}


def leaf_prediction(tree: Tree, node: int, numbers: dict[int, int]) -> str:
    """The text of a leaf: the number of its equation, or the constant that it predicts."""
    assert tree.intercept is not None
    return f"equation {numbers[node]}" if node in numbers else number(float(tree.intercept[node]))


def equation_words(tree: Tree, node: int) -> list[str]:
    """The equation of a node in parts that are not broken: its beginning, then one part per term."""
    assert tree.intercept is not None
    name = printable(tree.schema.target_column.name, NAME_LIMIT)
    start = f"{name} = {short_number(float(tree.intercept[node]), FIGURES)}"
    return [start, *(added(term, tree.schema).lstrip() for term in terms_of(tree, node))]


def listing(tree: Tree, nodes: Sequence[int], numbers: dict[int, int], room: Room, most: int | None) -> list[str]:
    """Write the equations of some leaves below one another, long ones over several lines; about `most` lines in all."""
    lines: list[str] = []
    listed = [node for node in nodes if node in numbers]
    for place, node in enumerate(listed):
        if most is not None and len(lines) >= most - 2:
            return [*lines, "", room.left_out(len(listed) - place, "equation")]
        lead = f"equation {numbers[node]}: "
        lines += ["", *_wrapped(lead, equation_words(tree, node), min(room.columns or LINE_LIMIT, LINE_LIMIT))]
    return lines


def _wrapped(lead: str, parts: list[str], limit: int) -> list[str]:
    lines = [lead + parts[0]]
    for part in parts[1:]:
        if width(lines[-1]) + 1 + width(part) > limit:
            lines.append(" " * width(lead) + part)
        else:
            lines[-1] += f" {part}"
    return lines


def weka_body(tree: Tree) -> str:
    """Write a model tree and its equations as WEKA's M5P does, from the first line of the tree to the last equation."""
    assert tree.intercept is not None
    numbers: dict[int, int] = {}
    lines: list[str] = [_weka_leaf(tree, 0, numbers)] if tree.n_children[0] == 0 else []
    waiting = [(child, 0) for child in _last_first(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        line = indentation(INDENT, depth) + _weka_condition(tree, node) + " : "
        if tree.n_children[node] == 0:
            line += _weka_leaf(tree, node, numbers)
        lines.append(line)
        waiting.extend((child, depth + 1) for child in _last_first(tree, node))
    for node, place in numbers.items():
        equation = _weka_equation(tree.schema, float(tree.intercept[node]), terms_of(tree, node), tree.recipe)
        lines += ["", f"LM num: {place}", *equation]
    return "\n".join(lines)


def weka_rules(rules: RuleList) -> str:
    """Write rules with equations as WEKA's M5Rules does, from the first rule to the last."""
    deviations = json.loads(str(rules.recipe.get("deviations") or "[]"))
    residuals = json.loads(str(rules.recipe.get("residuals") or "[]"))
    lines: list[str] = []
    for place, rule in enumerate(rules.rules):
        lines += ["", f"Rule: {place + 1}"] if place else [f"Rule: {place + 1}"]
        if rule.conditions:
            conditions = (_weka_rule_condition(condition, rules) for condition in rule.conditions)
            lines += ["IF", *(f"\t{words}" for words in conditions), "THEN"]
        lines += ["", *_weka_equation(rules.schema, float(rule.value), rule.terms, rules.recipe)]
        whole = deviations[place] if place < len(deviations) else 0.0
        residual = residuals[place] if place < len(residuals) else 0.0
        lines[-1] += f" [{_weka_figures(rule.coverage, residual, whole)}]"
    return "\n".join(lines)


def _weka_equation(schema: Schema, intercept: float, terms: Sequence[Term], recipe: Mapping[str, Any]) -> list[str]:
    """Write one equation, one line per term, the intercept last."""
    lines = [f"{printable(schema.target_column.name)} = "]
    for term in terms:
        if term.coefficient == 0.0:
            continue
        factor = term.factors[0]
        first = len(lines) == 1
        size = rounded_number(term.coefficient, COEFFICIENT_DECIMALS) if first else _signed(term.coefficient)
        lines.append(f"\t{size} * {_weka_input(schema, factor.column, factor.codes, recipe)} ")
    return [*lines, f"\t{_signed(intercept)}"]


def _signed(value: float) -> str:
    return f"{'-' if value < 0 else '+'} {rounded_number(abs(value), COEFFICIENT_DECIMALS)}"


def _weka_figures(weight: float, residual: float, whole: float) -> str:
    """The rows, and the error as a percentage of the overall deviation."""
    rows = rounded_number(weight, CUT_DECIMALS)
    return f"{rows}/{rounded_number(100.0 * residual / whole, CUT_DECIMALS)}%" if whole > 0 else rows


def _last_first(tree: Tree, node: int) -> range:
    first, number_of = int(tree.first_child[node]), int(tree.n_children[node])
    return range(first + number_of - 1, first - 1, -1)


def _weka_leaf(tree: Tree, node: int, numbers: dict[int, int]) -> str:
    assert tree.residual is not None
    numbers[node] = len(numbers) + 1
    whole = (float(tree.value[0, 2]) / float(tree.weight[0])) ** 0.5
    return f"LM{numbers[node]} ({_weka_figures(float(tree.weight[node]), float(tree.residual[node]), whole)})"


def _weka_condition(tree: Tree, node: int) -> str:
    parent = int(tree.parent[node])
    split = int(tree.split[parent])
    splits = tree.splits
    column = int(splits.column[split])
    relation = "> " if node - int(tree.first_child[parent]) else "<="
    if splits.kind[split] == CODE_SETS:
        part = slice(int(splits.code_start[split]), int(splits.code_start[split + 1]))
        codes = splits.codes[part][splits.code_branch[part] == 1].tolist()
        return f"{_weka_input(tree.schema, column, codes, tree.recipe)} {relation} 0.5"
    cut = rounded_number(float(splits.cuts[splits.cut_start[split]]), CUT_DECIMALS)
    return f"{_weka_input(tree.schema, column, None, tree.recipe)} {relation} {cut}"


def _weka_rule_condition(condition: Condition, rules: RuleList) -> str:
    schema, recipe = rules.schema, rules.recipe
    if isinstance(condition, IsIn):
        kind = schema.columns[condition.column]
        assert isinstance(kind, Nominal)
        above = set(condition.codes) <= set(_order(condition.column, recipe))
        codes = [code for code in range(len(kind.categories)) if (code in condition.codes) == above]
        return f"{_weka_input(schema, condition.column, codes, recipe)} {'>' if above else '<='} 0.5"
    relation = ">" if isinstance(condition, Above) else "<="
    cut = rounded_number(float(getattr(condition, "value", 0.0)), CUT_DECIMALS)
    return f"{_weka_input(schema, condition.column, None, recipe)} {relation} {cut}"


def _order(column: int, recipe: Mapping[str, Any]) -> list[int]:
    """The categories of a column above the lowest, in the order of their mean target."""
    found: list[int] = json.loads(str(recipe.get("category_order") or "{}")).get(str(column), [])
    return found


def _weka_input(schema: Schema, column: int, codes: Sequence[int] | None, recipe: Mapping[str, Any]) -> str:
    """The name of a column, or of the indicator of some categories: these in the order of their mean target."""
    kind = schema.columns[column]
    name = printable(kind.name)
    if codes is None:
        return name
    assert isinstance(kind, Nominal)
    order, chosen = _order(column, recipe), set(codes)
    ranked = [code for code in dict.fromkeys(order) if code in chosen] if chosen <= set(order) else sorted(chosen)
    return f"{name}={','.join(printable(kind.categories[code]) for code in ranked)}"
