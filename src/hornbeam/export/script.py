"""The format ``javascript``: a model as a script for browsers, a fixed program and the model as JSON that it reads.

No code is generated from data. The script needs nothing else, and can be put inside a page's ``<script>``.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from json import dumps
from typing import TYPE_CHECKING

from hornbeam.export.manifest import manifest_line
from hornbeam.export.program import keeps_rows, program

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.export.writers import Exportable


def javascript(
    model: Exportable,
    *,
    name: str = "hornbeam",
    costs: ArrayLike | None = None,
    decision_threshold: float | None = None,
) -> str:
    """Write a model as a script that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : Tree, RuleList, LinearModel, DiscretizedModel, Ensemble, Forest, Instances, SVM or fitted estimator
        What to write. For an estimator, its `model_`, and its decision rule: its costs or its threshold, and a class
        for every row, even where the model has none.
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
        For K*, locally weighted learning, exemplars, clusters other than k-means and mixtures, and support vector
        machines of sparse rows.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> script = export.javascript(hornbeam.C45Classifier().fit(hornbeam.read("weather")), name="play")
    >>> script.splitlines()[1][:28]
    'globalThis.play = (function '
    """
    if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) is None:
        msg = f"name is {name!r}; expected a JavaScript name: letters, digits, _ and $, not starting with a digit"
        raise ValueError(msg)
    data = program(model, "JavaScript", costs, decision_threshold)
    text = dumps(data, separators=(",", ":"), allow_nan=False)
    more = f", {_runtime('javascript_rows.js')}" if keeps_rows(data["model"]) else ""
    call = f"{_runtime('javascript.js')}(JSON.parse('{_quoted(text)}'){more})"
    return f"// {manifest_line(model, 'javascript', name=name)}\nglobalThis.{name} = {call};\n"


def _quoted(text: str) -> str:
    """Escape JSON in plain ASCII for a JavaScript string that cannot be mistaken for markup in a page."""
    for sign in "<>&'":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.replace("\\", "\\\\")


@cache
def _runtime(name: str) -> str:
    return (resources.files("hornbeam.export.runtimes") / name).read_text("utf-8").strip()
