"""Models learned from frames of Dask are those of the rows in them, and predictions are a column of the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import made_table

import hornbeam
from hornbeam.data.arrow import to_arrow
from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    pytest.importorskip("dask.dataframe")
    with distributed.Client(processes=False, dashboard_address=None, n_workers=1, threads_per_worker=2) as one:
        yield one


@pytest.fixture(scope="module")
def rows() -> Any:
    """Rows as pandas reads them from a file: categories are texts."""
    frame = to_arrow(made_table(600, missing=0.1, values=None)).to_pandas()
    return frame.astype({"y": str, "color": object})


def dask_frame(rows: Any, partitions: int) -> Any:
    import dask.dataframe

    return dask.dataframe.from_pandas(rows, npartitions=partitions)


@pytest.mark.usefixtures("client")
def test_a_model_of_a_dask_frame_is_that_of_its_rows(rows: Any) -> None:
    expected = hornbeam.C45Classifier().fit(rows, "y")
    models = []
    for partitions in (1, 3):
        frame = dask_frame(rows, partitions)
        whole = hornbeam.C45Classifier().fit(frame, "y")  # categories may have another order
        assert whole.predict_proba(rows) == pytest.approx(expected.predict_proba(rows), abs=1e-12)
        source = hornbeam.scan(frame, target="y", local_rows=50, bins=16)
        models.append(hornbeam.C45Classifier().fit(source).model_)
        source.close()
    assert models[0].n_nodes > 20
    assert models[0].same_as(models[1])


@pytest.mark.usefixtures("client")
def test_predictions_are_a_column(rows: Any) -> None:
    frame = dask_frame(rows, 3)
    tree = hornbeam.C45Classifier().fit(rows, "y")
    found = tree.predict(frame).compute()
    assert list(found.columns) == [*rows.columns, "predicted_y"]
    assert (found["predicted_y"].to_numpy() == tree.predict(rows)).all()
    assert found.index.equals(rows.index)
    named = tree.predict(frame.drop(columns="y"))
    assert list(named.columns) == [*rows.columns[:-1], "y"]
    assert named._meta.dtypes.to_dict() == named.compute().dtypes.to_dict()
    shares = tree.predict_proba(frame).compute()
    assert np.array_equal(shares[["P(p)", "P(q)", "P(r)"]].to_numpy(), tree.predict_proba(rows))


@pytest.mark.usefixtures("client")
def test_numbers_and_clusters_too(rows: Any) -> None:
    frame = dask_frame(rows.dropna(), 2)
    kept = frame.compute()
    linear = hornbeam.LinearRegressor().fit(frame, "x3")
    assert linear.predict(frame).compute()["predicted_x3"].to_numpy() == pytest.approx(linear.predict(kept))
    clusters = hornbeam.KMeans(3, random_state=1).fit(frame)
    assert clusters.predict(frame).compute()["cluster"].to_numpy().tolist() == clusters.predict(kept).tolist()


@pytest.mark.usefixtures("client")
def test_mistakes_are_named(rows: Any) -> None:
    frame = dask_frame(rows, 2)
    tree = hornbeam.C45Classifier()
    with pytest.raises(TypeError, match="y is Series; expected the name of the target's column in the dask DataFrame"):
        tree.fit(frame.drop(columns="y"), frame["y"])
    with pytest.raises(DataError, match="no column 'x1', which the model was learned from"):
        tree.fit(frame, "y").predict(frame.drop(columns="x1"))
    with pytest.raises(DataError, match="the Dask DataFrame has no rows"):
        tree.fit(dask_frame(rows.head(0), 1), "y")
    with pytest.raises(ValueError, match="no target"):
        tree.fit(frame)
