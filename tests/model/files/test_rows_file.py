"""Models of kept rows, boxes and margins in model files: they come back, old ones load, strange ones do no harm."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import members_of, pack, with_strange_arrays, with_strange_plain
from strategies import Random, fill_table

import hornbeam
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelFileError
from hornbeam.model.files import storage

FIXTURES = Path(__file__).parent / "fixtures"
LEARNERS: dict[str, tuple[Any, str]] = {
    "instances": (
        hornbeam.NeighborsClassifier(n_neighbors=3, numeric="rank", nominal="value-difference"),
        "weather.numeric",
    ),
    "kept-instances": (hornbeam.IB5Classifier(by_class=True), "weather.numeric"),
    "kstar": (hornbeam.KStarClassifier(), "weather.numeric"),
    "local": (hornbeam.LocallyWeightedRegressor(n_neighbors=5), "numbers"),
    "local-learner": (hornbeam.LocallyWeightedClassifier("c45", n_neighbors=8), "weather.numeric"),
    "exemplars": (hornbeam.ExemplarsClassifier(nested=True), "weather.numeric"),
    "weighted-exemplars": (hornbeam.ExemplarsClassifier(nested=True, class_weight={"no": 3}), "weather.numeric"),
    "corrected": (hornbeam.M5Regressor(neighbors=3, min_samples_split=100), "numbers"),
    "svm": (hornbeam.SVMClassifier(kernel="polynomial", degree=2, probability=True, random_state=0), "weather.numeric"),
    "svm-planes": (hornbeam.SVMClassifier(kernel="linear", solver="planes", random_state=0), "weather.numeric"),
    "svm-products": (hornbeam.SVMClassifier(kernel="linear", products=2), "weather.numeric"),
    "svm-numbers": (hornbeam.SVMRegressor(C=10.0), "numbers"),
}
KIND = {
    "weighted-exemplars": "exemplars",
    "kept-instances": "instances",
    "svm-planes": "svm",
    "svm-products": "svm",
    "svm-numbers": "svm",
}
VERSION = {"weighted-exemplars": 3}
ANSWERS: dict[str, list[Any]] = {  # of the files in `fixtures`, for the rows of `asked`
    "instances": [1, 1, 0, 0, 1],
    "kept-instances": [1, 0, 0, 0, 1],
    "kstar": [1, 0, 0, 0, 1],
    "local": [84.99999786920225, 70.00000922607184, 71.38170300924162, 69.00000022373102, 70.99999995762666],
    "local-learner": [1, 0, 0, 0, 1],
    "exemplars": [1, 0, 0, 0, 1],
    "weighted-exemplars": [1, 0, 0, 0, 1],
    "corrected": [80.08536585365853, 75.708174151229, 71.5, 69.0, 69.21153846153847],
    "svm": [1, 1, 0, 0, 1],
    "svm-planes": [0, 0, 0, 0, 1],
    "svm-products": [1, 1, 0, 0, 1],
    "svm-numbers": [74.41657337733079, 70.10006396410492, 72.65935527656748, 69.09951606479416, 70.899546139962],
}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def table_of(name: str) -> Table:
    """The weather, with a missing value; or with its temperature as the target."""
    weather = hornbeam.read("weather.numeric")
    columns = [column.copy() for column in weather.columns]
    columns[0][3], columns[2][4] = -1, np.nan
    weather = Table(weather.schema, columns)
    return weather.with_target("temperature") if name == "numbers" else weather


def asked() -> Table:
    """Rows with and without values."""
    return table_of("").take([0, 3, 4, 8, 13])


@cache
def model_of(name: str) -> Any:
    learner, table = LEARNERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(table_of(table)).model_


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_comes_back_as_it_was(name: str) -> None:
    model = model_of(name)
    data = storage.to_bytes(model, {"scheme": "x"})
    back = storage.from_bytes(data)
    assert type(back) is type(model)
    assert back.same_as(model)
    assert storage.to_bytes(back, {"scheme": "x"}) == data
    assert np.array_equal(back.predict_codes(asked()), model.predict_codes(asked()))


@pytest.mark.parametrize("name", LEARNERS)
def test_files_of_older_versions_load_and_predict(name: str) -> None:
    path = FIXTURES / f"weather-{name}-version-{VERSION.get(name, 1)}.hornbeam"
    assert storage.read_provenance(path)["hornbeam"] == "0.1.0"
    np.testing.assert_allclose(storage.load(path).predict_codes(asked()), ANSWERS[name], rtol=1e-9)


def test_programs_that_do_not_know_class_weights_of_boxes_refuse_them() -> None:
    path = FIXTURES / "weather-weighted-exemplars-version-3.hornbeam"
    assert json.loads(members_of(path.read_bytes())["manifest.json"])["version"] == 3
    np.testing.assert_allclose(storage.load(path).divisors, [1.0, 3 ** (1 / 4)])


def harmless(members: dict[str, bytes], name: str) -> None:
    """What is read is refused, or answers."""
    try:
        model = storage.from_bytes(pack(members, {"kind": KIND.get(name, name)}))
    except ModelFileError:
        return
    rows = fill_table(Random(1), model.schema, 12, 0.3)
    with np.errstate(all="ignore"):
        answers = model.predict_codes(rows)
    target = model.schema.target_column
    assert len(answers) == 12
    if isinstance(target, Nominal):
        assert ((answers >= 0) & (answers < len(target.categories))).all()
    else:
        assert isinstance(target, Numeric)
    if name not in ("local-learner", "kstar", "local"):
        hornbeam.show.text(model)


@settings(max_examples=120)
@given(st.sampled_from(sorted(LEARNERS)), st.data())
def test_arrays_that_point_outside_are_refused_or_harmless(name: str, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    harmless(with_strange_arrays(members, data), name)


@settings(max_examples=120)
@given(st.sampled_from(sorted(LEARNERS)), st.data())
def test_anything_in_the_plain_part_is_refused_or_harmless(name: str, data: st.DataObject) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    harmless(with_strange_plain(members, KIND.get(name, name), data), name)


@pytest.mark.parametrize("name", LEARNERS)
def test_files_without_a_member_are_refused(name: str) -> None:
    members = members_of(storage.to_bytes(model_of(name)))
    for member in members:
        optional = member.endswith(("class_columns.npy", "seen_as.npy", "slopes.npy", "divisors.npy"))
        if member.endswith(".npy") and not optional:
            rest = {other: content for other, content in members.items() if other != member}
            with pytest.raises(ModelFileError):
                storage.from_bytes(pack(rest, {"kind": KIND.get(name, name)}))
