"""Densities of mixtures, drawn: the curves are the model's, and every name is safe."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import hornbeam
from hornbeam.show.pictures.density_svg import marginals

SVG = "{http://www.w3.org/2000/svg}"


def mixed(distributions: Any = None) -> Any:
    random = np.random.default_rng(0)
    group = random.integers(0, 2, 200)
    frame = pd.DataFrame(
        {
            "u": random.normal(size=200) + 5 * group,
            "n": random.poisson(2 + 8 * group),
            "w": np.exp(random.normal(size=200) / 4 + group),
            "<b>kind": np.where(random.random(200) < 0.9, group, 1 - group).astype(str),
        }
    )
    return hornbeam.MixtureModel(2, distributions=distributions, random_state=0).fit(frame), frame


def test_a_curve_is_weight_times_density() -> None:
    learner, _ = mixed()
    model = learner.model_
    values = np.linspace(-3, 8, 50)
    found = marginals(model, 0, values)
    for component in range(2):
        told = model.distributions(component)[0].parameters
        expected = model.components.weights[component] * stats.norm.pdf(values, told["mean"], told["deviation"])
        assert np.allclose(found[:, component], expected, rtol=1e-9)


def test_curves_over_a_column_have_the_area_of_their_weight() -> None:
    learner, _ = mixed({"w": ("log-normal", 0.0)})
    values = np.linspace(1e-6, 40, 200_001)
    area = np.trapezoid(marginals(learner.model_, 2, values), values, axis=0)
    assert np.allclose(area, learner.model_.components.weights, atol=1e-4)


def test_counts_and_categories_sum_to_the_weights() -> None:
    learner, _ = mixed({"n": "poisson"})
    model = learner.model_
    for place, values in ((1, np.arange(100.0)), (3, np.arange(2, dtype=np.int32))):
        assert np.allclose(marginals(model, place, values).sum(axis=0), model.components.weights, atol=1e-9)


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_every_column_has_a_panel(theme: str) -> None:
    learner, _ = mixed({"n": "poisson", "w": ("log-normal", 0.0)})
    picture = hornbeam.show.densities(learner, theme=theme)
    root = ET.fromstring(picture)  # noqa: S314 - ours
    words = {text.text for text in root.iter(f"{SVG}text")}
    assert {"u", "n", "w", "<b>kind"} <= words
    assert "<b>" not in picture
    curves = [path for path in root.iter(f"{SVG}path") if path.get("data-component") is not None]
    assert len(curves) == 3 * 2


def test_ellipses_go_through_one_and_two_deviations() -> None:
    table = hornbeam.read("iris")
    learner = hornbeam.MixtureModel(2, covariance_type="full", random_state=0).fit(table)
    picture = hornbeam.show.densities(learner, table, plane=("petallength", "sepalwidth"))
    root = ET.fromstring(picture)  # noqa: S314 - ours
    assert len([c for c in root.iter(f"{SVG}circle") if c.get("r") == "2"]) == 150
    assert len([p for p in root.iter(f"{SVG}path") if p.get("fill") == "none" and p.get("d", "").endswith("Z")]) == 4


def test_what_cannot_be_drawn_is_refused() -> None:
    learner, _ = mixed({"n": "poisson"})
    with pytest.raises(ValueError, match="column 'n' is poisson; expected two columns with normal distributions"):
        hornbeam.show.densities(learner, plane=("u", "n"))
    with pytest.raises(TypeError, match="cannot draw the densities of a Partition"):
        hornbeam.show.densities(hornbeam.KMeans(2, random_state=0).fit(hornbeam.read("iris")))
