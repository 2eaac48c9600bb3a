"""The figures that stand under a model are those of its own predictions on its training rows."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.prune.rebuild import with_leaves
from hornbeam.model.linear.discretized import DiscretizedModel
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.rules.rule import FIRES, Rule, RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.schemes import SCHEMES

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

TABLES = ("iris", "cpu", "weather.numeric", "servo", "auto-mpg", "contact-lenses")
FIGURE = re.compile(r"explains|wrong in training|in training cost|root mean squared error")


@cache
def table_of(name: str, *, lacking: bool, weighted: bool) -> Table:
    """An example set, a fifth of its values missing, its rows with weights."""
    table, random = hornbeam.read(name), np.random.default_rng(8)
    columns = list(table.columns)
    for place in table.schema.features if lacking else ():
        none: Any = -1 if isinstance(table.schema.columns[place], Nominal) else np.nan
        columns[place] = np.where(random.random(table.n_rows) < 0.2, none, columns[place]).astype(columns[place].dtype)
    schema = table.schema
    if weighted:
        schema = Schema((*schema.columns, Numeric("w")), (*schema.roles, "weight"), schema.name)
        columns.append(random.integers(1, 4, table.n_rows).astype(float))
    return Table(schema, columns)


def fitted(make: Any, name: str, *, lacking: bool, weighted: bool) -> tuple[Any, Table] | None:
    """The estimator and its training rows; None where it does not take such a target or missing values."""
    table = table_of(name, lacking=lacking, weighted=weighted)
    try:
        return make().fit(table), table
    except ValueError as error:
        if re.search("predicts|missing|classes|weights", str(error)):
            return None
        raise


def check_tree(tree: Tree, table: Table) -> None:
    """The line below a tree: how many rows are predicted wrongly, or the share of the variance explained."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    truth, predicted = table.target_values(), tree.predict_codes(table)
    line = next(line for line in hornbeam.show.text(tree).splitlines() if re.match(r"\d+ (leaf|leaves), size", line))
    check_leaves(tree, table, line)
    if tree.task == "classification":
        found = re.search(r"([0-9.,]+) of ([0-9.,]+) wrong in training", line)
        assert found is not None
        wrong, whole = (float(figure.replace(",", "")) for figure in found.groups())
        assert wrong == pytest.approx(weights[truth != predicted].sum(), abs=0.0051)
        assert whole == pytest.approx(weights.sum(), abs=0.0051)
        return
    spread = (weights * (truth - np.average(truth, weights=weights)) ** 2).sum()
    explained = 1 - (weights * (truth - predicted) ** 2).sum() / spread
    found = re.search(r"explains (-?[0-9.]+)% of the variance in training", line)
    assert found is not None
    assert float(found[1]) == pytest.approx(100 * explained, abs=0.0501)


def check_leaves(tree: Tree, table: Table, last_line: str) -> None:
    """The columns beside a tree: the weight that comes to each leaf, and how wrong the leaf is there."""
    leaves = np.flatnonzero(tree.n_children == 0)
    check_printed_leaves(tree, leaves)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    grown = re.search(r"; leaves count the ([\d.,]+) rows for growing$", last_line)
    if grown is not None:  # which rows were held out is not known here
        assert float(grown[1].replace(",", "")) == pytest.approx(tree.weight[leaves].sum(), abs=0.0051)
        assert tree.weight[leaves].sum() < weights.sum()
        return
    start, nodes, share = tree.decision_path(table)
    rows = np.repeat(np.arange(table.n_rows), np.diff(start))
    parts, truth = weights[rows] * share, table.target_values()[rows]
    if tree.recipe.get("priors"):
        assert last_line.endswith("; weights of leaves follow the priors")
        frequency = np.bincount(table.target_values(), weights)
        parts = parts * (json.loads(tree.recipe["priors"]) / frequency * weights.sum())[truth]
    assert np.bincount(nodes, parts, tree.n_nodes)[leaves] == pytest.approx(tree.weight[leaves], abs=1e-6)
    if tree.task == "classification":
        wrong, told = parts * (truth != tree.label[nodes]), tree.error
    elif tree.intercept is None:
        wrong, told = parts * (truth - tree.value[nodes, 1]) ** 2, tree.value[:, 2]
    else:  # of a row in parts, the prediction is not that of one leaf
        wrong, told = parts * (truth - tree.predict_codes(table)[rows]) ** 2, tree.error
        leaves = np.setdiff1d(leaves, nodes[share < 1])
    found = np.bincount(nodes, wrong, tree.n_nodes)
    assert found[leaves] == pytest.approx(told[leaves], rel=1e-6, abs=1e-6 * max(1.0, told.max()))


