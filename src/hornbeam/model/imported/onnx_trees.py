"""`from_onnx`: import the trees of an ONNX graph as a `Tree` or `Forest`. Reading a file needs the package onnx."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import cuts_of_singles, names_of, schema_of
from hornbeam.model.imported.forests import Together, assemble_forest, named_classes
from hornbeam.model.imported.leaves import averaged, leaf_draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.imported.draft import Draft
    from hornbeam.model.trees.tree import Tree

OPERATORS = ("TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble")
AFTER = ("Identity", "Cast", "ZipMap", "Mul", "ArgMax", "ArrayFeatureExtractor", "Reshape")  # what may follow
MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
AGGREGATE = ("AVERAGE", "SUM", "MIN", "MAX")
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
FLOAT, DOUBLE = 1, 11  # types of tensors
TWO = 2


def from_onnx(
    model: Any,  # noqa: ANN401 - onnx is imported only when it is used
    *,
    features: Sequence[str] | None = None,
    classes: Sequence[Any] | None = None,
    target: str = "target",
    name: str = "table",
) -> Tree | Forest:
    """Return the trees of an ONNX graph as a `Tree` or a `Forest` that predicts the same.

    Parameters
    ----------
    model : path, bytes or ModelProto
        A graph with one operator TreeEnsembleClassifier, TreeEnsembleRegressor (ai.onnx.ml 1 to 4) or TreeEnsemble
        (ai.onnx.ml 5) on its inputs, as skl2onnx and onnxmltools write it; or a graph that hornbeam wrote from a tree,
        a forest or boosting on columns of numbers.
    features : sequence of str, optional
        Names of the columns; by default the names of inputs with one column, otherwise x0, x1 and so on.
    classes : sequence, optional
        Names of the classes; by default those of the graph. A TreeEnsemble has none: without names it predicts a
        number.
    target : str
        Name of what is predicted.
    name : str
        The name of the table, shown with the model.

    Returns
    -------
    Tree or Forest
        If the graph rounds its input to 32 bits, cuts are moved to where that rounding changes the branch, so that
        64-bit numbers take the same branches.

    Raises
    ------
    ModelError
        If the graph has no trees, or other operators than these, or its trees are not supported.
    """
    loaded = _loaded(model)
    graph = loaded.graph
    if graph.name == "hornbeam":
        from hornbeam.model.imported.own_graphs import read_own  # noqa: PLC0415 - it imports this module

        return read_own(loaded, name)
    node = _ensemble(graph)
    columns, is_single = _columns(graph, node.input[0])
    ensemble = _read(node)
    names = names_of(features, columns, max(len(columns), int(ensemble.feature.max(initial=-1)) + 1))
    if len(names) != len(columns):
        msg = f"the trees use the column {int(ensemble.feature.max())}; the graph has {len(columns)} columns"
        raise ModelError(msg)
    recipe = {"learner": "ONNX", "operator": node.op_type}
    labels = ensemble.classes if classes is None or node.op_type == OPERATORS[0] else list(range(len(classes)))
    if labels is None:
        if classes is not None:
            raise ModelError("classes were given, but the graph predicts a number")
        if ensemble.n_outputs != 1 or ensemble.transform != "NONE":
            msg = (
                f"the operator {node.op_type} has {ensemble.n_outputs} outputs, the transform {ensemble.transform}; "
                "expected one number, or give the names of the classes: classes=[...]"
            )
            raise ModelError(msg)
        schema = schema_of([Numeric(title) for title in names], Numeric(target), name)
        return ensemble.numbers(schema, recipe, is_single=is_single)
    named = named_classes(classes, labels, len(labels))
    schema = schema_of([Numeric(title) for title in names], Nominal(target, named), name)
    return ensemble.classified(schema, recipe, is_single=is_single)


def _loaded(model: Any) -> Any:  # noqa: ANN401 - a ModelProto
    try:
        import onnx  # noqa: PLC0415 - an extra
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # noqa: PLC0415 - the same
    except ImportError:
        raise ImportError("reading an ONNX graph needs onnx: pip install 'hornbeam[onnx]'") from None
    if hasattr(model, "graph"):
        return model
    if not isinstance(model, str | bytes | os.PathLike):
        msg = f"found an object of type {type(model).__name__}; expected a path, bytes or a ModelProto"
        raise ModelError(msg)
    try:
        return onnx.load_from_string(model if isinstance(model, bytes) else Path(model).read_bytes())
    except DecodeError:
        raise ModelError("this is not an ONNX file") from None


def _ensemble(graph: Any) -> Any:  # noqa: ANN401 - a NodeProto
    """Return the node with the trees; an error if operators other than those that pass on its results follow it."""
    found = [node for node in graph.node if node.op_type in OPERATORS]
    if len(found) != 1:
        kinds = ", ".join(sorted({node.op_type for node in graph.node})[:8])
        msg = f"the graph has {len(found)} operators with trees; expected one of {', '.join(OPERATORS)} (found {kinds})"
        raise ModelError(msg)
    ones = {each.name for each in graph.initializer if _is_ones(each)}
    reached = set(found[0].output)
    for node in graph.node:
        if reached.isdisjoint(node.input):
            continue
        is_passed = node.op_type in AFTER and (node.op_type != "Mul" or all(i in reached | ones for i in node.input))
        if not is_passed:
            msg = f"the results of the trees go through the operator {node.op_type}, which is not read"
            raise ModelError(msg)
        reached |= set(node.output)
    return found[0]


def _is_ones(tensor: Any) -> bool:  # noqa: ANN401 - a TensorProto
    from onnx.numpy_helper import to_array  # noqa: PLC0415 - an extra

    return tensor.data_type in (FLOAT, DOUBLE) and bool((to_array(tensor) == 1).all())


def _columns(graph: Any, name: str) -> tuple[list[str], bool]:  # noqa: ANN401 - a GraphProto
    """Return the columns of a tensor, and whether they are rounded to 32 bits."""
    inputs = {each.name: each.type.tensor_type for each in graph.input}
    if name in inputs:
        kind, shape = inputs[name].elem_type, inputs[name].shape.dim
        width = shape[1].dim_value if len(shape) == TWO else 0
        if not width:
            msg = f"the shape of the input {name!r} has no number of columns; expected the shape (rows, columns)"
            raise ModelError(msg)
        return [name] if width == 1 else [f"x{place}" for place in range(width)], kind == FLOAT
    for node in graph.node:
        if name not in node.output:
            continue
        if node.op_type == "Identity":
            return _columns(graph, node.input[0])
        if node.op_type == "Cast":
            listed, is_single = _columns(graph, node.input[0])
            return listed, is_single or node.attribute[0].i == FLOAT
        if node.op_type == "Concat":
            parts = [_columns(graph, each) for each in node.input]
            return [title for listed, _ in parts for title in listed], any(single for _, single in parts)
        msg = f"the columns go through the operator {node.op_type}, which is not read; expected trees on the inputs"
        raise ModelError(msg)
    msg = f"the graph has no tensor {name!r}"
    raise ModelError(msg)


@dataclass
class _Ensemble:
    """The nodes of all trees: inner nodes have children, by index, and leaves have values."""

    roots: list[int]
    low: Ints64
    high: Ints64
    feature: Ints64
    mode: list[str]
    split: Floats
    tracks_true: Any  # for a missing value: whether the condition counts as true
    weight: dict[tuple[int, int], float]  # by node and output
    base: list[float]
    n_outputs: int
    transform: str
    aggregate: str
    classes: list[Any] | None

    def drafts(self, width: int, outputs: dict[int, int], *, is_single: bool) -> list[Draft]:
        """Return the trees; each output is one of the values of a leaf."""
        return [self._draft(root, width, outputs, is_single=is_single) for root in self.roots]

    def _draft(self, root: int, width: int, outputs: dict[int, int], *, is_single: bool) -> Draft:
        order, pending = [], [root]
        while pending:
            node = pending.pop()
            order.append(node)
            if len(order) > len(self.low):
                raise ModelError("a node of a tree occurs twice")
            if self.low[node] >= 0:
                pending += [int(self.high[node]), int(self.low[node])]
        place = {node: k for k, node in enumerate(order)}
        low, high, cut, missing_low = [], [], [], []
        value = np.zeros((len(order), width))
        for node in order:
            is_leaf = self.low[node] < 0
            below = self._sides(node, is_single=is_single) if not is_leaf else (-1, -1, 0.0, False)
            low.append(-1 if is_leaf else place[below[0]])
            high.append(-1 if is_leaf else place[below[1]])
            cut.append(below[2])
            missing_low.append(below[3])
        for (node, output), weight in self.weight.items():
            if node in place and output in outputs:
                value[place[node], outputs[output]] += weight
        inner = np.array(low) >= 0
        return leaf_draft(
            np.array(low, np.int64),
            np.array(high, np.int64),
            np.where(inner, self.feature[order], 0).astype(np.int32),
            cuts_of_singles(np.array(cut), inner, round_inputs=is_single),
            np.array(missing_low, np.bool_),
            value,
        )

    def _sides(self, node: int, *, is_single: bool) -> tuple[int, int, float, bool]:
        """Return the children below and above a cut, the cut, and whether missing values go below."""
        true, false, mode, split = int(self.low[node]), int(self.high[node]), self.mode[node], float(self.split[node])
        tracks = bool(self.tracks_true[node])
        if mode not in MODES[:4]:
            msg = f"a node of the trees has the mode {mode}; expected one of {', '.join(MODES[:4])}, which are cuts"
            raise ModelError(msg)
        if mode in ("BRANCH_LT", "BRANCH_GTE"):
            kind = np.float32 if is_single else np.float64
            split = float(np.nextafter(kind(split), kind(-np.inf)))
        if mode in ("BRANCH_LEQ", "BRANCH_LT"):
            return true, false, split, tracks
        return false, true, split, not tracks

    def numbers(self, schema: Any, recipe: Any, *, is_single: bool) -> Tree | Forest:  # noqa: ANN401 - passed on
        """Return trees that predict a number."""
        drafts = self.drafts(1, {0: 0}, is_single=is_single)
        base = self.base or [0.0]
        if len(drafts) == 1:
            drafts[0].value[:] += base[0]
            return averaged(schema, drafts, recipe)
        together = Together(base=np.array(base, float), wide=True, scale=self._scale())
        return assemble_forest(schema, drafts, together, recipe)

    def _scale(self) -> float:
        if self.aggregate not in AGGREGATE[:2]:
            msg = f"the trees are combined by {self.aggregate}; expected SUM or AVERAGE"
            raise ModelError(msg)
        return 1.0 if self.aggregate == "SUM" else 1 / len(self.roots)

    def classified(self, schema: Any, recipe: Any, *, is_single: bool) -> Tree | Forest:  # noqa: ANN401 - passed on
        """Return trees that predict a class."""
        n_classes = len(schema.target_column.categories)
        used = sorted({output for _, output in self.weight})
        if self.transform == "LOGISTIC" and n_classes == TWO and len(used) == 1:
            drafts = self.drafts(1, {used[0]: 0}, is_single=is_single)
            base = np.array([self.base[-1] if self.base else 0.0])
            together = Together(base=base, link="logistic", wide=True, scale=self._scale())
            return assemble_forest(schema, drafts, together, recipe)
        if self.transform == "SOFTMAX" and used[-1] < n_classes:
            drafts = self.drafts(n_classes, {k: k for k in range(n_classes)}, is_single=is_single)
            base = np.array(self.base or [0.0] * n_classes, float)
            together = Together(base=base, link="softmax", wide=True, scale=self._scale())
            return assemble_forest(schema, drafts, together, recipe)
        if self.transform != "NONE" or any(self.base):
            msg = (
                f"the transform is {self.transform} for {n_classes} classes; expected NONE, SOFTMAX or LOGISTIC of two"
            )
            raise ModelError(msg)
        return self._probabilities(schema, recipe, used, is_single=is_single)

    def _probabilities(self, schema: Any, recipe: Any, used: list[int], *, is_single: bool) -> Tree | Forest:  # noqa: ANN401
        """Return trees whose leaves have class probabilities, which add up to 1 over all trees."""
        n_classes = len(schema.target_column.categories)
        only_second = n_classes == TWO and len(used) == 1
        outputs = {used[0]: 1} if only_second else {k: k for k in range(n_classes)}
        drafts = self.drafts(n_classes, outputs, is_single=is_single)
        n_trees = len(drafts)
        for draft in drafts:
            leaf = draft.low < 0
            shares = draft.value * (n_trees * self._scale())
            if only_second:
                shares[:, 0] = 1 - shares[:, 1]
            if (shares[leaf] < -1e-5).any() or np.abs(shares[leaf].sum(axis=1) - 1).max() > 1e-4:  # noqa: PLR2004
                raise ModelError("the leaves have scores that are not class probabilities, and the transform is NONE")
            # weights are 32-bit numbers: products are rounded, so that equally probable classes stay equal
            draft.value[:] = np.clip(shares.astype(np.float32), 0.0, None)
        return averaged(schema, drafts, recipe)


def _read(node: Any) -> _Ensemble:  # noqa: ANN401 - a NodeProto
    from onnx.helper import get_attribute_value  # noqa: PLC0415 - an extra
    from onnx.numpy_helper import to_array  # noqa: PLC0415 - the same

    found: dict[str, Any] = {}
    for each in node.attribute:
        value = get_attribute_value(each)
        found[each.name] = to_array(value) if hasattr(value, "data_type") else value
    try:
        return _of_leaves(found) if node.op_type == OPERATORS[2] else _of_lists(found)
    except (KeyError, IndexError) as error:
        msg = f"the operator {node.op_type} is not complete: {error}"
        raise ModelError(msg) from None


def _of_lists(found: dict[str, Any]) -> _Ensemble:
    """Read a TreeEnsembleClassifier or TreeEnsembleRegressor: nodes by tree and number."""
    kind = "class" if "class_ids" in found else "target"
    values = found.get("nodes_values_as_tensor", found.get("nodes_values", ()))
    keys = list(zip(found["nodes_treeids"], found["nodes_nodeids"], strict=True))
    place = {key: k for k, key in enumerate(keys)}
    mode = [each.decode() for each in found["nodes_modes"]]
    inner = [each != "LEAF" for each in mode]
    children = [
        [place[tree, child] if ask else -1 for (tree, _), child, ask in zip(keys, found[side], inner, strict=True)]
        for side in ("nodes_truenodeids", "nodes_falsenodeids")
    ]
    below = {child for side in children for child in side}
    weights = found.get(f"{kind}_weights_as_tensor", found.get(f"{kind}_weights", ()))
    weight: dict[tuple[int, int], float] = {}
    for tree, leaf, output, each in zip(
        found[f"{kind}_treeids"], found[f"{kind}_nodeids"], found[f"{kind}_ids"], weights, strict=True
    ):
        key = (place[tree, leaf], output)
        weight[key] = weight.get(key, 0.0) + float(each)
    labels = found.get("classlabels_int64s") or [each.decode() for each in found.get("classlabels_strings", ())]
    return _Ensemble(
        roots=[k for k in range(len(keys)) if k not in below],
        low=np.array(children[0], np.int64),
        high=np.array(children[1], np.int64),
        feature=np.array(found["nodes_featureids"], np.int64),
        mode=mode,
        split=np.array(values, np.float64),
        tracks_true=found.get("nodes_missing_value_tracks_true") or [0] * len(keys),
        weight=weight,
        base=[float(each) for each in found.get("base_values_as_tensor", found.get("base_values", ()))],
        n_outputs=len(labels) if kind == "class" else int(found.get("n_targets", 1)),
        transform=found.get("post_transform", b"NONE").decode(),
        aggregate=found.get("aggregate_function", b"SUM").decode(),
        classes=list(labels) if kind == "class" else None,
    )


def _of_leaves(found: dict[str, Any]) -> _Ensemble:
    """Read a TreeEnsemble: inner nodes, then leaves, which are numbered after them here."""
    n_nodes, n_leaves = len(found["nodes_featureids"]), len(found["leaf_targetids"])
    children = []
    for side in ("true", "false"):
        at, is_leaf = np.array(found[f"nodes_{side}nodeids"], np.int64), np.array(found[f"nodes_{side}leafs"], np.bool_)
        children.append(np.concatenate([np.where(is_leaf, at + n_nodes, at), np.full(n_leaves, -1)]))
    low, high = children
    same = (low == high) & (low >= 0)  # the operator's form of a single leaf: both branches lead to it
    if same.any():
        raise ModelError("a node of the trees has the same leaf on both branches, which is not read")
    weights = {
        (n_nodes + k, int(output)): float(each)
        for k, (output, each) in enumerate(zip(found["leaf_targetids"], found["leaf_weights"], strict=True))
    }
    return _Ensemble(
        roots=[int(root) for root in found["tree_roots"]],
        low=low,
        high=high,
        feature=np.concatenate([np.array(found["nodes_featureids"], np.int64), np.zeros(n_leaves, np.int64)]),
        mode=[*(MODES[int(each)] for each in found["nodes_modes"]), *["LEAF"] * n_leaves],
        split=np.concatenate([np.asarray(found["nodes_splits"], np.float64), np.zeros(n_leaves)]),
        tracks_true=[*(found.get("nodes_missing_value_tracks_true") or [0] * n_nodes), *[0] * n_leaves],
        weight=weights,
        base=[],
        n_outputs=int(found.get("n_targets", 1)),
        transform=TRANSFORMS[int(found.get("post_transform", 0))],
        aggregate=AGGREGATE[int(found.get("aggregate_function", 1))],
        classes=None,
    )
