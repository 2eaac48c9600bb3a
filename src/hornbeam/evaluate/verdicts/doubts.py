"""Reasons not to trust a score: columns that determine the target, identify rows or groups of rows, or hold times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.examine import LEAKS
from hornbeam.data.in_words import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hornbeam.data.examine import Finding

NAME_ROOM = 40
MOST_NAMED = 3
REASONS = {
    "gives-away": "{} alone determines the target",
    "identifier": "{} identifies rows",
    "groups": "rows with the same {} may be both in the training and in the held-out rows",
    "calendar": "{} is a time, and the held-out rows may not be later than the training rows",
}
OF_ANY_MODEL = ("gives-away", "groups")  # findings that matter even if the model does not use the column


def doubts_of(findings: Iterable[Finding], used: Collection[str] | None = None) -> list[str]:
    """Return the findings about a table that make the scores of a model doubtful, for `verdict`.

    Parameters
    ----------
    findings : iterable of Finding
        The result of `hornbeam.data.examine.examine`.
    used : collection of str, optional
        The columns that the model uses; a column that identifies rows or holds times gives no reason for doubt if the
        model does not use it. By default all.

    Examples
    --------
    >>> from hornbeam.data.examine import Finding
    >>> doubts_of([Finding("gives-away", "arrival", "..."), Finding("constant", "year", "...")])
    ["'arrival' alone determines the target"]
    """
    return [REASONS[one.kind].format(_quoted(one.column)) for one in _bearing(findings, used)]


def see_warnings(findings: Iterable[Finding], used: Collection[str] | None = None) -> str:
    """A reference to the warnings that make a score doubtful; empty if there are none.

    Examples
    --------
    >>> from hornbeam.data.examine import Finding
    >>> see_warnings([Finding("gives-away", "arrival", "..."), Finding("identifier", "id", "...")])
    "but see the warnings about 'arrival' and 'id'"
    """
    names = [_quoted(one.column) for one in _bearing(findings, used)]
    if not names:
        return ""
    if len(names) > MOST_NAMED:
        names[MOST_NAMED:] = [f"{len(names) - MOST_NAMED} more columns"]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"but see the warning{'s' if len(names) > 1 else ''} about {listed}"


def _bearing(findings: Iterable[Finding], used: Collection[str] | None) -> list[Finding]:
    return [
        one
        for one in findings
        if one.kind in LEAKS and (one.kind in OF_ANY_MODEL or used is None or one.column in used)
    ]


def _quoted(name: str | None) -> str:
    return f"'{printable(name or '', NAME_ROOM)}'"
