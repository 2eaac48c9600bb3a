from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hornbeam

if TYPE_CHECKING:
    from pathlib import Path


def test_learn_prints_p_values(good: Any) -> None:
    arguments = ("learn", "weather", "--cv", 0, "--no-hints", "--style", "ascii")
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    assert hornbeam.show.text(tree, "ascii", p_values=True) in good(*arguments, "--p-values").out
    assert "p = " not in good(*arguments).out
    assert (
        "(outlook: p = 0.17; chi-square 3.55, 2 df)"
        in good("learn", "weather", "--p-values", "--cv", 0, "--json").json["text"]
    )


def test_show_prints_p_values_in_every_form(good: Any, tmp_path: Path) -> None:
    path = tmp_path / "weather.hornbeam"
    tree = hornbeam.C45Classifier().fit(hornbeam.read("weather"))
    tree.save(path)
    assert "(outlook: p = 0.17; chi-square 3.55, 2 df)" in good("show", path, "--p-values").out
    assert round(good("show", path, "--p-values", "--json").json["tree"]["chi_square"]["p_value"], 2) == 0.17
    good("show", path, "--p-values", "-o", tmp_path / "weather.svg")
    drawn = (tmp_path / "weather.svg").read_text(encoding="utf-8")
    assert drawn == hornbeam.show.svg(tree, p_values=True) + "\n"
    assert ">p = 0.17<" in drawn


def test_models_without_p_values_are_refused(bad: Any, tmp_path: Path) -> None:
    assert "is numeric" in bad("learn", "cpu", "--p-values").err
    assert "not with --style weka" in bad("learn", "weather", "--p-values", "--style", "weka").err
    path = tmp_path / "cpu.hornbeam"
    hornbeam.CartRegressor().fit(hornbeam.read("cpu")).save(path)
    assert "is numeric" in bad("show", path, "--p-values").err
    assert "--p-values cannot be used with --to space" in bad("show", path, "--p-values", "--to", "space").err
