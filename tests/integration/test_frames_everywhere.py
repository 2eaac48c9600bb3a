"""Every public function that takes rows takes data frames: the functions are found in the stubs, none is left out."""

from __future__ import annotations

import dataclasses
import inspect
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hornbeam
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
PACKAGES = ("", ".evaluate", ".show", ".report", ".distill", ".prune", ".show.plot")
ROWS = {"table", "tables", "sample", "data", "X", "a"}  # what parameters of rows are called


@cache
def penguins() -> pd.DataFrame:
    """Rows with numbers, categories, missing values, classes not in sorted order, and a number to predict."""
    random = np.random.default_rng(7)
    kind = random.choice(["gentoo", "adelie", "chinstrap"], 90)
    place = {"gentoo": 0.0, "adelie": 2.0, "chinstrap": 4.0}
    bill = np.array([place[one] for one in kind]) + random.normal(0, 0.8, 90)
    bill[3] = np.nan
    frame = {
        "bill": bill,
        "island": random.choice(["torgersen", "biscoe"], 90),
        "mass": random.normal(4, 1, 90).round(2),
        "species": kind,
    }
    return pd.DataFrame(frame)


@cache
def table(target: str = "species") -> Table:
    return hornbeam.read(penguins(), target=target)


@cache
def fitted(name: str, target: str = "species") -> Any:
    rows = table(target)
    parameters: dict[str, Any] = (
        {"random_state": 1} if "random_state" in inspect.signature(getattr(hornbeam, name)).parameters else {}
    )
    return getattr(hornbeam, name)(**parameters).fit(rows)


@cache
def two_columns() -> tuple[Any, Table]:
    rows = table().select(["bill", "mass", "species"])
    return hornbeam.C45Classifier().fit(rows), rows


def tree() -> Any:
    return fitted("C45Classifier")