def check_printed_leaves(tree: Tree, leaves: Any) -> None:
    """The text has the weights and errors of the leaves, from left to right."""
    lines = hornbeam.show.text(tree).partition("\n\n")[0].splitlines()[1:]
    found = [match for line in lines if (match := re.search(r"  +([\d.,]+)(?:  +([\d.,e+-]+))?$", line))]
    assert len(found) == len(leaves)
    order = sorted(leaves, key=lambda leaf: [node.branch for node in above(tree, int(leaf))])
    for match, leaf in zip(found, order, strict=True):
        weight, wrong = (float(figure.replace(",", "")) for figure in match.groups("0"))
        assert weight == pytest.approx(tree.weight[leaf], abs=0.0051)
        expected = tree.error[leaf]
        if tree.task == "regression":
            squares = tree.value[leaf, 2] if tree.intercept is None else tree.error[leaf]
            expected = np.sqrt(squares / tree.weight[leaf])
        assert wrong == pytest.approx(expected, abs=0.0051, rel=1e-3)


def above(tree: Tree, node: int) -> list[Any]:
    """The nodes from below the root to a node."""
    path = []
    at = tree.node(node)
    while at.parent is not None:
        path.insert(0, at)
        at = at.parent
    return path


def check_rules(rules: RuleList, table: Table) -> None:
    """The columns beside a list of rules: what each covers when its turn comes, and how wrong it is there."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    truth, predicted, left = table.target_values(), rules.predict_codes(table), np.ones(table.n_rows, np.bool_)
    for rule in (*rules.rules, *(() if rules.default is None else (rules.default,))):
        decides = left & (rule.holds(table) >= FIRES)
        left &= ~decides
        assert rule.coverage == pytest.approx(weights[decides].sum(), abs=1e-9)
        if rules.task == "classification":
            assert rule.errors == pytest.approx(weights[decides & (truth != rule.label)].sum(), abs=1e-9)
        else:
            squares = weights * (truth - predicted) ** 2
            assert rule.errors == pytest.approx(squares[decides].sum(), rel=1e-9, abs=1e-9)


def check_parts(rules: RuleList, table: Table) -> None:
    """A list whose rules take their parts of the rows: the weight of the parts, and of those of other classes."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    truth, left = table.target_values(), np.ones(table.n_rows)
    for rule in (*rules.rules, *(() if rules.default is None else (rules.default,))):
        taken = left * rule.holds(table)
        left = left - taken
        assert rule.coverage == pytest.approx((weights * taken).sum(), abs=1e-6)
        assert rule.errors == pytest.approx((weights * taken)[truth != rule.label].sum(), abs=1e-6)
    assert left == pytest.approx(0.0, abs=1e-9)


def check_exceptions(rule: Rule, table: Table, here: np.ndarray[Any, Any]) -> None:
    """The counts behind a rule with exceptions: the rows that come to it, and those of other classes before these."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    assert rule.coverage == pytest.approx(weights[here].sum(), abs=1e-9)
    assert rule.errors == pytest.approx(weights[here & (table.target_values() != rule.label)].sum(), abs=1e-9)
    if rule.exceptions is None:
        return
    left = here.copy()
    for exception in rule.exceptions.rules:
        decides = left & (exception.holds(table) >= FIRES)
        left &= ~decides
        check_exceptions(exception, table, decides)
    if rule.exceptions.default is not None:
        check_exceptions(rule.exceptions.default, table, left)


def check_printed_rules(rules: RuleList) -> None:
    """The weights and errors that stand in the text are those of the rules, in their order."""
    entries: list[Rule] = []

    def gather(found: RuleList) -> None:
        for rule in (*found.rules, *(() if found.default is None else (found.default,))):
            entries.append(rule)
            if rule.exceptions is not None:
                gather(rule.exceptions)

    gather(rules)
    text = hornbeam.show.text(rules)
    if rules.default is not None and rules.default.exceptions is not None:
        found = re.findall(r"  \(([\d.,]+)(?:/([\d.,]+))?\)$", text, re.MULTILINE)
        entries = [rule for rule in entries if rule.coverage > 0]
    else:
        found = re.findall(r"  ([\d.,]+)(?:  +([\d.,]+))?$", text, re.MULTILINE)
    assert len(found) == len(entries)
    linear = any(rule.terms for rule in entries)
    for printed, rule in zip(found, entries, strict=True):
        weight, wrong = (float(figure.replace(",", "") or 0) for figure in printed)
        assert weight == pytest.approx(rule.coverage, abs=0.0051)
        expected = np.sqrt(rule.errors / rule.coverage) if linear and rule.coverage else rule.errors
        assert wrong == pytest.approx(expected, abs=0.0051)


def check_voting(rules: RuleList, table: Table) -> None:
    """Rules that vote: each covers all rows for which it holds; the default those for which none does."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    truth, voted = table.target_values(), np.zeros(table.n_rows, np.bool_)
    for rule in rules.rules:
        holds = rule.holds(table) >= FIRES
        voted |= holds
        assert rule.coverage == pytest.approx(weights[holds].sum(), abs=1e-9)
        assert rule.errors == pytest.approx(weights[holds & (truth != rule.label)].sum(), abs=1e-9)
    if rules.default is not None:
        assert rules.default.coverage == pytest.approx(weights[~voted].sum(), abs=1e-9)


