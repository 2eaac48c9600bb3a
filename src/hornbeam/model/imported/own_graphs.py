"""ONNX graphs written by hornbeam: trees on numeric columns, recognized by the sequence of operators around them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import schema_of
from hornbeam.model.imported.forests import Together, assemble_forest
from hornbeam.model.imported.leaves import class_tree, number_tree

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.schema import Schema
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.imported.onnx_trees import _Ensemble
    from hornbeam.model.trees.tree import Tree

MARKER = "hornbeam-manifest: "
CLASS = "ArgMax Less ArgMax Where Squeeze Less Where Gather Identity Identity"  # from probabilities to a class
NUMBER = "ArgMax Squeeze Identity"
LOGISTIC = "Add Abs Neg Exp GreaterOrEqual Where Add Div Sub Concat"
FORESTS = {  # by the operators after the sums of leaves: how the trees are combined
    f"Add Div ReduceSum Div {CLASS}": "mean",
    f"Div Mul Add {NUMBER}": "units",
    f"Add {NUMBER}": "identity",
    f"Add Exp {NUMBER}": "exp",
    f"{LOGISTIC} {CLASS}": "logistic",
    f"Add ReduceMax Sub Exp ReduceSum Div {CLASS}": "softmax",
}
TREES = {  # by the operators after the leaf of a row
    f"Cast Squeeze Gather Gather {CLASS.removeprefix('ArgMax ')}": "classes",
    "Cast Squeeze Gather Squeeze Identity": "number",
}
INSTEAD = (
    "; this file was written by hornbeam: load the model file that it was made from, or export that model as plain "
    "text or JSON, which hornbeam.load reads back exactly"
)


def read_own(model: Any, name: str) -> Tree | Forest:  # noqa: ANN401 - a ModelProto
    """Return the trees of a graph that hornbeam wrote."""
    from hornbeam.model.imported.onnx_trees import OPERATORS, _columns, _read  # noqa: PLC0415 - it imports this one

    graph = model.graph
    places = [k for k, node in enumerate(graph.node) if node.op_type in OPERATORS]
    if len(places) != 1:
        raise ModelError("the graph has more than trees, or divides rows with missing values" + INSTEAD)
    node, after = graph.node[places[0]], graph.node[places[0] + 1 :]
    try:
        columns, _ = _columns(graph, node.input[0])
        ensemble = _read(node)
    except ModelError as error:
        raise ModelError(f"{error}{INSTEAD}") from None
    described = _manifest(model)["target"]
    goal = (
        Nominal(described["name"], tuple(described["categories"]))
        if described["kind"] == "nominal"
        else Numeric(described["name"])
    )
    schema = schema_of([Numeric(title) for title in columns], goal, name)
    operators = " ".join(each.op_type for each in after)
    constants = _constants(graph)
    if operators in TREES:
        return _tree(schema, ensemble, after, constants)
    way = FORESTS.get(operators.removeprefix("Cast Gather ReduceSum "))
    if way is None:
        raise ModelError(f"the graph has operators after its trees that are not supported: {operators}{INSTEAD}")
    return _forest(schema, ensemble, way, [each for each in after if each.op_type != "Cast"], constants)


def _manifest(model: Any) -> dict[str, Any]:  # noqa: ANN401 - a ModelProto
    text = next((each.value for each in model.metadata_props if each.key == "hornbeam"), "")
    try:
        found: dict[str, Any] = json.loads(text.partition(MARKER)[2])
        found["target"]["name"]
    except (ValueError, KeyError, TypeError):
        raise ModelError("the graph has no manifest of hornbeam" + INSTEAD) from None
    return found


def _constants(graph: Any) -> dict[str, AnyArray]:  # noqa: ANN401 - a GraphProto
    from onnx.numpy_helper import to_array  # noqa: PLC0415 - an extra

    return {each.name: to_array(each) for each in graph.initializer}


def _valued(ensemble: _Ensemble, table: AnyArray) -> _Ensemble:
    """Replace leaf numbers by the values that a table has for them."""
    numbers = {node: int(number) for (node, _), number in ensemble.weight.items()}
    if any(not 0 <= number < len(table) for number in numbers.values()):
        raise ModelError("a leaf has a number that the table of values does not have" + INSTEAD)
    ensemble.weight = {
        (node, k): float(value) for node, number in numbers.items() for k, value in enumerate(table[number])
    }
    return ensemble


def _tree(schema: Schema, ensemble: _Ensemble, after: Any, constants: dict[str, AnyArray]) -> Tree:  # noqa: ANN401 - nodes
    """Return one tree: its leaves have probabilities and a class, or a number."""
    recipe = {"learner": "ONNX", "operator": "TreeEnsemble"}
    tables = [constants[node.input[0]] for node in after if node.op_type == "Gather" and node.input[0] in constants]
    values = next(table for table in tables if table.dtype == np.float64)
    if not isinstance(schema.target_column, Nominal):
        (draft,) = _valued(ensemble, values.reshape(len(values), 1)).drafts(1, {0: 0}, is_single=False)
        return number_tree(schema, draft, recipe)
    n = values.shape[1]
    labels = next(table for table in tables if table.dtype == np.int64).reshape(-1, 1)
    if len(labels) != len(values):
        raise ModelError("the classes and the probabilities of the leaves do not match" + INSTEAD)
    both = np.hstack([values, labels])
    (draft,) = _valued(ensemble, both).drafts(n + 1, {k: k for k in range(n + 1)}, is_single=False)
    leaf = draft.low < 0
    draft.label[leaf] = np.rint(draft.value[leaf, n]).astype(np.int32)
    draft.value = draft.value[:, :n]
    return class_tree(schema, draft, recipe)


def _forest(
    schema: Schema,
    ensemble: _Ensemble,
    way: str,
    after: Any,  # noqa: ANN401 - nodes
    constants: dict[str, AnyArray],
) -> Forest:
    """Return trees whose values are added."""
    table = constants[after[0].input[0]]
    n = table.shape[1]
    drafts = _valued(ensemble, table).drafts(n, {k: k for k in range(n)}, is_single=False)
    add = next(node for node in after if node.op_type == "Add")
    base = np.array(constants[add.input[1]], np.float64).reshape(-1)
    scale = 1.0
    if way == "units":
        unit = next(node for node in after if node.op_type == "Mul")
        scale = float(constants[unit.input[1]]) / len(drafts)
    together = Together(
        base=base,
        link=way if way in ("logistic", "softmax", "exp") else "identity",  # type: ignore[arg-type]
        combine="mean" if way == "mean" else "sum",
        wide=True,
        scale=scale,
    )
    return assemble_forest(schema, drafts, together, {"learner": "ONNX", "operator": "TreeEnsemble"})
