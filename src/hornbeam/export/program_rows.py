"""Models that keep rows or centers as plain data for the runtimes: neighbors, support vector machines, k-means."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.program_values import factor_plain, number, numbers, short_numbers

if TYPE_CHECKING:
    from hornbeam.export.program_values import Plain, Positions, Write
    from hornbeam.model.clusters.partition import Partition
    from hornbeam.model.neighbors.corrected import CorrectedModel
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.model.svm.svm import SVM


def instances_plain(model: Instances, positions: Positions, _write: Write) -> Plain:
    """Convert kept rows and their distance."""
    from hornbeam.model.neighbors.distance import MISSING
    from hornbeam.model.neighbors.scales import numbers_of

    if model.widened:
        msg = (
            f"cannot write neighbors whose ranges grow with every predicted row as {positions.language}: their "
            "predictions depend on the rows predicted before"
        )
        raise TypeError(msg)
    if model.count_rows:
        msg = f"cannot write weighted rows as {positions.language} if k is a number of rows and not a weight"
        raise TypeError(msg)
    model.validate()
    schema, distance, kept = model.schema, model.distance, model.kept
    target = schema.target_column
    classes = len(target.categories) if isinstance(target, Nominal) else 0
    plain: Plain = {
        "kind": "instances",
        "distance": {
            "columns": [_distance_plain(model, f, position) for f, position in enumerate(positions.of_feature)],
            "weights": numbers(distance.weight),
            "missing": MISSING.index(distance.missing),
            "squared": distance.squared,
            "mean": distance.mean,
            "rooted": model.rooted,
            "allTied": model.all_tied,
        },
        "kept": [numbers(numbers_of(schema.columns[position], kept.columns[position])) for position in schema.features],
        "target": numbers(kept.target_values()),
        "k": model.k,
        "wanted": model.wanted(model.k),
        "weighting": model.weighting,
        "unit": number(model.unit),
        "classes": classes,
        "pseudo": number(model.pseudo_count),
    }
    if kept.weights is not None:
        plain["weights"] = numbers(kept.weights)
    if model.class_columns is not None:
        plain["byClass"] = [numbers(row) for row in model.class_columns]
    return plain


def _distance_plain(model: Instances, f: int, position: int) -> Plain:
    """Convert the parameters of the distance for a feature."""
    from hornbeam.model.neighbors.distance import NUMBER, OVERLAP, TABLE
    from hornbeam.model.neighbors.scales import is_number

    distance, column = model.distance, model.schema.columns[model.schema.features[f]]
    plain: Plain = {"column": position, "expected": number(distance.expected[f])}
    if is_number(column):
        plain |= {"kind": NUMBER, "center": number(distance.center[f]), "width": number(distance.width[f])}
        plain |= {"least": number(distance.least[f]), "greatest": number(distance.greatest[f])}
        if distance.knot_start is not None and distance.knots is not None and distance.ranks is not None:
            part = slice(int(distance.knot_start[f]), int(distance.knot_start[f + 1]))
            plain |= {"knots": numbers(distance.knots[part]), "ranks": numbers(distance.ranks[part])}
        return plain
    assert isinstance(column, Nominal)
    plain |= {"kind": OVERLAP, "codes": len(column.categories)}
    if distance.table_start is not None and distance.tables is not None:
        part = slice(int(distance.table_start[f]), int(distance.table_start[f + 1]))
        plain |= {"kind": TABLE, "table": numbers(distance.tables[part])}
    return plain


def corrected_plain(model: CorrectedModel, positions: Positions, write: Write) -> Plain:
    """Convert a model and the rows that correct it."""
    return {
        "kind": "corrected",
        "base": write(model.base),
        "near": instances_plain(model.near, positions, write),
        "residuals": numbers(model.residuals),
        "reach": number(model.reach),
    }


def margin_plain(model: SVM, positions: Positions, _write: Write) -> Plain:
    """Convert a support vector machine: planes if the kernel is linear, else its support vectors as points."""
    model.validate()
    if model.axes is None:
        msg = (
            "cannot write a support vector machine of sparse rows or given kernel values as "
            f"{positions.language}; fit a table"
        )
        raise TypeError(msg)
    axes = model.axes
    target = model.schema.target_column
    plain: Plain = {
        "kind": "margin",
        "axes": [
            [factor_plain(factor, positions), number(shift), number(width)]
            for factor, shift, width in zip(axes.factors, axes.shift, axes.width, strict=True)
        ],
        "pairs": model.pairs.tolist(),
        "classes": len(target.categories) if isinstance(target, Nominal) else 0,
    }
    if axes.n_factors > 1:
        from hornbeam.model.svm.products import product_weights

        chosen = combinations_with_replacement(range(len(axes.factors)), axes.n_factors)
        weights = product_weights(len(axes.factors), axes.n_factors)
        plain["products"] = [[number(w), *which] for w, which in zip(weights, chosen, strict=True)]
    if model.slopes is not None:
        plain["slopes"] = [numbers(pair) for pair in model.slopes]
    machines: list[Plain] = [{"intercept": number(intercept)} for intercept in model.intercepts]
    if model.kernel.is_linear:
        for machine, plane in zip(machines, model.planes, strict=True):
            machine["plane"] = numbers(plane)
        return plain | {"machines": machines}
    assert model.kept is not None
    for machine, coefficients, runs in zip(machines, model.coefficients, model.runs, strict=True):
        machine |= {"coefficients": numbers(coefficients), "runs": runs.tolist()}
    kernel = model.kernel
    points = short_numbers(axes.matrix(model.kept).astype(np.float32))
    vectors = [numbers(point) for point in points]
    plain["kernel"] = {
        "name": kernel.name,
        "degree": kernel.degree,
        "gamma": number(kernel.gamma),
        "coef0": number(kernel.coef0),
    }
    return plain | {"vectors": vectors, "machines": machines}


def centers_plain(model: Partition, positions: Positions, _write: Write) -> Plain:
    """Convert centers, and how rows are scaled."""
    model.validate()
    distance, measure = model.distance, model.measure
    scales: list[list[float | int | str]] = []
    nominal: list[list[float | int | str]] = []
    for f, position in enumerate(positions.of_feature):
        if measure.is_numeric[f]:
            stretch = measure.stretch[len(scales)]
            scales.append([position, number(distance.center[f]), number(distance.width[f]), number(stretch)])
        else:
            nominal.append([position, number(measure.code_weights[len(nominal)])])
    return {
        "kind": "centers",
        "scales": scales,
        "nominal": nominal,
        "numbers": [numbers(row) for row in model.numbers],
        "codes": model.codes.tolist(),
    }
