"""A report in a real browser: quiet, answering as `predict` does, usable by keyboard, safe whatever data is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hostile import CATEGORIES, hostile

import hornbeam
from hornbeam.data.examples import names
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.report import Report, build

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Opened

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::UserWarning")]

ROWS = 200
MISSING = 0.15  # of the values of random rows
SETS = tuple(name for name in names() if name != "weather")  # the same as weather.nominal
READABLE = {"category": ("one-r", "c45", "cart", "ripper", "part"), "number": ("linear", "cart", "m5", "m5-rules")}
CASES = [
    (name, scheme)
    for name in SETS
    for scheme in (None, *READABLE["number" if name in {"auto-mpg", "cpu", "servo"} else "category"])
]

# Fills the form row after row, and reads what the page says.
ASK = """
(rows) => rows.map((row) => {
  row.forEach((value, place) => {
    const field = document.getElementById("f" + place);
    if (value === null) field.value = "";
    else if (field.tagName === "SELECT") {
      field.value = [...field.options].find((option) => option.value !== "" && Number(option.value) === value).value;
    } else field.value = String(value);
  });
  document.getElementById("f0").dispatchEvent(new Event("input", { bubbles: true }));
  const lit = [...document.querySelectorAll("[data-key].lit")].map((one) => one.dataset.key);
  const nodes = [...document.querySelectorAll("[data-node].lit")].map((one) => Number(one.dataset.node));
  return { answer: JSON.parse(document.getElementById("prediction").dataset.prediction), lit, nodes };
})
"""


def random_rows(table: Table, seed: int) -> Table:
    """Rows that need not be in the table: values of its columns at random, some missing, some between others."""
    rng = np.random.default_rng(seed)
    arrays: list[Any] = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        drawn = values[rng.integers(0, table.n_rows, ROWS)].copy()
        absent = rng.random(ROWS) < MISSING
        if isinstance(column, Nominal):
            drawn[:] = rng.integers(0, len(column.categories), ROWS)
            drawn[absent] = -1
        else:
            other = values[rng.integers(0, table.n_rows, ROWS)]
            drawn = np.where(rng.random(ROWS) < 0.3, (drawn + other) / 2, drawn)
            drawn[absent] = np.nan
        arrays.append(drawn)
    return Table(table.schema, arrays)


def asked(table: Table) -> list[list[float | None]]:
    """The features of every row, as the form takes them: numbers, codes, None."""
    columns = []
    for position in table.schema.features:
        values = table.columns[position]
        known = values >= 0 if isinstance(table.schema.columns[position], Nominal) else ~np.isnan(values)
        columns.append([value if there else None for value, there in zip(values.tolist(), known.tolist(), strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.fixture(scope="module")
def made() -> Callable[[str, str | None], Report]:
    found: dict[tuple[str, str | None], Report] = {}

    def making(name: str, scheme: str | None) -> Report:
        if (name, scheme) not in found:
            predicts = "number" if name in {"auto-mpg", "cpu", "servo"} else "category"
            schemes = None if scheme is None else [READABLE[predicts][0]]
            found[name, scheme] = build(hornbeam.read(name), folds=3, scheme=scheme, schemes=schemes)
        return found[name, scheme]

    return making


@pytest.mark.parametrize(("name", "scheme"), CASES)
def test_the_form_answers_as_predict(
    name: str, scheme: str | None, made: Any, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    report: Report = made(name, scheme)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    rows = random_rows(report.table, 7)
    found = opened.page.evaluate(ASK, asked(rows))
    expected = report.estimator.predict(rows)
    for place, one in enumerate(found):
        if report.predicts == "category":
            assert one["answer"] == expected[place]
        else:
            assert one["answer"] == pytest.approx(expected[place], rel=1e-12)
        if report.lines:
            assert one["lit"] or one["nodes"]  # a row may stop above the leaves
    opened.check_quiet()


def test_the_way_through_the_tree_is_lit(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report = build(hornbeam.read("labor"), schemes=["one-r"], scheme="c45", folds=3)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    assert opened.page.locator(".lit").count() == 0  # nothing before anybody asked
    rows = random_rows(report.table, 8)
    found = opened.page.evaluate(ASK, asked(rows))
    start, nodes, _ = report.estimator.model_.decision_path(rows)
    for place, one in enumerate(found):
        assert sorted(one["nodes"]) == sorted(nodes[start[place] : start[place + 1]].tolist())


def test_rows_are_traced_wrong_ones_first(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report = build(hornbeam.read("iris"), schemes=["one-r"], scheme="c45", folds=3)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    page = opened.page
    chooser = page.get_by_label("Trace a row of the data")
    assert "(wrong)" in chooser.locator("option").nth(1).inner_text()
    chooser.select_option(index=1)
    first = report.examples[0]
    for place, value in enumerate(first.values):
        assert float(page.locator(f"#f{place}").input_value()) == value
    assert f"Row {first.row} is {first.truth}" in page.locator("#traced").inner_text()
    row = report.table.take([first.row - 1])
    given = json.loads(page.locator("#prediction").get_attribute("data-prediction") or "")
    assert given == report.estimator.predict(row)[0]
    page.get_by_role("button", name="Next row").click()
    assert chooser.evaluate("one => one.selectedIndex") == 2
    page.get_by_role("button", name="Typical values").click()
    # the page waits until the form has its values back: what is asked now comes after that
    assert chooser.evaluate("one => new Promise((done) => setTimeout(() => done(one.selectedIndex)))") == 0
    assert page.locator(".lit").count() == 0
    opened.check_quiet()


def test_the_keyboard_is_enough(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report = build(hornbeam.read("iris"), schemes=["one-r"], scheme="c45", folds=3)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if "m3" in reached:
            break
    assert {"example", "before", "after", "f2", "f3", "m2", "m3"} <= reached
    page.locator("#f3").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("0.2")
    page.locator("#f2").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("1.4")
    assert page.locator("#prediction").inner_text() == "Iris-setosa"
    page.locator("#m3").focus()
    page.keyboard.press("Space")
    assert page.locator("#f3").input_value() == ""
    assert page.locator("#m3").is_checked()
    row = report.table.take([0])
    missing = Table(row.schema, [np.array([np.nan]) if place == 3 else one for place, one in enumerate(row.columns)])
    expected = report.estimator.predict(missing)[0]
    assert json.loads(page.locator("#prediction").get_attribute("data-prediction") or "") == expected
    page.locator("#f3").focus()
    page.keyboard.type("2")
    assert not page.locator("#m3").is_checked()
    page.locator("#example").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#traced").inner_text().startswith("Row ")
    opened.check_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_and_colors(scheme: str, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report = build(hornbeam.read("labor"), schemes=["one-r"], scheme="c45", folds=3)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html", color_scheme=scheme)
    page = opened.page
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select')].filter((one) => !one.labels.length).map((one) => one.id)"
    )
    assert unnamed == []
    for column in ("wage-increase-first-year", "statutory-holidays"):
        assert page.get_by_label(column, exact=True).count() == 1
    assert page.get_by_role("main").count() == page.get_by_role("navigation").count() == 1
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 27, 34)"}[scheme]
    # letters stand out against the ground, in the page and in the picture
    for selector in ("body", "#picture .node text"):
        ink = page.evaluate(
            "(where) => { const style = getComputedStyle(document.querySelector(where));"
            " return where === 'body' ? style.color : style.fill; }",
            selector,
        )
        assert contrast(ink, ground) > 4.5
    opened.check_quiet()


def contrast(one: str, other: str) -> float:
    """The contrast of two colors by the Web Content Accessibility Guidelines."""

    def luminance(color: str) -> float:
        parts = [int(part) / 255 for part in color[4:-1].split(", ")]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("scheme", [None, "cart"])
def test_nothing_in_data_is_ever_run(
    numbers: bool, scheme: str | None, open_page: Callable[..., Opened], tmp_path: Path
) -> None:
    table = hostile(numbers=numbers)
    report = build(table, folds=3, scheme=scheme)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    opened.page.on("dialog", lambda _: pytest.fail("something in the data was run"))
    assert CATEGORIES[0] in opened.page.locator("main").inner_text()
    rows = random_rows(table, 9)
    found = opened.page.evaluate(ASK, asked(rows))
    for one, expected in zip(found, report.estimator.predict(rows), strict=True):
        assert one["answer"] == (pytest.approx(expected) if numbers else expected)
    for place in range(1, 8):
        opened.page.locator("#example").select_option(index=place)
    assert opened.page.locator("script").count() == 3
    opened.check_quiet()


# Elements that stick out of the page, but for those in a box that scrolls.
STICKS_OUT = """
() => [...document.querySelectorAll("header *, main *")].filter((one) => {
  if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let box = one.parentElement; box; box = box.parentElement)
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(box).overflowX)) return false;
  return true;
}).map((one) => one.outerHTML.slice(0, 80))
"""


@pytest.mark.parametrize("name", ["iris", "labor", "auto-mpg"])
def test_a_phone_is_wide_enough(name: str, made: Any, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    made(name, None).save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html").page
    page.set_viewport_size({"width": 360, "height": 800})
    smallest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll("figure svg text")].map(
          (text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))"""
    )
    assert smallest > 11.4
    assert page.evaluate("document.documentElement.scrollWidth") == 360  # wide tables scroll by themselves
    assert page.evaluate(STICKS_OUT) == []
    cut = page.evaluate(
        """() => [...document.querySelectorAll("figure > svg")].filter(
          (one) => one.getBoundingClientRect().right > innerWidth + 1).length"""
    )
    assert cut == 0


