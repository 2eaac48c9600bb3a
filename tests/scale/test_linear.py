"""Equations from sums over partitions are those in memory, but for rounding, and the same for any partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import evidence
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.scale.linear.exact import as_number, exact_sum

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table


def number_table(rows: int = 500) -> Table:
    """Numbers that depend on two columns and a category, some values missing."""
    table = made_table(rows, missing=0.05, values=None)
    names = dict(zip(table.schema.names, table.columns, strict=True))
    random = np.random.default_rng(9)
    x3 = 3 * np.nan_to_num(names["x0"]) + 2 * (names["color"] > 2) + 1e3 + random.normal(size=rows)
    columns = [*table.columns]
    columns[3] = np.where(random.random(rows) < 0.05, np.nan, x3)
    return type(table)(table.schema, columns).assign({"x3": "target", "y": "feature"})


@pytest.mark.parametrize("selection", ["m5", "greedy", None])
def test_equations_are_those_in_memory(tmp_path: Path, selection: Any) -> None:
    table = number_table()
    expected = hornbeam.LinearRegressor(selection=selection).fit(table).model_
    source = hornbeam.scan(write_parts(table, tmp_path, 3, seed=1), target="x3", workers=0)
    found = hornbeam.LinearRegressor(selection=selection).fit(source).model_
    assert [term.factors[0].codes for term in found.terms] == [term.factors[0].codes for term in expected.terms]
    assert [term.coefficient for term in found.terms] == pytest.approx(
        [t.coefficient for t in expected.terms], rel=1e-9
    )
    assert found.intercept == pytest.approx(expected.intercept, rel=1e-12)
    assert hornbeam.show.text(found) == hornbeam.show.text(expected)


@pytest.mark.parametrize("name", ["auto-mpg", "cpu", "servo", "housing", "auto-price"])
def test_equations_of_real_tables(tmp_path: Path, name: str) -> None:
    table = hornbeam.read(evidence.arff(name), target=-1)
    expected = hornbeam.LinearRegressor().fit(table)
    source = hornbeam.scan(write_parts(table, tmp_path, 2), target=table.schema.target_column.name, workers=0)
    found = hornbeam.LinearRegressor().fit(source)
    assert len(found.model_.terms) == len(expected.model_.terms)
    assert found.predict(table) == pytest.approx(expected.predict(table), rel=1e-6)


def test_the_model_file_depends_on_nothing_but_the_rows(tmp_path: Path) -> None:
    table = number_table(300)
    files = set()
    for parts, seed, workers in [(1, None, 0), (3, 1, 0), (7, 2, 2)]:
        source = hornbeam.scan(write_parts(table, tmp_path / f"{parts}", parts, seed), target="x3", workers=workers)
        hornbeam.LinearRegressor().fit(source).save(tmp_path / "model")
        source.close()
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1


def test_what_is_not_supported_is_named(tmp_path: Path) -> None:
    source = hornbeam.scan(write_parts(number_table(50), tmp_path, 1), target="x3", workers=0, local_rows=9)
    with pytest.raises(ValueError, match="compat='weka'"):
        hornbeam.LinearRegressor(compat="weka").fit(source)
    with pytest.raises(TypeError, match="PolynomialRegressor learns from tables in memory only"):
        hornbeam.PolynomialRegressor(2).fit(source)


@given(st.lists(st.floats(-1e9, 1e9)), st.randoms())
def test_sums_do_not_depend_on_the_order(values: list[float], random: Any) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    assert exact_sum(np.array(values, float)) == exact_sum(np.array(shuffled, float))
    assert as_number(exact_sum(np.array(values, float))) == pytest.approx(sum(values), abs=1e-4)
