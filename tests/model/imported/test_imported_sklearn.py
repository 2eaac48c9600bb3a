"""Trees of scikit-learn, read as ours: the same answers, also where rounding to 32 bits decides."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model import from_sklearn
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import Draft, assemble, cuts_of_singles
from hornbeam.model.rules.rule import rules_from_tree

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FLOAT32 = np.finfo(np.float32)


def rows(seed: int = 0, n_rows: int = 300, *, missing: float = 0.0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Numbers of very different sizes; the class depends on three of them."""
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(n_rows, 4)) * [1.0, 1e-3, 1e5, 1.0]
    matrix[:, 3] = random.integers(0, 4, n_rows)
    truth = (matrix[:, 0] > 0) * 1 + (matrix[:, 1] > 1e-4) * (matrix[:, 3] > 1) + (random.random(n_rows) < 0.1)
    matrix[random.random(matrix.shape) < missing] = np.nan
    return matrix, truth


def around_cuts(tree: Any) -> NDArray[np.float64]:
    """Rows with a value at, beside and between the 32-bit neighbors of every threshold of a tree."""
    inner = tree.tree_.children_left >= 0
    found = []
    for feature, threshold in zip(tree.tree_.feature[inner], tree.tree_.threshold[inner], strict=True):
        if not np.isfinite(threshold):
            continue
        near = np.float32(threshold)
        below, above = np.nextafter(near, -FLOAT32.max), np.nextafter(near, FLOAT32.max)
        places = [threshold, *map(float, (below, near, above))]
        places += [(float(near) + float(below)) / 2, (float(near) + float(above)) / 2]
        for place in list(places):
            places += [np.nextafter(place, -np.inf), np.nextafter(place, np.inf)]
        for place in places:
            row = np.zeros(tree.n_features_in_)
            row[feature] = place
            found.append(row)
    return np.array(found)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, ExtraTreeClassifier])
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 9}, {"criterion": "entropy", "min_samples_leaf": 5}])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_classifiers_answer_alike(kind: Any, options: dict[str, Any], missing: float) -> None:
    matrix, truth = rows(missing=missing)
    theirs = kind(random_state=3, **options).fit(matrix, np.array(["low", "mid", "high"])[np.minimum(truth, 2)])
    ours = from_sklearn(theirs)
    other, _ = rows(9, missing=0.3)
    for asked in (matrix, matrix.astype(np.float32), other, around_cuts(theirs)):
        assert np.array_equal(theirs.classes_[ours.predict_codes(asked)], theirs.predict(asked))
        assert np.array_equal(ours.predict_proba(asked), theirs.predict_proba(asked))
    assert ours.n_leaves == theirs.get_n_leaves()
    assert ours.depth == theirs.get_depth()
    assert ours.schema.target_column == Nominal("target", ("high", "low", "mid"))
    assert ours.value.sum(axis=1) == pytest.approx(ours.weight)


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_regressors_answer_alike(kind: Any, criterion: str) -> None:
    missing = 0.0 if criterion == "absolute_error" else 0.2
    matrix, truth = rows(4, 150, missing=missing)
    theirs = kind(criterion=criterion, random_state=0, min_samples_leaf=3).fit(matrix, truth + 0.5)
    ours = from_sklearn(theirs, target="height")
    for asked in (matrix, around_cuts(theirs)):
        assert np.array_equal(ours.predict_codes(asked), theirs.predict(asked))
    assert ours.schema.target_column == Numeric("height")
    if criterion == "squared_error":
        leaves, goal = ours.apply(table_of(ours, matrix)), truth + 0.5
        for leaf in np.unique(leaves):
            part = goal[leaves == leaf]
            assert ours.value[leaf] == pytest.approx([len(part), part.mean(), ((part - part.mean()) ** 2).sum()])
        assert ours.error[0] == pytest.approx(((goal - goal.mean()) ** 2).sum())
    else:
        assert not ours.error[ours.first_child < 0].any()
        assert ours.error[0] > 0
        assert ours.value[0, 1] == theirs.tree_.value[0, 0, 0]


def table_of(tree: hornbeam.Tree, matrix: NDArray[Any]) -> Table:
    columns = [tree.schema.columns[place] for place in tree.schema.features]
    return Table(Schema(tuple(columns)), list(matrix.T))


