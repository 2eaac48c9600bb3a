# ruff: noqa: INP001 - a program, in no package
"""Draw the pictures of the gallery and write its page, `docs/gallery.md`.

Every learner is asked all over the plane of the same two columns; the pictures of the lessons are those that the
example programs draw. `python docs/gallery.py` draws all of them anew; with ``--check`` it writes nothing, and fails
where a picture or the page is stale.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import sys
import tempfile
import warnings
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import hornbeam
from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
PAGE, PICTURES, LESSONS = HERE / "gallery.md", HERE / "images" / "gallery", HERE / "images" / "lessons"
ALIKE = (
    0.95  # the share of lines that must be the same: another machine may round a point to the other side of a border
)
IN_A_ROW = 3
SEED = 1


class Drawn(NamedTuple):
    """A learner of the gallery: its estimator, and how it is asked."""

    estimator: str
    parameters: dict[str, Any]
    title: str

    @property
    def code(self) -> str:
        """How it is made, as Python is written."""
        return f"{self.estimator}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def picture(self, rows: Table) -> str:
        """Learn from rows and draw what is answered all over their plane."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few rows
            learner = getattr(hornbeam, self.estimator)(**self.parameters).fit(rows)
        return hornbeam.show.decision_regions(learner, rows, title=self.title) + "\n"


class Lesson(NamedTuple):
    """A lesson: the example program that draws its pictures, and the page that tells it."""

    title: str
    program: str
    page: str
    pictures: tuple[str, ...]
    told: str


# What differs from the defaults in a picture; a scheme for classes and numbers is drawn for classes, unless named here.
ASKED: dict[str, dict[str, Any]] = {
    "polynomial": {"degree": 3},
    "discretized": {"bins": 5},
    "bagging": {"n_estimators": 50},
    "locally-weighted": {"k": 40},
    "k-means": {"n_clusters": 3},
    "em": {"n_components": 3},
    "hierarchical": {"n_clusters": 3},
    "spectral": {"n_clusters": 3},
    "neighbors": {"k": 5},
    "svm": {"C": 10.0},
}
TITLES = {  # where a scheme's own is half a name
    "tree": "The open recipe",
    "exceptions": "Rules with exceptions",
    "linear": "Linear regression",
    "polynomial": "Curve fitting",
    "discretized": "Numbers by way of classes",
    "m5-rules": "Rules of M5'",
}
OF_NUMBERS = {"locally-weighted"}  # of classes it learns a model for every point of the plane
GROUPS = {
    "Trees": ("id3", "c45", "cart", "tree"),
    "Rules": ("one-r", "prism", "induct", "irep", "ripper", "part", "c45rules", "exceptions"),
    "Rows that answer": ("neighbors", "ib2", "ib3", "ib5", "kstar", "exemplars"),
    "Many models, and margins": ("bagging", "forest", "boosting", "svm"),
    "Numbers": ("linear", "polynomial", "discretized", "m5", "m5-rules", "locally-weighted"),
    "Clusters": ("k-means", "em", "cobweb", "hierarchical", "spectral"),
}
TOLD = {
    "Numbers": "Memory and cache of 209 computers, and how fast they are: the darker, the faster.",
    "Clusters": "The same flowers; nothing is said of their species.",
}

LEARNED = (
    Lesson(
        "Overfitting",
        "overfitting",
        "trees/pruning.md",
        ("overfitting-size.svg", "overfitting-before.svg"),
        "One label in ten is wrong. A tree that grows until it is right about all of them learns the noise by heart: "
        "the larger it gets, the better in training and the worse on other rows.",
    ),
    Lesson(
        "Pruning",
        "overfitting",
        "trees/pruning.md",
        ("overfitting-after.svg",),
        "The same tree, without the splits that may be chance: one cut is left, where the classes part.",
    ),
    Lesson(
        "Bias and variance",
        "bias_variance",
        "evaluate/bias-variance.md",
        ("../bias-variance-degree.svg", "../bias-variance-depth.svg"),
        "A model that is too stiff is wrong in the same way every time, one that is too free in another way each time. "
        "In between the sum is least.",
    ),
    Lesson(
        "Restarts",
        "restarts",
        "clusters/restarts.md",
        ("restarts-k-means.svg",),
        "k-means from a thousand starts: most end somewhere worse than the best.",
    ),
    Lesson(
        "The kernel trick",
        "kernel_trick",
        "svm/index.md",
        ("kernel-linear.svg", "kernel-polynomial.svg"),
        "No straight line parts what lies within a ring from what lies without. A plane over the products x², xy "
        "and y² does, and a kernel finds it without making them.",
    ),
    Lesson(
        "The bootstrap",
        "bootstrap",
        "forests/index.md",
        ("bootstrap-errors.svg", "bootstrap-tree-1.svg", "bootstrap-tree-2.svg"),
        "Two draws of the same rows give two trees; many of them together err less than each.",
    ),
)

