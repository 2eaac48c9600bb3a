"""The page: whole, well-formed, self-contained, usable without eyes or mouse, and safe whatever the data is called."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
from hostile import CATEGORIES, NAMES
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.report import About, Report, build
from hornbeam.report.markup import json_block, policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

TABLES = ("weather", "iris", "labor", "cpu", "hostile", "hostile numbers")


def parsed(page: str) -> Element:
    """The page as a browser reads it; any error is a failure."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)


def elements(tree: Element, name: str) -> list[Element]:
    return [one for one in tree.iter() if isinstance(one.tag, str) and one.tag.rpartition("}")[2] == name]


def attributes(tree: Element) -> Iterator[tuple[str, str, str]]:
    for one in tree.iter():
        if isinstance(one.tag, str):
            for name, value in one.attrib.items():
                yield one.tag.rpartition("}")[2], name.rpartition("}")[2], value


@pytest.mark.parametrize("name", TABLES)
def test_the_page_is_well_formed(name: str, report_on: Callable[[str], Report]) -> None:
    page = report_on(name).html()
    tree = parsed(page)
    keys = [value for _, attribute, value in attributes(tree) if attribute == "id"]
    assert len(keys) == len(set(keys))
    assert page.isprintable() or all(sign == "\n" or sign.isprintable() for sign in page)


@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_asked_of_anybody(name: str, report_on: Callable[[str], Report]) -> None:
    page = report_on(name).html()
    tree = parsed(page)
    for tag, attribute, value in attributes(tree):
        assert attribute not in {"src", "srcset", "action", "formaction", "data", "poster", "background", "ping"}
        assert attribute != "style"  # the policy would refuse it
        assert not attribute.startswith("on")
        if attribute in {"href", "xlink:href"}:
            assert value.startswith("#"), (tag, value)
    assert not elements(tree, "link")
    for style in elements(tree, "style"):
        assert "url(" not in (style.text or "")
        assert "@import" not in (style.text or "")


@pytest.mark.parametrize("name", TABLES)
def test_the_policy_names_exactly_what_is_there(name: str, report_on: Callable[[str], Report]) -> None:
    tree = parsed(report_on(name).html())
    (told,) = [one.attrib["content"] for one in elements(tree, "meta") if "http-equiv" in one.attrib]
    parts = dict(part.strip().split(" ", 1) for part in told.split(";"))
    assert parts["default-src"] == "'none'"
    assert "unsafe" not in told
    assert set(parts) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    for directive, tag in (("script-src", "script"), ("style-src", "style")):
        texts = [one.text or "" for one in elements(tree, tag) if one.attrib.get("type") != "application/json"]
        hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts}
        assert set(parts[directive].split()) == {f"'sha256-{one}'" for one in hashes}


