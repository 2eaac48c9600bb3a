"""Linear equations are the reference program's, character by character, and so are cross-validated predictions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.linear.linear_answers import linear_answer, small_sets
from oracle.linear.linear_compare import compare
from oracle.linear.linear_results import difference

from hornbeam.learn.linear.linear import LinearRegressor

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def check(data: str) -> None:
    assert difference(compare(data)) == ""


@pytest.mark.parametrize("data", small_sets())
def test_small_set_is_identical(data: str) -> None:
    check(data)


def test_a_spoiled_answer_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = linear_answer("cpu")
    for spoiled in (
        replace(stored, text=stored.text.replace("0.0491", "0.0492")),
        replace(stored, text=stored.text + "\n"),
        replace(stored, predictions=[p + 0.01 for p in stored.predictions if p is not None]),
    ):
        monkeypatch.setattr("oracle.linear.linear_compare.linear_answer", lambda _, answer=spoiled: answer)
        assert not compare("cpu").same


@pytest.mark.parametrize("data", small_sets())
def test_the_default_differs_little(data: str) -> None:
    stored = linear_answer(data)
    own = LinearRegressor().fit(stored.table).predict(stored.table)
    theirs = LinearRegressor(compat="weka").fit(stored.table).predict(stored.table)
    assert own == pytest.approx(theirs, rel=1e-4, abs=1e-4 * np.std(own))
