"""G12: four vectors in d dimensions, two clusters; the best error is 1, and a start exists that stays at d - 1."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.learn.clusters.kmeans import KMeans


@pytest.mark.parametrize("d", [3, 5, 10])
def test_restarts_find_what_one_start_misses(d: int) -> None:
    # Two pairs: within a pair one column differs, between the pairs all the others do.
    rows = np.zeros((4, d))
    rows[1, 0] = rows[3, 0] = 1
    rows[2, 1:] = rows[3, 1:] = 1
    best = KMeans(2, n_init=20, init="random", numeric="as-is", random_state=0).fit(rows)
    assert best.inertia_ == pytest.approx(1, abs=1e-9)
    stuck = KMeans(2, init=[rows[[0, 2]].mean(axis=0), rows[[1, 3]].mean(axis=0)], numeric="as-is").fit(rows)
    assert stuck.inertia_ == pytest.approx(d - 1, abs=1e-9)
    assert stuck.restarts_.steps.tolist() == [1]
    assert best.restarts_.errors.max() == pytest.approx(d - 1, abs=1e-9)
