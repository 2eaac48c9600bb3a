"""The races of clusters: whole fits of a fixed number of steps from the same start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.clustered import COLUMNS, STEPS
from benchmarks.peer import NAMES, Measurement
from benchmarks.races import Bar, Race, faster, ratio

if TYPE_CHECKING:
    from benchmarks.races import Results

K_MEANS = ((10, 1.0, None), (100, 2.0, 0.8), (1000, 2.0, 0.8))


def races_of_clusters(rows: int, few: int, some: int) -> list[Race]:
    """k-means by the number of clusters, EM by the form of the covariances, clusters in clusters; one thread."""
    return [
        *(_k_means(rows, *entry) for entry in K_MEANS),
        *(_mixture(rows, form) for form in ("diagonal", "full")),
        *_nested(few, some),
    ]


def _k_means(rows: int, k: int, least: float, of_faiss: float | None) -> Race:
    ours, lloyd, faiss = (
        Measurement(peer, f"k_means_{k}", "gaussian", rows) for peer in ("ours", "scikit_learn", "faiss")
    )
    elkan = Measurement("scikit_learn", f"elkan_{k}", "gaussian", rows)

    def best_way(results: Results) -> float:
        return float(min(results[lloyd]["cpu"], results[elkan]["cpu"]) / results[ours]["cpu"])

    bars = [
        Bar(f"speed against {NAMES['scikit_learn']}'s better way (CPU)", best_way, "at least", least),
        Bar("error against it", ratio(ours, lloyd, "figure"), "at most", 1 + 1e-9),
    ]
    if of_faiss is not None:
        bars.append(Bar(f"speed against {NAMES['faiss']} (CPU)", ratio(faiss, ours, "cpu"), "at least", of_faiss))
    title = f"k-means, {k} clusters, {STEPS} steps: {COLUMNS} numeric columns"
    return Race(f"k-means-{k}", title, (ours, lloyd, elkan, faiss), tuple(bars))


def _mixture(rows: int, form: str) -> Race:
    ours, theirs = (Measurement(peer, f"mixture_{form}", "gaussian", rows) for peer in ("ours", "scikit_learn"))
    bars = (Bar(f"speed against {NAMES['scikit_learn']} (CPU)", ratio(theirs, ours, "cpu"), "at least", 1.5),)
    title = f"EM, 10 components, {form} covariances, {STEPS} steps: {COLUMNS} numeric columns"
    return Race(f"em-{form}", title, (ours, theirs), bars)


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
