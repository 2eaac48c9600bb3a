"""`from_lightgbm`: one tree of a LightGBM booster as our `Tree`. Reads its dump; LightGBM is not imported."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal, Numeric
from hornbeam.model.base.errors import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER, Draft, assemble, names_of, schema_of, spread_of_leaves

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

ZERO = float(np.float32(1e-35))  # a number no further from 0 than this is 0 (LightGBM's kZeroThreshold)
BELOW_ZERO = float(np.nextafter(-ZERO, -1))  # the greatest number that is not
INFINITE = 1e300  # what LightGBM writes for an infinite number
UNREACHED = 1e-9  # weight of a leaf that says it holds none: a leaf without any would not predict for itself


def from_lightgbm(
    booster: Any,  # noqa: ANN401 - LightGBM is not imported here
    tree: int = 0,
    *,
    features: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[Any]] | None = None,
    target: str = "score",
    name: str = "booster",
) -> Tree:
    """Return one tree of a LightGBM booster as a `Tree` that predicts its part of the raw score.

    Parameters
    ----------
    booster : Booster, LGBMModel or dict
        A trained booster, a scikit-learn wrapper of one, or what ``booster.dump_model()`` gave.
    tree : int
        Which tree, from 0. A booster of several classes has one tree for each class in every iteration: the tree of
        class k in iteration i is number ``i * classes + k``.
    features : sequence of str, optional
        Names of the columns; by default the booster's.
    categories : mapping, optional
        For a column of categories their names, in the order of the codes that the booster saw. By default those of the
        pandas columns it was trained on, and else the codes themselves. A column named here that is cut like a number
        is ordered.
    target : str
        Name of what is predicted.
    name : str
        What the table is called where the tree is shown.

    Returns
    -------
    Tree
        Regression: the prediction at a leaf is the leaf's value, so that predictions are those of
        ``booster.predict(..., raw_score=True, start_iteration=tree, num_iteration=1)``. Weights are those that the
        booster itself gives its leaves (sums of second derivatives; for squared error, those of the rows). It gives no
        squared error: a leaf's is 0, and an inner node's is that of the predictions below it about their mean.

    Raises
    ------
    ModelError
        Where the object is no booster, there is no such tree, its leaves are linear models, or zero counts as missing
        and does not go where numbers beside it go.

    Examples
    --------
    >>> leaf = {"leaf_value": 1.0, "leaf_weight": 4.0, "leaf_count": 4}
    >>> other = {"leaf_value": 2.0, "leaf_weight": 6.0, "leaf_count": 6}
    >>> root = {
    ...     "split_feature": 0, "split_gain": 2.4, "threshold": 0.5, "decision_type": "<=", "default_left": True,
    ...     "missing_type": "NaN", "internal_count": 10, "left_child": leaf, "right_child": other,
    ... }
    >>> dump = {"feature_names": ["age"], "num_tree_per_iteration": 1, "tree_info": [{"tree_structure": root}]}
    >>> found = from_lightgbm(dump)
    >>> found
    Tree('booster': 3 nodes, 2 leaves, depth 1)
    >>> found.predict_matrix([[0.5], [0.6], [float("nan")]]).tolist()
    [1.0, 2.0, 1.0]
    """
    dump, place = _dump_of(booster, tree)
    try:
        reader = _Reader(dump, features, categories)
        return reader.read(dump["tree_info"][place]["tree_structure"], tree, target, name)
    except (KeyError, TypeError, AttributeError) as error:
        msg = f"this is not what a booster's dump_model() gives: {type(error).__name__}: {error}"
        raise ModelError(msg) from None


def _dump_of(booster: Any, tree: int) -> tuple[Mapping[str, Any], int]:  # noqa: ANN401 - as above
    """What the booster says of the iteration with this tree, and the tree's place there."""
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


@dataclass
class _Nodes:
    """The nodes of a dump, numbered as they are met."""

    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    missing_low: list[bool] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    value: list[tuple[float, float, float]] = field(default_factory=list)
    codes: dict[int, list[int]] = field(default_factory=dict)

    def add(self, rows: int, value: tuple[float, float, float]) -> int:
        """A node that is a leaf until its split is known."""
        self.low.append(-1)
        self.high.append(-1)
        self.column.append(-1)
        self.cut.append(0.0)
        self.missing_low.append(False)
        self.score.append(np.nan)
        self.rows.append(rows)
        self.value.append(value)
        return len(self.low) - 1


