"""Every name of ours in `docs/coming-from.md` exists: estimators, parameters with their values, commands, options."""

from __future__ import annotations

import ast
import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import click
import pytest

import hornbeam
from hornbeam.cli.main import app
from hornbeam.schemes import SCHEMES
from hornbeam.schemes.clusters import CLUSTER_SCHEMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from.md"
PARAMETERS = {
    scheme.estimator: {parameter.name: parameter for parameter in scheme.parameters}
    for scheme in (*SCHEMES, *CLUSTER_SCHEMES)
}
OURS = re.compile(r"([A-Z]\w+)(?:\((.*)\))?")


def names() -> list[str]:
    """The code in the second column of every table."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").split("\n") if line.startswith("| ")]
    rows = [line.strip("|").split("|") for line in lines]
    assert all(len(row) == 3 for row in rows)
    return sorted({code for row in rows for code in re.findall(r"`([^`]+)`", row[1])})


def options_of(command: click.Command) -> set[str]:
    return {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("name", names())
def test_a_name_of_ours_exists(name: str) -> None:
    if name.startswith("hornbeam "):
        _, command, *options = name.split()
        found = app.get_command(click.Context(app), command)
        assert found is not None
        scheme_options = {p.option for parameters in PARAMETERS.values() for p in parameters.values()}
        assert set(options) <= options_of(found) | scheme_options
    elif name.startswith("hornbeam."):
        try:
            reduce(getattr, name.split(".")[1:], hornbeam)
        except AttributeError:
            import_module(name)  # a module that is not imported by itself
    else:
        matched = OURS.fullmatch(name)
        assert matched, f"{name} is neither an estimator nor a command nor a function"
        estimator, given = matched.groups()
        assert estimator in PARAMETERS
        for part in (given or "").split(", ") if given else ():
            parameter, _, value = part.partition("=")
            assert parameter in PARAMETERS[estimator], f"{estimator} has no {parameter}"
            if value:
                listed = PARAMETERS[estimator][parameter]
                said = ast.literal_eval(value)
                assert said in listed.choices if listed.choices else type(said) in (bool, int, type(None))


def test_there_are_names_of_all_programs() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^## From (.*)$", text, re.MULTILINE) == [
        "WEKA",
        "scikit-learn",
        "rpart",
        "LightGBM, XGBoost or CatBoost",
        "YDF",
    ]
    assert len(names()) > 80


def test_a_name_that_does_not_exist_is_noticed() -> None:
    for wrong in ("C45Classifier(confidense)", "hornbeam learn --crossvalidate", "hornbeam.show.txt", "C45Klassifier"):
        with pytest.raises((AssertionError, ModuleNotFoundError)):
            test_a_name_of_ours_exists(wrong)
