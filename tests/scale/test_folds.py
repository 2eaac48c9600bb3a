"""Scores and cross-validation over partitions are those of the same rows in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.data.errors import DataError
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table


def numbers() -> Table:
    table = made_table(400, missing=0.05).assign({"x3": "target", "y": "feature"})
    return table.take(~table.missing("x3"))


def rounded(value: Any) -> Any:
    """Plain data with rounded numbers."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("estimator", "table"),
    [
        (hornbeam.C45Classifier(), made_table(400)),
        (hornbeam.C45Classifier(costs={"p": {"q": 5.0}}), made_table(300)),
        (hornbeam.RandomForestClassifier(3, random_state=1), made_table(300)),
        (hornbeam.LinearRegressor(), numbers()),
    ],
    ids=str,
)
def test_folds_are_those_of_the_same_rows_in_memory(tmp_path: Path, estimator: Any, table: Table) -> None:
    target = table.schema.target_column
    pattern = write_parts(table, tmp_path, 6)
    fold = np.concatenate([np.full(len(part), i % 3) for i, part in enumerate(np.array_split(table.columns[0], 6))])
    order = np.argsort(fold, kind="stable")
    expected = hornbeam.evaluate.cross_validate(estimator, table, fold, keep_probabilities=True)
    for options in ({"local_rows": 1000}, {"local_rows": 20, "bins": 1000}):
        source = hornbeam.scan(pattern, target=target.name, workers=0, **options)
        found = hornbeam.evaluate.cross_validate(estimator, source, 3, keep_probabilities=True)
        assert found.fold.tolist() == fold[order].tolist()
        assert found.predictions == pytest.approx(expected.predictions[order])
        one, other = expected.score.to_json(), found.score.to_json()
        assert rounded(other) == rounded(one)
        if isinstance(target, Nominal):
            assert found.probabilities == pytest.approx(expected.probabilities[order])


def test_the_score_of_a_source(tmp_path: Path) -> None:
    for table in (made_table(300), numbers()):
        target = table.schema.target_column
        estimator = hornbeam.C45Classifier() if isinstance(target, Nominal) else hornbeam.LinearRegressor()
        source = hornbeam.scan(write_parts(table, tmp_path / target.name, 3), target=target.name, workers=0)
        fitted = estimator.fit(table)
        assert fitted.score(source) == pytest.approx(fitted.score(table))


def test_mistakes_are_named(tmp_path: Path) -> None:
    source = hornbeam.scan(write_parts(made_table(60), tmp_path, 2), target="y", workers=0)
    with pytest.raises(DataError, match="folds is 3, and there are 2 partitions"):
        hornbeam.evaluate.cross_validate(hornbeam.C45Classifier(), source, 3)
    with pytest.raises(ValueError, match="divided by partitions"):
        hornbeam.evaluate.cross_validate(hornbeam.C45Classifier(), source, 2, order="x1")
