"""Enumerations and tolerances: written once, and the same for kernels and Python."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import hornbeam
from hornbeam.core.base import enums, tolerance
from hornbeam.model.trees import split, trace
from hornbeam.model.trees.criterion import CRITERIA

SOURCE = Path(__file__).resolve().parents[3] / "src" / "hornbeam"
BASE = SOURCE / "core" / "base"
MEMBER = re.compile(r"^    ([A-Z][A-Z0-9_]*) = (-?[0-9][0-9_.e-]*)", re.MULTILINE)
CONSTANT = re.compile(r"^(?:DEF|cdef (?:double|int|int64_t)) ([A-Z][A-Z0-9_]*) = (-?[0-9][0-9_.e-]*)", re.MULTILINE)


def kernel_constants(text: str) -> dict[str, float]:
    return {name: float(value) for pattern in (MEMBER, CONSTANT) for name, value in pattern.findall(text)}


def python_constants(text: str) -> dict[str, float]:
    found = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name | ast.Tuple):
            target, value = statement.targets[0], statement.value
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            for name, one in zip(names, values, strict=False):
                try:
                    number = ast.literal_eval(one)
                except ValueError:
                    continue
                if isinstance(name, ast.Name) and isinstance(number, int | float) and not isinstance(number, bool):
                    found[name.id] = float(number)
    return found


def test_the_numbers_in_model_files_never_change() -> None:
    assert (split.CUTS, split.CODES, split.CODE_SETS, split.SUMS) == (0, 1, 2, 3)
    assert (split.FRACTIONAL, split.STOP) == (-1, -2)
    assert (trace.NO_SPLIT, trace.NO_GAIN, trace.BELOW_AVERAGE) == (0, 1, 2)
    assert (trace.OUTSCORED, trace.CHOSEN, trace.INSIGNIFICANT) == (3, 4, 5)
    assert (trace.KEPT, trace.MADE_LEAF, trace.RAISED, trace.COLLAPSED) == (0, 1, 2, 3)


@pytest.mark.parametrize(("name", "module"), [("enums", enums), ("tolerance", tolerance)])
def test_python_sees_what_kernels_see(name: str, module: object) -> None:
    text = (BASE / f"{name}.pxd").read_text(encoding="utf-8")
    written = kernel_constants(text)
    written |= {key: float(value) for key, value in re.findall(r"#define HB_([A-Z_]+) (\S+)", text)}
    assert {key: value for key, value in vars(module).items() if key.isupper()} == written


def test_no_kernel_repeats_a_shared_number() -> None:
    shared = kernel_constants((BASE / "enums.pxd").read_text(encoding="utf-8"))
    shared |= {name: value for name, value in vars(tolerance).items() if isinstance(value, float)}
    repeated = {}
    for path in sorted((SOURCE / "core").rglob("*.p*")):
        if path.suffix in {".pyx", ".pxd", ".pxi"} and path.stem != "enums":
            own = kernel_constants(path.read_text(encoding="utf-8"))
            if same := {name for name in own.keys() & shared.keys() if own[name] == shared[name]}:
                repeated[path.relative_to(SOURCE).as_posix()] = same
    assert not repeated


def shared_numbers() -> dict[str, float]:
    shared = {name.removeprefix("BY_"): value for name, value in vars(enums).items() if name.isupper()}
    return shared | {name: value for name, value in vars(tolerance).items() if name.isupper()}


RUNTIMES = SOURCE / "export" / "runtimes"  # copied into exported files, so they can import nothing


def test_no_python_module_repeats_a_shared_number() -> None:
    shared, repeated = shared_numbers(), {}
    for path in sorted(set(SOURCE.rglob("*.py")) - set(RUNTIMES.glob("*.py"))):
        own = python_constants(path.read_text(encoding="utf-8"))
        if same := {name for name in own.keys() & shared.keys() if own[name] == shared[name]}:
            repeated[path.relative_to(SOURCE).as_posix()] = same
    assert not repeated


def test_the_runtimes_of_exports_have_the_shared_numbers() -> None:
    shared, seen = shared_numbers(), set()
    for path in sorted(RUNTIMES.glob("*.py")):
        own = python_constants(path.read_text(encoding="utf-8"))
        assert not {name for name in own.keys() & shared.keys() if own[name] != shared[name]}
        seen |= own.keys() & shared.keys()
    assert {"TIE", "LEAST_SHARE", "CUTS", "FRACTIONAL"} <= seen


def test_the_rule_can_fail() -> None:
    assert kernel_constants("cdef enum:\n    KEPT = 0\n") == {"KEPT": 0.0}
    assert kernel_constants("DEF TIE = 1e-6\ncdef double SLACK = 1e-6\n") == {"TIE": 1e-6, "SLACK": 1e-6}
    assert python_constants("CUTS, CODES = 0, 1\nNAME = 'x'\n") == {"CUTS": 0.0, "CODES": 1.0}


def test_every_criterion_of_the_table_is_known_to_the_kernels() -> None:
    numbers = {one.number for one in CRITERIA.values() if one.number is not None}
    block = (BASE / "enums.pxd").read_text(encoding="utf-8").partition("# split criterion")[2].partition("\n\n")[0]
    names = re.findall(r"^    ([A-Z_]+) = ", block, re.MULTILINE)
    assert {"ENTROPY", "ABSOLUTE"} <= {*names}
    assert numbers == {getattr(enums, name) for name in names}


def test_an_unknown_criterion_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CRITERIA, "gini", replace(CRITERIA["gini"], number=99))
    with pytest.raises(ValueError, match="split criterion number 99 is unknown"):
        hornbeam.TreeClassifier(criterion="gini").fit(hornbeam.read("iris"))
