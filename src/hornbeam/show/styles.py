"""`hornbeam.show.text`: a model as text, in the style asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.rule import RuleList
from hornbeam.model.tree import Tree
from hornbeam.show import classic, indented, rpart_text, rule_list

if TYPE_CHECKING:
    from collections.abc import Callable

STYLES = ("default", "ascii", "weka", "weka-binary", "weka-id3", "rpart")
RULE_STYLES = ("default", "ascii")

_WHOLE: dict[str, Callable[[Tree], str]] = {  # styles that print whole trees only
    "weka": lambda tree: classic.body(tree, classic.layout_of(tree)),
    "weka-binary": lambda tree: classic.body(tree, classic.C45_BINARY),
    "weka-id3": lambda tree: classic.body(tree, classic.ID3),
    "rpart": rpart_text.body,
}


def text(model: Any, style: str = "default", *, max_depth: int | None = None) -> str:  # noqa: ANN401 - dispatches on it
    """Write a model for people to read.

    Parameters
    ----------
    model : Tree, RuleList or fitted estimator
        What to write; of an estimator, its `model_`.
    style : str
        ``"default"``: tree lines, and the leaves' class, weight and errors in columns. ``"ascii"``: the same without
        box characters. ``"weka"``: the classic layout, ``petalwidth <= 0.6: Iris-setosa (50.0)``, chosen to fit the
        tree; ``"weka-binary"`` and ``"weka-id3"`` ask for the layouts of one-vs-rest and ID3 trees by name.
        ``"rpart"``: binary trees as R prints them, ``2) petallength< 2.45 50 0 Iris-setosa (1.0000000 0.0000000
        0.0000000) *``.
    max_depth : int, optional
        Default and ascii styles: draw no deeper, and tell what was left out.

    Returns
    -------
    str
        Lines without a line end after the last one. Names are made safe for a terminal.
    """
    if style not in STYLES:
        msg = f"unknown style {style!r}; expected one of {', '.join(map(repr, STYLES))}"
        raise ValueError(msg)
    if max_depth is not None and max_depth < 0:
        msg = f"max_depth is {max_depth}; expected 0 or more, or None"
        raise ValueError(msg)
    if not isinstance(model, Tree | RuleList):
        model = getattr(model, "model_", model)
    if isinstance(model, RuleList):
        if style not in RULE_STYLES or max_depth is not None:
            msg = f"a list of rules is written in the style {' or '.join(map(repr, RULE_STYLES))}, without max_depth"
            raise ValueError(msg)
        return rule_list.write(model)
    if not isinstance(model, Tree):
        msg = f"cannot write a {type(model).__name__} as text; expected a Tree, a RuleList or a fitted estimator"
        raise TypeError(msg)
    if style in _WHOLE:
        if max_depth is not None:
            msg = f"style {style!r} prints whole trees; max_depth goes with 'default' and 'ascii'"
            raise ValueError(msg)
        return _WHOLE[style](model)
    return indented.draw(model, indented.ASCII if style == "ascii" else indented.UNICODE, max_depth)
