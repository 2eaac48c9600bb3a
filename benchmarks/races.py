"""The races: who runs what, and the bar that each ratio must clear."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.peer import FOREST_MANY, FOREST_TREES, NAMES, Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Results = Mapping[Measurement, Mapping[str, Any]]

QUICK_SHARE = 50  # a smoke test takes one row in this many
QUICK_LEAST = 2_000
SHARE, VARIANCE = "of rows", "of the variance"  # units that are shown with more digits
EQUAL = 1e-9  # proportions of errors that differ by no more are equal


@dataclass(frozen=True)
class Bar:
    """A number computed from the results, and the limit it must keep."""

    says: str
    value: Callable[[Results], float]
    must_be: Literal["at least", "at most"]
    limit: float
    unit: str = "x"

    def met(self, value: float) -> bool:
        """Whether a number keeps the limit."""
        return value >= self.limit if self.must_be == "at least" else value <= self.limit


@dataclass(frozen=True)
class Race:
    """Measurements to be taken in turns, and the bars they are held to."""

    name: str
    title: str
    entries: tuple[Measurement, ...]
    bars: tuple[Bar, ...]


def ratio(above: Measurement, below: Measurement, what: str) -> Callable[[Results], float]:
    """One measured quantity over another."""
    return lambda results: float(results[above][what] / results[below][what])


def faster(rival: Measurement, ours: Measurement, least: float) -> Bar:
    """So many times a rival's speed, by CPU seconds."""
    return Bar(f"speed against {NAMES[rival.peer]} (CPU)", ratio(rival, ours, "cpu"), "at least", least)


def faster_by_tree(rival: Measurement, ours: Measurement, least: float) -> Bar:
    """So many times a rival's speed, tree by tree: it grows few, and ours as many as forests have as they come."""

    def times(results: Results) -> float:
        return float(results[rival]["cpu"] / FOREST_TREES / (results[ours]["cpu"] / FOREST_MANY))

    return Bar(f"speed by tree against {NAMES[rival.peer]} (CPU)", times, "at least", least)


def same_tree(says: str, first: Measurement, second: Measurement) -> Bar:
    """Both must have learned a tree of as many leaves and nodes and, where known, with the same content and error."""

    def differences(results: Results) -> float:
        one, other = results[first], results[second]
        compared = [what for what in ("leaves", "size", "digest", "training_error") if what in one and what in other]
        return float(sum(not _same(one[what], other[what]) for what in compared))

    return Bar(says, differences, "at most", 0, "differences")


