"""Trees in ONNX graphs, PMML files and YDF models, read as ours: the same predictions as their runtimes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner
from node_answers import other_rows
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import hornbeam
from hornbeam.cli.main import app
from hornbeam.export.judges.java import find_jpmml, run_jpmml
from hornbeam.model import from_onnx, from_pmml, from_ydf
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, load, to_bytes

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = 1e-6


def iris() -> tuple[Any, Any, Any]:
    """Noisy rows of iris with their classes, and other rows, some with missing values."""
    random = np.random.default_rng(0)
    rows, goal = load_iris(return_X_y=True)
    rows = rows + random.normal(size=rows.shape) * 0.3
    asked = np.vstack([rows + random.normal(size=rows.shape) * 0.2 for _ in range(3)])
    asked[random.random(asked.shape) < 0.15] = np.nan
    return rows, goal, asked


def same_as_runtime(ours: Any, graph: bytes, rows: Any, kind: Any = np.float32) -> None:
    """Labels the same, except where the two best classes are equal; probabilities and numbers within rounding."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph)
    found = session.run(None, {session.get_inputs()[0].name: rows.astype(kind)})
    assert from_bytes(to_bytes(ours)).same_as(ours)
    if len(found) == 1:
        assert np.ptp(found[0]) > 0.3
        assert np.abs(ours.predict(rows) - found[0].ravel()).max() < SINGLE * max(1, np.abs(found[0]).max())
        return
    theirs = np.array([list(row.values()) for row in found[1]]) if isinstance(found[1], list) else found[1]
    assert np.abs(ours.predict_proba(rows) - theirs).max() < SINGLE
    best = np.sort(theirs, axis=1)
    clear = best[:, -1] - best[:, -2] > SINGLE
    assert clear.mean() > 0.8
    assert (ours.predict(rows)[clear].astype(str) == np.asarray(found[0])[clear].astype(str)).all()


@pytest.mark.parametrize("goal", ["two", "three", "number"])
@pytest.mark.parametrize("kind", ["tree", "forest", "boosting"])
def test_graphs_of_skl2onnx(kind: str, goal: str) -> None:
    convert = pytest.importorskip("skl2onnx")
    rows, classes, asked = iris()
    number = goal == "number"
    makers = {
        "tree": DecisionTreeRegressor(max_depth=5) if number else DecisionTreeClassifier(max_depth=5),
        "forest": (RandomForestRegressor if number else RandomForestClassifier)(9, random_state=0),
        "boosting": (GradientBoostingRegressor if number else GradientBoostingClassifier)(n_estimators=9),
    }
    theirs = makers[kind].fit(rows, (classes == 1).astype(int) if goal == "two" else classes)
    graph = convert.to_onnx(theirs, rows[:1].astype(np.float32)).SerializeToString()
    ours = from_onnx(graph, target="kind")
    assert ("tree" if kind == "tree" else "forest") == ours.KIND
    same_as_runtime(ours, graph, asked)
    cuts = ours.splits.cuts if kind == "tree" else ours.cut[ours.first_child >= 0]
    near = np.resize(np.concatenate([cuts, np.nextafter(cuts, np.inf)]), (200, 4))
    same_as_runtime_near(ours, graph, near)


def same_as_runtime_near(ours: Any, graph: bytes, rows: Any) -> None:
    """Numbers right at cuts take the same branches."""
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(graph)
    found = session.run(None, {session.get_inputs()[0].name: rows.astype(np.float32)})
    if len(found) == 1:
        assert np.abs(ours.predict(rows) - found[0].ravel()).max() < SINGLE * max(1, np.abs(found[0]).max())
    else:
        theirs = np.array([list(row.values()) for row in found[1]])
        assert np.abs(ours.predict_proba(rows) - theirs).max() < SINGLE