def test_paper_is_wide_enough(made: Any, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    made("labor", None).save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html").page
    page.set_viewport_size({"width": 703, "height": 1000})  # an A4 page less its margins
    page.emulate_media(media="print")
    assert page.evaluate(STICKS_OUT) == []
    wide = page.evaluate(
        """() => [...document.querySelectorAll("table")].filter(
          (one) => one.getBoundingClientRect().right > innerWidth + 1).length"""
    )
    assert wide == 0
    assert not page.locator("nav").is_visible()


def test_sections_are_aligned(made: Any, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    made("labor", "c45").save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html").page
    edges = page.evaluate(
        "() => [...document.querySelectorAll('main > section')].map((one) => {"
        " const box = one.getBoundingClientRect(); return [box.left, box.right]; })"
    )
    assert len({tuple(edge) for edge in edges}) == 1


def test_the_threshold_moves_every_figure(made: Any, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report: Report = made("labor", "c45")
    found = report.thresholds
    assert found is not None
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    page = opened.page

    def shown(step: int) -> None:
        right, wrong = found.found[step], found.alarms[step]
        missed = found.positives - right
        expected = {
            "shown": f"{step}%",
            "precision": f"{100 * right / (right + wrong):.1f}%" if right + wrong else "-",
            "recall": f"{100 * right / found.positives:.1f}%",
            "accuracy": f"{100 * (right + found.negatives - wrong) / (found.positives + found.negatives):.1f}%",
            "tp": f"{right:g}",
            "fp": f"{wrong:g}",
            "fn": f"{missed:g}",
            "tn": f"{found.negatives - wrong:g}",
        }
        costs = float(page.locator("#t-alarm").input_value()), float(page.locator("#t-miss").input_value())
        expected["cost"] = f"{costs[0] * wrong + costs[1] * missed:g}"
        assert {key: page.locator(f"#t-{key}").inner_text() for key in expected} == expected

    shown(50)
    page.locator("#t-at").focus()
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    shown(30)
    page.keyboard.press("End")
    shown(100)
    page.locator("#t-miss").fill("7")
    shown(100)
    page.get_by_role("button", name="Cheapest threshold").click()
    costs = [alarms + 7 * (found.positives - right) for right, alarms in zip(found.found, found.alarms, strict=True)]
    step = int(page.locator("#t-at").input_value())
    assert costs[step] == min(costs)
    shown(step)
    page.get_by_role("button", name="50%").click()
    shown(50)
    opened.check_quiet()


def test_values_outside_the_data_are_pointed_out(made: Any, open_page: Callable[..., Opened], tmp_path: Path) -> None:
    report: Report = made("iris", "c45")
    report.save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html").page
    low, high = (float(end(report.table.columns[2])) for end in (np.min, np.max))
    for value, hidden in ((low, True), (low - 5, False), (high, True), (high + 0.1, False), ("", True)):
        page.locator("#f2").fill(str(value))
        assert page.locator("#o2").is_hidden() is hidden
    assert page.locator("#o3").is_hidden()


def test_columns_left_out_of_the_form_change_nothing(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(80, 300))
    schema = Schema((*(Numeric(f"c{i}") for i in range(300)), Nominal("y", ("a", "b"))), (*["feature"] * 300, "target"))
    report = build(Table(schema, [*x.T, (x[:, 250] > 0).astype(np.int32)]), schemes=["one-r"], folds=2)
    report.save(tmp_path / "report.html")
    opened = open_page(tmp_path / "report.html")
    assert opened.page.locator("#f200").count() == 0
    for place in (1, 2, 3):
        opened.page.locator("#example").select_option(index=place)
        row = report.table.take([report.examples[place - 1].row - 1])
        assert opened.page.locator("#prediction").inner_text() == report.estimator.predict(row)[0]
    opened.check_quiet()


def test_a_large_tree_opens_at_its_root(open_page: Callable[..., Opened], tmp_path: Path) -> None:
    build(hornbeam.read("auto-mpg"), schemes=["linear"], scheme="m5", folds=3).save(tmp_path / "report.html")
    page = open_page(tmp_path / "report.html").page
    picture, root = page.locator(".picture").bounding_box(), page.locator('[data-node="0"]').bounding_box()
    assert picture is not None
    assert root is not None
    for start, length in (("x", "width"), ("y", "height")):
        assert picture[start] <= root[start]
        assert root[start] + root[length] <= picture[start] + picture[length]
    assert page.evaluate("scrollY") == 0  # the page itself stays where it is
