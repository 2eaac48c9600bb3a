"""The figures that stand under clusters are those of the training rows that the model puts there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import CLUSTERERS
from conformance.test_printed_figures import table_of
from reference import concepts
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal
from hornbeam.model.clusters.projected import project

if TYPE_CHECKING:
    from hornbeam.data.table import Table

TABLES = ("iris", "weather.numeric", "auto-mpg")
EVERY: dict[str, Any] = CLUSTERERS | {
    "k-means on axes": hornbeam.KMeans(3, pca=2, random_state=0),
    "mixture on axes": hornbeam.MixtureModel(2, pca=2, random_state=0),
}
CLUSTER = re.compile(r"cluster (\d+): (\d+) rows? \(([\d.]+)%( of the weight)?\)")
NUMBER = re.compile(r"  (\S+) +(-?[\d.e+-]+) ± ([\d.e+-]+)(?: +(-?[\d.e+-]+) elsewhere +([+-][\d.]+) sd)?")
CATEGORY = re.compile(
    r"  (\S+) +(\S+) \(([<>]?\d+)%\)(?: +(?:(\S+) ([<>]?\d+)%, )?([<>]?\d+)% elsewhere +([+-][\d.]+) sd)?"
)
CONCEPT = re.compile(
    r"[ │├└─]*(\d+) \((?:(\d+) rows?|rows? ([\d, ]+)(?:, … (\d+) more)?)\)(?:: (.*?))?(?: … (\d+) below)?$"
)
CONCEPTS = re.compile(r"(\d+) rows in (\d+) concepts, (\d+) of them leaves; category utility (-?[\d.e+-]+)$")
PROPORTION = re.compile(r"(\S+) = (\S+) ([<>]?\d+)% \(([<>]?\d+)% elsewhere\)")
MEAN = re.compile(r"(\S+) (-?[\d.e+-]+) \((-?[\d.e+-]+) elsewhere\)")
JOINING = re.compile(r"node (\d+), (\d+) rows, height ([\d.e+-]+)(?:, cluster (\d+))?")


OTHER = re.compile(
    r"$|sd: how far|by \d of \d principal axes|  and \d+ more|cluster \d+: no rows|  \S+ +no known value"
)


def rows_of(name: str, *, lacking: bool, weighted: bool) -> Table:
    """An example set without its target."""
    table = table_of(name, lacking=lacking, weighted=weighted)
    return table.select([place for place, role in enumerate(table.schema.roles) if role != "target"])


class Rows:
    """Figures of some rows of a table, computed here by plain averages."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.weights = np.ones(table.n_rows) if table.weights is None else table.weights
        self.places = {column.name: place for place, column in enumerate(table.schema.columns)}

    def average(self, name: str, rows: Any, category: str | None = None) -> tuple[float, float]:
        """Mean and deviation of a number among rows that have it, or the proportion of a category."""
        place = self.places[name]
        values, column = self.table.columns[place], self.table.schema.columns[place]
        if isinstance(column, Nominal):
            assert category is not None
            known = rows & (values >= 0)
            return float(
                np.average(values[known] == column.categories.index(category), weights=self.weights[known])
            ), 0.0
        known = rows & ~np.isnan(values)
        mean = np.average(values[known], weights=self.weights[known])
        return float(mean), float(np.sqrt(np.average((values[known] - mean) ** 2, weights=self.weights[known])))

    def check_number(self, line: re.Match[str], rows: Any) -> None:
        name, mean, deviation, rest, apart = line.groups()
        everywhere = self.average(name, np.ones(len(rows), bool))
        found = self.average(name, rows)
        same_digits(mean, found[0])
        same_digits(deviation, found[1], 2)
        if rest is not None:
            elsewhere = self.average(name, ~rows)[0]
            same_digits(rest, elsewhere)
            assert float(apart) == pytest.approx((found[0] - elsewhere) / everywhere[1], abs=0.0051)

    def check_category(self, line: re.Match[str], rows: Any) -> None:
        name, typical, share, other, other_share, rest, apart = line.groups()
        same_percent(share, self.average(name, rows, typical)[0])
        column = self.table.schema.columns[self.places[name]]
        assert isinstance(column, Nominal)
        assert self.average(name, rows, typical)[0] == pytest.approx(
            max(self.average(name, rows, category)[0] for category in column.categories)
        )
        if rest is None:
            return
        telling = typical if other is None else other
        here, elsewhere = self.average(name, rows, telling)[0], self.average(name, ~rows, telling)[0]
        whole = self.average(name, np.ones(len(rows), bool), telling)[0]
        if other_share is not None:
            same_percent(other_share, here)
        same_percent(rest, elsewhere)
        width = np.sqrt(whole * (1 - whole))
        assert float(apart) == pytest.approx((here - elsewhere) / width if width else 0.0, abs=0.0051)


