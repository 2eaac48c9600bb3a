"""What a notebook and a prompt show: pictures, texts, results, models and tables; and the settings."""

from __future__ import annotations

import re
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import hornbeam
from hornbeam import evaluate, show
from hornbeam._display import Picture, ShowsText, Text

IRIS, CPU = hornbeam.read("iris"), hornbeam.read("cpu")
TREE = hornbeam.C45Classifier().fit(IRIS)
TRACED = hornbeam.C45Classifier(keep_trace=True).fit(IRIS)
FOREST = hornbeam.RandomForestClassifier(5, random_state=1).fit(IRIS)
CLUSTERS = hornbeam.KMeans(3, random_state=1).fit(IRIS)


@pytest.fixture(autouse=True)
def usual_settings() -> Any:
    with hornbeam.display():
        yield


@pytest.mark.parametrize(
    "drawn",
    [
        lambda: show.svg(TREE),
        lambda: show.decision_regions(TREE, IRIS, ("petallength", "petalwidth")),
        lambda: show.importances(FOREST),
        lambda: show.cluster_map(CLUSTERS, IRIS),
        lambda: show.chart_svg.bar_chart(["a"], [1.0], title="b"),
        lambda: show.svg(hornbeam.RipperClassifier().fit(IRIS)),
    ],
)
def test_pictures_are_drawn(drawn: Any) -> None:
    picture = drawn()
    assert isinstance(picture, Picture)
    assert picture._repr_svg_() == str(picture)
    assert ET.fromstring(picture._repr_svg_()).tag.endswith("svg")  # noqa: S314 - our own
    assert len(repr(picture)) < 80
    assert f"{len(picture):,} characters" in repr(picture)
    assert picture in picture._repr_html_()


@pytest.mark.parametrize(
    "written", [lambda: show.text(FOREST), lambda: show.explain(FOREST, IRIS, 0), lambda: show.why(TRACED.trace_)]
)
def test_texts_show_their_lines(written: Any) -> None:
    text = written()
    assert isinstance(text, Text)
    assert repr(text) == str(text) == "".join(text)
    html = text._repr_html_()
    assert html.startswith("<pre style=")
    assert re.search(r"font-family:[^;]*monospace", html)
    assert "white-space:pre" in html


