from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

import hornbeam
from hornbeam.evaluate import Trial, Tuning, tune
from hornbeam.evaluate.comparing.comparison import Estimate
from hornbeam.evaluate.tuning.settings import coarse
from hornbeam.schemes.scheme import Range, Search
from hornbeam.show.pictures import palette

SVG = "{http://www.w3.org/2000/svg}"
TWO: dict[str, Search] = {"C": Range(2.0**-5, 2.0**15, "log", 6, "low"), "gamma": Range(2.0**-15, 8.0, "log", 7)}


def found(searches: dict[str, Search], name: str = "made") -> Tuning:
    """Every setting a little better than the one before, but for the first of the grid, which failed."""
    grid = coarse(searches)
    trials = [
        Trial(setting, Estimate(0.5 + place / 100, (0, 1), (0.5 + place / 100 - 0.01, 0.5 + place / 100 + 0.01)), None)
        for place, setting in enumerate(grid.settings())
    ]
    trials[0] = replace(trials[0], score=None, problem="no <rows>")
    return Tuning(name, 100, None, searches, "accuracy", tuple(trials), (grid,), 2, 1)


def parsed(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314 - our own


def texts(picture: str) -> list[str]:
    return [part.text or "" for part in parsed(picture).iter(f"{SVG}text")]


def test_a_heat_map_has_every_figure_and_marks_the_best() -> None:
    picture = found(TWO).svg()
    told = texts(picture)
    assert {f"{50 + place}.0" for place in range(1, 42)} <= set(told)
    assert {"32768.0", "0.03125", "8.0", "C", "gamma", "51.0%", "91.0%"} <= set(told)
    assert told.count("-") == 1  # the setting that failed
    assert "no &lt;rows&gt;" in picture
    outlines = [part for part in parsed(picture).iter(f"{SVG}rect") if part.get("stroke-width") == "3"]
    assert outlines[0].get("stroke") == palette.CATEGORIES[5]
    assert "best" in told


def test_better_is_darker_whichever_way_is_better() -> None:
    accuracy = found(TWO)
    for tuning in (accuracy, replace(accuracy, measure="log loss")):
        cells = {
            group.findtext(f"{SVG}text"): group.find(f"{SVG}rect").get("fill")  # type: ignore[union-attr]
            for group in parsed(tuning.svg()).iter(f"{SVG}g")
        }
        best, worst = ("91.0", "51.0") if tuning.higher_is_better else ("0.51", "0.91")
        assert cells[best] == palette.HIGH.lower()
        assert cells[worst] == palette.LOW.lower()


def test_names_from_data_are_escaped() -> None:
    picture = found(TWO, '<script>alert("x")</script>').svg()
    assert "<script" not in picture
    assert parsed(picture).findtext(f"{SVG}title") == '<script>alert("x")</script>: accuracy by C and gamma'


def test_one_parameter_is_a_line_with_bars() -> None:
    tuning = found({"n_neighbors": Range(1, 64, "whole", 7, "high")})
    picture = tuning.svg()
    drawing = parsed(picture)
    (line,) = drawing.iter(f"{SVG}polyline")
    points = [tuple(map(float, point.split(","))) for point in (line.get("points") or "").split()]
    assert len(points) == 6  # one of seven failed
    gaps = [after[0] - before[0] for before, after in pairwise(points)]
    assert gaps == pytest.approx([gaps[0]] * 5, abs=0.02)  # equal ratios
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert {"n_neighbors (equal ratios, equal distances)", "best", "2", "64"} <= set(texts(picture))


def test_choices_are_spread_evenly() -> None:
    picture = found({"weights": ("uniform", "inverse", "similarity")}).svg()
    assert {"inverse", "similarity"} <= set(texts(picture))


def test_where_all_figures_are_equal() -> None:
    figure = Estimate(0.5, (0.5, 0.5), (0.5, 0.5))
    for searches in (TWO, {"n_neighbors": Range(1, 4, "whole", 4)}):
        made = found(searches)
        made = replace(made, trials=tuple(replace(trial, score=figure, problem=None) for trial in made.trials))
        parsed(made.svg())


def test_the_best_may_be_off_the_grid() -> None:
    made = found(TWO)
    best = Trial({"C": 3.0, "gamma": None}, Estimate(0.99, (0, 1), (0.98, 1.0)), None)
    made = replace(made, trials=(best, *made.trials))
    assert any("best as given: C = 3.0, gamma = none, 99.0%" in text for text in texts(made.svg()))


def test_what_has_no_picture_is_refused() -> None:
    iris = hornbeam.read("iris")
    with pytest.raises(ValueError, match="a picture needs a grid"):
        tune("neighbors", iris, tries=2, folds=2).svg()
    made = found(TWO)
    failed = tuple(replace(trial, score=None, problem="no") for trial in made.trials)
    with pytest.raises(ValueError, match="nothing to draw"):
        replace(made, trials=failed).svg()
