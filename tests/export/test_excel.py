"""Formulas predict as the models they are made of, in LibreOffice and in the Python package formulas."""

from __future__ import annotations

import io
import re
import shutil
import zipfile
from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.exported import learned, quick_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from node_answers import other_rows
from strategies import fill_table, seeded_or_shrinking, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import excel, formula
from hornbeam.export.excel_writer.sheet import LONGEST, letters
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("xlsxwriter")
pytest.importorskip("python_calamine")
pytest.importorskip("formulas")
QUICK = ("labor", "servo")
OFFICE = shutil.which("soffice") is not None
needs_office = pytest.mark.skipif(not OFFICE, reason="LibreOffice (soffice) is not on the path")


def agrees(path: Path, model: Any, rows: Table, runtime: str = "formulas") -> None:
    (path / "model.xlsx").write_bytes(excel(model))
    found = check(path / "model.xlsx", model, rows, runtime)
    assert found.is_equal, str(found)


def texts_of(data: bytes) -> list[str]:
    """Every formula of the first sheet."""
    sheet = zipfile.ZipFile(io.BytesIO(data)).read("xl/worksheets/sheet1.xml").decode()
    return list(map(unescape, re.findall(r"<f>(.*?)</f>", sheet, re.DOTALL)))


@pytest.mark.parametrize(("scheme", "name"), quick_cases(QUICK))
def test_every_scheme_on_every_example_set(scheme: Any, name: str, tmp_path: Path) -> None:
    estimator = learned(scheme, name)
    if estimator.model_.KIND not in ("tree", "rules", "linear"):
        with pytest.raises(TypeError, match="as formulas"):
            excel(estimator)
        return
    agrees(tmp_path, estimator, other_rows(hornbeam.read(name), 20, seed=5))


@needs_office
@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (hornbeam.C45Classifier(), "labor"),
        (hornbeam.CartClassifier(random_state=0), "glass"),
        (hornbeam.RipperClassifier(), "labor"),
        (hornbeam.M5Regressor(min_samples_leaf=20), "cpu"),
    ],
    ids=["fractions", "surrogates", "rules", "equations"],
)
def test_in_libreoffice(estimator: Any, name: str, tmp_path: Path) -> None:
    table = hornbeam.read(name)
    agrees(tmp_path, estimator.fit(table), other_rows(table, 100, seed=6), "libreoffice")


@pytest.mark.slow  # many workbooks
@settings(max_examples=40)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    """Every kind of split, surrogates, fractions, and rows that end at inner nodes."""
    target = random.choice(("nominal", "numeric"))
    model = data.draw(trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=target))
    rows = fill_table(random, model.schema, 10, random.choice((0.0, 0.3, 0.8)))
    agrees(tmp_path_factory.mktemp("excel"), model, rows)


HOSTILE = [
    'a"b', "it's", "=1+1", "@SUM(1)", "+cmd|' /C calc'!A0", "-2", "ü 漢字", "back\\slash", "_x0041_", "a\nb", "\tc",
    "TRUE", "1", "yes", "YES", " yes ", "<f>&amp;", "*", "?", "~", "x" * 300, "{1}", "#N/A", "\x01", "<r>&</b></r>",
]  # fmt: skip


@pytest.mark.parametrize("runtime", ["formulas", pytest.param("libreoffice", marks=needs_office)])
def test_hostile_names_and_values(tmp_path: Path, runtime: str) -> None:
    columns = (*map(Numeric, HOSTILE[:8]), Nominal("k", tuple(HOSTILE)), Nominal("few", ("", "a", "A", '"')))
    control = "\x11Ç/" if runtime == "formulas" else "Ç/"  # which the files that LibreOffice writes cannot hold
    columns += (Nominal("y", ("<r>&</b></r>", "=1+1", control, "x" * 300)),)
    random = np.random.default_rng(0)
    n = 300
    values: list[Any] = [np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)) for _ in HOSTILE[:8]]
    values += [random.integers(-1, len(HOSTILE), n).astype(np.int32), random.integers(-1, 4, n).astype(np.int32)]
    values += [((values[0] > 0).astype(np.int32) + (values[-2] % 3 == 0) + (values[-1] == 1)).astype(np.int32)]
    table = Table(Schema(columns, name="rows"), values).with_target("y")
    for estimator in (hornbeam.C45Classifier(), hornbeam.RipperClassifier()):
        agrees(tmp_path, estimator.fit(table), table.take(np.arange(80 if runtime == "libreoffice" else 12)), runtime)


def test_names_never_become_formulas() -> None:
    """Cells with names are texts, and names inside formulas are quoted."""
    names = ('=HYPERLINK("http://x")', '"&A1&"', "=cmd|' /C calc'!A0")
    table = Table(
        Schema((Nominal("=1+1", names), Nominal("y", names[:2])), name="rows"), [[0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 1, 1]]
    )
    data = excel(hornbeam.C45Classifier(min_samples_leaf=1).fit(table.with_target("y")))
    quoted = {f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names}
    for text in texts_of(data):
        bare = text
        for each in quoted:
            bare = bare.replace(each, "NAME")
        assert re.fullmatch(r"[\w$(),.=<>*+/!:-]*", bare), bare