@pytest.mark.parametrize("goal", ["two", "three", "number"])
@pytest.mark.parametrize("kind", ["xgboost", "lightgbm"])
def test_graphs_of_onnxmltools(kind: str, goal: str) -> None:
    convert = pytest.importorskip("onnxmltools")
    library = pytest.importorskip(kind)
    from onnxmltools.convert.common.data_types import FloatTensorType

    rows, classes, asked = iris()
    rows[np.random.default_rng(1).random(rows.shape) < 0.1] = np.nan
    name = {"xgboost": "XGB", "lightgbm": "LGBM"}[kind] + ("Regressor" if goal == "number" else "Classifier")
    options = {} if kind == "xgboost" else {"verbose": -1}
    theirs = getattr(library, name)(n_estimators=8, **options)
    theirs.fit(rows, (classes == 1).astype(int) if goal == "two" else classes)
    kinds = [("input", FloatTensorType([None, 4]))]
    graph = getattr(convert, f"convert_{kind}")(theirs, initial_types=kinds).SerializeToString()
    same_as_runtime(from_onnx(graph), graph, asked)


@pytest.mark.parametrize("kind", ["float", "double"])
def test_a_tree_ensemble_of_opset_5(kind: str) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    code, dtype = (1, np.float32) if kind == "float" else (11, np.float64)
    tensor = numpy_helper.from_array
    node = helper.make_node(
        "TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", n_targets=1, aggregate_function=1, post_transform=0,
        tree_roots=[0, 2], nodes_featureids=[0, 1, 1], nodes_truenodeids=[1, 0, 3], nodes_falsenodeids=[2, 1, 4],
        nodes_trueleafs=[0, 1, 1], nodes_falseleafs=[1, 1, 1], nodes_missing_value_tracks_true=[1, 0, 1],
        nodes_modes=tensor(np.array([0, 1, 2], np.uint8)), nodes_splits=tensor(np.array([0.1, 0.3, -0.2], dtype)),
        leaf_targetids=[0] * 5, leaf_weights=tensor(np.array([1.5, -2.0, 0.25, 4.0, -3.0], dtype)),
    )  # fmt: skip
    value = helper.make_tensor_value_info
    made = helper.make_graph([node], "g", [value("x", code, [None, 2])], [value("y", code, [None, 1])])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 5)]
    graph = helper.make_model(made, opset_imports=opsets, ir_version=9).SerializeToString()
    onnx.checker.check_model(onnx.load_from_string(graph))
    random = np.random.default_rng(0)
    rows = random.choice([0.1, 0.3, -0.2, 0.0, 1.0, np.nan, 0.1 + 1e-17, np.float32(0.1)], size=(300, 2))
    same_as_runtime(from_onnx(graph), graph, rows, dtype)


def test_graphs_that_cannot_be_read() -> None:
    pytest.importorskip("onnx")
    with pytest.raises(ModelError, match="not an ONNX file"):
        from_onnx(b"\xff\xff\xff")
    with pytest.raises(ModelError, match="type int; expected a path"):
        from_onnx(3)
    for estimator in (hornbeam.C45Classifier(), hornbeam.RipperClassifier(), hornbeam.CartClassifier()):
        with pytest.raises(ModelError, match=r"written by hornbeam: load the model file.*plain text"):
            from_onnx(hornbeam.export.onnx(estimator.fit(hornbeam.read("labor"))))
    for estimator in (hornbeam.C45Classifier(), hornbeam.LinearRegressor()):
        table = hornbeam.read("cpu" if isinstance(estimator, hornbeam.LinearRegressor) else "labor")
        with pytest.raises(ModelError, match=r"written by hornbeam: load the model file.*plain text"):
            from_pmml(hornbeam.export.pmml(estimator.fit(table)))


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (hornbeam.TreeClassifier(missing="majority"), "glass"),
        (hornbeam.TreeRegressor(missing="majority"), "cpu"),
        (hornbeam.RandomForestClassifier(n_estimators=5, random_state=0), "glass"),
        (hornbeam.RandomForestRegressor(n_estimators=5, random_state=0), "cpu"),
        (hornbeam.GradientBoostingRegressor(n_estimators=5), "cpu"),
        (hornbeam.GradientBoostingRegressor(n_estimators=5, loss="poisson"), "cpu"),
        (hornbeam.GradientBoostingClassifier(n_estimators=5), "glass"),
        (hornbeam.GradientBoostingClassifier(n_estimators=5), None),
    ],
)
def test_our_own_onnx_trees_read_back(estimator: Any, name: str | None) -> None:
    table = hornbeam.read(name or "iris")
    if name is None:  # two classes
        table = table.take(np.arange(50, 150))
    model = estimator.fit(table).model_
    ours = from_onnx(hornbeam.export.onnx(model))
    assert ours.schema.names == model.schema.names
    rows = other_rows(table, 100, seed=1)
    if model.task == "classification":
        np.testing.assert_array_equal(ours.predict(rows), model.predict(rows))
        np.testing.assert_allclose(ours.predict_proba(rows), model.predict_proba(rows), rtol=0, atol=1e-12)
    else:
        np.testing.assert_allclose(ours.predict(rows), model.predict(rows), rtol=1e-12)


