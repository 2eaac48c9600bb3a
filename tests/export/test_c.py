"""Headers predict as the models they are made of, compiled by gcc and by clang."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.compiled import QUICK_CASES, deciding, drawn_tree, hostile, large_trees, many_categories, other_ways
from export.exported import checked, is_refused, learned
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import seeded_or_shrinking

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import c
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

COMPILERS = tuple(name for name in ("gcc", "clang") if shutil.which(name))
pytestmark = pytest.mark.skipif(not COMPILERS, reason="neither gcc nor clang is on the path")


def _agrees(path: Path, model: Any, rows: Table, compilers: tuple[str, ...] = COMPILERS[:1], **options: Any) -> None:
    (path / "model.h").write_text(c(model, **options), "utf-8")
    for compiler in compilers:
        found = check(path / "model.h", model, rows, compiler)
        assert found.is_equal, f"{compiler}: {found}"


@pytest.mark.parametrize(("scheme", "name"), QUICK_CASES)
def test_every_scheme_on_every_example_set(scheme: Any, name: str) -> None:
    if is_refused(scheme):
        with pytest.raises(TypeError, match="as C"):
            c(learned(scheme, name))
        return
    found = checked(c, ".h", COMPILERS[0], name)[scheme]
    assert found.is_equal, str(found)


@settings(max_examples=25)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    _agrees(tmp_path_factory.mktemp("c"), *drawn_tree(data, random))


def test_hostile_names_and_values_with_every_compiler(tmp_path: Path) -> None:
    for model, rows in hostile():
        _agrees(tmp_path, model, rows, COMPILERS, name="hostile")


def test_names_of_the_program_are_data_too(tmp_path: Path) -> None:
    """The prefix of the header replaces that of the fixed program, but not in texts."""
    names = ("hb_predict", "HB_COLUMNS", 'hb_a "hb_b"', "\\hb_c", "hb_d\\")
    codes = np.arange(60, dtype=np.int32) % 5
    table = Table(Schema((Nominal("hb_model", names), Nominal("hb_class", names[:3])), name="rows"), [codes, codes % 3])
    _agrees(tmp_path, hornbeam.C45Classifier().fit(table.with_target("hb_class")), table, name="play")
    text = (tmp_path / "model.h").read_text("utf-8")
    assert "hb_" not in re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert text.count('"hb_predict"') == 4  # twice in the manifest, in the categories and in the classes


def test_ten_thousand_categories(tmp_path: Path) -> None:
    for model, rows in many_categories():
        _agrees(tmp_path, model, rows)


def test_costs_thresholds_and_clusters(tmp_path: Path) -> None:
    for model, rows in deciding():
        _agrees(tmp_path, model, rows)


def test_other_options_and_weighted_rows(tmp_path: Path) -> None:
    for model, rows in other_ways():
        _agrees(tmp_path, model, rows)


def test_large_trees_and_many_rows(tmp_path: Path) -> None:
    """Trees with more than 64 leaves walk; the program checks that many rows at once give the same as one."""
    _agrees(tmp_path, *large_trees())


def test_one_factor_compiles_without_warnings(tmp_path: Path) -> None:
    """The compiler sees the size of the table, and warned of an entry that is never read."""
    x = np.arange(40.0)
    columns = (Numeric("x"), Nominal("c", ("a", "b")), Numeric("y"))
    y = np.where(x < 20, 3 * x, 100.0)
    table = Table(Schema(columns, name="rows"), [x, (x < 20).astype(np.int32), y]).with_target("y")
    _agrees(tmp_path, hornbeam.M5RulesRegressor().fit(table), table, COMPILERS)


def test_what_is_wrong_is_said() -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("iris"))
    with pytest.raises(ValueError, match="name is 'a b'; expected letters"):
        c(tree, name="a b")
    table = Table(Schema((Nominal("x", ("a", "b\0")), Nominal("y", ("b", "c")))), [[0, 1], [0, 1]])
    with pytest.raises(ValueError, match="has a NUL character"):
        c(hornbeam.C45Classifier(min_samples_leaf=1).fit(table.with_target("y")))
