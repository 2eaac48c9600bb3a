"""`hornbeam learn --coverage --stability`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.evaluate import conformal, stability
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.node_figures import LeafCalibration, calibration_from_plain

if TYPE_CHECKING:
    from pathlib import Path


def test_learn_tells_sets_and_how_often_splits_come_again(good: Any) -> None:
    iris = hornbeam.read("iris")
    tree = hornbeam.C45Classifier().fit(iris)
    calibration = conformal(hornbeam.C45Classifier(), iris, 0.8, method="cross", seed=3)
    study = stability(hornbeam.C45Classifier(), iris, 7, seed=3)
    arguments = ("learn", "iris", "--seed", 3, "--cv", 0, "--coverage", 0.8, "--stability", 7)
    out = good(*arguments, "--style", "ascii").out
    assert hornbeam.show.text(tree, "ascii", calibration=calibration, stability=study) in out
    assert calibration.coverage_statement() in out
    plain = good(*arguments, "--json").json
    assert plain["calibration"] == calibration.to_json()
    assert plain["stability"] == study.to_json()
    assert "80% set" in plain["text"]


def test_held_out_rows_are_not_learned_from(good: Any) -> None:
    cpu = hornbeam.read("cpu")
    calibration = conformal(hornbeam.CartRegressor(random_state=1), cpu, 0.9, hold_out=0.4)
    study = stability(
        hornbeam.CartRegressor(random_state=1), cpu.take(calibration.learned_rows), 4, fitted=calibration.model
    )
    plain = good("learn", "cpu", "--cv", 0, "--coverage", 0.9, "--hold-out", 0.4, "--stability", 4, "--json").json
    assert plain["calibration"] == calibration.to_json()
    assert plain["stability"] == study.to_json()
    assert plain["train"]["rows"] == calibration.learned_from == 125


def test_rules_promise_too(good: Any) -> None:
    vote = hornbeam.read("vote")
    calibration = conformal(hornbeam.RipperClassifier(random_state=1), vote, 0.9, method="cross")
    out = good("learn", "vote", "-s", "ripper", "--cv", 0, "--coverage", 0.9).out
    assert hornbeam.show.text(calibration.estimator, calibration=calibration) in out
    assert out.count(" by ") == len(calibration.nodes)


def test_requests_that_cannot_be_met_are_refused(bad: Any) -> None:
    assert "--coverage is 1.5; expected a number between 0 and 1" in bad("learn", "iris", "--coverage", 1.5).err
    assert "at least 19 rows; there are 14" in bad("learn", "weather", "--coverage", 0.95).err
    assert "hold_out 0.1 of 14 rows gives 1" in bad("learn", "weather", "--coverage", 0.8, "--hold-out", 0.1).err
    assert "needs --coverage" in bad("learn", "iris", "--hold-out", 0.2).err
    assert "--hold-out is 1.0" in bad("learn", "iris", "--coverage", 0.9, "--hold-out", 1).err
    assert "is for trees and rules" in bad("learn", "iris", "-s", "forest", "--coverage", 0.9).err
    assert "in which the first matching rule decides" in bad("learn", "iris", "-s", "part", "--coverage", 0.9).err
    assert "splits of one tree, which --scheme forest" in bad("learn", "iris", "-s", "forest", "--stability", 2).err
    assert "has no leaves or rules" in bad("learn", "iris", "-s", "forest", "--coverage", 0.9, "--hold-out", 0.3).err
    assert "not with --style weka" in bad("learn", "iris", "--stability", 2, "--style", "weka").err
    assert "none are left" in bad("learn", "iris", "--coverage", 0.9, "--hold-out", 0.3, "--tune").err


def test_the_share_of_test_rows_that_are_covered_is_told(good: Any, tmp_path: Any) -> None:
    iris = hornbeam.read("iris")
    even, odd = tmp_path / "even.csv", tmp_path / "odd.csv"
    names = iris.schema.names
    for path, first in ((even, 0), (odd, 1)):
        rows = [
            [*(repr(float(iris.columns[place][row])) for place in range(4)), iris.schema.columns[4].categories[code]]  # type: ignore[union-attr]
            for row, code in enumerate(iris.columns[4].tolist())
            if row % 2 == first
        ]
        path.write_text("\n".join([",".join(names), *(",".join(row) for row in rows)]), encoding="utf-8")
    arguments = ("learn", even, "--test", odd, "--coverage", 0.8, "--hold-out", 0.3)
    found = conformal(hornbeam.C45Classifier(), hornbeam.read(even, target="class"), 0.8)
    test = iris.take(np.arange(1, 150, 2))
    member = found.predict_set(test)[np.arange(75), test.target_values()]
    assert found.covered(test) == member.mean()
    assert good(*arguments, "--json").json["calibration"]["covered"] == member.mean()
    assert f"Inside their sets: {100 * member.mean():.1f}% of the test rows" in good(*arguments).out


def test_the_picture_tells_them_too(good: Any, tmp_path: Any) -> None:
    path = tmp_path / "iris.svg"
    good("learn", "iris", "--cv", 0, "--coverage", 0.9, "--stability", 3, "--picture", path)
    drawn = path.read_text(encoding="utf-8")
    assert ">90%: {" in drawn
    assert "of 3 trees<" in drawn


@pytest.mark.parametrize("scheme", ["c45", "ripper"])
def test_a_calibration_is_saved_with_the_model(good: Any, tmp_path: Path, scheme: str) -> None:
    path = tmp_path / "model"
    learned = good("learn", "vote", "-s", scheme, "--cv", 0, "--coverage", 0.9, "--save", path).out
    shown = good("show", path).out
    assert "90% set" in shown
    model = shown.split("\n\n", maxsplit=1)[0]
    assert model in learned
    if scheme == "c45":
        assert '"calibration"' in good("show", path, "--json").out


def test_intervals_are_saved_with_the_model(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    learned = good("learn", "cpu", "-s", "cart", "--cv", 0, "--coverage", 0.9, "--save", path).out
    shown = good("show", path).out.splitlines()
    assert "90% interval" in shown[0]
    assert all(line in learned for line in shown[:5])


def test_a_calibration_that_does_not_fit_the_model_is_refused() -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("iris")).model_
    leaf = LeafCalibration(1, 0.9, 20, 20, None, ("Iris-setosa",), (1.0, 0.0, 0.0))
    calibration_from_plain([leaf.to_json()], tree.schema, tree.n_nodes)
    for change in ({"node": 99}, {"node": -1}, {"classes": ["other"]}, {"p_values": [1.0]}, {"coverage": "0.9"}):
        with pytest.raises(ModelError, match="calibration of node"):
            calibration_from_plain([leaf.to_json() | change], tree.schema, tree.n_nodes)
