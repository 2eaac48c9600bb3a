"""Runs from many starts: what is told of them is what naive counting gives."""

from __future__ import annotations

import itertools
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.evaluate import RestartStudy, restarts
from hornbeam.evaluate.starts.restart_views import conclusions
from hornbeam.show.pictures import palette

SVG = "{http://www.w3.org/2000/svg}"


def deck(d: int) -> np.ndarray:
    """Four vectors of d numbers: two pairs, and a worse way to pair them."""
    rows = np.zeros((4, d))
    rows[1, 0] = rows[3, 0] = 1
    rows[2, 1:] = rows[3, 1:] = 1
    return rows


def squared_error(rows: np.ndarray, labels: np.ndarray) -> float:
    return sum(float(((rows[labels == k] - rows[labels == k].mean(axis=0)) ** 2).sum()) for k in set(labels.tolist()))


def rand(one: np.ndarray, other: np.ndarray) -> float:
    """Adjusted Rand index by its definition: pairs of rows together in both, beyond chance."""
    pairs = list(itertools.combinations(range(len(one)), 2))
    both = sum(one[i] == one[j] and other[i] == other[j] for i, j in pairs)
    first, second = (sum(labels[i] == labels[j] for i, j in pairs) for labels in (one, other))
    chance = first * second / len(pairs)
    return float((both - chance) / ((first + second) / 2 - chance))


@pytest.fixture(scope="module")
def drawn() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(40, 2))


@pytest.fixture(scope="module")
def study(drawn: np.ndarray) -> RestartStudy:
    return restarts(hornbeam.KMeans(4, init="random", numeric="as-is"), drawn, 60, compared=5)


@pytest.mark.parametrize("d", [3, 6])
def test_the_deck_s_four_vectors(d: int) -> None:
    found = restarts(hornbeam.KMeans(2, init="random", numeric="as-is"), deck(d), 60)
    assert {round(one.score, 9) for one in found.solutions} >= {1.0, float(d - 1)}
    assert found.best == pytest.approx(1, abs=1e-9)
    assert found.ratios.max() == pytest.approx(d - 1, abs=1e-9)
    assert found.zero_cost is not None
    assert (found.zero_cost.exists, found.zero_cost.found, found.zero_cost.distinct) == (False, 0, 4)


def test_solutions_are_what_they_are_said_to_be(study: RestartStudy, drawn: np.ndarray) -> None:
    kept = [one for one in study.solutions if one.labels is not None]
    assert len(kept) == 5
    assert all(one.labels is None for one in study.solutions[5:])
    for one in kept:
        assert one.labels is not None
        assert one.score == pytest.approx(squared_error(drawn, one.labels), rel=1e-9)
    for i, j in itertools.combinations(range(5), 2):
        assert study.agreement[i, j] == pytest.approx(rand(kept[i].labels, kept[j].labels), abs=1e-12)  # type: ignore[arg-type]
        assert study.agreement[i, j] < 1
    figures = [one.score for one in study.solutions]
    assert figures == sorted(figures)
    assert [one.runs for one in study.solutions] == np.bincount(study.of_run).tolist()
    for run, place in enumerate(study.of_run):
        assert study.scores[run] == pytest.approx(figures[place], rel=1e-9)
    assert len(study.solutions) > 5


def test_runs_are_fits_from_one_start(study: RestartStudy, drawn: np.ndarray) -> None:
    seeds = np.random.RandomState(1).randint(2**31 - 1, size=60)
    for run in (0, 7, 59):
        alone = hornbeam.KMeans(4, init="random", numeric="as-is", n_init=1, random_state=int(seeds[run])).fit(drawn)
        assert (study.scores[run], study.steps[run]) == (alone.inertia_, alone.n_iter_)
    assert study.converged.all()


def test_the_reported_scores_are_those_of_the_runs(study: RestartStudy) -> None:
    assert study.best == study.scores.min()
    assert study.ratios == pytest.approx(study.scores / study.best, rel=1e-12)
    assert study.found_best == study.solutions[0].runs / 60
    near = int((study.scores <= 1.01 * study.best).sum())
    assert study.near_best == near / 60
    assert study.enough is not None
    assert 1 - (1 - near / 60) ** study.enough >= 0.95 > 1 - (1 - near / 60) ** (study.enough - 1)
    assert study.n_near == sum(one.score <= 1.01 * study.best for one in study.solutions)
    cuts = study.quantiles()
    assert cuts["error"].tolist() == [*np.sort(study.scores)[[0, 14, 29, 44, 59]], study.scores.mean()]
    assert cuts["steps"][4] == study.steps.max()


def test_no_partition_is_better_than_the_best_found() -> None:
    rows = np.random.default_rng(8).normal(size=(9, 2))
    every = (np.array(labels) for labels in itertools.product(range(2), repeat=9) if len(set(labels)) == 2)
    least = min(squared_error(rows, labels) for labels in every)
    found = restarts(hornbeam.KMeans(2, init="random", numeric="as-is"), rows, 40)
    assert found.best == pytest.approx(least, rel=1e-9)
    assert (found.scores >= least * (1 - 1e-9)).all()


