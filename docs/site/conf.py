"""Sphinx's settings for the documentation site (`make site`)."""

from __future__ import annotations

import re
import shutil
import sys
from importlib.metadata import version as installed
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import navigation  # noqa: E402 - beside this file
import reference  # noqa: E402 - beside this file

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "hornbeam"
version = release = installed("hornbeam")
copyright = "the hornbeam contributors"  # noqa: A001 - Sphinx's name

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
]
exclude_patterns = ["site", "**/README.md"]
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "code"
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "hornbeam"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "hornbeam"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-button"],  # the field shows a key that its name for screen readers lacks
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}


RESULTS = re.compile(r"\]\((\.\./)+tests/oracle/RESULTS\.md")


def _write_pages(app: Sphinx) -> None:
    """Write the pages that are made from other files: the reference and the changelog."""
    pages = Path(app.srcdir)  # a copy of docs, made by `make site`
    navigation.BELOW.update(reference.write(pages / "api"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    (pages / "changelog.md").write_text(changelog, encoding="utf-8")
    shutil.copy(ROOT / "tests/oracle/RESULTS.md", pages / "oracle.md")


def _add_menu(_app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = RESULTS.sub("](/oracle.md", source[0]) + navigation.menu(page, navigation.BELOW)


def _skip(_app: Sphinx, _kind: str, name: str, item: object, skip: bool, _options: object) -> bool:
    """Leave out what scikit-learn's base classes add, such as the routing of metadata."""
    theirs = str(getattr(item, "__module__", "")).startswith("sklearn.") or name.endswith(
        ("_request", "_metadata_routing")
    )
    return skip or theirs


SIGNATURE = re.compile(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>")


def _use_lines_in_signatures(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Replace Sphinx's list of parameters, which has no terms and so is not a list for a screen reader."""
    context["body"] = SIGNATURE.sub(
        lambda found: found[1].replace("<dd>", '<span class="sig-line">').replace("</dd>\n", "</span>"),
        context.get("body", ""),
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the pages that are made here and the menu."""
    app.connect("builder-inited", _write_pages, priority=100)
    app.connect("source-read", _add_menu)
    app.connect("autodoc-skip-member", _skip)
    app.connect("html-page-context", _use_lines_in_signatures)
    return {"parallel_read_safe": True}
