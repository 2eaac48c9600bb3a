"""Rows kept and dropped by IB2, IB3 and IB5, listed on the command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.show.texts.neighbors.instances_text import list_rows

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS = {"ib2": hornbeam.IB2Classifier, "ib3": hornbeam.IB3Classifier, "ib5": hornbeam.IB5Classifier}


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """Two columns of numbers; one row in ten has the wrong class, and rows 5 and 50 have none."""
    random = np.random.default_rng(0)
    lines = ["a,b,kind"]
    for number in range(1, 401):
        a, b = random.random(2).round(3)
        right = (a > 0.5) != (random.random() < 0.1)
        lines.append(f"{a},{b},{'?' if number in (5, 50) else 'yes' if right else 'no'}")
    path = tmp_path / "noisy.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def listed(text: str, title: str) -> list[int]:
    """Numbers of the rows below a title."""
    part = re.search(rf"^{title}: (\d+)\n((?:  row .*\n?)*)", text, re.MULTILINE)
    assert part is not None, text
    found = [int(number) for number in re.findall(r"^  row (\d+)", part[2], re.MULTILINE)]
    assert len(found) == int(part[1])
    return found


@pytest.mark.parametrize("scheme", LEARNERS)
def test_rows_are_listed_by_their_place_in_the_data(scheme: str, noisy: Path, good: Any, tmp_path: Path) -> None:
    model = tmp_path / "m.hornbeam"
    options = ("learn", noisy, "--scheme", scheme, "--target", "kind", "--cv", "0", "--list-rows", "--all")
    told = good(*options, "--save", model).out
    table = hornbeam.read(noisy, target="kind")
    place = np.flatnonzero(table.target_values() >= 0)  # two rows have no class, and are not seen
    learner = LEARNERS[scheme]().fit(table)
    predicting = listed(told, "rows kept, which predict")
    waiting = [] if scheme == "ib2" else listed(told, "rows kept, which do not predict yet")
    assert sorted(predicting + waiting) == (place[learner.kept_rows_] + 1).tolist()
    assert len(predicting) == len(learner.model_)
    lines = noisy.read_text(encoding="utf-8").splitlines()
    for number, a, b, kind in ((n, *lines[n].split(",")) for n in predicting):  # the line of names is line 0
        assert f"  row {number}, {kind}: a {float(a):g}, b {float(b):g}\n" in told
    as_json = good(*options, "--json").json["rows"]
    assert as_json["kept"] == predicting
    if scheme == "ib2":
        assert "noise" not in told
        assert as_json["noise"] == []
    else:
        dropped = listed(told, "rows dropped as noise")
        assert dropped == as_json["noise"] == (place[learner.noisy_rows_] + 1).tolist()
        assert dropped
        assert as_json["waiting"] == waiting
        count = f"further rows kept that do not predict yet: {len(waiting)}; rows dropped as noise: {len(dropped)}"
        assert count in told
    shown = good("show", model, "--list-rows", "--all").out
    assert len(listed(shown, "rows kept, which predict")) == len(predicting)
    assert "list-rows" not in good("learn", noisy, "--scheme", scheme, "--target", "kind", "--cv", "0").out


def test_most_rows_dropped_are_those_with_the_wrong_class(noisy: Path, good: Any) -> None:
    told = good("learn", noisy, "--scheme", "ib3", "--target", "kind", "--cv", "0", "--list-rows", "--json").json
    lines = [line.split(",") for line in noisy.read_text(encoding="utf-8").splitlines()]
    wrong = [(float(lines[number][0]) > 0.5) != (lines[number][2] == "yes") for number in told["rows"]["noise"]]
    assert np.mean(wrong) > 0.5


def test_other_schemes_have_no_rows_to_list(bad: Any, good: Any, tmp_path: Path) -> None:
    for scheme in ("c45", "neighbors"):
        told = bad("learn", "iris", "--scheme", scheme, "--list-rows", "--all").err
        assert f"--list-rows is for the schemes ib2, ib3, ib5, which keep some of the rows; not {scheme}" in told
        model = tmp_path / f"{scheme}.hornbeam"
        good("learn", "iris", "--scheme", scheme, "--cv", "0", "--save", model)
        assert "does not choose among rows" in bad("show", model, "--list-rows", "--all").err
    assert "--list-rows cannot be used with --to json" in bad("show", model, "--json", "--list-rows", "--all").err


def test_names_are_escaped() -> None:
    schema = hornbeam.Schema(
        (hornbeam.Nominal("a\x1b", ("b\x07", "c\n")), hornbeam.Nominal("k", ("y\x1b", "n"))), ("feature", "target")
    )
    codes = np.tile([0, 1], 10).astype(np.int32)
    table = hornbeam.Table(schema, [codes, codes])
    model = hornbeam.IB2Classifier().fit(table).model_
    for told in (list_rows(model), list_rows(model, table)):
        assert not {character for character in told if ord(character) < 32} - {"\n"}
