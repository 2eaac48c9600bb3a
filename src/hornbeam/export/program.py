"""A model as a program: the plain data that the fixed programs in `runtimes` read to predict.

The data has positions instead of names, and only what predictions need. No code is generated from it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Numeric
from hornbeam.export.program_values import Positions, numbers
from hornbeam.export.writers import decision_rule, unwrap, writer_for
from hornbeam.model.base.several import SEVERAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from hornbeam.data.schema import Column
    from hornbeam.export.writers import Exportable

WRITERS = {  # by kind: the module and its function
    "tree": ("program_models", "tree_plain"),
    "rules": ("program_models", "rules_plain"),
    "linear": ("program_models", "linear_plain"),
    "discretized": ("program_models", "intervals_plain"),
    "ensemble": ("program_models", "ensemble_plain"),
    "forest": ("program_models", "forest_plain"),
    "instances": ("program_rows", "instances_plain"),
    "corrected": ("program_rows", "corrected_plain"),
    "svm": ("program_rows", "margin_plain"),
    "partition": ("program_rows", "centers_plain"),
    "mixture": ("program_mixtures", "mixture_plain"),
}
EXPECTED = (
    "a tree, rules, an equation, a classifier of intervals, a forest, an ensemble of these, neighbors, a support "
    "vector machine, k-means clusters or a mixture"
)
WHY_NOT = {  # by kind
    "kstar": "it sums over all kept rows",
    "local": "it learns an equation for every row",
    "local-learner": "it learns a model for every row",
    "exemplars": "it searches all its exemplars for every row",
    "concepts": "it tries every branch of its tree for every row",
    "dendrogram": "it compares each row with all rows of the clusters",
    "graph-clusters": "it compares each row with all rows of the clusters",
    "projected": "its columns are principal axes",
}
INSTEAD = "; export.plain and the model file can hold it, for hornbeam itself"
KEEP_ROWS = ("instances", "corrected", "margin", "centers", "mixture")  # in the second part of the runtimes


def program(
    model: Exportable, language: str, costs: ArrayLike | None = None, threshold: float | None = None
) -> dict[str, Any]:
    """Convert a model and its decision rule to plain data.

    Parameters
    ----------
    model : model or fitted estimator
        What to convert. For an estimator, its `model_`, and its decision rule.
    language : str
        The output language, for messages.
    costs, threshold : optional
        Instead of the estimator's or the model's own.

    Returns
    -------
    dict
        ``columns``, ``target``, ``model`` and ``decide``: numbers, texts, lists and dicts.

    Raises
    ------
    TypeError
        If models of this kind cannot be converted.
    """
    learner, plain = unwrap(model)
    schema = getattr(plain, "schema", None)
    if schema is None:
        raise TypeError(f"cannot write a {type(plain).__name__} as {language}; expected a model or a fitted estimator")
    columns = [schema.columns[position] for position in schema.features]
    position_of = {column.name: position for position, column in enumerate(columns)}
    converted = _model_plain(plain, position_of, language)
    return {
        "columns": [column_plain(column) for column in columns],
        "target": target_plain(plain),
        "model": converted,
        "decide": _decide_plain(learner, plain, costs, threshold),
    }


def keeps_rows(plain: Any) -> bool:  # noqa: ANN401 - plain data
    """Whether a program needs the second part of the runtimes, for itself or for a model inside it."""
    if isinstance(plain, dict):
        return plain.get("kind") in KEEP_ROWS or any(map(keeps_rows, plain.values()))
    if not isinstance(plain, list) or dict not in set(map(type, plain)):  # long lists of numbers are common
        return False
    return any(isinstance(each, dict) and keeps_rows(each) for each in plain)


def target_plain(model: Any) -> dict[str, Any]:  # noqa: ANN401 - any model
    """Convert the target; for clusters, a column of their numbers."""
    if model.task == SEVERAL:
        return {"kind": SEVERAL, "targets": [target_plain(member) for member in model.members]}
    if model.schema.target is not None and model.task != "clustering":
        return column_plain(model.schema.target_column)
    return {"name": "cluster", "kind": "nominal", "categories": [str(k) for k in range(model.n_clusters)]}


def column_plain(column: Column) -> dict[str, Any]:
    """Convert the name and the categories of a column."""
    if isinstance(column, Numeric):
        return {"name": column.name, "kind": "numeric", "format": column.format}
    categories = list(column.categories)
    return {"name": column.name, "kind": "nominal", "categories": categories, "ordered": column.ordered}


def _model_plain(model: Any, position_of: Mapping[str, int], language: str) -> dict[str, Any]:  # noqa: ANN401
    why = WHY_NOT.get(model.KIND)
    reason = f": {why}{INSTEAD}" if why else ""
    module, function = writer_for(model, WRITERS, language, expected=EXPECTED, reason=reason)
    write = getattr(import_module(f"hornbeam.export.{module}"), function)
    plain: dict[str, Any] = write(
        model,
        Positions(model.schema, position_of, language),
        lambda inner: _model_plain(inner, position_of, language),
    )
    return plain


def _decide_plain(
    learner: Any,  # noqa: ANN401 - an estimator, or a model
    model: Exportable,
    costs: ArrayLike | None,
    threshold: float | None,
) -> dict[str, Any]:
    if model.task == "clustering":
        return {}
    plain = decision_rule(learner, model, costs, threshold)
    if plain.get("with_rows") is not None:
        plain["withRows"] = plain["with_rows"]
    plain.pop("with_rows", None)
    if "costs" in plain:
        plain["costs"] = [numbers(row) for row in plain["costs"]]
    if model.KIND == "rules" and model.task == "classification":
        plain["overall"] = numbers(model.overall_probabilities())
    return plain
