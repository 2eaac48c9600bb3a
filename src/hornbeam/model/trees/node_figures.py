"""Statistics of the nodes of a tree that are computed after learning: calibration of leaves, stability of splits.

Plain data, made by `evaluate`, and shown with the nodes by `show` and `export`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema

_WIDTHS = ("half_width", "low", "high")
Figure = TypeVar("Figure", "LeafCalibration", "SplitStability")


@dataclass(frozen=True, slots=True)
class LeafCalibration:
    """The calibration of a node: a prediction set or interval with a guaranteed coverage."""

    # A leaf, or an inner node where rows with missing values may end. For rules, the number of the rule, from 1.
    node: int
    coverage: float  # the guaranteed fraction of new rows whose target is in the set or the interval
    rows: int  # the number of rows used for calibration
    own_rows: int  # the number of them that end at this node
    # the node whose rows were used: this one, or one above it if there were too few rows here
    borrowed_from: int | None = None
    classes: tuple[str, ...] | None = None  # the set, the most probable class first; None for numbers
    # for every class of the target: its conformal p-value, the fraction of rows at least as unusual as a row of this
    # class
    p_values: tuple[float, ...] | None = None
    # the half-width of the interval around the prediction; None for classes
    half_width: float | None = None
    # low, high: the interval around the node's prediction; None for classes, and if the prediction is an equation
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return plain data; values that are None are left out, except `borrowed_from`."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        for name in _WIDTHS:  # infinite, if the model has no prediction
            plain[name] = plain[name] if plain[name] is None or math.isfinite(plain[name]) else None
        kept = {name: value for name, value in plain.items() if value is not None or name == "borrowed_from"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}


def calibration_from_plain(plain: Any, schema: Schema, n_places: int) -> dict[int, LeafCalibration]:  # noqa: ANN401 - from a file
    """Return calibrations written by `LeafCalibration.to_json`, by node; raise a `ModelError` if they are wrong.

    Parameters
    ----------
    plain : list of dict
        The content of the file.
    schema : Schema
        Of the model.
    n_places : int
        One more than the largest number of a node, or of a rule (the default rule has the last one).
    """
    target = schema.target_column
    names = target.categories if isinstance(target, Nominal) else None
    found: dict[int, LeafCalibration] = {}
    for given in plain:
        classes, p_values = given.get("classes"), given.get("p_values")
        numbers = [given["coverage"], *(p_values or []), *(given[name] for name in _WIDTHS if name in given)]
        counts = [given["node"], given["rows"], given["own_rows"], given["borrowed_from"] or 0]
        if not (
            all(type(number) in (int, float) and math.isfinite(number) for number in numbers)
            and all(type(count) is int and count >= 0 for count in counts)
            and max(counts[0], counts[3]) < n_places
            and (classes is None) == (names is None)
            and (names is None or (set(classes) <= set(names) and len(p_values) == len(names)))
        ):
            msg = f"the calibration of node {given['node']!r} does not fit the model"
            raise ModelError(msg)
        half_width, low, high = (given.get(name) for name in _WIDTHS)
        if classes is None and half_width is None:  # infinite
            half_width, low, high = math.inf, -math.inf, math.inf
        found[given["node"]] = LeafCalibration(
            node=given["node"],
            coverage=given["coverage"],
            rows=given["rows"],
            own_rows=given["own_rows"],
            borrowed_from=given["borrowed_from"],
            classes=None if classes is None else tuple(classes),
            p_values=None if p_values is None else tuple(p_values),
            half_width=half_width,
            low=low,
            high=high,
        )
    return found


@dataclass(frozen=True, slots=True)
class SplitStability:
    """The stability of a split: how often it recurs in trees learned from other samples of the rows."""

    node: int  # the node that is split
    column: str  # the column of the split; for a sum of columns, their names joined by ``" + "``
    found: float  # the fraction of the trees that have a node with about the same rows
    same_column: float  # the fraction that splits by the same column there
    # the fraction that splits by the same column at about the same cuts, or into the same sets of categories
    same_split: float
    trees: int  # the number of trees

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


def by_node(statistics: Any, kind: type[Figure], said: str) -> dict[int, Figure]:  # noqa: ANN401 - checked here
    """Return statistics by node from a result, a mapping, or an iterable.

    Parameters
    ----------
    statistics : result with `nodes`, mapping of node to one, or iterable of statistics
        The statistics in any of these forms.
    kind : type
        The expected type of each.
    said : str
        The name of the parameter, for the error.
    """
    given = getattr(statistics, "nodes", statistics)
    listed = list(given.values() if isinstance(given, Mapping) else given)
    for one in listed:
        if not isinstance(one, kind):
            msg = f"{said} holds an object of type {type(one).__name__}; expected {kind.__name__}"
            raise TypeError(msg)
    return {one.node: one for one in listed}
