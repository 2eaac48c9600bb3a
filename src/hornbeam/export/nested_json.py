"""The format ``json``: a model as nested JSON, and trees, every node with its split, numbers and children.

For programs and people that want to inspect a model without this package. It is written node by node, not by
recursion, so a tree of any depth can be written. Numbers that are infinite or not a number are null.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.export.json_models import (
    clusters_json,
    discretized_json,
    ensemble_json,
    forest_json,
    linear_json,
    rules_json,
    term_plain,
)
from hornbeam.export.json_values import condition_plain, dumps, number_plain
from hornbeam.export.manifest import MANIFEST, manifest
from hornbeam.export.writers import exact_bytes, unwrap, writer_for
from hornbeam.model.base.kept_predictions import OutputModel
from hornbeam.model.files.written import KEY, to_plain
from hornbeam.model.trees.equation import equation_of
from hornbeam.model.trees.node import code_branches, missing_weight
from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability, by_node
from hornbeam.model.trees.split import CUTS, FRACTIONAL, STOP
from hornbeam.model.trees.split_tests import SplitTests, split_tests
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hornbeam.export.writers import Exportable
    from hornbeam.model.trees.node import Node

STEP = "  "
MOST_INDENT = 400  # spaces: a deep tree would otherwise be mostly indentation
CLUSTERS = ("partition", "mixture", "concepts", "projected", "dendrogram", "graph-clusters")
WRITERS: dict[str, Callable[[Any, Callable[[Any], str]], str]] = {  # by kind; of all models except trees
    "rules": rules_json,
    "linear": linear_json,
    "discretized": discretized_json,
    "ensemble": ensemble_json,
    "forest": forest_json,
    **dict.fromkeys(CLUSTERS, clusters_json),
}


def json(
    model: Exportable,
    *,
    p_values: bool = False,
    calibration: Any = None,  # noqa: ANN401 - a result, or what it holds
    stability: Any = None,  # noqa: ANN401 - the same
    exact: bool = True,
) -> str:
    """Write a model as JSON, which `hornbeam.load` reads back to the same model.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel, DiscretizedModel, Ensemble, Forest, Clustering or fitted estimator
        What to write; for an estimator, its `model_`.
    p_values : bool
        Trees of classes: add to every split the p-value of its chi-square test.
    calibration : result of `hornbeam.evaluate.conformal`, or mapping of node to LeafCalibration, optional
        One tree: add ``calibration`` to the nodes where rows end: the prediction set or the interval.
    stability : result of `hornbeam.evaluate.stability`, or mapping of node to SplitStability, optional
        One tree: add ``stability`` to the nodes that are split: how often the split recurs.
    exact : bool
        Add the entry ``exact``: the content of the model file, from which the model is read back.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``leaves``, ``size``, ``depth`` and ``tree``: the root node.
        A node has ``weight``, ``error``, ``label`` and ``distribution`` (or ``mean`` and ``sd``), its ``conditions``
        (what a row must satisfy to reach the node; ``if_missing`` is the weight of a row without the value) and, unless
        it is a leaf, ``column`` (``columns`` of a sum), ``score`` (where the split has one), ``missing``
        (``"fractional"``, ``"stop"`` or the branch that rows without the value take), ``surrogates`` (tried first for
        such rows; with ``agreement``) and ``alternatives`` (runner-up splits, with their ``score`` and the ``gap`` to
        the chosen one), if there are some, and ``children``. A condition on a sum of columns has ``sum``, a list of
        ``column`` and ``coefficient``, in place of ``column``. With `p_values`, a node that is split has ``p_values``:
        ``statistic``, ``degrees`` and ``p_value`` (and ``log_p_value``, its natural logarithm, for values too small for
        a number). For other models see the functions of `hornbeam.export.json_models`.
    """
    _, plain = unwrap(model)
    nested = _nested(plain, p_values=p_values, calibration=calibration, stability=stability)
    if not exact:
        return nested
    entries = {MANIFEST: manifest(model, "json"), KEY: to_plain(exact_bytes(model))}
    more = ",\n".join(f"{STEP}{dumps(name)}: {dumps(content)}" for name, content in entries.items())
    return f"{nested.rstrip().removesuffix('}').rstrip()},\n{more}\n}}"


def _nested(plain: Any, *, p_values: bool, calibration: Any, stability: Any) -> str:  # noqa: ANN401 - as above
    if isinstance(plain, Tree):
        return _tree_json(plain, p_values=p_values, calibration=calibration, stability=stability)
    if calibration is not None or stability is not None:
        raise ValueError(f"calibration and stability are for one tree; found a {type(plain).__name__}")
    keeps = isinstance(plain, OutputModel)
    reason = ": its predictions need the kept rows; use export.plain or the model file" if keeps else ""
    expected = "a Tree, a RuleList or a fitted estimator"
    write = writer_for(plain, WRITERS, "JSON", expected=expected, reason=reason)
    return write(plain, lambda inner: json(inner, p_values=p_values, exact=False))


def _tree_json(tree: Tree, *, p_values: bool, calibration: Any, stability: Any) -> str:  # noqa: ANN401 - as above
    head = {
        "kind": "tree",
        "target": tree.schema.target_column.name,
        "columns": tree.schema.to_json()["columns"],
        "leaves": int(tree.n_leaves),
        "size": int(tree.n_nodes),
        "depth": int(tree.depth),
    }
    lines = ["{"]
    lines += [f"{STEP}{dumps(key)}: {dumps(value)}," for key, value in head.items()]
    lines.append(f'{STEP}"tree": {{')
    extras: dict[str, Mapping[int, Any]] = {}
    if calibration is not None:
        extras["calibration"] = by_node(calibration, LeafCalibration, "calibration")
    if stability is not None:
        extras["stability"] = by_node(stability, SplitStability, "stability")
    lines += _nodes(tree, split_tests(tree) if p_values else None, extras)
    lines.append("}")
    return "\n".join(lines)


def _nodes(tree: Tree, tests: SplitTests | None, extras: Mapping[str, Mapping[int, Any]]) -> list[str]:
    """The lines of all nodes, without the root's opening brace."""
    lines: list[str] = []
    # What remains to be written: a node with its indentation and the comma after it, or a line as it is.
    pending: list[tuple[Node, str, str] | str] = [(tree.root, STEP * 2, "")]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            lines.append(item)
            continue
        node, indent, comma = item
        named = _fields(node)
        if tests is not None and not node.is_leaf:
            named["chi_square"] = _test_plain(tests, node.index)
        named |= {name: extra[node.index].to_json() for name, extra in extras.items() if node.index in extra}
        fields = [f"{indent}{dumps(key)}: {dumps(value)}" for key, value in named.items()]
        lines += [f"{field}," for field in fields[:-1]]
        outer = indent[: -len(STEP)]
        if node.is_leaf:
            lines += [fields[-1], f"{outer}}}{comma}"]
            continue
        lines += [f"{fields[-1]},", f'{indent}"children": [']
        pending += [f"{outer}}}{comma}", f"{indent}]"]
        deeper = indent + STEP if len(indent) < MOST_INDENT else indent
        for i, child in enumerate(reversed(node.children)):
            pending.append((child, deeper + STEP if deeper != indent else indent, "," if i else ""))
            pending.append(f"{deeper}{{")
    return lines


