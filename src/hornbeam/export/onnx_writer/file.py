"""The format ``onnx``: its entry function: the inputs, the outputs, and the decision rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.manifest import manifest_line
from hornbeam.export.onnx_writer import mixtures, models, rules, trees
from hornbeam.export.onnx_writer.graph import IR_VERSION, ML, ML_OPSET, OPSET, Graph, need_onnx
from hornbeam.export.program import program

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from hornbeam.export.onnx_writer.graph import Outputs
    from hornbeam.export.writers import Exportable

    Plain = dict[str, Any]

NEAR = 1e-9  # probabilities, and costs relative to the greatest, that differ by less are equal
WRITERS: dict[str, Callable[..., Outputs]] = {
    "tree": trees.tree,
    "forest": trees.forest,
    "rules": rules.rules,
    "linear": rules.linear,
    "ensemble": models.ensemble,
    "intervals": models.intervals,
    "margin": models.svm,
    "centers": models.centers,
    "mixture": mixtures.mixture,
}


def onnx(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> bytes:
    r"""Write a model as an ONNX file that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : model or fitted estimator
        What to write: trees, model trees, rules, equations, forests, boosting, ensembles of these, support vector
        machines with a linear kernel, k-means clusters, mixtures.
    costs, decision_threshold : optional
        Instead of the estimator's.

    Returns
    -------
    bytes
        The file. It has one input per column, of the column's name and of shape (rows, 1): doubles, NaN for missing, or
        texts, where any text that is not a category is missing. Its outputs are ``prediction`` (texts or doubles, one
        per row) and, for classes, ``probabilities`` (rows x classes, doubles).

    Raises
    ------
    TypeError
        If the model cannot be written as ONNX; the message has the reason and an alternative.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> data = export.onnx(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> data[:2]
    b'\x08\n'
    """
    need_onnx()
    from onnx import TensorProto, helper

    data = program(model, "ONNX", costs, decision_threshold)
    graph = Graph(data["columns"])

    def write(plain: Plain) -> Outputs:
        if plain["kind"] not in WRITERS:
            msg = "cannot write a model that keeps rows as ONNX; use C, Python or JavaScript"
            raise TypeError(msg)
        return WRITERS[plain["kind"]](graph, plain, write)

    outputs = write(data["model"])
    results: list[tuple[str, str, int, list[Any]]]
    if data["model"]["kind"] == "mixture":
        results = [("prediction", *_prediction(graph, data, outputs))]
        results.append(("probabilities", outputs.values, TensorProto.DOUBLE, [None, outputs.n]))
    elif data["target"]["kind"] == "nominal" and data["model"]["kind"] != "centers":
        values, label = _decided(graph, data, outputs)
        results = [("prediction", _named(graph, data, label), TensorProto.STRING, [None])]
        results.append(("probabilities", values, TensorProto.DOUBLE, [None, outputs.n]))
    else:
        results = [("prediction", *_prediction(graph, data, outputs))]
    nodes = [*graph.nodes, *(helper.make_node("Identity", [value], [name]) for name, value, _, _ in results)]
    kinds = {"numeric": TensorProto.DOUBLE, "nominal": TensorProto.STRING}
    inputs = [
        helper.make_tensor_value_info(name, kinds[column["kind"]], [None, 1])
        for name, column in zip(graph.input_names, data["columns"], strict=True)
    ]
    infos = [helper.make_tensor_value_info(name, kind, shape) for name, _, kind, shape in results]
    made = helper.make_model(
        helper.make_graph(nodes, "hornbeam", inputs, infos, graph.tensors),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
        ir_version=IR_VERSION,
        producer_name="hornbeam",
    )
    helper.set_model_props(made, {"hornbeam": manifest_line(model, "onnx", inputs=graph.input_names)})
    written: bytes = made.SerializeToString(deterministic=True)
    return written


def _prediction(graph: Graph, data: Plain, outputs: Outputs) -> tuple[str, int, list[Any]]:
    """Return the predicted number, or the index of the cluster."""
    if data["model"]["kind"] in ("centers", "mixture"):
        assert outputs.label is not None
        return graph.flat(outputs.label), graph.integer, [None]
    return graph.flat(outputs.values), graph.double, [None]


def _named(graph: Graph, data: Plain, label: str) -> str:
    """Return the names of classes by their index; the last one is for none."""
    classes = data["target"]["categories"]
    flat = graph.flat(label)
    none = graph.op("Less", flat, graph.integers(0))
    place = graph.op("Where", none, graph.integers(len(classes)), flat)
    return graph.entries(graph.texts([*classes, ""]), place)


def _decided(graph: Graph, data: Plain, outputs: Outputs) -> tuple[str, str]:
    """Return the probabilities, and the label chosen by costs, by a threshold, or as the model does."""
    values, label, n, decide = outputs.values, outputs.label, outputs.n, data["decide"]
    assert label is not None
    if "overall" in decide:
        some = graph.op("Greater", graph.total(values), graph.real(0.0))
        overall = graph.constant([[float(each) for each in decide["overall"]]])
        values = graph.op("Where", some, values, overall)
    possible = decide.get("withRows") or [True] * n
    if "costs" in decide:
        matrix = np.array([[float(cost) for cost in row] for row in decide["costs"]])
        may = [k for k in range(n) if possible[k]]
        expected = graph.op("MatMul", values, graph.constant(matrix[:, may]))
        least = graph.op("ReduceMin", expected, graph.integers([1]), keepdims=1)
        limit = graph.op("Add", least, graph.real(NEAR * float(matrix.max())))
        cheap = graph.is_true(graph.op("LessOrEqual", expected, limit))
        place = graph.op("ArgMax", cheap, axis=1, keepdims=1)
        return values, graph.entries(graph.integers(may), place)
    if "threshold" in decide:
        if not all(possible):
            return values, graph.op("Add", graph.zeros(), graph.integers(possible.index(True)))
        limit = graph.real(float(decide["threshold"]) - NEAR)
        second = graph.op("GreaterOrEqual", graph.take(values, [1]), limit)
        return values, graph.as_integer(second)
    unknown = graph.op("Less", label, graph.integers(0))
    return values, graph.op("Where", unknown, graph.greatest(values, n, 0.0), label)
