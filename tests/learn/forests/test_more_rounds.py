"""Boosting that continues an earlier fit, and the loss on other rows after each round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss, mean_absolute_error, mean_pinball_loss, mean_squared_error

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import UnseenCategoryWarning
from hornbeam.model.forests.joined import first_trees, joined

if TYPE_CHECKING:
    from pathlib import Path

Classifier, Regressor = hornbeam.GradientBoostingClassifier, hornbeam.GradientBoostingRegressor
SMALL: dict[str, Any] = {"max_leaf_nodes": 6, "min_samples_leaf": 5}


def drawn(kind: str, n: int = 400, seed: int = 0, factor: float = 1.0) -> Table:
    """Rows with numbers, missing values, a few categories, and 400 categories; the target has classes or numbers."""
    random = np.random.default_rng(seed)
    x, z = random.normal(size=n), random.normal(size=n).round(1)
    color, place = random.integers(0, 3, n).astype(np.int32), random.integers(0, 400, n).astype(np.int32)
    signal = x + np.array([0.0, 1.0, -1.0])[color] + 0.5 * random.normal(size=n) + place / 400
    x[random.random(n) < 0.1] = np.nan
    color[random.random(n) < 0.1] = -1
    target: Any = Numeric("y")
    values: Any = np.exp(signal).round(2) * factor
    if kind.startswith("class"):
        k = int(kind[-1])
        target, values = (
            Nominal("y", tuple("abcdef"[:k])),
            np.digitize(signal, np.linspace(0, 1, k - 1)).astype(np.int32),
        )
    columns = (
        Numeric("x"),
        Numeric("z"),
        Nominal("color", ("r", "g", "b")),
        Nominal("place", tuple(map(str, range(400)))),
    )
    schema = Schema((*columns, target), ("feature",) * 4 + ("target",))
    return Table(schema, [x, z, color, place, values])


CASES = {
    "two classes": (Classifier, "class 2", {}),
    "three classes": (Classifier, "class 3", {"class_weight": "balanced", "subsample": 0.5}),
    "numbers": (Regressor, "number", {"max_features": 0.5, "n_jobs": 2}),
    "absolute": (Regressor, "number", {"loss": "absolute"}),
    "huber": (Regressor, "number", {"loss": "huber", "early_stopping": True}),
    "quantile": (Regressor, "number", {"loss": "quantile", "quantile": 0.8, "subsample": 0.7}),
    "counts": (Regressor, "number", {"loss": "poisson"}),
    "early stopping": (Classifier, "class 2", {"early_stopping": True, "n_iter_no_change": 3, "learning_rate": 0.5}),
    "monotone": (Regressor, "number", {"monotonic_cst": {"x": 1}}),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_fifty_rounds_and_fifty_more_are_a_hundred(case: str, weighted: bool) -> None:
    learner, kind, options = CASES[case]
    table = drawn(kind)
    weights = np.random.default_rng(1).integers(0, 4, table.n_rows).astype(float) if weighted else None
    whole = learner(100, **SMALL, **options).fit(table, sample_weight=weights)
    parts = learner(50, warm_start=True, **SMALL, **options).fit(table, sample_weight=weights)
    assert parts.n_iter_ <= 50
    parts.set_params(n_estimators=100).fit(table, sample_weight=weights)
    assert parts.model_.same_as(whole.model_)
    assert parts.n_iter_ == whole.n_iter_
    assert (whole.validation_loss_ is None) == (not options.get("early_stopping"))
    assert np.array_equal(parts.validation_loss_, whole.validation_loss_) or whole.validation_loss_ is None


@pytest.mark.parametrize("factor", [1e-40, 1e40])
@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_targets_of_any_size_can_be_continued(factor: float, loss: str) -> None:
    table = drawn("number", factor=factor)
    whole = Regressor(30, loss=loss, **SMALL).fit(table)
    parts = Regressor(10, loss=loss, warm_start=True, **SMALL).fit(table)
    assert parts.model_.unit is not None
    assert parts.set_params(n_estimators=30).fit(table).model_.same_as(whole.model_)


def test_a_model_read_from_a_file_can_be_continued(tmp_path: Path) -> None:
    table = drawn("class 3")
    whole = Classifier(20, **SMALL).fit(table)
    Classifier(8, **SMALL).fit(table).save(tmp_path / "m.hornbeam")
    parts = Classifier.from_model(hornbeam.load(tmp_path / "m.hornbeam"), n_estimators=20, warm_start=True, **SMALL)
    assert parts.fit(table).model_.same_as(whole.model_)


def test_a_random_seed_is_kept() -> None:
    table = drawn("number")
    parts = Regressor(5, warm_start=True, random_state=None, subsample=0.5, **SMALL).fit(table)
    seed = parts._last_seed
    first = parts.model_
    parts.set_params(n_estimators=10).fit(table)
    assert parts._last_seed == seed
    assert first_trees(parts.model_, 5).same_as(first)


def test_without_warm_start_nothing_is_continued() -> None:
    table = drawn("number")
    again = Regressor(10, **SMALL).fit(table).set_params(learning_rate=0.3).fit(table)
    assert again.model_.same_as(Regressor(10, learning_rate=0.3, **SMALL).fit(table).model_)


def test_parameters_may_change_between_fits() -> None:
    table = drawn("class 2")
    parts = Classifier(5, warm_start=True, **SMALL).fit(table)
    before = parts.model_
    parts.set_params(n_estimators=8, learning_rate=0.01, max_leaf_nodes=2).fit(table)
    assert np.array_equal(parts.model_.value[: before.n_nodes], before.value)
    assert parts.model_.n_nodes == before.n_nodes + 3 * 3


def test_what_cannot_be_continued_is_refused() -> None:
    table = drawn("class 2")
    learner = Classifier(10, warm_start=True, **SMALL).fit(table)
    with pytest.raises(ValueError, match="n_estimators is 5, and warm_start continues after 10 rounds"):
        learner.set_params(n_estimators=5).fit(table)
    learner.set_params(n_estimators=20)
    with pytest.raises(ValueError, match="'y' of categories a, b; found 'y' of categories a, b, c: expected"):
        learner.fit(drawn("class 3"))
    with pytest.raises(ValueError, match="column 'x' of numbers; found 'z' of numbers"):
        learner.fit(table.select(["z", "x", "color", "place", "y"]))
    with pytest.raises(ValueError, match="model of 4 feature columns; found 3, or fit with warm_start=False"):
        learner.fit(table.select(["z", "color", "place", "y"]))
    numbers = Regressor(5, warm_start=True, **SMALL).fit(drawn("number"))
    with pytest.raises(ValueError, match="model of another loss than 'poisson'"):
        numbers.set_params(loss="poisson", n_estimators=6).fit(drawn("number"))
    assert numbers.model_.n_trees == 5


def exact_losses(learner: Any, table: Table) -> list[float]:
    """The loss after each round, by scikit-learn's metrics and `staged_predict`."""
    truth = table.target_values()
    if isinstance(learner, Classifier):
        return [log_loss(truth, found, labels=range(found.shape[1])) for found in learner.staged_predict_proba(table)]
    by_loss = {
        "squared": lambda found: 0.5 * mean_squared_error(truth, found),
        "absolute": lambda found: mean_absolute_error(truth, found),
        "quantile": lambda found: mean_pinball_loss(truth, found, alpha=learner.quantile),
        "poisson": lambda found: float(np.mean(found - truth * np.log(found))),
    }
    return [by_loss[learner.loss](found) for found in learner.staged_predict(table)]


