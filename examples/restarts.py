# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""How the result of a greedy algorithm depends on its start: k-means from 1000 random starts.

Run it with `python examples/restarts.py`: it prints the distribution of errors and steps, compares two kinds of starts,
EM and COBWEB, and draws histograms into the current folder.
"""

from __future__ import annotations

from pathlib import Path

import hornbeam
from hornbeam.evaluate import RestartStudy, restarts


def main() -> None:
    """Start many times, print and draw."""
    iris = hornbeam.read("iris")
    studies = {
        "k-means, any rows": restarts(hornbeam.KMeans(6, init="random"), iris, 1000),
        "k-means, rows far apart": restarts(hornbeam.KMeans(6), iris, 1000),
        "k-means, centers swapped": restarts(hornbeam.KMeans(6, init="random", improve="swaps"), iris, 100),
        "EM, from k-means": restarts(hornbeam.MixtureModel(3), iris, 30),
        "EM, random assignments": restarts(hornbeam.MixtureModel(3, init="random"), iris, 30),
        "COBWEB, orders of rows": restarts(hornbeam.Cobweb(acuity=0.3), iris, 100),
    }
    print(studies["k-means, any rows"].text())
    print(f"\n{'':26}  runs  solutions  found the best  mean ratio  worst  steps")
    for name, study in studies.items():
        print(f"{name:26}  {text_of(study)}")
    for name in ("k-means, any rows", "COBWEB, orders of rows"):
        place = Path(f"restarts-{name.split(',', maxsplit=1)[0].lower()}.svg")
        place.write_text(studies[name].svg(), encoding="utf-8")
        print(f"picture: {place}")


def text_of(study: RestartStudy) -> str:
    """One line about a study."""
    ratios = f"{study.ratios.mean():10.3f}  {study.ratios.max():5.3f}  {study.steps.mean():5.1f}"
    return f"{study.n_runs:4}  {len(study.solutions):9}  {study.found_best:14.1%}  {ratios}"


if __name__ == "__main__":
    main()