def test_a_better_score_may_be_known() -> None:
    found = restarts(hornbeam.KMeans(2, numeric="as-is"), deck(4), 5, best_known=0.5)
    assert found.best == 0.5
    assert found.ratios.min() == pytest.approx(2)
    assert (found.n_near, found.enough) == (0, None)
    assert "No solution is within 1% of the best known." in conclusions(found)
    worse = restarts(hornbeam.KMeans(2, numeric="as-is"), deck(4), 5, best_known=100.0)
    assert worse.best == pytest.approx(1)


def test_neither_threads_nor_more_runs_change_the_first(study: RestartStudy, drawn: np.ndarray) -> None:
    learner = hornbeam.KMeans(4, init="random", numeric="as-is")
    assert restarts(learner, drawn, 60, compared=5, n_jobs=3).to_json() == study.to_json()
    assert restarts(learner, drawn, 10).scores.tolist() == study.scores[:10].tolist()
    assert restarts(learner, drawn, 60, random_state=2).scores.tolist() != study.scores.tolist()
    assert not hasattr(learner, "model_")


# ---- a solution without error ----


def test_a_solution_without_error_is_found_where_there_is_one() -> None:
    rows = np.repeat(deck(5), 3, axis=0) + 1e9
    found = restarts(hornbeam.KMeans(4, init="random"), rows, 10)
    assert found.zero_cost is not None
    assert (found.zero_cost.exists, found.zero_cost.distinct, found.zero_cost.found) == (True, 4, 10)
    assert found.ratios.tolist() == [1.0] * 10
    assert "A solution without error exists (4 different rows, 4 clusters): 10 of 10 starts led to one." in conclusions(
        found
    )


def test_of_rows_that_lack_values_it_is_not_known() -> None:
    schema = Schema((Numeric("x"), Nominal("c", ("a", "b"))), ("feature", "feature"))
    values = [np.array([0.0, np.nan, 1.0, 2.0, 4.0]), np.array([0, 0, 1, -1, 1], np.int32)]
    found = restarts(hornbeam.KMeans(2), hornbeam.Table(schema, values), 8)
    assert found.zero_cost is not None
    assert found.zero_cost.exists is None
    assert "is not known: 5 different rows, 2 clusters, and values are missing." in found.text()
    unlike = restarts(hornbeam.KMeans(2, column_weights={"x": 0.0}), hornbeam.Table(schema, values), 8)
    assert unlike.zero_cost is not None
    assert (unlike.zero_cost.exists, unlike.zero_cost.found) == (True, 8)  # only c counts, which lacks a value


def test_rows_of_weight_zero_take_no_part(drawn: np.ndarray) -> None:
    weights = np.ones(40)
    weights[30:] = 0
    learner = hornbeam.KMeans(3, numeric="as-is")
    found = restarts(learner, drawn, 5, sample_weight=weights)
    assert found.n_rows == 30
    assert found.scores == pytest.approx(restarts(learner, drawn[:30], 5).scores, rel=1e-9)
    schema = Schema((Numeric("x"), Numeric("w")), ("feature", "weight"))
    with pytest.raises(ValueError, match="every row has weight zero"):
        restarts(learner, hornbeam.Table(schema, [np.arange(4.0), np.zeros(4)]), 5)


# ---- EM and COBWEB ----


def test_em_ends_at_log_posteriors() -> None:
    iris = hornbeam.read("iris")
    learner = hornbeam.MixtureModel(3, covariance_type="full", init="random")
    found = restarts(learner, iris, 6)
    seed = int(np.random.RandomState(1).randint(2**31 - 1, size=1)[0])
    alone = hornbeam.MixtureModel(3, covariance_type="full", init="random", random_state=seed).fit(iris)
    assert (found.scores[0], found.steps[0]) == (alone.log_posteriors_[-1], alone.n_iter_)
    assert found.best == found.scores.max()
    assert found.ratios == pytest.approx(np.exp((found.best - found.scores) / 150), rel=1e-12)
    assert found.zero_cost is None
    begun = restarts(hornbeam.MixtureModel(6), iris, 12)
    assert len(set(begun.scores.round(6).tolist())) > 1  # starts of k-means are not all the best of several


def test_cobweb_takes_rows_in_other_orders() -> None:
    weather = hornbeam.read("weather")
    found = restarts(hornbeam.Cobweb(), weather, 30)
    features = np.array([weather.columns[place] for place in weather.schema.features])
    for one in found.solutions:
        if one.labels is None:
            continue
        worth = [sum(float((np.bincount(column[mine]) ** 2).sum()) / mine.sum() ** 2 for column in features)
                 for mine in (one.labels == k for k in range(one.labels.max() + 1))]  # fmt: skip
        whole = sum(float((np.bincount(column) ** 2).sum()) / 14**2 for column in features)
        utility = (np.bincount(one.labels) / 14 @ worth - whole) / len(worth)
        assert one.score == pytest.approx(utility, abs=1e-9)
    assert found.best == found.scores.max() == found.solutions[0].score
    assert found.ratios == pytest.approx(found.best / found.scores, rel=1e-12)
    assert len(found.solutions) > 1
    assert "30 orders (seed 1)" in found.text()
    assert found.steps.max() > 0


