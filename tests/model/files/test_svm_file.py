"""Support vector machines of sparse rows and of given kernel values: old files load, crafted ones are refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import array_bytes, members_of, pack
from scipy import sparse

from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.model.base.plain import ModelFileError
from hornbeam.model.files import storage

FIXTURES = Path(__file__).parent / "fixtures"
X = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 3.0], [2.0, 2.0, 0.0], [0.0, 1.0, 1.0], [3.0, 0.0, 1.0]])
Y = [0, 1, 2, 0, 2, 1]
LEARNERS: dict[str, tuple[Any, Any]] = {
    "sparse": (SVMClassifier(gamma=0.5, C=5.0), sparse.csr_array(X)),
    "sparse-planes": (SVMClassifier(kernel="linear", solver="planes", random_state=0), sparse.csr_array(X)),
    "given": (SVMClassifier(kernel="precomputed"), X @ X.T),
}
DECISIONS = {  # of the files in `fixtures`, for the first two rows
    "sparse": [
        [-0.9999829098080175, -0.9998511553990572, 0.3432882041320508],
        [0.9999669849716235, 0.16527405433894227, -0.9996210159493736],
    ],
    "sparse-planes": [
        [1.0002713105770766, -1.707930675024635, -1.0000000000000002],
        [-0.9998412719713416, 0.7604509029880244, -1.0000032506666667],
    ],
    "given": [[-0.9997866666666669, -1.0, 0.9999999999999999], [0.9995733333333332, 1.0, -1.0]],
}


def asked(name: str) -> Any:
    return (X @ X.T if name == "given" else X)[:2]


@pytest.mark.parametrize("name", LEARNERS)
def test_files_of_format_version_1_load_and_decide(name: str) -> None:
    path = FIXTURES / f"numbers-svm-{name}-version-1.hornbeam"
    assert storage.read_provenance(path)["hornbeam"] == "0.1.0"
    np.testing.assert_allclose(storage.load(path).decisions(asked(name)), DECISIONS[name], rtol=1e-6)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_learned_today_is_stored_the_same_way(name: str) -> None:
    learner, rows = LEARNERS[name]
    old = storage.load(FIXTURES / f"numbers-svm-{name}-version-1.hornbeam")
    new = storage.from_bytes(storage.to_bytes(learner.fit(rows, Y).model_))
    assert new.same_as(learner.model_)
    assert {key: array.dtype for key, array in new.arrays().items()} == {
        key: array.dtype for key, array in old.arrays().items()
    }
    np.testing.assert_allclose(new.decisions(asked(name)), old.decisions(asked(name)), atol=1e-3)


def changed(name: str, change: Any) -> bytes:
    """The file of a sound model with something changed, and its checksums put right."""
    learner, rows = LEARNERS[name]
    members = members_of(storage.to_bytes(learner.fit(rows, Y).model_))
    plain = json.loads(members["model.json"])
    change(members, plain["svm"])
    members["model.json"] = json.dumps(plain).encode()
    return pack(members, {"kind": "svm"})


def refused(data: bytes, complaint: str) -> None:
    with pytest.raises(ModelFileError, match=complaint):
        storage.from_bytes(data)


@pytest.mark.parametrize("wide", [1, 2, 4, 10**8])
def test_sparse_rows_have_a_column_a_feature(wide: int) -> None:
    refused(changed("sparse", lambda _, plain: plain.update(sparse_columns=wide)), "expected one for each of the 3")


def test_a_column_of_a_sparse_row_is_not_beyond_the_last() -> None:
    for column in (3, -1, 2**31 - 1):

        def beyond(members: Any, _: Any, column: int = column) -> None:
            columns = np.load(io.BytesIO(members["sparse/columns.npy"])).copy()
            columns[-1] = column
            members["sparse/columns.npy"] = array_bytes(columns)

        refused(changed("sparse", beyond), f"has {column} at index .*; expected whole numbers from 0 to 2")


def test_starts_of_sparse_rows() -> None:
    def with_start(place: int, value: int) -> Any:
        def change(members: Any, _: Any) -> None:
            start = np.load(io.BytesIO(members["sparse/start.npy"])).copy()
            start[place] = value
            members["sparse/start.npy"] = array_bytes(start)

        return change

    for place, value in ((0, -1), (0, 1), (1, 99), (-1, 99), (-1, 0)):
        refused(changed("sparse", with_start(place, value)), "starts of sparse rows|indptr ends at")


def test_there_is_one_form_of_support_vectors() -> None:
    dense = SVMClassifier(gamma=0.5, C=5.0).fit(X, Y).model_
    members = members_of(storage.to_bytes(dense))
    sparse_members = members_of(storage.to_bytes(LEARNERS["sparse"][0].fit(sparse.csr_array(X), Y).model_))
    members |= {name: data for name, data in sparse_members.items() if name.startswith("sparse/")}
    plain = json.loads(members["model.json"])
    plain["svm"]["sparse_columns"] = 10**8
    both = pack({**members, "model.json": json.dumps(plain).encode()}, {"kind": "svm"})
    refused(both, "kept rows and sparse rows; expected one of")

    def neither(_: Any, plain: Any) -> None:
        plain["sparse_columns"] = None

    refused(changed("sparse", neither), "no support vectors")


@pytest.mark.parametrize(
    ("name", "kernel"), [("sparse", "precomputed"), ("given", "rbf"), ("given", "linear"), ("sparse-planes", "rbf")]
)
def test_the_kernel_goes_with_the_support_vectors(name: str, kernel: str) -> None:
    refused(changed(name, lambda _, plain: plain.update(kernel=kernel)), "kernel")


def test_products_have_a_limit() -> None:
    learner = SVMClassifier(kernel="linear", products=2).fit(X[:, :1], Y)
    members = members_of(storage.to_bytes(learner.model_))
    plain = json.loads(members["model.json"])
    for n_factors in (101, 10**6, 10**9, 2**40, -1, 0, "2", None):
        plain["svm"]["n_factors"] = n_factors
        refused(pack({**members, "model.json": json.dumps(plain).encode()}, {"kind": "svm"}), "n_factors|from 1 to 100")
    with pytest.raises(ValueError, match="products is 1000; expected at most 100"):
        SVMClassifier(kernel="linear", products=1000).fit(X, Y)
    with pytest.raises(ValueError, match="degree is 2147483647; expected at most 100"):
        SVMClassifier(kernel="polynomial", degree=2**31 - 1).fit(X, Y)
