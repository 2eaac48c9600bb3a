"""Class weights of learners where one kept row or box predicts: they divide distances."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.exported import run_module
from node_answers import rows_of

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import python

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS = {
    "ib2": hornbeam.IB2Classifier,
    "ib3": hornbeam.IB3Classifier,
    "ib5": hornbeam.IB5Classifier,
    "exemplars": hornbeam.ExemplarsClassifier,
}
ROWS = [
    hornbeam.IB2Classifier(),
    hornbeam.IB3Classifier(),
    hornbeam.IB5Classifier(),
    hornbeam.IB5Classifier(by_class=True),
]
SETTINGS = [*ROWS, hornbeam.ExemplarsClassifier(), hornbeam.ExemplarsClassifier(nested=True, column_weights="none")]


def drawn(seed: int = 0, n: int = 300, *, missing: float = 0.1) -> Table:
    """Rows of three classes that overlap, in two columns of numbers and one of categories."""
    random = np.random.default_rng(seed)
    code = random.choice(3, n, p=(0.7, 0.2, 0.1)).astype(np.int32)
    numbers = random.normal(size=(2, n)) + code
    numbers[random.random((2, n)) < missing] = np.nan
    kind = np.where(random.random(n) < 0.5, code, random.integers(0, 3, n)).astype(np.int32)
    columns = (Numeric("x"), Numeric("y"), Nominal("kind", ("p", "q", "r")), Nominal("class", ("a", "b", "c")))
    schema = Schema(columns, ("feature", "feature", "feature", "target"))
    return Table(schema, [*numbers, kind, code])


def with_weights(learner: Any, class_weight: Any) -> Any:
    return type(learner)(**{**learner.get_params(), "class_weight": class_weight})


@pytest.mark.parametrize("learner", SETTINGS, ids=repr)
def test_equal_weights_are_no_weights(learner: Any) -> None:
    plain = with_weights(learner, None).fit(drawn()).model_
    for weight in (1, 0.5, 7.0):
        equal = with_weights(learner, dict.fromkeys("abc", weight)).fit(drawn()).model_
        assert equal.same_as(plain)


@pytest.mark.parametrize("learner", SETTINGS, ids=repr)
def test_a_larger_weight_only_adds_predictions_of_the_class(learner: Any) -> None:
    asked = drawn(1)
    before = np.zeros(asked.n_rows, bool)
    counts = []
    for weight in (1e-6, 0.1, 1, 3, 100, 1e6):
        found = with_weights(learner, {"c": weight}).fit(drawn()).predict(asked) == "c"
        assert (found | ~before).all()
        counts.append(int(found.sum()))
        before = found
    assert counts[0] < counts[2] < counts[-1]


@pytest.mark.parametrize("learner", SETTINGS, ids=repr)
def test_which_rows_are_kept_does_not_depend_on_weights(learner: Any) -> None:
    plain, weighted = (with_weights(learner, way).fit(drawn()).model_ for way in (None, "balanced"))
    for field in ("seen_as",) if hasattr(plain, "kept") else ("low", "high", "sets", "label", "rows"):
        assert np.array_equal(getattr(plain, field), getattr(weighted, field))
    assert not weighted.same_as(plain)


@pytest.mark.parametrize("learner", SETTINGS, ids=repr)
def test_distances_are_divided_by_the_root_of_the_weight(learner: Any) -> None:
    """The prediction is that of the nearest row or box, where distances of the plain model are divided here."""
    weights = {"a": 0.5, "b": 3.0, "c": 2.0}
    plain = with_weights(learner, None).fit(drawn(missing=0.0)).model_
    weighted = with_weights(learner, weights).fit(drawn(missing=0.0))
    asked = drawn(2, 100, missing=0.0)
    if hasattr(plain, "kept"):
        codes, query = plain.kept.target_values(), plain.distance.points(asked)
        ways = [plain.distance] * 3
        if plain.class_columns is not None:
            ways = [plain.distance.weighted(weight) for weight in plain.class_columns]
        far = np.stack([way.between(query, plain.points) for way in ways])[codes, :, np.arange(len(codes))].T
    else:
        codes, share = plain.label, (np.array(list(weights.values())) / 3.0) ** (1 / 3)
        middle, half = (plain.low + plain.high) / 2, (plain.high - plain.low) / 2 * share[codes][:, np.newaxis]
        shrunk = dataclasses.replace(plain, low=middle - half, high=middle + half)
        far = np.sqrt(shrunk.differences(asked).sum(axis=2))
    divided = far / (np.array(list(weights.values())) ** (1 / 3))[codes]
    inside = (divided == 0).sum(axis=1) > 1  # ties are decided by the size of boxes
    found = np.array(["a", "b", "c"])[codes[divided.argmin(axis=1)]]
    assert (weighted.predict(asked) == found)[~inside].all()


@pytest.mark.parametrize("name", LEARNERS)
def test_balanced_weights_are_those_of_all_rows_seen_so_far(name: str) -> None:
    table = drawn()
    whole = LEARNERS[name](class_weight="balanced").fit(table)
    pieces = LEARNERS[name](class_weight="balanced")
    for first in range(0, 300, 75):
        pieces.partial_fit(table.take(range(first, first + 75)))
    asked = drawn(3)
    if name == "exemplars":  # its boxes are made by the ranges and weights of columns so far
        assert np.array_equal(pieces.model_.divisors, whole.model_.divisors)
    else:
        assert pieces.model_.same_as(whole.model_)
        assert np.array_equal(pieces.predict(asked), whole.predict(asked))
    counts = np.bincount(table.target_values())
    assert np.allclose(whole.model_.divisors, (300 / (3 * counts)) ** (1 / 3))


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_of_a_class_of_weight_zero_are_left_out(name: str) -> None:
    table = drawn()
    rest = table.take(table.target_values() != 1)
    without = LEARNERS[name](class_weight={"b": 0}).fit(table)
    assert without.model_.same_as(LEARNERS[name]().fit(rest).model_)
    with pytest.raises(ValueError, match="no rows to learn from"):
        LEARNERS[name](class_weight={"a": 0, "b": 0, "c": 0}).fit(table)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"d": 5}, "class_weight names the class 'd'; the classes are 'a', 'b', 'c'"),
        ({"a": -1}, "class_weight of 'a' is -1; expected a number of at least 0"),
        ({"a": 1e308}, r"class_weight of 'a' is 1e\+308; expected 0 or a number between 8e-31 and 1e\+30"),
        ("x", "class_weight is 'x'; expected None, 'balanced' or"),
    ],
)
def test_weights_are_checked(name: str, wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        LEARNERS[name](class_weight=wrong).fit(drawn())


@pytest.mark.parametrize("learner", SETTINGS, ids=repr)
def test_saved_models_predict_with_the_weights(learner: Any, tmp_path: Path) -> None:
    asked = drawn(4)
    weighted = with_weights(learner, "balanced").fit(drawn())
    weighted.save(tmp_path / "m.hornbeam")
    loaded = hornbeam.load(tmp_path / "m.hornbeam")
    assert loaded.same_as(weighted.model_)
    assert np.array_equal(loaded.predict(asked), weighted.predict(asked))


@pytest.mark.parametrize("learner", ROWS, ids=repr)
def test_exported_models_predict_with_the_weights(learner: Any) -> None:
    asked = drawn(5)
    weighted = with_weights(learner, {"c": 50}).fit(drawn())
    assert not np.array_equal(weighted.predict(asked), with_weights(learner, None).fit(drawn()).predict(asked))
    assert run_module(python(weighted)).predict(rows_of(asked)) == weighted.predict(asked).tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_text_and_explanations_give_the_divisors(name: str) -> None:
    weighted = LEARNERS[name](class_weight={"a": 1, "b": 8, "c": 27}).fit(drawn())
    line = "class weights divide the distances to each class: a by 1, b by 2, c by 3"
    assert line in str(hornbeam.show.text(weighted))
    assert line in str(hornbeam.show.explain(weighted.model_, drawn(6), 0))
    assert "class weights" not in str(hornbeam.show.text(LEARNERS[name]().fit(drawn())))
