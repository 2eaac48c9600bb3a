"""For people: models and decisions as text. Reads models, never learns them.

`text` prints a model (`styles.py`), `why` prints how a tree came about (`decisions.py`). Both are imported when
first asked for. The modules are not called `text` and `why`, because a submodule would hide the function.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.show.decisions import why as why
    from hornbeam.show.styles import text as text

__all__ = ["text", "why"]

_HOMES = {"text": "hornbeam.show.styles", "why": "hornbeam.show.decisions"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
