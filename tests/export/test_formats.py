"""The list of formats agrees with the functions, the command and the documentation."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

import hornbeam
from hornbeam.cli.show import BY_ENDING, FORMS
from hornbeam.export import FORMATS, Format

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_is_offered_and_documented(one: Format) -> None:
    function = getattr(hornbeam.export, one.name)
    assert set(one.options) <= set(inspect.signature(function).parameters)
    assert one.module != one.name
    assert one.name in hornbeam.export.__all__
    assert FORMS[one.name].summary == one.summary
    assert all(BY_ENDING[ending] == one.name for ending in one.endings)
    assert f"--as {one.name}" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("one", FORMATS, ids=lambda one: one.name)
def test_a_format_writes_as_its_function_does(one: Format) -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    assert one.write(tree) == getattr(hornbeam.export, one.name)(tree)


def test_a_name_that_is_not_a_format_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'yaml'"):
        _ = hornbeam.export.yaml
