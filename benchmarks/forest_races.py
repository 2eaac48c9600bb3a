"""The races of random forests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peer import Measurement
from benchmarks.races import SHARE, VARIANCE, Bar, Race, faster, faster_by_tree, quantity, ratio, same_tree

if TYPE_CHECKING:
    from benchmarks.races import Results


def races_of_forests(small: int, half: int, large: int) -> list[Race]:
    """Grown to purity and with a limit of leaves, against other programs; and two threads against one."""
    sizes = (("higgs", large), ("covertype", half), ("mixed", large), ("friedman", large))
    found = [race for data, rows in sizes for race in _on(data, rows, small // 2)]
    ours, ranger = (Measurement(peer, "forest", "higgs", small) for peer in ("ours", "ranger"))
    one, two = (Measurement("ours", "forest", "higgs", large, threads) for threads in (1, 2))
    many = Measurement("ours", "forest_few", "higgs", 10 * large, 2)
    return [
        *found,
        Race(
            "forest-10m",
            "Two trees grown to purity on ten times the rows, by two threads: peak memory, the data included",
            (many,),
            (Bar("peak memory", quantity(many, "memory"), "at most", 16_384, "MB"),),
        ),
        Race("forest-ranger", "The forest of forest-higgs with fewer rows", (ours, ranger), (faster(ranger, ours, 4),)),
        Race(
            "forest-threads",
            "The forest of forest-higgs by two threads",
            (one, two),
            (
                Bar("speed of two threads (wall)", ratio(one, two, "wall"), "at least", 1.7),
                same_tree("the forest of two threads", one, two),
            ),
        ),
    ]


def _on(data: str, rows: int, few: int) -> list[Race]:
    races = []
    ours, scikit_learn, ydf = (Measurement(peer, "forest", data, rows) for peer in ("ours", "scikit_learn", "ydf"))
    rivals, many = [scikit_learn, ydf], Measurement("ours", "forest_many", data, rows)
    races.append(
        Race(
            f"forest-{data}",
            f"Random forest of 10 trees grown to purity, and ours of 100, too: the columns of {data}",
            (ours, *rivals, many),
            (faster_by_tree(scikit_learn, many, 8), faster_by_tree(ydf, many, 4), _memory(ours, rivals)),
        )
    )
    ours, *rivals = (Measurement(peer, "forest_many", data, few) for peer in ("ours", "scikit_learn", "ydf"))
    races.append(
        Race(
            f"forest-accuracy-{data}",
            f"Random forest of 100 trees grown to purity on fewer rows: the columns of {data}",
            (ours, *rivals),
            (_accuracy(ours, rivals),),
        )
    )
    ours, lightgbm = (Measurement(peer, "forest_leaves", data, rows) for peer in ("ours", "lightgbm_forest"))
    races.append(
        Race(
            f"forest-leaves-{data}",
            f"Random forest of 30 trees with 255 leaves each: the columns of {data}",
            (ours, lightgbm),
            (faster(lightgbm, ours, 2), _accuracy(ours, [lightgbm]), _memory(ours, [lightgbm])),
        )
    )
    return races


def _accuracy(ours: Measurement, rivals: list[Measurement]) -> Bar:
    """How much worse than the best rival ours is: in rows predicted right, or in variance explained."""
    what, unit = ("r2", VARIANCE) if ours.data == "friedman" else ("accuracy", SHARE)

    def behind(results: Results) -> float:
        return float(max(results[rival][what] for rival in rivals if rival in results) - results[ours][what])

    return Bar(f"{what} behind the best of them", behind, "at most", 0.002, unit)


def _memory(ours: Measurement, rivals: list[Measurement]) -> Bar:
    def leanest(results: Results) -> float:
        found = [results[rival]["memory"] for rival in rivals if "memory" in results.get(rival, {})]
        return float(results[ours]["memory"] / min(found))

    return Bar("peak memory against the leanest", leanest, "at most", 2)