# ---- PMML -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (hornbeam.CartClassifier(min_samples_split=10), "labor"),
        (hornbeam.CartClassifier(), "glass"),
        (hornbeam.CartRegressor(), "cpu"),
        (hornbeam.CartRegressor(), "servo"),
        (hornbeam.TreeClassifier(), "credit-g"),
    ],
)
def test_our_own_pmml_reads_back(estimator: Any, name: str) -> None:
    table = hornbeam.read(name)
    model = estimator.fit(table)
    ours = from_pmml(hornbeam.export.pmml(model), name=name)
    rows = other_rows(table, 300, seed=3)
    assert (model.predict(rows) == ours.predict(rows)).all()
    if ours.task == "classification":
        assert np.array_equal(model.predict_proba(rows), ours.predict_proba(rows))


# ruff: noqa: E501 - XML
HEAD = """<?xml version="1.0"?><PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>
<DataDictionary><DataField name="a" optype="continuous" dataType="double"/>
<DataField name="b" optype="continuous" dataType="float"/>
<DataField name="c" optype="categorical" dataType="string"><Value value="x"/><Value value="y &quot;z&quot;"/><Value value="w"/>
</DataField><DataField name="t" optype="{optype}" dataType="{kind}">{values}</DataField></DataDictionary>"""
SCHEMA = (
    '<MiningSchema><MiningField name="t" usageType="target"/>'
    + "".join(f'<MiningField name="{name}" invalidValueTreatment="asMissing"{{{name}}}/>' for name in "abc")
    + "</MiningSchema>"
)
COUNTS = '<ScoreDistribution value="n" recordCount="{}"/><ScoreDistribution value="p" recordCount="{}"/>'
CLASS_NODES = f"""<Node id="1" score="p" recordCount="10" defaultChild="{{default}}"><True/>{COUNTS.format(4, 6)}
<Node id="2" score="n" recordCount="6" defaultChild="4"><SimplePredicate field="a" operator="lessThan" value="0.5"/>
  {COUNTS.format(4, 2)}
  <Node id="4" score="n" recordCount="3"><SimpleSetPredicate field="c" booleanOperator="isIn">
    <Array n="2" type="string">x "y \\"z\\""</Array></SimpleSetPredicate>{COUNTS.format(3, 0)}</Node>
  <Node id="5" score="p" recordCount="3"><SimpleSetPredicate field="c" booleanOperator="isNotIn">
    <Array n="2" type="string">x "y \\"z\\""</Array></SimpleSetPredicate>{COUNTS.format(1, 2)}</Node></Node>
<Node id="3" score="p" recordCount="4" defaultChild="7"><SimplePredicate field="a" operator="greaterOrEqual" value="0.5"/>
  {COUNTS.format(0, 4)}
  <Node id="6" score="p" recordCount="3"><SimplePredicate field="b" operator="greaterThan" value="0.1"/>{COUNTS.format(0, 3)}</Node>
  <Node id="7" score="n" recordCount="1"><SimplePredicate field="b" operator="lessOrEqual" value="0.1"/>{COUNTS.format(1, 0)}</Node>
</Node></Node>"""
SURROGATES = """<Node id="1" score="0.5" defaultChild="3"><True/>
<Node id="2" score="1.5"><CompoundPredicate booleanOperator="surrogate">
  <SimplePredicate field="a" operator="greaterOrEqual" value="0.5"/><SimplePredicate field="b" operator="lessThan" value="0.1"/>
  <SimplePredicate field="c" operator="equal" value="x"/></CompoundPredicate></Node>
<Node id="3" score="-2.5"><CompoundPredicate booleanOperator="surrogate">
  <SimplePredicate field="a" operator="lessThan" value="0.5"/><SimplePredicate field="b" operator="greaterOrEqual" value="0.1"/>
  <SimplePredicate field="c" operator="notEqual" value="x"/></CompoundPredicate></Node></Node>"""


