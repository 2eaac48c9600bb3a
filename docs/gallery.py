# ruff: noqa: INP001 - a script, not part of a package
"""Draw the pictures of the gallery and write its page, `docs/gallery.md`.

The pictures show the predictions of every learner over the same two columns; the pictures of the lessons are drawn by
the example programs. `python docs/gallery.py` draws all of them. With ``--check`` it writes nothing, and exits with 1
if a picture or the page is stale.
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
ALIKE = 0.95  # the fraction of lines that must be the same: other machines may round a point across a border
IN_A_ROW = 3
SEED = 1


class Drawn(NamedTuple):
    """A learner of the gallery: its estimator and parameters."""

    estimator: str
    parameters: dict[str, Any]
    title: str

    @property
    def code(self) -> str:
        """The Python expression that creates the estimator."""
        return f"{self.estimator}({', '.join(f'{name}={value!r}' for name, value in self.parameters.items())})"

    def picture(self, rows: Table) -> str:
        """Learn from rows and draw the predictions over their plane."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about few rows
            learner = getattr(hornbeam, self.estimator)(**self.parameters).fit(rows)
        return hornbeam.show.decision_regions(learner, rows, title=self.title) + "\n"


class Lesson(NamedTuple):
    """A lesson: the example program that draws its pictures, and the page about it."""

    title: str
    program: str
    page: str
    pictures: tuple[str, ...]
    text: str


# Parameters that differ from the defaults.
PARAMETERS: dict[str, dict[str, Any]] = {
    "polynomial": {"degree": 3},
    "discretized": {"bins": 5},
    "bagging": {"n_estimators": 50},
    "locally-weighted": {"n_neighbors": 40},
    "neighbors": {"n_neighbors": 5},
    "svm": {"C": 10.0},
}
TITLES = {  # where the title of a scheme is not clear by itself
    "tree": "Configurable tree",
    "exceptions": "Rules with exceptions",
    "linear": "Linear regression",
    "polynomial": "Polynomial regression",
    "discretized": "Regression by discretization",
    "m5-rules": "Rules of M5'",
}
AS_REGRESSION = {"locally-weighted"}  # as a classifier it would be slow: one model per point of the picture
TITLE_OF = {  # a group of pictures for each family
    "trees": "Trees",
    "rules": "Rules",
    "neighbors": "Nearest neighbors",
    "forests": "Ensembles and support vector machines",
    "svm": "Ensembles and support vector machines",
    "linear": "Regression",
    "clusters": "Clusters",
}
INTRODUCTIONS = {
    "Regression": "Performance of 209 computers by main memory and cache. Darker means faster.",
    "Clusters": "The same flowers, clustered without their species.",
}

LESSONS_SHOWN = (
    Lesson(
        "Overfitting",
        "overfitting",
        "trees/pruning.md",
        ("overfitting-size.svg", "overfitting-before.svg"),
        "One label in ten is wrong. A tree that predicts every training row right also learns the noise: "
        "the larger it gets, the better it is on training rows and the worse on test rows.",
    ),
    Lesson(
        "Pruning",
        "overfitting",
        "trees/pruning.md",
        ("overfitting-after.svg",),
        "The same tree without the splits that may be due to chance. One split is left, at the true boundary.",
    ),
    Lesson(
        "Bias and variance",
        "bias_variance",
        "evaluate/bias-variance.md",
        ("../bias-variance-degree.svg", "../bias-variance-depth.svg"),
        "A model that is too simple makes the same errors on every sample (bias). One that is too flexible makes "
        "different errors on each sample (variance). The expected error is lowest in between.",
    ),
    Lesson(
        "Restarts",
        "restarts",
        "clusters/restarts.md",
        ("restarts-k-means.svg",),
        "k-means from a thousand random starts: most runs end in a worse solution than the best one.",
    ),
    Lesson(
        "The kernel trick",
        "kernel_trick",
        "svm/index.md",
        ("kernel-linear.svg", "kernel-polynomial.svg"),
        "No straight line separates the points inside a circle from those outside. A plane over the products x², xy "
        "and y² does, and a kernel finds it without computing the products.",
    ),
    Lesson(
        "The bootstrap",
        "bootstrap",
        "forests/index.md",
        ("bootstrap-errors.svg", "bootstrap-tree-1.svg", "bootstrap-tree-2.svg"),
        "Two bootstrap samples of the same rows give two different trees. Many such trees together make fewer errors.",
    ),
)

HEAD = """# Gallery

Every learner on the same data: two columns of iris as the axes, regions colored by the predicted class, and markers for
the true classes of the rows. One line of code draws a picture, for example the first:

```python
>>> import hornbeam
>>> rows = hornbeam.read("iris").select(["petallength", "petalwidth", "class"])
>>> picture = hornbeam.show.decision_regions(hornbeam.{code}.fit(rows), rows)

```

The name above a picture links to the page of the learner. The code below it is the estimator. [Pictures](pictures.md)
describes pictures of trees, charts and maps. `python docs/gallery.py` draws all pictures again, and `make docs`
fails if one is stale.
"""