def check_rule_table(rules: RuleList) -> None:
    """The table of rules: weight covered, wrong and right, and how much more frequent the class is there."""
    entries = [*rules.rules, *(() if rules.default is None else (rules.default,))]
    lines = hornbeam.show.text(rules, style="table").splitlines()[1:]
    frequency = sum((rule.value for rule in entries if rule.coverage > 0), start=np.zeros(1))
    assert len(lines) == len(entries)
    for line, rule in zip(lines, entries, strict=True):
        found = re.search(r"  ([\d.,]+) +([\d.,]+)(?: +([\d.]+)%(?: +([\d.]+))?)? +(?:if |otherwise|always|\S+ )", line)
        assert found is not None, line
        assert float(found[1].replace(",", "")) == pytest.approx(rule.coverage, abs=0.0051)
        assert float(found[2].replace(",", "")) == pytest.approx(rule.errors, abs=0.0051)
        if rule.coverage > 0 and found[4] is not None:
            right = 1 - rule.errors / rule.coverage
            assert float(found[3]) == pytest.approx(100 * right, abs=0.0501)
            assert float(found[4]) == pytest.approx(right / (frequency / frequency.sum())[rule.label], abs=0.0051)


def check_list(rules: RuleList, table: Table) -> None:
    """Rules in order, rules that take parts of rows, or a default with exceptions."""
    default = rules.default
    if default is not None and default.exceptions is not None:
        assert not rules.rules
        check_exceptions(default, table, np.ones(table.n_rows, np.bool_))
    elif rules.decide == "remaining":
        check_parts(rules, table)
    elif rules.decide == "vote":
        check_voting(rules, table)
    else:
        check_rules(rules, table)
    check_printed_rules(rules)
    if rules.task == "classification" and (default is None or default.exceptions is None):
        check_rule_table(rules)


def check_equation(model: LinearModel, table: Table) -> None:
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    off = np.sqrt(np.average((model.predict(table) - table.target_values()) ** 2, weights=weights))
    found = re.search(
        r"rows of weight ([0-9.,e+]+); root mean squared error there ([0-9.e+-]+)", hornbeam.show.text(model)
    )
    assert found is not None
    assert float(found[1].replace(",", "")) == pytest.approx(weights.sum(), rel=1e-3)
    assert float(found[2]) == pytest.approx(off, rel=1e-3)


def check(model: Any, table: Table) -> None:
    """Whatever a model's text says about its training rows."""
    if isinstance(model, Tree):
        check_tree(model, table)
    elif isinstance(model, LinearModel):
        check_equation(model, table)
    elif isinstance(model, RuleList):
        check_list(model, table)
    elif not isinstance(model, DiscretizedModel):  # whose classifier of intervals has figures about these
        assert not FIGURE.search(hornbeam.show.text(model))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize(
    "scheme", [s for s in SCHEMES if s.predicts != "cluster"], ids=lambda s: f"{s.name}-{s.predicts}"
)
def test_every_scheme(scheme: Any, lacking: bool, weighted: bool) -> None:
    for name in TABLES:
        found = fitted(scheme.load(), name, lacking=lacking, weighted=weighted)
        if found is not None:
            check(found[0].model_, found[1])


