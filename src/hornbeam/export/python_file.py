"""The format ``python``: a model as one Python file that needs only the standard library.

The file is a fixed program and the model as JSON that it reads. No code is generated from data.
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

HEAD = '''"""Predictions of a model learned by hornbeam. Needs Python 3.8 or newer, and no package.

Use it from Python: `predict([{"column": value, ...}, ...])` and `predict_proba(rows)`. Or on the command line:
`python FILE rows.csv` writes the predictions as CSV. None and unknown categories are missing values.
"""

import csv
import json
import math
import operator
import re
import struct
import sys
from datetime import datetime, timezone

'''
TAIL = """
PREDICTOR = Predictor(json.loads(PROGRAM))
predict = PREDICTOR.predict
predict_proba = PREDICTOR.predict_proba

if __name__ == "__main__":
    main(PREDICTOR, sys.argv[1:])
"""


def python(model: Exportable, *, costs: ArrayLike | None = None, decision_threshold: float | None = None) -> str:
    """Write a model as a Python file that predicts as `predict` and `predict_proba` do.

    Parameters
    ----------
    model : model or fitted estimator
        What to write. For an estimator, its `model_`, and its decision rule: its costs or its threshold, and a class
        for every row, even where the model has none.
    costs : array of shape (classes, classes), optional
        Predict the class of least expected cost; by default with the estimator's costs.
    decision_threshold : float, optional
        Of two classes, predict the second where its probability is at least this; by default the estimator's.

    Returns
    -------
    str
        The file. It has the functions ``predict(rows)`` and ``predict_proba(rows)``, where rows are dicts of column
        names to numbers, texts or None; run as a program it reads CSV files.

    Raises
    ------
    TypeError
        For models that the runtime does not support.

    Examples
    --------
    >>> import hornbeam
    >>> from hornbeam import export
    >>> text = export.python(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> "def predict_proba" in text
    True
    """
    data = program(model, "Python", costs, decision_threshold)
    parts, more = ["python.py", "python_models.py"], ""
    if keeps_rows(data["model"]):
        parts += ["python_rows.py", "python_clusters.py"]
        more = "MODELS.update(MORE)\nMODELS.update(CLUSTERS)\n"
    runtime = "\n\n".join(_runtime(part) for part in parts)
    text = dumps(data, separators=(",", ":"), allow_nan=False)
    return f"# {manifest_line(model, 'python')}\n{HEAD}PROGRAM = {text!r}\n\n{runtime}\n{more}{TAIL}"


@cache
def _runtime(name: str) -> str:
    """Return a part of the runtime without its docstring and its imports."""
    text = (resources.files("hornbeam.export.runtimes") / name).read_text("utf-8")
    text = re.sub(r'^""".*?"""\n', "", text, count=1, flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(r"(from|import|if TYPE_CHECKING|    from) ?", line)]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip() + "\n"
