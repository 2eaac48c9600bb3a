"""Support vector machines of sparse rows and of given kernel values: old files load and answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.model import storage

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
