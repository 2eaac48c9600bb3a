from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import hornbeam
from hornbeam.evaluate import missing_audit
from hornbeam.model.rules.rule import rules_from_tree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def vote_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "vote.hornbeam"
    fitted = hornbeam.ID3Classifier(missing="own-category").fit(hornbeam.read("vote"))
    parameters = fitted.get_params()
    hornbeam.save(replace(fitted.model_, recipe={}), path, {"scheme": "ID3Classifier", "parameters": parameters})
    return path


def test_the_audit_of_a_saved_tree(good: Any, vote_model: Path) -> None:
    expected = missing_audit(hornbeam.load(vote_model), hornbeam.read("vote"))
    assert good("audit", vote_model, "vote").out == expected.text() + "\n"
    assert good("audit", vote_model, "vote", "--nodes", 2).out == expected.text(2) + "\n"
    plain = good("audit", vote_model, "vote", "--json", "--policy", "stop").json
    assert [effect["policy"] for effect in plain["policies"]] == ["as learned", "stop"]
    assert plain["resting"] == {"rows": expected.resting.rows, "weight": expected.resting.weight}
    assert plain["nodes"] == expected.to_json()["nodes"]


def test_the_model_is_learned_again(good: Any, vote_model: Path) -> None:
    plain = good("audit", vote_model, "vote", "--train", "vote", "--json").json
    first, second = plain["policies"][:2]
    assert (first["policy"], first["how"]) == ("own-category", "as learned")
    assert second["how"] == "learned again"


def test_wrong_commands(bad: Any, vote_model: Path, tmp_path: Path) -> None:
    assert "policy is 'magic'; expected one of" in bad("audit", vote_model, "vote", "--policy", "magic").err
    assert "the model needs the column" in bad("audit", vote_model, "iris").err
    tree = hornbeam.load(vote_model)
    assert isinstance(tree, hornbeam.Tree)
    hornbeam.save(tree, tmp_path / "silent.hornbeam")
    assert "does not record the scheme" in bad("audit", tmp_path / "silent.hornbeam", "vote", "--train", "vote").err
    hornbeam.save(rules_from_tree(tree), tmp_path / "rules.hornbeam")
    assert "contains a list of rules" in bad("audit", tmp_path / "rules.hornbeam", "vote").err
