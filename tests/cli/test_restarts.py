"""`hornbeam cluster --restarts`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hornbeam
from hornbeam.evaluate import restarts

if TYPE_CHECKING:
    from pathlib import Path


def test_restarts_are_told_and_drawn(good: Any, tmp_path: Path) -> None:
    place = tmp_path / "ends.svg"
    wish = ("cluster", "iris", "-k", "4", "--init", "random", "--restarts", "20", "--restarts-picture", str(place))
    out = good(*wish).out
    found = restarts(hornbeam.KMeans(4, init="random"), hornbeam.read("iris"), 20)
    assert out == found.text() + "\n"
    assert place.read_text(encoding="utf-8") == found.svg() + "\n"
    assert good(*wish, "--json").json == found.to_json()
    good(*wish, "--theme", "dark")
    assert place.read_text(encoding="utf-8") == found.svg("dark") + "\n"
    other = good("cluster", "weather", "-s", "cobweb", "--restarts", "5", "--seed", "7").out
    assert "Cobweb from 5 orders (seed 7)" in other
    assert "MixtureModel from 3 starts" in good("cluster", "iris", "-s", "em", "-k", "2", "--restarts", "3").out


def test_what_does_not_go_together_is_refused(bad: Any, tmp_path: Path) -> None:
    assert "needs --restarts" in bad("cluster", "iris", "-k", "2", "--restarts-picture", "x.svg").err
    assert "ends in .svg" in bad("cluster", "iris", "-k", "2", "--restarts", "2", "--restarts-picture", "x.png").err
    nowhere = str(tmp_path / "no" / "x.svg")
    assert (
        "there is no folder" in bad("cluster", "iris", "-k", "2", "--restarts", "2", "--restarts-picture", nowhere).err
    )
    assert "--theme needs --picture" in bad("cluster", "iris", "-k", "2", "--restarts", "2", "--theme", "dark").err
    assert "--labels is for one" in bad("cluster", "iris", "-k", "2", "--restarts", "2", "--labels").err
    assert "--save is for one" in bad("cluster", "iris", "-k", "2", "--restarts", "2", "--save", "x").err
    assert "n_clusters is 'auto'" in bad("cluster", "iris", "--restarts", "2").err
    assert "expected KMeans" in bad("cluster", "iris", "-s", "hierarchical", "-k", "2", "--restarts", "2").err
