"""What is found out about the nodes of a tree once it is learned: what an answer is worth, and what a split is worth.

Plain data, made in `evaluate`, told by `show` and `export` beside the nodes they are about.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from hornbeam.data.schema import Nominal
from hornbeam.model.base.errors import ModelError

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema

_WIDTHS = ("half_width", "low", "high")
Figure = TypeVar("Figure", "LeafCalibration", "SplitStability")


@dataclass(frozen=True, slots=True)
class LeafCalibration:
    """What the rows that end at a node are promised.

    Parameters
    ----------
    node : int
        The node; a leaf, or an inner node where rows without a value may end. Of rules, the number of the rule, from 1.
    coverage : float
        The share of new rows whose target is promised to be in the set or the interval.
    rows : int
        How many rows the promise rests on.
    own_rows : int
        How many of them end at this node.
    borrowed_from : int or None
        The node among whose rows more had to be taken, because there were too few here: one above; or, of an inner
        node, itself.
    classes : tuple of str or None
        The set, the likeliest class first; None where the target is a number.
    p_values : tuple of float or None
        For every class of the target: the share of the rows that are no less surprising than a row of this class
        would be, that row included.
    half_width : float or None
        How far the target may lie from what the tree answers; None where the target is a class.
    low, high : float or None
        The interval around the node's answer; None for classes, and where the answer is an equation.
    """

    node: int
    coverage: float
    rows: int
    own_rows: int
    borrowed_from: int | None = None
    classes: tuple[str, ...] | None = None
    p_values: tuple[float, ...] | None = None
    half_width: float | None = None
    low: float | None = None
    high: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data; what there is none of is left out, but for `borrowed_from`."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        for name in _WIDTHS:  # without end, where the model has no answer
            plain[name] = plain[name] if plain[name] is None or math.isfinite(plain[name]) else None
        kept = {name: value for name, value in plain.items() if value is not None or name == "borrowed_from"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}


def calibration_from_plain(plain: Any, schema: Schema, n_places: int) -> dict[int, LeafCalibration]:  # noqa: ANN401 - from a file
    """Give the calibration that `LeafCalibration.to_json` wrote, by node; a `ModelError` says what is wrong with it.

    Parameters
    ----------
    plain : list of dict
        What a file holds.
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
        if classes is None and half_width is None:  # without end
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
    """How often a split comes again where a tree is learned from other draws of the rows.

    Parameters
    ----------
    node : int
        The node that is split.
    column : str
        What it asks for; of a sum of columns, their names joined by ``" + "``.
    found : float
        The share of the trees that have a node with about the same rows.
    same_column : float
        The share that asks the same column there.
    same_split : float
        The share that asks the same column at about the same cuts, or with the same categories together.
    trees : int
        How many trees there were.
    """

    node: int
    column: str
    found: float
    same_column: float
    same_split: float
    trees: int

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


def by_node(figures: Any, kind: type[Figure], said: str) -> dict[int, Figure]:  # noqa: ANN401 - checked here
    """Give figures by node: those of a result, of a mapping, or of any number of them.

    Parameters
    ----------
    figures : result with `nodes`, mapping of node to figure, or iterable of figures
        What a caller has.
    kind : type
        What each figure must be.
    said : str
        The name of the parameter, for the error.
    """
    given = getattr(figures, "nodes", figures)
    listed = list(given.values() if isinstance(given, Mapping) else given)
    for figure in listed:
        if not isinstance(figure, kind):
            msg = f"{said} holds an object of type {type(figure).__name__}; expected {kind.__name__}"
            raise TypeError(msg)
    return {figure.node: figure for figure in listed}
