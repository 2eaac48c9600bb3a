"""Models of clusters in model files: they come back as they were, and strange files are refused or do no harm."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import members_of, pack, with_strange_arrays, with_strange_plain
from strategies import Random, fill_table

import hornbeam
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelFileError
from hornbeam.model.files import storage

LEARNERS: dict[str, Any] = {
    "partition": hornbeam.KMeans(3, random_state=0),
    "mixture": hornbeam.MixtureModel(2, random_state=0),
    "concepts": hornbeam.Cobweb(),
    "dendrogram": hornbeam.HierarchicalClustering(3),
    "graph-clusters": hornbeam.SpectralClustering(3, n_neighbors=4, random_state=0),
}


@cache
def model_of(name: str) -> Any:
    weather = hornbeam.read("weather.numeric")
    columns = [column.copy() for column in weather.columns]
    columns[0][3], columns[2][4] = -1, np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LEARNERS[name].fit(Table(weather.schema, columns)).model_


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_comes_back_as_it_was(name: str) -> None:
    model = model_of(name)
    data = storage.to_bytes(model, {"scheme": "x"})
    back = storage.from_bytes(data)
    assert type(back) is type(model)
    assert back.same_as(model)
    assert storage.to_bytes(back, {"scheme": "x"}) == data
    rows = fill_table(Random(3), model.schema, 30, 0.2)
    assert back.predict(rows).tolist() == model.predict(rows).tolist()


def harmless(members: dict[str, bytes], name: str) -> None:
    """What is read is refused, or answers."""
    try:
        model = storage.from_bytes(pack(members, {"kind": name}))
    except ModelFileError:
        return
    rows = fill_table(Random(1), model.schema, 12, 0.3)
    with np.errstate(all="ignore"):
        answers = model.predict(rows)
        assert answers.shape == (12,)
        assert ((answers >= 0) & (answers < model.n_clusters)).all()
        assert len(model.describe()) == model.n_clusters
        hornbeam.show.text(model)


@settings(max_examples=150)
@given(st.sampled_from(sorted(LEARNERS)), st.data())
def test_arrays_that_point_outside_are_refused_or_harmless(name: str, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    harmless(with_strange_arrays(members, data), name)


@settings(max_examples=150)
@given(st.sampled_from(sorted(LEARNERS)), st.data())
def test_anything_in_the_plain_part_is_refused_or_harmless(name: str, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    harmless(with_strange_plain(members, name, data), name)


@pytest.mark.parametrize("name", LEARNERS)
def test_files_without_a_member_are_refused(name: str) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    for member in members:
        if member.endswith(".npy"):
            rest = {other: content for other, content in members.items() if other != member}
            with pytest.raises(ModelFileError):
                storage.from_bytes(pack(rest, {"kind": name}))
