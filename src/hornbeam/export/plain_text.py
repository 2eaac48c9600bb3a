"""The format ``plain``: a model as lines that a person or a language model can read, and that can be read back exactly.

Comments show a tree or a list of rules in words; the other lines contain every number of the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Nominal
from hornbeam.export.json_values import number_plain
from hornbeam.export.manifest import manifest_line
from hornbeam.export.writers import exact_bytes, unwrap
from hornbeam.model.files.written import to_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.export.writers import Exportable
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.model.trees.tree import Tree


def plain(model: Exportable) -> str:
    """Write a model as lines of text, which `hornbeam.load` reads back to the same model.

    Parameters
    ----------
    model : model or fitted estimator
        What to write; any kind of model.

    Returns
    -------
    str
        A title; for a tree or rules, a readable form in lines that start with ``#``; then the columns, the
        parameters and the arrays.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> for line in export.plain(hornbeam.C45Classifier().fit(hornbeam.read("weather"))).splitlines()[:5]:
    ...     print(line)
    hornbeam model as text, version 1, kind tree
    # target play: yes, no
    # outlook = sunny [yes 2, no 3]
    #   humidity = high: no [no 3]
    #   humidity = normal: yes [yes 2]
    """
    return to_lines(exact_bytes(model), [*_readable(unwrap(model)[1]), manifest_line(model, "plain")])


def _readable(model: Exportable) -> Iterator[str]:
    target = model.schema.target_column if model.schema.target is not None else None
    if target is None:
        return
    classes = f": {', '.join(target.categories)}" if isinstance(target, Nominal) else ""
    yield f"target {target.name}{classes}"
    if model.KIND == "tree":
        yield from _tree_lines(model)
    elif model.KIND == "rules":
        yield from _rule_lines(model, "")


def _tree_lines(tree: Tree) -> Iterator[str]:
    pending = [(tree.root, 0)]
    while pending:
        node, depth = pending.pop()
        pending += [(child, depth + 1) for child in reversed(node.children)]
        if node.parent is None:
            if node.is_leaf:
                yield f"always {_prediction(tree, node)}"
            continue
        words = " and ".join(condition.describe(tree.schema) for condition in node.conditions)
        end = f": {_prediction(tree, node)}" if node.is_leaf else ""
        yield f"{'  ' * (depth - 1)}{words}{end} {_counts(tree, node)}"


def _prediction(tree: Tree, node: Any) -> str:  # noqa: ANN401 - a Node
    return node.label_name or str(number_plain(float(node.value[1]) if tree.task == "regression" else 0.0))


def _counts(tree: Tree, node: Any) -> str:  # noqa: ANN401 - a Node
    target = tree.schema.target_column
    if not isinstance(target, Nominal):
        return f"[{node.weight:g} rows]"
    counted = zip(target.categories, node.value.tolist(), strict=True)
    return f"[{', '.join(f'{name} {count:g}' for name, count in counted if count)}]"


def _rule_lines(rules: RuleList, indent: str) -> Iterator[str]:
    every = [*rules.rules, *([rules.default] if rules.default is not None else [])]
    for place, rule in enumerate(every):
        conditions = " and ".join(condition.describe(rules.schema) for condition in rule.conditions)
        start = f"if {conditions}" if conditions else "otherwise" if place == len(rules.rules) else "always"
        yield f"{indent}{start} then {_says(rules, rule)}"
        if rule.exceptions is not None:
            yield from _rule_lines(rule.exceptions, f"{indent}  except ")


def _says(rules: RuleList, rule: Rule) -> str:
    target = rules.schema.target_column
    if isinstance(target, Nominal):
        return target.categories[rule.label] if rule.label >= 0 else "nothing"
    return "its equation" if rule.terms else str(number_plain(float(rule.probabilities(rules.pseudo_count)[0])))