@pytest.mark.parametrize("name", ["hostile", "hostile numbers"])
def test_names_are_shown_as_text(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    page = report.html()
    tree = parsed(page)
    assert len(elements(tree, "script")) == 3  # data, model, page: all ours
    assert not elements(tree, "img")
    assert not elements(tree, "u")
    shown = " ".join("".join(one.itertext()) for one in elements(tree, "body"))
    assert NAMES[0] in shown
    assert CATEGORIES[0] in shown
    (data,) = [one.text or "" for one in elements(tree, "script") if one.attrib.get("type") == "application/json"]
    plain = json.loads(data)
    assert [field["column"] for field in plain["fields"]] == list(NAMES)
    assert not re.search(r"[<>&]", data)


@pytest.mark.parametrize("name", TABLES)
def test_every_input_has_a_label(name: str, report_on: Callable[[str], Report]) -> None:
    tree = parsed(report_on(name).html())
    labeled = {
        one.attrib["for"]: "".join(one.itertext()).strip() for one in elements(tree, "label") if "for" in one.attrib
    }
    inputs = [one for kind in ("input", "select", "textarea") for one in elements(tree, kind)]
    assert len(inputs) > 3
    for one in inputs:
        assert labeled[one.attrib["id"]]
    described = [value for _, name, value in attributes(tree) if name in {"aria-describedby", "aria-labelledby"}]
    keys = {value for _, attribute, value in attributes(tree) if attribute == "id"}
    assert set(described) <= keys
    for name_of in ("main", "nav", "header", "footer", "h1"):
        assert len(elements(tree, name_of)) == 1
    assert [one.attrib["scope"] for one in elements(tree, "th")]
    assert all("scope" in one.attrib for one in elements(tree, "th"))
    assert any(one.attrib.get("aria-live") == "polite" for one in tree.iter() if isinstance(one.tag, str))
    links = {one.attrib["href"] for one in elements(tree, "a")}
    assert {link[1:] for link in links} <= keys
    titles = [one for one in elements(tree, "svg") if one.attrib.get("aria-hidden") != "true"]
    assert all(any(child.tag.endswith("title") for child in one) for one in titles)


@pytest.mark.parametrize("name", ["iris", "cpu"])
def test_the_same_bytes_again(name: str, report_on: Callable[[str], Report]) -> None:
    again = build(hornbeam.read(name), folds=5, n_jobs=2)
    assert again.html() == report_on(name).html()
    assert again.markdown() == report_on(name).markdown()
    assert json.dumps(again.to_json()) == json.dumps(report_on(name).to_json())


def test_no_paths_and_no_times(tmp_path: Path) -> None:
    place = tmp_path / "some folder" / "flowers.csv"
    place.parent.mkdir()
    hornbeam.read("iris").write(place)
    report = build(hornbeam.read(place, target="class"), schemes=["one-r"], folds=3, about=About(source=str(place)))
    plain = json.dumps(report.to_json())
    for written in (report.html(), report.markdown(), plain):
        assert str(tmp_path) not in written
        assert "some folder" not in written
        assert "flowers.csv" in written
    assert "seconds" not in plain
    assert "fit, s" not in report.markdown()


def test_no_row_is_shown_where_none_is_wanted() -> None:
    report = build(hornbeam.read("iris"), schemes=["one-r"], folds=3, examples=0)
    assert report.examples == ()
    tree = parsed(report.html())
    assert not [value for _, name, value in attributes(tree) if name == "id" and value == "example"]
    assert "What if?" in report.html()


@pytest.mark.parametrize("scheme", ["forest", "boosting", "neighbors", "kstar", "linear", "m5-rules", "exceptions"])
def test_any_scheme_can_be_asked_for(scheme: str) -> None:
    numbers = scheme in {"linear", "m5-rules"}
    report = build(hornbeam.read("cpu" if numbers else "iris"), schemes=["cart"], scheme=scheme, folds=3)
    tree = parsed(report.html())
    scripts = elements(tree, "script")
    keeps_rows = scheme == "kstar"
    assert len(scripts) == (0 if keeps_rows else 3)
    keys = {value for _, name, value in attributes(tree) if name == "id"}
    assert ("what-if" in keys) is not keeps_rows


def test_saved_whole_or_not_at_all(tmp_path: Path, report_on: Callable[[str], Report]) -> None:
    report = report_on("weather")
    for name, written in (("a.html", report.html()), ("a.md", report.markdown())):
        report.save(tmp_path / name)
        assert (tmp_path / name).read_text("utf-8") == written
    report.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["target"] == "play"
    with pytest.raises(ValueError, match=r"ends in '.pdf'; expected \.html"):
        report.save(tmp_path / "a.pdf")
    with pytest.raises(ValueError, match="cannot be written"):
        report.save(tmp_path / "nowhere" / "a.html")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.html", "a.json", "a.md"]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(PLAIN)
def test_data_reaches_the_script_whole_and_harmless(plain: Any) -> None:
    block = json_block("key", plain)
    tree = parsed(f"<!doctype html><html><head><title>x</title></head><body>{block}</body></html>")
    (script,) = elements(tree, "script")
    assert json.loads(script.text or "") == plain


def test_a_page_without_scripts_may_run_none() -> None:
    assert "script-src 'none'" in policy("<p>nothing</p>")