# How every function is called, given rows, and y or a target where it needs one.
CALLS: dict[str, Callable[..., Any]] = {
    "contributions": lambda f, rows, **to: f(fitted("RandomForestClassifier"), rows, **to),
    "distance": lambda f, rows, **_: f(features(rows)),
    "kstar_distance": lambda f, rows, **_: f(features(rows), features(rows)),
    "permutation_importance": lambda f, rows, **to: f(tree(), rows, n_repeats=2, random_state=0, **to),
    "proximities": lambda f, rows, **to: f(fitted("RandomForestClassifier"), rows, others=rows, **to),
    "select_columns": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, folds=3, **to),
    "stable_splits": lambda f, rows, **to: f(fitted("RandomForestClassifier"), rows, **to),
    "evaluate.bias_variance": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, rounds=3, **to),
    "evaluate.bias_variance_curve": lambda f, rows, **to: f(
        hornbeam.TreeClassifier(), rows, parameter="max_depth", values=[1, 2], rounds=3, **to
    ),
    "evaluate.calibrate": lambda f, rows, **to: f(tree(), rows, **to),
    "evaluate.compare": lambda f, rows, **to: f(
        [hornbeam.OneRClassifier(), hornbeam.C45Classifier()], rows, folds=3, **to
    ),
    "evaluate.complexity_curve": lambda f, rows, **to: f(
        hornbeam.TreeClassifier(), rows, parameter="max_depth", values=[1, 2], folds=3, **to
    ),
    "evaluate.conformal": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, **to),
    "evaluate.cross_validate": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, folds=3, **to),
    "evaluate.diff": lambda f, rows, **to: f(tree(), fitted("CartClassifier"), rows, **to),
    "evaluate.learning_curve": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, sizes=[30], folds=3, **to),
    "evaluate.missing_audit": lambda f, rows, **to: f(tree(), rows, **to),
    "evaluate.restarts": lambda f, rows, **_: f(hornbeam.KMeans(2), features(rows), 3),
    "evaluate.rule_report": lambda f, rows, **to: f(fitted("RipperClassifier"), rows, **to),
    "evaluate.score": lambda f, rows, **to: f(codes_for(rows, tree().predict(table())), rows, **to),
    "evaluate.score_estimator": lambda f, rows, **to: f(tree(), rows, **to),
    "evaluate.stability": lambda f, rows, **to: f(hornbeam.C45Classifier(), rows, trees=3, **to),
    "evaluate.tune": lambda f, rows, **to: f("c45", rows, parameters={"min_samples_leaf": (2, 9)}, folds=3, **to),
    "show.cluster_map": lambda f, rows, **_: f(clusters(), rows),
    "show.decision_regions": lambda f, rows, **to: f(tree(), rows, ("bill", "mass"), **to),
    "show.densities": lambda f, rows, **to: f(mixture(), rows, **to),
    "show.explain": lambda f, rows, **to: f(tree(), rows, 3, **to),
    "show.parallel_coordinates": lambda f, rows, **_: f(clusters(), rows),
    "show.svg": lambda f, rows, **to: f(fitted("RipperClassifier"), table=rows, **to),
    "report.build": lambda f, rows, **to: f(rows, schemes=["one-r", "c45"], folds=3, **to).markdown(),
    "report.report_clusters": lambda f, rows, **to: f(clusters(), rows, **to).markdown(),
    "distill.as_rules": lambda f, rows, **to: f(fitted("RandomForestClassifier"), rows, random_state=0, **to),
    "distill.as_tree": lambda f, rows, **to: f(fitted("RandomForestClassifier"), rows, random_state=0, **to),
    "distill.explain_clusters": lambda f, rows, **_: f(clusters(), rows, random_state=0),
    "prune.cost_complexity": lambda f, rows, **to: f(tree().model_, table=rows, **to),
    "prune.pessimistic": lambda f, rows, **to: f(tree().model_, rows, subtree_raising=True, **to),
    "prune.reduced_error": lambda f, rows, **to: f(tree().model_, rows, **to),
    "prune.rules": lambda f, rows, **to: f(tree().model_, rows, **to),
    "show.plot.feature_space": lambda f, rows, **to: axes(f(two_columns()[0], rows, ("bill", "mass"), **to)),
    "show.plot.kept_rows": lambda f, rows, **to: axes(f(fitted("IB2Classifier"), rows, ("bill", "mass"), **to)),
    "show.plot.margin": lambda f, rows, **to: axes(f(margins(), None, rows, **to)),
}


def features(rows: Any) -> Any:
    """Rows without the target, for clusterers: they take a frame as it is."""
    return (
        rows
        if isinstance(rows, Table)
        else rows[["bill", "island", "mass"]]
        if isinstance(rows, pd.DataFrame)
        else rows.select(["bill", "island", "mass"])
    )


def codes_for(rows: Any, labels: Any) -> Any:
    """Predictions as `score` takes them: codes beside a Table, labels beside anything else."""
    column = table().schema.target_column
    return np.array([column.categories.index(label) for label in labels]) if isinstance(rows, Table) else labels


@cache
def clusters() -> Any:
    return hornbeam.KMeans(3, random_state=1).fit(table().select(["bill", "mass"]))


@cache
def mixture() -> Any:
    return hornbeam.MixtureModel(2, random_state=1).fit(table().select(["bill", "mass"]))


@cache
def margins() -> Any:
    return hornbeam.SVMClassifier(kernel="linear").fit(table().select(["bill", "mass", "species"]))


def axes(drawn: Any) -> Any:
    """What a chart of matplotlib shows: its texts and the places of its points."""
    texts = [drawn.get_xlabel(), drawn.get_ylabel(), *(text.get_text() for text in drawn.texts)]
    return texts, [np.asarray(part.get_offsets()).tolist() for part in drawn.collections]