def schemes() -> dict[str, Drawn]:
    """What to draw for each scheme, by name."""
    found: dict[str, Drawn] = {}
    for scheme in (*SCHEMES, *CLUSTER_SCHEMES):
        if scheme.name in found and scheme.name not in AS_REGRESSION:
            continue
        few = {name: 3 for name in ("n_clusters", "n_components") if scheme.has(name)}
        seeds = {p.name: SEED for p in scheme.parameters if p.name == "random_state" and p.default is None}
        title = TITLES.get(scheme.name, scheme.title)
        found[scheme.name] = Drawn(scheme.estimator, {**few, **PARAMETERS.get(scheme.name, {}), **seeds}, title)
    return found


def grouped() -> dict[str, list[str]]:
    """The names of the schemes by the titles of their groups; those that only predict numbers are in one group."""
    found: dict[str, list[str]] = {title: [] for title in TITLE_OF.values()}
    classify = {scheme.name for scheme in SCHEMES if scheme.predicts == "category"} - AS_REGRESSION
    for scheme in (*SCHEMES, *CLUSTER_SCHEMES):
        only_numbers = scheme.predicts != "cluster" and scheme.name not in classify
        names = found[TITLE_OF["linear" if only_numbers else scheme.module.split(".")[2]]]
        if scheme.name not in names and (scheme.predicts != "number" or only_numbers):
            names.append(scheme.name)
    return found


def rows_for(group: str) -> Table:
    """The data for a group."""
    if group == "Regression":
        return hornbeam.read("cpu").select(["MMAX", "CACH", "class"])
    return hornbeam.read("iris").select(["petallength", "petalwidth", "class"])


def pages() -> dict[str, str]:
    """The page of each scheme, by name."""
    found: dict[str, str] = {}
    for page in sorted(HERE.rglob("*.md")):
        for name in re.findall(r"<!-- options of (\S+) -->", page.read_text(encoding="utf-8")):
            found[name] = page.relative_to(HERE).as_posix()
    return found


def pictures() -> Iterator[tuple[Path, str]]:
    """Every picture of a learner, with its path."""
    drawn = schemes()
    for group, names in grouped().items():
        rows = rows_for(group)
        for name in names:
            yield PICTURES / f"{name}.svg", drawn[name].picture(rows)


def lesson_pictures() -> Iterator[tuple[Path, str]]:
    """Every picture of a lesson, drawn by its example program."""
    # Other commands draw the pictures outside the folder.
    here = [lesson for lesson in LESSONS_SHOWN if not lesson.pictures[0].startswith("..")]
    for program in dict.fromkeys(lesson.program for lesson in here):
        before = Path.cwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            os.chdir(folder)  # the program draws into the current folder
            try:
                runpy.run_path(str(HERE.parent / "examples" / f"{program}.py"), run_name="__main__")
            finally:
                os.chdir(before)
            for lesson in here:
                for name in lesson.pictures if lesson.program == program else ():
                    yield LESSONS / name, Path(folder, name).read_text(encoding="utf-8")


def page() -> str:
    """The text of the gallery page."""
    drawn, page_of = schemes(), pages()
    lines = [HEAD.format(code=drawn[grouped()["Trees"][0]].code)]
    for group, names in grouped().items():
        lines += [f"## {group}", ""]
        lines += [INTRODUCTIONS[group], ""] if group in INTRODUCTIONS else []
        for place in range(0, len(names), IN_A_ROW):
            row = names[place : place + IN_A_ROW]
            lines += [
                _cells(f"[{drawn[name].title}]({page_of[name]})" for name in row),
                "|---" * len(row) + "|",
                _cells(f"![{drawn[name].title}](images/gallery/{name}.svg)" for name in row),
                _cells(f"`{drawn[name].code}`" for name in row),
                "",
            ]
    lines += ["## Lessons", ""]
    for lesson in LESSONS_SHOWN:
        program = f"[`examples/{lesson.program}.py`](../examples/{lesson.program}.py)"
        lines += [f"### {lesson.title}", "", f"{lesson.text} Drawn by {program}; [more]({lesson.page}).", ""]
        places = [f"images/lessons/{name}".replace("lessons/../", "") for name in lesson.pictures]
        lines += [*(f"![{lesson.title}]({place})" for place in places), ""]
    return "\n".join(lines)


def _cells(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def alike(one: str, other: str) -> bool:
    """Whether two pictures are the same except for rounding."""
    return one == other or SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False).ratio() >= ALIKE


def stale(place: Path, now: str, *, exact: bool = False) -> bool:
    """Whether a file differs from what is drawn now."""
    if not place.exists():
        return True
    kept = place.read_text(encoding="utf-8")
    return kept != now if exact else not alike(kept, now)


def main(arguments: list[str]) -> int:
    """Draw everything, or check whether something is stale."""
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