@pytest.mark.parametrize("case", ["two classes", "three classes", "numbers", "absolute", "quantile", "counts"])
def test_losses_are_those_of_staged_predictions(case: str) -> None:
    cls, kind, options = CASES[case]
    table, other = drawn(kind), drawn(kind, 150, seed=1)
    learner = cls(25, **SMALL, **options).fit(table, eval_set=[table, other], eval_names=["train", "test"])
    assert learner.model_.same_as(cls(25, **SMALL, **options).fit(table).model_)
    assert learner.validation_loss_ is None
    for name, rows in (("train", table), ("test", other)):
        ((loss, found),) = learner.evals_result_[name].items()
        assert loss == {Classifier: "logistic" if kind == "class 2" else "multinomial"}.get(cls, learner.loss)
        np.testing.assert_allclose(found, exact_losses(learner, rows), rtol=1e-9)


@pytest.mark.parametrize("case", ["two classes", "three classes", "numbers"])
def test_the_last_set_decides_when_to_stop(case: str) -> None:
    cls, kind, options = CASES[case]
    options = {**options, "learning_rate": 0.5}
    table, other = drawn(kind), drawn(kind, 150, seed=1)
    stopping: dict[str, Any] = {"early_stopping": True, "n_iter_no_change": 4}
    learner = cls(200, **SMALL, **options, **stopping).fit(table, eval_set=[table, other])
    (losses,) = learner.evals_result_["valid_1"].values()
    assert len(losses) < 200
    assert learner.n_iter_ == int(np.argmin(losses)) + 1
    assert len(losses) == learner.n_iter_ + 4
    assert learner.validation_loss_[1:].tolist() == losses
    # no training rows were held out
    assert learner.model_.same_as(cls(learner.n_iter_, **SMALL, **options).fit(table).model_)