VARIANTS: dict[str, Any] = {
    **{
        f"classes, {missing}": lambda missing=missing: hornbeam.TreeClassifier(missing=missing, min_samples_leaf=3)
        for missing in ("fractional", "surrogate", "default-direction", "majority", "own-category")
    },
    **{
        f"numbers, {missing}": lambda missing=missing: hornbeam.TreeRegressor(missing=missing, min_samples_leaf=3)
        for missing in ("fractional", "surrogate", "default-direction", "majority", "own-category")
    },
    **{
        f"linear leaves, {missing}": lambda missing=missing: hornbeam.TreeRegressor(
            missing=missing, leaf="linear", min_samples_leaf=20
        )
        for missing in ("fractional", "surrogate", "default-direction")
    },
    "C4.5, reduced-error": lambda: hornbeam.C45Classifier(prune="reduced-error"),
    "C4.5, not pruned": lambda: hornbeam.C45Classifier(prune=None),
    "classes, reduced-error": lambda: hornbeam.TreeClassifier(prune="reduced-error"),
    "numbers, reduced-error": lambda: hornbeam.TreeRegressor(prune="reduced-error"),
    "classes, cost-complexity": lambda: hornbeam.TreeClassifier(prune="cost-complexity"),
    "numbers, cost-complexity": lambda: hornbeam.TreeRegressor(prune="cost-complexity"),
    "medians": lambda: hornbeam.TreeRegressor(leaf="median", min_samples_leaf=5),
    "absolute error": lambda: hornbeam.CartRegressor(criterion="absolute-error"),
    "no surrogates, classes": lambda: hornbeam.CartClassifier(max_surrogates=0),
    "no surrogates, numbers": lambda: hornbeam.CartRegressor(max_surrogates=0),
    "m-estimate": lambda: hornbeam.TreeClassifier(leaf="m-estimate", m=20, min_samples_leaf=5),
    "laplace": lambda: hornbeam.TreeClassifier(leaf="laplace", min_samples_leaf=5),
    "rules of a tree": lambda: hornbeam.TreeClassifier(prune="rules"),
    "M5, linear error": lambda: hornbeam.M5Regressor(criterion="linear-error"),
    "M5, means": lambda: hornbeam.M5Regressor(leaf="mean"),
    "M5, reference": lambda: hornbeam.M5Regressor(compat="weka"),
    "M5 rules, deviation": lambda: hornbeam.M5RulesRegressor(criterion="sd-reduction"),
    "M5 rules, reference": lambda: hornbeam.M5RulesRegressor(compat="weka"),
    "PRISM, voting": lambda: hornbeam.PrismClassifier(decide="vote"),
    "PRISM, smallest class first": lambda: hornbeam.PrismClassifier(order="smallest-first"),
    "RIPPER, voting": lambda: hornbeam.RipperClassifier(decide="vote", random_state=0),
    "IREP, whole list": lambda: hornbeam.IrepClassifier(prune="whole-list", random_state=0),
    "PART, not pruned": lambda: hornbeam.PartClassifier(prune=None),
    "PART, missing as a value": lambda: hornbeam.PartClassifier(missing="value"),
    "linear, all terms": lambda: hornbeam.LinearRegressor(selection=None),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kind_of_leaf_pruning_and_missing_value(variant: str, lacking: bool, weighted: bool) -> None:
    for name in TABLES:
        found = fitted(VARIANTS[variant], name, lacking=lacking, weighted=weighted)
        if found is not None:
            check(found[0].model_, found[1])


def test_priors_do_not_change_what_is_counted() -> None:
    iris = hornbeam.read("iris")
    priors = {"Iris-setosa": 0.1, "Iris-versicolor": 0.1, "Iris-virginica": 0.8}
    check_tree(hornbeam.CartClassifier(priors=priors).fit(iris).model_, iris)


def test_a_tree_cut_back_by_hand_does_not_keep_older_figures() -> None:
    table = table_of("iris", lacking=True, weighted=False)
    tree = hornbeam.TreeClassifier(missing="fractional", min_samples_leaf=3).fit(table).model_
    assert "training_error" in tree.recipe
    assert "training_error" not in with_leaves(tree, np.array([1])).recipe