def plain(found: Any) -> Any:  # noqa: PLR0911 - one return per kind
    """A result as plain data, without times, to compare it with another."""
    if isinstance(found, str | int | float | bool | None):
        return "nan" if found != found else found  # noqa: PLR0124 - NaN
    if isinstance(found, np.ndarray | np.generic):
        return plain(found.tolist())
    if isinstance(found, dict):
        return {str(key): plain(value) for key, value in found.items() if "seconds" not in str(key)}
    if isinstance(found, list | tuple):
        return [plain(value) for value in found]
    if isinstance(found, Table):
        return [found.schema.to_json(), [plain(column) for column in found.columns]]
    if hasattr(found, "KIND") or hasattr(found, "fidelity"):
        return hornbeam.show.text(found)
    if dataclasses.is_dataclass(found):
        return {field.name: plain(getattr(found, field.name)) for field in dataclasses.fields(found)}
    if hasattr(found, "trees"):
        return [hornbeam.show.text(tree) for tree in found.trees]
    assert hasattr(found, "fit"), f"how to compare {type(found)} is not known"
    return repr(found)


def public_functions() -> dict[str, Callable[..., Any]]:
    """All functions that the stubs name, in every public package, by their names."""
    found = {}
    for package in PACKAGES:
        home = import_module("hornbeam")
        for part in package.split(".")[1:]:
            home = getattr(home, part)
        for name in getattr(home, "__all__", dir(home)):
            if inspect.isfunction(getattr(home, name)):
                found[f"{package}.{name}"[1:] if package else name] = getattr(home, name)
    return found


def takes_rows(function: Callable[..., Any]) -> bool:
    """Whether a parameter is a table, by its type or its name."""
    given = inspect.signature(function).parameters.values()
    return any("Table" in str(one.annotation) or one.name in ROWS for one in given)


FUNCTIONS = {name: function for name, function in public_functions().items() if takes_rows(function) and name != "scan"}


def test_every_function_that_takes_rows_is_called_below() -> None:
    assert FUNCTIONS.keys() == CALLS.keys()


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_frame_gives_what_a_table_gives(name: str, kind: str) -> None:
    function = FUNCTIONS[name]
    expected = plain(CALLS[name](function, table()))
    whole = FRAMES[kind](penguins())
    assert plain(CALLS[name](function, whole, target="species")) == expected


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "y" in inspect.signature(FUNCTIONS[name]).parameters])
def test_features_and_y_give_what_a_table_gives(name: str, kind: str) -> None:
    function = FUNCTIONS[name]
    expected = plain(CALLS[name](function, table()))
    rows, y = FRAMES[kind](penguins()[["bill", "island", "mass"]]), FRAMES[kind](penguins()[["species"]])["species"]
    if kind == "pyarrow":  # such a column has no name; the model or the function calls it `target`
        y = y.to_pandas().rename("species")
    assert plain(CALLS[name](function, rows, y=y)) == expected


PRUNING: dict[str, Any] = {
    "chi_square": {},
    "complexity_factor": {},
    "cost_complexity": {},
    "critical_value": {"threshold": 0.1},
    "description_length": {},
    "levels": {"k": 1},
    "minimum_error": {},
    "pessimistic": {},
    "reduced_error": {"rows": True},
    "rules": {"rows": True},
    "to_size": {"n_leaves": 2},
}


@pytest.mark.parametrize("name", PRUNING)
@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_pruning_takes_the_estimator_of_a_tree(name: str) -> None:
    numbers = name == "complexity_factor"
    frame = hornbeam.read("cpu" if numbers else "iris").to_pandas()
    tree = (hornbeam.TreeRegressor if numbers else hornbeam.TreeClassifier)().fit(frame, "class")
    options = dict(PRUNING[name])
    rows = [frame] if options.pop("rows", False) else []
    prune = getattr(hornbeam.prune, name)
    ours, plain = (prune(one, *rows, **options) for one in (tree, tree.model_))
    assert getattr(ours, "best", ours).same_as(getattr(plain, "best", plain))
    with pytest.raises(TypeError, match="expected a Tree, or a fitted estimator with one; found a NeighborsRe"):
        prune(hornbeam.NeighborsRegressor().fit(hornbeam.read("cpu")), *rows, **options)
