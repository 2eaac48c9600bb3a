"""Other names of parameters and values: those of scikit-learn and its relatives."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import hornbeam
from hornbeam.learn.base.aliases import PARAMETERS, VALUES, aliases_of
from hornbeam.schemes import ALL_SCHEMES

WITH_ALIASES = [scheme.load() for scheme in ALL_SCHEMES if aliases_of(scheme.load())]


def test_every_entry_of_the_table_is_used() -> None:
    classes = {base.__name__ for cls in WITH_ALIASES for base in cls.__mro__}
    assert set(PARAMETERS) <= classes
    parameters = {parameter.name for scheme in ALL_SCHEMES for parameter in scheme.parameters}
    assert set(VALUES) <= parameters


@pytest.mark.parametrize("cls", WITH_ALIASES, ids=lambda cls: cls.__name__)
def test_an_alias_stands_for_a_parameter_and_is_none_itself(cls: type[Any]) -> None:
    own = set(inspect.signature(cls).parameters)
    for alias, name in aliases_of(cls).items():
        assert name in own
        assert alias not in own
        learner = cls(**{alias: "given"})
        assert getattr(learner, name) == "given"
        assert alias not in learner.get_params()
        assert clone(learner).get_params()[name] == "given"
        assert cls().set_params(**{alias: "set"}).get_params()[name] == "set"


def test_an_alias_beside_its_parameter_is_refused() -> None:
    with pytest.raises(TypeError, match="got both n_estimators and max_iter, which are the same parameter"):
        hornbeam.GradientBoostingClassifier(n_estimators=3, max_iter=4)
    with pytest.raises(TypeError, match="max_iter"):
        hornbeam.RandomForestClassifier(max_iter=4)  # type: ignore[call-arg]


def test_a_grid_may_use_an_alias() -> None:
    table = hornbeam.read("iris")
    x = np.column_stack([table.columns[i] for i in table.schema.features])
    found = GridSearchCV(hornbeam.GradientBoostingClassifier(), {"max_iter": [1, 5]}, cv=2).fit(
        x, table.target_values()
    )
    assert found.best_estimator_.n_estimators == found.best_params_["max_iter"]


SAME: list[tuple[Any, dict[str, str], dict[str, str]]] = [
    (hornbeam.TreeClassifier, {"criterion": "information-gain"}, {"criterion": "entropy"}),
    (hornbeam.TreeClassifier, {"criterion": "information-gain"}, {"criterion": "log_loss"}),
    (hornbeam.CartClassifier, {"criterion": "entropy"}, {"criterion": "log_loss"}),
    (hornbeam.CartClassifier, {"criterion": "entropy"}, {"criterion": "information-gain"}),
    (hornbeam.RandomForestClassifier, {"criterion": "information-gain"}, {"criterion": "entropy"}),
    (hornbeam.GradientBoostingClassifier, {}, {"loss": "log_loss"}),
    (hornbeam.NeighborsClassifier, {"weights": "inverse"}, {"weights": "distance"}),
    (hornbeam.SVMClassifier, {"kernel": "polynomial"}, {"kernel": "poly"}),
    (hornbeam.TreeRegressor, {"criterion": "absolute-error"}, {"criterion": "absolute_error"}),
    (hornbeam.CartRegressor, {}, {"criterion": "squared_error"}),
    (hornbeam.RandomForestRegressor, {}, {"criterion": "squared_error"}),
    (hornbeam.GradientBoostingRegressor, {"loss": "absolute"}, {"loss": "absolute_error"}),
    (hornbeam.NeighborsRegressor, {"algorithm": "kd-tree"}, {"algorithm": "kd_tree"}),
    (hornbeam.SpectralClustering, {"graph": "neighbors"}, {"affinity": "nearest_neighbors"}),
    (hornbeam.MixtureModel, {"covariance_type": "diagonal"}, {"covariance_type": "diag"}),
    (hornbeam.MixtureModel, {"init": "k-means"}, {"init_params": "kmeans"}),
]


@pytest.mark.parametrize(("cls", "ours", "theirs"), SAME, ids=lambda value: getattr(value, "__name__", str(value)))
def test_other_names_of_values_give_the_same_model(cls: Any, ours: dict[str, str], theirs: dict[str, str]) -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(120, 3))
    y = x[:, 0] + random.normal(size=120) if cls.__name__.endswith("Regressor") else (x.sum(axis=1) > 0).astype(int)
    seed = {"random_state": 1} if "random_state" in inspect.signature(cls).parameters else {}
    one, other = (cls(**given, **seed).fit(x, y) for given in (ours, theirs))
    ask = "predict_proba" if hasattr(one, "predict_proba") else "predict"
    assert np.array_equal(getattr(one, ask)(x), getattr(other, ask)(x))
    assert next(iter(theirs.values())) in other.get_params().values()  # as it was given: `clone` asks for that


def test_a_name_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="criterion is 'friedman_mse'; expected one of 'variance'"):
        hornbeam.TreeRegressor(criterion="friedman_mse").fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (
            hornbeam.NeighborsClassifier(weights="foo"),
            "weights is 'foo'; expected one of 'uniform', 'inverse' (or 'distance'), 'similarity'",
        ),
        (hornbeam.SVMClassifier(kernel="foo"), "'polynomial' (or 'poly')"),
    ],
)
def test_an_error_names_the_other_names_of_values(learner: Any, expected: str) -> None:
    with pytest.raises(ValueError, match=re.escape(expected)):
        learner.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
