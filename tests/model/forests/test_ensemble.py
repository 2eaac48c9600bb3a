"""Models that answer together: means, votes, members without an answer, files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from model_files import members_of, pack

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base.condition import AtMost
from hornbeam.model.base.plain import ModelError, ModelFileError
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = Schema((Numeric("a"), Nominal("y", ("no", "yes"))), ("feature", "target"), "rows")
ROWS = Table(SCHEMA, [np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 0, 1, 1])])


def below(cut: float, shares: Sequence[float], otherwise: Sequence[float] | None = None) -> RuleList:
    """Rows up to a cut have these class shares; others none, or other shares."""
    label = int(np.argmax(shares))
    default = None if otherwise is None else Rule((), np.array(otherwise), int(np.argmax(otherwise)))
    return RuleList(SCHEMA, (Rule((AtMost(0, cut),), np.array(shares), label),), default)


def ensemble(*members: Any, decide: Any = "mean") -> Ensemble:
    return Ensemble(SCHEMA, members, np.array([0.25, 0.75]), decide)


def test_shares_are_averaged_over_the_members_that_answer() -> None:
    both = ensemble(below(1.5, [0.9, 0.1]), below(0.5, [0.5, 0.5], [0.2, 0.8]))
    expected = [[0.7, 0.3], [0.55, 0.45], [0.2, 0.8], [0.2, 0.8]]
    assert np.allclose(both.predict_proba(ROWS), expected)
    assert both.predict_codes(ROWS).tolist() == [0, 0, 1, 1]


def test_votes_are_counted() -> None:
    members = (below(1.5, [0.9, 0.1]), below(9, [0.4, 0.6]), below(9, [0.4, 0.6]))
    assert ensemble(*members).predict_codes(ROWS).tolist() == [0, 0, 1, 1]
    voting = ensemble(*members, decide="vote")
    assert np.allclose(voting.predict_proba(ROWS), [[1 / 3, 2 / 3]] * 2 + [[0, 1]] * 2)
    assert voting.predict_codes(ROWS).tolist() == [1, 1, 1, 1]


def test_the_default_answers_where_no_member_does() -> None:
    assert ensemble(below(0.5, [1, 0])).predict_proba(ROWS)[1:].tolist() == [[0.25, 0.75]] * 3
    assert ensemble(below(0.5, [1, 0]), decide="vote").predict_codes(ROWS).tolist() == [0, 1, 1, 1]


def test_a_tie_goes_to_the_first_class() -> None:
    tied = ensemble(below(9, [0.3, 0.7]), below(9, [0.7, 0.3]))
    assert tied.predict_codes(ROWS).tolist() == [0] * 4


def test_stages_end_with_the_whole() -> None:
    members = (below(1.5, [0.9, 0.1]), below(0.5, [0.5, 0.5], [0.2, 0.8]), below(9, [0.1, 0.9]))
    stages = list(ensemble(*members).staged(ROWS))
    assert [stage.tolist() for stage in stages[:2]] == [[0, 0, 1, 1], [0, 0, 1, 1]]
    assert stages[0].tolist() == ensemble(members[0]).predict_codes(ROWS).tolist()
    assert stages[-1].tolist() == ensemble(*members).predict_codes(ROWS).tolist()


def mixed() -> Ensemble:
    """A tree, rules and an ensemble for the same target."""
    table = hornbeam.read("iris")
    tree = hornbeam.C45Classifier().fit(table).model_
    rules = hornbeam.RipperClassifier(random_state=0).fit(table).model_
    narrow = hornbeam.CartClassifier(folds=0).fit(table.assign({"petalwidth": "ignored"})).model_
    shares = np.full(3, 1 / 3)
    inner = Ensemble(table.schema, (narrow, rules), shares, "vote")
    return Ensemble(table.schema, (tree, inner, rules, narrow), shares, "mean", {"samples": 150})


def test_a_matrix_gives_what_a_table_gives() -> None:
    table = hornbeam.read("iris")
    model = mixed()
    model.validate()
    matrix = np.column_stack([table.columns[place] for place in table.schema.features])
    assert np.array_equal(model.predict_codes(matrix), model.predict_codes(table))
    assert np.array_equal(model.predict_proba(matrix), model.predict_proba(table))
    voting = replace(model, decide="vote")
    assert np.array_equal(voting.predict_proba(matrix), voting.predict_proba(table))
    with pytest.raises(ValueError, match=r"shape \(150, 2\).*4 features"):
        model.predict_codes(matrix[:, :2])


def test_saved_and_read_it_is_the_same() -> None:
    model = mixed()
    data = to_bytes(model)
    again = from_bytes(data)
    assert again.same_as(model)
    assert to_bytes(again) == data
    assert again.recipe == {"samples": 150}
    assert np.array_equal(again.predict_proba(hornbeam.read("iris")), model.predict_proba(hornbeam.read("iris")))
    assert not again.same_as(replace(model, decide="vote"))
    assert not again.same_as(replace(model, members=model.members[1:]))
    assert not again.same_as(replace(model, default=np.array([1.0, 0.0, 0.0])))


def test_many_members_fit_into_a_file() -> None:
    table = hornbeam.read("weather")
    many = hornbeam.BaggingClassifier(n_estimators=60, random_state=0).fit(table).model_
    assert from_bytes(to_bytes(many)).same_as(many)


def test_numbers_are_averaged_and_saved() -> None:
    table = hornbeam.read("cpu")
    members = tuple(
        learner.fit(table).model_
        for learner in (hornbeam.LinearRegressor(), hornbeam.CartRegressor(folds=0), hornbeam.DiscretizedRegressor())
    )
    model = Ensemble(table.schema, members, np.array([100.0]))
    expected = np.mean([member.predict(table) for member in members], axis=0)
    assert np.allclose(model.predict(table), expected)
    assert from_bytes(to_bytes(model)).same_as(model)
    with pytest.raises(ModelError, match="numeric"):
        model.predict_proba(table)


def test_intervals_may_be_classified_by_an_ensemble() -> None:
    table = hornbeam.read("cpu")
    learner = hornbeam.DiscretizedRegressor(hornbeam.BaggingClassifier(n_estimators=3, random_state=0)).fit(table)
    again = from_bytes(to_bytes(learner.model_))
    assert again.same_as(learner.model_)
    assert np.array_equal(again.predict(table), learner.predict(table))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decide": "first"}, "decide is 'first'"),
        ({"members": ()}, "no member"),
        ({"default": np.array([1.0])}, "shape"),
        ({"default": np.array([np.nan, 1.0])}, "finite"),
        ({"default": np.array([-1.0, 2.0])}, "below zero"),
        ({"members": (replace(below(1, [1, 0]), decide="never"),)}, "member 1: decide"),
        ({"schema": replace(SCHEMA, columns=(Numeric("b"), SCHEMA.columns[1]))}, "uses the column 'a'"),
        ({"schema": replace(SCHEMA, columns=(SCHEMA.columns[0], Nominal("y", ("no", "on"))))}, "predicts 'y'"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, Any], told: str) -> None:
    sound = ensemble(below(1, [1, 0]))
    sound.validate()
    with pytest.raises(ModelError, match=told):
        replace(sound, **change).validate()


def test_numbers_are_not_voted_on() -> None:
    table = hornbeam.read("cpu")
    model = hornbeam.CartRegressor(folds=0).fit(table).model_
    with pytest.raises(ModelError, match="vote"):
        Ensemble(table.schema, (model,), np.array([0.0]), "vote").validate()


def test_a_nominal_feature_needs_a_table() -> None:
    table = hornbeam.read("weather")
    model = hornbeam.BaggingClassifier(n_estimators=2, random_state=0).fit(table).model_
    with pytest.raises(SchemaError, match="nominal"):
        model.predict_codes(np.zeros((1, 4)))


def test_a_file_with_a_strange_member_is_refused() -> None:
    data = to_bytes(ensemble(below(1, [1, 0])))
    assert b'"kind":"rules"' in data
    members = members_of(data)
    members["model.json"] = members["model.json"].replace(b'"kind":"rules"', b'"kind":"magic"')
    with pytest.raises(ModelFileError, match="kind 'magic'"):
        from_bytes(pack(members, {"kind": "ensemble"}))


def test_it_is_told_in_words_and_in_json() -> None:
    import json

    table = hornbeam.read("weather")
    model = hornbeam.BaggingClassifier(n_estimators=2, random_state=0).fit(table)
    told = hornbeam.show.text(model).splitlines()
    assert told[0] == "play: the mean of 2 models"
    assert len(told) == 3
    assert told[1].startswith("  1  tree: ")
    whole = hornbeam.show.text(model, style="weka")
    assert whole.count("member ") == 2
    assert hornbeam.show.text(model.model_.members[1], style="weka") in whole
    plain = json.loads(hornbeam.export.json(model))
    assert plain["kind"] == "ensemble"
    assert plain["decide"] == "mean"
    assert [member["kind"] for member in plain["members"]] == ["tree", "tree"]
