"""Models as the plain data that `runtime.js` reads: positions in place of names, and only what answers need.

Columns are numbered by their place among the features of the outermost model, of which the models within have some.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.condition_json import number_plain
from hornbeam.model.base.condition import SIGNS, IsIn, IsMissing
from hornbeam.model.linear.linear import look_ups
from hornbeam.model.trees.equation import Equations
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE, STOP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import Factor, LinearModel, Term
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.model.trees.tree import Tree

    Plain = dict[str, Any]
    Write = Callable[[Any], Plain]  # for the models within a model

NOTHING = 0  # where a list has a place that is never looked at


class Places:
    """Where the features of one model stand among those of the outermost one."""

    def __init__(self, schema: Schema, place_of: Mapping[str, int]) -> None:
        self.schema = schema
        self.of_column = [place_of.get(column.name, -1) for column in schema.columns]
        self.of_feature = [self.of_column[position] for position in schema.features]


def number(value: float) -> float | int | str:
    """Give a number for JSON; those that JSON does not know as text, which JavaScript turns into a number."""
    plain = number_plain(value)
    if plain is not None:
        return plain
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def numbers(values: Iterable[float] | NDArray[Any]) -> list[float | int | str]:
    """Give numbers for JSON, each to the last digit."""
    return [number(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]


# ---- trees ----------------------------------------------------------------------------------------------------------


def tree_plain(tree: Tree, places: Places) -> Plain:
    """Give a tree: nodes as lists by name, splits as lists by kind."""
    tree.validate()
    classes = tree.task == "classification"
    used = np.unique(np.concatenate([tree.split[tree.split >= 0], _surrogates(tree)]))
    number_of = {int(split): place for place, split in enumerate(used)}
    ends = _ends(tree)
    plain: Plain = {
        "kind": "tree",
        "splits": [_split_plain(tree, int(split), places) for split in used],
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
        plain["equations"] = _equations(tree, ends, places)
        plain["value"] = [[number(mean)] if end else NOTHING for mean, end in zip(tree.value[:, 1], ends, strict=True)]
        return plain
    if not tree.none_is_empty:
        plain["answering"] = tree.answering.tolist()
    asked = np.zeros(tree.n_nodes, np.bool_)
    asked[[0, *tree.answering[ends]]] = True
    values = tree.value if classes else tree.value[:, 1:2]
    plain["value"] = [numbers(value) if there else NOTHING for value, there in zip(values, asked, strict=True)]
    if classes:
        plain["weight"] = numbers(np.where(asked, tree.weight, NOTHING))
        plain["pseudoTotal"] = number(float(np.sum(tree.pseudo_counts)))
        plain["label"] = tree.label.tolist()
    return plain


def _surrogates(tree: Tree) -> NDArray[np.int32]:
    return np.empty(0, np.int32) if tree.surrogates is None else tree.surrogates


def _ends(tree: Tree) -> NDArray[np.bool_]:
    """Whether a row, or a piece of one, may end at each node."""
    ends: NDArray[np.bool_] = (tree.first_child < 0) | (tree.missing == STOP)
    for node in np.flatnonzero(~ends & (tree.missing == FRACTIONAL)).tolist():
        first = int(tree.first_child[node])
        ends[node] = not (tree.share[first : first + int(tree.n_children[node])] > LEAST_SHARE).any()
    return ends


def _split_plain(tree: Tree, split: int, places: Places) -> list[Any]:
    splits = tree.splits
    kind, place = int(splits.kind[split]), places.of_column[int(splits.column[split])]
    cuts = numbers(splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]])
    part = slice(int(splits.code_start[split]), int(splits.code_start[split + 1]))
    if kind == CUTS:
        return [kind, place, int(splits.sides[split]), cuts]
    if kind == CODES:
        return [kind, place, splits.codes[part].tolist()]
    if kind == CODE_SETS:
        return [kind, place, int(splits.other[split]), splits.codes[part].tolist(), splits.code_branch[part].tolist()]
    terms = splits.terms_of(split)
    assert terms is not None
    columns = [places.of_column[column] for column in terms[0].tolist()]
    return [kind, int(splits.sides[split]), cuts, columns, numbers(terms[1])]


def _equations(tree: Tree, ends: NDArray[np.bool_], places: Places) -> list[Any]:
    """The equation of every node where a row may end, its terms added up as the compiled kernel does."""
    ready = Equations(tree)
    assert tree.intercept is not None
    found: list[Any] = [None] * tree.n_nodes
    for node in np.flatnonzero(ends).tolist():
        parts: list[list[Any]] = []
        for term in range(int(ready.start[node]), int(ready.start[node + 1])):
            feature, table = int(ready.feature[term]), int(ready.table[term])
            place = places.of_feature[feature]
            if table < 0:
                parts.append([number(ready.coefficient[term]), [[place, number(ready.fill[term]), 1]]])
            else:
                parts.append([numbers(ready.tables[table : table + int(ready.n_codes[feature]) + 1]), place])
        found[node] = {"intercept": number(tree.intercept[node]), "parts": parts}
    return found


# ---- equations and rules --------------------------------------------------------------------------------------------


def linear_plain(model: LinearModel, places: Places) -> Plain:
    """Give a linear model."""
    return {"kind": "linear", **equation_plain(model.intercept, model.terms, places)}


def equation_plain(intercept: float, terms: Iterable[Term], places: Places) -> Plain:
    """Give an equation: its parts are added up as `hornbeam.model.linear.linear.evaluate` does."""
    others, looked_up = look_ups(terms, places.schema)
    parts: list[list[Any]] = [
        [number(term.coefficient), [factor_plain(factor, places) for factor in term.factors]] for term in others
    ]
    parts += [[numbers(by_code), places.of_column[column]] for column, by_code in looked_up.items()]
    return {"intercept": number(intercept), "parts": parts}


def factor_plain(factor: Factor, places: Places) -> list[Any]:
    """Give a factor: a power of a number, with what stands in for a missing one, or an entry a category."""
    place, column = places.of_column[factor.column], places.schema.columns[factor.column]
    if factor.codes is not None and isinstance(column, Nominal):
        return [place, numbers(factor.by_code(len(column.categories)))]
    return [place, number(factor.fill), factor.power]


def rules_plain(rules: RuleList, places: Places) -> Plain:
    """Give a list of rules, exceptions included."""
    rules.validate()
    target = rules.schema.target_column
    nothing = [0] * len(target.categories) if isinstance(target, Nominal) else [number(math.nan)]
    return {
        "kind": "rules",
        "decide": rules.decide,
        "nothing": nothing,
        "rules": [_rule_plain(rule, rules.pseudo_count, places) for rule in rules.rules],
        "default": None if rules.default is None else _rule_plain(rules.default, rules.pseudo_count, places),
    }


def _rule_plain(rule: Rule, pseudo_count: float, places: Places) -> Plain:
    shares = rule.shares(pseudo_count)
    plain: Plain = {
        "conditions": [_condition_plain(condition, places) for condition in rule.conditions],
        "shares": numbers(shares),
        "label": rule.label,
    }
    if rule.terms:
        plain["equation"] = equation_plain(float(shares[0]), rule.terms, places)
    if rule.exceptions is not None:
        plain["exceptions"] = rules_plain(rule.exceptions, places)
    return plain


def _condition_plain(condition: Condition, places: Places) -> list[Any]:
    place, if_missing = places.of_column[condition.column], number(condition.if_missing)
    if isinstance(condition, IsIn):
        return ["in", place, list(condition.codes), if_missing, list(condition.as_missing)]
    if isinstance(condition, IsMissing):
        return ["missing", place, [], if_missing, list(condition.as_missing)]
    return [SIGNS[type(condition)], place, number(condition.value), if_missing]


# ---- several models together ----------------------------------------------------------------------------------------


def intervals_plain(model: DiscretizedModel, write: Write) -> Plain:
    """Give a classifier of intervals, and the number that each stands for."""
    return {
        "kind": "intervals",
        "classifier": write(model.classifier),
        "values": numbers(model.values),
        "default": number(model.default),
    }


def ensemble_plain(model: Ensemble, write: Write) -> Plain:
    """Give models that answer together."""
    return {
        "kind": "ensemble",
        "decide": model.decide,
        "classes": model.task == "classification",
        "default": numbers(model.default),
        "members": [write(member) for member in model.members],
    }


def forest_plain(forest: Forest, places: Places) -> Plain:
    """Give a forest: nodes as lists by name, values at the leaves alone."""
    forest.validate()
    leaf = forest.first_child < 0
    asked = numbers(np.where(leaf, NOTHING, forest.cut))
    columns = [places.schema.columns[position] for position in places.schema.features]
    by_code = [isinstance(column, Nominal) and not column.ordered for column in columns]
    if forest.set_start is not None and forest.codes is not None:
        sets: list[Any] = list(asked)
        for node in np.flatnonzero(~leaf).tolist():
            if by_code[forest.feature[node]]:
                sets[node] = forest.codes[forest.set_start[node] : forest.set_start[node + 1]].tolist()
        asked = sets
    values = short_numbers(forest.value)
    plain: Plain = {
        "kind": "forest",
        "mean": forest.combine == "mean",
        "link": forest.link,
        "base": numbers(forest.base),
        "roots": forest.roots[:-1].tolist(),
        "column": [NOTHING if feature < 0 else places.of_feature[feature] for feature in forest.feature.tolist()],
        "asked": asked,
        "first": forest.first_child.tolist(),
        "missing": forest.missing.tolist(),
        "value": [numbers(value) if end else NOTHING for value, end in zip(values, leaf, strict=True)],
    }
    if forest.unit is not None:
        plain["unit"] = number(float(forest.unit[0]))
    if forest.output is not None:
        plain["output"] = forest.output.tolist()
    return plain


def short_numbers(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Numbers of single precision with as few digits as tell them apart; the runtime rounds them to that precision."""
    short = values.astype("U32").astype(np.float64)
    return np.where(short.astype(np.float32) == values, short, values.astype(np.float64))