HEAD = """# Gallery

Every learner on the same rows: two columns of iris across and up, areas colored by what the learner answers there,
and the rows, whose marks are their true classes. A picture is made by one line, here the first:

```python
>>> import hornbeam
>>> rows = hornbeam.read("iris").select(["petallength", "petalwidth", "class"])
>>> picture = hornbeam.show.decision_regions(hornbeam.{code}.fit(rows), rows)

```

The name above a picture leads to its learner's page, what stands below it is the learner that was asked. `python
docs/gallery.py` draws all pictures anew, and `make docs` fails where one is stale. [Pictures](pictures.md) tells of
trees, charts and maps.
"""


def schemes() -> dict[str, Drawn]:
    """Every scheme, by name, as it is drawn."""
    found: dict[str, Drawn] = {}
    for scheme in (*SCHEMES, *CLUSTER_SCHEMES):
        if scheme.name in found and scheme.name not in OF_NUMBERS:
            continue
        seeds = {p.name: SEED for p in scheme.parameters if p.name == "random_state" and p.default is None}
        title = TITLES.get(scheme.name, scheme.title)
        found[scheme.name] = Drawn(scheme.estimator, {**ASKED.get(scheme.name, {}), **seeds}, title)
    return found


def rows_for(group: str) -> Table:
    """The rows that a group is drawn with."""
    if group == "Numbers":
        return hornbeam.read("cpu").select(["MMAX", "CACH", "class"])
    return hornbeam.read("iris").select(["petallength", "petalwidth", "class"])


def pages() -> dict[str, str]:
    """By scheme, the page that tells of it."""
    found: dict[str, str] = {}
    for page in sorted(HERE.rglob("*.md")):
        for name in re.findall(r"<!-- options of (\S+) -->", page.read_text(encoding="utf-8")):
            found[name] = page.relative_to(HERE).as_posix()
    return found


def pictures() -> Iterator[tuple[Path, str]]:
    """Every picture of a learner, with its place."""
    drawn = schemes()
    for group, names in GROUPS.items():
        rows = rows_for(group)
        for name in names:
            yield PICTURES / f"{name}.svg", drawn[name].picture(rows)


def lesson_pictures() -> Iterator[tuple[Path, str]]:
    """Every picture of a lesson, drawn by its example program."""
    here = [lesson for lesson in LEARNED if not lesson.pictures[0].startswith("..")]  # others have a page of their own
    for program in dict.fromkeys(lesson.program for lesson in here):
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)  # where the program draws
            try:
                runpy.run_path(str(HERE.parent / "examples" / f"{program}.py"), run_name="__main__")
            finally:
                os.chdir(before)
            for lesson in here:
                for name in lesson.pictures if lesson.program == program else ():
                    yield LESSONS / name, Path(folder, name).read_text(encoding="utf-8")


def page() -> str:
    """The page of the gallery."""
    drawn, told = schemes(), pages()
    lines = [HEAD.format(code=drawn["id3"].code)]
    for group, names in GROUPS.items():
        lines += [f"## {group}", ""]
        lines += [TOLD[group], ""] if group in TOLD else []
        for place in range(0, len(names), IN_A_ROW):
            row = names[place : place + IN_A_ROW]
            lines += [
                "| " + " | ".join(f"[{drawn[name].title}]({told[name]})" for name in row) + " |",
                "|---" * len(row) + "|",
            ]
            images = [f"![{drawn[name].title}](images/gallery/{name}.svg)" for name in row]
            lines += [
                "| " + " | ".join(images) + " |",
                "| " + " | ".join(f"`{drawn[name].code}`" for name in row) + " |",
                "",
            ]
    lines += ["## Lessons", ""]
    for lesson in LEARNED:
        program = f"[`examples/{lesson.program}.py`](../examples/{lesson.program}.py)"
        lines += [f"### {lesson.title}", "", f"{lesson.told} Drawn by {program}; [more]({lesson.page}).", ""]
        places = [f"images/lessons/{name}".replace("lessons/../", "") for name in lesson.pictures]
        lines += [*(f"![{lesson.title}]({place})" for place in places), ""]
    return "\n".join(lines)


def _cells(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def alike(one: str, other: str) -> bool:
    """Whether two pictures are the same but for rounding."""
    return one == other or SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False).ratio() >= ALIKE


def stale(place: Path, now: str, *, exact: bool = False) -> bool:
    """Whether what is kept is no longer what is made."""
    if not place.exists():
        return True
    kept = place.read_text(encoding="utf-8")
    return kept != now if exact else not alike(kept, now)


def main(arguments: list[str]) -> int:
    """Draw everything anew, or look whether something is stale."""
    check, found = "--check" in arguments, []
    for place, now in (*pictures(), *lesson_pictures(), (PAGE, page())):
        if not stale(place, now, exact=place == PAGE):
            continue
        found.append(place)
        if not check:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(now, encoding="utf-8")
        sys.stderr.write(f"{place.relative_to(HERE.parent)}: {'is stale' if check else 'drawn'}\n")
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