def test_weights_of_rows_and_classes() -> None:
    matrix, truth = rows(5)
    weight = np.random.default_rng(1).random(len(truth)) + 0.1
    theirs = DecisionTreeClassifier(max_depth=4, class_weight="balanced").fit(matrix, truth, sample_weight=weight)
    ours = from_sklearn(theirs)
    assert ours.predict_proba(matrix) == pytest.approx(theirs.predict_proba(matrix), abs=1e-15)
    assert ours.weight[0] == pytest.approx(theirs.tree_.weighted_n_node_samples[0])
    assert ours.rows[0] == len(truth)
    plain = from_sklearn(DecisionTreeClassifier(max_depth=4).fit(matrix, truth))
    assert np.array_equal(plain.value[0], np.bincount(truth))
    assert np.array_equal(plain.value, plain.value.round())
    assert plain.error[0] == len(truth) - np.bincount(truth).max()


def test_the_split_scores_are_what_the_criterion_gained() -> None:
    matrix, truth = rows()
    theirs = DecisionTreeClassifier(max_depth=1).fit(matrix, truth)
    impurity, weight = theirs.tree_.impurity, theirs.tree_.weighted_n_node_samples
    expected = impurity[0] - (weight[1:] @ impurity[1:]) / weight[0]
    assert from_sklearn(theirs).splits.score.tolist() == pytest.approx([expected])


def test_missing_values_alone_may_be_parted() -> None:
    matrix = np.array([[1.0], [5.0], [np.nan], [np.nan], [-1e30]])
    theirs = DecisionTreeClassifier().fit(matrix, [0, 0, 1, 1, 0])
    assert np.isinf(theirs.tree_.threshold[0])
    ours = from_sklearn(theirs)
    assert ours.predict_codes(matrix).tolist() == [0, 0, 1, 1, 0]
    assert [line.split()[1:4] for line in hornbeam.show.text(ours).splitlines()[1:3]] == [
        ["x0", "is", "known"],
        ["x0", "is", "missing"],
    ]


@given(
    st.floats(width=32, allow_nan=False, allow_infinity=False) | st.floats(-3e38, 3e38),
    st.integers(-4, 4),
    st.integers(-2, 2),
)
def test_cuts_keep_the_rounding_of_inputs(threshold: float, steps: int, half_steps: int) -> None:
    cut = cuts_of_singles(np.array([threshold]), np.array([True]), round_inputs=True)[0]
    place = np.float32(threshold)
    for _ in range(abs(steps)):
        with np.errstate(over="ignore"):
            place = np.nextafter(place, np.float32(np.sign(steps) * np.inf))
    if not np.isfinite(place):
        return
    for value in {
        float(place),
        float(place) + (float(place) - float(np.nextafter(place, np.float32(0)))) / 2,
        threshold,
    }:
        asked = float(value)
        for _ in range(abs(half_steps)):
            asked = float(np.nextafter(asked, np.sign(half_steps) * np.inf))
        with np.errstate(over="ignore"):
            low = float(np.float32(asked)) <= threshold
        assert (asked <= cut) == low
    assert cuts_of_singles(np.array([threshold]), np.array([True]), round_inputs=False)[0] == threshold


def test_the_greatest_number_of_32_bits() -> None:
    cut = cuts_of_singles(np.array([float(FLOAT32.max)]), np.array([True]), round_inputs=True)[0]
    with np.errstate(over="ignore"):
        assert np.float32(cut) == FLOAT32.max
        assert np.isinf(np.float32(np.nextafter(cut, np.inf)))


def test_names() -> None:
    pandas = pytest.importorskip("pandas")
    matrix, truth = rows(n_rows=50)
    frame = pandas.DataFrame(matrix, columns=["a", "b", "target", "d"])
    ours = from_sklearn(DecisionTreeClassifier(max_depth=2).fit(frame, truth), name="mine")
    assert ours.schema.names == ("a", "b", "target", "d", "target_")
    assert ours.schema.name == "mine"
    assert np.array_equal(ours.predict_codes(hornbeam.read(frame)), ours.predict_codes(matrix))
    forest = RandomForestClassifier(2, max_depth=3, random_state=0).fit(matrix, np.array(["no", "yes"])[truth % 2])
    tree = from_sklearn(forest.estimators_[1], features=["p", "q", "r", "s"], classes=forest.classes_)
    assert tree.schema.names == ("p", "q", "r", "s", "target")
    assert tree.schema.target_column == Nominal("target", ("no", "yes"))
    assert tree.predict_proba(matrix) == pytest.approx(forest.estimators_[1].predict_proba(matrix), abs=1e-15)