def test_sets_and_warm_starts_together() -> None:
    table, other = drawn("class 3"), drawn("class 3", 150, seed=1)
    whole = Classifier(20, **SMALL).fit(table, eval_set=other)
    parts = Classifier(7, warm_start=True, **SMALL).fit(table, eval_set=other)
    parts.set_params(n_estimators=20).fit(table, eval_set=other)
    assert parts.evals_result_ == whole.evals_result_
    assert not hasattr(parts.set_params(n_estimators=21).fit(table), "evals_result_")


def frames(seed: int, n: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": random.normal(size=n), "kind": random.choice(["p", "q"], n)})
    frame["y"] = np.where(frame.x + (frame.kind == "q") + random.normal(size=n) > 0, "yes", "no")
    return frame


def test_frames_with_other_categories_missing_values_and_weights() -> None:
    train, other = frames(0, 300), frames(1, 80)
    other.loc[:9, "kind"] = "new"
    other.loc[10:19, "x"] = np.nan
    weights = np.random.default_rng(2).integers(1, 4, 80)
    learner = Classifier(10, **SMALL)
    with pytest.warns(UnseenCategoryWarning, match="'kind', 10 rows"):
        learner.fit(
            train[["x", "kind"]], train.y, eval_set=(other[["x", "kind"]], other.y), eval_sample_weight=[weights]
        )
    with pytest.warns(UnseenCategoryWarning):
        stages = list(learner.staged_predict_proba(other[["x", "kind"]]))
    exact = [log_loss(other.y, found, sample_weight=weights) for found in stages]
    np.testing.assert_allclose(learner.evals_result_["valid_0"]["logistic"], exact, rtol=1e-9)
    again = other.loc[np.repeat(np.arange(80), weights)]
    with pytest.warns(UnseenCategoryWarning):
        named = Classifier(10, **SMALL).fit(train, "y", eval_set=[(again, "y")])
    found = named.evals_result_["valid_0"]["logistic"]
    np.testing.assert_allclose(found, learner.evals_result_["valid_0"]["logistic"], rtol=1e-9)
    with pytest.warns(UnseenCategoryWarning):
        one = Classifier(10, **SMALL).fit(train, "y", eval_set=(other, "y"), eval_sample_weight=weights)
    assert one.evals_result_["valid_0"]["logistic"] == learner.evals_result_["valid_0"]["logistic"]


def test_arrays_and_sparse_rows() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 3)) * (random.random((300, 3)) < 0.5)
    y = x[:, 0] > 0.1
    dense = Classifier(5, **SMALL).fit(x[:200], y[:200], eval_set=[(x[200:], y[200:])])
    thin = Classifier(5, **SMALL).fit(
        sparse.csr_array(x[:200]), y[:200], eval_set=[(sparse.csr_array(x[200:]), y[200:])]
    )
    assert dense.evals_result_ == thin.evals_result_
    exact = [log_loss(y[200:], found) for found in dense.staged_predict_proba(x[200:])]
    np.testing.assert_allclose(dense.evals_result_["valid_0"]["logistic"], exact, rtol=1e-9)


def test_wrong_weights_name_their_set() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(60, 2)), np.arange(60) % 2
    sets = [(x[:20], y[:20]), (x[20:40], y[20:40])]
    weights = [np.ones(20), np.array([1.0, -1.0, *np.ones(18)])]
    with pytest.raises(ValueError, match=r"eval_sample_weight of valid_1: row 2 has the weight -1\.0; expected"):
        Classifier(3, **SMALL).fit(x, y, eval_set=sets, eval_sample_weight=weights)


def test_counts_of_a_set_are_not_negative() -> None:
    x = np.arange(60.0).reshape(-1, 1)
    learner = Regressor(3, loss="poisson", **SMALL)
    with pytest.raises(ValueError, match="valid_1 of eval_set has the target -1; the loss 'poisson' expects numbers"):
        learner.fit(x, x[:, 0], eval_set=[(x, x[:, 0]), (x, x[:, 0] - 1)])


