"""What learners of model trees owe, as `test_regressors.py` asks it of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.trees.model_trees.m5 import M5Regressor, M5RulesRegressor

if TYPE_CHECKING:
    from pathlib import Path

LEARNERS = {
    "model tree": M5Regressor(),
    "model tree, whole": M5Regressor(prune=None, path_columns=True, min_samples_leaf=5),
    "model tree of means": M5Regressor(leaf="mean", smoothing=False),
    "model tree compat": M5Regressor(compat="weka"),
    "rules": M5RulesRegressor(min_samples_leaf=5),
    "rules compat": M5RulesRegressor(compat="weka"),
    "model tree put right": M5Regressor(neighbors=3),
    "rules put right": M5RulesRegressor(neighbors=3, committees=2),
}
pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@parametrize_with_checks([M5Regressor(), M5RulesRegressor(), M5Regressor(neighbors=3)])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


def cars() -> Table:
    return hornbeam.read("auto-mpg")


def test_answers_are_good(learner: Any) -> None:
    table = cars()
    answers = learner.fit(table).predict(table)
    assert answers.dtype == np.float64
    assert r2_score(table.target_values(), answers) > 0.8
    assert learner.score(table) == pytest.approx(r2_score(table.target_values(), answers))
    learner.model_.validate()


def test_rows_without_target_or_weight_are_left_out(learner: Any) -> None:
    table = cars()
    place = table.schema.target
    assert place is not None
    columns = [array.copy() for array in table.columns]
    columns[place][::5] = np.nan
    rest = np.arange(table.n_rows) % 5 > 0
    one = learner.fit(Table(table.schema, columns)).predict(table)
    assert (one == clone(learner).fit(table.take(rest)).predict(table)).all()


def test_saved_and_loaded_it_predicts_the_same(learner: Any, tmp_path: Path) -> None:
    table = cars()
    learner.fit(table)
    path = tmp_path / "model.hornbeam"
    learner.save(path)
    wrapped = type(learner).from_model(hornbeam.load(path))
    assert (wrapped.predict(table) == learner.predict(table)).all()
    for style in ("default", "ascii"):
        assert hornbeam.show.text(wrapped, style=style) == hornbeam.show.text(learner, style=style)


def test_column_order_does_not_matter_for_prediction(learner: Any) -> None:
    table = cars()
    learner.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (learner.predict(turned) == learner.predict(table)).all()


def test_renamed_categories_change_nothing(learner: Any) -> None:
    table = cars()
    kinds = [
        Nominal(kind.name, tuple(f"~{name}" for name in kind.categories)) if isinstance(kind, Nominal) else kind
        for kind in table.schema.columns
    ]
    renamed = Table(Schema(tuple(kinds), table.schema.roles), table.columns)
    assert (clone(learner).fit(renamed).predict(renamed) == learner.fit(table).predict(table)).all()


def test_an_all_missing_column_is_no_help_and_no_harm(learner: Any) -> None:
    table = cars()
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    more = Table(schema, [*missing, *table.columns])
    assert (learner.fit(more).predict(more) == clone(learner).fit(table).predict(table)).all()


def test_classes_are_refused(learner: Any) -> None:
    with pytest.raises(SchemaError, match=r"the target 'class' is nominal, and .*Regressor predicts numbers"):
        learner.fit(hornbeam.read("iris"))
