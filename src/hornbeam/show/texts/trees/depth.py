"""How lines of trees are indented: by depth, up to a limit, so that the text of a deep tree is not mostly blanks."""

from __future__ import annotations

DEEPEST = 250  # lines below this depth are indented no more, and begin with their depth


def indentation(step: str, depth: int) -> str:
    """Give what a line at some depth begins with.

    Examples
    --------
    >>> indentation("| ", 2), indentation("", 300)
    ('| | ', '[300] ')
    """
    return step * depth if depth <= DEEPEST else f"{step * DEEPEST}[{depth}] "
