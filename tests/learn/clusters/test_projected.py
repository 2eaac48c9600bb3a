"""Principal axes before any clusterer: the same clusters as on rows that were projected by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from conformance.every import same_clusters
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import hornbeam
from hornbeam.model.clusters.projected import ProjectedClusters

if TYPE_CHECKING:
    from pathlib import Path

CLUSTERERS = {
    "k-means": hornbeam.KMeans(3, numeric="as-is", random_state=0),
    "ward": hornbeam.HierarchicalClustering(3, numeric="as-is"),
    "average": hornbeam.HierarchicalClustering(3, linkage="average", numeric="as-is"),
    "spectral": hornbeam.SpectralClustering(3, numeric="as-is", random_state=0),
    "cobweb": hornbeam.Cobweb(0.5),
}


def frame() -> pd.DataFrame:
    table = hornbeam.read("iris")
    return table.select(table.schema.features).to_pandas()


@pytest.mark.parametrize("name", CLUSTERERS)
@pytest.mark.parametrize("keep", [2, 0.9])
def test_clusters_are_those_of_projected_rows(name: str, keep: float) -> None:
    rows = frame()
    learner = clone(CLUSTERERS[name]).set_params(pca=keep).fit(rows)
    placed = PCA(keep, svd_solver="full").fit_transform(StandardScaler().fit_transform(rows))
    by_hand = clone(CLUSTERERS[name]).fit(placed)
    assert isinstance(learner.model_, ProjectedClusters)
    assert learner.model_.axes.kept == placed.shape[1]
    assert same_clusters(learner.labels_, by_hand.labels_)
    assert same_clusters(learner.predict(rows), by_hand.predict(placed))


@pytest.mark.parametrize("name", CLUSTERERS)
def test_it_is_stored_told_and_drawn_in_the_columns_of_the_table(name: str, tmp_path: Path) -> None:
    table = hornbeam.read("iris")
    learner = clone(CLUSTERERS[name]).set_params(pca=2).fit(table)
    learner.save(tmp_path / "model")
    again = hornbeam.load(tmp_path / "model")
    assert again.same_as(learner.model_)
    assert (again.predict(table) == learner.predict(table)).all()
    told = hornbeam.show.text(again)
    assert "found on 2 principal axes of 4 columns" in told
    assert "petallength" in told
    assert "petallength" in hornbeam.show.cluster_map(learner, table)
    page = hornbeam.report.report_clusters(learner, table).html()
    assert "petallength" in page


def test_categories_and_columns_with_missing_values_stay() -> None:
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.normal(size=(60, 4)), columns=list("abcd"))
    rows.loc[3, "d"] = np.nan
    rows["kind"] = random.choice(["x", "y"], 60)
    learner = hornbeam.KMeans(2, pca=2, random_state=0).fit(rows)
    inner = learner.model_.inner.schema
    assert [inner.columns[place].name for place in inner.features] == ["d", "kind", "axis 1", "axis 2"]
    lacking = rows.assign(a=np.nan)
    assert set(learner.predict(lacking)) <= {0, 1}


@pytest.mark.parametrize(("pca", "message"), [(0, "pca is 0"), (9, "expected at most"), ("x", "pca is 'x'")])
def test_a_wrong_number_of_axes_is_refused(pca: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hornbeam.KMeans(2, pca=pca).fit(frame())


def test_one_column_has_no_axes() -> None:
    with pytest.raises(ValueError, match="needs two or more normal columns"):
        hornbeam.KMeans(2, pca=1).fit(frame()[["petalwidth"]])


def test_concepts_on_axes_take_no_more_rows() -> None:
    learner = hornbeam.Cobweb(0.5, pca=2).fit(frame())
    assert "row" in hornbeam.show.svg(learner)
    with pytest.raises(ValueError, match="fit all rows at once"):
        learner.partial_fit(frame())
