"""Names of columns, categories and classes are data in every format: any text at all, drawn by Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hostile import named, names
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hornbeam
from hornbeam import export
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from collections.abc import Callable

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


@pytest.mark.parametrize("runtime", WRITERS)
@settings(max_examples=8)
@given(data=st.data())
def test_any_name_is_written(runtime: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    judge = next(each for each in JUDGES if each.name == runtime)
    if judge.missing():
        pytest.skip(f"the runtime of the export is not on this machine: {judge.missing()}")
    classes = data.draw(names(3))
    assume(not any(name.endswith("\0") for name in classes))  # NumPy drops NUL at the end of a text that is predicted
    table = named(data.draw(names(4)), data.draw(names(3)), classes)
    model = hornbeam.C45Classifier(prune=None).fit(table)
    try:
        written = WRITERS[runtime](model)
    except ValueError as error:  # what the format cannot hold, such as NUL in C, is refused
        assert "rename" in str(error)  # noqa: PT017 - the message is what is tested
        return
    path = tmp_path_factory.mktemp("names") / "exported"
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    found = check(path, model, table, runtime)
    assert found.is_equal, str(found)