class _Reader:
    """Reads one tree of a dump."""

    def __init__(
        self, dump: Mapping[str, Any], features: Sequence[str] | None, categories: Mapping[str, Sequence[Any]] | None
    ) -> None:
        own = list(dump["feature_names"])
        self.names = names_of(features, own, len(own))
        self.seen = _categories_seen(dump, own)  # by position; codes
        self.known = _category_names(dump, self.names, self.seen, categories or {})  # by position; texts

    def read(self, structure: Mapping[str, Any], number: int, target: str, name: str) -> Tree:
        nodes = self._nodes(structure)
        value = np.array(nodes.value)
        low, high = np.array(nodes.low, np.int64), np.array(nodes.high, np.int64)
        spread_of_leaves(low, high, value)
        draft = Draft(
            low=low,
            high=high,
            column=np.array(nodes.column, np.int32),
            cut=np.array(nodes.cut),
            codes=nodes.codes,
            missing_low=np.array(nodes.missing_low, np.bool_),
            score=np.array(nodes.score),
            rows=np.array(nodes.rows, np.int64),
            weight=np.ascontiguousarray(value[:, 0]),
            value=value,
            label=np.full(len(value), -1, np.int32),
            error=np.ascontiguousarray(value[:, 2]),
        )
        cut = {draft.column[node] for node in range(len(low)) if low[node] >= 0 and node not in nodes.codes}
        columns = [self._column(place, ordered=place in cut) for place in range(len(self.names))]
        schema = schema_of(columns, Numeric(target), name)
        return assemble(schema, draft, {"learner": "LightGBM", "tree": int(number)})

    def _nodes(self, structure: Mapping[str, Any]) -> _Nodes:
        nodes = _Nodes()
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

    def _split(self, nodes: _Nodes, index: int, item: Mapping[str, Any]) -> None:
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
            return  # a row without the value, or with a category not listed, goes high
        if item["decision_type"] != "<=":
            msg = f"a split decides by {item['decision_type']!r}; expected '<=' or '=='"
            raise ModelError(msg)
        cut, low = float(item["threshold"]), bool(item["default_left"])
        nodes.cut[index] = EVERY_NUMBER if cut >= INFINITE else cut
        if abs(cut) <= ZERO:  # numbers this near to 0 are read as 0, so they all go its way
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
        """The cut where zero goes the way of missing values."""
        if low and cut >= -ZERO:
            return max(cut, ZERO)
        if not low and cut <= ZERO:
            return min(cut, BELOW_ZERO)
        beside = "above" if low else "at or below"
        msg = (
            f"column {self.names[place]!r}: zero counts as missing and goes {'low' if low else 'high'}, but lies "
            f"{beside} the cut {cut:g}; a split here cannot say that: train with zero_as_missing=False"
        )
        raise ModelError(msg)

    def code_positions(self, place: int) -> dict[int, int]:
        """Our code of each of the booster's codes of a column."""
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
    """The categories' names of each column that has some, by position."""
    strange = [name for name in given if name not in names]
    if strange:
        msg = f"categories were given for {strange[0]!r}; the columns are {', '.join(map(repr, names))}"
        raise ModelError(msg)
    known = {names.index(name): tuple(map(_text, listed)) for name, listed in given.items()}
    framed = dump.get("pandas_categorical") or []
    unnamed = [place for place in sorted(seen) if place not in known]
    if framed and unnamed:
        if len(framed) != len(seen):
            msg = (
                f"the booster was trained on {len(framed)} categorical pandas columns, and treats {len(seen)} as "
                f"categories; it does not say which are which: give categories={{{names[unnamed[0]]!r}: [...], ...}}"
            )
            raise ModelError(msg)
        named = dict(zip(sorted(seen), framed, strict=True))
        known |= {place: tuple(map(_text, named[place])) for place in unnamed}
    return known


def _text(category: object) -> str:
    """A category's name as tables write it."""
    if isinstance(category, bool):
        return str(category).lower()
    return show_number(float(category)) if isinstance(category, numbers.Real) else str(category)
