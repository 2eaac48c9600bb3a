"""How texts, pictures and results are displayed in notebooks and at a prompt, and the display settings.

The HTML becomes part of another page: it has no script and no style sheet, and names from data are escaped.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from types import TracebackType

# Jupyter's style sheet uses other fonts for `pre`; columns are aligned only in one of these.
FACE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
WIDE = 96  # maximum length of a line in a notebook
PRE = f"{FACE};font-size:13px;line-height:1.35;white-space:pre;text-align:left;margin:.4em 0;overflow-x:auto"
LEAST, MOST_SHORT = 1, 12  # limits on the lines of a `repr`
CHOICES = {"style": ("default", "ascii"), "theme": ("auto", "light", "dark")}


@dataclass(frozen=True)
class Settings:
    """How models are shown; see `display`."""

    style: str = "default"
    theme: str = "auto"
    max_nodes: int = 60
    max_lines: int = 60


_settings = Settings()


class display:  # noqa: N801 - used as a function
    """Set how models, pictures and results are shown; as a context manager, only for a block.

    Parameters
    ----------
    style : {"default", "ascii"}, optional
        The default style of `hornbeam.show.text`.
    theme : {"auto", "light", "dark"}, optional
        The default theme of pictures; ``"auto"``: that of the page around them.
    max_nodes : int, optional
        The maximum number of leaves of a tree drawn in a notebook; deeper levels are left out.
    max_lines : int, optional
        The maximum number of lines of text shown in a notebook.

    Attributes
    ----------
    settings : Settings
        The current settings.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    >>> with hornbeam.display(style="ascii"):
    ...     print(hornbeam.show.text(tree).splitlines()[1].strip())
    |- outlook = sunny
    >>> hornbeam.display()
    display(style='default', theme='auto', max_nodes=60, max_lines=60)
    """

    def __init__(
        self,
        *,
        style: Literal["default", "ascii"] | None = None,
        theme: Literal["auto", "light", "dark"] | None = None,
        max_nodes: int | None = None,
        max_lines: int | None = None,
    ) -> None:
        global _settings  # noqa: PLW0603 - what settings are
        wanted = {"style": style, "theme": theme, "max_nodes": max_nodes, "max_lines": max_lines}
        given: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
        for name, value in given.items():
            if name in CHOICES and value not in CHOICES[name]:
                raise ValueError(f"{name} is {value!r}; expected one of {', '.join(map(repr, CHOICES[name]))}")
            if name not in CHOICES and (isinstance(value, bool) or not isinstance(value, int) or value < LEAST):
                raise ValueError(f"{name} is {value!r}; expected a whole number of at least {LEAST}")
        self._before = _settings
        _settings = replace(_settings, **given)
        self.settings = _settings

    def __enter__(self) -> Settings:
        return self.settings

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        global _settings  # noqa: PLW0603 - see above
        _settings = self._before

    def __repr__(self) -> str:
        return f"display({', '.join(f'{one.name}={getattr(self.settings, one.name)!r}' for one in fields(Settings))})"


def settings() -> Settings:
    """Return the current settings."""
    return _settings


class Text(str):
    """A text that shows its lines at a prompt and in a notebook. Otherwise it is a `str` like any other."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return pre(str(self))


class Picture(str):
    """An SVG picture that a notebook draws. Otherwise it is a `str` like any other, to be written to a file."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<SVG picture of {len(self):,} characters; a notebook draws it>"

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self}</div>'


class ShowsText:
    """A mixin for results with `text()`: a short `repr`, and HTML for notebooks.

    A subclass may have `_short`, its lines at a prompt, and `_headline`, the sentence that comes first.
    """

    __slots__ = ()

    def _headline(self) -> str:
        """The most important sentence; empty if there is none."""
        return ""

    def _short(self) -> str:
        return str(self.text())  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}: {self._headline()}".removesuffix(": "), *self._short().split("\n")]
        return cut(lines, MOST_SHORT, "print(result.text()) shows all" if hasattr(self, "text") else "")

    def _repr_html_(self) -> str:
        said = self._headline()
        head = f"<p><b>{safe(said)}</b></p>" if said else ""
        whole = self.text() if hasattr(self, "text") else self._short()
        return f'<div class="hornbeam">{head}{pre(whole)}</div>'


def cut(lines: list[str], most: int, how: str = "") -> str:
    """Join lines; if there are more than `most`, add how many are left out."""
    left = len(lines) - most
    if left <= 1:  # one more line takes no more space than the note
        return "\n".join(lines)
    return "\n".join([*lines[:most], f"… {left} more lines{f'; {how}' if how else ''}"])


def pre(text: str) -> str:
    """Write text as HTML in which columns are aligned, up to the maximum number of lines."""
    shown = cut([part for line in text.split("\n") for part in _wrapped(line)], settings().max_lines)
    return f'<pre style="{PRE}">{safe(shown)}</pre>'


def _wrapped(line: str) -> list[str]:
    """The line; a long sentence without columns is wrapped."""
    if len(line) <= WIDE or "  " in line or "│" in line:
        return [line]
    return textwrap.wrap(line, WIDE, break_long_words=False, break_on_hyphens=False)


def safe(text: str) -> str:
    """Escape text for HTML; characters that cannot be printed are written as Python escapes."""
    return escape("".join(c if c == "\n" or c.isprintable() else repr(c)[1:-1] for c in text))
