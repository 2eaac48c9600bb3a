"""A forest as JSON: every tree as a list of nodes, which name their children by place.

Lists and not nested objects: a forest has many nodes, and its trees may be deep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.export.condition_json import number_plain
from hornbeam.export.plain_json import dumps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest


def forest_json(forest: Forest) -> str:
    """Write a forest as JSON.

    Parameters
    ----------
    forest : Forest
        What to write.

    Returns
    -------
    str
        An object with ``kind``, ``target``, ``columns``, ``combine`` ("mean" or "sum" of the trees), ``base`` (where
        the sums start), ``link`` (from the sums to the answer), ``importance`` by column, and ``trees``. A tree has
        ``output``, where it adds to one of several sums, and ``nodes``, the root first. A node has ``weight`` and
        ``value`` and, unless it is a leaf, ``column``, ``at_most`` (values up to it take the first branch; null: all
        known ones; of an ordered column, positions of categories) or ``categories`` (which take the first branch),
        ``missing`` (the branch of rows without the value, 0 or 1), ``gain`` and ``children`` (places in the list).
    """
    schema = forest.schema
    names = [schema.columns[position].name for position in schema.features]
    head = {
        "kind": "forest",
        "target": schema.target_column.name,
        "columns": schema.to_json()["columns"],
        "combine": forest.combine,
        "base": [0.0] * forest.n_outputs if forest.combine == "mean" else forest.base.tolist(),
        "link": forest.link,
        "importance": dict(zip(names, forest.importance().tolist(), strict=True)),
    }
    lines = ["{", *(f"  {dumps(key)}: {dumps(value)}," for key, value in head.items())]
    lines.append('  "trees": [')
    values = forest.node_values()
    for tree in range(forest.n_trees):
        output = "" if forest.output is None else f'"output": {int(forest.output[tree])}, '
        lines.append(f'    {{{output}"nodes": [')
        nodes = range(int(forest.roots[tree]), int(forest.roots[tree + 1]))
        lines += [f"      {dumps(_node(forest, node, nodes.start, values[node]))}," for node in nodes]
        lines[-1] = lines[-1][:-1]
        lines.append("    ]}," if tree + 1 < forest.n_trees else "    ]}")
    return "\n".join([*lines, "  ]", "}"])


def _node(forest: Forest, node: int, root: int, value: NDArray[np.float64]) -> dict[str, Any]:
    """Give one node as plain data."""
    plain: dict[str, Any] = {
        "weight": number_plain(float(forest.weight[node])),
        "value": [number_plain(part) for part in value.tolist()],
    }
    first = int(forest.first_child[node])
    if first < 0:
        return plain
    column = forest.schema.columns[forest.schema.features[forest.feature[node]]]
    asked: dict[str, Any] = {"column": column.name}
    if isinstance(column, Nominal) and not column.ordered:
        assert forest.set_start is not None
        assert forest.codes is not None
        codes = forest.codes[forest.set_start[node] : forest.set_start[node + 1]]
        asked["categories"] = [column.categories[code] for code in codes]
    else:
        asked["at_most"] = number_plain(float(forest.cut[node]))
    asked |= {"missing": int(forest.missing[node]), "gain": number_plain(float(forest.gain[node]))}
    return asked | plain | {"children": [first - root, first - root + 1]}
