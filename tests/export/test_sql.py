"""Queries predict as the models they are made of, in DuckDB and in SQLite; other dialects are parsed."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn_forests import KINDS, draw_schema, grow_forest
from export.exported import is_refused, learned, quick_cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_answers import other_rows
from strategies import fill_table, grow_tree, seeded_or_shrinking, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import sql
from hornbeam.export.judges.check import check
from hornbeam.export.sql_writer import dialect
from hornbeam.export.sql_writer.dialect import DIALECTS, Dialect
from hornbeam.model.trees.split import CODE_SETS, FRACTIONAL

if TYPE_CHECKING:
    from pathlib import Path

sqlglot = pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")
RUN = ("duckdb", "sqlite")
NO_SQL = {"neighbors", "ib2", "ib3", "ib5", "svm"}  # or with a linear kernel only
QUICK = ("labor", "glass", "servo")


def _agrees(path: Path, model: Any, rows: Table, dialects: tuple[str, ...] = RUN, **options: Any) -> None:
    for name in dialects:
        (path / f"{name}.sql").write_text(sql(model, dialect=name, **options), "utf-8")
        found = check(path / f"{name}.sql", model, rows)
        assert found.is_equal, f"{name}: {found}"


@pytest.mark.parametrize(("scheme", "name"), quick_cases(QUICK))
def test_every_scheme_on_every_example_set(scheme: Any, name: str, tmp_path: Path) -> None:
    estimator = learned(scheme, name)
    if is_refused(scheme) or scheme.name in NO_SQL:
        with pytest.raises(TypeError, match="as SQL"):
            sql(estimator)
        return
    _agrees(tmp_path, estimator, other_rows(hornbeam.read(name), 40, seed=5))


@pytest.mark.parametrize("name", DIALECTS)
def test_every_dialect_is_sound_sql(name: str) -> None:
    for estimator in (
        hornbeam.C45Classifier().fit(hornbeam.read("labor")),
        hornbeam.RipperClassifier().fit(hornbeam.read("labor")),
        hornbeam.M5Regressor(min_samples_leaf=20).fit(hornbeam.read("cpu")),
        hornbeam.GradientBoostingClassifier(n_estimators=3).fit(hornbeam.read("glass")),
    ):
        query = sql(estimator, dialect=name, table="a schema.rows")
        parsed = sqlglot.parse_one(query, dialect=name)
        assert parsed.find(sqlglot.exp.With) is not None


BUDGET = settings().max_examples // 5  # a query takes tens of milliseconds


@settings(max_examples=BUDGET)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    """Every kind of split, surrogates, fractions, and rows that end at inner nodes."""
    target = random.choice(("nominal", "numeric"))
    model = data.draw(trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=target))
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3, 0.8)))
    _agrees(tmp_path_factory.mktemp("sql"), model, rows)


@pytest.mark.parametrize("seed", range(6))
def test_listed_categories_without_a_branch_count_as_missing(tmp_path: Path, seed: int) -> None:
    """A set of categories may list some that take no branch, also where missing values take a branch or stop."""
    columns = (Nominal("a", ("p", "q", "r", "s")), Nominal("b", ("u", "v", "w")), Numeric("y"))
    schema = Schema(columns, ("feature", "feature", "target"), "drawn")
    random = Random(seed)  # noqa: S311
    found = 0
    while found < 2:
        model = grow_tree(random, schema, most_inner=4)
        inner = np.flatnonzero((model.first_child >= 0) & (model.missing != FRACTIONAL))
        store = model.splits
        found += any(
            (store.code_branch[store.code_start[split] : store.code_start[split + 1]] < 0).any()
            for split in model.split[inner].tolist()
            if store.kind[split] == CODE_SETS
        )
        _agrees(tmp_path, model, fill_table(random, schema, 20, 0.2))


@pytest.mark.parametrize("most_nested", [2, 60])
@settings(max_examples=BUDGET, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random=seeded_or_shrinking())
def test_drawn_forests(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, most_nested: int, random: Any
) -> None:
    """Cuts, sets, infinite cuts and missing values either way; also in several steps, where few levels are allowed."""
    monkeypatch.setattr(dialect, "NESTED", dict.fromkeys(RUN, most_nested))
    kind = random.choice(KINDS)
    model = grow_forest(random, draw_schema(random, kind), kind, n_trees=random.randint(1, 4), most_inner=12)
    _agrees(tmp_path_factory.mktemp("sql"), model, fill_table(random, model.schema, 20, random.choice((0.0, 0.3))))


HOSTILE = ['a"b', "it's", "select", "x.y", "a;drop table rows--", "ü 漢字", "back\\slash", "%s ? :x $1", "hb_0", "a\nb"]
HOSTILE += ["a\nSELECT b", "\n  SELECT '", 'c"\nSELECT', "`\nSELECT `", "--'\nSELECT"]  # lines that begin as steps do


def test_hostile_names_and_values(tmp_path: Path) -> None:
    columns = (*map(Numeric, HOSTILE), Nominal("kind", tuple(HOSTILE)), Nominal("y", (*HOSTILE[:3], "")))
    random = np.random.default_rng(0)
    n = 200
    values: list[Any] = [np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)) for _ in HOSTILE]
    values += [random.integers(-1, len(HOSTILE), n).astype(np.int32)]
    values += [((values[0] > 0).astype(np.int32) + (values[-1] % 3 == 0)).astype(np.int32)]
    table = Table(Schema(columns, name="rows"), values).with_target("y")
    for estimator in (hornbeam.C45Classifier(), hornbeam.RandomForestClassifier(n_estimators=3, random_state=0)):
        _agrees(tmp_path, estimator.fit(table), other_rows(table, 100, seed=1), table='it\'s a "table"')


def test_ten_thousand_categories(tmp_path: Path) -> None:
    names = tuple(f"category {i}" for i in range(10_000))
    random = np.random.default_rng(0)
    codes = random.integers(0, 10_000, 20_000).astype(np.int32)
    table = Table(Schema((Nominal("c", names), Nominal("y", ("a", "b"))), name="rows"), [codes, codes % 2])
    tree = hornbeam.CartClassifier(max_depth=3).fit(table.with_target("y"))
    _agrees(tmp_path, tree, table.take(np.arange(500)))


def test_rows_divided_among_many_branches(tmp_path: Path) -> None:
    """The branch of a node is computed once: a query that repeats it for every branch takes gigabytes."""
    names = tuple(f"category {i}" for i in range(150))
    codes = np.repeat(np.arange(150), 4).astype(np.int32)
    table = Table(Schema((Nominal("c", names), Nominal("y", ("a", "b", "c"))), name="rows"), [codes, codes % 3])
    tree = hornbeam.C45Classifier(prune=None).fit(table.with_target("y"))
    assert tree.model_.n_leaves == 150
    assert len(sql(tree)) < 200_000
    _agrees(tmp_path, tree, other_rows(table.with_target("y"), 60, seed=3))


def test_costs_thresholds_and_clusters(tmp_path: Path) -> None:
    table = hornbeam.read("credit-g")
    rows = other_rows(table, 100, seed=2)
    _agrees(tmp_path, hornbeam.C45Classifier(costs={"bad": {"good": 5}}).fit(table), rows)
    _agrees(tmp_path, hornbeam.C45Classifier(decision_threshold=0.3).fit(table), rows)
    _agrees(tmp_path, hornbeam.SVMClassifier(kernel="linear", probability=True, random_state=0).fit(table), rows)
    _agrees(tmp_path, hornbeam.KMeans(3, random_state=0).fit(table), rows)


def test_a_deep_forest_in_sqlite(tmp_path: Path) -> None:
    """Its parser has a small stack: deep trees are computed in several steps, and 500 trees are summed in batches."""
    random = np.random.default_rng(0)
    table = Table(Schema((Numeric("x"), Numeric("y")), name="rows"), [random.random(2000), random.random(2000)])
    deep = hornbeam.RandomForestRegressor(n_estimators=2, random_state=0).fit(table.with_target("y"))
    assert deep.model_.tree(0).depth > 15
    _agrees(tmp_path, deep, table.take(np.arange(100)))
    many = hornbeam.GradientBoostingRegressor(n_estimators=500, max_leaf_nodes=4, early_stopping=False)
    _agrees(tmp_path, many.fit(table.take(np.arange(300)).with_target("y")), table.take(np.arange(100)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_back_exactly(value: float) -> None:
    import sqlite3

    import duckdb

    for name, connection in (("duckdb", duckdb.connect()), ("sqlite", sqlite3.connect(":memory:"))):
        (found,) = connection.execute(f"SELECT {Dialect.named(name).number(value)}").fetchone()
        assert math.isclose(found, value, rel_tol=0, abs_tol=0) or abs(value) < 1e-290


def test_what_is_wrong_is_said() -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("iris"))
    with pytest.raises(ValueError, match="dialect is 'oracle'; expected one of duckdb"):
        sql(tree, dialect="oracle")
    table = Table(Schema((Numeric("a"), Numeric("A"), Nominal("y", ("b", "c")))), [[1.0, 2.0], [2.0, 1.0], [0, 1]])
    with pytest.raises(ValueError, match="'a' and 'A' are the same name in DuckDB"):
        sql(hornbeam.C45Classifier().fit(table.with_target("y")), dialect="duckdb")
