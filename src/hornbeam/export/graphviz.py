"""The format ``dot``: a tree in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.export.manifest import manifest_line
from hornbeam.export.writers import unwrap

if TYPE_CHECKING:
    from hornbeam.export.writers import Exportable
    from hornbeam.model.trees.tree import Tree

NEW_LINE = "\\n"


def dot(model: Exportable, *, tree: int = 0) -> str:
    """Write a tree for Graphviz.

    Parameters
    ----------
    model : Tree, Forest or fitted estimator
        What to write.
    tree : int
        Which tree of a forest, counted from 0.

    Returns
    -------
    str
        A directed graph: nodes with their class or number and their weight, edges with their conditions.

    Raises
    ------
    TypeError
        If the model is not a tree or a forest.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> print(export.dot(hornbeam.C45Classifier().fit(hornbeam.read("weather"))).splitlines()[3])
      node [shape=box, fontname="sans-serif"];
    """
    _, plain = unwrap(model)
    one = plain.tree(tree) if getattr(plain, "KIND", "") == "forest" else plain
    if getattr(one, "KIND", "") != "tree":
        msg = f"cannot write a {type(plain).__name__} as dot; expected a tree or a forest"
        raise TypeError(msg)
    lines = [
        f"// {manifest_line(model, 'dot')}",
        "digraph tree {",
        '  graph [rankdir="TB"];',
        '  node [shape=box, fontname="sans-serif"];',
        '  edge [fontname="sans-serif"];',
    ]
    for node in one.root.walk():
        lines.append(f"  {node.index} [label={_quoted(_title(one, node))}{'' if node.is_leaf else ', style=rounded'}];")
        if node.parent is not None:
            words = " and ".join(condition.describe(one.schema) for condition in node.conditions)
            lines.append(f"  {node.parent.index} -> {node.index} [label={_quoted(words)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _title(tree: Tree, node: Any) -> str:  # noqa: ANN401 - a Node
    is_class = isinstance(tree.schema.target_column, Nominal)
    return f"{node.label_name or 'no class' if is_class else f'{node.value[1]:.6g}'}\n{node.weight:g} rows"


def _quoted(text: str) -> str:
    """Write a text as a string for Graphviz; backslashes in it are literal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", NEW_LINE)
    return f'"{escaped}"'
