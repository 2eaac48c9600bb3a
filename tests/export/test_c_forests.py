"""Blocks of rows through forests in C: every size of counts of cuts, with the vectors of this processor and without.

The program of `check` compares the results of `predict_rows` with those of single rows, bit for bit.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn_forests import KINDS, draw_schema, forests, grow_forest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import fill_table, randoms

from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import c
from hornbeam.export.compiled_writer import forest_blocks
from hornbeam.export.judges import compilers
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.forests.forest import Forest

COMPILERS = tuple(name for name in ("gcc", "clang") if shutil.which(name))
PLAIN, NATIVE = ("-O2",), ("-O3", "-march=native")
EDGES = (np.nan, 0.0, -0.0, 5e-324, -5e-324, np.finfo(float).max, np.finfo(float).min)
pytestmark = pytest.mark.skipif(not COMPILERS, reason="neither gcc nor clang is on the path")


@pytest.fixture(params=[(name, NATIVE) for name in COMPILERS] + [(name, PLAIN) for name in COMPILERS[:1]], ids=str)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name, flags = request.param
    monkeypatch.setattr(compilers, "FLAGS", (*compilers.FLAGS, *flags))
    return str(name)


def _agrees(path: Path, forest: Forest, rows: Table, compiler: str) -> str:
    text = c(forest)
    (path / "model.h").write_text(text, "utf-8")
    found = check(path / "model.h", forest, rows, compiler)
    assert found.is_equal, f"{compiler}: {found}"
    return text


def _forest_of_cuts(n_cuts: int, n_columns: int = 1) -> tuple[Forest, Table]:
    """A forest that asks for so many cuts of every column; and rows on the cuts, next to them, and at the edges."""
    random, source = Random(n_cuts), np.random.default_rng(n_cuts)  # noqa: S311
    columns = tuple(Numeric(f"x{place}") for place in range(n_columns))
    schema = Schema((*columns, Numeric("y")), (*["feature"] * n_columns, "target"), "cuts")  # type: ignore[arg-type]
    n_trees = 3 + n_cuts * n_columns // 20
    forest = grow_forest(random, schema, "regression", n_trees=n_trees, most_inner=63)
    cuts = np.unique(np.concatenate([source.normal(size=2 * n_cuts), [0.0, 1e300, -1e-310]]))
    cuts = source.permutation(cuts)[:n_cuts]
    inner = forest.first_child >= 0
    assert inner.sum() >= n_cuts * n_columns
    asked, cut = forest.feature.copy(), np.zeros(forest.n_nodes)
    asked[inner] = np.arange(inner.sum()) % n_columns
    cut[inner] = np.resize(np.repeat(cuts, n_columns), inner.sum())
    forest = replace(forest, feature=asked, cut=cut)
    forest.validate()
    values = np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), EDGES])
    if len(values) > 900:
        values = np.concatenate([source.choice(values, 900), EDGES])
    return forest, Table(Schema(columns, name="cuts"), [source.permutation(values) for _ in columns])


@pytest.mark.parametrize("n_cuts", [1, 15, 16, 255, 256, 5000])
def test_every_number_of_cuts(n_cuts: int, tmp_path: Path, compiler: str) -> None:
    """Few cuts are compared one by one, more in groups, very many by halves first; 256 do not fit one byte."""
    text = _agrees(tmp_path, *_forest_of_cuts(n_cuts), compiler)
    assert f"#define MODEL_CODE_BITS {8 if n_cuts < 256 else 16}\n" in text


def test_counts_of_32_bits(tmp_path: Path, compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest_blocks, "CODE_BITS", (32,))
    assert "#define MODEL_CODE_BITS 32\n" in _agrees(tmp_path, *_forest_of_cuts(100), compiler)


def test_many_columns_have_small_blocks(tmp_path: Path, compiler: str) -> None:
    forest, rows = _forest_of_cuts(3, 700)
    assert "#define MODEL_BLOCK 32\n" in _agrees(tmp_path, forest, rows, compiler)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_forest(kind: str, tmp_path: Path, compiler: str) -> None:
    random = Random(3)  # noqa: S311
    schema = draw_schema(random, kind)
    for most_inner in (31, 150):
        forest = grow_forest(random, schema, kind, n_trees=5, most_inner=most_inner)
        _agrees(tmp_path, forest, fill_table(random, schema, 300, 0.2), compiler)


@settings(max_examples=15)
@given(forest=forests(), random=randoms(), missing=st.sampled_from((0.0, 0.3)))
def test_drawn_forests(tmp_path_factory: pytest.TempPathFactory, forest: Forest, random: Any, missing: float) -> None:
    rows = fill_table(random, forest.schema, random.choice((1, 40, 300)), missing)
    _agrees(tmp_path_factory.mktemp("c"), forest, rows, COMPILERS[0])
