"""Sentences fitted to the width of the terminal."""

from __future__ import annotations

import shutil
import sys
import textwrap

LEAST = 20  # columns below which nothing is fitted
_HANGING = 2


def fitted(text: str, *, err: bool = False) -> str:
    """Break long lines between words on a terminal; a pipe gets them whole, for other programs to search.

    Parameters
    ----------
    text : str
        Sentences; lines that are not broken keep their spaces.
    err : bool
        Whether the text goes to the error stream.

    Returns
    -------
    str
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        return text
    return broken(text, shutil.get_terminal_size().columns)


def broken(text: str, width: int) -> str:
    r"""Break lines longer than a width between words; what follows is indented.

    Examples
    --------
    >>> broken("This tree has learned nothing.", 22)
    'This tree has learned\n  nothing.'
    """
    return "\n".join(_line(line, width) for line in text.split("\n"))


def _line(line: str, width: int) -> str:
    if len(line) <= width or width < LEAST:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")) + _HANGING)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