def same_digits(printed: str, expected: float, digits: int = 4) -> None:
    """The printed number is the expected one, rounded to some digits."""
    off = 0.501 * 10.0 ** (np.floor(np.log10(abs(expected))) - digits + 1) if expected else 1e-12
    assert float(printed) == pytest.approx(expected, abs=max(off, 1e-9))


def same_percent(printed: str, share: float) -> None:
    if printed.startswith(("<", ">")):
        assert 0 < share < 0.005 if printed == "<1" else 0.995 <= share < 1
    else:
        assert float(printed) == pytest.approx(100 * share, abs=0.501)


def fitted(name: str, table: Table) -> Any:
    return clone(EVERY[name]).fit(table)


def tables_for(name: str) -> list[Table]:
    """Every table; principal axes need columns without missing values."""
    complete = (False,) if name.endswith("on axes") else (False, True)
    return [
        rows_of(data, lacking=lacking, weighted=weighted)
        for data in TABLES
        for lacking in complete
        for weighted in (False, True)
    ]


@pytest.mark.parametrize("name", EVERY)
def test_sizes_and_columns_of_clusters(name: str) -> None:
    for table in tables_for(name):
        learner, rows = fitted(name, table), Rows(table)
        text = hornbeam.show.text(learner.model_, style="describe")
        member = np.zeros(0, bool)
        n_checked = 0
        for line in text.splitlines()[1:]:
            if found := CLUSTER.match(line):
                member = np.asarray(learner.labels_) == int(found[1])
                assert int(found[2]) == member.sum()
                share = rows.weights[member].sum() / rows.weights.sum()
                assert float(found[3]) == pytest.approx(100 * share, abs=0.0501)
                assert (found[4] is not None) == (table.weights is not None)
            elif found := NUMBER.match(line):
                rows.check_number(found, member)
                n_checked += 1
            elif found := CATEGORY.match(line):
                rows.check_category(found, member)
                n_checked += 1
            else:
                assert OTHER.match(line), line
        assert n_checked >= len(table.schema.features)


@pytest.mark.parametrize(
    "name", ["k-means", "k-means bisecting", "mixture", "mixture full", "k-means on axes", "mixture on axes"]
)
def test_the_error_and_the_likelihood(name: str) -> None:
    for table in tables_for(name):
        learner, weights = fitted(name, table), Rows(table).weights
        assert np.array_equal(learner.labels_, learner.predict(table))
        text = hornbeam.show.text(learner.model_, style="describe").splitlines()[0]
        found = re.search(r"(squared error|log-likelihood) (-?[\d.e+-]+)(?:;|$)", text)
        assert found is not None
        model, points = learner.model_, table
        if name == "k-means on axes":
            model, points = model.inner, project(model.axes, table)
        each = model.costs(points) if name.startswith("k-means") else model.score_samples(points)
        same_digits(found[2], float((weights * each).sum()))


