"""What every classifier of this project owes: one suite over all of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.cart import CartClassifier
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.model.base.plain import ModelError, UnseenCategoryWarning
from hornbeam.model.rules.rule import rules_from_tree

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree

LEARNERS = {
    "C4.5": C45Classifier(),
    "C4.5 unpruned": C45Classifier(prune=None, collapse=False),
    "C4.5 one-vs-rest": C45Classifier(nominal="one-vs-rest", leaf="laplace"),
    "C4.5 reduced-error": C45Classifier(prune="reduced-error", random_state=0),
    "ID3": ID3Classifier(),
    "ID3 own category": ID3Classifier(missing="own-category"),
    "CART": CartClassifier(random_state=0),
    "CART full": CartClassifier(criterion="entropy", cp=0, min_samples_split=2, min_samples_leaf=1, folds=0),
    "CART loss": CartClassifier(loss=[[0, 1], [3, 0]], priors=[0.5, 0.5], choose="1-se", random_state=0),
    "tree": TreeClassifier(),
    "tree gain-ratio": TreeClassifier(
        criterion="gain-ratio", nominal="multiway", missing="fractional", prune="pessimistic", min_samples_leaf=2
    ),
    "tree chi-square": TreeClassifier(criterion="chi-square", nominal="grouped", missing="majority", significance=0.05),
    "tree multi-cut": TreeClassifier(
        criterion="misclassification", numeric="multi-cut", max_cuts=2, missing="own-category", min_samples_leaf=5
    ),
    "tree best first": TreeClassifier(
        criterion="information-gain", max_leaf_nodes=8, nominal="one-vs-rest", missing="impute", leaf="m-estimate"
    ),
    "tree discretized": TreeClassifier(numeric="discretized", missing="surrogate", max_depth=5, leaf="laplace"),
    "tree combinations": TreeClassifier(combinations=True, max_depth=3, missing="majority"),
    "tree cost-complexity": TreeClassifier(prune="cost-complexity", folds=5, random_state=0),
    "tree reduced-error": TreeClassifier(prune="reduced-error", random_state=0),
}
WITH_MISSING = [name for name in LEARNERS if not name.startswith("ID3")]
HOLDS_OUT = [name for name, model in LEARNERS.items() if getattr(model, "prune", None) == "reduced-error"]
# Which rows a fold gets depends on how many there are.
CHOOSES_BY_FOLDS = ["CART", "CART loss", "tree cost-complexity"]


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


@pytest.fixture(params=sorted(WITH_MISSING))
def tolerant(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


def whole_table() -> Table:
    """Numbers and categories without missing values."""
    return hornbeam.read("credit-g").take(np.arange(300))


def test_column_order_does_not_matter_for_prediction(learner: Any) -> None:
    table = whole_table()
    learner.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (learner.predict(turned) == learner.predict(table)).all()
    assert np.array_equal(learner.predict_proba(turned), learner.predict_proba(table))


def test_relabeled_categories_give_the_same_answers(learner: Any) -> None:
    table = whole_table()
    columns = [
        Nominal(c.name, tuple(f"<{name}> & 'co'" for name in c.categories)) if isinstance(c, Nominal) else c
        for c in table.schema.columns
    ]
    other = Table(Schema(tuple(columns), table.schema.roles), table.columns)
    codes = learner.fit(table).model_.predict_codes(table)
    assert (clone(learner).fit(other).model_.predict_codes(other) == codes).all()


def asked_for(tree: Tree) -> Any:
    """The column of every node's own split."""
    return tree.splits.column[tree.split[tree.split >= 0]]


def test_integer_weights_are_repeated_rows() -> None:
    table = whole_table()
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    for name, model in LEARNERS.items():
        if name in HOLDS_OUT + CHOOSES_BY_FOLDS:  # other rows are held out
            continue
        one = clone(model).fit(table, sample_weight=weights).model_
        other = clone(model).fit(repeated).model_
        assert np.allclose(one.value, other.value), name
        assert np.array_equal(asked_for(one), asked_for(other)), name


