"""Budgets of Hypothesis, how many tests may be skipped, and what is checked of every support vector machine.

Python's garbage collector waits until all tests are collected, and then leaves them alone: they are never garbage, and
looking through them again and again took a third of the time of collecting.

Budgets are small by default, long where HYPOTHESIS_PROFILE=slow (make check-slow).
"""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# No deadline: a shared machine may be slow at any moment, and speed is not what tests are about.
settings.register_profile(
    "default", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "slow", max_examples=2_000, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

os.environ.pop("COLUMNS", None)  # output is as wide as in a pipe, whatever terminal the tests are started from

SVM_TESTS = ("svm", "test_g26", "test_margins")  # in the paths of tests that learn support vector machines


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(autouse=True)
def _every_margin_is_optimal(request: pytest.FixtureRequest) -> None:
    """Every support vector machine that those tests learn is at its optimum, whatever else they are about."""
    if any(part in request.path.as_posix() for part in SVM_TESTS):
        from optimum import watched

        watched(request.getfixturevalue("monkeypatch"), request.module)


# Why a test may be skipped, and how many at most for each reason; more, or any other reason, fails the run.
EXPECTED_SKIPS = {
    "SCIPY_ARRAY_API is not set": 150,  # one per estimator and setting that scikit-learn's checks run on
    "does not have a decision_function method": 40,  # scikit-learn's checks of that method
    "could not import 'lightgbm'": 20,  # where it has no wheel
    "could not import 'xgboost'": 20,  # the same
    "could not import 'catboost'": 20,  # the same
    "could not import 'shap'": 20,  # the same
    "the peak of memory is read from /proc": 2,  # where there is none
    "the sanitizer keeps freed memory": 2,  # peaks of memory
    "Cubist is not installed": 2,
    "pycontree is not installed": 1,  # other programs for optimal trees
    "pystreed is not installed": 1,
    "could not import 'distributed'": 10,  # Dask, where it is not installed
    "could not import 'pyspark'": 10,  # the same
    "no Java: Spark is not tested": 10,
    "Node.js is not installed": 400,  # one per scheme and example set
    "neither gcc nor clang is on the path": 200,
    "rustc is not on the path": 200,
    "cannot be run on this machine": 8,  # pages about exports
    "Graphviz (dot) is not on the path": 1,
    "LibreOffice (soffice) is not on the path": 10,
    "could not import 'formulas'": 2,
    "could not import 'ydf'": 20,
    "could not import 'skl2onnx'": 20,
    "could not import 'onnxmltools'": 20,
    "could not import 'schemathesis'": 2,
    "is missing: queries for Spark are not run": 1,
    "is missing: exported PMML is not run": 400,
    "the runtime of the export is not on this machine": 40,
    "not written as SQL": 40,  # neighbors and the like, in PostgreSQL
}


def too_many_skips(reasons: list[str]) -> list[str]:
    """Give the reasons that stand for more skips than expected, with their number."""
    left = list(reasons)
    complaints = []
    for expected, most in EXPECTED_SKIPS.items():
        found = [reason for reason in left if expected in reason]
        left = [reason for reason in left if expected not in reason]
        if len(found) > most:
            complaints.append(f"{len(found)} tests were skipped, expected at most {most}: {found[0]}")
    return complaints + [f"a test was skipped for a reason that is not expected: {reason}" for reason in left]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    complaints = too_many_skips([str(report.longrepr) for report in reporter.stats.get("skipped", [])])
    for complaint in complaints:
        reporter.write_line(f"\n{complaint}", red=True)
    if complaints and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
