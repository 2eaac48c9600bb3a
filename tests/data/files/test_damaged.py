"""Files with a few wrong bytes, cut short or put together: a table or a clear error, never anything else."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
import zipfile

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.data.errors import DataError
from hornbeam.data.infer import Kinds
from hornbeam.data.opening import Content, Request, open_content
from hornbeam.data.schema import SchemaError
from hornbeam.data.text.sniff import TextForm

FRAME = pd.DataFrame({"a": [1.5, None, 3.5], "b": ["x", "007", None], "c": ["p", "q", "p"]})


def workbook() -> bytes:
    out = io.BytesIO()
    FRAME.to_excel(out, index=False, engine="xlsxwriter")
    return out.getvalue()


def database() -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        FRAME.to_sql("t", connection, index=False)
        return bytes(connection.serialize())


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:  # stored, so that wrong bytes reach the table
        packed.writestr("t.csv", FRAME.to_csv(index=False))
    return out.getvalue()


WHOLE = {
    "t.xlsx": workbook(),
    "t.db": database(),
    "t.zip": archive(),
    "t.json": json.dumps(FRAME.where(FRAME.notna(), None).to_dict("records")).encode(),
    "t.jsonl": FRAME.to_json(orient="records", lines=True).encode(),
    "t.csv": ("Title\n# x\n" + FRAME.to_csv(index=False)).encode(),
}


@pytest.mark.parametrize("name", WHOLE)
@given(data=st.data(), skip=st.sampled_from(["error", "skip"]))
@settings(max_examples=150, deadline=None)
def test_damaged_files(name: str, data: st.DataObject, skip: str) -> None:
    content = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    cut = bytes(content[: data.draw(st.integers(0, len(content)))]) if data.draw(st.booleans()) else bytes(content)
    request = Request(lambda _: Kinds(), TextForm(bad_rows=skip), ())
    with contextlib.suppress(DataError, SchemaError):
        table = open_content(Content(cut, name, "t"), request)
        assert len(table.schema.names) == len(set(table.schema.names)) > 0
