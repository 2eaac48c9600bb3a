from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import hornbeam
from hornbeam.evaluate import tune

if TYPE_CHECKING:
    from pathlib import Path


def test_tuning_is_shown_and_nested(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "heat.svg"
    out = good("learn", "iris", "--scheme", "neighbors", "--tune", "--cv", 3, "--tune-picture", path).out
    expected = tune("neighbors", hornbeam.read("iris"), nested=3)
    assert expected.text() in out
    assert "3-fold cross-validation, tuned again in each fold: " in out
    assert f"the nearest {expected.best.setting['n_neighbors']} rows" in out
    assert path.read_text(encoding="utf-8") == expected.svg() + "\n"
    ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own


def test_json_has_every_setting(good: Any) -> None:
    plain = good("learn", "iris", "--tune", "min-samples-leaf", "--tune-choose", "1-se", "--cv", 0, "--json").json
    found = tune(hornbeam.C45Classifier(random_state=1), hornbeam.read("iris"), ["min_samples_leaf"], choose="1-se")
    assert plain["tuning"] == found.to_json()
    assert plain["parameters"]["min_samples_leaf"] == found.simplest.setting["min_samples_leaf"]
    assert plain["cv"] is None
    plain = good("learn", "iris", "--scheme", "one-r", "--tune", "--json").json
    assert plain["cv"]["folds"] == 5
    assert plain["cv"]["accuracy"] == plain["tuning"]["nested"]["accuracy"]
    assert "tuning" not in good("learn", "iris", "--cv", 0, "--json").json


def test_what_was_typed_stays(good: Any) -> None:
    plain = good("learn", "iris", "--confidence", 0.1, "--tune", "--cv", 0, "--json").json
    assert plain["tuning"]["parameters"] == ["min_samples_leaf"]
    assert plain["parameters"]["confidence"] == 0.1


def test_other_ways_to_search(good: Any) -> None:
    arguments = ("learn", "iris", "--scheme", "neighbors", "--tune", "n_neighbors,weights", "--cv", 0, "--json")
    plain = good(*arguments, "--tune-tries", 3, "--tune-folds", 2, "--tune-by", "log-loss").json["tuning"]
    assert (len(plain["trials"]), plain["grids"], plain["folds"], plain["measure"]) == (4, [], 2, "log loss")


def test_numbers(good: Any) -> None:
    out = " ".join(good("learn", "servo", "--scheme", "cart", "--choose", "cp", "--tune", "cp", "--cv", 0).out.split())
    assert "root mean squared error by cp" in out
    assert "nested cross-validation gives an unbiased one" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scheme", "ib2", "--tune"), "no parameter with a declared search range"),
        (("--tune", "depth"), "no parameter 'depth' to tune"),
        (("--tune-picture", "a.svg"), "--tune-picture needs --tune"),
        (("--tune", "--tune-picture", "a.png"), "ends in .svg"),
        (("--tune", "--tune-picture", "nowhere/a.svg"), "there is no folder"),
        (("--tune", "--tune-picture", "a.svg", "--tune-tries", "3"), "leave out one of them"),
        (
            ("--scheme", "boosting", "--tune", "l2_regularization,subsample,learning_rate", "--tune-picture", "a.svg"),
            "one or two parameters",
        ),
        (("--tune", "--tune-by", "root-mean-squared-error"), "holds categories"),
        (("--confidence", "0.1", "--min-samples-leaf", "3", "--tune"), "that is not given already"),
    ],
)
def test_what_is_wrong_is_told_before_the_work(
    bad: Any, arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in bad("learn", "iris", *arguments).err
    assert not list(tmp_path.iterdir())


def test_an_interruption_ends_it_quietly(command: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["hornbeam.evaluate.tuning.tune"], "judge", stop)
    path = tmp_path / "heat.svg"
    outcome = command("learn", "iris", "--tune", "--tune-picture", path)
    assert outcome.code == 130
    assert outcome.err.splitlines()[-1] == "hornbeam: interrupted"
    assert not outcome.out
    assert not path.exists()


def test_schemes_tell_where_is_searched(good: Any) -> None:
    assert "[0.25] [--tune: 0.01 to 0.5]" in good("schemes", "c45").out
    plain = good("schemes", "forest", "--json").json[0]["parameters"]
    searched = {parameter["name"]: parameter["search"] for parameter in plain}
    assert searched["max_features"] == ["sqrt", "log2", "third", None]
    assert searched["min_samples_leaf"] == {"low": 1, "high": 64, "scale": "whole", "steps": 7}
    assert searched["criterion"] is None
