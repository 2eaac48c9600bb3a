from __future__ import annotations

import json
import math
import re
from typing import Any, Self

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator

import hornbeam
from hornbeam.data.in_words import letter
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import Comparison, compare, cross_validate, variants
from hornbeam.evaluate.comparing.comparison import Estimate
from hornbeam.schemes import SCHEMES, find


class Spy(BaseEstimator):  # type: ignore[misc]
    """Answers always the same, and remembers what it was given."""

    seen: list[tuple[str, str, frozenset[float]]] = []  # noqa: RUF012 - of every clone

    def __init__(self, name: str = "", code: int = 0, random_state: int | None = None) -> None:
        self.name, self.code, self.random_state = name, code, random_state

    def fit(self, table: Table) -> Self:
        Spy.seen.append((self.name, f"fit {self.random_state}", frozenset(table.column("x").tolist())))
        self.column_ = table.schema.target_column
        return self

    def predict(self, table: Table) -> Any:
        Spy.seen.append((self.name, "predict", frozenset(table.column("x").tolist())))
        assert isinstance(self.column_, Nominal)
        return np.array([self.column_.categories[self.code]] * table.n_rows, object)


class Refuses(Spy):
    def fit(self, table: Table) -> Self:  # noqa: ARG002 - whatever it is
        raise ValueError("too few rows for this")


def table_of(truth: list[int], name: str = "small") -> Table:
    schema = Schema((Numeric("x"), Nominal("y", ("no", "yes"))), ("feature", "target"), name)
    return Table(schema, [np.arange(len(truth), dtype=float), np.array(truth, np.int32)])