def test_long_models_use_more_columns(tmp_path: Path) -> None:
    """Formulas stay within 8,192 characters and 64 functions inside each other."""
    random = np.random.default_rng(0)
    x = random.normal(size=(3000, 3))
    table = Table(Schema(tuple(map(Numeric, "abcy")), name="rows"), [*x.T, np.sin(3 * x[:, 0]) + x[:, 1]])
    deep = hornbeam.CartRegressor(cp=0, choose="cp", min_samples_split=8, min_samples_leaf=3).fit(
        table.with_target("y")
    )
    assert deep.model_.n_leaves > 300
    labels = Table(
        Schema((*map(Numeric, "abc"), Nominal("y", ("n", "p"))), name="rows"), [*x.T, (x[:, 0] * x[:, 1] > 0)]
    )
    wide = hornbeam.CartClassifier(cp=0, choose="cp", min_samples_split=4, min_samples_leaf=2).fit(
        labels.with_target("y")
    )
    for model, rows in ((deep, table), (wide, labels)):
        texts = texts_of(excel(model))
        assert max(map(len, texts)) <= LONGEST + 1
        assert max(_depth(text) for text in texts) <= 64
        if OFFICE:
            agrees(tmp_path, model, rows.take(np.arange(100)), "libreoffice")
    with pytest.raises(ValueError, match="write a workbook"):
        formula(deep)


def test_a_chain_of_two_hundred_cuts(tmp_path: Path) -> None:
    n = 400
    table = Table(Schema((Numeric("x"), Numeric("y")), name="rows"), [np.arange(n, dtype=float), 2.0 ** np.arange(n)])
    chain = hornbeam.CartRegressor(cp=0, choose="cp", min_samples_leaf=1, min_samples_split=2, max_depth=250)
    chain.fit(table.with_target("y"))
    assert chain.model_.depth > 64
    assert max(_depth(text) for text in texts_of(excel(chain))) <= 64
    if OFFICE:
        agrees(tmp_path, chain, table, "libreoffice")


def _depth(text: str) -> int:
    depth = deepest = 0
    for part in re.sub(r'"[^"]*"', "", text):
        depth += {"(": 1, ")": -1}.get(part, 0)
        deepest = max(deepest, depth)
    return deepest


def test_many_categories_and_ordered_ones(tmp_path: Path) -> None:
    names = tuple(f"category {i}" for i in range(2_000))
    random = np.random.default_rng(0)
    codes = random.integers(0, 2_000, 4_000).astype(np.int32)
    columns = (Nominal("c", names), Nominal("o", tuple("abcde"), ordered=True), Nominal("y", ("a", "b")))
    table = Table(Schema(columns, name="rows"), [codes, codes % 5, (codes % 2 + (codes % 5 > 2)) % 2])
    tree = hornbeam.CartClassifier(max_depth=3).fit(table.with_target("y"))
    agrees(tmp_path, tree, table.take(np.arange(10)))


def test_costs_and_thresholds(tmp_path: Path) -> None:
    table = hornbeam.read("credit-g")
    rows = other_rows(table, 15, seed=2)
    agrees(tmp_path, hornbeam.C45Classifier(costs={"bad": {"good": 5}}, min_samples_leaf=40).fit(table), rows)
    agrees(tmp_path, hornbeam.C45Classifier(decision_threshold=0.3, min_samples_leaf=40).fit(table), rows)


def test_dates(tmp_path: Path) -> None:
    days = np.arange(40) * 86_400.0 + 1.7e9
    table = Table(
        Schema((Numeric("when", format="yyyy-MM-dd"), Numeric("y")), name="rows"), [days, (days > 1.702e9) * 1.0]
    )
    tree = hornbeam.CartRegressor().fit(table.with_target("y"))
    agrees(tmp_path, tree, table)


def test_the_same_model_gives_the_same_file_with_its_results() -> None:
    import python_calamine

    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather.numeric"))
    data = excel(tree)
    assert data == excel(tree.model_)
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    assert book.sheet_names == ["predict", "columns", "manifest"]
    rows = book.get_sheet_by_name("predict").to_python()
    frame = [
        dict(zip(rows[0][:4], (value if value != "" else None for value in row[:4]), strict=True)) for row in rows[1:]
    ]
    pandas = pytest.importorskip("pandas")
    assert [row[4] for row in rows[1:]] == tree.predict(pandas.DataFrame(frame)).tolist()


def test_letters_of_columns() -> None:
    assert [letters(k) for k in (0, 25, 26, 701, 702, 16_383)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]


def test_what_is_wrong_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = hornbeam.RandomForestClassifier(n_estimators=2, random_state=0).fit(hornbeam.read("iris"))
    with pytest.raises(TypeError, match="kind forest as formulas, which are for a tree, rules or a linear model; use"):
        excel(forest)
    tree = hornbeam.C45Classifier().fit(hornbeam.read("labor"))
    monkeypatch.setattr("hornbeam.export.excel_writer.sheet.MOST_COLUMNS", 20)
    with pytest.raises(ValueError, match="needs more than the 20 columns that a sheet has; use python"):
        excel(tree)
