"""Model trees put right by neighbors: as written out pair by pair; stored, told, and refused where they cannot go."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.model_trees.m5 import M5Regressor, M5RulesRegressor
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.neighbors.corrected import CorrectedModel

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def drawn(seed: int, rows: int, *, missing: bool, weighted: bool = False) -> Table:
    """Planes that part at zero, with a category and steps that no equation has."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, rows))
    code = random.integers(0, 3, rows)
    y = np.where(a > 0, 2 * b, 1 - a) + np.array([0.0, 1, 3])[code] + np.floor(3 * b)
    if missing:
        a, code = np.where(random.random(rows) < 0.1, np.nan, a), np.where(random.random(rows) < 0.1, -1, code)
    columns: list[Any] = [Numeric("a"), Numeric("b"), Nominal("c", ("p", "q", "r")), Numeric("y")]
    roles: list[Any] = ["feature", "feature", "feature", "target"]
    arrays = [a, b, code, y]
    if weighted:
        columns, roles = [*columns, Numeric("w")], [*roles, "weight"]
        arrays.append(random.integers(1, 4, rows).astype(float))
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


Difference = Callable[[float, float], float]


def difference(table: Table, place: int) -> tuple[Difference, float]:
    """Of two values of a column, by its range or the same or not; and that of all pairs on average."""
    values, column = table.columns[place], table.schema.columns[place]
    nominal = isinstance(column, Nominal)
    there = np.flatnonzero(values >= 0 if nominal else ~np.isnan(values))
    width = float(np.ptp(values[there])) if len(there) else 0.0
    pairs = np.abs(values[there][:, np.newaxis] - values[there])
    pairs = (pairs > 0).astype(float) if nominal else pairs / width if width else 0.0 * pairs
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    average = float(np.average(pairs, weights=np.outer(weights[there], weights[there]))) if len(there) else 0.0

    def of(x: float, y: float) -> float:
        if x < 0 or y < 0 if nominal else math.isnan(x) or math.isnan(y):
            return average
        if nominal:
            return float(x != y)
        return abs(x - y) / width if width else 0.0

    return of, average


def naive(learner: Any, table: Table, asked: Table, k: int) -> list[float]:
    """Answers pair by pair: neighbors' targets, moved by what the model says that the two rows differ by."""
    base, target = learner.model_.base, table.target_values()
    own, theirs = base.predict(asked), base.predict(table)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    columns = [difference(table, place) for place in range(3)]
    reach = sum(average for _, average in columns) / 2
    answers = []
    for row in range(asked.n_rows):
        far = [
            sum(of(asked.columns[p][row], table.columns[p][other]) for p, (of, _) in enumerate(columns))
            for other in range(table.n_rows)
        ]
        order = sorted(range(table.n_rows), key=far.__getitem__)
        last, heavy = far[order[-1]], 0.0
        for other in order:
            heavy += weights[other]
            if heavy >= k:
                last = far[other]
                break
        chosen = [other for other in order if far[other] <= min(last, reach) + 1e-12]
        say = [weights[other] / (far[other] + 0.5) for other in chosen]
        offers = [target[other] + own[row] - theirs[other] for other in chosen]
        total = sum(s * offer for s, offer in zip(say, offers, strict=True))
        answers.append(total / sum(say) if chosen else own[row])
    return answers


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(1, 9), st.booleans(), st.booleans())
def test_answers_are_those_of_pairs(seed: int, rows: int, k: int, missing: bool, weighted: bool) -> None:
    table, asked = drawn(seed, rows, missing=missing, weighted=weighted), drawn(seed + 1, 8, missing=missing)
    learner = M5Regressor(neighbors=k).fit(table)
    assert isinstance(learner.model_, CorrectedModel)
    expected = naive(learner, table, asked, k)
    assert np.allclose(learner.predict(asked), expected)
    assert np.allclose(learner.model_.predict_codes(asked), expected)  # without the estimator's way to find neighbors


@pytest.mark.parametrize("estimator", [M5Regressor, M5RulesRegressor])
@pytest.mark.parametrize("committees", [1, 3])
def test_trees_and_rules_and_committees_are_put_right(estimator: Any, committees: int) -> None:
    table, asked = drawn(1, 150, missing=True), drawn(2, 60, missing=True)
    plain = estimator(committees=committees).fit(table)
    learner = estimator(committees=committees, neighbors=5).fit(table)
    assert np.array_equal(learner.model_.base.predict(asked), plain.predict(asked))
    assert np.allclose(learner.predict(asked), naive(learner, table, asked, 5))


