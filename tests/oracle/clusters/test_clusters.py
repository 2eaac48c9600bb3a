"""k-means and EM end at least as well as the reference program's, on its own data, prepared in the same way."""

from __future__ import annotations

import pytest
from oracle import evidence
from oracle.clusters.cluster_results import MEANS, MIXTURES, Outcome, compare, complaints

QUICK = ("iris", "weather.nominal", "contact-lenses", "glass", "vote", "zoo")
QUICK_EM = ("iris", "weather.nominal", "lowbwt")


@pytest.mark.parametrize(
    ("scheme", "data"),
    [(scheme, data) for scheme in MEANS for data in QUICK]
    + [(scheme, data) for scheme in MIXTURES for data in QUICK_EM],
)
def test_quick_set(scheme: str, data: str) -> None:
    assert data in evidence.answered(scheme)
    assert complaints([compare(scheme, data)]) == []


def test_a_worse_fit_is_found_out() -> None:
    for scheme, worse, better in (("SimpleKMeans-2", 10.1, 9.9), ("EM-2", -10.1, -9.9)):
        assert complaints([Outcome(scheme, "iris", None, worse, -10.0 if "EM" in scheme else 10.0)])
        assert complaints([Outcome(scheme, "iris", None, better, -10.0 if "EM" in scheme else 10.0)]) == []
