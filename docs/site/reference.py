"""The pages of the API reference, written from the public names of the package.

A public name is one that the package or one of its public folders exports, so a new one is on the site without another
line here; only a new *group* needs an entry in `GROUPS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from inspect import getdoc, isclass, ismodule
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


NOT_OURS = "BaseEstimator, ClassifierMixin, RegressorMixin, ClusterMixin, dict, tuple"  # their methods are not listed
SHOWN = 6  # names of a group on the first page


@dataclass(frozen=True)
class Group:
    """A page of the reference: the names of `package` that come from a module whose name starts with `where`."""

    page: str
    title: str
    package: str
    where: tuple[str, ...]


GROUPS = (
    Group("data", "Tables", "hornbeam", ("hornbeam.data", "hornbeam.scale")),
    Group("trees", "Trees", "hornbeam", ("hornbeam.learn.trees",)),
    Group("rules", "Rules", "hornbeam", ("hornbeam.learn.rules",)),
    Group("linear", "Linear models", "hornbeam", ("hornbeam.learn.linear",)),
    Group("forests", "Forests and boosting", "hornbeam", ("hornbeam.learn.forests",)),
    Group(
        "neighbors", "Nearest neighbors", "hornbeam", ("hornbeam.learn.neighbors", "hornbeam.model.neighbors.pairwise")
    ),
    Group("svm", "Support vector machines", "hornbeam", ("hornbeam.learn.svm",)),
    Group("clusters", "Clusters", "hornbeam", ("hornbeam.learn.clusters",)),
    Group("columns", "Columns", "hornbeam", ("hornbeam.learn.columns",)),
    Group(
        "explain",
        "Explanations",
        "hornbeam",
        ("hornbeam.learn.explain", "hornbeam.model.forests.contributions", "hornbeam._display"),
    ),
    Group("models", "Models and model files", "hornbeam", ("hornbeam.model",)),
    Group("imported", "Models of other programs", "hornbeam.model", ("hornbeam.model.imported",)),
    Group("evaluate", "Evaluation", "hornbeam.evaluate", ("hornbeam.evaluate",)),
    Group("show", "Texts and pictures", "hornbeam.show", ("hornbeam.show",)),
    Group("export", "Exports", "hornbeam.export", ("hornbeam.export",)),
    Group("report", "Reports", "hornbeam.report", ("hornbeam.report",)),
)


def public_names(package: str) -> list[str]:
    """Name everything that a package exports, modules included."""
    return sorted(name for name in import_module(package).__all__ if not name.startswith("_"))


def grouped() -> dict[Group, list[str]]:
    """Share the public names out among the groups, the first that fits; folders that have a group are left out.

    Raises
    ------
    LookupError
        If a public name fits no group.
    """
    found: dict[Group, list[str]] = {group: [] for group in GROUPS}
    folders = {group.package for group in GROUPS}
    for package in dict.fromkeys(group.package for group in GROUPS):
        for name in public_names(package):
            item = getattr(import_module(package), name)
            home = item.__name__ if ismodule(item) else item.__module__ if hasattr(item, "__qualname__") else package
            if ismodule(item) and home in folders:
                continue
            for group in GROUPS:
                if group.package == package and home.startswith(group.where):
                    found[group].append(f"{package}.{name}")
                    break
            else:
                message = f"{package}.{name} (from {home}) fits no group of the reference; add one to GROUPS"
                raise LookupError(message)
    return found


def _directive(name: str, item: object) -> str:
    if ismodule(item):
        return f".. automodule:: {name}\n   :members:\n   :imported-members:"
    if isclass(item):
        return f".. autoclass:: {name}\n   :members:\n   :inherited-members: {NOT_OURS}"
    return f".. autofunction:: {name}" if callable(item) else f".. autodata:: {name}"


def _write_name(folder: Path, name: str) -> str:
    """Write the page of one name and return its row in the table of its group."""
    package, _, short = name.rpartition(".")
    item = getattr(import_module(package), short)
    text = f"# {short}\n\n```{{eval-rst}}\n{_directive(name, item)}\n```\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    described = ismodule(item) or hasattr(item, "__qualname__")
    first = (getdoc(item) or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|") if described else ""
    return f"| [{short}]({name}.md) | {first} |"


def write(folder: Path) -> dict[str, tuple[str, ...]]:
    """Write the pages of all groups and names into a folder and return the menu below `api/index`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, below = [], {}
    for group, names in grouped().items():
        listed = "\n".join(_write_name(folder, name) for name in names)
        (folder / f"{group.page}.md").write_text(
            f"# {group.title}\n\n| name | what it is |\n|---|---|\n{listed}\n", encoding="utf-8"
        )
        some = ", ".join(f"`{name.rpartition('.')[2]}`" for name in names[:SHOWN]) + (
            ", …" if len(names) > SHOWN else ""
        )
        rows.append(f"| [{group.title}]({group.page}.md) | {some} |")
        below[f"api/{group.page}"] = tuple(f"api/{name}" for name in names)
    head = "# API reference\n\nEvery public class and function, with signatures and examples.\n\n"
    head += "| page | names |\n|---|---|\n"
    (folder / "index.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    return {"api/index": tuple(f"api/{group.page}" for group in GROUPS), **below}