def _same(one: float | str, other: float | str) -> bool:
    """Equal, but for what adding in another order does to a sum."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=EQUAL)
    return one == other


def races(*, quick: bool = False) -> list[Race]:
    """Every race, at full size or as a smoke test."""
    from benchmarks.boosting_races import races_of_boosting  # noqa: PLC0415 - builds on this
    from benchmarks.cluster_races import races_of_clusters  # noqa: PLC0415 - builds on this
    from benchmarks.export_races import races_of_exports  # noqa: PLC0415 - builds on this
    from benchmarks.forest_races import races_of_forests  # noqa: PLC0415 - builds on this
    from benchmarks.margin_races import races_of_margins  # noqa: PLC0415 - builds on this
    from benchmarks.neighbor_races import races_of_neighbors  # noqa: PLC0415 - builds on this
    from benchmarks.optimal_races import races_of_optimal_trees  # noqa: PLC0415 - builds on this
    from benchmarks.pruning_races import races_of_pruning  # noqa: PLC0415 - builds on this
    from benchmarks.rule_races import races_of_rules  # noqa: PLC0415 - builds on this

    def rows(number: int) -> int:
        return max(QUICK_LEAST, number // QUICK_SHARE) if quick else number

    small, half, large = rows(100_000), rows(500_000), rows(1_000_000)
    return [
        _purity("purity-small", "20 numeric columns, 2 classes", "gaussian", small, (20, 7)),
        _purity("purity-large", "28 numeric columns, 2 classes", "higgs", large, (20, 7)),
        _purity("covertype", "10 integer columns and 44 of zeros and ones, 7 classes", "covertype", half, (4, 4)),
        *_pruning(small, large),
        *races_of_pruning(rows(150_000), rows(1_350_000)),
        _direct(large),
        _regression("regression-small", small),
        _regression("regression-large", large),
        _rpart(small),
        _model_trees(small, large),
        *races_of_optimal_trees(rows(3_000), large),
        *races_of_rules(rows(10_000), rows(100_000)),
        *races_of_forests(small, half, large),
        *races_of_boosting(half, large),
        *races_of_clusters(rows(100_000), rows(5_000), rows(20_000)),
        *races_of_neighbors(small, large, rows(5_000), rows(10_000)),
        *races_of_margins(rows(5_000), rows(20_000), rows(50_000), small),
        _threads(large),
        _memory(half, large),
        _csv(large),
        _predict(large),
        *_predict_many(rows(200_000)),
        *races_of_exports(large),
        _start(),
        _report(small),
    ]


def _purity(name: str, columns: str, data: str, rows: int, least: tuple[float, float]) -> Race:
    ours, scikit_learn, ydf = (Measurement(peer, "purity", data, rows) for peer in ("ours", "scikit_learn", "ydf"))
    return Race(
        name,
        f"Exact tree grown to purity: {columns}",
        (ours, scikit_learn, ydf),
        (faster(scikit_learn, ours, least[0]), faster(ydf, ours, least[1])),
    )


def _pruning(small: int, large: int) -> list[Race]:
    ours, ours_large = (Measurement("ours", "pruned", "mixed", rows) for rows in (small, large))
    cart, cart_large = (Measurement("ydf", "pruned", "mixed", rows) for rows in (small, large))
    j48 = Measurement("weka", "pruned", "mixed", small, text="arff")
    return [
        Race(
            "c45-small",
            "C4.5, pruned with raising: 10 numeric and 10 nominal columns, 4 classes, 5 % missing; YDF as it comes",
            (ours, j48, cart),
            (faster(j48, ours, 15), same_tree("leaves and nodes against WEKA J48", ours, j48)),
        ),
        Race("c45-large", "The same with more rows", (ours_large, cart_large), (faster(cart_large, ours_large, 2),)),
        Race(
            "scaling",
            "C4.5 on ten times the rows",
            (ours, ours_large),
            (Bar("time for ten times the rows (CPU)", ratio(ours_large, ours, "cpu"), "at most", 17),),
        ),
    ]


def _direct(rows: int) -> Race:
    ours, cart = Measurement("ours", "direct", "mixed", rows), Measurement("ydf", "pruned", "mixed", rows)

    def ahead(results: Results) -> float:
        return float(results[ours]["accuracy"] - results[cart]["accuracy"])

    return Race(
        "mixed-direct",
        "Rows without a value go where they do best, pruning included: the columns of c45-large; YDF as it comes",
        (ours, cart),
        (
            faster(cart, ours, 4),
            Bar("accuracy on held-out rows", lambda results: results[ours]["accuracy"], "at least", 0.819, SHARE),
            Bar("accuracy beyond that of YDF", ahead, "at least", 0, SHARE),
        ),
    )


def _regression(name: str, rows: int) -> Race:
    peers = ("ours", "scikit_learn", "ydf")
    ours, scikit_learn, ydf = (Measurement(peer, "regression", "friedman", rows) for peer in peers)
    return Race(
        name,
        "Exact regression tree by variance, grown to purity: 10 numeric columns and a numeric target with noise",
        (ours, scikit_learn, ydf),
        (faster(scikit_learn, ours, 10), faster(ydf, ours, 4)),
    )


def _rpart(rows: int) -> Race:
    entries, bars = [], []
    for data in ("covertype", "friedman"):
        ours, rival = (Measurement(peer, "cart", data, rows) for peer in ("ours", "rpart"))
        entries += [ours, rival]
        bars.append(Bar(f"{data}, speed against {NAMES['rpart']} (CPU)", ratio(rival, ours, "cpu"), "at least", 5))
        bars.append(same_tree(f"{data}, leaves, nodes and training error against {NAMES['rpart']}", ours, rival))
    title = "CART as rpart does it by default, surrogates and 10-fold complexity table included: classes, and numbers"
    return Race("rpart", title, tuple(entries), tuple(bars))


def _model_trees(small: int, large: int) -> Race:
    ours, many = (Measurement("ours", "model_tree", "pwl", rows) for rows in (small, large))
    five, cubist = (Measurement(peer, "committees", "pwl", small) for peer in ("ours", "cubist"))
    m5p = Measurement("weka_m5p", "model_tree", "pwl", small, text="arff")
    return Race(
        "model-tree",
        "M5' as it comes, then with five committees: 8 numeric and 2 nominal columns, a plane for each region",
        (ours, m5p, five, cubist, many),
        (
            faster(m5p, ours, 15),
            Bar(f"RMSE against {NAMES['weka_m5p']}", ratio(ours, m5p, "rmse"), "at most", 1),
            faster(cubist, five, 2),
            Bar(f"RMSE against {NAMES['cubist']}", ratio(five, cubist, "rmse"), "at most", 1),
            Bar("time for ten times the rows (CPU)", ratio(many, ours, "cpu"), "at most", 17),
        ),
    )


def quantity(entry: Measurement, what: str) -> Callable[[Results], float]:
    """One measured quantity."""
    return lambda results: float(results[entry][what])


def accuracy_of(entry: Measurement) -> Callable[[Results], float]:
    """The measured accuracy."""
    return lambda results: float(results[entry]["accuracy"])


def _threads(rows: int) -> Race:
    entries, bars = [], []
    for scheme, task, data in (("ID3", "purity", "higgs"), ("C4.5", "pruned", "mixed")):
        one, two = (Measurement("ours", task, data, rows, threads) for threads in (1, 2))
        entries += [one, two]
        bars.append(Bar(f"{scheme}, speed of two threads (wall)", ratio(one, two, "wall"), "at least", 1.6))
        bars.append(same_tree(f"{scheme}, the tree of two threads", one, two))
    return Race("threads", "Two threads against one", tuple(entries), tuple(bars))


def _memory(half: int, large: int) -> Race:
    entries, bars = [], []
    for task, data, rows in (("purity", "higgs", large), ("purity", "covertype", half), ("pruned", "mixed", large)):
        ours, rival = (Measurement(peer, task, data, rows) for peer in ("ours", "scikit_learn"))
        entries += [ours, rival]
        bars.append(Bar(f"{data}, against scikit-learn", ratio(ours, rival, "memory"), "at most", 2.5))
    title = "Peak memory of the process, data included; scikit-learn reads the codes of nominal columns as numbers"
    return Race("memory", title, tuple(entries), tuple(bars))


def _csv(rows: int) -> Race:
    ours, arrow = (Measurement(peer, "read", "mixed", rows, threads=0, text="csv") for peer in ("ours", "arrow"))
    return Race(
        "csv",
        "A CSV file of 20 mixed columns and a class, read with as many threads as the reader likes",
        (ours, arrow),
        tuple(
            Bar(f"time against pyarrow's dictionary-encoded read ({name})", ratio(ours, arrow, clock), "at most", 1.5)
            for name, clock in (("wall", "wall"), ("CPU", "cpu"))
        ),
    )


def _predict(rows: int) -> Race:
    ours, scikit_learn = (Measurement(peer, "predict", "gaussian", rows) for peer in ("ours", "scikit_learn"))
    return Race(
        "predict",
        "Prediction by a tree of depth 12 from a row-major array of 20 numeric columns, one thread",
        (ours, scikit_learn),
        (
            Bar("rows a second", lambda results: results[ours]["rows_per_second"], "at least", 5e6, ""),
            Bar("time for one row against scikit-learn", ratio(ours, scikit_learn, "one_row"), "at most", 1),
        ),
    )


def _predict_many(rows: int) -> list[Race]:
    """Prediction by many trees."""
    found = []
    for task, what, light, scikit_learn in (
        ("predict_forest", "a forest of 30 trees with 255 leaves", "lightgbm_forest", "scikit_learn"),
        ("predict_boost", "boosting, 100 trees with 31 leaves", "lightgbm", "hist_gradient"),
    ):
        entries = [Measurement(peer, task, "higgs", rows) for peer in ("ours", light, scikit_learn, "ydf")]
        ours, lightgbm, scikit, ydf = entries
        found.append(
            Race(
                task.replace("_", "-"),
                f"Prediction by {what}, from a row-major array of 28 numeric columns, one thread; YDF's fastest engine "
                "by its own measurement, from its own data",
                tuple(entries),
                (
                    *(
                        Bar(
                            f"rows a second against {NAMES[rival.peer]}",
                            ratio(ours, rival, "rows_per_second"),
                            "at least",
                            2,
                        )
                        for rival in (lightgbm, scikit)
                    ),
                    Bar("rows a second against YDF", ratio(ours, ydf, "rows_per_second"), "at least", 0.8),
                    Bar(f"time for one row against {NAMES[light]}", ratio(ours, lightgbm, "one_row"), "at most", 1.5),
                ),
            )
        )
    return found


def _start() -> Race:
    ours = Measurement("ours", "start")

    def importing(results: Results) -> float:
        return float(results[ours]["importing"] - results[ours]["bare"])

    return Race(
        "start",
        "Starting, with the files in the system's cache",
        (ours,),
        (
            Bar("hornbeam --help", lambda results: results[ours]["helping"], "at most", 0.3, "s"),
            Bar("import hornbeam, beyond Python's own start", importing, "at most", 0.1, "s"),
        ),
    )


def _report(rows: int) -> Race:
    ours = Measurement("ours", "report", "mixed", rows)
    return Race(
        "report",
        "A report as a page, C4.5 and CART compared by 10-fold cross-validation: 10 numeric and 10 nominal columns",
        (ours,),
        (Bar("against its cross-validations alone (CPU)", lambda results: results[ours]["times"], "at most", 1.5),),
    )


# Of repeated runs the best counts, but for memory, where it is the worst.
LEAST = {
    "cpu",
    "wall",
    "convert",
    "grow",
    "prune",
    "row_ns",
    "one_row",
    "bare",
    "importing",
    "helping",
    "validation",
    "times",
}
MOST = {"memory", "rows_per_second"}


def best(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Repeated runs as one."""
    found = dict(runs[0])
    for what in found:
        if what in LEAST:
            found[what] = min(run.get(what, math.inf) for run in runs)
        elif what in MOST:
            found[what] = max(run.get(what, 0) for run in runs)
    return found
