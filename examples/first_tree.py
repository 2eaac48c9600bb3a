# ruff: noqa: INP001, T201 - a script that prints, not part of a package
"""A first tree: read a table, learn, print, evaluate, save, load, predict.

Run it with `python examples/first_tree.py`.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import hornbeam


def main() -> None:
    """Learn a tree from the iris data and use it."""
    iris = hornbeam.read("iris")
    print(iris)

    learner = hornbeam.C45Classifier().fit(iris)
    print()
    print(hornbeam.show.text(learner))

    # Train on every other row, and test on the rest.
    half = hornbeam.C45Classifier().fit(iris.take(range(0, len(iris), 2)))
    rest = iris.take(range(1, len(iris), 2))
    names = iris.schema.target_column.categories
    right = sum(
        predicted == names[truth] for predicted, truth in zip(half.predict(rest), rest.target_values(), strict=True)
    )
    print(f"\ntrained on one half, right on {right} of {len(rest)} rows of the other half")

    with TemporaryDirectory() as folder:
        path = Path(folder) / "iris.hornbeam"
        learner.save(path)
        tree = hornbeam.load(path)
    same = (tree.predict(iris) == learner.predict(iris)).all()
    print(f"the loaded model gives the same predictions: {same}")


if __name__ == "__main__":
    main()