def pmml_of(nodes: str, function: str, tree: str, replaced: dict[str, str] | None = None) -> str:
    values = '<Value value="n"/><Value value="p"/>' if function == "classification" else ""
    kinds = {"optype": "categorical" if values else "continuous", "kind": "string" if values else "double"}
    inserted = {
        name: f' missingValueReplacement="{(replaced or {})[name]}"' if name in (replaced or {}) else ""
        for name in "abc"
    }
    fields = SCHEMA.format(**inserted)
    outputs = '<Output><OutputField name="prediction" optype="categorical" dataType="string" feature="predictedValue"/>'
    outputs += "".join(
        f'<OutputField name="probability({k})" optype="continuous" dataType="double" feature="probability" value="{k}"/>'
        for k in ("n", "p")
    )
    if not values:
        outputs = (
            '<Output><OutputField name="prediction" optype="continuous" dataType="double" feature="predictedValue"/>'
        )
    model = f'<TreeModel functionName="{function}" {tree}>{fields}{outputs}</Output>{nodes}</TreeModel>'
    return HEAD.format(values=values, **kinds) + model + "</PMML>"


def asked() -> list[dict[str, Any]]:
    random = np.random.default_rng(0)
    choices: dict[str, list[Any]] = {
        "a": [0.5, 0.25, 0.75, np.nextafter(0.5, 0), None],
        "b": [0.1, 0.0, 1.0, float(np.float32(0.1)), None],
        "c": ["x", 'y "z"', "w", None],
    }
    return [{name: listed[random.integers(len(listed))] for name, listed in choices.items()} for _ in range(300)]


CASES = [
    ("default child", CLASS_NODES.format(default=3), "classification", 'missingValueStrategy="defaultChild"', None),
    (
        "last prediction",
        CLASS_NODES.format(default=3),
        "classification",
        'missingValueStrategy="lastPrediction" noTrueChildStrategy="returnLastPrediction"',
        None,
    ),
    (
        "none, last prediction",
        CLASS_NODES.format(default=3),
        "classification",
        'missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"',
        None,
    ),
    (
        "replaced",
        CLASS_NODES.format(default=3),
        "classification",
        'missingValueStrategy="defaultChild"',
        {"a": "0.7", "b": "0.05", "c": "w"},
    ),
    ("surrogates", SURROGATES, "regression", 'missingValueStrategy="defaultChild"', None),
]


