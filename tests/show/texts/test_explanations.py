"""Explanations of equations, forests, boosting, K* and exemplars: their figures add up to what `predict` gives."""

from __future__ import annotations

import math
import re
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import hornbeam
from hornbeam import Nominal, Schema, Table
from hornbeam.show import explain

if TYPE_CHECKING:
    from pathlib import Path

FIGURE = r"(-?[\d.]+(?:e[+-]?\d+)?)"
ROWS = (0, 3, 17, 40)


@cache
def table_of(name: str) -> Table:
    return hornbeam.read(name)


@cache
def fitted(name: str, data: str) -> Any:
    makers: dict[str, Any] = {
        "linear": hornbeam.LinearRegressor,
        "pseudo-attributes": lambda: hornbeam.LinearRegressor(degree=2),
        "polynomial": lambda: hornbeam.PolynomialRegressor(2),
        "forest": lambda: hornbeam.RandomForestRegressor(20, random_state=0),
        "boosting": lambda: hornbeam.GradientBoostingRegressor(random_state=0),
        "forest of classes": lambda: hornbeam.RandomForestClassifier(20, random_state=0),
        "boosting of classes": lambda: hornbeam.GradientBoostingClassifier(random_state=0),
        "kstar": lambda: hornbeam.KStarRegressor(blend=0.5),
        "kstar of classes": lambda: hornbeam.KStarClassifier(blend=0.5),
        "exemplars": hornbeam.ExemplarsClassifier,
        "discretized": lambda: hornbeam.DiscretizedRegressor("forest", bins=4),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return makers[name]().fit(table_of(data))


def figures(lines: list[str]) -> list[float]:
    """The first figure of every indented line."""
    found = [re.match(rf" +{FIGURE}%? ", line) for line in lines if line.startswith("  ")]
    return [float(match[1]) for match in found if match]


def near(parts: list[float], figures_shown: int) -> Any:
    """What the sum of rounded figures may differ by."""
    return math.fsum(parts), sum(abs(part) for part in parts) * 10.0 ** (1 - figures_shown)


# ---- equations ----


@pytest.mark.parametrize("data", ["cpu", "servo", "auto-mpg"])
@pytest.mark.parametrize("name", ["linear", "pseudo-attributes", "polynomial"])
@pytest.mark.parametrize("row", ROWS)
def test_terms_of_an_equation_add_up_to_the_prediction(name: str, data: str, row: int) -> None:
    table = table_of(data)
    model = fitted(name, data)
    lines = explain(model, table, row).splitlines()
    parts = figures(lines)
    total, slack = near(parts, 5)
    assert len(parts) == len(model.model_.terms) + 1
    assert model.predict(table.take([row]))[0] == pytest.approx(total, abs=slack + 1e-9)
    assert lines[-1].startswith("so class = ")
    assert float(re.findall(FIGURE, lines[-1])[-1]) == pytest.approx(model.predict(table.take([row]))[0], rel=1e-4)


def test_missing_values_and_indicators_of_an_equation_are_said() -> None:
    frame = pd.DataFrame({"maker": ["us", "asia", None, "us", "asia", "us"] * 9, "x": [1.0, np.nan, 2, 3, 4, 5] * 9})
    y = np.arange(54.0) % 6
    model = hornbeam.LinearRegressor(None, degree=2).fit(frame, y)
    table = hornbeam.read(frame)
    assert re.search(r"\* maker = \w+: (yes|no)\n", explain(model, table, 0))
    assert re.search(r"\* maker = \w+, missing: 0\.\d+\n", explain(model, table, 2))
    assert re.search(r"\* x, missing: 3\n", explain(model, table, 1))
    assert re.search(r"\* x\^2, missing: 9\n", explain(model, table, 1))


# ---- forests ----


@pytest.mark.parametrize("data", ["cpu", "auto-mpg"])
@pytest.mark.parametrize("name", ["forest", "boosting"])
@pytest.mark.parametrize("row", ROWS)
def test_columns_of_a_forest_of_numbers_add_up_to_the_prediction(name: str, data: str, row: int) -> None:
    table = table_of(data)
    model = fitted(name, data)
    *parts, total = figures(explain(model, table, row).splitlines())
    summed, slack = near(parts, 4)
    assert summed == pytest.approx(total, abs=slack + abs(total) * 1e-3)
    assert model.predict(table.take([row]))[0] == pytest.approx(summed, abs=slack + 1e-6)


@pytest.mark.parametrize("data", ["iris", "labor"])
@pytest.mark.parametrize("row", ROWS)
def test_columns_of_a_forest_of_classes_add_up_to_the_probability(data: str, row: int) -> None:
    table = table_of(data)
    model = fitted("forest of classes", data)
    told = explain(model, table, row).splitlines()
    *parts, total = figures(told)
    shares = model.predict_proba(table.take([row]))[0]
    summed, slack = near(parts, 4)
    assert summed == pytest.approx(shares.max(), abs=slack + 1e-6)
    assert total == pytest.approx(shares.max(), rel=1e-3)
    assert told[0] == f"row {row + 1}: probability of {model.classes_[shares.argmax()]}, the mean of 20 trees"
    assert told[-1] == f"so class = {model.predict(table.take([row]))[0]}"


@pytest.mark.parametrize("row", ROWS)
def test_columns_of_boosting_add_up_to_the_score_and_the_score_to_the_probability(row: int) -> None:
    labor, iris = table_of("labor"), table_of("iris")
    two = fitted("boosting of classes", "labor")
    told = explain(two, labor, row)
    *parts, score = figures(told.splitlines())
    summed, slack = near(parts, 4)
    assert two.model_.scores(labor.take([row]))[0, 0] == pytest.approx(summed, abs=slack + 1e-6)
    share = float(re.search(rf"by the logistic function a probability of {FIGURE}", told)[1])  # type: ignore[index]
    assert share == pytest.approx(1 / (1 + math.exp(-score)), abs=1e-3)
    assert share == pytest.approx(two.predict_proba(labor.take([row]))[0, 1], abs=1e-4)
    three = fitted("boosting of classes", "iris")
    told = explain(three, iris, row)
    *parts, score = figures(told.splitlines())
    others = [float(figure) for figure in re.findall(rf"Iris-\w+ {FIGURE}[,;]", told)]
    share = float(re.search(rf"by softmax a probability of {FIGURE}", told)[1])  # type: ignore[index]
    assert share == pytest.approx(math.exp(score) / sum(map(math.exp, [score, *others])), abs=2e-3)
    assert share == pytest.approx(three.predict_proba(iris.take([row])).max(), abs=1e-4)


def test_many_columns_are_not_all_told() -> None:
    x = np.random.default_rng(0).normal(size=(200, 40))
    frame = pd.DataFrame(x, columns=[f"c{i}" for i in range(40)])
    model = hornbeam.RandomForestRegressor(20, random_state=0).fit(frame, x.sum(axis=1))
    told = explain(model, hornbeam.read(frame), 5).splitlines()
    *parts, total = figures(told)
    assert len(parts) == 22  # the start, twenty columns, the others
    assert re.search(r"\d+ more columns$", told[-3])
    assert sum(parts) == pytest.approx(total, abs=0.02)


def test_a_link_of_counts_is_said() -> None:
    x = np.random.default_rng(0).uniform(size=(200, 2))
    y = np.random.default_rng(1).poisson(np.exp(2 * x[:, 0]))
    frame = pd.DataFrame(x, columns=["a", "b"])
    model = hornbeam.GradientBoostingRegressor(loss="poisson", random_state=0).fit(frame, y)
    told = explain(model, hornbeam.read(frame), 0)
    number = float(re.search(rf"its exponential is {FIGURE}", told)[1])  # type: ignore[index]
    assert number == pytest.approx(model.predict(frame[:1])[0], rel=1e-3)


# ---- rows and boxes ----


@pytest.mark.parametrize("row", ROWS)
def test_weights_of_k_star_rows_add_up_and_give_the_prediction(row: int) -> None:
    for name, data in (
        ("kstar of classes", "labor"),
        ("kstar of classes", "iris"),
        ("kstar", "cpu"),
        ("kstar", "servo"),
    ):
        table, model = table_of(data), fitted(name, data)
        weights = model.model_.row_weights(table.take([row]))[0]
        assert weights.sum() == pytest.approx(1)
        truth = model.model_.kept.target_values()
        if name == "kstar":
            assert model.predict(table.take([row]))[0] == pytest.approx(weights @ truth)
        else:
            shares = np.bincount(truth, weights, minlength=len(model.classes_))
            assert model.predict_proba(table.take([row]))[0] == pytest.approx(shares)
        told = explain(model, table, row).splitlines()
        assert sum(figures(told)) == pytest.approx(100, abs=0.7)  # each rounded to a tenth of a percent
        listed = [int(number) for number in re.findall(r"kept row (\d+),", "\n".join(told))]
        assert listed == (np.argsort(-weights, kind="stable")[: len(listed)] + 1).tolist()


@pytest.mark.parametrize("data", ["iris", "labor", "weather.numeric", "glass"])
def test_the_nearest_box_decides(data: str) -> None:
    table, model = table_of(data), fitted("exemplars", data)
    apart = model.model_.differences(table)
    order = model.model_.by_distance(table)
    assert order[:, 0].tolist() == model.model_.deciding(table).tolist()
    half = hornbeam.ExemplarsClassifier().fit(table.take(np.arange(0, table.n_rows, 2)))
    assert half.model_.by_distance(table)[:, 0].tolist() == half.model_.deciding(table).tolist()
    for row in (0, 7, 12):
        told = explain(half, table, row).splitlines()
        assert told[-1] == (
            f"so {table.schema.target_column.name} = {half.predict(table.take([row]))[0]}, "
            f"as box {half.model_.deciding(table)[row] + 1}"
        )
        away = [0.0 if line.startswith("  in") else float(line.split()[0]) for line in told[1:-1] if " box " in line]
        assert away == sorted(away)
        assert len(away) == min(5, len(half.model_))
    nearest = apart.sum(axis=2).argmin(axis=1)
    far = apart.sum(axis=2)[np.arange(table.n_rows), [order[:, 0], nearest]]
    assert far[0] == pytest.approx(far[1], abs=1e-12)


def test_parts_of_the_distance_to_a_box_are_its_squares() -> None:
    table = table_of("glass")
    model = hornbeam.ExemplarsClassifier().fit(table.take(np.arange(0, 214, 3)))
    for row in (1, 2, 40, 100):
        for line in explain(model, table, row).splitlines()[1:]:
            found = re.match(rf"  {FIGURE} from box .*, outside of it in (.*)$", line)
            if found and "more" not in found[2]:
                parts = [float(part) for part in re.findall(rf"\({FIGURE}\)", found[2])]
                assert math.sqrt(sum(part**2 for part in parts)) == pytest.approx(float(found[1]), rel=2e-3)


def test_a_box_of_one_row_is_told_by_its_values() -> None:
    told = explain(fitted("exemplars", "iris"), table_of("iris"), 70)
    assert "in box 8, Iris-versicolor, of 1 row: sepallength = 5.9 and sepalwidth = 3.2" in told


# ---- others ----


def test_intervals_times_probabilities_add_up() -> None:
    table, model = table_of("cpu"), fitted("discretized", "cpu")
    for row in ROWS:
        told = explain(model, table, row)
        parts = figures(told.split("probability of each interval * its number:\n")[1].splitlines())
        total, slack = near(parts, 5)
        assert model.predict(table.take([row]))[0] == pytest.approx(total, abs=slack)


def test_members_of_any_kind_are_explained() -> None:
    iris = table_of("iris")
    for name in ("forest", "boosting", "kstar", "exemplars", "neighbors", "svm"):
        bagged = hornbeam.BaggingClassifier(name, n_estimators=2, random_state=0).fit(iris)
        told = explain(bagged, iris, 0)
        assert told.count("so class = Iris-setosa") == 2, name
        assert told.endswith("together class = Iris-setosa, the mean of 2 members")


def test_names_are_escaped() -> None:
    schema = Schema(
        (Nominal("a\x1b[31m", ("b\x07", "c\n")), Nominal("k\x1b", ("y\x1b", "n\x1b"))), ("feature", "target")
    )
    codes = np.tile([0, 1], 10).astype(np.int32)
    table = Table(schema, [codes, codes])
    for name in ("RandomForestClassifier", "GradientBoostingClassifier", "KStarClassifier", "ExemplarsClassifier"):
        told = explain(getattr(hornbeam, name)().fit(table), table, 0)
        assert not {character for character in told if ord(character) < 32} - {"\n"}, name
        assert "\n\n" not in told


@pytest.mark.parametrize(
    ("data", "scheme"),
    [("cpu", "linear"), ("iris", "forest"), ("labor", "boosting"), ("weather", "kstar"), ("iris", "exemplars")],
)
def test_on_the_command_line(data: str, scheme: str, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from hornbeam.cli.main import app

    path = tmp_path / "m.hornbeam"
    assert CliRunner().invoke(app, ["learn", data, "--scheme", scheme, "--cv", "0", "--save", str(path)]).exit_code == 0
    told = CliRunner().invoke(app, ["predict", str(path), data, "--explain", "3"])
    assert told.exit_code == 0, told.output
    assert told.stdout == explain(hornbeam.load(path), hornbeam.read(data), 2) + "\n"


def test_rules_that_get_nothing_of_a_row_are_not_named() -> None:
    table = hornbeam.read("iris")
    rules = hornbeam.PartClassifier().fit(table).model_
    assert rules.decide == "remaining"
    whole = table.take([0])
    assert rules.rules[0].holds(whole)[0] == rules.rules[1].holds(whole)[0] == 1.0  # the first leaves nothing over
    said = hornbeam.show.explain(rules, whole, 0)
    assert "rule 1: " in said
    assert "rule 2: " not in said
    blank = Table(table.schema, [np.full(1, np.nan)] * 4 + [np.zeros(1, np.int32)])
    parts = hornbeam.show.explain(rules, blank, 0)
    assert "rule 1: " in parts
    assert "rule 2: " in parts
    assert "none of the" not in parts
