"""Estimators give WEKA's models and predictions on stored random tables, with and without row weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz.random_tables import Drawn, with_last_target
from fuzz.weka_claims import claims, identical, ours, theirs
from fuzz.weka_program import WekaAnswer

from hornbeam.data.read import read

STORED: list[dict[str, Any]] = json.loads(
    (Path(__file__).resolve().parent / "weka_random_tables.json").read_text(encoding="utf-8")
)
CLAIMS = {claim.name: claim for claim in claims()}
REFUSED = ("M5",)  # with row weights


@pytest.mark.parametrize("entry", STORED, ids=[f"{number}-{entry['claim']}" for number, entry in enumerate(STORED)])
def test_the_answer_is_that_of_weka(entry: dict[str, Any], tmp_path: Path) -> None:
    claim = CLAIMS[entry["claim"]]
    tables = []
    for name in ("training", "asked"):
        path = tmp_path / f"{name}.arff"
        path.write_text(entry[name], encoding="utf-8")
        tables.append(read(path) if claim.wanted.target == "none" else with_last_target(read(path)))
    answer = WekaAnswer(entry["text"], tuple(map(tuple, entry["rows"])), "")
    found, reference = ours(claim, Drawn(*tables)), theirs(claim, answer)
    assert not found.error
    assert found.text == reference.text
    assert identical(found, reference)
    if claim.name.startswith("KStar"):
        assert np.allclose(found.shares, reference.shares, rtol=0, atol=1e-7)


def test_every_claim_has_stored_tables() -> None:
    with_weights = {name for name, claim in CLAIMS.items() if claim.wanted.weighted and not name.startswith(REFUSED)}
    without = {name for name, claim in CLAIMS.items() if not claim.wanted.weighted}
    assert {entry["claim"] for entry in STORED} >= with_weights | without


def test_a_spoiled_answer_is_a_difference() -> None:
    claim = CLAIMS["J48"]
    rows = np.array([[0.25, 0.75]])
    answer = WekaAnswer("------------------\n\n: a (4.0)\n\nNumber of Leaves", tuple(map(tuple, rows.tolist())), "")
    same = theirs(claim, answer)
    assert identical(same, theirs(claim, answer))
    assert not identical(same, theirs(claim, WekaAnswer(answer.text, ((0.26, 0.74),), "")))
    assert not identical(same, theirs(claim, WekaAnswer(answer.text.replace("4.0", "5.0"), answer.rows, "")))