@pytest.mark.skipif(find_jpmml() is not None, reason=f"{find_jpmml()} is missing: exported PMML is not run")
@pytest.mark.parametrize(
    ("nodes", "function", "tree", "replaced"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_pmml_trees_predict_as_jpmml(
    nodes: str, function: str, tree: str, replaced: dict[str, str] | None, tmp_path: Path
) -> None:
    text = pmml_of(nodes, function, tree, replaced)
    (tmp_path / "m.pmml").write_text(text)
    ours = from_pmml(tmp_path / "m.pmml")
    rows = asked()
    classes = function == "classification"
    manifest = {
        "outputs": ["prediction", "probability(n)", "probability(p)"] if classes else ["prediction"],
        "target": {"kind": "nominal" if classes else "numeric"},
    }
    theirs = run_jpmml(tmp_path / "m.pmml", rows, manifest)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    assert ours.predict(frame).tolist() == [prediction for prediction, _ in theirs]
    assert len({prediction for prediction, _ in theirs}) > 1
    if classes:
        assert np.abs(ours.predict_proba(frame) - np.array([shares for _, shares in theirs])).max() < 1e-12


@pytest.mark.parametrize("method", ["average", "sum", "weightedAverage", "majorityVote"])
def test_pmml_models_of_several_trees(method: str) -> None:
    """The mean, the sum or the votes of two trees, computed from each of them."""
    votes = method == "majorityVote"
    function = "classification" if votes else "regression"
    strategy = 'missingValueStrategy="defaultChild"'
    one = pmml_of(CLASS_NODES.format(default=3) if votes else SURROGATES, function, strategy)
    if not votes:  # forests have no surrogates
        one = pmml_of(
            '<Node id="1" defaultChild="3"><True/><Node id="2" score="1.5"><SimplePredicate field="a" '
            'operator="lessOrEqual" value="0.5"/></Node><Node id="3" score="4"><SimplePredicate field="a" '
            'operator="greaterThan" value="0.5"/></Node></Node>', function, strategy)  # fmt: skip
    start = one.index("<TreeModel")
    inner = one[start : one.index("</PMML>")]
    other = inner.replace('value="0.5"', 'value="0.25"').replace('score="4"', 'score="7"')
    fields = SCHEMA.format(a="", b="", c="")
    weights = (' weight="1"', ' weight="3"') if method == "weightedAverage" else ("", "")
    segments = "".join(f"<Segment{w}><True/>{tree}</Segment>" for w, tree in zip(weights, (inner, other), strict=True))
    targets = "" if votes else '<Targets><Target field="t" rescaleFactor="2" rescaleConstant="1"/></Targets>'
    whole = (
        f'{one[:start]}<MiningModel functionName="{function}">{fields}{targets}'
        f'<Segmentation multipleModelMethod="{method}">{segments}</Segmentation></MiningModel></PMML>'
    )
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(asked())
    both = [from_pmml(one), from_pmml(one[:start] + other + "</PMML>")]
    found = from_pmml(whole)
    if votes:
        shares = sum(
            np.array([[label == k for k in ("n", "p")] for label in each.predict(frame)], float) for each in both
        )
        assert np.abs(found.predict_proba(frame) - shares / 2).max() < 1e-12
        return
    first, second = (each.predict(frame) for each in both)
    expected = {"average": (first + second) / 2, "sum": first + second, "weightedAverage": (first + 3 * second) / 4}
    assert np.abs(found.predict(frame) - (2 * expected[method] + 1)).max() < 1e-12


BOMB = '<?xml version="1.0"?><!DOCTYPE PMML [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><PMML>&b;</PMML>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "a document type declaration, which is not read"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><PMML/>', "a document type declaration"),
        ("<PMML>", "not XML"),
        ("<html/>", "the first element is 'html'; expected PMML"),
        ("<PMML/>", "the file has the models: none; expected one TreeModel"),
        ("<PMML><RegressionModel/></PMML>", "the file has the models: RegressionModel"),
        ("<a>" * 5_000, "deep inside each other"),
        (pmml_of(SURROGATES, "regression", 'missingValueStrategy="weightedConfidence"'), "treated by 'weightedConfidence'"),
        (pmml_of('<Node><True/><Node score="1"><SimplePredicate field="zz" operator="isMissing"/></Node></Node>',
                 "regression", ""), "uses the field 'zz'"),
        (pmml_of('<Node><True/><Node score="1"><SimplePredicate field="a" operator="lessThan" value="x"/></Node></Node>',
                 "regression", ""), "found the test lessThan 'x'"),
        (pmml_of('<Node><True/><Node score="1"><SimplePredicate field="c" operator="equal" value="q"/></Node></Node>',
                 "regression", ""), "names the category 'q'"),
    ],
)  # fmt: skip
def test_pmml_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_pmml(text)


@pytest.mark.parametrize(
    ("inner", "found"),
    [
        ("", "no model"),
        ("<RegressionModel/>", "a RegressionModel"),
        ("<TreeModel/>" * 2, "a TreeModel and a TreeModel"),
    ],
)
def test_pmml_segments_that_are_not_one_tree_are_refused(inner: str, found: str) -> None:
    one = pmml_of(SURROGATES, "regression", "")
    text = (
        f'{one[: one.index("<TreeModel")]}<MiningModel functionName="regression">{SCHEMA.format(a="", b="", c="")}'
        f'<Segmentation multipleModelMethod="average"><Segment><True/>{inner}</Segment></Segmentation></MiningModel></PMML>'
    )
    with pytest.raises(ModelError, match=f"a segment has {found}; expected one TreeModel"):
        from_pmml(text)


