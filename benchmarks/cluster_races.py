"""The races of clusters in clusters."""

from __future__ import annotations

from benchmarks.peer import Measurement
from benchmarks.races import Bar, Race, faster, ratio


def races_of_clusters(few: int, some: int) -> list[Race]:
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
