from __future__ import annotations

from contextlib import suppress
from importlib import import_module

import numpy as np
import pytest
from conformance.every import CLASSIFIERS, class_table
from sklearn.base import clone

import hornbeam
from hornbeam.data.table import Table
from hornbeam.model.files.members import KINDS
from hornbeam.show.texts.explanation import EXPLAINED
from hornbeam.show.texts.styles import STYLES, WRITERS


def test_every_kind_of_model_has_a_writer() -> None:
    assert WRITERS.keys() == KINDS.keys()
    assert EXPLAINED.keys() <= KINDS.keys()


@pytest.mark.parametrize("function", sorted({*WRITERS.values(), *EXPLAINED.values()}))
def test_the_functions_in_the_tables_exist(function: str) -> None:
    module, _, name = function.rpartition(".")
    assert callable(getattr(import_module(f"hornbeam.show.texts.{module}"), name))


def test_what_is_not_a_model_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot write a str as text; expected a Tree"):
        hornbeam.show.text("a tree")
    with pytest.raises(TypeError, match="cannot explain a str; expected one of Tree, RuleList, LinearModel, Forest"):
        hornbeam.show.explain("a tree", hornbeam.read("weather"))


def styles_of(learned: object) -> set[str]:
    printed = set()
    for style in STYLES:
        with suppress(ValueError):  # the model has no such style
            hornbeam.show.text(learned, style=style)
            printed.add(style)
    return printed


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_style_of_a_learner_prints_whatever_it_learned(name: str) -> None:
    table = class_table(60)
    columns = [np.full_like(column, -1 if column.dtype.kind == "i" else np.nan) for column in table.columns]
    columns[table.schema.target] = table.target_values()
    empty = Table(table.schema, columns)
    try:
        learned = clone(CLASSIFIERS[name]).fit(empty)
    except ValueError:
        return
    assert styles_of(clone(CLASSIFIERS[name]).fit(table)) <= styles_of(learned)