# ---- YDF ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "goal", "options"),
    [
        ("RandomForestLearner", "two", {"num_trees": 9}),
        ("RandomForestLearner", "three", {"num_trees": 9, "winner_take_all": False}),
        ("RandomForestLearner", "number", {"num_trees": 9}),
        ("GradientBoostedTreesLearner", "two", {"num_trees": 9}),
        ("GradientBoostedTreesLearner", "three", {"num_trees": 9}),
        ("GradientBoostedTreesLearner", "number", {"num_trees": 9}),
        ("GradientBoostedTreesLearner", "count", {"num_trees": 9, "loss": "POISSON"}),
        ("CartLearner", "three", {}),
        ("CartLearner", "number", {}),
    ],
)
def test_models_of_ydf(learner: str, goal: str, options: dict[str, Any]) -> None:
    ydf, pandas = pytest.importorskip("ydf"), pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    n = 1000
    frame = pandas.DataFrame(
        {"a": random.normal(size=n), "c": random.choice(list("wxyz"), n), "f": random.random(n) < 0.4}
    )
    score = frame.a + frame.c.isin(["x", "z"]) + frame.f + random.normal(size=n) * 0.3
    goals = {
        "two": np.where(score > 1, "p", "n"),
        "three": np.where(score > 1, "p", np.where(frame.a < 0, "n", "u")),
        "number": score,
        "count": random.poisson(np.exp(frame.a / 2)),
    }
    for name in "ac":
        frame.loc[random.random(n) < 0.1, name] = np.nan if name == "a" else None
    task = ydf.Task.CLASSIFICATION if goal in ("two", "three") else ydf.Task.REGRESSION
    theirs = getattr(ydf, learner)(label="t", task=task, **options).train(frame.assign(t=goals[goal]), verbose=0)
    ours = from_ydf(theirs)
    asked = frame.assign(a=frame.a.sample(frac=1, random_state=1).to_numpy())
    expected = theirs.predict(asked)
    rows = asked.assign(f=asked.f.map({True: "true", False: "false"}))
    if task == ydf.Task.REGRESSION:
        assert (np.abs(ours.predict(rows) - expected) < SINGLE * np.maximum(1, np.abs(expected))).all()
        return
    shares = np.column_stack([1 - expected, expected]) if expected.ndim == 1 else expected
    assert np.abs(ours.predict_proba(rows) - shares).max() < SINGLE
    best = np.sort(shares, axis=1)
    clear = best[:, -1] - best[:, -2] > SINGLE
    assert (ours.predict(rows)[clear] == np.array(theirs.predict_class(asked))[clear]).all()


def test_splits_of_ydf_that_cannot_be_read() -> None:
    ydf, pandas = pytest.importorskip("ydf"), pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": random.normal(size=300), "b": random.normal(size=300)})
    frame["t"] = np.where(frame.a + frame.b > 0, "p", "n")
    learner = ydf.GradientBoostedTreesLearner(label="t", num_trees=3, split_axis="SPARSE_OBLIQUE")
    with pytest.raises(ModelError, match="NumericalSparseObliqueCondition, which is not supported"):
        from_ydf(learner.train(frame, verbose=0))
    with pytest.raises(ModelError, match="type dict; expected a model of trees of YDF"):
        from_ydf({})


# ---- the command ----------------------------------------------------------------------------------------------------