def test_what_equations_cannot_follow_the_rows_can() -> None:
    x = np.random.default_rng(0).random((400, 2))
    y = np.sin(9 * x[:, 0]) * np.cos(9 * x[:, 1])
    plain, learner = (M5Regressor(neighbors=k).fit(x[:300], y[:300]) for k in (0, 5))
    assert learner.score(x[300:], y[300:]) > 0.9 > plain.score(x[300:], y[300:])


def test_a_row_far_from_all_others_keeps_the_answer_of_the_model() -> None:
    x = np.linspace(0, 1, 50)
    table = Table(Schema((Numeric("x"), Numeric("y")), ("feature", "target")), [x, np.round(3 * x)])
    learner = M5Regressor(neighbors=3).fit(table)
    far = Table(Schema((Numeric("x"),), ("feature",)), [[9.0]])
    assert learner.predict(far)[0] == learner.model_.base.predict(far)[0]
    assert "no training row is within" in hornbeam.show.explain(learner, far, 0)


def test_threads_and_the_order_of_rows_and_matrices_do_not_matter() -> None:
    random = np.random.default_rng(5)
    matrix = random.integers(0, 5, (300, 3)).astype(float)  # many ties
    y = matrix[:, 0] * matrix[:, 1] + random.normal(size=300)
    learner = M5Regressor(neighbors=4).fit(matrix, y)
    again = M5Regressor(neighbors=4, n_jobs=2).fit(matrix, y)
    assert np.array_equal(learner.predict(matrix), again.predict(matrix))
    model: Any = learner.model_
    backwards = model.near.kept.take(np.arange(300)[::-1])
    turned = CorrectedModel(model.schema, model.base, _with_rows(model.near, backwards), model.reach)
    assert np.allclose(turned.predict_codes(matrix), learner.predict(matrix))


def _with_rows(near: Any, rows: Table) -> Any:
    return type(near)(near.schema, rows, near.distance, near.k)


def test_model_files_hold_the_rows_too(tmp_path: Path) -> None:
    table = drawn(3, 80, missing=True)
    for committees in (1, 2):
        learner = M5RulesRegressor(neighbors=5, committees=committees).fit(table)
        learner.save(tmp_path / "model.hornbeam")
        loaded = hornbeam.load(tmp_path / "model.hornbeam")
        assert loaded.same_as(learner.model_)
        assert np.array_equal(loaded.predict(table), learner.predict(table))
        assert from_bytes(to_bytes(loaded)).same_as(loaded)


def test_what_puts_right_is_told() -> None:
    cpu = hornbeam.read("cpu")
    learner = M5Regressor(neighbors=5).fit(cpu)
    assert hornbeam.show.text(learner).endswith(
        "then corrected by the mean residual of the nearest 5 training rows of 209, within a distance of 0.3953; the "
        "figures above are without this correction"
    )
    own, _, rows = hornbeam.show.explain(learner, cpu, 3).partition("\ncorrected by ")
    assert own == hornbeam.show.explain(learner.model_.base, cpu, 3)
    *neighbors, last = rows.splitlines()[1:]
    assert last == f"so class = {learner.predict(cpu.take([3]))[0]:.5g}"
    added = sum(float(line.split()[0]) for line in neighbors)
    assert np.isclose(learner.model_.base.predict(cpu)[3] + added, learner.predict(cpu)[3], atol=0.01)
    assert "22% of -23.356: row 2, 269, 0 away: no difference" in neighbors[0]


def test_what_cannot_be_said_without_the_rows_is_refused() -> None:
    learner = M5Regressor(neighbors=5).fit(hornbeam.read("cpu"))
    with pytest.raises(TypeError, match="cannot write a CorrectedModel as JSON: its predictions need the kept rows"):
        hornbeam.export.json(learner)
    with pytest.raises(TypeError, match="cannot draw a CorrectedModel"):
        hornbeam.show.svg(learner)
    for wrong in (-1, 1.5, "five", True):
        with pytest.raises((ValueError, TypeError), match="neighbors"):
            M5Regressor(neighbors=wrong).fit(hornbeam.read("cpu"))  # type: ignore[arg-type]


def test_a_model_that_contradicts_itself_is_found_out() -> None:
    model: Any = M5Regressor(neighbors=5).fit(hornbeam.read("cpu")).model_
    other = M5Regressor().fit(hornbeam.read("auto-mpg")).model_
    for wrong, complaint in (
        (CorrectedModel(model.schema, other, model.near, 1.0), "different columns"),
        (CorrectedModel(model.schema, model.base, model.near, math.nan), "the reach is nan"),
    ):
        with pytest.raises(ModelError, match=complaint):
            wrong.validate()
