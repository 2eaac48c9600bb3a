"""Known names in messages, and which of them a mistyped name may mean. Imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MOST_NAMES = 10  # in a message


def listed(names: Collection[str], most: int = MOST_NAMES) -> str:
    """Write a list of names, at most `most` of them.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"], most=2)
    ('a, b', 'a, b and 2 more')
    """
    left = len(names) - most
    first = ", ".join(name for name, _ in zip(names, range(most), strict=False))
    return first if left <= 0 else f"{first} and {left} more"


def similar(name: str, known: Iterable[str]) -> list[str]:
    """Return at most three known names that a mistyped one may mean: one that differs only by case, or similar ones.

    Examples
    --------
    >>> similar("Species", ["island", "species"]), similar("lern", ["learn", "data"]), similar("x", ["learn"])
    (['species'], ['learn'], [])
    """
    from difflib import get_close_matches  # noqa: PLC0415 (only for messages)

    plain: dict[str, str] = {}
    for one in known:
        plain.setdefault(_plain(one), one)
    typed = _plain(name)
    if typed in plain:
        return [plain[typed]]
    return [plain[found] for found in get_close_matches(typed, plain, n=3, cutoff=0.7)]


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c not in " _-.")


def suggestion(name: str, known: Collection[str], expected: str = "expected one of") -> str:
    """Write what a mistyped name may mean, or else the known names after the words `expected`.

    Examples
    --------
    >>> suggestion("Species", ["island", "species"]), suggestion("x", ["island"], "the columns are")
    ("did you mean 'species'?", "the columns are 'island'")
    """
    close = similar(name, known)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"{expected} {listed([repr(one) for one in known])}"
