"""Rules, linear models, ensembles, forests and clusters as JSON, with columns and categories by name."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.json_values import condition_plain, dumps, number_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.clustering import ClusterDescription, Clustering
    from hornbeam.model.clusters.dendrogram import Dendrogram
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import Factor, LinearModel, Term
    from hornbeam.model.rules.rule import Rule, RuleList

    Write = Callable[[Any], str]  # for the models inside a model


def _head(values: dict[str, Any]) -> list[str]:
    """The first lines of an object."""
    return ["{", *(f"  {dumps(key)}: {dumps(value)}," for key, value in values.items())]


# ---- rules ----------------------------------------------------------------------------------------------------------


def rules_json(rules: RuleList, _write: Write) -> str:
    """Write a list of rules as JSON.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``decide`` (``"first"``, ``"vote"`` or ``"remaining"``),
        ``rules`` and ``default`` (null: no prediction). A rule has ``conditions``, ``label`` and ``distribution`` (or
        ``value``, and ``terms`` of an equation), ``coverage``, ``errors`` and, where it has some, ``exceptions``, again
        with ``decide``, ``rules`` and ``default``.
    """
    plain = {
        "kind": "rules",
        "target": rules.schema.target_column.name,
        "columns": rules.schema.to_json()["columns"],
        **_list_plain(rules),
    }
    return dumps(plain, indent=2)


def _list_plain(rules: RuleList) -> dict[str, Any]:
    return {
        "decide": rules.decide,
        "rules": [_rule_plain(rule, rules) for rule in rules.rules],
        "default": None if rules.default is None else _rule_plain(rules.default, rules),
    }


def _rule_plain(rule: Rule, rules: RuleList) -> dict[str, Any]:
    target = rules.schema.target_column
    plain: dict[str, Any] = {"conditions": [condition_plain(c, rules.schema) for c in rule.conditions]}
    if isinstance(target, Nominal):
        weights = np.asarray(rule.value).tolist()
        plain["label"] = target.categories[rule.label] if rule.label >= 0 else None
        plain["distribution"] = {
            name: number_plain(weight) for name, weight in zip(target.categories, weights, strict=True)
        }
    else:
        plain["value"] = number_plain(float(rule.value))
        if rule.terms:
            plain["terms"] = [term_plain(term, rules.schema) for term in rule.terms]
    plain |= {"coverage": number_plain(rule.coverage), "errors": number_plain(rule.errors)}
    if rule.exceptions is not None:
        plain["exceptions"] = _list_plain(rule.exceptions)
    return plain


# ---- linear models --------------------------------------------------------------------------------------------------


def linear_json(model: LinearModel, _write: Write) -> str:
    """Write a linear model as JSON.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``intercept``, ``weight``, ``error`` and ``terms``. A term has
        ``coefficient``, ``standardized`` where it is known, and ``factors``, which are multiplied: each with
        ``column``, ``fill`` (used in place of a missing value) and ``power``, or ``categories``, for which an
        indicator is 1.
    """
    standardized = model.standardized or (None,) * len(model.terms)
    plain = {
        "kind": "linear",
        "target": model.schema.target_column.name,
        "columns": model.schema.to_json()["columns"],
        "intercept": model.intercept,
        "weight": model.weight,
        "error": model.error,
        "terms": [term_plain(term, model.schema, value) for term, value in zip(model.terms, standardized, strict=True)],
    }
    return dumps(plain, indent=2)


def term_plain(term: Term, schema: Schema, standardized: float | None = None) -> dict[str, Any]:
    """Convert a term to plain data, with names in place of positions."""
    plain: dict[str, Any] = {"coefficient": term.coefficient}
    if standardized is not None:
        plain["standardized"] = standardized
    return plain | {"factors": [_factor_plain(factor, schema) for factor in term.factors]}


def _factor_plain(factor: Factor, schema: Schema) -> dict[str, Any]:
    column = schema.columns[factor.column]
    plain: dict[str, Any] = {"column": column.name, "fill": factor.fill}
    if factor.codes is None:
        return plain | {"power": factor.power}
    assert isinstance(column, Nominal)
    return plain | {"categories": [column.categories[code] for code in factor.codes]}


# ---- models that contain models -------------------------------------------------------------------------------------


def discretized_json(model: DiscretizedModel, write: Write) -> str:
    """Write a classifier of intervals as JSON.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``intervals`` (each with ``name`` and ``value``, the number it stands for),
        ``default`` and ``classifier``.
    """
    names = model.classifier.schema.target_column.categories
    pairs = zip(names, model.values.tolist(), strict=True)
    lines = _head(
        {
            "kind": "discretized",
            "target": model.schema.target_column.name,
            "intervals": [{"name": name, "value": value} for name, value in pairs],
            "default": model.default,
        }
    )
    return "\n".join([*lines, f'  "classifier": {write(model.classifier)}', "}"])


def ensemble_json(model: Ensemble, write: Write) -> str:
    """Write an ensemble as JSON.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``decide`` ("mean" or "vote"), ``default`` (the prediction where no member
        has one: class probabilities, or a number) and ``members``.
    """
    lines = _head(
        {
            "kind": "ensemble",
            "target": model.schema.target_column.name,
            "decide": model.decide,
            "default": model.default.tolist(),
        }
    )
    return "\n".join([*lines, '  "members": [', ",\n".join(map(write, model.members)), "  ]", "}"])


# ---- forests --------------------------------------------------------------------------------------------------------


def forest_json(forest: Forest, _write: Write) -> str:
    """Write a forest as JSON.

    Trees are lists of nodes and not nested objects, because a forest has many nodes and its trees may be deep.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``combine`` ("mean" or "sum" of the trees), ``base`` (where
        the sums start), ``link`` (from the sums to the prediction), ``importance`` by column, and ``trees``. A tree has
        ``output``, where it adds to one of several sums, and ``nodes``, the root first. A node has ``weight`` and
        ``value`` and, unless it is a leaf, ``column``, ``at_most`` (values up to it take the first branch; null: all
        known ones; of an ordered column, positions of categories) or ``categories`` (which take the first branch),
        ``missing`` (the branch of rows without the value, 0 or 1), ``gain`` and ``children`` (positions in the list).
    """
    schema = forest.schema
    names = [schema.columns[position].name for position in schema.features]
    lines = _head(
        {
            "kind": "forest",
            "target": schema.target_column.name,
            "columns": schema.to_json()["columns"],
            "combine": forest.combine,
            "base": [0.0] * forest.n_outputs if forest.combine == "mean" else forest.base.tolist(),
            "link": forest.link,
            "importance": dict(zip(names, forest.importance().tolist(), strict=True)),
        }
    )
    lines.append('  "trees": [')
    values = forest.node_values()
    for tree in range(forest.n_trees):
        output = "" if forest.output is None else f'"output": {int(forest.output[tree])}, '
        lines.append(f'    {{{output}"nodes": [')
        nodes = range(int(forest.roots[tree]), int(forest.roots[tree + 1]))
        lines += [f"      {dumps(_forest_node(forest, node, nodes.start, values[node]))}," for node in nodes]
        lines[-1] = lines[-1][:-1]
        lines.append("    ]}," if tree + 1 < forest.n_trees else "    ]}")
    return "\n".join([*lines, "  ]", "}"])


def _forest_node(forest: Forest, node: int, root: int, value: Floats) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "weight": number_plain(float(forest.weight[node])),
        "value": [number_plain(part) for part in value.tolist()],
    }
    first = int(forest.first_child[node])
    if first < 0:
        return plain
    column = forest.schema.columns[forest.schema.features[forest.feature[node]]]
    split: dict[str, Any] = {"column": column.name}
    if isinstance(column, Nominal) and not column.ordered:
        assert forest.set_start is not None
        assert forest.codes is not None
        codes = forest.codes[forest.set_start[node] : forest.set_start[node + 1]]
        split["categories"] = [column.categories[code] for code in codes]
    else:
        split["at_most"] = number_plain(float(forest.cut[node]))
    split |= {"missing": int(forest.missing[node]), "gain": number_plain(float(forest.gain[node]))}
    return split | plain | {"children": [first - root, first - root + 1]}


# ---- clusters -------------------------------------------------------------------------------------------------------


def clusters_json(model: Clustering, _write: Write) -> str:
    """Write clusters as JSON.

    Returns
    -------
    str
        An object with ``kind`` (``"clusters"``), ``columns``, ``rows`` and ``clusters``: of each ``cluster`` its
        number, ``rows``, ``weight``, ``share`` and ``traits``, the most distinctive first, with the fields of
        `hornbeam.model.clusters.clustering.Trait`. A dendrogram also has ``linkage``, ``cut`` (``clusters`` or
        ``height``) and ``joinings``: ``node``, ``parts`` (rows are nodes from 0 on), ``height``, ``rows`` and
        ``traits`` of those that hold a whole cluster or several. A tree of concepts has ``concepts``: ``node``,
        ``parent``, ``rows``, ``share``, ``traits``, and of leaves ``row_names``: the names of their rows, or their
        numbers, from 1. Clusters on principal axes have ``axes`` and ``inner``: the clusters on the axes.
    """
    return dumps(clusters_plain(model), indent=2)


def clusters_plain(model: Clustering) -> dict[str, Any]:
    """Convert clusters to plain data."""
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.clusters.dendrogram import Dendrogram
    from hornbeam.model.clusters.projected import ProjectedClusters

    plain: dict[str, Any] = {
        "kind": "clusters",
        "columns": model.schema.to_json()["columns"],
        "rows": int(model.profile.rows[-1]),
        "clusters": [_cluster_plain(description) for description in model.describe()],
    }
    if isinstance(model, ProjectedClusters):
        plain["axes"] = {"kept": model.axes.kept, "columns": len(model.axes.columns)}
        plain["inner"] = clusters_plain(model.inner)
    if isinstance(model, Dendrogram):
        plain["linkage"] = model.linkage
        plain["cut"] = {"clusters": model.count} if model.height is None else {"height": model.height}
        plain["joinings"] = _joinings_plain(model)
    if isinstance(model, ConceptTree):
        plain["concepts"] = [
            {"node": node, "parent": int(model.parent[node]), **_cluster_plain(description, "cluster")}
            | ({"row_names": model.row_names(node)} if node in model.rows_of_leaves else {})
            for node, description in enumerate(model.describe_nodes())
        ]
    return plain


def _cluster_plain(description: ClusterDescription, *left_out: str) -> dict[str, Any]:
    return {name: value for name, value in asdict(description).items() if name not in left_out}


def _joinings_plain(model: Dendrogram) -> list[dict[str, Any]]:
    n, cluster = model.n_rows, model.cluster_of_nodes
    inside = [False] * (2 * n - 1)  # part of a cluster, but not all of it
    for i, parts in enumerate(model.pairs.tolist()):
        for part in parts:
            inside[part] = bool(cluster[n + i] >= 0)
    joinings = []
    for i, parts in enumerate(model.pairs.tolist()):
        joining = {"node": n + i, "parts": parts, "height": float(model.heights[i]), "rows": int(model.sizes[n + i])}
        if not inside[n + i]:
            joining["traits"] = [asdict(trait) for trait in model.columns_of(n + i)]
        joinings.append(joining)
    return joinings
