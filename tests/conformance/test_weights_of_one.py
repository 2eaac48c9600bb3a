"""A weight of one for every row is the same as no weights, for every learner, to the last bit."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import SCHEMES_OF, of_scheme, random_table
from sklearn.utils.validation import has_fit_parameter

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor

if TYPE_CHECKING:
    from hornbeam.schemes.scheme import Scheme

NO_MISSING = {"ID3Classifier"}


def answers(model: Any, table: Table) -> Any:
    return model.predict_proba(table) if hasattr(model, "predict_proba") else model.predict(table)


@pytest.mark.filterwarnings("ignore")  # few rows, few steps: not what this is about
@pytest.mark.parametrize("scheme", [*SCHEMES_OF["category"], *SCHEMES_OF["number"]], ids=attrgetter("estimator"))
def test_weights_of_one_are_no_weights(scheme: Scheme) -> None:
    for seed in range(4):
        missing = scheme.estimator not in NO_MISSING
        plain = random_table(seed, scheme.predicts, missing=missing)
        weighted = random_table(seed, scheme.predicts, missing=missing, weights=1.0)
        without = answers(of_scheme(scheme).fit(plain), plain)
        assert np.array_equal(answers(of_scheme(scheme).fit(weighted), plain), without)
        if has_fit_parameter(of_scheme(scheme), "sample_weight"):  # others take a weight column only
            given = of_scheme(scheme).fit(plain, sample_weight=np.ones(plain.n_rows))
            assert np.array_equal(answers(given, plain), without)


def grids(seed: int, target: str, *, weighted: bool) -> Table:
    """Few distinct values in every column, many of them missing: ties everywhere, and rows without any feature."""
    source = np.random.default_rng(seed)
    rows = 40
    features = [source.integers(0, 3, rows).astype(float) for _ in range(4)]
    for values in features:
        values[source.random(rows) < 0.4] = np.nan
    if target == "number":
        column, values = Numeric("target"), source.integers(0, 3, rows).astype(float)
    else:
        column, values = Nominal("target", ("a", "b", "c")), source.integers(0, 3, rows).astype(np.int32)
    columns = [*(Numeric(f"x{i}") for i in range(4)), column]
    arrays: list[Any] = [*features, values]
    roles: list[Any] = ["feature"] * 4 + ["target"]
    if weighted:
        columns, arrays, roles = [*columns, Numeric("weight")], [*arrays, np.ones(rows)], [*roles, "weight"]
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


@pytest.mark.parametrize("compat", [None, "rpart"])
@pytest.mark.parametrize(("learner", "target"), [(CartClassifier, "category"), (CartRegressor, "number")])
def test_ties_and_rows_without_features_do_not_tell_them_apart(learner: Any, target: str, compat: str | None) -> None:
    for seed in range(30):
        model = learner(cp=0, min_samples_split=2, min_samples_leaf=1, folds=0, compat=compat)
        plain = grids(seed, target, weighted=False)
        one = model.fit(plain).model_
        other = model.fit(grids(seed, target, weighted=True)).model_
        for name in ("split", "missing", "rows", "value", "error"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), (seed, name)
        assert np.array_equal(one.splits.cuts, other.splits.cuts)


@pytest.mark.parametrize("how", ["none", "sample_weight", "column"])
@pytest.mark.parametrize("weight", [1.0, 2.0])
def test_rows_without_features_are_left_out_whatever_they_weigh(how: str, weight: float) -> None:
    x = np.concatenate([np.arange(20.0), np.full(5, np.nan)])
    y = np.repeat([0.0, 1.0, 9.0], [10, 10, 5])
    columns, roles = (Numeric("x"), Numeric("y")), ("feature", "target")
    table = Table(Schema(columns, roles), [x, y])
    given = None
    if how == "column":
        table = Table(Schema((*columns, Numeric("w")), (*roles, "weight")), [x, y, np.full(25, weight)])
    elif how == "sample_weight":
        given = np.full(25, weight)
    model = CartRegressor(folds=0).fit(table, sample_weight=given)
    assert model.predict(table.take([24])).tolist() == [0.5]
