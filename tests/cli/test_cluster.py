"""`hornbeam cluster`: clusters told, compared with classes, saved and used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def test_clusters_are_told_and_compared(good: Any) -> None:
    out = good("cluster", "iris", "-k", "3").out
    assert "150 rows in 3 clusters" in out
    assert "11.3% of the rows are not of their cluster's class" in out
    plain = good("cluster", "iris", "-s", "em", "-k", "2", "--json").json
    assert len(plain["labels"]) == 150
    assert len(plain["clusters"]) == 2
    assert plain["classes"]["names"][0] == "Iris-setosa"
    labels = good("cluster", "iris", "-k", "2", "--labels").out.split()
    assert set(labels) == {"0", "1"}


def test_a_saved_model_assigns_new_rows(good: Any, tmp_path: Path) -> None:
    place = str(tmp_path / "clusters.hornbeam")
    labels = good("cluster", "vote", "-k", "2", "--save", place, "--labels").out.split()
    assert good("predict", place, "vote").out.split() == ["cluster", *labels]
    assert "435 rows in 2 clusters" in good("show", place).out


def test_wrong_words_are_refused(bad: Any) -> None:
    assert "neither a whole number nor auto" in bad("cluster", "iris", "-k", "many").err
    assert "no option of the scheme k-means" in bad("cluster", "iris", "--covariance-type", "full").err
