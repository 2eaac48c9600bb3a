"""The races of optimal trees: the same number of errors as another exact program, sooner; and large tables."""

from __future__ import annotations

from benchmarks.peer import Measurement
from benchmarks.races import EQUAL, SHARE, Bar, Race, faster, ratio

TIMES_FASTER = 3
MOST_TIMES_GREEDY = 20


def races_of_optimal_trees(few: int, large: int) -> list[Race]:
    """Depth two and three on few rows, and depth two on many."""
    return [
        *(_against(f"optimal-{data}-{depth}", data, few, depth) for data in DATA for depth in ("two", "three")),
        _large(large),
    ]


DATA = ("gaussian", "covertype")


def _against(name: str, data: str, rows: int, depth: str) -> Race:
    theirs, ours = (Measurement(peer, f"optimal_{depth}", data, rows) for peer in ("pycontree", "ours"))

    def more_errors(results: object) -> float:
        return abs(results[ours]["training_error"] - results[theirs]["training_error"])  # type: ignore[index]

    return Race(
        name,
        f"The tree of depth {depth} with the fewest errors",
        (theirs, ours),
        (
            faster(theirs, ours, TIMES_FASTER),
            Bar("difference of the training errors", more_errors, "at most", EQUAL, SHARE),
        ),
    )


def _large(rows: int) -> Race:
    optimal, greedy = (Measurement("ours", task, "gaussian", rows) for task in ("optimal_two", "purity"))
    bar = Bar(
        "time of a greedy tree grown to purity (CPU)", ratio(optimal, greedy, "cpu"), "at most", MOST_TIMES_GREEDY
    )
    return Race("optimal-large", "The tree of depth two with the fewest errors, many rows", (optimal, greedy), (bar,))