def test_rows_of_no_weight_are_left_out(learner: Any) -> None:
    table = whole_table()
    weights = np.ones(table.n_rows)
    weights[::3] = 0
    one = learner.fit(table, sample_weight=weights).model_
    other = clone(learner).fit(table.take(weights > 0)).model_
    assert np.allclose(one.value, other.value)
    assert np.array_equal(one.parent, other.parent)


def test_saved_and_loaded_it_predicts_the_same(learner: Any, tmp_path: Path) -> None:
    table = whole_table()
    learner.fit(table)
    path = tmp_path / "model.hornbeam"
    learner.save(path)
    model = hornbeam.load(path)
    assert model.same_as(learner.model_)
    wrapped = type(learner).from_model(model)
    assert (wrapped.predict(table) == learner.predict(table)).all()
    assert np.array_equal(wrapped.predict_proba(table), learner.predict_proba(table))


def test_rules_read_off_the_tree_predict_as_the_tree(learner: Any) -> None:
    table = whole_table()
    tree = learner.fit(table).model_
    if tree.surrogates is not None and len(tree.surrogates):
        with pytest.raises(ModelError, match="surrogate"):
            rules_from_tree(tree)
        return
    if tree.splits.term_column is not None:
        with pytest.raises(ModelError, match="sum"):
            rules_from_tree(tree)
        return
    assert np.allclose(rules_from_tree(tree).predict_proba(table), tree.predict_proba(table))


def test_rules_agree_on_rows_in_pieces(tolerant: Any) -> None:
    table = hornbeam.read("labor")
    tree = tolerant.fit(table).model_
    if (tree.surrogates is not None and len(tree.surrogates)) or tree.splits.term_column is not None:
        return  # refuses to become rules
    assert np.allclose(rules_from_tree(tree).predict_proba(table), tree.predict_proba(table))


def test_an_all_missing_column_is_no_help_and_no_harm(tolerant: Any) -> None:
    table = hornbeam.read("labor")
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    more = Table(schema, [*missing, *table.columns])
    assert (
        tolerant.fit(more).model_.predict_codes(more) == clone(tolerant).fit(table).model_.predict_codes(table)
    ).all()


def test_one_row_and_one_class(learner: Any) -> None:
    table = whole_table()
    if getattr(learner, "prune", None) == "reduced-error":
        with pytest.raises(ValueError, match="1 rows cannot be held out"):
            learner.fit(table.take([0]))
    else:
        assert learner.fit(table.take([0])).model_.n_nodes == 1
    one_class = table.take(table.target_values() == 0)
    learner.fit(one_class)
    assert learner.model_.n_nodes == 1
    assert set(learner.predict(table)) == {table.schema.target_column.categories[0]}


def test_an_unseen_category_is_missing_and_counted(tolerant: Any) -> None:
    table = whole_table()
    tolerant.fit(table)
    used = [c for c in asked_for(tolerant.model_) if isinstance(table.schema.columns[c], Nominal)]
    if not used:  # a tree that asks for no category cannot meet one it does not know
        return
    place = int(used[0])
    column = table.schema.columns[place]
    assert isinstance(column, Nominal)
    columns = list(table.schema.columns)
    columns[place] = Nominal(column.name, (*column.categories, "new"))
    arrays = list(table.columns)
    arrays[place] = np.full(table.n_rows, len(column.categories), np.int32)
    with pytest.warns(UnseenCategoryWarning, match=f"{column.name}.*300 rows"):
        unseen = tolerant.predict_proba(Table(Schema(tuple(columns), table.schema.roles), arrays))
    arrays[place] = np.full(table.n_rows, -1, np.int32)
    assert np.array_equal(unseen, tolerant.predict_proba(Table(table.schema, arrays)))


def test_a_column_missing_at_prediction_is_named(learner: Any) -> None:
    table = whole_table()
    learner.fit(table)
    with pytest.raises(SchemaError, match="'purpose'"):
        learner.predict(table.select([c for c in table.schema.names if c != "purpose"]))


def test_a_table_without_rows_is_refused(learner: Any) -> None:
    with pytest.raises(ValueError, match="no rows to learn from"):
        learner.fit(whole_table().take([]))


