"""Every learner has a page of one form, tables of options are those of the list of schemes, links lead somewhere."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import hornbeam
from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES

ROOT = Path(__file__).resolve().parents[2]
ALL = (*SCHEMES, *CLUSTER_SCHEMES)
NAMES = sorted({scheme.name for scheme in ALL})
PARTS = ("Idea", "Recipe", "Worked table", "Output", "Options", "Paper")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def pages() -> dict[Path, str]:
    return {page: page.read_text(encoding="utf-8") for page in sorted(ROOT.glob("docs/**/*.md"))}


@pytest.fixture(scope="module")
def options() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "options.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_scheme_has_one_page_with_all_parts_in_order(name: str) -> None:
    found = [text for text in pages().values() if f"<!-- options of {name} -->" in text]
    assert len(found) == 1
    heads = re.findall(r"^## (.*)$", found[0], re.MULTILINE)
    places = [next((at for at, head in enumerate(heads) if head.startswith(part)), None) for part in PARTS]
    assert None not in places, f"{name}: the page has the parts {heads}"
    assert places == sorted(place for place in places if place is not None)
    worked = found[0].split("## Worked table", 1)[1].split("\n## ", 1)[0]
    assert ">>> " in worked, f"{name}: nothing is worked out"
    paper = found[0].split("\n## Paper", 1)[1]
    assert re.search(r"\((19|20)\d\d\)", paper), f"{name}: no paper with its year"
    output = found[0].split("\n## Output", 1)[1].split("\n## ", 1)[0]
    assert ">>> " in output or "$ hornbeam" in output


def test_every_public_learner_is_a_scheme_and_so_has_a_page() -> None:
    listed = {scheme.estimator for scheme in ALL}
    learners = {name for name in hornbeam.__all__ if hasattr(getattr(hornbeam, name), "fit")}
    assert learners - listed == {"Discretizer"}  # a transformer, with a page of its own


def test_tables_of_options_are_those_of_the_schemes(options: dict[str, Any]) -> None:
    for page, text in pages().items():
        assert options["rewritten"](text) == text, f"{page.name} is stale: python docs/options.py"


def test_a_table_of_options_names_every_parameter(options: dict[str, Any]) -> None:
    for scheme in ALL:
        table = "\n".join(options["table"](scheme.name))
        for parameter in scheme.parameters:
            assert f"| `{parameter.name}` |" in table


def test_a_stale_table_is_noticed(options: dict[str, Any]) -> None:
    page = ROOT / "docs" / "trees" / "id3.md"
    text = page.read_text(encoding="utf-8")
    assert options["rewritten"](text.replace("| `max_depth` |", "| `max_debt` |")) == text
    with pytest.raises(ValueError, match="no scheme 'nothing'"):
        options["table"]("nothing")


def test_links_between_pages_lead_somewhere() -> None:
    checked = 0
    for page, text in pages().items():
        plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
        for target, _ in LINK.findall(plain):
            if "://" in target:
                continue
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
            checked += 1
    assert checked > 100