# ---- bad input ----


@pytest.mark.parametrize(
    ("learner", "problem"),
    [
        (hornbeam.HierarchicalClustering(2), "expected KMeans, MixtureModel or Cobweb"),
        (hornbeam.KMeans("auto"), "n_clusters is 'auto'; expected a number"),
        (hornbeam.MixtureModel("auto"), "n_components is 'auto'; expected a number"),
        (hornbeam.KMeans(2, init=np.zeros((2, 3))), "init gives the start"),
        (hornbeam.KMeans(5), "there are 4 rows"),
        ("k-means", "expected KMeans, MixtureModel or Cobweb"),
    ],
)
def test_what_cannot_be_restarted_is_refused(learner: Any, problem: str) -> None:
    with pytest.raises((TypeError, ValueError), match=problem):
        restarts(learner, deck(3), 3)


@pytest.mark.parametrize("wish", [{"count": 0}, {"compared": 0}, {"best_known": "low"}])
def test_wrong_wishes_are_refused(wish: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError), match=next(iter(wish))):
        restarts(hornbeam.KMeans(2), deck(3), **wish)


def test_one_row_and_equal_rows() -> None:
    for rows in (np.ones((1, 2)), np.ones((5, 2))):
        for learner in (hornbeam.KMeans(1), hornbeam.MixtureModel(1), hornbeam.Cobweb()):
            found = restarts(learner, rows, 3)
            assert len(found.solutions) == 1
            assert found.ratios.tolist() == [1.0] * 3
            assert "All 3" in found.text()
            parsed(found.svg())
    one = restarts(hornbeam.KMeans(2), deck(3), 1)
    assert "One start alone does not show how others end" in one.text()


def test_runs_that_were_cut_off_are_told(drawn: np.ndarray) -> None:
    found = restarts(hornbeam.KMeans(4, init="random", max_iter=1), drawn, 10)
    many = int((~found.converged).sum())
    assert many
    assert f"{many} runs ended only because no more steps were allowed" in found.text()


# ---- for people and programs ----


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - our own


def test_the_picture_has_every_run(study: RestartStudy) -> None:
    picture = study.svg()
    assert picture == study.svg()
    notes = [part.text or "" for part in parsed(picture).iter(f"{SVG}title")]
    counted = [note.rsplit(": ", 1) for note in notes if note.endswith((" starts", " start"))]
    ends = [int(told.split()[0]) for name, told in counted if "steps" not in name]
    steps = {int(name.split()[0]): int(told.split()[0]) for name, told in counted if "steps" in name}
    assert sum(ends) == sum(steps.values()) == 60
    assert {step: many for step, many in steps.items() if many} == {
        step: many for step, many in enumerate(np.bincount(study.steps).tolist()) if many
    }
    texts = [part.text or "" for part in parsed(picture).iter(f"{SVG}text")]
    assert texts.count("1.00") >= 5
    assert f"{study.agreement[0, 4]:.2f}" in texts
    assert set(conclusions(study)) <= set(texts)
    heights = [
        float(part.get("height") or 0) for part in parsed(picture).iter(f"{SVG}rect") if part.get("fill") == "#0072B2"
    ]
    first = heights[: len(ends)]
    assert first == pytest.approx([many * max(first) / max(ends) for many in ends], abs=0.05)


def test_the_picture_can_be_dark(study: RestartStudy) -> None:
    light, dark = study.svg("light"), study.svg("dark")
    assert [part.text for part in parsed(dark).iter()] == [part.text for part in parsed(light).iter()]
    fills = {part.get("fill") for part in parsed(dark).iter()} - {None}
    assert palette.DARK.ground in fills
    assert not fills & {"#ffffff", palette.INK, palette.MUTED, palette.LOW.lower(), palette.HIGH.lower()}
    with pytest.raises(ValueError, match="theme is 'gray'"):
        study.svg("gray")


def test_names_from_data_are_harmless() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 1))
    schema = Schema((Numeric("x"),), ("feature",), '<script>alert("x")</script>\x1b[2J')
    found = restarts(hornbeam.KMeans(2), hornbeam.Table(schema, [rows[:, 0].copy()]), 4)
    picture = found.svg()
    assert "<script" not in picture
    parsed(picture)
    assert "\x1b" not in picture + found.text()


def test_text_and_json_tell_the_same(study: RestartStudy) -> None:
    told, plain = study.text(), study.to_json()
    assert plain["runs"] == len(plain["scores"]) == len(plain["solution_of_run"]) == 60
    assert len(plain["solutions"]) == len(study.solutions)
    assert f"{plain['solutions'][0]['runs']} of 60 starts led to the best solution" in told
    assert f"... and {len(study.solutions) - 5} more" in told
    assert f"... and {len(study.solutions) - 1} more" in study.text(solutions=1)
    every = study.text(solutions=1000)
    assert "more" not in every.split("\n\n")[2]
    assert every.split("\n\n")[2].splitlines()[-1].endswith(" -")  # was not compared
