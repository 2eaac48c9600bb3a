"""Exported scripts predict in Chromium as the models they are made of. Node.js runs them in the other tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from export.compiled import hostile
from export.exported import CASES, is_refused, learned
from node_answers import other_rows

import hornbeam
from hornbeam.export import javascript
from hornbeam.export.judges.check import Expected, compare, rows_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.integration
SETS = ("labor", "glass", "servo")
PAGE = '<!doctype html><meta charset="utf-8"><title>A model</title><script src="model.js"></script>'
RUN = """rows => {
  const classes = hornbeam.target.categories || [];
  return rows.map(row => {
    const { prediction, probabilities } = hornbeam.predict(row);
    return [prediction, probabilities && classes.map(each => probabilities[each])];
  });
}"""


def _agrees(folder: Path, open_page: Any, model: Any, rows: Any) -> None:
    (folder / "model.js").write_text(javascript(model), "utf-8")
    (folder / "page.html").write_text(PAGE, "utf-8")
    opened = open_page(folder / "page.html")
    plain = getattr(model, "model_", model)
    results = opened.page.evaluate(RUN, rows_of(plain, rows))
    assert opened.complaints == []
    found = compare("chromium", results, Expected.of(model, rows), {})
    assert found.is_equal, str(found)


@pytest.mark.parametrize(("scheme", "name"), [case for case in CASES if case.values[1] in SETS])
def test_every_scheme(scheme: Any, name: str, tmp_path: Path, open_page: Any) -> None:
    if is_refused(scheme):
        return
    _agrees(tmp_path, open_page, learned(scheme, name), other_rows(hornbeam.read(name), 40, seed=5))


def test_hostile_names_and_values(tmp_path: Path, open_page: Any) -> None:
    for model, rows in hostile():
        _agrees(tmp_path, open_page, model, rows)
