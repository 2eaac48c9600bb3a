"""The races of pruning: no method may cost more than a tenth of growing."""

from __future__ import annotations

from benchmarks.peer import Measurement
from benchmarks.races import Bar, Race

MOST_SHARE = 0.1  # of the time it took to grow
BOTH = (
    "reduced-error",
    "reduced-error, greedy",
    "cost-complexity",
    "cost-complexity, impurity",
    "critical-value",
    "to_size",
    "levels",
)
NUMBERS = (*BOTH, "complexity-factor")
CLASSES = (*BOTH, "pessimistic", "chi-square", "description-length", "minimum-error")


def races_of_pruning(numbers: int, classes: int) -> list[Race]:
    """A tree of about 100,000 leaves for each kind of target."""
    kinds = (("numbers", "friedman", numbers, NUMBERS), ("classes", "higgs", classes, CLASSES))
    return [_race(*kind) for kind in kinds]


def _race(kind: str, data: str, rows: int, methods: tuple[str, ...]) -> Race:
    ours = Measurement("ours", f"pruning_{kind}", data, rows)

    def share(method: str) -> Bar:
        return Bar(
            f"{method}, of growing (CPU)", lambda results: results[ours][method] / results[ours]["grow"], "at most",
            MOST_SHARE, "of it",
        )  # fmt: skip

    title = "Pruning a tree grown to purity on two thirds of the rows, by every method, in one process"
    return Race(f"pruning-{kind}", title, (ours,), tuple(share(method) for method in methods))
