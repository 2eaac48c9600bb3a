"""scikit-learn's LinearSVC, which is LIBLINEAR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.svm import LinearSVC

from benchmarks.margins import TOLERANCE, C, machine, sparse_rows

if TYPE_CHECKING:
    from benchmarks.peer import Learner


def why_absent() -> str | None:
    """Never absent: hornbeam needs scikit-learn."""
    return None


def svm_planes(threads: int) -> Learner:
    """Planes over sparse columns, by dual coordinate descent."""
    assert threads == 1

    def fit(ready: Any) -> Any:  # noqa: ANN401 - scikit-learn has no types
        rows, target = ready
        return LinearSVC(C=C, tol=TOLERANCE, dual=True, random_state=0).fit(rows, target)

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"steps": int(model.n_iter_)}

    return machine(
        fit, lambda model, rows: model.predict(sparse_rows(rows)), facts, lambda rows: (sparse_rows(rows), rows.target)
    )
