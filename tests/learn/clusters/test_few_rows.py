"""Tables that have too little for the clusters asked for: every learner answers sensibly, or says what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hornbeam import Cobweb, HierarchicalClustering, KMeans, MixtureModel, SpectralClustering

NUMBERED: dict[str, Any] = {
    "k-means": lambda k: KMeans(k, random_state=0),
    "mini-batch": lambda k: KMeans(k, algorithm="mini-batch", random_state=0),
    "bisecting": lambda k: KMeans(k, algorithm="bisecting", random_state=0),
    "mixture": lambda k: MixtureModel(k, random_state=0),
    "mixture-full": lambda k: MixtureModel(k, covariance_type="full", random_state=0),
    "ward": HierarchicalClustering,
    "average": lambda k: HierarchicalClustering(k, linkage="average"),
    "top-down": lambda k: HierarchicalClustering(k, direction="top-down"),
    "spectral": lambda k: SpectralClustering(k, random_state=0),
}
TWO = np.array([[0.0, 0], [0, 0], [1, 1], [1, 1], [1, 1]])
WARNS = [name for name in NUMBERED if not name.startswith("mixture")]


@pytest.mark.parametrize("name", WARNS)
def test_more_clusters_than_different_rows_are_warned_of(name: str) -> None:
    with pytest.warns(ConvergenceWarning, match="3 clusters were requested, and the table has only 2 different rows"):
        fitted = NUMBERED[name](3).fit(TWO)
    assert np.isfinite(fitted.labels_).all()


@pytest.mark.parametrize("name", ["k-means", "mini-batch", "bisecting", "spectral", "mixture", "mixture-full"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_that_are_alike_stay_together(name: str) -> None:
    labels = NUMBERED[name](3).fit(TWO).labels_
    assert len(set(labels[:2])) == len(set(labels[2:])) == 1
    assert labels[0] != labels[2]


@pytest.mark.parametrize("name", NUMBERED)
def test_more_clusters_than_rows_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"n_(clusters|components) is 9.*5"):
        NUMBERED[name](9).fit(TWO)


@pytest.mark.parametrize("name", NUMBERED)
def test_one_row_is_one_cluster(name: str) -> None:
    fitted = NUMBERED[name](1).fit([[1.0, 2.0]])
    assert fitted.labels_.tolist() == [0]
    assert fitted.predict([[1.0, 2.0], [5.0, 5.0]]).tolist() == [0, 0]


def test_one_row_is_one_concept() -> None:
    assert Cobweb().fit([[1.0, 2.0]]).labels_.tolist() == [0]


@pytest.mark.parametrize("name", [*NUMBERED, "cobweb"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constant_columns_and_rows_without_a_value_do_no_harm(name: str) -> None:
    """Two far clouds, one column the same everywhere, one row without any value: the clouds are found."""
    random = np.random.default_rng(0)
    cloud = np.concatenate([random.normal(0, 0.1, (20, 2)), random.normal(9, 0.1, (20, 2))])
    rows = np.column_stack([cloud, np.ones(40)])
    rows[3] = np.nan
    # By top-down parting, the row without a value, as far from all others as can be, stands alone.
    learner = Cobweb(acuity=1.0) if name == "cobweb" else NUMBERED[name](3 if name == "top-down" else 2)
    labels = learner.fit(rows).labels_
    known = np.arange(40) != 3
    if name == "cobweb":  # its classes may part a cloud, and no class has rows of both
        assert not set(labels[:20][known[:20]]) & set(labels[20:])
        return
    assert len(set(labels[:20][known[:20]])) == len(set(labels[20:])) == 1
    assert labels[0] != labels[20]
    assert (labels[3] in (labels[0], labels[20])) == (name != "top-down")


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_table_without_any_value_is_told_apart_nowhere(name: str) -> None:
    fitted = NUMBERED[name](1).fit(np.full((4, 2), np.nan))
    assert fitted.labels_.tolist() == [0, 0, 0, 0]
