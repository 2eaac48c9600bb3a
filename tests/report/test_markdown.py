"""The report as Markdown: the same tables, and names that are never markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hostile import NAMES
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.report.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.report import Report


@pytest.mark.parametrize("name", ["weather", "iris", "cpu", "hostile", "hostile numbers"])
def test_tables_are_whole(name: str, report_on: Callable[[str], Report]) -> None:
    written = report_on(name).markdown()
    widths: list[int] = []
    for line in written.split("\n"):
        if not line.startswith("| "):
            widths = []
            continue
        widths.append(len(re.findall(r"(?<!\\)\|", line)))
        assert widths[-1] == widths[0], line
    for title in ("The data", "The models compared", "How good is it?", "Where is it wrong?", "How to reproduce this"):
        assert f"\n## {title}\n" in written


def test_figures_are_those_of_the_report(report_on: Callable[[str], Report]) -> None:
    report = report_on("iris")
    written = report.markdown()
    accuracy = f"{100 * report.metrics.measures['accuracy']:.1f}%"
    assert f"**accuracy**: {accuracy}" in written
    for outcome in report.compared.outcomes:
        assert outcome.score is not None
        assert re.search(rf"\| \**{outcome.method}\** \| {100 * outcome.score.mean:.1f}% \|", written)
    for one in report.slices[:3]:
        assert f"| {one.rows} | {100 * one.error:.1f}% |" in written


def test_names_are_no_markup(report_on: Callable[[str], Report]) -> None:
    written = report_on("hostile").markdown()
    outside = re.sub(r"^```.*?^```$", "", written, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"(?<!\\)<", outside)
    assert plain(NAMES[0]) in outside
    assert "\n## c" not in written


@given(st.text())
def test_escaped_text_is_one_line_without_markup(text: str) -> None:
    escaped = plain(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[<|*`\[]", escaped)
