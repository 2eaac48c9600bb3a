"""`from_lightgbm`: import a LightGBM booster, or one of its trees, from its dump; LightGBM is not needed."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Column, Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, Nodes, assemble, names_of, schema_of
from hornbeam.model.imported.forests import (
    Link,
    Together,
    assemble_forest,
    given_categories,
    make_target,
    named_classes,
    text_of,
)

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.imported.draft import Draft
    from hornbeam.model.trees.tree import Tree

ZERO = float(np.float32(1e-35))  # a number no further from 0 than this is 0 (LightGBM's kZeroThreshold)
BELOW_ZERO = float(np.nextafter(-ZERO, -1))  # the greatest number below that range
INFINITE = 1e300  # what LightGBM writes for an infinite number
LINKS: dict[str, Link] = {
    "binary": "logistic",
    "multiclass": "softmax",
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
}
UNREACHED = 1e-9  # weight of a leaf with weight 0 in the dump: a leaf without any weight would not make predictions


def from_lightgbm(
    booster: Any,  # noqa: ANN401 - LightGBM is not imported here
    tree: int | None = None,
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
    target: str | None = None,
    name: str = "booster",
) -> Forest | Tree:
    """Return a LightGBM booster as a `Forest` that predicts the same, or one of its trees as a `Tree`.

    Parameters
    ----------
    booster : Booster, LGBMModel or dict
        A trained booster, a scikit-learn wrapper of one, or the result of ``booster.dump_model()``. After early
        stopping, the trees up to the best iteration are used, as in its `predict`.
    tree : int, optional
        Which tree, from 0; None: all of them. A booster of several classes has one tree for each class in every
        iteration: the tree of class k in iteration i is number ``i * classes + k``.
    features : sequence of str, optional
        Names of the columns; by default the booster's.
    classes : sequence, optional
        Names of the classes of a whole booster; by default those of the wrapper, otherwise 0, 1 and so on.
    categories : mapping, optional
        The names of the categories of a column, in the order of the codes that the booster was trained with. By default
        those of the pandas columns it was trained on, otherwise the codes themselves. A column in this mapping that is
        cut like a number is ordered.
    target : str, optional
        Name of what is predicted; by default "target", or "score" of a tree.
    name : str
        The name of the table, shown with the model.

    Returns
    -------
    Forest or Tree
        A tree predicts its part of the raw score, as ``booster.predict(..., raw_score=True, start_iteration=tree,
        num_iteration=1)`` does. Weights are those of the booster's leaves (sums of second derivatives; for squared
        error, row weights). The booster has no squared errors: they are 0 at leaves, and at inner nodes those of the
        predictions below around their mean.

    Raises
    ------
    ModelError
        If the object is not a booster, there is no such tree, its leaves are linear models, zero counts as missing and
        takes another branch than nearby numbers, or the objective of the whole booster is not supported.

    Examples
    --------
    >>> leaf = {"leaf_value": 1.0, "leaf_weight": 4.0, "leaf_count": 4}
    >>> other = {"leaf_value": 2.0, "leaf_weight": 6.0, "leaf_count": 6}
    >>> root = {
    ...     "split_feature": 0, "split_gain": 2.4, "threshold": 0.5, "decision_type": "<=", "default_left": True,
    ...     "missing_type": "NaN", "internal_count": 10, "left_child": leaf, "right_child": other,
    ... }
    >>> dump = {"feature_names": ["age"], "num_tree_per_iteration": 1, "tree_info": [{"tree_structure": root}]}
    >>> found = from_lightgbm(dump, tree=0)
    >>> found
    Tree('booster': 3 nodes, 2 leaves, depth 1)
    >>> found.predict_codes([[0.5], [0.6], [float("nan")]]).tolist()
    [1.0, 2.0, 1.0]
    """
    try:
        if tree is None:
            dump = _whole_dump(booster)
            found = getattr(booster, "classes_", None)
            return _Reader(dump, features, categories).forest(classes, found, target or "target", name)
        dump, place = _dump_of(booster, tree)
        reader = _Reader(dump, features, categories)
        return reader.read(dump["tree_info"][place]["tree_structure"], tree, target or "score", name)
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"this is not the result of a booster's dump_model(): {type(error).__name__}: {error}"
        raise ModelError(msg) from None


def _whole_dump(booster: Any) -> Mapping[str, Any]:  # noqa: ANN401 - as above
    """The entries of all trees that the booster's `predict` uses."""
    source = getattr(booster, "booster_", booster)
    if isinstance(source, Mapping) or not hasattr(source, "dump_model") or not hasattr(source, "num_trees"):
        return _dump_of(booster, 0)[0]  # raises an error if it is neither
    dump: Mapping[str, Any] = source.dump_model()
    return dump


