"""`hornbeam cluster --scheme spectral`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def test_spectral_clusters_are_told_saved_and_used(good: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "graph.hornbeam")
    out = good("cluster", "iris", "-s", "spectral", "-k", "3", "--save", place).out
    assert "150 rows in 3 clusters" in out
    labels = good("cluster", "iris", "-s", "spectral", "-k", "3", "--labels").out.split()
    assert good("predict", place, "iris").out.split() == ["cluster", *labels]
    assert "150 rows in 3 clusters" in good("show", place).out
    likely = good("cluster", "iris", "-s", "spectral", "--json").json
    assert likely["classes"]["counts"] == [[50, 0, 0], [0, 50, 50]]
    by_bell = good("cluster", "vote", "-s", "spectral", "--graph", "rbf", "-k", "2", "--json").json
    assert by_bell["classes"]["wrong"] < 0.15


def test_what_is_wrong_is_refused(bad: Any) -> None:
    assert "n_clusters is 151" in bad("cluster", "iris", "-s", "spectral", "-k", "151").err
    assert "gamma is -1" in bad("cluster", "iris", "-s", "spectral", "-k", "2", "--graph", "rbf", "--gamma", "-1").err
