"""The races of support vector machines."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, faster, ratio


def races_of_margins(small: int, medium: int, large: int, sparse: int) -> list[Race]:
    """The RBF kernel at three sizes, predictions included, and planes over sparse columns."""
    sizes = (("svm-small", small), ("svm-medium", medium), ("svm-large", large))
    return [*(_rbf(name, rows) for name, rows in sizes), _weka(small), _planes(sparse)]


def _rbf(name: str, rows: int) -> Race:
    one, two = (Measurement("ours", "svm_rbf", "gaussian", rows, threads) for threads in (1, 2))
    theirs = Measurement("svc", "svm_rbf", "gaussian", rows)
    rival = NAMES["svc"]
    return Race(
        name,
        f"Support vector machine, RBF kernel, 20 columns, {rows:,} rows; the same tolerance and cache",
        (one, two, theirs),
        (
            Bar(f"speed against {rival} (CPU)", ratio(theirs, one, "cpu"), "at least", 2),
            Bar(f"speed of two threads against {rival} (wall)", ratio(theirs, two, "wall"), "at least", 3),
            Bar(f"speed of predictions against {rival} (CPU)", ratio(theirs, one, "predict_us"), "at least", 2),
            Bar("accuracy against the rival's", ratio(one, theirs, "accuracy"), "at least", 0.999),
        ),
    )


def _weka(rows: int) -> Race:
    ours = Measurement("ours", "svm_rbf", "gaussian", rows)
    theirs = replace(ours, peer="weka_smo", text="arff")
    return Race(
        "svm-weka",
        f"The machine of svm-small, {rows:,} rows, against the program that has the algorithm by its name",
        (ours, theirs),
        (faster(theirs, ours, 20), Bar("accuracy", ratio(ours, theirs, "accuracy"), "at least", 0.999)),
    )


def _planes(rows: int) -> Race:
    ours, theirs = (Measurement(peer, "svm_planes", "gaussian", rows) for peer in ("ours", "linear_svc"))
    return Race(
        "svm-planes",
        f"Planes: {rows:,} sparse rows, 10,000 columns, squared hinge loss; the same tolerance",
        (ours, theirs),
        (
            Bar(f"speed against {NAMES['linear_svc']} (CPU)", ratio(theirs, ours, "cpu"), "at least", 1),
            Bar("accuracy against the rival's", ratio(ours, theirs, "accuracy"), "at least", 0.999),
        ),
    )
