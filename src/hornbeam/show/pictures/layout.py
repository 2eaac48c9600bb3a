"""Where the nodes of a drawn tree stand: parents amid their children, subtrees as close as they can be without overlap.

In the manner of Reingold and Tilford, *Tidier Drawings of Trees*, IEEE Transactions on Software Engineering 7 (1981),
for boxes of any size: each subtree has an outline, level by level, and neighbors are moved apart until their outlines
do not touch. Children come after their parent, so one pass back over the nodes is enough, and no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass
class _Outline:
    """Left and right ends of a subtree on every level, the deepest first; all of them `shift` further right."""

    left: list[float]
    right: list[float]
    shift: float = 0.0


def place(
    children: Sequence[Sequence[int]], across: Sequence[float], along: Sequence[float], gap: float, level_gap: float
) -> tuple[list[float], list[float]]:
    """Place boxes so that none overlap.

    Parameters
    ----------
    children : sequence of sequences of int
        Of every box those below it, in order; box 0 is the root, and children have greater numbers than their parent.
    across, along : sequences of float
        The boxes' sizes: in the direction in which siblings stand side by side, and in that in which levels follow.
    gap, level_gap : float
        Room between neighbors, and between levels.

    Returns
    -------
    middle, start : lists of float
        Of every box its middle across (the smallest left end is 0) and where it starts along.

    Examples
    --------
    >>> place([[1, 2], [], []], [10, 20, 20], [5, 5, 5], gap=4, level_gap=3)
    ([22.0, 10.0, 34.0], [0.0, 8.0, 8.0])
    """
    offset = _offsets(children, across, gap)
    middle, level = [0.0] * len(children), [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            middle[child] = middle[box] + offset[child]
            level[child] = level[box] + 1
    first = min(center - size / 2 for center, size in zip(middle, across, strict=True))
    tallest = [0.0] * (max(level) + 1)
    for box, depth in enumerate(level):
        tallest[depth] = max(tallest[depth], along[box])
    starts = [0.0]
    for height in tallest[:-1]:
        starts.append(starts[-1] + height + level_gap)
    return [center - first for center in middle], [starts[depth] for depth in level]


def _offsets(children: Sequence[Sequence[int]], across: Sequence[float], gap: float) -> list[float]:
    """How far every box's middle lies to the right of its parent's."""
    offset = [0.0] * len(children)
    outlines: dict[int, _Outline] = {}
    for box in range(len(children) - 1, -1, -1):
        half = across[box] / 2
        below = children[box]
        if not below:
            outlines[box] = _Outline([-half], [half])
            continue
        group = outlines.pop(below[0])
        for child in below[1:]:
            group, offset[child] = _beside(group, outlines.pop(child), gap)
        middle = offset[below[-1]] / 2
        for child in below:
            offset[child] -= middle
        group.shift -= middle
        group.left.append(-half - group.shift)
        group.right.append(half - group.shift)
        outlines[box] = group
    return offset


def _beside(one: _Outline, other: _Outline, gap: float) -> tuple[_Outline, float]:
    """Put the other subtree to the right of one; give their common outline and how far it was moved."""
    shared = min(len(one.left), len(other.left))
    moved = gap + max(one.right[-k] + one.shift - other.left[-k] - other.shift for k in range(1, shared + 1))
    other.shift += moved
    # The deeper outline is kept and only its shared levels are changed, so that all merges together take linear time.
    if len(other.left) > len(one.left):
        for k in range(1, shared + 1):
            other.left[-k] = one.left[-k] + one.shift - other.shift
        return other, moved
    for k in range(1, shared + 1):
        one.right[-k] = other.right[-k] + other.shift - one.shift
    return one, moved
