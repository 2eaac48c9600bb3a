"""Names and values are data in every format: any text and any finite number, drawn by Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hostile import named, names
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hornbeam
from hornbeam import export
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WRITERS: dict[str, Callable[[Any], str | bytes]] = {  # by runtime
    "python": export.python,
    "node": export.javascript,
    "gcc": export.c,
    "rustc": export.rust,
    "duckdb": export.sql,
    "sqlite": lambda model: export.sql(model, dialect="sqlite"),
    "onnxruntime": export.onnx,
    "jpmml": export.pmml,
    "hornbeam": export.json,
}
SLOWER: dict[str, Callable[[Any], str | bytes]] = {
    "clang": export.c,
    "wasm": export.rust,
    "postgres": lambda model: export.sql(model, dialect="postgres"),
    "spark": lambda model: export.sql(model, dialect="spark"),
    "onnx": export.onnx,
    "pypmml": export.pmml,
    "libreoffice": export.excel,
    "formulas": export.excel,
}
MODELS = (
    lambda: hornbeam.C45Classifier(prune=None),
    lambda: hornbeam.CartClassifier(cp=0, choose="cp", random_state=0),
    lambda: hornbeam.RipperClassifier(random_state=0),
    lambda: hornbeam.GradientBoostingClassifier(n_estimators=3, early_stopping=False),
)
SMALLEST, LARGEST = 2.3e-308, 9.9e307  # that sheets have


def strange_rows(data: st.DataObject, table: Table) -> Table:
    """Rows with numbers of every size, missing values and categories that were never seen."""
    sizes = st.floats(SMALLEST, LARGEST)
    numbers = st.one_of(st.just(np.nan), st.sampled_from((0.0, -0.0)), sizes, sizes.map(lambda x: -x))
    columns, arrays = [], []
    for column in (table.schema.columns[place] for place in table.schema.features):
        if isinstance(column, Nominal):
            texts = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
            unseen = data.draw(texts.filter(lambda text, known=column.categories: text not in known))
            columns.append(Nominal(column.name, (*column.categories, unseen)))
            codes = st.integers(-1, len(column.categories))
            arrays.append(np.array(data.draw(st.lists(codes, min_size=9, max_size=9)), np.int32))
        else:
            columns.append(column)
            arrays.append(np.array(data.draw(st.lists(numbers, min_size=9, max_size=9))))
    return Table(Schema(tuple(columns), name="rows"), arrays)


def any_name_is_written(runtime: str, write: Callable[[Any], str | bytes], path: Path, data: st.DataObject) -> None:
    """An export of a table with drawn names gives the predictions of its model, or refuses the names."""
    judge = next(each for each in JUDGES if each.name == runtime)
    if judge.missing():
        pytest.skip(f"the runtime of the export is not on this machine: {judge.missing()}")
    classes = data.draw(names(3))
    assume(not any(name.endswith("\0") for name in classes))  # NumPy drops NUL at the end of a text that is predicted
    table = named(data.draw(names(4)), data.draw(names(3)), classes)
    makes = MODELS[: 3 if judge.format == "excel" else None]
    model = data.draw(st.sampled_from(makes))().fit(table)
    try:
        written = write(model)
    except ValueError as error:  # what the format cannot hold, such as NUL in C, is refused
        assert "rename" in str(error)  # noqa: PT017 - the message is what is tested
        return
    path = path / "exported"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    for rows in (table, strange_rows(data, table)):
        found = check(path, model, rows, runtime)
        assert found.is_equal, str(found)


@pytest.mark.parametrize("runtime", WRITERS)
@settings(max_examples=8)
@given(data=st.data())
def test_any_name_is_written(runtime: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    any_name_is_written(runtime, WRITERS[runtime], tmp_path_factory.mktemp("names"), data)


@pytest.mark.slow  # Java, compilers and LibreOffice start for every example
@pytest.mark.parametrize("runtime", SLOWER)
@settings(max_examples=3)
@given(data=st.data())
def test_any_name_in_slower_runtimes(
    runtime: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    any_name_is_written(runtime, SLOWER[runtime], tmp_path_factory.mktemp("names"), data)
