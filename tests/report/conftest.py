from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from hostile import hostile

import hornbeam
from hornbeam.report import Report, build

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = ("weather", "iris", "labor", "cpu", "hostile", "hostile numbers")


@cache
def made(name: str) -> Report:
    """A report on a table, made once."""
    if name.startswith("hostile"):
        return build(hostile(numbers=name.endswith("numbers")), folds=4)
    return build(hornbeam.read(name), folds=5)


@pytest.fixture
def report_on() -> Callable[[str], Report]:
    return made
