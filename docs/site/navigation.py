"""The menu of the site: which pages are below which."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]

# Each page lists the pages below it, in order; other pages of the folder of an index page come after them. A name is a
# path inside docs without its ending; the pages of the reference are written by reference.py, `changelog` by conf.py.
BELOW: dict[str, tuple[str, ...]] = {
    "index": ("tutorial", "howto/index", "algorithms", "evaluate/index", "api/index", "about"),
    "tutorial": ("choose", "command-line", "scikit-learn", "notebooks", "coming-from", "gallery"),
    "howto/index": (
        "howto/imbalanced",
        "howto/dates",
        "howto/missing",
        "howto/manager",
        "howto/deploy-sql",
        "howto/big-data",
        "data",
        "scale",
        "gpu",
        "pictures",
        "report",
        "export",
        "serve",
        "model-files",
    ),
    "algorithms": (
        "trees/index",
        "rules/index",
        "linear/index",
        "forests/index",
        "neighbors/index",
        "svm/index",
        "clusters/index",
    ),
    "trees/index": (
        "trees/id3",
        "trees/c45",
        "trees/cart",
        "trees/optimal",
        "trees/m5",
        "trees/pruning",
        "trees/missing",
        "trees/discretize",
        "trees/imported",
    ),
    "rules/index": (
        "rules/one-r",
        "rules/prism",
        "rules/induct",
        "rules/irep",
        "rules/ripper",
        "rules/part",
        "rules/c45rules",
        "rules/exceptions",
    ),
    "forests/index": ("forests/bagging", "forests/forest", "forests/boosting"),
    "neighbors/index": (
        "neighbors/neighbors",
        "neighbors/ib2",
        "neighbors/ib3",
        "neighbors/ib5",
        "neighbors/kstar",
        "neighbors/locally-weighted",
        "neighbors/exemplars",
    ),
    "svm/index": ("svm/svm",),
    "clusters/index": (
        "clusters/k-means",
        "clusters/em",
        "clusters/mixtures",
        "clusters/cobweb",
        "clusters/hierarchical",
        "clusters/dendrograms",
        "clusters/spectral",
        "clusters/reading-clusters",
        "clusters/restarts",
    ),
    "evaluate/index": (
        "evaluate/verdict",
        "evaluate/comparing",
        "evaluate/tuning",
        "evaluate/curves",
        "evaluate/bias-variance",
        "evaluate/decide",
        "evaluate/calibrated",
        "evaluate/diff",
        "evaluate/table-schemes",
        "evaluate/table-pruning",
        "evaluate/table-criteria",
    ),
    "export": (
        "export/sql",
        "export/onnx",
        "export/pmml",
        "export/c",
        "export/rust",
        "export/python",
        "export/javascript",
        "export/excel",
        "export/json",
        "export/dot",
        "export/plain",
    ),
    "about": ("changelog", "compat", "oracle", "glossary", "decisions/index"),
    "decisions/index": (
        "decisions/identity",
        "decisions/exact-arithmetic",
        "decisions/threads",
        "decisions/one-wheel-per-python",
        "decisions/algorithm-names",
        "decisions/model-files",
        "decisions/two-searches",
        "decisions/text-includes",
        "decisions/adding-a-criterion",
        "decisions/adding-a-learner",
        "decisions/adding-an-export-format",
    ),
}

for _index in sorted(DOCS.glob("*/index.md")):
    _folder = _index.parent
    _listed = {page for pages in BELOW.values() for page in pages}
    _others = (f"{_folder.name}/{page.stem}" for page in sorted(_folder.glob("*.md")) if page != _index)
    BELOW[f"{_folder.name}/index"] = (
        *BELOW.get(f"{_folder.name}/index", ()),
        *(page for page in _others if page not in _listed),
    )

# In the menu, a page has its title, or a shorter one from here.
SHORT = {
    "tutorial": "Start",
    "howto/index": "Guides",
    "algorithms": "Learners",
    "api/index": "API",
    "trees/index": "Trees",
    "rules/index": "Rules",
    "linear/index": "Linear models",
    "forests/index": "Forests and boosting",
    "neighbors/index": "Nearest neighbors",
    "svm/index": "Support vector machines",
    "clusters/index": "Clusters",
}


def menu(page: str, below: dict[str, tuple[str, ...]]) -> str:
    """Write the hidden table of contents of a page, or nothing if there is no page below it."""
    pages = below.get(page, ())
    if not pages:
        return ""
    lines = "\n".join(f"{SHORT[name]} </{name}>" if name in SHORT else f"/{name}" for name in pages)
    return f"\n\n```{{toctree}}\n:hidden:\n\n{lines}\n```\n"