def _fields(node: Node) -> dict[str, Any]:
    target = node.tree.schema.target_column
    fields: dict[str, Any] = {}
    if node.parent is not None:
        fields["conditions"] = _conditions(node, node.parent)
    fields |= {"weight": number_plain(node.weight), "error": number_plain(node.error)}
    if isinstance(target, Nominal):
        fields["label"] = node.label_name
        fields["distribution"] = {
            category: number_plain(float(weight))
            for category, weight in zip(target.categories, node.value, strict=True)
        }
    else:
        weight, mean, squared = map(float, node.value)
        fields |= {
            "mean": number_plain(mean),
            "sd": number_plain(math.sqrt(max(squared, 0.0) / weight)) if weight > 0 else None,
        }
        if node.tree.intercept is not None:
            fields["equation"] = _equation(node)
    if not node.is_leaf:
        fields |= _columns(node) | _split_details(node)
    return fields


def _equation(node: Node) -> dict[str, Any]:
    """The equation of a node of a model tree."""
    model = equation_of(node.tree, node.index)
    terms = [term_plain(term, model.schema) for term in model.terms]
    return {"intercept": number_plain(model.intercept), "terms": terms}


def _test_plain(tests: SplitTests, node: int) -> dict[str, Any]:
    """The chi-square test of a split."""
    log_p = float(tests.log_p[node])
    return {
        "statistic": number_plain(float(tests.statistic[node])),
        "degrees": int(tests.degrees[node]),
        "p_value": math.exp(log_p),
        "log_p_value": number_plain(log_p),
    }


