from __future__ import annotations

from importlib import import_module

import pytest

import hornbeam
from hornbeam.model.files.members import KINDS
from hornbeam.show.texts.explanation import EXPLAINED
from hornbeam.show.texts.styles import WRITERS


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
