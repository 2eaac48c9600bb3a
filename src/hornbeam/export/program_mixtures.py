"""Mixtures as plain data for the runtimes: log-densities, from which every runtime computes probabilities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.export.program_values import number, numbers
from hornbeam.model.clusters.components import LOG_TWO_PI, with_margins

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.export.program_values import Plain, Positions, Write
    from hornbeam.model.clusters.mixture import Mixture

NEVER = -1e300  # the logarithm of 0: a number that every runtime can add
IMPOSSIBLE = -1e299  # a row whose log-densities are all at most this is impossible in every component
SCALES = ("normal", "log-normal", "log-odds")
MOST_CORRELATED = 100  # columns; their covariance matrix is factored for every row


def mixture_plain(model: Mixture, positions: Positions, _write: Write) -> Plain:
    """Convert the components of a mixture, and the transformations under which columns are normal.

    An impossible value counts as missing, and missing values are left out of a density. A row that is impossible in
    every component gets the weights as its probabilities.
    """
    model.validate()
    own, columns = model.components, model.columns
    if columns.axes is not None:
        msg = (
            f"cannot write a mixture on principal axes as {positions.language}: its density is not defined on the "
            "columns; fit it without pca, or use export.plain or the model file"
        )
        raise TypeError(msg)
    if own.is_correlated and own.means.shape[1] > MOST_CORRELATED:
        msg = (
            f"cannot write a mixture with {own.means.shape[1]} columns that depend on each other as "
            f"{positions.language}; expected at most {MOST_CORRELATED}; fit it with covariance='diagonal', or use "
            "export.plain or the model file"
        )
        raise TypeError(msg)
    kinds = list(zip(columns.numeric, columns.distributions, strict=True))
    plain: Plain = {
        "kind": "mixture",
        "weights": numbers(own.weights),
        "base": _logarithms(own.weights),
        "numbers": [
            [positions.of_column[place], SCALES.index(one.kind), *numbers((*one.bounds, 0.0, 0.0)[:2])]
            for place, one in kinds
            if not one.is_count
        ],
        "means": [numbers(row) for row in own.means],
        "counts": [positions.of_column[place] for place, one in kinds if one.is_count],
        "rates": [numbers(row) for row in own.rates],
        "logRates": [numbers(row) for row in np.log(own.rates)],
        "groups": [
            _group_plain(model, group, positions.of_column, own.shares[j]) for j, group in enumerate(columns.groups)
        ],
    }
    if own.is_correlated:
        matrices = range(1 if own.form == "tied" else len(own.weights))
        return plain | {"matrices": [[numbers(row) for row in own.matrix(k)] for k in matrices]}
    return plain | {
        "deviations": [numbers(row) for row in np.sqrt(own.variances)],
        "logs": [numbers(row) for row in LOG_TWO_PI + np.log(own.variances)],
    }


def _group_plain(model: Mixture, group: tuple[int, ...], of_column: list[int], shares: Floats) -> Plain:
    """Convert the joint probabilities of nominal columns: a table by cell, where missing is one more code."""
    sizes = [size + 1 for size in shares.shape[1:]]
    cells = with_margins(shares).reshape(len(shares), -1)
    return {
        "columns": [of_column[model.columns.nominal[place]] for place in group],
        "codes": [size - 1 for size in sizes],
        "steps": [math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))],
        "cells": [_logarithms(row) for row in cells],
    }


def _logarithms(shares: Floats) -> list[Any]:
    return [number(math.log(share)) if share > 0 else NEVER for share in shares.tolist()]