def _conditions(node: Node, parent: Node) -> list[dict[str, Any]]:
    """The conditions that a row must satisfy to reach the node."""
    tree, splits, split = node.tree, node.tree.splits, int(node.tree.split[parent.index])
    if splits.terms_of(split) is None:
        return [condition_plain(condition, tree.schema) for condition in node.conditions]
    low = splits.interval(split, node.branch) == 0
    signs = ("<=", ">") if splits.equal_low[split] else ("<", ">=")
    plain: dict[str, Any] = {"sum": _terms(tree, split), "is": signs[0 if low else 1]}
    plain["value"] = number_plain(float(splits.cuts[splits.cut_start[split]]))
    return [plain | {"if_missing": number_plain(missing_weight(tree, parent.index, node.branch))}]


def _columns(node: Node) -> dict[str, Any]:
    """The column that an inner node splits on, or the columns of its sum."""
    tree, split = node.tree, int(node.tree.split[node.index])
    names = [tree.schema.columns[column].name for column in tree.splits.columns_of(split).tolist()]
    return {"column": names[0]} if tree.splits.terms_of(split) is None else {"columns": names}


def _terms(tree: Tree, split: int) -> list[dict[str, Any]]:
    terms = tree.splits.terms_of(split)
    assert terms is not None
    return [
        {"column": tree.schema.columns[column].name, "coefficient": number_plain(coefficient)}
        for column, coefficient in zip(*(part.tolist() for part in terms), strict=True)
    ]


def _split_details(node: Node) -> dict[str, Any]:
    """What a node stores about its split: score, how missing values are routed, other splits."""
    tree, splits = node.tree, node.tree.splits
    score = float(splits.score[tree.split[node.index]])
    policy = int(tree.missing[node.index])
    details: dict[str, Any] = {} if math.isnan(score) else {"score": score}
    details["missing"] = {FRACTIONAL: "fractional", STOP: "stop"}.get(policy, policy)
    if tree.surrogate_start is not None and tree.surrogates is not None:
        part = tree.surrogates[tree.surrogate_start[node.index] : tree.surrogate_start[node.index + 1]]
        agreement = splits.agreement
        details["surrogates"] = [
            _split(tree, split) | ({} if agreement is None else {"agreement": number_plain(float(agreement[split]))})
            for split in part.tolist()
        ]
    if tree.alternative_start is not None and tree.alternatives is not None:
        part = tree.alternatives[tree.alternative_start[node.index] : tree.alternative_start[node.index + 1]]
        details["alternatives"] = [
            _split(tree, split)
            | {
                "score": number_plain(float(splits.score[split])),
                "gap": number_plain(score - float(splits.score[split])),
            }
            for split in part.tolist()
        ]
    return details


def _split(tree: Tree, split: int) -> dict[str, Any]:
    """A split alone: its cuts, or the categories of every branch."""
    splits = tree.splits
    column = tree.schema.columns[int(splits.column[split])]
    is_sum = splits.terms_of(split) is not None
    plain: dict[str, Any] = {"sum": _terms(tree, split)} if is_sum else {"column": column.name}
    if is_sum or int(splits.kind[split]) == CUTS:
        cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]].tolist()
        plain |= {"cuts": [number_plain(cut) for cut in cuts], "equal": "low" if splits.equal_low[split] else "high"}
        if splits.flipped is not None and splits.flipped[split]:
            plain["branches_from"] = "high"
        if isinstance(column, Nominal):
            plain["of"] = list(column.categories)
        return plain
    assert isinstance(column, Nominal)
    branches = code_branches(tree, split)
    plain["branches"] = [
        [column.categories[code] for code in (branches == branch).nonzero()[0]]
        for branch in range(int(splits.n_branches[split]))
    ]
    return plain
