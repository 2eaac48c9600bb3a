"""For people: models and decisions as text and pictures. Reads models, never learns them.

`text` prints a model (`styles.py`), `why` prints how a tree came about (`decisions.py`), `explain` why a row gets its
answer (`explanation.py`), `svg` draws a tree (`tree_svg.py`). They are imported when first asked for. The modules have
other names, because a submodule would hide the function. `plot` is a module: charts on matplotlib, which is an extra.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.show import plot as plot
    from hornbeam.show.decisions import why as why
    from hornbeam.show.explanation import explain as explain
    from hornbeam.show.styles import text as text
    from hornbeam.show.tree_svg import svg as svg

__all__ = ["explain", "plot", "svg", "text", "why"]

_HOMES = {
    "explain": "hornbeam.show.explanation",
    "svg": "hornbeam.show.tree_svg",
    "text": "hornbeam.show.styles",
    "why": "hornbeam.show.decisions",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name == "plot":
        return import_module("hornbeam.show.plot")
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
