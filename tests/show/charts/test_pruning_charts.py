"""Charts about size: methods, curves, pruning paths."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hornbeam.show import plot
from hornbeam.show.pictures import palette


def test_methods_are_told_apart_beyond_the_colors() -> None:
    points = {f"method {place}": (1.0 + place, 90.0 - place) for place in range(10)}
    axes = plot.trade_off(points, {name: ((x - 1, x + 1), (y - 2, y + 2)) for name, (x, y) in points.items()})
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(points)
    assert len(axes.collections) == 10
    assert len(axes.lines) == 20  # an interval each way
    assert [tuple(dots.get_offsets()[0]) for dots in axes.collections] == list(points.values())
    assert list(axes.lines[0].get_xdata()) == [0.0, 2.0]
    assert list(axes.lines[1].get_ydata()) == [88.0, 92.0]
    assert axes.get_xscale() == "linear"


def test_sizes_far_apart_are_drawn_by_factors() -> None:
    assert plot.trade_off({"small": (2.0, 0.9), "large": (300.0, 0.8)}).get_xscale() == "log"
    assert plot.trade_off({"none": (0.0, 0.9), "large": (300.0, 0.8)}).get_xscale() == "linear"
    assert plot.size_curves([1, 300], {"a": [1, 2]}).get_xscale() == "log"


def test_curves_that_are_nowhere_known_are_left_out() -> None:
    axes = plot.size_curves([3, 2, 1], {"a": [0, 1, 2], "b": [np.nan] * 3}, chosen=2, y_label="error")
    assert [line.get_label() for line in axes.lines] == ["a", "chosen"]
    assert list(axes.lines[1].get_xdata()) == [2, 2]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("leaves", "error")


@pytest.mark.parametrize("estimate", [[np.nan] * 3, [10.0, 8.0, 12.0]])
def test_a_pruning_path_marks_the_tree_chosen(estimate: list[float]) -> None:
    path: Any = SimpleNamespace(
        method="pess\x1bimistic",
        n_leaves=np.array([5, 3, 1]),
        train_error=np.array([0.0, 0.1, 0.3]),
        estimate=np.array(estimate),
        held_out_error=np.array([0.2, 0.1, 0.3]),
        chosen=1,
    )
    axes = plot.pruning_path(path)
    assert [line.get_label() for line in axes.lines] == ["training", "held out", "chosen"]
    assert axes.lines[0].get_color() == palette.CATEGORIES[0]
    beside = [other for other in axes.figure.axes if other is not axes]
    assert len(beside) == (0 if np.isnan(estimate).all() else 1)
    for other in beside:
        assert list(other.lines[0].get_ydata()) == estimate
    assert axes.get_title(loc="left") == "Pruning: pess\\x1bimistic"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["training", "held out", "chosen", "estimate"][: 3 + len(beside)]


def test_an_estimate_that_is_the_held_out_error_is_drawn_once() -> None:
    path: Any = SimpleNamespace(
        method="reduced-error",
        n_leaves=np.array([3, 1]),
        train_error=np.array([0.0, 0.3]),
        estimate=np.array([0.2, 0.3]),
        held_out_error=np.array([0.2, 0.3]),
        chosen=0,
    )
    assert len(plot.pruning_path(path).figure.axes) == 1


def test_a_name_is_refused_before_the_work() -> None:
    assert plot.ready("chart.PNG") == "png"
    with pytest.raises(ValueError, match=r"chart.gif: a chart is written as .png, .svg, .pdf"):
        plot.ready("chart.gif")
