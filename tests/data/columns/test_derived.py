"""Columns that are computed from another one, and computed again for the rows to be predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data.columns.derived import originals, with_derived
from hornbeam.data.columns.words import word_columns
from hornbeam.data.schema import Derivation, Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("great food, great service", "bad food", "great place", "", "Bad, bad place")


def reviews() -> Table:
    text = Nominal("review", TEXTS)
    schema = Schema((text, Nominal("liked", ("yes", "no"))), ("feature", "target"))
    return Table(schema, [np.array([0, 1, 2, 3, 4, -1] * 4, np.int32), np.array([0, 1, 0, 1, 1, 0] * 4, np.int32)])


def with_words() -> Table:
    table = reviews()
    text = table.schema.columns[0]
    assert isinstance(text, Nominal)
    return with_derived(table, word_columns(text, table.columns[0], table.schema.names), source="review")


def test_words_are_counted_and_missing_texts_stay_missing() -> None:
    table = with_words()
    assert table.schema.names == (
        "review",
        *(f"review: {w}" for w in ("bad", "food", "great", "place", "service")),
        "liked",
    )
    assert table.schema.roles == ("ignored", *["feature"] * 5, "target")
    np.testing.assert_array_equal(table.column("review: bad")[:6], [0, 1, 0, 0, 2, np.nan])


def test_a_saved_model_computes_them_from_the_original_column(tmp_path: Path) -> None:
    table = with_words()
    tree = hornbeam.C45Classifier(min_samples_leaf=1).fit(table)
    tree.save(tmp_path / "m.hornbeam")
    model = hornbeam.load(tmp_path / "m.hornbeam")
    raw = reviews()
    np.testing.assert_array_equal(model.predict_proba(raw), tree.predict_proba(table))
    assert originals(model.schema) == {"review": Nominal}
    with pytest.raises(SchemaError, match=r"needs the column 'review' \(for 'review: bad'\)"):
        model.predict(raw.select(["liked"]))
    with pytest.raises(SchemaError, match="column 'review' is not read as texts"):
        model.predict(Table(Schema((Numeric("review"),)), [np.zeros(2)]))


def test_a_schema_keeps_how_columns_are_computed_and_refuses_unknown_ones() -> None:
    schema = with_words().schema
    plain = schema.to_json()
    assert Schema.from_json(plain) == schema
    assert schema.columns[1].derived == Derivation("review", "word", "bad")
    for wrong in ("word", {"source": "review"}, {"source": "review", "how": "eval", "argument": "1"}):
        plain["columns"][1]["derived"] = wrong
        with pytest.raises(SchemaError, match="the derivation of a column is"):
            Schema.from_json(plain)


def test_names_that_are_taken_are_not_used_twice() -> None:
    table = reviews()
    text = table.schema.columns[0]
    assert isinstance(text, Nominal)
    free = word_columns(replace(text, name="x"), table.columns[0], {"x: bad"}, most=2)
    assert [column.name for column in free] == ["x: food", "x: great"]
