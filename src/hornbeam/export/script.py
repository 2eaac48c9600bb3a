"""The format ``javascript``: a model as a script for browsers, a fixed program and the model as JSON that it reads.

No code is generated from data. The script needs nothing else, and can be put inside a page's ``<script>``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from json import dumps
from typing import TYPE_CHECKING, Any

from hornbeam.data.schema import Numeric
from hornbeam.export.script_data import (
    Positions,
    corrected_plain,
    ensemble_plain,
    forest_plain,
    instances_plain,
    intervals_plain,
    linear_plain,
    margin_plain,
    numbers,
    rules_plain,
    tree_plain,
)
from hornbeam.export.writers import decision_rule, unwrap, writer_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike

    from hornbeam.data.schema import Column

WRITERS: dict[str, Callable[..., dict[str, Any]]] = {  # by kind
    "tree": tree_plain,
    "rules": rules_plain,
    "linear": linear_plain,
    "discretized": intervals_plain,
    "ensemble": ensemble_plain,
    "forest": forest_plain,
    "instances": instances_plain,
    "corrected": corrected_plain,
    "svm": margin_plain,
}
EXPECTED = (
    "a tree, rules, an equation, a classifier of intervals, a forest, an ensemble of these, neighbors or a support "
    "vector machine"
)
KEEP_ROWS = ("instances", "corrected", "margin")  # kinds that the second part of the runtime knows


def javascript(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    name: str = "hornbeam",
    costs: ArrayLike | None = None,
    decision_threshold: float | None = None,
) -> str:
    """Write a model as a script that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel, DiscretizedModel, Ensemble, Forest, Instances, SVM or fitted estimator
        What to write. For an estimator, its `model_`, and how it decides among classes: its costs or its threshold,
        and a class for every row, even where the model has none.
    name : str
        The global object that the script defines.
    costs : array of shape (classes, classes), optional
        Predict the class of least expected cost; by default with the estimator's costs.
    decision_threshold : float, optional
        Of two classes, predict the second where its probability is at least this; by default the estimator's.

    Returns
    -------
    str
        A script without imports. Its object has ``columns`` (``name``, ``kind``, ``"numeric"`` or ``"nominal"``,
        ``categories`` and ``ordered``, ``format`` of dates), ``target``, and ``predict(row)``. A row is an object (or
        a Map) of column names to numbers, strings or null; columns that are not there and unknown categories are
        missing. The result has ``prediction`` (a class, a number, or null), ``probabilities`` by class (null for
        numbers) and ``path``: the nodes of a tree that the row passes, each with ``node`` and ``weight``; or the rules
        that decide (``node``: which rule, -1 the default; ``place``: which of its exceptions); or the leaves of a
        forest (with ``tree``); or the kept rows that decide.

    Raises
    ------
    TypeError
        For clusters, for K*, locally weighted learning and exemplars, and for support vector machines of sparse rows.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> script = export.javascript(hornbeam.C45Classifier().fit(hornbeam.read("weather")), name="play")
    >>> script[:28]
    'globalThis.play = (function '
    """
    if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is None:
        msg = f"name is {name!r}; expected a JavaScript name: letters, digits, _ and $, not starting with a digit"
        raise ValueError(msg)
    learner, plain = unwrap(model)
    schema = getattr(plain, "schema", None)
    if schema is None:
        raise TypeError(f"cannot write a {type(plain).__name__} as JavaScript; expected a model or a fitted estimator")
    columns = [schema.columns[position] for position in schema.features]
    position_of = {column.name: position for position, column in enumerate(columns)}
    data = {
        "columns": [_column_plain(column) for column in columns],
        "target": _column_plain(schema.target_column) if schema.target is not None else None,
        "model": _model_plain(plain, position_of),
        "decide": _decide_plain(learner, plain, costs, decision_threshold),
    }
    text = dumps(data, separators=(",", ":"), allow_nan=False)
    # quotes in names are escaped, so a name is never mistaken for a kind
    more = f", {_runtime('runtime_rows.js')}" if any(f'"kind":"{kind}"' in text for kind in KEEP_ROWS) else ""
    return f"globalThis.{name} = {_runtime('runtime.js')}(JSON.parse('{_quoted(text)}'){more});\n"


def _quoted(text: str) -> str:
    """Escape JSON in plain ASCII for a JavaScript string that a page cannot mistake for markup."""
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


def _model_plain(model: Any, position_of: Mapping[str, int]) -> dict[str, Any]:  # noqa: ANN401 - dispatches on it
    write = writer_for(model, WRITERS, "JavaScript", expected=EXPECTED)
    return write(model, Positions(model.schema, position_of), lambda inner: _model_plain(inner, position_of))


def _decide_plain(
    learner: Any,  # noqa: ANN401 - an estimator, or a model
    model: Any,  # noqa: ANN401
    costs: ArrayLike | None,
    threshold: float | None,
) -> dict[str, Any]:
    plain = decision_rule(learner, model, costs, threshold)
    if "costs" in plain:
        plain["costs"] = [numbers(row) for row in plain["costs"]]
    if "always" in plain and model.KIND == "rules":
        plain["overall"] = numbers(model.overall_shares())
    return plain