def test_shown_saved_explained_exported(tmp_path: Path) -> None:
    matrix, truth = rows()
    ours = from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(matrix, truth))
    shown = hornbeam.show.text(ours)
    assert shown.count("─ x") == ours.n_nodes - 1
    assert "of 300 wrong in training" in shown
    hornbeam.save(ours, tmp_path / "tree.hornbeam")
    loaded = hornbeam.load(tmp_path / "tree.hornbeam")
    assert ours.same_as(loaded)
    assert loaded.recipe["learner"] == "scikit-learn DecisionTreeClassifier"
    rules = rules_from_tree(ours)
    table = table_of(ours, matrix)
    assert np.array_equal(rules.predict_codes(table), ours.predict_codes(table))
    assert f'"leaves": {ours.n_leaves}' in hornbeam.export.json(ours)
    wrapped = hornbeam.C45Classifier.from_model(ours)
    assert np.array_equal(wrapped.predict(table).astype(int), ours.predict_codes(table))


def test_a_lone_leaf() -> None:
    ours = from_sklearn(DecisionTreeClassifier().fit(np.zeros((3, 2)), [1, 1, 1]))
    assert ours.n_nodes == 1
    assert ours.predict_codes(np.ones((2, 2))).tolist() == [0, 0]


def test_what_is_refused() -> None:
    matrix, truth = rows(n_rows=30)
    with pytest.raises(ModelError, match="expected a fitted DecisionTree"):
        from_sklearn(DecisionTreeClassifier())
    with pytest.raises(ModelError, match="2 outputs"):
        from_sklearn(DecisionTreeRegressor().fit(matrix, np.column_stack([truth, truth])))
    fitted = DecisionTreeClassifier().fit(matrix, truth)
    with pytest.raises(ModelError, match="3 names were given for 4 features"):
        from_sklearn(fitted, features=["a", "b", "c"])
    with pytest.raises(ModelError, match="1 classes were named"):
        from_sklearn(fitted, classes=["a"])
    with pytest.raises(ModelError, match="two classes have the same name"):
        from_sklearn(fitted, classes=["a"] * len(fitted.classes_))
    with pytest.raises(ModelError, match="predicts a number"):
        from_sklearn(DecisionTreeRegressor().fit(matrix, truth), classes=["a"])


def test_a_node_that_is_there_twice_is_refused() -> None:
    nodes = {name: np.zeros(3) for name in ("cut", "score", "weight", "error")}
    draft = Draft(
        low=np.array([1, 0, -1]),
        high=np.array([2, 2, -1]),
        column=np.zeros(3, np.int32),
        codes={},
        missing_low=np.ones(3, np.bool_),
        rows=np.zeros(3, np.int64),
        value=np.zeros((3, 3)),
        label=np.full(3, -1, np.int32),
        **nodes,
    )
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    with pytest.raises(ModelError, match="name more children than that"):
        assemble(schema, draft, {})


def test_older_counts_are_read_like_shares() -> None:
    matrix, truth = rows()
    fitted = DecisionTreeClassifier(max_depth=3).fit(matrix, truth)
    nodes = {name: getattr(fitted.tree_, name) for name in dir(fitted.tree_) if not name.startswith("_")}
    nodes["value"] = nodes["value"] * nodes["weighted_n_node_samples"][:, None, None]
    older = SimpleNamespace(tree_=SimpleNamespace(**nodes), classes_=fitted.classes_, criterion="gini")
    assert np.array_equal(from_sklearn(older).value, from_sklearn(fitted).value)


def test_nothing_heavy_is_imported() -> None:
    program = (
        "import sys, hornbeam.model, hornbeam.model.imported.sklearn_trees, hornbeam.model.imported.lightgbm_trees; "
        "assert 'from_sklearn' in dir(hornbeam.model); "
        "assert not {'sklearn', 'lightgbm', 'pandas', 'pyarrow', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="from_nowhere"):
        _ = hornbeam.model.from_nowhere
