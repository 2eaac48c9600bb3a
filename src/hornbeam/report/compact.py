"""What a notebook shows for a fitted estimator and for a report: a picture or text, and a summary.

It is part of someone else's page, so it has no script, and no style for anything but itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.trees.tree import Tree
from hornbeam.report.content import cards
from hornbeam.report.model_content import depth_drawn
from hornbeam.report.page import safe_lines
from hornbeam.show import svg, text
from hornbeam.show.pictures.svg_parts import safe
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from hornbeam.report.result import Report

MOST_LINES = 60  # of text
MOST_DRAWN = 60  # leaves of a tree
BOX = "max-width:100%;overflow:auto;max-height:40em;margin:.4em 0"


def compact(estimator: Any) -> str:  # noqa: ANN401 - any estimator of ours
    """Write a fitted estimator for a notebook.

    Parameters
    ----------
    estimator : estimator
        Fitted.

    Returns
    -------
    str
        HTML: the estimator and its parameters, and the picture of a tree or the first lines of another model.

    Examples
    --------
    >>> import hornbeam
    >>> shown = compact(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> "C45Classifier" in shown, "<svg" in shown, "<script" in shown
    (True, True, False)
    """
    model = getattr(getattr(estimator, "learner_", estimator), "model_", None)
    head = f"<p><b>{safe(printable(type(estimator).__name__))}</b> <code>{safe(_parameters(estimator))}</code></p>"
    written = _model(estimator, model)
    return f'<div class="hornbeam">{head}<div style="{BOX}">{written}</div></div>'


def compact_report(report: Report) -> str:
    """Write a report for a notebook: its summary and its model."""
    items = "".join(f"<li>{safe(name)}: <b>{safe(value)}</b> {safe(note)}</li>" for name, value, note in cards(report))
    head = f"<p><b>Report on {safe(report.title)}</b></p><ul>{items}</ul><p>{safe(report.choice.reason)}</p>"
    last = '<p>The whole report: <code>report.save("report.html")</code></p>'
    return f'<div class="hornbeam">{head}{compact(report.estimator)}{last}</div>'


def _parameters(estimator: Any) -> str:  # noqa: ANN401 - any estimator of ours
    """Give the parameters that were set, as scikit-learn writes them."""
    written = " ".join(repr(estimator).split())
    return written.partition("(")[2].removesuffix(")")


def _model(estimator: Any, model: Any) -> str:  # noqa: ANN401 - any estimator and model
    if isinstance(model, Tree):
        return svg(model, max_depth=depth_drawn(model, MOST_DRAWN))
    try:
        lines = text(estimator).split("\n")
    except TypeError:
        lines = [repr(model)]
    left = len(lines) - MOST_LINES
    lines = [*lines[:MOST_LINES], f"… {left} more lines"] if left > 0 else lines
    return f'<pre style="line-height:1.35">{safe_lines(chr(10).join(lines))}</pre>'
