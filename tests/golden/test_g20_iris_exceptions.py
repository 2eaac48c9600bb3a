"""G20 and G28 of the golden figures: the iris rules with exceptions, and the first exception to a rule."""

from __future__ import annotations

import numpy as np

import hornbeam
from hornbeam.model.rules.by_hand import rule
from hornbeam.model.rules.exceptions import as_if_else, measured
from hornbeam.model.rules.rule import RuleList

IRIS = hornbeam.read("iris")
SCHEMA = IRIS.schema


def by_hand() -> RuleList:
    default = rule(
        "Iris-setosa",
        SCHEMA,
        [
            rule(
                "if petallength >= 2.45 and petallength < 5.355 and petalwidth < 1.75 then Iris-versicolor",
                SCHEMA,
                [
                    rule("if petallength >= 4.95 and petalwidth < 1.55 then Iris-virginica", SCHEMA),
                    rule("if sepallength < 4.95 and sepalwidth >= 2.45 then Iris-virginica", SCHEMA),
                ],
            ),
            rule(
                "if petallength >= 3.35 then Iris-virginica",
                SCHEMA,
                [rule("if petallength < 4.85 and sepallength < 5.95 then Iris-versicolor", SCHEMA)],
            ),
        ],
    )
    rules = RuleList(SCHEMA, (), default)
    rules.validate()
    return rules


def test_g20_all_150_rows_are_right() -> None:
    assert (by_hand().predict_codes(IRIS) == IRIS.target_values()).sum() == 150
    assert hornbeam.ExceptionRulesClassifier.from_model(by_hand()).score(IRIS) == 1.0


def test_g20_the_nested_form() -> None:
    assert hornbeam.show.text(by_hand()) == (
        "default: Iris-setosa\n"
        "except if petallength >= 2.45 and petallength < 5.355\n"
        "          and petalwidth < 1.75\n"
        "       then Iris-versicolor\n"
        "            except if petallength >= 4.95\n"
        "                      and petalwidth < 1.55\n"
        "                   then Iris-virginica\n"
        "                   else if sepallength < 4.95\n"
        "                           and sepalwidth >= 2.45\n"
        "                        then Iris-virginica\n"
        "       else if petallength >= 3.35\n"
        "            then Iris-virginica\n"
        "                 except if petallength < 4.85\n"
        "                           and sepallength < 5.95\n"
        "                        then Iris-versicolor"
    )


def test_g20_the_learner_prints_this_form() -> None:
    lines = hornbeam.show.text(hornbeam.ExceptionRulesClassifier(max_significance=1.0).fit(IRIS)).split("\n")
    assert lines[0] == "default: Iris-setosa  (150/100)"
    assert lines[1].startswith("except if ")
    assert any(line.startswith("       then ") for line in lines)
    assert any(line.startswith("       else if ") for line in lines)


def test_g20_if_then_else_says_the_same() -> None:
    flat = as_if_else(by_hand())
    assert all(part.exceptions is None for part in (*flat.rules, flat.default) if part is not None)
    assert len(flat) == 5
    assert (flat.predict(IRIS) == by_hand().predict(IRIS)).all()


def test_g20_figures_are_counted() -> None:
    told = measured(by_hand(), IRIS)
    assert hornbeam.show.text(told).split("\n")[0] == "default: Iris-setosa  (150/100)"
    assert told.predict_proba(IRIS).max(axis=1).min() == 1.0


def test_g28_the_first_exception() -> None:
    words = "if petallength >= 2.45 and petallength < 4.45 then Iris-versicolor"
    known = IRIS.take(rule(words, SCHEMA).holds(IRIS) > 0)
    assert known.n_rows == 29
    assert (known.target_values() == 1).all()
    rules = hornbeam.ExceptionRulesClassifier.from_model(
        RuleList(SCHEMA, (), rule("Iris-setosa", SCHEMA, [rule(words, SCHEMA)]))
    ).partial_fit(known)
    assert rules.model_.default.exceptions.rules[0].exceptions is None
    flower = hornbeam.Table(SCHEMA, [[5.1], [3.5], [2.6], [0.2], [0]])
    rules.partial_fit(flower)
    (changed,) = rules.model_.default.exceptions.rules
    assert changed.describe(SCHEMA) == "if petallength >= 2.45 and petallength < 4.45 then class = Iris-versicolor"
    assert changed.exceptions is not None
    (exception,) = changed.exceptions.rules
    # petal-width < 1.0 in print; a cut between the new row's 0.2 and the others' 1.0 is the same on the data
    (condition,) = exception.conditions
    assert SCHEMA.columns[condition.column].name == "petalwidth"
    assert 0.2 < condition.value <= 1.0
    assert exception.label == 0
    everything = hornbeam.Table(SCHEMA, [np.append(a, b) for a, b in zip(known.columns, flower.columns, strict=True)])
    assert rules.score(everything) == 1.0
