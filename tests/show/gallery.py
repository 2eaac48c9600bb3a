"""One picture of every kind, of tables whose names are friendly, or would do harm if they were not written as text.

Run as a program it prints a digest of each, for a comparison with another process.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

import hornbeam
from hornbeam import show
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.show import chart_svg
from hornbeam.show.charts.error_bars import Point, error_bars
from hornbeam.show.charts.heat_map import Cells, heat_map
from hornbeam.show.charts.rank_diagram import rank_diagram

HOSTILE = "<script>alert('x')</script>&\"; drop table --\x1b\x00\u202e]]>"


def table(name: str, target: str, rows: int = 60) -> Table:
    """A table; every name begins with `name`."""
    random = np.random.default_rng(3)
    x, z = random.normal(size=rows), random.normal(size=rows)
    code = random.integers(0, 3, rows).astype(np.int32)
    answer = (x + (code == 1) > 0).astype(np.int32) + (z > 1).astype(np.int32)
    columns = [Numeric(f"{name}x"), Numeric(f"{name}z"), Nominal(f"{name}c", tuple(f"{name}{k}" for k in "pqr"))]
    kind = Nominal(f"{name}y", tuple(f"{name}{k}" for k in "abd")) if target == "class" else Numeric(f"{name}y")
    values = answer if target == "class" else 2 * x + z + (code == 2)
    schema = Schema((*columns, kind), ("feature",) * 3 + ("target",), f"{name}table")
    return Table(schema, [x, z, code, values])


def pictures(name: str) -> dict[str, str]:
    """Every kind of picture of such tables."""
    classes, numbers = table(name, "class"), table(name, "number")
    two = (f"{name}x", f"{name}z")
    tree = hornbeam.C45Classifier(keep_alternatives=2).fit(classes)
    forest = hornbeam.RandomForestClassifier(5, random_state=1).fit(classes)
    clusters = hornbeam.KMeans(3, random_state=1).fit(classes.select([0, 1, 2]))
    return {
        "tree": show.svg(tree, p_values=True, table=classes),
        "tree of numbers": show.svg(hornbeam.CartRegressor(folds=0).fit(numbers), table=numbers),
        "model tree": show.svg(hornbeam.M5Regressor().fit(numbers)),
        "large tree": show.svg(hornbeam.TreeRegressor().fit(table(name, "number", 400))),
        "rules": show.svg(hornbeam.RipperClassifier(random_state=1).fit(classes)),
        "rules with equations": show.svg(hornbeam.M5RulesRegressor().fit(numbers)),
        "exceptions": show.svg(hornbeam.ExceptionRulesClassifier(max_significance=1.0).fit(classes)),
        "importances": show.importances(forest),
        "regions of a tree": show.decision_regions(tree, classes, two),
        "regions of a forest": show.decision_regions(forest, classes, (two[0], f"{name}c")),
        "regions of numbers": show.decision_regions(hornbeam.M5Regressor().fit(numbers), numbers, two),
        "regions of clusters": show.decision_regions(clusters, classes, two),
        "map": show.cluster_map(clusters, classes),
        "parallel": show.parallel_coordinates(clusters, classes),
        "dendrogram": show.dendrogram(hornbeam.HierarchicalClustering(3).fit(classes.select([0, 1, 2]))),
        "ranks": rank_diagram([name, f"{name}2"], [1.2, 1.8], 1.5, [[name, f"{name}2"]], name, name),
        "heat map": _heat_map(name),
        "error bars": error_bars(
            [Point(0, name, 0.9, 0.02, note=name), Point(1, name, 0.95, 0.01, mark="best")],
            title=name,
            subtitle=name,
            x_label=name,
            y_label=name,
            text=str,
        ),
        "lines": chart_svg.line_chart({name: ([1, 2], [3, 4])}, title=name, x_label=name, y_label=name),
        "matrix": chart_svg.matrix_chart([name], [name], [[1.0]], title=name, x_label=name, y_label=name),
    }


def _heat_map(name: str) -> str:
    cells = Cells(name, [name, "2"], [name], [[0.5, 0.9]], [[name, "90"]], [[name, ""]], {"best": (0, 1)})
    words = {"title": name, "subtitle": name, "x_label": name, "y_label": name, "measure": name}
    return heat_map([cells], **words, ends=(name, name), higher_is_better=True)


if __name__ == "__main__":
    for kind, picture in pictures(sys.argv[1]).items():
        print(kind, hashlib.sha256(picture.encode()).hexdigest())  # noqa: T201 - for the one who runs it