def naive(rows: Rows, acuity: float) -> concepts.Rows:
    """The rows as the naive program of the tests takes them."""
    schema, columns = rows.table.schema, rows.table.columns
    sizes = [len(c.categories) if isinstance(c, Nominal) else 0 for c in (schema.columns[f] for f in schema.features)]
    values = [
        np.where(columns[f] < 0, np.nan, columns[f]) if size else columns[f]
        for f, size in zip(schema.features, sizes, strict=True)
    ]
    return concepts.Rows(np.array(values, float).T.tolist(), sizes, rows.weights.tolist(), acuity, 0.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("data", TABLES)
def test_concepts(data: str, weighted: bool) -> None:
    for lacking in (False, True):
        table = rows_of(data, lacking=lacking, weighted=weighted)
        learner, rows = fitted("cobweb", table), Rows(table)
        model = learner.model_
        below = {node: np.zeros(table.n_rows, bool) for node in range(model.n_nodes)}
        for node in reversed(range(model.n_nodes)):
            if model.n_children[node] == 0:
                below[node][model.rows_of_leaves[node]] = True
            if node:
                below[int(model.parent[node])] |= below[node]
        assert below[0].all()
        lines = hornbeam.show.text(model).splitlines()
        head = CONCEPTS.match(lines[0])
        assert head is not None
        assert [int(part) for part in head.groups()[:3]] == [
            table.n_rows, model.n_nodes, int((model.n_children == 0).sum())
        ]  # fmt: skip
        parts = [np.flatnonzero(below[child]).tolist() for child in np.flatnonzero(model.parent == 0)]
        same_digits(head[4], naive(rows, learner.acuity).utility(parts))
        for line in lines[2:]:
            found = CONCEPT.match(line)
            assert found is not None, line
            node, count, listed, more, traits, left_out = found.groups()
            here = below[int(node)]
            if count is None:
                named = [int(row) - 1 for row in listed.split(", ")]
                assert here[named].all()
                assert here.sum() == len(named) + int(more or 0)
            else:
                assert int(count) == here.sum()
            assert int(left_out or model.n_children[int(node)]) == model.n_children[int(node)]
            for words in traits.split(", ") if traits else []:
                cells = re.sub(r"^(\S+) =? ?", r"  \1  ", words)
                if number := NUMBER.match(cells):
                    rows.check_number(number, here)
                else:
                    category = CATEGORY.match(cells)
                    assert category is not None, words
                    rows.check_category(category, here)


@pytest.mark.parametrize("name", ["ward", "average linkage", "top-down"])
@pytest.mark.parametrize("data", TABLES)
def test_dendrograms(name: str, data: str) -> None:
    for lacking in (False, True):
        table = rows_of(data, lacking=lacking, weighted=False)
        learner, rows = fitted(name, table), Rows(table)
        model = learner.model_
        lines = hornbeam.show.text(model).splitlines()
        assert lines[0].startswith(f"{table.n_rows} rows, ")
        assert lines[0].endswith(f"cut: {len(np.unique(learner.labels_))} clusters")
        n_joinings = 0
        for line in lines[2:]:
            found = JOINING.search(line)
            if found is None:
                assert re.search(r"row \d+", line)
                continue
            n_joinings += 1
            member = np.zeros(table.n_rows, bool)
            member[leaves_below(model, int(found[1]))] = True
            assert int(found[2]) == member.sum()
            same_digits(found[3], float(model.heights[int(found[1]) - table.n_rows]))
            if found[4] is not None:
                assert set(learner.labels_[member]) == {int(found[4])}
            for name_, category, here, there in PROPORTION.findall(line):
                same_percent(here, rows.average(name_, member, category)[0])
                same_percent(there, rows.average(name_, ~member, category)[0])
            for name_, mean, there in MEAN.findall(line):
                same_digits(mean, rows.average(name_, member)[0])
                same_digits(there, rows.average(name_, ~member)[0])
        assert n_joinings > 1


def leaves_below(model: Any, node: int) -> list[int]:
    """The rows under a joining, by walking down."""
    if node < model.n_rows:
        return [node]
    return [row for part in model.pairs[node - model.n_rows] for row in leaves_below(model, int(part))]