RESULTS: dict[str, Any] = {
    "cross_validate": lambda: evaluate.cross_validate(hornbeam.C45Classifier(), IRIS, 3),
    "score": lambda: evaluate.score_estimator(TREE, IRIS),
    "score of numbers": lambda: evaluate.score_estimator(hornbeam.CartRegressor().fit(CPU), CPU),
    "tune": lambda: evaluate.tune("c45", IRIS, ["min_samples_leaf"], folds=3),
    "compare": lambda: evaluate.compare(evaluate.schemes_by_name(["one-r", "c45"]), IRIS, folds=3),
    "learning_curve": lambda: evaluate.learning_curve(hornbeam.C45Classifier(), IRIS, [30, 60], folds=3),
    "diff": lambda: evaluate.diff(TREE, hornbeam.CartClassifier().fit(IRIS), IRIS),
    "stability": lambda: evaluate.stability(hornbeam.C45Classifier(), IRIS, 3),
    "missing_audit": lambda: evaluate.missing_audit(TREE, IRIS),
    "conformal": lambda: evaluate.conformal(hornbeam.C45Classifier(), IRIS),
    "confusion": lambda: evaluate.confusion([0, 1], [0, 0], ["a", "b"]),
    "roc": lambda: evaluate.roc([0, 1, 1], [0.1, 0.9, 0.4]),
    "bias_variance": lambda: evaluate.bias_variance(hornbeam.OneRClassifier(), IRIS, rounds=3),
    "restarts": lambda: evaluate.restarts(hornbeam.KMeans(3), IRIS, 3),
    "rule_report": lambda: evaluate.rule_report(hornbeam.RipperClassifier().fit(IRIS), IRIS),
    "permutation_importance": lambda: hornbeam.permutation_importance(TREE, IRIS, 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_short_at_a_prompt_and_whole_in_a_notebook(name: str) -> None:
    found = RESULTS[name]()
    assert isinstance(found, ShowsText)
    lines = repr(found).split("\n")
    assert lines[0].startswith(type(found).__name__)
    assert 2 <= len(lines) <= 13
    assert len(repr(found)) < 1500
    html = found._repr_html_()
    assert "monospace" in html
    assert "<script" not in html


def test_results_say_the_verdict_first() -> None:
    for name in ("cross_validate", "tune", "compare"):
        found = RESULTS[name]()
        said = evaluate.verdict(found).text
        assert repr(found).split("\n")[0] == f"{type(found).__name__}: {said}"
        assert f"<p><b>{escape(said)}</b></p>" in found._repr_html_()
    assert "accuracy 0.980" in repr(RESULTS["score"]())
    assert "R² " in repr(RESULTS["score of numbers"]())


@pytest.mark.parametrize("shown", [TREE, TREE.model_, FOREST, FOREST.model_, CLUSTERS, CLUSTERS.model_,
                                   hornbeam.distill.as_tree(FOREST, IRIS, random_state=1)])  # fmt: skip
def test_models_show_themselves(shown: Any) -> None:
    html = shown._repr_html_() if hasattr(shown, "_repr_html_") else shown._repr_mimebundle_()["text/html"]
    assert type(shown).__name__ in html
    assert "<svg" in html or "monospace" in html
    assert "max-height" not in html  # nothing is cut off by a box that scrolls
    assert ("fidelity: " in html) == hasattr(shown, "fidelity")


def test_a_table_shows_its_first_rows() -> None:
    html = IRIS._repr_html_()
    assert "150 rows, 5 columns; not shown: 142 more rows" in html
    assert "3 categories, target" in html
    assert html.count("<tr>") == 10
    odd = hornbeam.read({"<b>": [1.0, None], "when": ["x\u202e", "y" * 90]})._repr_html_()
    assert "&lt;b&gt;" in odd
    assert "<b><b>" not in odd
    assert "\u202e" not in odd
    assert "y" * 41 not in odd


def test_settings_hold_for_a_block() -> None:
    with hornbeam.display(style="ascii", theme="dark", max_nodes=2, max_lines=3) as settings:
        assert (settings.style, settings.max_nodes) == ("ascii", 2)
        assert "|- " in show.text(TREE)
        assert show.svg(TREE) == show.svg(TREE, theme="dark") != show.svg(TREE, theme="light")
        assert "more lines" in FOREST.model_._repr_html_()
        assert len(TREE.model_._repr_html_()) < len(show.svg(TREE))
        with hornbeam.display(style="default"):
            assert "├─ " in show.text(TREE)
        assert "|- " in show.text(TREE)
    assert "├─ " in show.text(TREE)
    assert repr(hornbeam.display()) == "display(style='default', theme='auto', max_nodes=60, max_lines=60)"
    for wrong in ({"style": "weka"}, {"theme": "blue"}, {"max_nodes": 0}, {"max_lines": True}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} is "):
            hornbeam.display(**wrong)


def test_every_model_can_be_written_in_ascii() -> None:
    with hornbeam.display(style="ascii"):
        for name in ("RipperClassifier", "NeighborsClassifier", "SVMClassifier", "Cobweb", "LinearRegressor"):
            assert show.text(getattr(hornbeam, name)().fit(CPU if name.endswith("Regressor") else IRIS))
        for fitted in (TREE, FOREST, CLUSTERS, hornbeam.MixtureModel(2, random_state=1).fit(IRIS)):
            assert show.text(fitted)


@pytest.mark.parametrize(
    "module", [hornbeam, evaluate, show, show.plot, hornbeam.distill, hornbeam.export, hornbeam.report]
)
def test_dir_lists_public_names(module: Any) -> None:
    names = {name for name in dir(module) if not name.startswith("__")}
    assert names == {name for name in module.__all__ if not name.startswith("_")}
    assert all(hasattr(module, name) for name in names)


EXPLAINED = ("LocallyWeightedClassifier", "KMeans", "MixtureModel", "Cobweb", "HierarchicalClustering")


@pytest.mark.parametrize(
    "fitted", [*EXPLAINED, "SpectralClustering", "RandomForestClassifier", "GradientBoostingClassifier"]
)
def test_every_kind_of_model_is_explained_from_a_frame(fitted: str) -> None:
    frame = IRIS.to_pandas()
    rows = frame.drop(columns="class")
    model = getattr(hornbeam, fitted)()
    for name in ("n_clusters", "n_components"):
        if model.get_params().get(name, 0) is None:
            model.set_params(**{name: 3})
    model = model.fit(rows, frame["class"])
    told = show.explain(model, rows, 60)
    assert told == show.explain(model, IRIS, 60)
    last = told.split("\n")[-1]
    if hasattr(model, "classes_"):
        assert last.startswith(f"so class = {model.predict(rows)[60]}")
    else:
        assert last.startswith(f"so cluster {model.predict(rows)[60]} of {model.model_.n_clusters}")


def test_the_weights_of_a_local_model_add_up() -> None:
    told = show.explain(hornbeam.LocallyWeightedRegressor(n_neighbors=5, kernel="tricube").fit(CPU), CPU, 3)
    shares = [float(found) for found in re.findall(r"^ +([\d.]+)%", told, re.MULTILINE)]
    assert sum(shares) == pytest.approx(100, abs=0.5)
    assert told.endswith("by the linear regression of these rows")


def test_long_sentences_wrap_and_columns_do_not() -> None:
    sentence, row = "a word " * 30, "a  column " * 30
    shown = Text(f"{sentence.strip()}\n{row}")._repr_html_()
    assert row in shown
    lines = [line for line in shown.splitlines() if "a word" in line]
    assert len(lines) > 1
    assert all(len(line.split(">")[-1]) <= 96 for line in lines)
