"""Fuzz sparse input: whatever arrays a sparse matrix holds, fit and predict give a result or a sentence.

Run by `make fuzz`: ``python tests/fuzz/sparse_input.py [libFuzzer options]``. The bytes choose a format, an estimator
and the arrays of the matrix, which are put in place behind SciPy's back, as a caller can do. Where the matrix is sound,
the result is compared with that of the same matrix without zeros and repeated entries.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import atheris
import numpy as np
from scipy import sparse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
with atheris.instrument_imports(include=["hornbeam"]):
    import hornbeam
    from hornbeam.learn.base.sparse_input import checked_sparse
from using_models import is_sentence

ROWS, COLUMNS = 12, 5
FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dia")
LEARNERS = (
    lambda: hornbeam.SVMClassifier(gamma=0.5, max_iter=200),
    lambda: hornbeam.SVMClassifier(kernel="linear", max_iter=200),
    lambda: hornbeam.SVMClassifier(kernel="linear", solver="planes", max_iter=20, random_state=0),
    lambda: hornbeam.SVMClassifier(kernel="polynomial", degree=2, probability=True, max_iter=200, random_state=0),
    lambda: hornbeam.SVMRegressor(gamma=0.5, max_iter=200),
    hornbeam.C45Classifier,  # takes no sparse matrix, and says so
    lambda: hornbeam.KMeans(2, random_state=0),
)
RANDOM = np.random.default_rng(0)
SOUND = RANDOM.poisson(0.8, (ROWS, COLUMNS)).astype(float)
TARGET = (SOUND[:, 0] > SOUND[:, 1]).astype(int)
INDICES = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 10**6, 2**31 - 1, 2**31, 2**62)
VALUES = (0.0, 1.0, -1.0, 0.5, 1e-300, 1e150, 1e300, -1e308, np.inf, np.nan, 3.0)


def matrix(data: atheris.FuzzedDataProvider) -> Any:
    """A sound matrix with some entries of its arrays changed, and maybe an array cut short or of another type."""
    made: Any = sparse.csr_array(SOUND).asformat(FORMATS[data.ConsumeIntInRange(0, len(FORMATS) - 1)])
    names = {"coo": ("data", "coords"), "dia": ("data", "offsets"), "lil": ("data", "rows")}
    for _ in range(data.ConsumeIntInRange(0, 4)):
        name = data.PickValueInList(list(names.get(made.format, ("data", "indices", "indptr"))))
        array = getattr(made, name)
        if name == "coords":
            array = array[data.ConsumeIntInRange(0, 1)]
        if array.dtype == object:
            row = data.ConsumeIntInRange(0, len(array) - 1)
            array[row] = [data.PickValueInList(list(INDICES)) for _ in range(data.ConsumeIntInRange(0, 3))]
            continue
        if not array.size:
            continue
        if data.ConsumeIntInRange(0, 9) == 0 and name != "coords":
            setattr(made, name, array[: data.ConsumeIntInRange(0, len(array))].copy())
            continue
        if data.ConsumeBool() and name not in {"data", "coords"}:
            array = array.astype(np.int64)
            setattr(made, name, array)
        value = data.PickValueInList(list(VALUES if array.dtype.kind == "f" else INDICES))
        with np.errstate(all="ignore"):
            array.flat[data.ConsumeIntInRange(0, array.size - 1)] = np.array(value).astype(array.dtype)
    return made


def learn(data: bytes) -> None:
    """Fit and predict; anything but a result or a sentence of our own comes through."""
    given = atheris.FuzzedDataProvider(data)
    try:
        rows = matrix(given)
    except (ValueError, IndexError, TypeError):  # SciPy refuses to make it
        return
    learner = LEARNERS[given.ConsumeIntInRange(0, len(LEARNERS) - 1)]()
    at_fit = given.ConsumeBool()
    try:
        fitted = learner.fit(
            rows if at_fit or isinstance(learner, hornbeam.KMeans) else sparse.csr_array(SOUND), TARGET
        )
        found = fitted.predict(rows)
    except Exception as error:
        if not is_sentence(error) and "sklearn" not in _last_file(error):
            raise
        return
    checked_sparse(rows)  # what was learned from is sound
    assert len(found) == rows.shape[0]
    dense = np.asarray(rows.todense())
    if np.isfinite(dense).all():
        assert np.array_equal(fitted.predict(sparse.csr_array(dense)), found, equal_nan=found.dtype.kind == "f")


def _last_file(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else trace.tb_frame.f_code.co_filename


def main() -> None:
    """Start from choices of every format and estimator, and from what earlier runs found."""
    corpus = Path(__file__).resolve().parents[2] / "build" / "fuzz" / "sparse_input" / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number in range(60):
        (corpus / str(number)).write_bytes(np.random.default_rng(number).bytes(40))
    warnings.simplefilter("ignore")
    atheris.Setup([*sys.argv, str(corpus)], learn)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
