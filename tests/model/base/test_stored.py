"""Declared arrays: what is checked, what is equal, and what every model class declares."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.files.members import KINDS, class_of


@dataclass(frozen=True, eq=False)
class Part(Stored):
    """Two arrays of one length, and offsets."""

    NOUN: ClassVar = "part"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <f8[rows] one two?
        <i8[rows+1] start
    """)

    one: Any
    start: Any
    two: Any = None
    name: str = "a"


PART = Part(np.zeros(3), np.arange(4))


def test_a_part_that_is_as_declared() -> None:
    PART.check_arrays()
    PART.check_arrays(rows=3)
    assert list(PART.arrays()) == ["one", "start"]
    replace(PART, two=np.ones(3)).check_arrays()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"one": np.zeros(3, np.float32)}, "part.one is of type float32; expected a contiguous array of float64"),
        ({"one": None}, "part.one is of type NoneType"),
        ({"two": np.zeros(2)}, r"part.two has the shape \(2,\); expected \(3,\)"),
        ({"start": np.arange(3)}, r"part.start has the shape \(3,\); expected \(4,\)"),
        ({"two": np.zeros((3, 1))}, r"part.two has the shape \(3, 1\); expected \(3,\)"),
        ({"two": np.array([0, np.nan, 0])}, "part.two has a value that is not a finite number"),
    ],
)
def test_a_part_that_is_not_as_declared(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        replace(PART, **change).check_arrays()


def test_equality_is_that_of_all_fields() -> None:
    assert PART.same_as(replace(PART, one=np.zeros(3)))
    assert replace(PART, one=np.full(3, np.nan)).same_as(replace(PART, one=np.full(3, np.nan)))
    for other in ({"one": np.ones(3)}, {"two": np.zeros(3)}, {"name": "b"}, {"start": np.arange(4, dtype=np.int32)}):
        assert not PART.same_as(replace(PART, **other))
    assert not PART.same_as(3)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_model_is_declared(kind: str) -> None:
    found = class_of(kind)
    assert issubclass(found, Model)
    assert kind == found.KIND
    assert is_dataclass(found)
    names = {field.name for field in fields(found)}
    assert found.ARRAYS.keys() <= names
    assert found.PARTS.keys() - {""} <= names
    assert {"schema", "decision"} <= names
