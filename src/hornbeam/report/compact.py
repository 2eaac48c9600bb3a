"""The view in a notebook of a fitted estimator, a model and a report: a picture or text, and a summary.

It becomes part of another page, so it has no script and no style sheet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam._display import pre, settings
from hornbeam.model.trees.tree import Tree
from hornbeam.report.content.model import depth_drawn
from hornbeam.report.content.top import cards
from hornbeam.show import svg, text
from hornbeam.show.pictures.svg_parts import safe
from hornbeam.show.texts.styles import fidelity_lines
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from hornbeam.report.result import Report

BOX = "max-width:100%;overflow-x:auto;margin:.4em 0"  # as high as the picture, so that it is not cut off


def compact(shown: Any) -> str:  # noqa: ANN401 - any estimator or model of ours
    """Write a fitted estimator, a model or a distilled model for a notebook.

    Parameters
    ----------
    shown : estimator, model or Distilled
        Fitted.

    Returns
    -------
    str
        HTML: the estimator and its parameters, and the picture of a tree or the first lines of another model;
        `hornbeam.display` sets the number of leaves and lines.

    Examples
    --------
    >>> import hornbeam
    >>> shown = compact(hornbeam.C45Classifier().fit(hornbeam.read("weather")))
    >>> "C45Classifier" in shown, "<svg" in shown, "<script" in shown
    (True, True, False)
    """
    model = getattr(getattr(shown, "learner_", shown), "model_", shown)
    given = _parameters(shown) if hasattr(shown, "get_params") else ""
    words = f" <code>{safe(given)}</code>" if given else ""
    head = f"<p><b>{safe(printable(type(shown).__name__))}</b>{words}</p>"
    return f'<div class="hornbeam">{head}<div style="{BOX}">{_model(shown, model)}</div></div>'


def compact_report(report: Report) -> str:
    """Write a report for a notebook: its summary and its model."""
    items = "".join(f"<li>{safe(name)}: <b>{safe(value)}</b> {safe(note)}</li>" for name, value, note in cards(report))
    head = f"<p><b>{safe(report.heading)}</b></p><p>{safe(report.summary())}</p><ul>{items}</ul>"
    head += f"<p>{safe(report.choice.reason)}</p>"
    last = '<p>The whole report: <code>report.save("report.html")</code></p>'
    return f'<div class="hornbeam">{head}{compact(report.estimator)}{last}</div>'


def _parameters(estimator: Any) -> str:  # noqa: ANN401 - any estimator of ours
    """Return the parameters that were set, in scikit-learn's format."""
    written = " ".join(repr(estimator).split())
    return written.partition("(")[2].removesuffix(")")


def _model(shown: Any, model: Any) -> str:  # noqa: ANN401 - any estimator and model
    if isinstance(model, Tree):
        said = pre("\n".join(fidelity_lines(shown))) if hasattr(shown, "fidelity") else ""
        return svg(model, max_depth=depth_drawn(model, settings().max_nodes)) + said
    try:
        return pre(text(shown))
    except TypeError:
        return pre(repr(model))
