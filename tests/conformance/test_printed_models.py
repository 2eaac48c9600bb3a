"""The figures that stand under models of kept rows, forests, equations and support vectors are recomputed from rows."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from conformance.test_printed_figures import TABLES, check, fitted, table_of
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel, sigmoid_kernel

import hornbeam
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.align import align
from hornbeam.model.rules.rule import FIRES

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

CASES = [(name, lacking, weighted) for name in TABLES for lacking in (False, True) for weighted in (False, True)]


def learned(make: Any) -> Any:
    """The model, its text and its training rows, for every table that the estimator takes."""
    for name, lacking, weighted in CASES:
        found = fitted(make, name, lacking=lacking, weighted=weighted)
        if found is not None:
            yield found[0].model_, hornbeam.show.text(found[0].model_), found[1]


def numbers(pattern: str, text: str) -> list[float]:
    """The numbers of a line that must be there."""
    found = re.search(pattern, text)
    assert found is not None, (pattern, text)
    return [float(each.replace(",", "")) for each in found.groups()]


def longest_path(first_child: Any, node: int) -> int:
    if first_child[node] < 0:
        return 0
    return 1 + max(longest_path(first_child, int(first_child[node]) + side) for side in (0, 1))


@pytest.mark.parametrize(
    "make",
    [
        lambda: hornbeam.BaggingClassifier(n_estimators=4, random_state=0),
        lambda: hornbeam.BaggingClassifier("ripper", n_estimators=3, random_state=0),
        lambda: hornbeam.BaggingRegressor(n_estimators=4, random_state=0),
        lambda: hornbeam.M5Regressor(committees=3),
        lambda: hornbeam.M5RulesRegressor(committees=2),
    ],
)
def test_sizes_of_members(make: Any) -> None:
    for model, text, table in learned(make):
        lines = text.splitlines()
        assert numbers(r" (\d+) models$", lines[0]) == [len(model.members)]
        assert len(lines) == 1 + len(model.members)
        for line, member in zip(lines[1:], model.members, strict=True):
            if "rules" in line:
                assert numbers(r"rules: (\d+)$", line) == [len(member.rules)]
                continue
            leaves, depth = numbers(r"tree: (\d+) lea\w+, depth (\d+)$", line)
            assert leaves >= len(set(member.apply(table).tolist()))
            assert leaves == 1 + sum(int(member.n_children[node]) - 1 for node in np.flatnonzero(member.n_children))
            assert depth == max(len(path) for path in node_paths(member))


def node_paths(tree: Any) -> list[list[int]]:
    """The nodes above every leaf."""
    paths = []
    for leaf in np.flatnonzero(tree.n_children == 0).tolist():
        path, at = [], int(tree.parent[leaf])
        while at >= 0:
            path.append(at)
            at = int(tree.parent[at])
        paths.append(path)
    return paths


@pytest.mark.parametrize(
    "make",
    [
        lambda: hornbeam.RandomForestClassifier(4, random_state=0),
        lambda: hornbeam.RandomForestRegressor(4, random_state=0),
        lambda: hornbeam.GradientBoostingClassifier(3, random_state=0),
        lambda: hornbeam.GradientBoostingRegressor(3, random_state=0),
    ],
)
def test_sizes_of_forests(make: Any) -> None:
    for model, text, _ in learned(make):
        assert numbers(r" (\d+) trees?(?:,|$)", text.splitlines()[0]) == [model.n_trees]
        trees = list(zip(model.roots[:-1].tolist(), model.roots[1:].tolist(), strict=True))
        leaves = [int((model.first_child[a:b] < 0).sum()) for a, b in trees]
        depths = [longest_path(model.first_child, a) for a, _ in trees]
        found = re.match(
            r"leaves: (\d+) in all, (\d+)(?: to (\d+))? per tree; depth (\d+)(?: to (\d+))?$", text.splitlines()[1]
        )
        assert found is not None
        whole, least, most, shallow, deep = found.groups()
        assert int(whole) == sum(leaves)
        assert (int(least), int(most or least)) == (min(leaves), max(leaves))
        assert (int(shallow), int(deep or shallow)) == (min(depths), max(depths))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["iris", "servo", "auto-mpg"])
def test_importance_of_columns(name: str, weighted: bool) -> None:
    """The decrease of impurity by every split, from the rows that come to its node."""
    table = table_of(name, lacking=False, weighted=weighted)
    classes = isinstance(table.schema.target_column, Nominal)
    make = hornbeam.RandomForestClassifier if classes else hornbeam.RandomForestRegressor
    model = make(1, bootstrap=False, max_features=None, criterion="gini" if classes else "variance").fit(table).model_
    tree, weights, truth = model.tree(0), table.row_weights, table.target_values()
    start, nodes, _ = tree.decision_path(table)
    rows = np.repeat(np.arange(table.n_rows), np.diff(start))

    def impurity(node: int) -> float:
        here = rows[nodes == node]
        weight = weights[here].sum()
        if classes:
            return float(weight - (np.bincount(truth[here], weights[here]) ** 2).sum() / weight)
        return float((weights[here] * (truth[here] - np.average(truth[here], weights=weights[here])) ** 2).sum())

    gains = dict.fromkeys((table.schema.columns[f].name for f in table.schema.features), 0.0)
    for node in np.flatnonzero(tree.n_children).tolist():
        column = table.schema.columns[int(tree.splits.column[tree.split[node]])].name
        first = int(tree.first_child[node])
        gains[column] += impurity(node) - impurity(first) - impurity(first + 1)
    whole = sum(gains.values())
    for line in hornbeam.show.text(model).partition("of all splits\n")[2].splitlines():
        column, printed = line.split()[:2]
        assert float(printed) == pytest.approx(gains[column] / whole, abs=6e-4), column


@pytest.mark.parametrize(
    "make",
    [
        hornbeam.NeighborsClassifier,
        hornbeam.NeighborsRegressor,
        hornbeam.IB2Classifier,
        hornbeam.IB3Classifier,
        hornbeam.IB5Classifier,
        hornbeam.KStarClassifier,
        hornbeam.KStarRegressor,
        hornbeam.LocallyWeightedClassifier,
        hornbeam.LocallyWeightedRegressor,
    ],
)
def test_kept_rows(make: Any) -> None:
    for model, text, table in learned(make):
        found = re.search(r"^rows kept: (\d+)(?: of (\d+) seen)?", text, re.MULTILINE)
        assert found is not None
        assert int(found[1]) == model.kept.n_rows
        if found[2] is None:
            assert model.kept.n_rows == table.n_rows
            continue
        assert int(found[2]) == table.n_rows
        listed = hornbeam.show.texts.neighbors.instances_text.row_numbers(model)
        for place, number in enumerate(listed["kept"]):
            for one, other in zip(model.kept.columns, table.columns, strict=True):
                assert one[place] == other[number - 1] or np.isnan(one[place])
        states = re.search(r"do not predict yet: (\d+); rows dropped as noise: (\d+)$", text, re.MULTILINE)
        if states is not None:
            assert [int(each) for each in states.groups()] == [len(listed["waiting"]), len(listed["noise"])]


def test_boxes() -> None:
    for model, text, table in learned(hornbeam.ExemplarsClassifier):
        boxes, points = numbers(r"; (\d+) box(?:es)?, (\d+) of them single points$", text.splitlines()[0])
        assert boxes == len(model)
        weights, holding = table.row_weights, []
        for box in range(len(model)):
            rows = np.ones(table.n_rows, np.bool_)
            for condition in model.conditions(box):
                rows &= condition.holds(table) >= FIRES
            holding.append(rows & (table.target_values() == model.label[box]))
            assert model.rows[box] <= weights[holding[box]].sum() + 1e-9  # rows may be in several boxes of their class
        values = [
            {
                tuple(str(column[row]) for column in table.columns[: len(table.schema.features)])
                for row in np.flatnonzero(rows)
            }
            for rows in holding
        ]
        assert points <= sum(len(each) == 1 for each in values)
        rules = model.to_rules()
        assert sum(rule.coverage for rule in nested(rules)) == pytest.approx(weights.sum())
        assert rules.default.coverage == 0
        printed = re.findall(r"  ([\d.,]+)$", text, re.MULTILINE)
        assert sum(float(each.replace(",", "")) for each in printed) == pytest.approx(weights.sum(), abs=0.01 * boxes)


def nested(rules: Any) -> Any:
    """All rules with a condition, exceptions included."""
    for rule in rules.rules:
        yield rule
        if rule.exceptions is not None:
            yield from nested(rule.exceptions)


def test_corrected_models_say_that_their_figures_are_not_corrected() -> None:
    for make in (lambda: hornbeam.M5Regressor(neighbors=3), lambda: hornbeam.M5RulesRegressor(neighbors=3)):
        for model, text, table in learned(make):
            assert text.endswith("; the figures above are without this correction")
            check(model.base, table)
            assert text.startswith(hornbeam.show.text(model.base))
            assert numbers(r"nearest (\d+) training rows of (\d+), within", text) == [3, table.n_rows]


def test_numbers_of_intervals() -> None:
    for model, text, table in learned(hornbeam.DiscretizedRegressor):
        target = model.classifier.schema.target_column
        truth, middles = table.target_values(), []
        codes = np.zeros(table.n_rows, np.int32)
        for code, name in enumerate(target.categories):
            low, high = (float(end) for end in name.strip("(]) ").rstrip("]").split(", "))
            codes[(truth > low) & (truth <= high)] = code
            middles.append((low, high))
        place = table.schema.target
        columns = [codes if i == place else column for i, column in enumerate(table.columns)]
        names = tuple(target if i == place else column for i, column in enumerate(table.schema.columns))
        check(model.classifier, Table(Schema(names, table.schema.roles, table.schema.name), columns))
        printed = re.findall(r"^  \(.*[\])] +(-?[\d.e+-]+)$", text, re.MULTILINE)[: len(target.categories)]
        for value, (low, high) in zip(map(float, printed), middles, strict=True):
            assert low <= value <= high
            if np.isfinite(low) and np.isfinite(high):
                assert value == pytest.approx((low + high) / 2, rel=1e-3, abs=1e-3 * (high - low))


def test_standardized_coefficients() -> None:
    for model, text, table in learned(hornbeam.LinearRegressor):
        aligned, weights = align(model.schema, table), table.row_weights

        def deviation(values: Any, weights: Any = weights) -> float:
            mean = np.average(values, weights=weights)
            return float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))

        spread = deviation(table.target_values())
        lines = [line for line in text.splitlines()[1:] if line.strip()][:-1]
        assert len(lines) == len(model.terms)
        for line, term in zip(lines, model.terms, strict=True):
            sign, size = line.split()[:2]
            assert float(sign + size) == pytest.approx(term.coefficient, rel=1e-4)
            expected = term.coefficient * deviation(term.values(aligned)) / spread
            assert float(line.split()[-1]) == pytest.approx(expected, rel=6e-3)


KERNELS: dict[str, Any] = {
    "rbf": lambda a, kernel: rbf_kernel(a, gamma=kernel.gamma),
    "polynomial": lambda a, kernel: polynomial_kernel(a, degree=kernel.degree, gamma=kernel.gamma, coef0=kernel.coef0),
    "sigmoid": lambda a, kernel: sigmoid_kernel(a, gamma=kernel.gamma, coef0=kernel.coef0),
    "linear": lambda a, _: a @ a.T,
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("make", [hornbeam.SVMClassifier, hornbeam.SVMRegressor])
def test_margins_and_support_vectors(make: Any, kernel: str) -> None:
    for model, text, table in learned(lambda: make(kernel=kernel, C=0.7)):
        products = KERNELS[kernel](model.axes.matrix(model.kept), model.kernel)
        limits = 0.7 * model.kept.row_weights
        headings = re.findall(r"(?:margin (\S+) wide, )?(\d+) support vectors, (\d+) of them at the bound", text)
        assert len(headings) == model.n_machines
        for (width, count, bound), coefficients in zip(headings, model.coefficients, strict=True):
            norm = coefficients @ products @ coefficients
            assert (width != "") == (norm > 0)  # the sigmoid kernel is not positive definite
            if width:
                assert float(width) == pytest.approx(2 / np.sqrt(norm), rel=1e-3)
            assert int(count) == np.count_nonzero(coefficients)
            assert int(bound) == (np.abs(coefficients) >= limits * (1 - 1e-9)).sum()
        assert numbers(r"^support vectors: (\d+)$", text.splitlines()[1]) == [
            np.count_nonzero(np.abs(model.coefficients).sum(axis=0))
        ]
        assert model.kept.n_rows <= table.n_rows
