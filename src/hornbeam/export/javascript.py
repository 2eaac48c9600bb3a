"""A model as a script for browsers: a fixed runtime, and the model as JSON that it reads.

No code is made from data. The script needs nothing else, and may stand inside a page's ``<script>``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from json import dumps
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.export.script_data import (
    Places,
    ensemble_plain,
    forest_plain,
    intervals_plain,
    linear_plain,
    numbers,
    rules_plain,
    tree_plain,
)
from hornbeam.export.script_rows import corrected_plain, instances_plain, margin_plain
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.neighbors.corrected import CorrectedModel
from hornbeam.model.neighbors.instances import Instances
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.svm.svm import SVM
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from hornbeam.data.schema import Column

_WRITERS: tuple[tuple[Any, Callable[[Any, Places], dict[str, Any]]], ...] = (  # of models that hold no other
    (Tree, tree_plain),
    (RuleList, rules_plain),
    (LinearModel, linear_plain),
    (Forest, forest_plain),
    (Instances, instances_plain),
    (SVM, margin_plain),
)
KEEP_ROWS = ("instances", "corrected", "margin")  # kinds that the second part of the runtime knows


def javascript(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    name: str = "hornbeam",
    costs: ArrayLike | None = None,
    decision_threshold: float | None = None,
) -> str:
    """Write a model as a script that answers as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel, DiscretizedModel, Ensemble, Forest, Instances, SVM or fitted estimator
        What to write. Of an estimator, its `model_`, and how it decides among classes: its costs or its threshold,
        and a class for every row, also where the model has none.
    name : str
        The global object that the script defines.
    costs : array of shape (classes, classes), optional
        Answer with the class of least expected cost; by default the estimator's.
    decision_threshold : float, optional
        Of two classes, answer with the second where its share is at least this; by default the estimator's.

    Returns
    -------
    str
        A script without imports. Its object has ``columns`` (``name``, ``kind``, ``"numeric"`` or ``"nominal"``,
        ``categories`` and ``ordered``, ``format`` of dates), ``target``, and ``predict(row)``. A row is an object (or
        a Map) of column names to numbers, texts or null; what is not there, and a category that is not known, is
        missing. The result has ``answer`` (a class, a number, or null), ``shares`` by class (null for numbers) and
        ``path``: the nodes of a tree that the row passes, each with ``node`` and ``weight``; or the rules that decide
        (``node``: which rule, -1 the default; ``place``: which of its exceptions); or the leaves of a forest
        (with ``tree``); or the kept rows that answer.

    Raises
    ------
    TypeError
        For clusters, and for models that compare a row with all rows kept in ways of their own: K*, locally weighted
        learning, exemplars; and for machines of sparse rows.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> script = export.javascript(hornbeam.C45Classifier().fit(hornbeam.read("weather")), name="play")
    >>> script[:28]
    'globalThis.play = (function '
    """
    if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is None:
        msg = f"name is {name!r}; expected a name of JavaScript: letters, digits, _ and $, no digit first"
        raise ValueError(msg)
    learner = getattr(model, "learner_", model)  # of an estimator that chooses its parameters itself
    plain = getattr(learner, "model_", learner)
    schema = getattr(plain, "schema", None)
    if schema is None:
        msg = f"cannot write a {type(plain).__name__} as JavaScript; expected a model or a fitted estimator"
        raise TypeError(msg)
    columns = [schema.columns[position] for position in schema.features]
    place_of = {column.name: place for place, column in enumerate(columns)}
    data = {
        "columns": [_column_plain(column) for column in columns],
        "target": _column_plain(schema.target_column) if schema.target is not None else None,
        "model": _model_plain(plain, place_of),
        "decide": _decide_plain(learner, plain, costs, decision_threshold),
    }
    text = dumps(data, separators=(",", ":"), allow_nan=False)
    # a quote in a name is escaped, so that no name is taken for a kind
    more = f", {_runtime('runtime_rows.js')}" if any(f'"kind":"{kind}"' in text for kind in KEEP_ROWS) else ""
    return f"globalThis.{name} = {_runtime('runtime.js')}(JSON.parse('{_quoted(text)}'){more});\n"


def _quoted(text: str) -> str:
    """JSON in plain ASCII as the inside of a text of JavaScript that no page takes for markup."""
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.replace("\\", "\\\\")


@cache
def _runtime(name: str) -> str:
    return (resources.files("hornbeam.export") / name).read_text("utf-8").strip()


def _column_plain(column: Column) -> dict[str, Any]:
    if isinstance(column, Numeric):
        return {"name": column.name, "kind": "numeric", "format": column.format}
    categories = list(column.categories)
    return {"name": column.name, "kind": "nominal", "categories": categories, "ordered": column.ordered}


def _model_plain(model: Any, place_of: Mapping[str, int]) -> dict[str, Any]:  # noqa: ANN401 - dispatches on it
    def write(inner: Any) -> dict[str, Any]:  # noqa: ANN401
        return _model_plain(inner, place_of)

    if isinstance(model, DiscretizedModel):
        return intervals_plain(model, write)
    if isinstance(model, Ensemble):
        return ensemble_plain(model, write)
    if isinstance(model, CorrectedModel):
        return corrected_plain(model, Places(model.schema, place_of), write)
    for kind, writer in _WRITERS:
        if isinstance(model, kind):
            return writer(model, Places(model.schema, place_of))
    msg = (
        f"cannot write a {type(model).__name__} as JavaScript; expected a tree, rules, an equation, a classifier of "
        "intervals, a forest, an ensemble of these, neighbors or a support vector machine"
    )
    raise TypeError(msg)


def _decide_plain(
    learner: Any,  # noqa: ANN401 - an estimator, or a model
    model: Any,  # noqa: ANN401
    costs: ArrayLike | None,
    threshold: float | None,
) -> dict[str, Any]:
    """How a class is chosen, where the model's own label is not all."""
    if not isinstance(model.schema.target_column, Nominal):
        return {}
    plain: dict[str, Any] = {}
    decision = model.decision
    if learner is not model:
        plain["always"] = True
        if isinstance(model, RuleList):
            plain["overall"] = numbers(model.overall_shares())
        decision = learner._decision() if hasattr(learner, "_decision") else None
    if costs is None and threshold is None and decision is not None:
        costs, threshold = decision.costs, decision.threshold
    if costs is not None:
        plain["costs"] = [numbers(row) for row in np.asarray(costs, np.float64)]
    elif threshold is not None:
        plain["threshold"] = float(threshold)
    return plain
