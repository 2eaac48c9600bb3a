"""Charts of how good a model is: what is drawn is what was given."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.show import plot
from hornbeam.show.charts.curve_charts import along, bands, curves_on_one, matrix, residual_panels, stacked
from hornbeam.show.pictures import palette


def legend(axes: object) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]  # type: ignore[attr-defined]


def test_curves_of_classes_with_guides_and_intervals() -> None:
    curves = {"yes": ([0.0, 0.5, 1.0], [0.1, 0.6, 0.9]), "no": ([0.0, 1.0], [1.0, 0.0])}
    axes = curves_on_one(
        curves,
        {"yes": "error 0.1", "no": "error 0.2"},
        guides={"as said": ((0, 1), (0, 1))},
        intervals={"yes": [[0.0, 0.2], [0.5, 0.7], [0.8, 1.0]]},
        dots={"yes": [1, 4, 2], "no": [1, 1]},
        title="Calibration",
    )
    assert legend(axes) == ["as said", "yes: error 0.1", "no: error 0.2"]
    assert [line.get_ydata().tolist() for line in axes.lines[1:]] == [[0.1, 0.6, 0.9], [1.0, 0.0]]
    sizes = [dots.get_sizes() for dots in axes.collections if hasattr(dots, "get_sizes") and len(dots.get_sizes()) > 1]
    assert sizes[0].argmax() == 1
    upright = [part for part in axes.collections if hasattr(part, "get_segments")]
    assert [segment[:, 1].tolist() for segment in upright[0].get_segments()] == [[0.0, 0.2], [0.5, 0.7], [0.8, 1.0]]
    steps = curves_on_one(curves, {}, guides={}, steps=True)
    assert [line.get_drawstyle() for line in steps.lines] == ["steps-pre", "steps-pre"]


def test_bands_hold_the_intervals() -> None:
    axes = bands([1, 2, 4], {"held out": ([3, 2, 3], [[2, 4], [1, 3], [2, 4]])}, marked=2.0, mark="best", x_label="k")
    low, high = (
        axes.collections[0].get_paths()[0].vertices[:, 1].min(),
        axes.collections[0].get_datalim(axes.transData).y1,
    )
    assert (low, high) == (1, 4)
    assert legend(axes) == ["held out", "best"]
    assert axes.lines[-1].get_xdata() == [2.0, 2.0]
    assert axes.get_xscale() == "linear"
    assert bands([1, 100], {"a": ([1, 2], None)}).get_xscale() == "log"
    assert bands([0, 100], {"a": ([1, 2], None)}).get_xscale() == "linear"
    named = bands([0, 1], {"a": ([1, 2], None)}, ticks=["1", "none"])
    assert [text.get_text() for text in named.get_xticklabels()] == ["1", "none"]


def test_parts_are_drawn_on_top_of_each_other_and_noise_is_gray() -> None:
    parts = {"noise": [1, 1], "bias²": [2, 0], "variance": [-1, 3]}
    axes = stacked([1, 2], parts, {"expected error": [2, 4]})
    tops = [area.get_datalim(axes.transData).y1 for area in axes.collections]
    assert tops == [1, 3, 4]  # less than nothing is drawn as nothing
    assert axes.collections[0].get_facecolor()[0][:3] == pytest.approx(np.array(rgb(palette.LINE)))
    plain = stacked([1, 2], {"bias²": [2, 0], "variance": [1, 3]}, {})
    same = [area.get_facecolor()[0].tolist() for area in axes.collections[1:]]
    assert [area.get_facecolor()[0].tolist() for area in plain.collections] == same


def rgb(color: str) -> list[float]:
    return [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def test_cells_are_darker_where_shares_are_greater() -> None:
    axes = matrix(["no", "$yes$"], np.array([[1.0, 0.0], [0.4, 0.6]]), [["5", "0"], ["2", "3"]], x_label="predicted")
    assert axes.images[0].get_array().tolist() == [[1.0, 0.0], [0.4, 0.6]]
    assert [text.get_color() for text in axes.texts] == ["white", palette.INK, palette.INK, "white"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["no", "$yes$"]


def test_residuals_and_what_a_normal_distribution_would_have() -> None:
    predicted, residual = np.array([1.0, 2.0, 3.0]), np.array([0.5, -0.5, 0.0])
    axes = residual_panels(predicted, residual, [(1.0, 2.0, 0.0), (3.0, 3.0, 0.0)], (np.arange(3.0), np.sort(residual)))
    first, second = axes.figure.axes
    assert first is axes
    assert first.collections[0].get_offsets().tolist() == [[1.0, 0.5], [2.0, -0.5], [3.0, 0.0]]
    assert second.collections[0].get_offsets()[:, 1].tolist() == [-0.5, 0.0, 0.5]
    assert legend(first) == ["mean of a tenth of the rows"]


def test_values_that_are_no_numbers_have_places_too() -> None:
    assert along([1, 2.5]) == ([1.0, 2.5], None)
    assert along([0.25, None]) == ([0.0, 1.0], ["0.25", "none"])


def test_charts_draw_on_axes_that_are_given() -> None:
    for draw in (
        lambda axes: curves_on_one({"": ([0, 1], [0, 1])}, {"": "AUC"}, guides={}, axes=axes),
        lambda axes: bands([1, 2], {"a": ([1, 2], None)}, axes=axes),
        lambda axes: stacked([1, 2], {"a": [1, 2]}, {"b": [1, 2]}, axes=axes),
        lambda axes: matrix(["a"], np.ones((1, 1)), [["1"]], axes=axes),
    ):
        axes = plot.new_axes()
        assert draw(axes) is axes