def test_a_numeric_target_is_refused(learner: Any) -> None:
    with pytest.raises(SchemaError, match="'class' is numeric"):
        learner.fit(hornbeam.read("cpu"))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_go_in_as_they_are(tolerant: Any, kind: str) -> None:
    table = hornbeam.read("vote")
    features = table.select(table.schema.features)
    y = np.array(table.schema.target_column.categories)[table.target_values()]
    frame: Any = features.to_pandas()
    if kind == "polars":
        frame = pl.from_pandas(frame)
    elif kind == "pyarrow":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    tolerant.fit(frame, y)
    assert list(tolerant.feature_names_in_) == list(features.schema.names)
    assert tolerant.n_features_in_ == len(features.schema.names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = tolerant.model_.predict_codes(table.assign({"Class": "ignored"}))
        assert (tolerant.predict(frame) == tolerant.classes_[codes]).all()


def test_works_in_a_pipeline_a_search_and_cross_validation() -> None:
    table = hornbeam.read("labor")
    frame = table.select(table.schema.features).to_pandas()
    y = np.array(table.schema.target_column.categories)[table.target_values()]
    pipe = Pipeline([("same", FunctionTransformer()), ("tree", C45Classifier())])
    search = GridSearchCV(pipe, {"tree__confidence": [0.1, 0.25], "tree__min_samples_leaf": [2, 5]}, cv=3)
    search.fit(frame, y)
    assert search.best_score_ > 0.6
    assert len(cross_val_score(C45Classifier(), frame, y, cv=3)) == 3


def test_class_weights_shift_the_answers() -> None:
    table = whole_table()
    plain = C45Classifier().fit(table)
    balanced = C45Classifier(class_weight="balanced").fit(table)
    rare = table.schema.target_column.categories[1]
    assert (balanced.predict(table) == rare).sum() > (plain.predict(table) == rare).sum()
    explicit = C45Classifier(class_weight={"good": 1.0, "bad": 2.0}).fit(table)
    doubled = C45Classifier().fit(table, sample_weight=np.where(table.target_values() == 1, 2.0, 1.0))
    assert np.allclose(explicit.model_.value, doubled.model_.value)


def test_threads_and_orders_do_not_change_the_model(learner: Any) -> None:
    table = whole_table()
    one = learner.fit(table).model_
    assert clone(learner).set_params(n_jobs=2).fit(table).model_.same_as(one)


def test_ordered_categories_are_cut_in_their_order() -> None:
    grades = pd.Categorical(["low", "mid", "high"] * 20, categories=["low", "mid", "high"], ordered=True)
    y = np.array(["no", "yes", "yes"] * 20)
    tree = C45Classifier().fit(pd.DataFrame({"grade": grades}), y)
    assert tree.score(pd.DataFrame({"grade": grades}), y) == 1.0
    assert "low" in hornbeam.show.text(tree)
    assert tree.model_.n_leaves == 2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"confidence": 0}, "confidence is 0; expected a number between 0 and 1"),
        ({"min_samples_leaf": -1}, "min_samples_leaf is -1; expected a number of at least 0"),
        ({"prune": "hard"}, "prune is 'hard'; expected one of 'pessimistic', 'reduced-error', 'rules', None"),
        ({"nominal": "subset"}, "nominal is 'subset'"),
        ({"folds": 1}, "folds is 1; expected a whole number of at least 2"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"compat": "other"}, "compat is 'other'"),
    ],
)
def test_a_bad_parameter_is_named(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        C45Classifier(**parameters).fit(whole_table())


def test_missing_values_are_refused_by_name_where_asked() -> None:
    with pytest.raises(ValueError, match=r"column '.*', row .*missing"):
        ID3Classifier().fit(hornbeam.read("labor"))


def test_alternatives_and_trace_are_kept() -> None:
    table = hornbeam.read("weather")
    tree = C45Classifier(keep_alternatives=2, keep_trace=True).fit(table)
    tree.model_.validate()
    start, kept = tree.model_.alternative_start, tree.model_.alternatives
    assert start is not None
    assert kept is not None
    assert start[1] - start[0] == 2
    best = tree.model_.splits.score[tree.model_.split[0]]
    runners_up = tree.model_.splits.score[kept[:2]]
    assert runners_up[0] >= runners_up[1] > 0
    assert best > 0
    assert tree.trace_ is not None
    assert tree.trace_.grown.n_nodes >= tree.model_.n_nodes


DECIDERS = [C45Classifier, ID3Classifier, CartClassifier, TreeClassifier]


@pytest.mark.parametrize("kind", DECIDERS)
def test_costs_decide(kind: Any) -> None:
    table = whole_table()
    good, bad = table.schema.target_column.categories
    plain = kind(min_samples_leaf=20) if kind is not ID3Classifier else kind(max_depth=2)
    costly = clone(plain).set_params(costs={bad: {good: 5}}).fit(table)
    plain.fit(table)
    shares = costly.predict_proba(table)
    expected = np.where(shares @ [0, 5] <= shares @ [1, 0] + 1e-9, good, bad)
    assert (costly.predict(table) == expected).all()
    assert (costly.predict(table) == bad).sum() > (plain.predict(table) == bad).sum()
    assert costly.cost_matrix_.tolist() == [[0, 1], [5, 0]]
    assert plain.cost_matrix_ is None
    matrix = clone(plain).set_params(costs=[[0, 1], [5, 0]]).fit(table)
    assert (matrix.predict(table) == costly.predict(table)).all()


@pytest.mark.parametrize("kind", DECIDERS)
def test_a_threshold_decides(kind: Any) -> None:
    table = whole_table()
    good, bad = table.schema.target_column.categories
    tree = kind(decision_threshold=0.2).fit(table)
    shares = tree.predict_proba(table)[:, 1]
    assert (tree.predict(table) == np.where(shares >= 0.2, bad, good)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"costs": {"poor": {"good": 2}}}, "'poor'"),
        ({"costs": [[0, 1]]}, "2 rows and 2 columns"),
        ({"costs": [[0, -1], [1, 0]]}, "expected a number of at least 0"),
        ({"decision_threshold": 2}, "decision_threshold is 2; expected a number from 0 to 1"),
        ({"decision_threshold": 0.5, "costs": [[0, 1], [1, 0]]}, "both costs and decision_threshold"),
    ],
)
@pytest.mark.parametrize("kind", DECIDERS)
def test_a_wrong_decision_is_refused_before_learning(kind: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(whole_table())


def test_a_threshold_is_for_two_classes() -> None:
    with pytest.raises(ValueError, match="decision_threshold is for two classes; there are 3"):
        C45Classifier(decision_threshold=0.5).fit(hornbeam.read("iris"))


def test_costs_name_classes_that_are_numbers() -> None:
    random = np.random.default_rng(0)
    rows, classes = random.normal(size=(60, 2)), random.integers(0, 2, 60)
    tree = C45Classifier(min_samples_leaf=20, costs={1: {0: 100}}).fit(rows, classes)
    assert (tree.predict(rows)[tree.predict_proba(rows)[:, 1] > 0.02] == 1).all()


def test_score_takes_a_table() -> None:
    table = hornbeam.read("vote")
    tree = C45Classifier().fit(table)
    truth = np.array(table.schema.target_column.categories)[table.target_values()]
    assert tree.score(table) == tree.score(table, None) == (tree.predict(table) == truth).mean()
    with pytest.raises(ValueError, match="a Table carries its own target"):
        tree.score(table, truth)
    with pytest.raises(SchemaError, match="no column 'Class'"):
        tree.score(table.select(table.schema.features))


def test_missing_values_of_arrays_are_those_of_frames() -> None:
    rows = np.array([[1.0, np.nan], [2.0, 1.0], [1.0, 1.0], [2.0, np.nan]] * 3)
    classes = ["a", "b", "a", "c"] * 3
    of_array = ID3Classifier(missing="own-category").fit(rows, classes)
    frame = pd.DataFrame(rows, columns=["p", "q"])
    of_frame = ID3Classifier(missing="own-category").fit(frame, classes)
    assert (of_array.predict(rows) == of_frame.predict(frame)).all()
    assert (of_array.predict(rows) == classes).all()
    with pytest.raises(ValueError, match="NaN"):
        ID3Classifier().fit(rows, classes)