def numbers(name: str = "numbers", rows: int = 40) -> Table:
    x = np.arange(rows, dtype=float)
    return Table(Schema((Numeric("x"), Numeric("y")), ("feature", "target"), name), [x, x // 10 + 0.01 * (x % 3)])


@pytest.fixture(autouse=True)
def forget() -> None:
    Spy.seen = []


PRUNING = {"prune": [None, "pessimistic", "reduced-error"]}


@pytest.fixture(scope="module")
def vote() -> Comparison:
    return compare(variants("tree", PRUNING), hornbeam.read("vote"), folds=5, repeats=2, seed=3)


def test_every_method_gets_the_same_folds() -> None:
    table = table_of([0] * 20 + [1] * 10)
    compare({"a": Spy("a"), "b": Spy("b", 1)}, table, folds=5, repeats=3, seed=7)
    by_method = {name: [entry[1:] for entry in Spy.seen if entry[0] == name] for name in "ab"}
    assert by_method["a"] == by_method["b"]
    assert len(by_method["a"]) == 2 * 5 * 3
    # Every row is tested once in each repeat, by a model that had not seen it; another repeat assigns rows anew.
    fits = [entry for entry in by_method["a"] if entry[0] != "predict"]
    tests = [entry[1] for entry in by_method["a"] if entry[0] == "predict"]
    for (_, train), test in zip(fits, tests, strict=True):
        assert not train & test
        assert len(train | test) == 30
    for repeat in range(3):
        assert sorted(x for test in tests[5 * repeat : 5 * repeat + 5] for x in test) == list(range(30))
    assert set(tests[:5]).isdisjoint(tests[5:10])
    # What a method draws is drawn by the comparison's seed.
    assert [entry[0] for entry in fits] == ["fit 7"] * 5 + ["fit 8"] * 5 + ["fit 9"] * 5


def test_a_seed_of_the_method_is_kept() -> None:
    compare({"a": Spy("a", random_state=42), "b": Spy("b")}, table_of([0, 1] * 5), folds=2)
    assert {entry[1] for entry in Spy.seen if entry[0] == "a"} == {"fit 42", "predict"}


def test_the_folds_are_those_of_cross_validation() -> None:
    table, estimator = hornbeam.read("glass"), hornbeam.C45Classifier()
    judged = cross_validate(estimator, table, 10, seed=4)
    outcome = compare({"one": estimator, "other": hornbeam.ID3Classifier(missing="own-category")}, table, seed=4)
    assert outcome.tables[0].outcomes[0].score is not None
    assert outcome.tables[0].outcomes[0].score.folds == tuple(fold.to_json()["accuracy"] for fold in judged.fold_scores)


def test_figures_and_tests_are_those_of_the_folds(vote: Comparison) -> None:
    table = vote.tables[0]
    assert (vote.measure, vote.baseline, table.folds, table.n_rows) == ("accuracy", "none", 5, 435)
    assert table.test_share == pytest.approx(1 / 4, abs=1e-4)
    none, pessimistic = table.outcome("none"), table.outcome("pessimistic")
    assert none.score is not None
    assert none.size is not None
    assert pessimistic.score is not None
    assert len(none.score.folds) == 10
    assert none.score.mean == pytest.approx(np.mean(none.score.folds))
    spread = math.sqrt((1 / 10 + table.test_share) * np.var(none.size.folds, ddof=1))
    reach = stats.t.ppf(0.975, 9) * spread
    assert none.size.interval == pytest.approx((none.size.mean - reach, none.size.mean + reach))
    difference = np.array(pessimistic.score.folds) - np.array(none.score.folds)
    t = difference.mean() / math.sqrt((1 / 10 + table.test_share) * difference.var(ddof=1))
    pair = table.pair("pessimistic", "none")
    assert pair is not None
    assert (pair.score.statistic, pair.score.degrees) == (pytest.approx(t), 9)
    assert pair.score.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    turned = table.pair("none", "pessimistic")
    assert turned is not None
    assert turned.score.mean == -pair.score.mean
    assert turned.score.interval == (-pair.score.interval[1], -pair.score.interval[0])


def test_pruning_makes_smaller_trees_as_good(vote: Comparison) -> None:
    none, pessimistic, reduced = vote.tables[0].outcomes
    assert none.size is not None
    assert pessimistic.size is not None
    assert reduced.size is not None
    assert reduced.size.mean < pessimistic.size.mean < none.size.mean / 2


def test_the_same_again_and_with_threads(vote: Comparison) -> None:
    for n_jobs in (None, 3):
        again = compare(variants("tree", PRUNING), hornbeam.read("vote"), folds=5, repeats=2, seed=3, n_jobs=n_jobs)
        assert again.to_json() == vote.to_json()


def test_estimators_are_not_changed() -> None:
    methods = variants("tree", {"prune": [None, "reduced-error"]})
    compare(methods, hornbeam.read("iris"), folds=2)
    assert all(estimator.random_state is None and not hasattr(estimator, "model_") for estimator in methods.values())


def test_numbers_are_judged_by_their_error() -> None:
    found = compare(variants("tree", {"prune": None}, predicts="number"), [numbers("a"), numbers("b", 60)], folds=4)
    assert found.measure == "root mean squared error"
    assert not found.higher_is_better
    assert found.ranking is not None
    outcome = found.tables[0].outcomes[0]
    judged = cross_validate(hornbeam.TreeRegressor(), numbers("a"), 4, seed=1)
    assert outcome.score is not None
    assert outcome.score.folds == tuple(fold.to_json()["root_mean_squared_error"] for fold in judged.fold_scores)


def test_ranks_over_tables() -> None:
    # Where "yes" is commoner, answering with it wins; by 3 tables to 1.
    tables = [table_of([0] * 10 + [1] * 30, f"t{place}") for place in range(3)] + [table_of([0] * 30 + [1] * 10)]
    found = compare({"no": Spy("no"), "yes": Spy("yes", 1)}, tables, folds=4)
    assert found.ranking is not None
    assert found.ranking.methods == ("yes", "no")
    assert found.ranking.average_ranks == (1.25, 1.75)
    assert [table.table for table in found.tables] == ["t0", "t1", "t2", "small"]


def test_a_method_that_cannot_learn_is_told_and_left_out_of_ranks() -> None:
    tables = {"a": table_of([0, 1] * 10), "b": table_of([0, 1] * 20)}
    found = compare({"one": Spy(), "two": Refuses("two")}, tables, folds=2)
    assert found.tables[0].outcomes[1].problem == "too few rows for this"
    assert found.ranking is None
    assert found.tables[0].pair("one", "two") is None
    assert "a, two: not evaluated, too few rows for this" in found.text()
    json.dumps(found.to_json(), allow_nan=False)
    with pytest.raises(ValueError, match="a: no method could learn; too few rows"):
        compare({"one": Refuses(), "two": Refuses()}, tables, folds=2)


def test_folds_may_be_given() -> None:
    table = table_of([0, 1] * 6)
    found = compare({"a": Spy("a"), "b": Spy("b", 1)}, table, folds=[5, 5, 5, 5, 5, 5, 9, 9, 9, 9, 9, 9])
    assert found.tables[0].folds == 2
    assert Spy.seen[0][2] == frozenset(range(6, 12))


def test_tables_of_one_name_are_told_apart() -> None:
    found = compare({"a": Spy("a"), "b": Spy("b", 1)}, [table_of([0, 1] * 5)] * 3, folds=2)
    assert [table.table for table in found.tables] == ["small", "small (2)", "small (3)"]


def test_progress_counts_the_folds_of_all_tables() -> None:
    calls: list[tuple[int, int]] = []
    tables = [table_of([0, 1] * 5, "a"), table_of([0, 1] * 5, "b")]
    compare({"a": Spy("a"), "b": Spy()}, tables, folds=2, repeats=2, progress=lambda *call: calls.append(call))
    assert {total for _, total in calls} == {8}
    assert [done for done, _ in calls] == [0, 1, 2, 3, 4, 4, 5, 6, 7, 8]


@pytest.mark.parametrize(
    ("tables", "methods", "options", "message"),
    [
        ([], {"a": Spy(), "b": Spy()}, {}, "no table"),
        (table_of([0, 1]), {"a": Spy()}, {}, "1 method was given; expected two or more"),
        (table_of([0, 1]), {"a": Spy(), "b": Spy()}, {"baseline": "c"}, "the baseline 'c' is not one of the methods"),
        (table_of([0, 1]), {"a": Spy(), "b": Spy()}, {"folds": 1}, "small: folds is 1; expected at least 2"),
        (table_of([0]), {"a": Spy(), "b": Spy()}, {}, "small: cross-validation needs at least two folds"),
        (table_of([0, 1]), {"a": Spy(), "b": Spy()}, {"repeats": 0}, "repeats is 0"),
        ([table_of([0, 1]), numbers()], {"a": Spy(), "b": Spy()}, {}, "small is nominal and that of numbers numeric"),
        ([table_of([0, 1])] * 2, {"a": Spy(), "b": Spy()}, {"folds": [0, 1]}, "row by row for 2 tables"),
    ],
)
def test_what_cannot_be_compared(tables: Any, methods: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(methods, tables, **options)


def test_variants_are_the_choices_of_the_scheme() -> None:
    for scheme in SCHEMES:
        for parameter in scheme.parameters:
            if parameter.name not in ("prune", "criterion"):
                continue
            made = variants(scheme.name, {parameter.name: None}, predicts=scheme.predicts)
            inner = [getattr(estimator, "estimator", estimator) for estimator in made.values()]
            assert {getattr(estimator, parameter.name) for estimator in inner} == set(parameter.choices)
    made = variants("tree", {"prune": None}, min_samples_leaf=5)
    assert next(iter(made)) == "none"
    assert {getattr(estimator, "estimator", estimator).min_samples_leaf for estimator in made.values()} == {5}
    (choices,) = (parameter.choices for parameter in find("tree").parameters if parameter.name == "prune")
    assert set(made) == {str(choice or "none") for choice in choices}


def test_variants_that_there_are_not() -> None:
    with pytest.raises(ValueError, match="id3 has no parameter 'prune'"):
        variants("id3", {"prune": None})
    with pytest.raises(ValueError, match=r"prune is 'magic'; expected one of these .* with the scheme tree.*none"):
        variants("tree", {"prune": ["magic"]})
    with pytest.raises(ValueError, match="no scheme is called"):
        variants("oak", {"prune": None})


def test_text_of_one_table(vote: Comparison) -> None:
    text = vote.text()
    assert text.startswith("vote: 435 rows, 2 times 5-fold cross-validation, every method on the same folds (seed 3)\n")
    outcome = vote.tables[0].outcome("pessimistic")
    assert outcome.score is not None
    assert f"{100 * outcome.score.mean:.1f}%" in text
    assert "adjusted for 2 tests (Holm)" in text
    assert "3 reduced-error" in text
    assert text == text.strip()
    marked = vote.markdown()
    assert "| method | accuracy | 95% interval |" in marked
    assert "\\* different" in marked or "no method is different" in marked


def test_text_of_several_tables() -> None:
    tables = [table_of([0] * 10 + [1] * 30, "ab|c"), table_of([0] * 300 + [1] * 100, "t\x1b[31m")]
    found = compare({"no": Spy("no"), "yes": Spy("yes", 1)}, tables, folds=4)
    text = found.text()
    # The folds' accuracies do not vary, so the difference is as sure as can be.
    assert re.search(r"^ab\|c +25.0% +75.0%\+$", text, re.MULTILINE)
    assert re.search(r"^better/worse than no +1/1$", text, re.MULTILINE)
    assert "\\x1b" in text
    assert "\x1b" not in text
    assert "| ab\\|c | 25.0% | 75.0%+ |" in found.markdown()
    assert "Friedman" in text


def test_wide_tables_have_numbers_for_heads() -> None:
    tables = [table_of([0, 1] * 5, "a"), table_of([0, 1] * 5, "b")]
    found = compare({f"method with a long name {place}": Spy() for place in range(6)}, tables, folds=2)
    assert "1 method with a long name 0, 2 method with" in found.text()
    assert max(map(len, found.text().splitlines())) <= 110


def test_the_standard_error_is_of_the_folds_that_have_the_figure() -> None:
    folds = [0.5, math.nan, 0.7, 0.8]
    assert Estimate.of(folds, 1 / 3).standard_error == pytest.approx(stats.sem([0.5, 0.7, 0.8]))
    assert math.isnan(Estimate.of([0.5, math.nan], 1.0).standard_error)


def test_there_are_letters_for_every_group_of_methods() -> None:
    names = [letter(place) for place in range(1000)]
    assert (names[0], names[25], names[26], names[27], names[702]) == ("a", "z", "aa", "ab", "aaa")
    assert len(set(names)) == 1000