def _dump_of(booster: Any, tree: int) -> tuple[Mapping[str, Any], int]:  # noqa: ANN401 - as above
    """The entry of the iteration with this tree, and the index of the tree in it."""
    if not isinstance(tree, numbers.Integral) or isinstance(tree, bool):
        msg = f"tree is {tree!r}; expected a whole number"
        raise ModelError(msg)
    source = getattr(booster, "booster_", booster)
    if isinstance(source, Mapping):
        if "tree_info" not in source or "feature_names" not in source:
            msg = (
                "the dictionary has no 'tree_info' or no 'feature_names'; expected what a booster's dump_model() gives"
            )
            raise ModelError(msg)
        count, start = len(source["tree_info"]), 0
        dump: Mapping[str, Any] = source
    elif hasattr(source, "dump_model") and hasattr(source, "num_trees"):
        count, width = source.num_trees(), source.num_model_per_iteration()
        start = int(tree) // width * width
        dump = source.dump_model(num_iteration=1, start_iteration=start // width) if 0 <= tree < count else {}
    else:
        msg = f"found an object of type {type(booster).__name__}; expected a LightGBM booster or its dump_model()"
        raise ModelError(msg)
    if not 0 <= tree < count:
        msg = f"there is no tree {tree}; the booster has {count} trees, from 0"
        raise ModelError(msg)
    return dump, int(tree) - start


class _Reader:
    """Reads one tree of a dump."""

    def __init__(
        self, dump: Mapping[str, Any], features: Sequence[str] | None, categories: Mapping[str, Sequence[Any]] | None
    ) -> None:
        self.dump = dump
        own = list(dump["feature_names"])
        self.names = names_of(features, own, len(own))
        self.seen = _categories_seen(dump, own)  # by position; codes
        self.known = _category_names(dump, self.names, self.seen, categories or {})  # by position; texts

    def read(self, structure: Mapping[str, Any], number: int, target: str, name: str) -> Tree:
        draft = self._nodes(structure).draft()
        schema = schema_of(self._columns([draft]), Numeric(target), name)
        return assemble(schema, draft, {"learner": "LightGBM", "tree": int(number)})

    def forest(self, classes: Sequence[Any] | None, found: Any, target: str, name: str) -> Forest:  # noqa: ANN401 - whatever the wrapper has
        objective, *settings = str(self.dump.get("objective", "")).split() or [""]
        if objective not in LINKS or "sqrt" in settings:
            said = " ".join([objective, *settings]) or "a function of the user"
            msg = f"the objective is {said}; can import {', '.join(LINKS)}, and single trees of every booster"
            raise ModelError(msg)
        link = LINKS[objective]
        n_outputs = int(self.dump["num_tree_per_iteration"])
        labels = None
        if link in {"logistic", "softmax"}:
            labels = named_classes(classes, found, n_outputs if link == "softmax" else 2)
        elif classes is not None:
            msg = f"classes were given, but the objective {objective} predicts a number"
            raise ModelError(msg)
        structures = [info["tree_structure"] for info in self.dump["tree_info"]]
        scale = next((float(each[len("sigmoid:") :]) for each in settings if each.startswith("sigmoid:")), 1.0)
        if self.dump.get("average_output"):  # a random forest
            scale /= max(len(structures) // n_outputs, 1)
        drafts = [self._nodes(structure).draft() for structure in structures]
        together = Together(
            base=np.zeros(n_outputs),
            link=link,
            output=np.arange(len(drafts), dtype=np.int32) % n_outputs if n_outputs > 1 else None,
            scale=scale,
        )
        schema = schema_of(self._columns(drafts), make_target(target, link, labels), name)
        return assemble_forest(schema, drafts, together, {"learner": "LightGBM", "objective": objective})

    def _columns(self, drafts: Sequence[Draft]) -> list[Column]:
        cut = {
            int(draft.column[node])
            for draft in drafts
            for node in np.flatnonzero(draft.low >= 0).tolist()
            if node not in draft.codes
        }
        return [self._column(place, ordered=place in cut) for place in range(len(self.names))]

    def _nodes(self, structure: Mapping[str, Any]) -> Nodes:
        nodes = Nodes()
        pending: list[tuple[Mapping[str, Any], int, bool]] = [(structure, -1, True)]
        while pending:  # not by recursion: a tree may be deeper than Python's stack
            item, parent, is_low = pending.pop()
            if "split_feature" in item:
                index = nodes.add(int(item.get("internal_count", 0)), (0.0, 0.0, 0.0))
                self._split(nodes, index, item)
                pending += [(item["right_child"], index, False), (item["left_child"], index, True)]
            else:
                index = nodes.add(int(item.get("leaf_count", 0)), _leaf(item))
            if parent >= 0:
                (nodes.low if is_low else nodes.high)[parent] = index
        return nodes

    def _split(self, nodes: Nodes, index: int, item: Mapping[str, Any]) -> None:
        place = nodes.column[index] = int(item["split_feature"])
        nodes.score[index] = float(item.get("split_gain", np.nan))
        if item["decision_type"] == "==":
            codes = [int(code) for code in str(item["threshold"]).split("||")]
            positions = self.code_positions(place)
            outside = [code for code in codes if code not in positions]
            if outside:
                msg = f"column {self.names[place]!r}: the tree names its category {outside[0]}, which has no name"
                raise ModelError(msg)
            nodes.codes[index] = sorted(positions[code] for code in codes)
            return  # a row with a missing value, or with a category that is not listed, goes to the high branch
        if item["decision_type"] != "<=":
            msg = f"a split decides by {item['decision_type']!r}; expected '<=' or '=='"
            raise ModelError(msg)
        cut, low = float(item["threshold"]), bool(item["default_left"])
        nodes.cut[index] = EVERY_NUMBER if cut >= INFINITE else cut
        if abs(cut) <= ZERO:  # numbers this close to 0 are read as 0, so they all take the same branch
            nodes.cut[index] = ZERO if cut >= 0 else BELOW_ZERO
        kind = item["missing_type"]
        if kind == "None":  # a missing value is 0
            nodes.missing_low[index] = cut >= 0
        elif kind == "NaN":
            nodes.missing_low[index] = low
        elif kind == "Zero":
            nodes.missing_low[index] = low
            nodes.cut[index] = self._zero_is_missing(place, cut, low=low)
        else:
            msg = f"a split treats missing values as {kind!r}; expected 'None', 'NaN' or 'Zero'"
            raise ModelError(msg)

    def _zero_is_missing(self, place: int, cut: float, *, low: bool) -> float:
        """The cut, where zero takes the branch of missing values."""
        if low and cut >= -ZERO:
            return max(cut, ZERO)
        if not low and cut <= ZERO:
            return min(cut, BELOW_ZERO)
        beside = "above" if low else "at or below"
        msg = (
            f"column {self.names[place]!r}: zero counts as missing and goes {'low' if low else 'high'}, but lies "
            f"{beside} the cut {cut:g}; splits of hornbeam cannot express that: train with zero_as_missing=False"
        )
        raise ModelError(msg)

    def code_positions(self, place: int) -> dict[int, int]:
        """Our code for each of the booster's codes of a column."""
        if place in self.known:
            return {code: code for code in range(len(self.known[place]))}
        return {code: position for position, code in enumerate(self.seen.get(place, []))}

    def _column(self, place: int, *, ordered: bool) -> Column:
        if place in self.known:
            return Nominal(self.names[place], self.known[place], ordered=ordered and place not in self.seen)
        if place in self.seen:
            return Nominal(self.names[place], tuple(str(code) for code in self.seen[place]))
        return Numeric(self.names[place])


def _leaf(item: Mapping[str, Any]) -> tuple[float, float, float]:
    if "leaf_coeff" in item:
        raise ModelError("the leaves are linear models (linear_tree); only trees whose leaves are numbers can be read")
    weight = float(item.get("leaf_weight", 0.0)) or float(item.get("leaf_count", 0.0))
    return max(weight, UNREACHED), float(item["leaf_value"]), 0.0


def _categories_seen(dump: Mapping[str, Any], names: list[str]) -> dict[int, list[int]]:
    """The codes of each column of categories, by position: those seen in training and those a split names."""
    found: dict[int, set[int]] = {}
    for name, info in dump.get("feature_infos", {}).items():
        if info.get("values"):
            found[names.index(name)] = {int(code) for code in info["values"] if int(code) >= 0}
    pending = [info["tree_structure"] for info in dump["tree_info"]]
    while pending:
        item = pending.pop()
        if "split_feature" not in item:
            continue
        if item["decision_type"] == "==":
            codes = (int(code) for code in str(item["threshold"]).split("||"))
            found.setdefault(int(item["split_feature"]), set()).update(codes)
        pending += [item["left_child"], item["right_child"]]
    return {place: sorted(codes) for place, codes in found.items()}


def _category_names(
    dump: Mapping[str, Any], names: list[str], seen: Mapping[int, list[int]], given: Mapping[str, Sequence[Any]]
) -> dict[int, tuple[str, ...]]:
    """The names of categories by position of the column."""
    known = given_categories(names, given)
    framed = dump.get("pandas_categorical") or []
    unnamed = [place for place in sorted(seen) if place not in known]
    if framed and unnamed:
        if len(framed) != len(seen):
            msg = (
                f"the booster was trained on {len(framed)} categorical pandas columns, and treats {len(seen)} as "
                f"categories; it does not record which are which: give categories={{{names[unnamed[0]]!r}: [...], ...}}"
            )
            raise ModelError(msg)
        named = dict(zip(sorted(seen), framed, strict=True))
        known |= {place: tuple(map(text_of, named[place])) for place in unnamed}
    return known
