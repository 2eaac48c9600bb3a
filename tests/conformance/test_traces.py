"""Every choice of every tree learner can be learned with a trace, saved, loaded, and explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.model.files.storage import read_trace
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.schemes import Scheme

# What some choices need besides.
NEEDS: dict[tuple[str, Any], dict[str, Any]] = {
    ("prune", "chi-square"): {"confidence": 0.9},
    ("prune", "critical-value"): {"prune_threshold": 0.01},
    ("prune", "description-length"): {"nominal": "subset", "missing": "default-direction"},
    ("leaf", "m-estimate"): {"m": 2.0},
}
OTHERS: dict[str, tuple[Any, ...]] = {
    "significance": (0.001, 0.2),
    "max_depth": (2,),
    "max_leaf_nodes": (4,),
    "min_gain": (0.01,),
    "min_gain_share": (0.01,),
    "min_impurity": (0.05,),
    "combinations": (True,),
    "keep_alternatives": (2,),
}


def settings(scheme: Scheme) -> list[dict[str, Any]]:
    """The defaults, and every choice and switch of a scheme by itself."""
    varied: list[dict[str, Any]] = [{}]
    for parameter in scheme.parameters:
        values: tuple[Any, ...] = OTHERS.get(parameter.name, ())
        if parameter.kind == "choice":
            values = tuple(value for value in parameter.choices if value != parameter.default)
        elif parameter.kind == "switch" and parameter.name != "keep_trace":
            values = (not parameter.default,)
        varied += [{parameter.name: value, **NEEDS.get((parameter.name, value), {})} for value in values]
    return varied


CASES = [
    pytest.param(scheme, given, id=f"{scheme.estimator}-{given}")
    for scheme in SCHEMES
    if any(parameter.name == "keep_trace" for parameter in scheme.parameters)
    for given in settings(scheme)
]


@pytest.mark.parametrize(("scheme", "given"), CASES)
def test_a_trace_is_kept_saved_and_explained(scheme: Scheme, given: dict[str, Any], tmp_path: Path) -> None:
    table = hornbeam.read("labor" if scheme.predicts == "category" else "auto-mpg")
    if scheme.name == "id3":
        table = hornbeam.read("weather")
    learner: Any = scheme.load()(keep_trace=True, **given)
    problem = ""
    try:
        learner.fit(table)
    except ValueError as error:  # choices that do not go together
        problem = str(error)
    if problem:
        assert any(name in problem for name in given), problem
        return
    if learner.trace_ is None:  # pruned into rules
        assert given.get("prune") == "rules"
        return
    log = hornbeam.show.why(learner)
    assert log.startswith("GROWING")
    path = tmp_path / "model.hornbeam"
    learner.save(path)
    trace = read_trace(path)
    assert trace is not None
    assert hornbeam.show.why(trace) == log
    assert (hornbeam.load(path).predict(table) == learner.predict(table)).all()


def test_many_choices_are_tried() -> None:
    assert len(CASES) > 80
