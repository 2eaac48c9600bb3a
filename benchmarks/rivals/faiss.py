"""faiss: k-means in float32."""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.clustered import clustered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.peer import Learner


def why_absent() -> str | None:
    """It may not be installed."""
    return None if importlib.util.find_spec("faiss") else "faiss is not installed (pip install faiss-cpu)."


def _k_means(k: int, threads: int) -> Learner:
    def fit(x: NDArray[np.float64], steps: int) -> Any:  # noqa: ANN401 - faiss has no types
        import faiss  # noqa: PLC0415 - may be absent

        faiss.omp_set_num_threads(threads)
        small = x.astype(np.float32)
        means = faiss.Kmeans(x.shape[1], k, niter=steps, max_points_per_centroid=len(x))
        means.train(small, init_centroids=small[:k])
        return means

    return clustered(fit, lambda model: model.obj[-1], lambda model: len(model.obj))


k_means_10, k_means_100, k_means_1000 = (partial(_k_means, k) for k in (10, 100, 1000))
