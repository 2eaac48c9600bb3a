"""Trees, rules, equations, forests and ensembles as plain data for the runtimes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.program_values import factor_plain, number, numbers, short_numbers
from hornbeam.model.base.condition import SIGNS, IsIn, IsMissing
from hornbeam.model.forests.precision import in_single_precision
from hornbeam.model.linear.linear import look_ups
from hornbeam.model.trees.equation import Equations
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE, STOP

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.core.base.arrays import Bools, Floats, Ints32
    from hornbeam.export.program_values import Plain, Positions, Write
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import LinearModel, Term
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.model.trees.tree import Tree

NOTHING = 0  # for entries of a list that are never read


# ---- trees ----------------------------------------------------------------------------------------------------------


def tree_plain(tree: Tree, positions: Positions, _write: Write) -> Plain:
    """Convert a tree: one list per attribute of the nodes, and one list per split."""
    if not tree.is_known_sound:
        tree.validate()
    classes = tree.task == "classification"
    used = np.unique(np.concatenate([tree.split[tree.split >= 0], _surrogates(tree)]))
    number_of = {int(split): position for position, split in enumerate(used)}
    ends = _ends(tree)
    plain: Plain = {
        "kind": "tree",
        "splits": _splits_plain(tree, used.tolist(), positions),
        "first": tree.first_child.tolist(),
        "children": tree.n_children.tolist(),
        "split": [number_of.get(split, -1) for split in tree.split.tolist()],
        "missing": tree.missing.tolist(),
        "pseudo": numbers(tree.pseudo_counts) if classes else [0],
    }
    if (tree.missing[tree.split >= 0] == FRACTIONAL).any():
        cut_up = (tree.parent >= 0) & (tree.missing[tree.parent] == FRACTIONAL)
        plain["share"] = numbers(np.where(cut_up, tree.share, NOTHING))
    if len(_surrogates(tree)):
        assert tree.surrogate_start is not None
        listed = [number_of[split] for split in _surrogates(tree).tolist()]
        bounds = tree.surrogate_start.tolist()
        plain["surrogates"] = [listed[low:high] for low, high in pairwise(bounds)]
    if tree.intercept is not None:
        plain["equations"] = _equations(tree, ends, positions)
        plain["value"] = [[number(mean)] if end else NOTHING for mean, end in zip(tree.value[:, 1], ends, strict=True)]
        return plain
    if not tree.none_is_empty:
        plain["source"] = tree.predicting_node.tolist()
    used_nodes = np.zeros(tree.n_nodes, np.bool_)
    used_nodes[[0, *tree.predicting_node[ends]]] = True
    values = tree.value if classes else tree.value[:, 1:2]
    plain["value"] = _at(used_nodes, values[used_nodes])
    if classes:
        plain["weight"] = numbers(np.where(used_nodes, tree.weight, NOTHING))
        plain["pseudoTotal"] = number(float(np.sum(tree.pseudo_counts)))
        plain["label"] = tree.label.tolist()
    return plain


def _at(nodes: Bools, values: Floats) -> list[Any]:
    """Return an entry per node: a row of `values` at some nodes, in order, and nothing at the others."""
    plain, width = numbers(np.ascontiguousarray(values).ravel()), values.shape[1]
    rows = iter([plain[at : at + width] for at in range(0, len(plain), width)])
    return [next(rows) if is_listed else NOTHING for is_listed in nodes.tolist()]


def _surrogates(tree: Tree) -> Ints32:
    return np.empty(0, np.int32) if tree.surrogates is None else tree.surrogates


def _ends(tree: Tree) -> Bools:
    """Whether a row, or a fraction of one, may end at each node."""
    ends: Bools = (tree.first_child < 0) | (tree.missing == STOP)
    for node in np.flatnonzero(~ends & (tree.missing == FRACTIONAL)).tolist():
        first = int(tree.first_child[node])
        ends[node] = not (tree.share[first : first + int(tree.n_children[node])] > LEAST_SHARE).any()
    return ends


def _splits_plain(tree: Tree, used: list[int], positions: Positions) -> list[list[Any]]:
    splits = tree.splits
    kinds, columns, cuts = splits.kind.tolist(), splits.column.tolist(), numbers(splits.cuts)
    cut_start, code_start = splits.cut_start.tolist(), splits.code_start.tolist()
    return [
        _split_plain(
            tree,
            split,
            (kinds[split], positions.of_column[columns[split]]),
            cuts[cut_start[split] : cut_start[split + 1]],
            slice(code_start[split], code_start[split + 1]),
            positions,
        )
        for split in used
    ]


def _split_plain(
    tree: Tree,
    split: int,
    tested: tuple[int, int],
    cuts: list[float | int | str],
    part: slice,
    positions: Positions,
) -> list[Any]:
    """Convert a split of a kind, on the column at a position, with these cuts and this part of the codes."""
    splits, (kind, position) = tree.splits, tested
    if kind == CUTS:
        return [kind, position, int(splits.sides[split]), cuts]
    if kind == CODES:
        return [kind, position, splits.codes[part].tolist()]
    if kind == CODE_SETS:
        return [
            kind,
            position,
            int(splits.other[split]),
            splits.codes[part].tolist(),
            splits.code_branch[part].tolist(),
        ]
    terms = splits.terms_of(split)
    assert terms is not None
    columns = [positions.of_column[column] for column in terms[0].tolist()]
    return [kind, int(splits.sides[split]), cuts, columns, numbers(terms[1])]


def _equations(tree: Tree, ends: Bools, positions: Positions) -> list[Any]:
    """The equation of every node where a row may end, its terms summed in the order of the compiled kernel."""
    ready = Equations(tree)
    assert tree.intercept is not None
    equations: list[Any] = [None] * tree.n_nodes
    for node in np.flatnonzero(ends).tolist():
        parts: list[list[Any]] = []
        for term in range(int(ready.start[node]), int(ready.start[node + 1])):
            feature, table = int(ready.feature[term]), int(ready.table[term])
            position = positions.of_feature[feature]
            if table < 0:
                parts.append([number(ready.coefficient[term]), [[position, number(ready.fill[term]), 1]]])
            else:
                parts.append([numbers(ready.tables[table : table + int(ready.n_codes[feature]) + 1]), position])
        equations[node] = {"intercept": number(tree.intercept[node]), "parts": parts}
    return equations


# ---- equations and rules --------------------------------------------------------------------------------------------


def linear_plain(model: LinearModel, positions: Positions, _write: Write) -> Plain:
    """Convert a linear model."""
    return {"kind": "linear", **_equation_plain(model.intercept, model.terms, positions)}


def _equation_plain(intercept: float, terms: Iterable[Term], positions: Positions) -> Plain:
    """Convert an equation, its parts in the order of `hornbeam.model.linear.linear.evaluate`."""
    others, looked_up = look_ups(terms, positions.schema)
    parts: list[list[Any]] = [
        [number(term.coefficient), [factor_plain(factor, positions) for factor in term.factors]] for term in others
    ]
    parts += [[numbers(by_code), positions.of_column[column]] for column, by_code in looked_up.items()]
    return {"intercept": number(intercept), "parts": parts}


def rules_plain(rules: RuleList, positions: Positions, write: Write) -> Plain:
    """Convert a list of rules, exceptions included."""
    rules.validate()
    target = rules.schema.target_column
    nothing = [0] * len(target.categories) if isinstance(target, Nominal) else [number(math.nan)]
    return {
        "kind": "rules",
        "decide": rules.decide,
        "nothing": nothing,
        "rules": [_rule_plain(rule, rules.pseudo_count, positions, write) for rule in rules.rules],
        "default": None if rules.default is None else _rule_plain(rules.default, rules.pseudo_count, positions, write),
    }


def _rule_plain(rule: Rule, pseudo_count: float, positions: Positions, write: Write) -> Plain:
    outputs = rule.probabilities(pseudo_count)
    plain: Plain = {
        "conditions": [_condition_plain(condition, positions) for condition in rule.conditions],
        "outputs": numbers(outputs),
        "label": rule.label,
    }
    if rule.terms:
        plain["equation"] = _equation_plain(float(outputs[0]), rule.terms, positions)
    if rule.exceptions is not None:
        plain["exceptions"] = rules_plain(rule.exceptions, positions, write)
    return plain


def _condition_plain(condition: Condition, positions: Positions) -> list[Any]:
    position, if_missing = positions.of_column[condition.column], number(condition.if_missing)
    if isinstance(condition, IsIn):
        return ["in", position, list(condition.codes), if_missing, list(condition.as_missing)]
    if isinstance(condition, IsMissing):
        return ["missing", position, [], if_missing, list(condition.as_missing)]
    return [SIGNS[type(condition)], position, number(condition.value), if_missing]


# ---- several models together ----------------------------------------------------------------------------------------


def intervals_plain(model: DiscretizedModel, _positions: Positions, write: Write) -> Plain:
    """Convert a classifier of intervals, and the number that represents each."""
    return {
        "kind": "intervals",
        "classifier": write(model.classifier),
        "values": numbers(model.values),
        "default": number(model.default),
    }


def ensemble_plain(model: Ensemble, _positions: Positions, write: Write) -> Plain:
    """Convert an ensemble and its members."""
    return {
        "kind": "ensemble",
        "decide": model.decide,
        "classes": model.task == "classification",
        "default": numbers(model.default),
        "members": [write(member) for member in model.members],
    }


def forest_plain(forest: Forest, positions: Positions, _write: Write) -> Plain:
    """Convert a forest: one list per attribute of the nodes, values at leaves only."""
    if not forest.is_known_sound:
        forest.validate()
    forest = in_single_precision(forest)
    leaf = forest.first_child < 0
    tests = numbers(np.where(leaf, NOTHING, forest.cut))
    columns = [positions.schema.columns[position] for position in positions.schema.features]
    by_code = [isinstance(column, Nominal) and not column.ordered for column in columns]
    if forest.set_start is not None and forest.codes is not None:
        sets: list[Any] = list(tests)
        for node in np.flatnonzero(~leaf).tolist():
            if by_code[forest.feature[node]]:
                sets[node] = forest.codes[forest.set_start[node] : forest.set_start[node + 1]].tolist()
        tests = sets
    plain: Plain = {
        "kind": "forest",
        "mean": forest.combine == "mean",
        "link": forest.link,
        "base": numbers(forest.base),
        "roots": forest.roots[:-1].tolist(),
        "column": [NOTHING if feature < 0 else positions.of_feature[feature] for feature in forest.feature.tolist()],
        "tests": tests,
        "first": forest.first_child.tolist(),
        "missing": forest.missing.tolist(),
        "value": _at(leaf, short_numbers(forest.value[leaf])),
    }
    if forest.unit is not None:
        plain["unit"] = number(float(forest.unit[0]))
    if forest.output is not None:
        plain["output"] = forest.output.tolist()
    return plain
