"""What every classifier that gives a list of rules owes: one suite over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam import (
    C45Classifier,
    C45RulesClassifier,
    ExceptionRulesClassifier,
    InductClassifier,
    IrepClassifier,
    OneRClassifier,
    PartClassifier,
    PrismClassifier,
    RipperClassifier,
    TreeClassifier,
)
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.rules.exceptions import places

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.rules.rule import RuleList

LEARNERS: dict[str, Any] = {
    "1R": OneRClassifier(),
    "PRISM": PrismClassifier(),
    "PRISM list": PrismClassifier(order="smallest-first", measure="gain", nominal="set", missing="value"),
    "PRISM vote": PrismClassifier(decide="vote"),
    "INDUCT": InductClassifier(),
    "exceptions": ExceptionRulesClassifier(),
    "RIPPER": RipperClassifier(),
    "RIPPER unpruned": RipperClassifier(prune=None),
    "RIPPER by share": RipperClassifier(measure="share", optimizations=1, order="largest-first"),
    "RIPPER missing": RipperClassifier(missing="value", nominal="set", min_accuracy=0.6),
    "RIPPER best": RipperClassifier(decide="best"),
    "RIPPER vote": RipperClassifier(decide="vote", order="given"),
    "RIPPER compat": RipperClassifier(compat="weka"),
    "IREP": IrepClassifier(),
    "IREP by significance": IrepClassifier(worth="significance", measure="share"),
    "PART": PartClassifier(),
    "PART unpruned": PartClassifier(prune=None, compat="weka"),
    "PART one-vs-rest": PartClassifier(nominal="one-vs-rest", leaf="laplace", threshold="midpoint"),
    "C4.5rules": C45RulesClassifier(),
    "C4.5rules missing": C45RulesClassifier(missing="value"),
    "C4.5rules one-vs-rest": C45RulesClassifier(nominal="one-vs-rest", leaf="laplace", mdl=False),
    "C4.5 to rules": C45Classifier(prune="rules"),
    "tree to rules": TreeClassifier(prune="rules"),
    "tree to rules, held out": TreeClassifier(
        prune="rules", folds=3, random_state=0, missing="fractional", nominal="multiway"
    ),
}
CHECKED = (
    "1R", "PRISM", "PRISM list", "PRISM vote", "INDUCT", "exceptions", "RIPPER", "RIPPER unpruned", "RIPPER vote",
    "IREP", "PART", "PART unpruned", "C4.5rules", "C4.5 to rules", "tree to rules",
)  # fmt: skip
BY_TEXT = {"RIPPER compat"}  # depends on the text of the rows, and on their number
HELD_OUT = {"tree to rules, held out"}  # which rows are held out depends on their number
# Whose rules depend on the columns they do not use: rows are shuffled, or columns cost bits.
BY_ALL_COLUMNS = {name for name in LEARNERS if name.startswith(("RIPPER", "IREP", "C4.5rules"))}
WITHOUT_LAYOUT = {"exceptions", *(name for name in LEARNERS if name.startswith(("C4.5", "tree")))}


def but(*left_out: set[str]) -> pytest.MarkDecorator:
    """All learners but some."""
    return pytest.mark.parametrize("learner", sorted(set(LEARNERS).difference(*left_out)), indirect=True)


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


@parametrize_with_checks([LEARNERS[name] for name in CHECKED])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def whole_table() -> Table:
    """Numbers and categories without missing values."""
    return hornbeam.read("credit-g").take(np.arange(250))


def conditions(rules: RuleList) -> list[Any]:
    """Where rules stand, what they ask for and answer, exceptions included."""
    return [(place, rule.conditions, rule.label) for place, rule in places(rules)]


# ---- what is learned ----


@but(BY_TEXT)
def test_relabeled_categories_give_the_same_rules(learner: Any) -> None:
    table = whole_table()
    columns = [
        Nominal(c.name, tuple(f"<{name}> & 'co'" for name in c.categories)) if isinstance(c, Nominal) else c
        for c in table.schema.columns
    ]
    other = Table(Schema(tuple(columns), table.schema.roles), table.columns)
    assert conditions(clone(learner).fit(other).model_) == conditions(learner.fit(table).model_)


@but(BY_TEXT, HELD_OUT)
def test_whole_weights_are_repeated_rows(learner: Any) -> None:
    table = whole_table()
    weights = np.random.default_rng(0).integers(0, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = learner.fit(table, sample_weight=weights).model_
    other = clone(learner).fit(repeated).model_
    assert conditions(one) == conditions(other)
    assert len(one) > 0 or one.default.exceptions is not None
    for (_, rule), (_, same) in zip(places(one), places(other), strict=True):
        assert np.allclose(rule.value, same.value)


def test_rows_of_no_weight_are_left_out(learner: Any) -> None:
    table = whole_table()
    weights = np.ones(table.n_rows)
    weights[::3] = 0
    one = learner.fit(table, sample_weight=weights).model_
    assert conditions(one) == conditions(clone(learner).fit(table.take(weights > 0)).model_)


def _with_empty_columns(table: Table) -> Table:
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    return Table(schema, [*missing, *table.columns])


def test_an_all_missing_column_is_not_asked_for(learner: Any) -> None:
    learner.fit(_with_empty_columns(hornbeam.read("labor")))
    asked = [condition.column for _, rule in places(learner.model_) for condition in rule.conditions]
    assert min(asked, default=2) >= 2


@but(BY_ALL_COLUMNS)
def test_an_all_missing_column_is_no_help_and_no_harm(learner: Any) -> None:
    table = hornbeam.read("labor")
    more = _with_empty_columns(table)
    assert (clone(learner).fit(more).model_.predict_codes(more) == learner.fit(table).model_.predict_codes(table)).all()


def test_one_row_and_one_class(learner: Any) -> None:
    table = whole_table()
    if not getattr(learner, "folds", None) or not isinstance(learner, TreeClassifier):  # a row cannot be held out
        one = table.take([0])
        assert (learner.fit(one).model_.predict_codes(one) == one.target_values()).all()
    same = table.take(table.target_values() == 0)
    assert set(clone(learner).fit(same).predict(table)) == {table.schema.target_column.categories[0]}


@pytest.mark.parametrize("name", ["PRISM", "INDUCT", "exceptions", "RIPPER unpruned", "IREP", "C4.5rules"])
def test_ordered_categories_are_cut_in_their_order(name: str) -> None:
    schema = Schema(
        (Nominal("grade", ("low", "mid", "high"), ordered=True), Nominal("y", ("n", "p"))), ("feature", "target")
    )
    table = Table(schema, [[0, 1, 2] * 10, [0, 1, 1] * 10])
    model = clone(LEARNERS[name]).fit(table)
    assert model.score(table) == 1.0
    assert any(sign in hornbeam.show.text(model) for sign in ("grade >= mid", "grade <= low", "grade < mid", "> low"))


def test_a_wrong_table_is_refused(learner: Any) -> None:
    with pytest.raises(SchemaError, match="numeric"):
        learner.fit(hornbeam.read("cpu"))
    with pytest.raises(ValueError, match="no rows to learn from"):
        learner.fit(whole_table().take([]))
    learner.fit(whole_table())
    with pytest.raises(SchemaError, match="'purpose'"):
        learner.predict(whole_table().select([c for c in whole_table().schema.names if c != "purpose"]))


# ---- rows in, answers out ----


def test_column_order_does_not_matter_for_prediction(learner: Any) -> None:
    table = whole_table()
    learner.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (learner.predict(turned) == learner.predict(table)).all()
    assert np.array_equal(learner.predict_proba(turned), learner.predict_proba(table))


def test_frames_of_all_kinds_give_the_same_rules(learner: Any) -> None:
    table = hornbeam.read("labor")
    features = table.select(table.schema.features)
    truth = np.array(table.schema.target_column.categories)[table.target_values()]
    frame, arrow = features.to_pandas(), features.to_arrow()
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(arrow, pa.Table)
    expected = learner.fit(frame, truth).predict(frame)
    assert (clone(learner).fit(arrow, truth).predict(arrow) == expected).all()
    assert learner.score(frame, truth) > 0.7
    polars = features.to_polars()  # which puts categories in another order
    assert isinstance(polars, pl.DataFrame)
    learner.fit(polars, truth)
    assert set(learner.predict(polars)) <= set(truth)


def test_saved_and_loaded_it_predicts_the_same(learner: Any, tmp_path: Path) -> None:
    table = whole_table()
    learner.fit(table).save(tmp_path / "rules")
    model = hornbeam.load(tmp_path / "rules")
    assert conditions(model) == conditions(learner.model_)
    wrapped = type(learner).from_model(model)
    assert (wrapped.predict(table) == learner.predict(table)).all()
    assert np.array_equal(wrapped.predict_proba(table), learner.predict_proba(table))


def test_shares_add_up_and_lead_to_the_answer(learner: Any) -> None:
    for data in ("labor", "vote"):
        table = hornbeam.read(data)
        shares = learner.fit(table).predict_proba(table)
        assert np.allclose(shares.sum(axis=1), 1.0)
        assert (learner.classes_[shares.argmax(axis=1)] == learner.predict(table)).mean() > 0.9


def test_shares_are_of_the_rule_that_fired(learner: Any) -> None:
    table = whole_table()  # no value is missing, so a rule holds or does not
    model = learner.fit(table).model_
    if model.decide == "vote" or any(rule.exceptions is not None for rule in (*model.rules, model.default)):
        return  # several rules answer
    shares, fired = learner.predict_proba(table), model.fired(table)
    for place, rule in enumerate(model.rules):
        value = rule.value + model.pseudo_count
        assert shares[fired == place] == pytest.approx(np.tile(value / value.sum(), ((fired == place).sum(), 1)))


def test_costs_and_thresholds_decide(learner: Any) -> None:
    table = whole_table()
    good, bad = table.schema.target_column.categories
    plain = learner.fit(table).predict(table)
    shares = learner.predict_proba(table)[:, 1]
    for threshold in (0.0, 0.05, 0.4):
        eager = clone(learner).set_params(decision_threshold=threshold).fit(table).predict(table)
        assert (eager == np.where(shares >= threshold, bad, good)).all()
    if isinstance(learner, TreeClassifier):  # which refuses costs together with rules
        return
    costly = clone(learner).set_params(costs={bad: {good: 50}}).fit(table).predict(table)
    assert (costly == np.where(50 * shares > 1 - shares, bad, good)).all()
    assert (costly == bad).sum() >= (plain == bad).sum()


def test_it_is_shown_in_words(learner: Any) -> None:
    assert "petal" in hornbeam.show.text(learner.fit(hornbeam.read("iris")))


@but(WITHOUT_LAYOUT)
def test_it_is_shown_in_its_classic_layout(learner: Any) -> None:
    written = hornbeam.show.text(learner.fit(hornbeam.read("iris")), style="weka")
    sign = {RipperClassifier: " => class=", IrepClassifier: " => class=", PartClassifier: "petalwidth <= "}
    assert sign.get(type(learner), "petal") in written
