"""A table does not change once it is made, whatever happens to the arrays it was made of; rows that are not there."""

from __future__ import annotations

import copy
import mmap
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import hornbeam
from hornbeam import Nominal, Numeric, Schema, Table
from hornbeam.data.errors import DataError
from hornbeam.data.indices import check_starts, indices_below

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = Schema((Nominal("a", ("x", "y", "z")), Numeric("b")), ("feature", "target"))


def test_codes_cannot_change_after_they_were_checked() -> None:
    codes, numbers = np.tile(np.array([0, 1, 2, 1], np.int32), 50), np.arange(200.0)
    table = Table(SCHEMA, [codes, numbers])
    codes[:], numbers[:] = 10**8, np.inf
    assert table.columns[0].max() == 2
    assert np.isfinite(table.columns[1]).all()
    assert not any(column.flags.writeable for column in table.columns)


@pytest.mark.parametrize("wrap", ["view", "slice", "read-only view", "bytearray", "memory map"])
def test_memory_that_others_can_write_to_is_copied(wrap: str, tmp_path: Path) -> None:
    held: Any = np.array([0, 1, 2, 1], np.int32)
    if wrap == "bytearray":
        held = bytearray(held.tobytes())
        given = np.frombuffer(held, np.int32)
        given.flags.writeable = False
    elif wrap == "memory map":
        (tmp_path / "codes").write_bytes(held.tobytes())
        with (tmp_path / "codes").open("r+b") as file:
            held = mmap.mmap(file.fileno(), 0)
        given = np.frombuffer(held, np.int32)
        given.flags.writeable = False
    else:
        given = {"view": held.view(), "slice": held[0:4], "read-only view": held.view()}[wrap]
        given.flags.writeable = wrap != "read-only view"
    table = Table(SCHEMA, [given, np.ones(4)])
    if isinstance(held, np.ndarray):
        held[:] = 99
    else:
        held[:] = np.full(4, 99, np.int32).tobytes()
    assert table.columns[0].tolist() == [0, 1, 2, 1]


def test_what_cannot_change_is_not_copied() -> None:
    table = Table(SCHEMA, [np.zeros(5, np.int32), np.ones(5)])
    again = Table(SCHEMA, table.columns)
    assert all(np.shares_memory(one, other) for one, other in zip(table.columns, again.columns, strict=True))
    fresh = np.zeros(5, np.int32)
    assert np.shares_memory(Table(SCHEMA, [fresh, np.ones(5)], copy=False).columns[0], fresh)


def test_targets_frames_and_weights_can_be_changed_after_fit() -> None:
    x, y, w = np.arange(40.0).reshape(20, 2), np.arange(20.0), np.linspace(1, 2, 20)
    frame = pd.DataFrame(x, columns=["a", "b"])
    arrow = pa.table({"a": pa.array(x[:, 0].copy()), "b": pa.array(x[:, 1].copy())})
    for rows in (x, frame, arrow):
        learner = hornbeam.NeighborsRegressor(2).fit(rows, y, sample_weight=w)
        before = learner.predict(rows).copy()
        asked = rows.copy() if not isinstance(rows, pa.Table) else rows
        targets, weights = y.copy(), w.copy()
        y[:], w[:] = 1e9, 1e-9
        if isinstance(rows, np.ndarray):
            rows[:] = -1.0
        elif isinstance(rows, pd.DataFrame):
            rows.iloc[:, :] = -1.0
        assert np.array_equal(learner.predict(asked), before)
        y[:], w[:] = targets, weights
        x = np.arange(40.0).reshape(20, 2)


@pytest.mark.parametrize("rows", [[200], [-201], [2**63], [[0, 1]], [0.5], [True], ["a"], np.uint64([2**64 - 1])])
def test_rows_that_are_not_there(rows: Any) -> None:
    table = Table(SCHEMA, [np.zeros(200, np.int32), np.arange(200.0)])
    table.sort_order("b")
    with pytest.raises(IndexError, match=r"there is no row|expected row numbers or a mask|the mask has"):
        table.take(np.asarray(rows))
    assert table.take([-1, 0]).columns[1].tolist() == [199.0, 0.0]
    assert table.take([]).n_rows == 0


def test_a_sort_order_names_rows_of_the_table() -> None:
    table = Table(SCHEMA, [np.zeros(3, np.int32), np.arange(3.0)])
    for order in ([0, 3], [0, 1, 2, 0]):
        with pytest.raises(IndexError, match="a sort order has"):
            table.keep_order("b", np.array(order, np.uint32))


def test_copies_of_a_table_do_not_change_either() -> None:
    table = Table(SCHEMA, [np.zeros(3, np.int32), np.arange(3.0)])
    for other in (pickle.loads(pickle.dumps(table)), copy.copy(table), copy.deepcopy(table)):  # noqa: S301 - our own
        assert not any(column.flags.writeable for column in other.columns)
        assert other.schema == table.schema
        assert all(np.array_equal(one, two) for one, two in zip(table.columns, other.columns, strict=True))


def test_malformed_frames_are_refused() -> None:
    offsets = pa.py_buffer(np.array([0, 5, 10**8, 3], np.int32).tobytes())
    texts = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"hello")])
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 10**8, -5], pa.int32()), pa.array(["x", "y"]), safe=False)
    few = pa.Array.from_buffers(pa.int64(), 3, [pa.py_buffer(b"\x07"), pa.py_buffer(b"\0" * 24)])
    assert hornbeam.read(pa.table({"a": few})).n_rows == 3
    for array in (texts, codes):
        with pytest.raises(DataError, match="cannot be read as a table"):
            hornbeam.read(pa.table({"a": array}))


def test_labels_of_clusters_that_are_not_there() -> None:
    iris = hornbeam.read("iris")
    learner = hornbeam.KMeans(3, random_state=0).fit(iris)
    for labels in (np.full(150, 3), np.full(150, -1), np.full(150, 0.5)):
        with pytest.raises(IndexError, match="labels"):
            learner.classes_to_clusters(iris, labels=labels)
    with pytest.raises(ValueError, match="there are 149 labels and 150 classes"):
        learner.classes_to_clusters(iris, labels=np.zeros(149, int))


def test_indices_and_starts() -> None:
    for wrong in ([3], [-1], [0.5], [[0]], ["a"]):
        with pytest.raises(IndexError, match="places"):
            indices_below("places", wrong, 3)
    assert indices_below("places", [], 0).size == 0
    for start in ([0, 1], [0, 2, 1], [1, 1, 2], [0, 1, 9], [0.0, 1.0, 2.0]):
        with pytest.raises(IndexError, match="starts"):
            check_starts("starts", np.array(start), 2, 2)
    check_starts("starts", np.array([0, 0, 2]), 2, 2)