def test_the_command_import(tmp_path: Path) -> None:
    table = hornbeam.read("glass")
    tree = hornbeam.CartClassifier().fit(table)
    (tmp_path / "glass.pmml").write_text(hornbeam.export.pmml(tree))
    saved = tmp_path / "glass.hornbeam"
    result = CliRunner().invoke(app, ["import", str(tmp_path / "glass.pmml"), "-o", str(saved)])
    assert result.exit_code == 0, result.output
    assert (load(saved).predict(table) == tree.predict(table)).all()
    for command in (["show", str(saved)], ["export", str(saved), "-o", str(tmp_path / "glass.py")]):
        assert CliRunner().invoke(app, command).exit_code == 0
    checked = CliRunner().invoke(app, ["check", str(tmp_path / "glass.py"), "glass"])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.txt", "x", "the ending is '.txt'; expected ONNX"),
        ("m.json", "{", "not JSON"),
        ("m.json", json.dumps({"a": 1}), "not that of a model of XGBoost"),
        ("m.pmml", "<PMML/>", "the file has the models: none"),
    ],
)
def test_the_command_says_what_is_wrong(name: str, content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    result = CliRunner().invoke(app, ["import", str(tmp_path / name), "-o", str(tmp_path / "m.hornbeam")])
    assert result.exit_code != 0
    assert message in (str(result.exception) + result.output)
    assert not (tmp_path / "m.hornbeam").exists()


def test_the_command_reads_the_json_of_xgboost(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost")
    rows, classes, _ = iris()
    theirs = xgboost.XGBClassifier(n_estimators=3).fit(rows, classes)
    theirs.save_model(tmp_path / "m.json")
    result = CliRunner().invoke(app, ["import", str(tmp_path / "m.json"), "-o", str(tmp_path / "m.hornbeam")])
    assert result.exit_code == 0, result.output
    found = load(tmp_path / "m.hornbeam").predict_proba(rows)
    assert np.abs(found - theirs.predict_proba(rows)).max() < SINGLE


@pytest.mark.parametrize("name", ["labor", "glass", "credit-g", "vote"])  # vote: splits off missing values
def test_our_own_pmml_forests_read_back(name: str) -> None:
    table = hornbeam.read(name)
    model = hornbeam.RandomForestClassifier(n_estimators=5, random_state=0).fit(table).model_
    ours = from_pmml(hornbeam.export.pmml(model))
    rows = other_rows(table, 100, seed=1)
    np.testing.assert_array_equal(ours.predict(rows), model.predict(rows))
    np.testing.assert_allclose(ours.predict_proba(rows), model.predict_proba(rows), rtol=0, atol=1e-12)


ADDED = {
    "two classes": (hornbeam.GradientBoostingClassifier(n_estimators=4, random_state=0), "vote"),
    "seven classes": (hornbeam.GradientBoostingClassifier(n_estimators=4, random_state=0), "glass"),
    "numbers": (hornbeam.GradientBoostingRegressor(n_estimators=4, random_state=0), "servo"),
    "counts": (hornbeam.GradientBoostingRegressor(n_estimators=4, loss="poisson", random_state=0), "servo"),
    "a forest of numbers": (hornbeam.RandomForestRegressor(n_estimators=3, random_state=0), "servo"),
}


@pytest.mark.parametrize("name", ADDED)
def test_our_own_pmml_of_added_trees_reads_back(name: str) -> None:
    estimator, given = ADDED[name]
    table = hornbeam.read(given)
    model = estimator.fit(table).model_
    ours = from_pmml(hornbeam.export.pmml(model))
    rows = other_rows(table, 100, seed=1)
    if name.endswith("classes"):
        np.testing.assert_array_equal(ours.predict(rows), model.predict(rows))
        np.testing.assert_allclose(ours.predict_proba(rows), model.predict_proba(rows), rtol=0, atol=1e-12)
    else:
        np.testing.assert_allclose(ours.predict(rows), model.predict(rows), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("learner", [hornbeam.RandomForestClassifier, hornbeam.GradientBoostingClassifier])
def test_our_own_pmml_forests_with_costs_are_not_read(learner: Any) -> None:
    table = hornbeam.read("credit-g")
    for options in ({"costs": {"bad": {"good": 5}}}, {"decision_threshold": 0.3}):
        forest = learner(n_estimators=3, random_state=0, **options).fit(table)
        with pytest.raises(ModelError, match="written by hornbeam: load the model file"):
            from_pmml(hornbeam.export.pmml(forest))
