"""The error that readers raise for data that is not a table, and the words of messages.

Notes and errors of the readers name the options of the command line, such as ``--nominal zip``. Warnings and errors of
Python name the parameter of `hornbeam.read` instead: ``nominal=['zip']``.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import warnings
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120 - quicker than a Path

_LISTS = ("nominal", "numeric", "keep", "text", "ignore", "missing")  # parameters that take several columns or texts
_NAMES = ("order", "group")
_PAIRS = ("dates",)
_TEXT = ("header", "delimiter", "quote", "encoding", "comment", "skip-rows", "decimal", "thousands")
_OTHERS = (*_TEXT, "date-parts", "target", "max-classes")
_VALUE = r"""(?:\$'(?:\\.|[^'\\])*'|(?:'[^']*'|"[^"]*"|,*[^\s'",;?)])+)"""  # a word as a shell reads it
_OPTION = re.compile(
    rf"--(?P<flag>{'|'.join((*_LISTS, *_NAMES, *_PAIRS))}) (?P<value>{_VALUE})"
    rf"|--(?P<other>{'|'.join(_OTHERS)})(?: (?P<number>\d+|'[^']*'))?(?=[\s,;?)]|$)"
    r"|--(?P<skip>skip-bad-rows)"
)


class DataError(ValueError):
    """A file or frame cannot be read as a table.

    Parameters
    ----------
    message : str
        What was found and what was expected.
    line : int, optional
        Line of the file, counted from 1.
    column : str, optional
        Name of the column.

    Examples
    --------
    >>> str(DataError("found 'x', expected a number", line=3, column="age"))
    "line 3, column 'age': found 'x', expected a number"
    """

    def __init__(self, message: str, *, line: int | None = None, column: str | None = None) -> None:
        where = [f"line {line}"] if line is not None else []
        if column is not None:
            where.append(f"column {column!r}")
        super().__init__(f"{', '.join(where)}: {message}" if where else message)
        self.line = line
        self.column = column


class DataWarning(UserWarning):
    """A warning about a table: something was guessed, or may mislead a learner."""


class Change(str):
    """A note on a change of a column's meaning; it is also issued as a warning."""

    __slots__ = ()


_said: set[tuple[str, type[Warning], str, int]] = set()
_MOST_SAID = 10_000


def warn(message: Warning | str, category: type[Warning]) -> None:
    """Issue a warning that points at the nearest line outside of this package.

    By Python's rules a warning is shown once for each line. scikit-learn and pandas make Python forget what it has
    shown, so that every fold of a cross-validation would repeat all warnings; it is remembered here.

    Parameters
    ----------
    message : str
        What to know.
    category : type
        The kind of the warning.
    """
    frame, level = sys._getframe(), 1
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    said = (str(message), category, frame.f_code.co_filename, frame.f_lineno)
    if said in _said and _action(*said[:2], frame.f_globals.get("__name__", ""), frame.f_lineno) == "default":
        return
    if len(_said) > _MOST_SAID:
        _said.clear()
    _said.add(said)
    warnings.warn(message, category, stacklevel=level)


def _action(text: str, category: type[Warning], module: str, line: int) -> str:
    """What Python does with a warning, such as ``default`` or ``always``."""
    for action, message, kind, where, number in warnings.filters:
        if _fits(message, text) and issubclass(category, kind) and _fits(where, module) and number in (0, line):
            return action
    return "default"


def _fits(pattern: re.Pattern[str] | str | None, text: str) -> bool:
    """Whether a text matches a filter of warnings; Python's own filters hold texts, added ones patterns."""
    if pattern is None or isinstance(pattern, str):
        return pattern is None or pattern == text
    return pattern.match(text) is not None


def label(name: str) -> str:
    r"""Write a column's name at the start of a note, escaped if it is not printable.

    Examples
    --------
    >>> label("zip code"), label("a\nb")
    ('zip code', "'a\\nb'")
    """
    return name if name.isprintable() and name.strip() == name and name else repr(name)


def option(flag: str, name: str) -> str:
    """Write a command-line option with a column's name, quoted for a shell where needed.

    Examples
    --------
    >>> option("nominal", "zip code")
    "--nominal 'zip code'"
    """
    return f"--{flag} {for_shell(name)}"


def for_shell(word: str) -> str:
    r"""Quote a word of a command where a shell needs it; control characters are escaped.

    Examples
    --------
    >>> print(for_shell("zip code"), for_shell("it's \x1b[2J"))
    'zip code' $'it\'s \u001b[2J'
    """
    if word.isprintable():
        return shlex.quote(word)
    written = (f"\\{c}" if c in "\\'" else c if c.isprintable() else _escaped(c) for c in word)
    return f"$'{''.join(written)}'"


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def shorten(text: str, length: int = 60) -> str:
    """Quote a text for a message, escaped and shortened."""
    return repr(text) if len(text) <= length else repr(text[:length]) + "..."


def in_python(message: str) -> str:
    """Return a message with parameters of Python in the place of options.

    Examples
    --------
    >>> in_python("zip: 2 distinct integers, read as numeric; --nominal 'zip code' to change")
    "zip: 2 distinct integers, read as numeric; nominal=['zip code'] to change"
    >>> in_python("header: none; --header to change")
    'header: none; header=... to change'
    """
    return _OPTION.sub(_parameter, message)


def with_python_words(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose errors about data name parameters; `inspect.unwrap` gives the one for the commands."""

    @wraps(function)
    def called(*values: P.args, **named: P.kwargs) -> T:
        try:
            return function(*values, **named)
        except DataError as error:
            error.args = tuple(map(in_python, error.args))
            raise

    return called


def _parameter(found: re.Match[str]) -> str:
    if found["skip"]:
        return "bad_rows='skip'"
    if found["other"]:
        name, value = found["other"].replace("-", "_"), found["number"]
        return f"{name}=..." if value is None else f"{name}={value}"
    name, value = found["flag"], _unquoted(found["value"])
    if name in _PAIRS:
        column, equals, pattern = value.partition("=")
        return f"{name}={{{column!r}: {pattern!r}}}" if equals else f"{name}=[{column!r}]"
    return f"{name}=[{value!r}]" if name in _LISTS else f"{name}={value!r}"


def _unquoted(word: str) -> str:
    """The text that a shell reads from a quoted word; escaped characters stay escaped."""
    if word.startswith("$'"):
        return word[2:-1]
    try:
        return "".join(shlex.split(word))
    except ValueError:
        return word
