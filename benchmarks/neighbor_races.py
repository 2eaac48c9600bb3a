"""The races of neighbors: the nearest rows, K*, local regressions, and rows kept from a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.peer import NAMES, Measurement
from benchmarks.races import SHARE, Bar, Race, faster, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.races import Results

THREADS = 2
LEAST_SPEED = 0.9  # of the best
SAME = 1e-6  # by which means may differ, as a share: single precision


def races_of_neighbors(small: int, large: int, for_kstar: int, for_regressions: int) -> list[Race]:
    """Everything that predicts from kept rows."""
    return [
        _nearest("neighbors-8", "clouds8", small, trees=True),
        _nearest("neighbors-32", "clouds32", small, trees=False),
        _mixed(small),
        _kstar(for_kstar),
        _regressions(for_regressions),
        _stream(small, large),
    ]


def _nearest(name: str, data: str, rows: int, *, trees: bool) -> Race:
    ours = Measurement("ours", "neighbors", data, rows, THREADS)
    ways = ("kd", "ball", "brute") if trees else ("brute",)
    rivals = [Measurement("sklearn_neighbors", f"neighbors_{way}", data, rows, THREADS) for way in ways]
    rivals += [
        Measurement(peer, "neighbors", data, rows, THREADS) for peer in ("faiss_flat", "scipy_tree")[: 1 + trees]
    ]

    def best(results: Results) -> float:
        return float(min(results[rival]["wall"] for rival in rivals if rival in results) / results[ours]["wall"])

    def farther(results: Results) -> float:
        least = min(results[rival]["distance"] for rival in rivals if rival in results)
        return float(results[ours]["distance"] / least - 1)

    return Race(
        name,
        f"The 5 nearest of {rows:,} rows: {data[6:]} numeric columns in clouds; up to 10,000 query rows",
        (ours, *rivals),
        (
            Bar("speed against the best of them (wall)", best, "at least", LEAST_SPEED),
            Bar("mean distance of neighbors beyond theirs", farther, "at most", SAME, "of it"),
        ),
    )


def _mixed(rows: int) -> Race:
    peers = ("ours", "sklearn_neighbors")
    ours, rival = (Measurement(peer, "neighbors_mixed", "mixed", rows, THREADS) for peer in peers)
    return Race(
        "neighbors-mixed",
        "The 5 nearest rows: 10 numeric and 10 nominal columns, 5 % missing and left out; for scikit-learn, all made "
        "numbers before",
        (ours, rival),
        (
            Bar(f"speed against {NAMES[rival.peer]} (wall)", ratio(rival, ours, "wall"), "at least", 2),
            Bar(
                "of 50 rows, those with other neighbors than a plain search finds",
                _of(ours, "wrong"),
                "at most",
                0,
                "",
            ),
        ),
    )


def _of(entry: Measurement, what: str) -> Callable[[Results], float]:
    return lambda results: float(results[entry][what])


def _kstar(rows: int) -> Race:
    ours, rival = (
        Measurement("ours", "kstar", "mixed", rows),
        Measurement("weka_kstar", "kstar", "mixed", rows, text="arff"),
    )

    def same(results: Results) -> float:
        both = list(zip(results[ours]["predictions"], results[rival]["predictions"], strict=True))
        return sum(one == other for one, other in both) / len(both)

    return Race(
        "kstar",
        "K* as WEKA's: 10 numeric and 10 nominal columns, 4 classes, 5 % missing; up to 1,000 query rows",
        (ours, rival),
        (faster(rival, ours, 30), Bar("the same predictions", same, "at least", 0.99, SHARE)),
    )


def _regressions(rows: int) -> Race:
    entries, bars = [], []
    for task, says in (("lwr", "of 200 rows"), ("lwr_all", "of all rows")):
        ours, rival = (Measurement(peer, task, "friedman", rows) for peer in ("ours", "numpy_loop"))
        entries += [ours, rival]
        bars.append(Bar(f"{says}, speed against {NAMES[rival.peer]} (CPU)", ratio(rival, ours, "cpu"), "at least", 5))
        bars.append(Bar(f"{says}, difference of the RMSE", _apart(ours, rival), "at most", SAME, "of it"))
    title = (
        "A linear regression for every query row, in which near rows count more: 10 numeric columns, 1,000 query rows"
    )
    return Race("lwr", title, tuple(entries), tuple(bars))


def _apart(one: Measurement, other: Measurement) -> Callable[[Results], float]:
    return lambda results: abs(float(results[one]["rmse"] / results[other]["rmse"]) - 1)


def _stream(small: int, large: int) -> Race:
    few, many = (Measurement("ours", "ib2", "islands", rows) for rows in (small, large))
    return Race(
        "ib2-stream",
        "IB2 on a stream, 10,000 rows at a time: 8 numeric columns, 4 classes in 20 clouds",
        (few, many),
        (
            Bar("time for ten times the rows (CPU)", ratio(many, few, "cpu"), "at most", 17),
            Bar("rows kept", lambda results: results[many]["kept"] / large, "at most", 0.01, SHARE),
        ),
    )
