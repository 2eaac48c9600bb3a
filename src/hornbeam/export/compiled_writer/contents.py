"""The tables of a model and its decision rule, for both languages, and the parts of the fixed program."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from hornbeam.export.compiled_writer import forest_tables, models, row_models

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.export.compiled_writer.models import Plain
    from hornbeam.export.compiled_writer.tables import Entry, Tables

WRITERS: dict[str, Callable[..., Entry]] = {
    "tree": models.tree,
    "rules": models.rules,
    "linear": models.linear,
    "ensemble": models.ensemble,
    "intervals": models.intervals,
    "forest": forest_tables.forest,
    "instances": row_models.instances,
    "corrected": row_models.corrected,
    "margin": row_models.svm,
    "centers": row_models.centers,
    "mixture": row_models.mixture,
}
PARTS = ("equations", "trees", "rules", "ensembles", "forests", "rows", "clusters", "mixtures", "svm", "decisions")
ALWAYS = {"equations", "decisions"}


def model_tables(data: Plain, kind: type[Tables]) -> tuple[Any, Entry]:
    """Return the tables of a model given by `program` in one language, and the entry of the model."""
    tables = kind([len(column.get("categories", ())) for column in data["columns"]])

    def write(plain: Plain) -> Entry:
        return WRITERS[plain["kind"]](tables, plain, write)

    return tables, write(data["model"])


def decision(tables: Tables, data: Plain) -> str:
    """Return the decision rule."""
    decide = data["decide"]
    costs = [float(cost) for row in decide.get("costs", ()) for cost in row]
    fields = (
        tables.reals(decide.get("overall", ()), "overall"),
        tables.reals(costs, "costs"),
        tables.flags(decide.get("withRows") or (), "possible"),
        max(costs, default=0.0),
        float(decide.get("threshold", -1.0)),
    )
    tables.need(OUTPUTS=len(data["target"].get("categories", ())))
    return tables.initializer("decision", fields)


def needed_parts(tables: Tables, language: str) -> list[str]:
    """Return the parts of the fixed program that a model needs."""
    return [fixed_part(language, part) for part in PARTS if part in tables.parts | ALWAYS]


@cache
def fixed_part(language: str, name: str) -> str:
    """Return a part of the fixed program."""
    ending = {"c": "h", "rust": "rs"}[language]
    folder = resources.files("hornbeam.export.runtimes") / language
    return (folder / f"{name}.{ending}").read_text("utf-8").rstrip() + "\n"
