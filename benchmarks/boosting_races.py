"""The races of boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.boosted import ROUNDS
from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, ratio, same_tree

if TYPE_CHECKING:
    from benchmarks.races import Results

DATA = (
    ("higgs", "28 numeric columns, 2 classes"),
    ("covertype", "10 integer columns and 44 of zeros and ones, 7 classes"),
    ("mixed", "10 numeric and 10 nominal columns, 4 classes, 5 % missing"),
    ("friedman", "10 numeric columns, a numeric target"),
)


def races_of_boosting(half: int, large: int) -> list[Race]:
    """Against other programs, with few leaves and with many; and two threads against one."""
    found = []
    for leaves in (31, 255):
        for data, columns in DATA:
            rows = half if data == "covertype" else large
            found.append(_race(f"boost-{leaves}-{data}", leaves, data, rows, columns))
    one, two = (Measurement("ours", "boost_31", "higgs", large, threads) for threads in (1, 2))
    bars = (
        Bar("speed of two threads (wall)", ratio(one, two, "wall"), "at least", 1.7),
        same_tree("the trees of two threads", one, two),
    )
    return [*found, Race("boost-threads", "Boosting: two threads against one", (one, two), bars)]


def _race(name: str, leaves: int, data: str, rows: int, columns: str) -> Race:
    task = f"boost_{leaves}"
    ours, by_row, xgboost, scikit_learn = (
        Measurement(peer, task, data, rows) for peer in ("ours", "lightgbm", "xgboost", "hist_gradient")
    )
    by_column, rounded = (Measurement("lightgbm", f"{task}_{way}", data, rows) for way in ("by_column", "rounded"))

    def best_way(results: Results) -> float:
        return float(min(results[by_row]["cpu"], results[by_column]["cpu"]) / results[ours]["cpu"])

    light = NAMES["lightgbm"]
    return Race(
        name,
        f"Boosting, {ROUNDS} rounds of trees with {leaves} leaves, binning included: {columns}",
        (ours, by_row, by_column, rounded, xgboost, scikit_learn),
        (
            Bar(f"speed against {light}'s better way (CPU)", best_way, "at least", 1.3),
            Bar(f"speed against {light} with rounded gradients (CPU)", ratio(rounded, ours, "cpu"), "at least", 1),
            Bar(f"speed against {NAMES['xgboost']} (CPU)", ratio(xgboost, ours, "cpu"), "at least", 1.5),
            Bar(f"speed against {NAMES['hist_gradient']} (CPU)", ratio(scikit_learn, ours, "cpu"), "at least", 1.5),
            Bar(f"held-out loss against {light}", ratio(ours, by_row, "loss"), "at most", 1.005),
        ),
    )
