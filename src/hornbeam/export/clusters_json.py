"""Clusters as JSON: each one's size, typical values and what sets it apart; and the tree, where they are in one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from hornbeam.export.plain_json import dumps
from hornbeam.model.clusters.concepts import ConceptTree
from hornbeam.model.clusters.dendrogram import Dendrogram
from hornbeam.model.clusters.projected import ProjectedClusters

if TYPE_CHECKING:
    from hornbeam.model.clusters.clustering import ClusterDescription, Clustering


def clusters_json(model: Clustering) -> str:
    """Write clusters as JSON.

    Parameters
    ----------
    model : Clustering
        What to write.

    Returns
    -------
    str
        An object with ``kind`` (``"clusters"``), ``columns``, ``rows`` and ``clusters``: of each ``cluster`` its
        number, ``rows``, ``weight``, ``share`` and ``traits``, those that set it apart most first, with the fields of
        `hornbeam.model.clusters.clustering.Trait`. A dendrogram also has ``linkage``, ``cut`` (``clusters`` or
        ``height``) and ``joinings``: ``node``, ``parts`` (rows are nodes from 0 on), ``height``, ``rows`` and
        ``traits`` of those that hold a whole cluster or several. A tree of concepts has ``concepts``: ``node``,
        ``parent``, ``rows``, ``share``, ``traits``, and of leaves ``row_names``: the names of their rows, or their
        numbers, from 1. Clusters found on principal axes have ``axes`` and ``inner``: the clusters as they are on the
        axes.
    """
    return dumps(clusters_plain(model), indent=2)


def clusters_plain(model: Clustering) -> dict[str, Any]:
    """The same as plain data."""
    plain: dict[str, Any] = {
        "kind": "clusters",
        "columns": model.schema.to_json()["columns"],
        "rows": int(model.profile.rows[-1]),
        "clusters": [description_plain(told) for told in model.describe()],
    }
    if isinstance(model, ProjectedClusters):
        plain["axes"] = {"kept": model.axes.kept, "columns": len(model.axes.columns)}
        plain["inner"] = clusters_plain(model.inner)
    if isinstance(model, Dendrogram):
        plain["linkage"] = model.linkage
        plain["cut"] = {"clusters": model.count} if model.height is None else {"height": model.height}
        plain["joinings"] = _joinings(model)
    if isinstance(model, ConceptTree):
        plain["concepts"] = [
            {"node": node, "parent": int(model.parent[node]), **description_plain(told, "cluster")}
            | ({"row_names": model.row_names(node)} if node in model.rows_of_leaves else {})
            for node, told in enumerate(model.describe_nodes())
        ]
    return plain


def description_plain(told: ClusterDescription, *left_out: str) -> dict[str, Any]:
    """One cluster as plain data."""
    return {name: value for name, value in asdict(told).items() if name not in left_out}


def _joinings(model: Dendrogram) -> list[dict[str, Any]]:
    n, cluster = model.n_rows, model.cluster_of_nodes
    inside = [False] * (2 * n - 1)  # of a cluster, but not all of it
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
