"""What a reader is warned of, by severity, and the paragraph at the top."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.report import build

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.report import Report

ROWS = 300
RNG = np.random.default_rng(11)
X = RNG.normal(size=ROWS)
CLASSES = (X + RNG.normal(size=ROWS) > 0).astype(np.int32)


def report_with(
    name: str, values: np.ndarray, column: Nominal | Numeric | None = None, target: np.ndarray = CLASSES
) -> Report:
    """A report on a number that says something about the class, and one more column."""
    schema = Schema(
        (Numeric("x"), column or Numeric(name), Nominal("y", ("no", "yes"))), ("feature", "feature", "target"), "made"
    )
    return build(Table(schema, [X, values, target]), schemes=["one-r", "c45"], folds=3)


def kinds(report: Report, severity: str | None = None) -> list[str]:
    return [one.kind for one in report.alerts if severity in {None, one.severity}]


def test_a_column_that_gives_the_target_away() -> None:
    report = report_with("copy", CLASSES.copy(), Nominal("copy", ("a", "b")))
    first = report.alerts[0]
    assert (first.severity, first.kind, first.leak) == ("serious", "gives-away", True)
    assert "The model uses it. Is 'copy' known before the target is?" in first.message
    (note,) = [note for name, _, note in report.cards() if name == "accuracy"]
    assert note.endswith("see the alert")
    assert "Do not trust this score yet" in report.summary()
    page = report.html()
    assert page.index('class="alert serious"') < page.index("<main")
    assert report_with("noise", RNG.normal(size=ROWS)).cards()[2][2].endswith("%")


def test_an_identifier_is_serious_only_if_it_is_used() -> None:
    report = report_with("number", np.arange(ROWS, dtype=float))
    (alert,) = [one for one in report.alerts if one.kind == "identifier"]
    used = "number" in report.lines[0].conditions[0] if report.lines[0].conditions else False
    uses = any("number" in condition for line in report.lines for condition in line.conditions)
    assert used <= uses
    assert (alert.severity == "serious", alert.leak) == (uses, uses)
    assert ("The model uses it." in alert.message) == uses


def test_imbalance_by_degree() -> None:
    assert "imbalance" not in kinds(report_with("z", X.copy()))
    for wanted, severity in ((45, "look"), (12, "serious")):
        rare = np.zeros(ROWS, np.int32)
        rare[np.argsort(-X)[:wanted]] = 1
        rare[np.argsort(X)[:3]] = 1  # so that nothing is perfect
        report = report_with("z", RNG.normal(size=ROWS), target=rare)
        assert "imbalance" in kinds(report, severity)


def test_missing_constant_and_duplicate() -> None:
    gaps = np.where(np.arange(ROWS) % 3 == 0, X, np.nan)
    assert "missing" in kinds(report_with("gaps", gaps), "look")
    fewer = np.where(np.arange(ROWS) % 3 == 0, np.nan, X)
    report = report_with("gaps", fewer)
    assert "missing" in kinds(report, "information")
    assert "Missing in 20% to 50% of the rows: 'gaps'." in [one.message for one in report.alerts]
    assert "constant" in kinds(report_with("same", np.ones(ROWS)), "information")
    assert "duplicates" in [one.kind for one in build(hornbeam.read("vote"), schemes=["one-r"], folds=3).alerts]


def test_few_rows_and_nothing_learned() -> None:
    weather = build(hornbeam.read("weather"), schemes=["one-r"], folds=3)
    assert "few-rows" in kinds(weather, "look")
    assert "verdict" in kinds(weather)
    noise = report_with("z", RNG.normal(size=ROWS), target=RNG.integers(0, 2, ROWS).astype(np.int32))
    assert noise.verdict.better is not True
    assert "verdict" in kinds(noise)
    assert "verdict" not in kinds(build(hornbeam.read("iris"), schemes=["c45"], folds=3))


@pytest.mark.parametrize(("seed", "certain"), [(0, False), (2, True)])
def test_rows_and_folds_tell_one_story(seed: int, certain: bool) -> None:
    chance = np.random.default_rng(seed)
    x = chance.normal(size=600)
    target = (((x > 1.2) & (chance.random(600) < 0.75)) | (chance.random(600) < 0.35)).astype(np.int32)
    schema = Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target"), "made")
    report = build(Table(schema, [x, target]), schemes=["one-r", "c45"], folds=3)
    assert report.verdict.better is True
    sentence = "The rows predicted here show an advantage over the baseline, but the folds are too few or differ"
    assert ("folds" in kinds(report, "look")) is not certain
    assert (sentence in report.summary()) is not certain
    models = report.markdown().partition("## The models compared")[2]
    assert (sentence in models) is not certain
    assert ("It is better than the baseline (corrected t-test over the folds" in models) is certain
    assert "not significantly better than the baseline" not in report.markdown()


def test_a_model_larger_than_a_person_reads_is_pointed_out() -> None:
    report = build(hornbeam.read("credit-g"), schemes=["c45"], folds=3)
    assert report.size is not None
    assert report.size.count > 30
    assert "size" in kinds(report, "look")


def test_serious_ones_come_first(report_on: Callable[[str], Report]) -> None:
    order = ("serious", "look", "information")
    for name in ("weather", "labor", "hostile"):
        found = [order.index(one.severity) for one in report_on(name).alerts]
        assert found == sorted(found)


@pytest.mark.parametrize("name", ["iris", "labor", "cpu"])
def test_the_summary_says_what_a_manager_asks(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    said = report.summary()
    target = report.table.schema.target_column.name
    assert f"learned from {report.metrics.score.n_rows} rows, predicts '{target}' from" in said
    assert report.verdict.text in said
    assert str(report.size) in said
    named = [one.column for one in report.importance if one.matters][:3]
    assert named or "No single column clearly matters for held-out rows." in said
    for column in named:
        assert f"'{column}'" in said
    assert said in re.sub(r"\\(.)", r"\1", report.markdown())


def test_thousands_are_separated() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=2500)
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"), "long")
    page = build(
        Table(schema, [x, 40000 * x + rng.normal(size=2500)]), schemes=["linear", "cart"], folds=2, examples=0
    ).html()
    assert "2,500 rows" in page
    assert not re.search(
        r"\b2500\b", re.sub(r"<svg.*?</svg>|<script.*?</script>|<pre.*?</pre>", "", page, flags=re.DOTALL)
    )
