"""The races of clusters: the time of a step, from the same start; whole fits of a fixed number of steps beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.clustered import COLUMNS, STEPS
from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, faster, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.races import Results

K_MEANS = ((10, 1.0, None), (100, 2.0, 0.8), (1000, 2.0, 0.8))


def races_of_clusters(rows: int, few: int, some: int) -> list[Race]:
    """k-means by the number of clusters, EM by the form of the covariances, clusters in clusters."""
    return [
        *(_k_means(rows, *entry) for entry in K_MEANS),
        *(_mixture(rows, form) for form in ("diagonal", "full")),
        *_nested(few, some),
    ]


def _k_means(rows: int, k: int, least: float, of_faiss: float | None) -> Race:
    tasks = (("ours", "k_means"), ("scikit_learn", "k_means"), ("scikit_learn", "elkan"), ("faiss", "k_means"))
    runs = {
        threads: [Measurement(peer, f"{task}_{k}", "gaussian", rows, threads) for peer, task in tasks]
        for threads in (1, 2)
    }

    def best_way(threads: int, what: str) -> Callable[[Results], float]:
        ours, lloyd, elkan, _ = runs[threads]
        return lambda results: float(min(results[lloyd][what], results[elkan][what]) / results[ours][what])

    ours, lloyd, _, faiss = runs[1]
    rival = f"{NAMES['scikit_learn']}'s better way"
    bars = [
        Bar(f"speed of a step against {rival} (CPU)", best_way(1, "step"), "at least", least),
        Bar(f"the same, two threads against {rival} (wall)", best_way(2, "step_wall"), "at least", least),
        Bar("error against it", ratio(ours, lloyd, "final"), "at most", 1 + 1e-9),
    ]
    if of_faiss is not None:
        text = f"speed of a step against {NAMES['faiss']}"
        bars.append(Bar(f"{text} (CPU)", ratio(faiss, ours, "step"), "at least", of_faiss))
    title = f"k-means, {k} clusters, {STEPS} steps: {COLUMNS} numeric columns"
    return Race(f"k-means-{k}", title, (*runs[1], *runs[2]), tuple(bars))


def _mixture(rows: int, form: str) -> Race:
    one, theirs = (Measurement(peer, f"mixture_{form}", "gaussian", rows) for peer in ("ours", "scikit_learn"))
    two, theirs_by_two = (replace(measurement, threads=2) for measurement in (one, theirs))
    rival = NAMES["scikit_learn"]
    bars = (
        Bar(f"speed of a step against {rival} (CPU)", ratio(theirs, one, "step"), "at least", 1.5),
        Bar(f"the same, two threads against {rival} (wall)", ratio(theirs_by_two, two, "step_wall"), "at least", 1.5),
    )
    title = f"EM, 10 components, {form} covariances, {STEPS} steps: {COLUMNS} numeric columns"
    return Race(f"em-{form}", title, (one, theirs, two, theirs_by_two), bars)


def _nested(few: int, some: int) -> list[Race]:
    """COBWEB against the program that has it; Ward's clusters against the fastest library."""
    ours, weka = (
        Measurement("ours", "cobweb", "mixed", few),
        Measurement("weka_cobweb", "cobweb", "mixed", few, text="arff"),
    )
    ward, rival = (Measurement(peer, "ward", "gaussian", some) for peer in ("ours", "fastcluster"))
    return [
        Race(
            "cobweb",
            "COBWEB: 10 numeric and 10 nominal columns, 5 % missing",
            (ours, weka),
            (faster(weka, ours, 30),),
        ),
        Race(
            "ward",
            "Ward's clusters: 20 numeric columns",
            (ward, rival),
            (
                faster(rival, ward, 1),
                Bar("heights against fastcluster's", ratio(ward, rival, "height"), "at most", 1 + 1e-9),
            ),
        ),
    ]
