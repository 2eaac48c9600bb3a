"""Reduced-error pruning of a whole list: nothing that could still go is left, and errors never rise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import tables

import hornbeam
from hornbeam.learn.base.estimator import usable
from hornbeam.learn.rules.grower import RuleGrower
from hornbeam.learn.rules.irep import IrepClassifier, prune_whole

Listed = list[tuple[int, tuple[Any, ...]]]


def right(grower: RuleGrower, rules: Listed, default: int, rows: Any) -> float:
    """Weight that a list has right, row by row."""
    total = 0.0
    for row in rows:
        label = next(
            (label for label, body in rules if len(grower.cover(body, rows[rows == row], label).rows)), default
        )
        total += (1.0 if grower.weights is None else grower.weights[row]) * (label == grower.classes[row])
    return total


def ways(rules: Listed) -> list[Listed]:
    """Every list with one thing less: the last rule gone, ..., the last condition of the last rule gone, ..."""
    found = [rules[:i] + rules[i + 1 :] for i in reversed(range(len(rules)))]
    for i in reversed(range(len(rules))):
        label, body = rules[i]
        if len(body) > 1:
            found.append([*rules[:i], (label, body[: len(body) - 1]), *rules[i + 1 :]])
    return found


def plain(rules: Listed) -> list[Any]:
    return [(label, *(step[:4] for step in body)) for label, body in rules]


@given(data=st.data())
def test_what_goes_is_what_the_naive_way_says(data: st.DataObject) -> None:
    table = data.draw(tables(weighted=True))
    if not table.n_rows or (table.weights is not None and not table.weights.any()):
        return
    grower = RuleGrower(usable(table))
    half = len(grower.all_rows) // 2
    growing, rows = grower.all_rows[:half], grower.all_rows[half:]
    rules: Listed = []
    for label in np.unique(grower.classes[growing]).tolist() * 2:
        rules.append((label, grower.grow(growing, label, "gain", 0.0)))
        growing = grower.without(growing, grower.cover(rules[-1][1], growing, label).rows)
    rules = [rule for rule in rules if rule[1]]
    expected = rules
    while True:
        before = right(grower, expected, 0, rows)
        tried = [(right(grower, way, 0, rows), way) for way in ways(expected)]
        best = max((score for score, _ in tried), default=-1.0)
        if best < before - 1e-9:
            break
        expected = next(way for score, way in tried if score >= best - 1e-9)
    assert plain(prune_whole(grower, rules, 0, rows)) == plain(expected)


@pytest.mark.parametrize("name", ["credit-g", "vote", "glass"])
def test_the_pruned_list_is_shorter(name: str) -> None:
    table = hornbeam.read(name)
    sizes = {
        prune: sum(len(rule.conditions) for rule in IrepClassifier(prune=prune).fit(table).model_.rules)
        for prune in ("whole-list", None)
    }
    assert 0 < sizes["whole-list"] < sizes[None]


def test_without_pruning_rules_fit_the_rows() -> None:
    table = hornbeam.read("iris")
    model = IrepClassifier(prune=None, min_samples_rule=0).fit(table).model_
    assert (model.predict(table) == table.target_values()).all()
    with pytest.raises(ValueError, match="prune is 'some'"):
        IrepClassifier(prune="some").fit(table)
