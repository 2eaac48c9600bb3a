from __future__ import annotations

import math

import pytest

import hornbeam
from hornbeam.evaluate import compare, schemes_by_name, variants
from hornbeam.evaluate.comparing.comparison_chart import size_chart

METHODS = {"prune": [None, "pessimistic", "reduced-error"]}


def test_one_table_is_drawn_as_it_is() -> None:
    found = compare(variants("tree", METHODS), hornbeam.read("vote"), folds=3)
    axes = size_chart(found)
    assert axes.get_title(loc="left") == "vote: size against accuracy"
    for dots, outcome in zip(axes.collections, found.tables[0].outcomes, strict=True):
        assert outcome.score is not None
        assert outcome.size is not None
        assert dots.get_offsets()[0].tolist() == pytest.approx([outcome.size.mean, 100 * outcome.score.mean])
    assert len(axes.lines) == 6


def test_several_tables_are_drawn_against_the_baseline() -> None:
    tables = [hornbeam.read(name) for name in ("vote", "iris")]
    found = compare(variants("tree", METHODS), tables, folds=3, baseline="pessimistic")
    axes = size_chart(found)
    assert axes.collections[1].get_offsets()[0].tolist() == pytest.approx([1.0, 0.0], abs=1e-12)
    sizes, scores = [], []
    for table in found.tables:
        one, base = table.outcome("none"), table.outcome("pessimistic")
        assert one.score is not None
        assert one.size is not None
        assert base.score is not None
        assert base.size is not None
        sizes.append(one.size.mean / base.size.mean)
        scores.append(100 * (one.score.mean - base.score.mean))
    expected = [math.sqrt(sizes[0] * sizes[1]), sum(scores) / 2]
    assert axes.collections[0].get_offsets()[0].tolist() == pytest.approx(expected)
    assert "times those of pessimistic" in axes.get_xlabel()


def test_errors_are_drawn_as_shares_of_the_baselines() -> None:
    tables = [hornbeam.read(name) for name in ("servo", "cpu")]
    found = compare(variants("tree", {"prune": [None, "reduced-error"]}, predicts="number"), tables, folds=3)
    assert size_chart(found).get_ylabel() == "error, % above none (mean)"
    assert size_chart(compare(variants("tree", {"prune": [None, "reduced-error"]}, predicts="number"), tables[0],
                              folds=2)).get_ylabel() == "root mean squared error"  # fmt: skip


def test_models_without_a_size_are_not_drawn() -> None:
    found = compare(schemes_by_name(["one-r", "svm"]), hornbeam.read("labor"), folds=2, measure="AUC")
    axes = size_chart(found)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["baseline", "one-r"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("leaves or rules", "AUC")
    # Of several tables too; a list of no rules has no ratio to a tree of one leaf.
    tables = [hornbeam.read(name) for name in ("labor", "weather")]
    axes = size_chart(compare(schemes_by_name(["ripper", "svm"]), tables, folds=2))
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["baseline", "ripper"]
    methods = {name: schemes_by_name(["svm", "neighbors"])[name] for name in ("svm", "neighbors")}
    with pytest.raises(ValueError, match="none of the models has leaves or rules"):
        size_chart(compare(methods, hornbeam.read("labor"), folds=2))
