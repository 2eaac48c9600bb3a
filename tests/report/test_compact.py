"""What notebooks show: the model of a fitted estimator, scikit-learn's diagram of one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import pytest
from hostile import CATEGORIES, NAMES, hostile
from sklearn import config_context
from sklearn.pipeline import make_pipeline

import hornbeam
from hornbeam.evaluate.tuning.tune import Tuned
from hornbeam.schemes import ALL_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.report import Report
    from hornbeam.schemes import Scheme


def parsed(shown: str) -> str:
    """All text of a fragment; it may hold no script."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(shown)
    tags = {one.tag for one in tree.iter() if isinstance(one.tag, str)}
    assert not tags & {"script", "img", "iframe", "link", "u"}
    return "".join(tree.itertext())


@pytest.mark.parametrize("scheme", ALL_SCHEMES, ids=lambda one: f"{one.name}-{one.predicts}")
@pytest.mark.filterwarnings("ignore")
def test_every_fitted_estimator_is_shown(scheme: Scheme) -> None:
    table = hornbeam.read("iris" if scheme.predicts == "category" else "cpu")
    if scheme.predicts == "cluster":
        table = table.select(list(table.schema.features))
    estimator = scheme.load()()
    assert "sk-" in estimator._repr_html_()  # scikit-learn's diagram
    shown = estimator.fit(table)._repr_html_()
    assert shown == estimator._repr_mimebundle_()["text/html"]
    assert type(estimator).__name__ in parsed(shown)
    assert "sk-" not in shown
    assert len(shown) < 3_000_000


def test_estimators_that_choose_for_themselves_are_shown() -> None:
    tuned = Tuned(hornbeam.C45Classifier(), ["confidence"], folds=2)
    assert "sk-" in tuned._repr_html_()
    assert "<svg" in tuned.fit(hornbeam.read("iris"))._repr_html_()


def test_names_from_data_are_text() -> None:
    shown = parsed(hornbeam.C45Classifier().fit(hostile())._repr_html_())
    assert CATEGORIES[0] in shown
    assert NAMES[0] in shown
    rules = parsed(hornbeam.RipperClassifier().fit(hostile())._repr_html_())
    assert CATEGORIES[0] in rules


def test_parameters_that_were_set_are_told() -> None:
    shown = parsed(hornbeam.C45Classifier(min_samples_leaf=7).fit(hornbeam.read("iris"))._repr_html_())
    assert "min_samples_leaf=7" in shown


def test_plain_text_is_kept_where_wanted() -> None:
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    with config_context(display="text"):
        assert not hasattr(tree, "_repr_html_")
        assert set(tree._repr_mimebundle_()) == {"text/plain"}


def test_a_pipeline_keeps_its_diagram() -> None:
    assert "sk-" in make_pipeline(hornbeam.C45Classifier())._repr_html_()


def test_a_report_is_shown_in_short(report_on: Callable[[str], Report]) -> None:
    shown = parsed(report_on("iris")._repr_html_())
    assert "accuracy: " in shown
    assert report_on("iris").choice.reason in shown
    parsed(report_on("hostile")._repr_html_())