def test_what_belongs_to_one_of_several_targets_refers_to_outputs() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 2))
    learner = Regressor(3, **SMALL).fit(x, x, eval_set=(x, x))
    for name in ("evals_result_", "n_iter_", "validation_loss_", "estimators_"):
        with pytest.raises(AttributeError, match=r"learned 2 targets, .*use each of outputs_"):
            getattr(learner, name)
        assert hasattr(learner.outputs_[0], name)
    with pytest.raises(AttributeError, match="use each of outputs_"):
        next(learner.staged_predict(x))
    with pytest.raises(AttributeError, match="no attribute 'nothing_'"):
        getattr(learner, "nothing_")  # noqa: B009 - type checkers know that there is none
    with pytest.raises(AttributeError, match="no attribute 'n_iter_'"):
        getattr(Regressor(), "n_iter_")  # noqa: B009 - as before `fit`
    with pytest.raises(NotFittedError):
        getattr(Regressor(), "estimators_")  # noqa: B009 - it is computed
    assert learner.fit(x, x[:, 0], eval_set=(x, x[:, 0])).n_iter_ == 3


def test_several_targets_have_sets_and_continue() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(200, 2))
    y = np.stack([x[:, 0] + x[:, 1], x[:, 0] * x[:, 1]], axis=1)
    whole = Regressor(12, **SMALL).fit(x, y, eval_set=[(x[:50], y[:50])])
    parts = Regressor(5, warm_start=True, **SMALL).fit(x, y)
    parts.set_params(n_estimators=12).fit(x, y, eval_set=[(x[:50], y[:50])])
    for k in range(2):
        one = Regressor(12, **SMALL).fit(x, y[:, k], eval_set=[(x[:50], y[:50, k])])
        assert whole.outputs_[k].evals_result_ == one.evals_result_
        assert np.array_equal(parts.outputs_[k].predict(x), one.predict(x))
    with pytest.raises(ValueError, match="y of valid_0 in eval_set has 1 column; expected one per target"):
        Regressor(5).fit(x, y, eval_set=(x, y[:, 0]))


def test_callbacks_and_lines_see_the_losses(capsys: pytest.CaptureFixture[str]) -> None:
    table = drawn("class 2")
    seen: list[float] = []
    learner = Classifier(10, verbose=2, **SMALL)

    def stops(step: int, _total: int) -> bool:
        losses = learner.evals_result_["valid_0"]["logistic"]
        assert len(losses) == step
        seen.append(losses[-1])
        return step == 4

    learner.set_callbacks(stops).fit(table, eval_set=table)
    assert seen == learner.evals_result_["valid_0"]["logistic"]
    assert learner.n_iter_ == 4
    lines = capsys.readouterr().err.splitlines()
    assert lines[3] == f"GradientBoostingClassifier: 4 of 10, valid_0 {seen[3]:.6g}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"eval_set": []}, "eval_set is a list of 0; expected a Table"),
        ({"eval_set": "test.csv"}, "eval_set is a str; expected"),
        ({"eval_set": [np.zeros((3, 2))]}, "entry 1 of eval_set is a ndarray; expected a Table or a pair"),
        (
            {"eval_set": (np.zeros((3, 5)), [0, 1, 0])},
            r"X of valid_0 in eval_set has the shape \(3, 5\); expected 2 col",
        ),
        ({"eval_set": (np.zeros((3, 2)), [0, 1])}, "y has 2 values for 3 rows"),
        (
            {"eval_set": (np.zeros((3, 2)), [0, 1, 7])},
            "valid_0 of eval_set has the class '7', which no training row has",
        ),
        (
            {"eval_set": (np.zeros((3, 2)), [None, None, None])},
            "none of the 3 rows of valid_0 in eval_set has a target",
        ),
        ({"eval_set": (np.zeros((3, 2)), [0, 1, 1]), "eval_sample_weight": [[1, 2]]}, "has the shape"),
        ({"eval_set": (np.zeros((3, 2)), [0, 1, 1]), "eval_names": ["a", "b"]}, "eval_names has 2 entries"),
        ({"eval_names": ["a"]}, "describe the sets of eval_set, which is None"),
    ],
)
def test_wrong_sets_are_refused(options: dict[str, Any], words: str) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(60, 2))
    with pytest.raises(ValueError, match=words):
        Classifier(3).fit(x, (x[:, 0] > 0).astype(int), **options)


@pytest.mark.parametrize("kind", ["number", "class 3"])
def test_forests_are_joined_and_cut_off(kind: str) -> None:
    model = (Regressor if kind == "number" else Classifier)(9, **SMALL).fit(drawn(kind)).model_
    table = drawn(kind, 50, seed=3)
    parts = [first_trees(model, n_trees) for n_trees in (1, 6, model.n_trees)]
    for part, n_trees in zip(parts, (1, 6, model.n_trees), strict=True):
        part.validate()
        assert part.n_trees == n_trees
    assert parts[-1].same_as(model)
    twice = joined(parts[1], parts[1])
    twice.validate()
    assert np.allclose(twice.scores(table) - model.base, 2 * (parts[1].scores(table) - model.base))
