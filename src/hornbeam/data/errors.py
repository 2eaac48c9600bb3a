"""The error that readers raise for data that is not a table, and quoting of names in messages."""

from __future__ import annotations

import shlex


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
    """Something about a table that its user should know before learning: what was guessed, or may mislead."""


class Change(str):
    """A note on something that changes what a column means, which Python also warns of."""

    __slots__ = ()


def label(name: str) -> str:
    r"""Write a column's name at the start of a note, escaped where it is not printable.

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
