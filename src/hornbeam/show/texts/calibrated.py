"""The calibration of leaves and the stability of splits as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability

MOST_CLASSES = 5  # maximum number of classes of a set that are named


def coverage_words(coverage: float) -> str:
    """A coverage as a percentage: 90%, 97.5%."""
    return f"{100 * coverage:.6g}%"


def leaf_words(found: LeafCalibration) -> str:
    """Write the prediction set or the interval of a leaf.

    Examples
    --------
    >>> from hornbeam.model.trees.node_figures import LeafCalibration
    >>> leaf_words(LeafCalibration(3, 0.9, 20, 20, classes=("yes", "no")))
    '{yes, no}'
    >>> leaf_words(LeafCalibration(3, 0.9, 20, 20, half_width=1.5, low=2.5, high=5.5))
    '2.5 to 5.5'
    """
    if found.classes is not None:
        named = [printable(name, NAME_LIMIT) for name in found.classes[:MOST_CLASSES]]
        more = len(found.classes) - len(named)
        return "{" + ", ".join([*named, *([f"… {more} more"] if more else [])]) + "}"
    if found.half_width is not None and math.isinf(found.half_width):
        return "any number"
    if found.low is None or found.high is None:
        return f"± {short_number(found.half_width or 0.0)}"
    return f"{short_number(found.low)} to {short_number(found.high)}"


def calibration_rows(found: LeafCalibration) -> str:
    """Write how many rows a leaf was calibrated on, and how many of them are its own."""
    rows = plural(found.rows, "row")
    return rows if found.rows == found.own_rows else f"{rows}, {found.own_rows} its own"


def leaf_and_rows(found: LeafCalibration) -> str:
    """Write the set or the interval of a leaf, and the rows it was calibrated on.

    Examples
    --------
    >>> from hornbeam.model.trees.node_figures import LeafCalibration
    >>> leaf_and_rows(LeafCalibration(3, 0.9, 20, 4, borrowed_from=1, classes=("yes", "no")))
    '{yes, no} by 20 rows, 4 its own'
    """
    return f"{leaf_words(found)} by {calibration_rows(found)}"


def calibration_head(found: LeafCalibration) -> str:
    """The header of a column of sets or intervals."""
    return f"{coverage_words(found.coverage)} {'set' if found.classes is not None else 'interval'}"


def stability_words(found: SplitStability) -> str:
    """Write how often a split recurs.

    Examples
    --------
    >>> from hornbeam.model.trees.node_figures import SplitStability
    >>> stability_words(SplitStability(0, "outlook", 1.0, 0.75, 0.5, 100))
    'the same column in 75% of 100 trees, the same split in 50%'
    """
    return (
        f"the same column in {found.same_column:.0%} of {found.trees} trees, the same split in {found.same_split:.0%}"
    )


def stability_line(found: SplitStability) -> str:
    """Write how often a split recurs, with the name of its column, for a line above the branches."""
    return f"({printable(found.column, NAME_LIMIT)}: {stability_words(found)})"


def beside_nodes(calibration: Any, stability: Any) -> dict[int, list[str]]:  # noqa: ANN401 - as `text` takes them
    """Lines by node for a picture: the first for the box, all of them for the tooltip."""
    from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability, by_node

    lines: dict[int, list[str]] = {}
    if stability is not None:
        for node, split in by_node(stability, SplitStability, "stability").items():
            words = stability_words(split)
            lines[node] = [f"in {split.same_column:.0%} of {split.trees} trees", words[0].upper() + words[1:]]
    if calibration is not None:
        for node, leaf in by_node(calibration, LeafCalibration, "calibration").items():
            short = f"{coverage_words(leaf.coverage)}: {leaf_words(leaf)}"
            lines.setdefault(node, []).extend([short, f"{calibration_head(leaf)} {leaf_and_rows(leaf)}"])
    return lines
